"""One failed case made as small as can be, and what it stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring_plugins.search.failure_classes import kind_of
from sparring_plugins.search.shrinking.bench import Bench, Execution, OutOfBudget
from sparring_plugins.search.shrinking.cause_sentences import sentence
from sparring_plugins.search.shrinking.reach import Reach, mattering, reach
from sparring_plugins.search.shrinking.result import Cause, Unshrunk
from sparring_plugins.search.shrinking.simplest import Wordings
from sparring_plugins.search.shrinking.vectors import Attempt
from sparring_plugins.search.shrinking.words import Change
from sparring_plugins.search.shrinking.words import holds as says
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.utterance_text import said_in

_ANSWER = 600
_NO_WORDS = "a conversation: its variables are reduced, its words are not"


@dataclass
class Shrinker:
    """Makes causes of failed cases. `draw` is all the chance there is."""

    bench: Bench
    probes: int
    repeats: int
    draw: Random

    async def cause(self, judged: CaseJudged, kind: str) -> Cause | Unshrunk:
        """The cause of one kind of failure of one case; raises OutOfBudget before it fails again.

        A budget that ends later ends the work, and what was reached is kept.
        """
        case = judged.trace.case
        space = self.bench.spaces.get(case.scenario)
        if space is None:
            return Unshrunk(case_id=case.id, kind=kind, why="its scenario is not in the suite")
        try:
            row = space.indices(case.params)
        except ValueError as err:
            return Unshrunk(case_id=case.id, kind=kind, why=f"it is not of its space: {err}")
        before = self.bench.executed
        self.bench.recall(judged.trace)
        first = await self._again(case, kind)
        if isinstance(first, str):
            return Unshrunk(case_id=case.id, kind=kind, why=first)
        wordings = Wordings.of(self.bench.parts.player, space.scenario)
        attempt = Attempt(
            bench=self.bench,
            cases=space,
            simplest=wordings.simplest(),
            wordings=wordings,
            kind=kind,
            seed=case.seed,
            row=row,
            last=first,
            said=wordings.said(first.trace),
        )
        return await self._reduced(judged, attempt, before)

    async def _again(self, case: Case, kind: str) -> Execution | str:
        """The case again, as often as asked for; why it is no use where it does not fail again."""
        found: Execution | None = None
        for time in range(1, self.repeats + 1):
            found = await self.bench.execute(case)
            if kind not in found.kinds:
                seen = f"it failed with {', '.join(sorted(found.kinds))}" if found.kinds else \
                    "it passed"  # fmt: skip
                return f"it does not fail in this way again: the {_nth(time)} time {seen}"
        assert found is not None
        return found

    async def _reduced(self, judged: CaseJudged, attempt: Attempt, before: int) -> Cause:
        complete = True
        reached = Reach()
        try:
            await attempt.reduce()
            words = [*_free(attempt), *(one.word for one in _changed(attempt))]
            words += [one for one in attempt.phrases.values() if one]
            reached = await reach(attempt, words, self.probes, self.draw)
            complete = reached.complete
        except OutOfBudget:
            complete = False
        cause = _told(judged, attempt, reached).model_copy(
            update={"executions": self.bench.executed - before, "complete": complete}
        )
        return cause.model_copy(update={"sentence": sentence(cause)})


def _told(judged: CaseJudged, attempt: Attempt, reached: Reach) -> Cause:
    last = attempt.last
    verdict = last.verdict_of(attempt.kind)
    heard = [turn.observation.text for turn in last.trace.turns if turn.observation]
    notes = () if attempt.said is not None else (_NO_WORDS,)
    return Cause(
        kind=attempt.kind,
        oracle=verdict.oracle if verdict else "",
        check=verdict.check if verdict else "",
        reason=verdict.reason[:_ANSWER] if verdict else "",
        case_id=judged.trace.case.id,
        scenario=judged.trace.case.scenario,
        params=attempt.cases.params(attempt.row),
        seed=attempt.seed,
        features=mattering(attempt, reached),
        original=said_in(judged.trace),
        smallest=attempt.said.text if attempt.said is not None else said_in(last.trace),
        written=attempt.said.written() if attempt.said is not None else "",
        answer=heard[-1][:_ANSWER] if heard else "",
        words=tuple(_free(attempt)),
        length=attempt.length,
        changed=tuple((one.was, one.word) for one in _changed(attempt)),
        missing=tuple(attempt.said.left_out(_perturbing(attempt))) if attempt.said else (),
        single=attempt.said is not None,
        turns=(len(judged.trace.turns), len(last.trace.turns)),
        probed=reached.probed,
        hits=reached.hits,
        case_ids=(judged.trace.case.id,),
        notes=notes,
    )


def _changed(attempt: Attempt) -> list[Change]:
    """What perturbations that matter did to words that are left."""
    if attempt.said is None:
        return []
    names = _perturbing(attempt)
    return [one for one in attempt.said.present() if one.feature in names]


def _perturbing(attempt: Attempt) -> set[str]:
    return {attempt.cases.names[number] for number in attempt.active}


def _free(attempt: Attempt) -> list[str]:
    """The words that matter and say no feature, perturbed ones left aside."""
    if attempt.said is None or attempt.length:
        return []
    changed = {word.casefold() for one in _changed(attempt) for word in one.word.split()}
    words = (one for one in attempt.said.free_words() if one.casefold() not in changed)
    return list(dict.fromkeys(words))


def shares(cause: Cause, judged: CaseJudged, space: CaseSpace) -> bool:
    """Whether a failed case has the kind of a cause and values with which it fails."""
    case = judged.trace.case
    if case.scenario != cause.scenario or cause.kind not in kind_of(judged.verdicts):
        return False
    words = [*cause.words, *(new for _, new in cause.changed)]
    words += [one.said for one in cause.features if one.said and not one.also]
    said = said_in(judged.trace)
    if cause.single and not (says(said, words) and len(said.split()) >= cause.length):
        return False
    labels = {variable.name: variable for variable in space.scenario.variables}
    return all(
        case.params.get(one.name) == one.value
        or _shown(labels[one.name].domain, labels[one.name].labels, case.params.get(one.name))
        in one.also
        for one in cause.features
    )


def _shown(domain: Sequence[object], labels: Sequence[str], value: object) -> str:
    for at, one in enumerate(domain):
        if one == value and type(one) is type(value):
            return labels[at] if at < len(labels) and labels[at] else str(value)
    return ""


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
