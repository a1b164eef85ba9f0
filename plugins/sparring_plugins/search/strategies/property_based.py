"""The strategy `hypothesis`: property-based generation and shrinking by Hypothesis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from random import Random
from typing import Any, ClassVar, Literal
from weakref import finalize

from pydantic import Field, JsonValue

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.failure_classes import FailureClass
from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.learning_strategy import SearchingConfig, SearchingStrategy
from sparring_plugins.search.strategies.paused_round import PausedRound, RoundThread
from sparring_plugins.search.strategies.scenario_search import (
    Evaluated,
    GrowingText,
    ScenarioSearch,
    growing_rows,
    pack,
    unpack,
    unpack_rows,
)

_IDLE = 3
"""Rounds without a new case after which random new cases take their places."""

_FAR = 3**27
"""The smallest number. Hypothesis likes to draw numbers that it finds in the code of this process,
and what code is loaded must not change what is drawn: none has numbers of this size."""


_OLDEST = 5.0
"""Seconds after which a round is repeated rather than resumed. Hypothesis generates nothing new ten
seconds after a failure and shrinks for five minutes; waiting for the app must not count."""


class _Found(Exception):
    """A failure of the app, as Hypothesis expects it; each failure class has a subclass."""


class _OwnFault(BaseException):
    """A fault of ours within a round, which Hypothesis must not take for a failure of the app."""


@dataclass(frozen=True)
class _Round:
    """One run of Hypothesis, which asks for the cases that were not played yet.

    It must not refer to its search: the search ends the round when it is garbage itself.
    """

    cases: CaseSpace
    seed: int
    examples: int
    seen: Mapping[Indices, None]
    answers: Mapping[Indices, FailureClass | None]
    shrunk: Mapping[FailureClass, Indices]
    smallest: dict[FailureClass, Indices] = field(default_factory=dict[FailureClass, Indices])
    assumed: set[Indices] = field(default_factory=set[Indices])
    failures: dict[FailureClass, type[_Found]] = field(
        default_factory=dict[FailureClass, type[_Found]]
    )

    def play(self, ask: Callable[[Indices], None]) -> None:
        """Generate and shrink; `ask` returns when its case was played or refused.

        Raises whatever is neither a failure of the app nor a case that did otherwise when repeated.
        """
        # imported here: a search by another strategy does without Hypothesis, which takes long
        from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
        from hypothesis import strategies as st
        from hypothesis.errors import Flaky

        values = st.tuples(*(st.integers(_FAR, _FAR + size - 1) for size in self.cases.sizes))

        def fails(drawn: Indices) -> None:
            try:
                row = self.cases.repaired_indices(tuple(value - _FAR for value in drawn))
            except TooHard:  # no valid case is near: to Hypothesis this example passes
                return
            self._check(row, ask)

        def guarded(drawn: Indices) -> None:
            try:
                fails(drawn)
            except _Found:
                raise
            except Exception as err:
                raise _OwnFault from err

        test: Any = given(values)(guarded)
        seeded: Any = seed(self.seed)(test)
        checks: Any = list(HealthCheck)
        try:
            settings(
                database=None,
                deadline=None,
                max_examples=self.examples,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=checks,
                verbosity=Verbosity.quiet,
                print_blob=False,
            )(seeded)()
        except (_Found, Flaky):
            pass  # a failure of the app is known by its answers, whatever Hypothesis makes of it
        except _OwnFault as fault:
            raise fault.__cause__ or fault from None
        except ExceptionGroup as group:
            if others := group.split((_Found, Flaky))[1]:
                raise others from None

    def _check(self, row: Indices, ask: Callable[[Indices], None]) -> None:
        if row not in self.answers and row not in self.seen:
            ask(row)
        if row not in self.answers:
            self.assumed.add(row)
        failure_class = self.answers.get(row)
        if failure_class is not None and failure_class not in self.shrunk:
            self.smallest[failure_class] = row  # the last time that it is tried is the smallest
            raise self._failure(failure_class)

    def _failure(self, failure_class: FailureClass) -> _Found:
        """Return an exception of the failure class's own type.

        Hypothesis shrinks each type separately.
        """
        if failure_class not in self.failures:
            self.failures[failure_class] = type("Failure", (_Found,), {})
        return self.failures[failure_class](*failure_class)


class PropertySearch(ScenarioSearch):
    """Rounds of Hypothesis, each up to its first failures and their smallest forms.

    Hypothesis calls a test and expects the answer at once, while playing a case takes long. So each
    round runs in a thread of its own, which stands still at a case without an answer: that is the
    next one to play. A round that waited long, or that was interrupted, is repeated from its seed
    with the answers known so far, which leads to the same case. A failure class that
    was shrunk counts as passed in later rounds, so that these find others. `shrunk` has the
    smallest case of each class.
    """

    def __init__(self, cases: CaseSpace, own_seed: int, examples: int) -> None:
        super().__init__(cases, own_seed)
        self.examples = examples
        self._round: _Round | None = None
        self._paused: PausedRound[Indices] | None = None
        self._leave: Callable[[], object] = bool
        self._thread = RoundThread()
        finalize(self, self._thread.end)
        self._forget()
        self.shrunk: dict[FailureClass, Indices] = {}
        self.rounds = 0
        self._idle = 0

    @property
    def batch(self) -> int:
        return 1

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        while self._idle < _IDLE:
            row = self._next()
            if row is not None:
                self._idle = 0
                return [row]
            self.rounds += 1
            self._idle += 1
        return ()

    def refused(self, row: Indices) -> None:
        self._answer(row, None)

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        for row, evaluation in evaluated:
            self._answer(
                row, (evaluation.failure_class or ("failed",)) if evaluation.failed else None
            )

    def _forget(self) -> None:
        self._leave_round()
        self.answers: dict[Indices, FailureClass | None] = {}
        self._numbers: dict[FailureClass, int] = {}
        self._told: list[int] = []
        self._rows_text, self._told_text = growing_rows(self.cases.sizes), GrowingText[int](pack)

    def _answer(self, row: Indices, failure_class: FailureClass | None) -> None:
        """Keep how a case did, with the number of its failure class (0 if it did not fail)."""
        if row in self.answers:
            return
        self.answers[row] = failure_class
        if self._round is not None and failure_class is not None and row in self._round.assumed:
            self._leave_round()  # it took the case for one that passes
        number = (
            0
            if failure_class is None
            else self._numbers.setdefault(failure_class, len(self._numbers) + 1)
        )
        self._told.append(number)

    def _next(self) -> Indices | None:
        """Return the case that this round waits for; None if the round is over."""
        if self._paused is not None and self._paused.age > _OLDEST:
            self._leave_round()
        playing, paused = self._round, self._paused
        if playing is None or paused is None:
            playing, paused = self._begin_round()
        row = paused.next()
        if row is None:
            self.shrunk |= playing.smallest
            self._leave_round()
        return row

    def _begin_round(self) -> tuple[_Round, PausedRound[Indices]]:
        seed = self.seed + self.rounds
        playing = _Round(self.cases, seed, self.examples, self.seen, self.answers, self.shrunk)
        paused = PausedRound(playing.play, self._thread)
        self._round, self._paused = playing, paused
        # a thread that stands still would keep the answers of a search that nobody uses any more
        self._leave = finalize(self, paused.stop)
        return playing, paused

    def _leave_round(self) -> None:
        self._leave()
        self._round = self._paused = None

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "answers": self._rows_text.of(self.answers),
            "told": self._told_text.of(self._told),
            "kinds": [list(failure_class) for failure_class in self._numbers],
            "shrunk": [
                [list(failure_class), list(row)] for failure_class, row in self.shrunk.items()
            ],
            "rounds": self.rounds,
            "idle": self._idle,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        rows = unpack_rows(state["answers"], self.cases.sizes)
        classes: list[FailureClass | None] = [
            None,
            *(tuple(map(str, failure_class)) for failure_class in state["kinds"]),
        ]
        answers = [classes[at] for at in unpack(state["told"])]
        self._forget()
        for row, failure_class in zip(rows, answers, strict=True):
            self._answer(row, failure_class)
        self.shrunk = {
            tuple(map(str, failure_class)): tuple(row) for failure_class, row in state["shrunk"]
        }
        self.rounds, self._idle = int(state["rounds"]), int(state["idle"])


class HypothesisConfig(SearchingConfig):
    """Settings of the strategy `hypothesis`."""

    examples: int = Field(
        default=100,
        ge=1,
        le=2_000,
        description="Cases that a round generates before it is given up.",
    )


class HypothesisStrategy(SearchingStrategy[HypothesisConfig]):
    """Lets Hypothesis generate cases until one fails, and shrink it to the smallest that fails.

    Values shrink towards the first of their feature, so write the plain one first. Each failure
    class is shrunk separately; when all that a round found are minimal, the next round looks for
    other classes. One case is played at a time, because each depends on the one before.
    """

    Config: ClassVar[type[PluginConfig]] = HypothesisConfig
    refuses: ClassVar[Literal["archive", "population", "none"]] = "none"

    def __init__(self, config: HypothesisConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("hypothesis") is None:
            raise MissingExtra(
                "property-based testing needs Hypothesis: pip install 'sparring[hypothesis]'"
            )

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        return PropertySearch(cases, seed, self.config.examples)
