"""The root causes of a stored run's failures, found from its cases alone: nothing is played."""

from collections.abc import Iterable, Sequence

from sparring.model.base import AppText, Value
from sparring.model.events import CaseJudged
from sparring_plugins.gating.statistics import wilson
from sparring_plugins.search.failure_classes import failure_class_of
from sparring_plugins.search.shrinking.causes import join_names
from sparring_plugins.search.shrinking.words import user_text
from sparring_plugins.search.strategies.surrogate.facts import Condition, words_of
from sparring_plugins.search.strategies.surrogate.root_causes import (
    CauseModel,
    RootCause,
    chao_missing,
    unseen_mass,
)

_WORD = '"'
_UNBOUNDED = 10**9
_SCENARIO = "scenario"
_NAMED = 20
"""The number of case ids that are named of each cause."""


class Share(Value):
    """How many of some cases failed, and the 95 % interval of Wilson (1927)."""

    failed: int
    cases: int
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def of(cls, failed: int, cases: int) -> "Share":
        """Return the share of failures among cases."""
        low, high = wilson(failed, cases) or (0.0, 1.0)
        return cls(failed=failed, cases=cases, low=low, high=high)

    @property
    def text(self) -> str:
        """The share for people: ``18 of 20 (70 % to 97 %)``."""
        return f"{self.failed} of {self.cases} ({self.low:.0%} to {self.high:.0%})"


class CauseOfRun(Value):
    """A condition under which cases of a run fail, and in which ways.

    `values` are those of features, `words` are said, and `kinds` parts of failure classes. `inside`
    are the cases that satisfy the condition, `outside` all others that failed with these kinds.
    `mostly` says that the condition is what several narrower ones share. `example` is the failed
    case with the fewest other causes and the shortest request.
    """

    values: dict[str, AppText] = {}
    words: tuple[AppText, ...] = ()
    kinds: tuple[AppText, ...]
    inside: Share
    outside: Share
    mostly: bool = False
    example: str
    said: AppText = ""
    case_ids: tuple[str, ...] = ()

    @property
    def condition(self) -> str:
        """The condition in words: ``size is giant, delivery is bike and “hurry” is said``."""
        parts = [f"{name} is {value}" for name, value in self.values.items()]
        if self.words:
            said = join_names([f"“{word}”" for word in self.words], "and")
            parts.append(f"{said} {'is' if len(self.words) == 1 else 'are'} said")
        return join_names(parts, "and")


class RunCauses(Value):
    """The root causes of a run, the most frequent first.

    `unexplained` are failed cases of which no cause is known for some kind. `missing` estimates how
    many causes the run did not show (Chao 1984), `unseen` how likely the next failure has one of
    these (Good 1953, Turing).
    """

    run: str
    cases: int
    failures: int
    causes: tuple[CauseOfRun, ...] = ()
    unexplained: tuple[str, ...] = ()
    missing: float = 0.0
    unseen: float = 1.0


def causes_of_run(run: str, judged: Iterable[CaseJudged]) -> RunCauses:
    """Return the root causes of failures; `judged` are the cases in the order of the run."""
    model = CauseModel(effort=_UNBOUNDED, most=_UNBOUNDED)
    ids: list[str] = []
    texts: list[str] = []
    for case_judged in judged:
        case, text = case_judged.trace.case, user_text(case_judged.trace)
        values = {_SCENARIO: case.scenario, **case.params}
        facts = frozenset(f"{name}={value}" for name, value in values.items()) | words_of(text)
        model.played.add(facts, failure_class_of(case_judged.verdicts))
        ids.append(case.id)
        texts.append(text)
    model.update()
    model.update()  # what a cause hides says nothing against those that were looked at before it
    causes = [_cause(model, cause, ids, texts) for cause in model.causes]
    causes.sort(key=lambda cause: (-cause.inside.failed, cause.condition))
    left = [at for at in _failed(model) if not model.is_explained(at)]
    counts = [_independent(model, cause) for cause in model.causes] + [1] * len(left)
    return RunCauses(
        run=run,
        cases=len(ids),
        failures=len(_failed(model)),
        causes=tuple(causes),
        unexplained=tuple(ids[at] for at in left),
        missing=chao_missing(counts),
        unseen=unseen_mass(counts),
    )


def _failed(model: CauseModel) -> list[int]:
    return [at for at, parts in enumerate(model.played.parts) if parts]


def _independent(model: CauseModel, cause: RootCause) -> int:
    return (model.played.having(cause.condition) & model.played.failed).bit_count()


def _cause(
    model: CauseModel,
    cause: RootCause,
    ids: Sequence[str],
    texts: Sequence[str],
) -> CauseOfRun:
    played = model.played
    failing = 0
    for part in cause.parts:
        failing |= played.failing(part)
    inside = played.having(cause.condition)
    outside = played.all & ~inside
    shown = [at for at in range(len(ids)) if (inside & failing) >> at & 1]
    best = min(shown, key=lambda at: (len(played.parts[at]), len(texts[at]), ids[at]))
    values, words = _split(cause.condition)
    return CauseOfRun(
        values=values,
        words=words,
        kinds=tuple(sorted(cause.parts)),
        inside=Share.of(len(shown), inside.bit_count()),
        outside=Share.of((outside & failing).bit_count(), outside.bit_count()),
        mostly=cause.mostly,
        example=ids[best],
        said=texts[best],
        case_ids=tuple(ids[at] for at in shown[:_NAMED]),
    )


def _split(condition: Condition) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the values and the words of a condition, for people."""
    values: dict[str, str] = {}
    for fact in sorted(fact for fact in condition if not fact.startswith(_WORD)):
        name, _, value = fact.partition("=")
        values[name] = value
    words = sorted(fact.removeprefix(_WORD) for fact in condition if fact.startswith(_WORD))
    return values, tuple(words)
