"""What runs are compared by: for each case and check how often it passed and failed."""

from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ValidationError

from sparring.errors import StoredRunError
from sparring.model.base import AppText
from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring.model.run import Spent
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.store.log import unseal
from sparring_plugins.gating.record_table import RecordTable
from sparring_plugins.language.text import one_line

State = Literal["pass", "fail", "flaky", "undecided", "skipped"]
"""What several plays of one check say: flaky if some passed and some failed."""

_STATES: tuple[State, ...] = ("fail", "flaky", "undecided", "pass")
# A baseline is read in a pull request: what a verdict quotes of the app is cut to a line or two.
_REASON = 200
# Of several verdicts of one check in one play the first of these counts: one price that is wrong
# makes `price` fail, whatever the other prices are.
_WORST = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE, Outcome.PASS)

MEASURES = ("seconds", "turns", "tokens", "cost_usd")
"""What is measured of each play, beside verdicts."""


@dataclass(slots=True)
class CheckCounts:
    """How often one check of one case passed, failed or stayed undecided (errors count as such).

    `reason` is that of the first failure, else of the first play that was not decided; `plays` has
    the outcome of each play in the order in which they were asked.
    """

    passed: int = 0
    failed: int = 0
    undecided: int = 0
    reason: str = ""
    plays: list[Outcome] = field(default_factory=list[Outcome])

    def add(self, outcome: Outcome, reason: str = "") -> None:
        """Count one play."""
        # A failure says what is wrong; why an earlier play could not be decided does not.
        first = self.failed == 0 if outcome is Outcome.FAIL else not self.reason
        if outcome not in (Outcome.PASS, Outcome.SKIPPED) and first:
            self.reason = one_line(reason, _REASON)
        self.passed += outcome is Outcome.PASS
        self.failed += outcome is Outcome.FAIL
        self.undecided += outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        self.plays.append(outcome)

    @property
    def decided(self) -> int:
        """How many plays passed or failed."""
        return self.passed + self.failed

    @property
    def state(self) -> State:
        """What all plays together say."""
        if self.failed:
            # Undecided plays beside failures take nothing from these.
            return "flaky" if self.passed else "fail"
        if self.undecided:
            return "undecided"
        return "pass" if self.passed else "skipped"


@dataclass(slots=True)
class CaseRecord:
    """All plays of one case: its checks by label, the ids of the plays, and sums of measures.

    `outcomes` has the worst gating outcome of each play.
    """

    checks: dict[str, CheckCounts] = field(default_factory=dict[str, CheckCounts])
    play_ids: list[str] = field(default_factory=list[str])
    plays: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(MEASURES, 0.0))
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    @property
    def state(self) -> State:
        """The state of the case: flaky unless its failing checks fail in every play."""
        states: set[State] = {counts.state for counts in self.checks.values()}
        if len(states) == 1:
            return states.pop()
        for state in _STATES:
            if state in states:
                return state
        return "skipped"

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over the plays."""
        return self.sums[measure] / max(1, self.plays)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain values only, which takes a third of the time."""
        checks = [
            (
                label,
                c.passed,
                c.failed,
                c.undecided,
                c.reason,
                [_OUTCOMES.index(p) for p in c.plays],
            )
            for label, c in self.checks.items()
        ]
        outcomes = [_OUTCOMES.index(outcome) for outcome in self.outcomes]
        return _unpickled, (checks, self.play_ids, self.plays, self.sums, outcomes)


_OUTCOMES = tuple(Outcome)


def _unpickled(
    checks: list[tuple[str, int, int, int, str, list[int]]],
    play_ids: list[str],
    plays: int,
    sums: dict[str, float],
    outcomes: list[int],
) -> CaseRecord:
    counts = {
        label: CheckCounts(passed, failed, undecided, reason, [_OUTCOMES[p] for p in of_plays])
        for label, passed, failed, undecided, reason, of_plays in checks
    }
    return CaseRecord(counts, play_ids, plays, sums, [_OUTCOMES[each] for each in outcomes])


@dataclass(slots=True)
class RunRecord:
    """A run, or the baseline that was made of one, as it is compared.

    `cases` are by the id of the case without its repeat, `several` the conditions over several
    conversations. `known_checks` are all labels of checks: a baseline lists only what did not pass.
    """

    name: str
    run_id: str
    seed: int
    cases: MutableMapping[str, CaseRecord] = field(default_factory=RecordTable[CaseRecord])
    several: dict[str, CheckCounts] = field(default_factory=dict[str, CheckCounts])
    known_checks: set[str] = field(default_factory=set[str])
    means: dict[str, float] = field(default_factory=dict[str, float])
    complete: bool = True
    lists_passes: bool = True

    def counts(self, case_id: str, check: str) -> CheckCounts | None:
        """Return what is known of a check of a case; `None` if it was not judged."""
        record = self.cases.get(case_id)
        return None if record is None else self.counts_in(record, check)

    def rename_cases(self, names: Iterable[tuple[str, str]]) -> None:
        """Give cases other ids: pairs of what they are called here and what they shall be."""
        for before, after in names:
            self.cases[after] = self.cases[before]
            del self.cases[before]

    def counts_in(self, record: CaseRecord, check: str) -> CheckCounts | None:
        """Return what is known of a check of a case that this run has."""
        counts = record.checks.get(check)
        # A baseline has one line for a case that passed: each check that it does not list passed in
        # all plays.
        if counts is None and not self.lists_passes and check in self.known_checks:
            return CheckCounts(passed=record.plays)
        return counts


def case_key(case: "Case | _StoredCase") -> str:
    """Return the id of a case without the number of its repeat."""
    return case.id if case.repeat == 1 else case.id.removesuffix(f".{case.repeat}")


class Judgement(Protocol):
    """What counts of a verdict; `Verdict` is one."""

    @property
    def oracle(self) -> str: ...
    @property
    def check(self) -> str: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def reason(self) -> str: ...
    @property
    def gating(self) -> bool: ...


def label_of(verdict: Judgement) -> str:
    """Return ``oracle/check``."""
    return f"{verdict.oracle}/{verdict.check}"


def gating_outcomes(verdicts: Iterable[Judgement]) -> dict[str, tuple[Outcome, str]]:
    """Return the worst outcome of each gating check of one play, with its reason."""
    outcomes: dict[str, tuple[Outcome, str]] = {}
    for verdict in verdicts:
        if not verdict.gating or verdict.outcome is Outcome.SKIPPED:
            continue
        label = label_of(verdict)
        worst = outcomes.get(label)
        if worst is None or _WORST.index(verdict.outcome) < _WORST.index(worst[0]):
            outcomes[label] = (verdict.outcome, verdict.reason)
    return outcomes


class _StoredVerdict(BaseModel, defer_build=True):
    oracle: str
    check: str
    outcome: Outcome
    reason: AppText = ""
    gating: bool = True


class _StoredCase(BaseModel, defer_build=True):
    id: str
    repeat: int = 1


class _StoredTurn(BaseModel, defer_build=True):
    """A turn is only counted."""


class _StoredTrace(BaseModel, defer_build=True):
    case: _StoredCase
    turns: tuple[_StoredTurn, ...] = ()
    duration_s: float = 0.0


class _StoredPlay(BaseModel, defer_build=True):
    """What counts of a line of the log: it is read five times as fast as a whole `CaseJudged`."""

    kind: Literal["case_judged"]
    trace: _StoredTrace
    verdicts: tuple[_StoredVerdict, ...] = ()
    spent: Spent | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a case: the gating outcomes by check, each with its reason, and its measures."""

    case: Case | _StoredCase
    outcomes: dict[str, tuple[Outcome, str]]
    measures: dict[str, float]

    @classmethod
    def of(cls, judged: CaseJudged | _StoredPlay) -> "Play":
        """Return what counts of a judged case."""
        trace, spent = judged.trace, judged.spent
        measures = {
            "seconds": trace.duration_s,
            "turns": len(trace.turns),
            "tokens": spent.tokens if spent else 0,
            "cost_usd": spent.cost_usd if spent else 0,
        }
        return cls(trace.case, gating_outcomes(judged.verdicts), measures)


def stored_plays(stored: StoredRun) -> Iterator[Play]:
    """Yield the plays of a stored run in the order in which they were asked.

    Raises StoredRunError if a line cannot be read.
    """
    cases = stored.cases
    with stored.log.open("rb") as file:
        for offset in cases.offsets():
            file.seek(offset)
            line = unseal(file.readline(), checked=False)[1]
            try:
                yield Play.of(_StoredPlay.model_validate_json(line))
            except ValidationError as err:
                what = err.errors()[0]["msg"]
                raise StoredRunError(f"{stored.log} is damaged at byte {offset}: {what}") from err


def add_play(cases: MutableMapping[str, CaseRecord], play: Play, *, is_first: bool = False) -> None:
    """Add one play to the record of its case, which need not be looked for if it is the first."""
    key = case_key(play.case)
    record = (None if is_first else cases.get(key)) or CaseRecord()
    record.plays += 1
    record.play_ids.append(play.case.id)
    for label, (outcome, reason) in play.outcomes.items():
        record.checks.setdefault(label, CheckCounts()).add(outcome, reason)
    of_play = {outcome for outcome, _ in play.outcomes.values()}
    record.outcomes.append(next((each for each in _WORST if each in of_play), Outcome.SKIPPED))
    for measure, value in play.measures.items():
        record.sums[measure] += value
    # A case that is new is not looked for among the thousands that were moved to the disk.
    if is_first and isinstance(cases, RecordTable):
        cases.add(key, record)
    else:
        cases[key] = record


def read_record(stored: StoredRun) -> RunRecord:
    """Return what a stored run is compared by. Texts of conversations are not kept."""
    manifest = stored.manifest
    record = RunRecord(manifest.name, manifest.id, manifest.seed)
    plays, totals = 0, dict.fromkeys(MEASURES, 0.0)
    has_late_first = False  # a resumed run may have repeats of a case before its first play
    for play in stored_plays(stored):
        is_first = play.case.repeat == 1 and not has_late_first
        if play.case.repeat > 1 and case_key(play.case) not in record.cases:
            has_late_first = True
        add_play(record.cases, play, is_first=is_first)
        record.known_checks |= play.outcomes.keys()
        plays += 1
        for measure in MEASURES:
            totals[measure] += play.measures[measure]
    # A condition over pairs has verdicts for those that hold and those that do not: one that
    # does not makes the condition fail, and that is no flakiness.
    for label, (outcome, reason) in gating_outcomes(stored.concluded).items():
        record.several.setdefault(label, CheckCounts()).add(outcome, reason)
    record.known_checks |= record.several.keys()
    record.means = {measure: total / max(1, plays) for measure, total in totals.items()}
    record.complete = stored.summary is not None and stored.summary.stopped.value == "complete"
    return record
