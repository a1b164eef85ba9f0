"""What of an interrupted run is kept: everything that was judged, and nothing else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.engine.budget import Spending
from sparring.engine.screening import Screening
from sparring.engine.tally import Tally
from sparring.errors import ConfigurationError
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring.model.run import Run
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StateReader, StoredRun

_MAY_CHANGE = (
    *("budget", "confirm", "concurrency", "reporters", "runs", "description", "hooks", "gate"),
    "part_timeout",
)

_MODELS_MAY_CHANGE = ("cache", "prices", "concurrency", "timeout", "deadline", "attempts")


@dataclass(slots=True)
class Kept:
    """Where an interrupted run goes on: the cases still to play, the batch still to tell.

    `asked` are the ids of the cases that were judged already.
    """

    asked: frozenset[str] = frozenset()
    pending: list[Case] = field(default_factory=list[Case])
    batch: list[Case] = field(default_factory=list[Case])
    told: dict[str, tuple[Trace, tuple[Verdict, ...]]] = field(
        default_factory=dict[str, tuple[Trace, tuple[Verdict, ...]]]
    )


def take_up(
    stored: StoredRun,
    strategy: SearchStrategy[Any],
    tally: Tally,
    spending: Spending,
    again: Collection[str] = (),
    screening: Screening | None = None,
) -> Kept:
    """Bring a started strategy, the sums and the spending to where the log ends.

    A strategy's state is stored with each proposal; what was judged after the last one is told
    again in the order in which it happened. The cases of `again` count as not judged.
    """
    for judged in stored.judged():
        if judged.trace.case.id in again:
            continue
        outcome = tally.add_case(judged.verdicts)
        spending.cases += 1
        spending.started += 1
        spending.turns += len(judged.trace.turns)
        spending.failures += outcome is Outcome.FAIL
    _take_up_spending(stored, spending)
    judged_ids = frozenset(stored.case_ids) - frozenset(again)
    kept = Kept(asked=judged_ids)
    last, states = None, StateReader()
    for asked, told in stored.asked_batches():
        kept.pending += [case for case in asked.cases if case.id not in judged_ids]
        last = (asked, told)
        states.read(asked)
        if screening is not None:
            screening.take_up(asked)
    if last is None:
        return kept
    asked, told = last
    strategy.restore(states.state)
    _read_again(stored, strategy)
    if strategy.learning() == "per-batch":
        kept.batch = list(asked.cases)
        done = (case.id for case in asked.cases if case.id in judged_ids)
        for case_id in done:
            judged = stored.case(case_id)
            kept.told[case_id] = (judged.trace, judged.verdicts)
    elif strategy.learning() == "per-case":
        for case_id in told:
            judged = stored.case(case_id)
            strategy.played(judged.trace)
            strategy.tell(judged.trace.case, judged.verdicts)
    return kept


def _read_again(stored: StoredRun, strategy: SearchStrategy[Any]) -> None:
    """Let a strategy hear again what the cases say."""
    for asked, _ in stored.asked_batches():
        for case in asked.cases:
            if case.id in asked.texts:
                strategy.read(case, asked.texts[case.id])


def to_retry(stored: StoredRun, strategy: SearchStrategy[Any]) -> tuple[str, ...]:
    """The judged cases with an error that the environment owns, in the order asked.

    Raises ConfigurationError for a strategy that learns: it has heard of them already.
    """
    found = tuple(judged.trace.case.id for judged in stored.judged() if spoilt(judged))
    if found and strategy.learning() != "never":
        raise ConfigurationError(
            f"{len(found)} of the cases of {stored.manifest.id} ended in errors of the "
            "environment, but its strategy has learnt from them; start a new run"
        )
    return found


def spoilt(judged: CaseJudged) -> bool:
    """Whether a case says nothing of the app because the environment failed."""
    return any(
        verdict.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        and verdict.owner is Owner.ENVIRONMENT
        for verdict in judged.verdicts
    )


def _take_up_spending(stored: StoredRun, spending: Spending) -> None:
    began = None
    seconds = 0.0
    for at, kind, call in stored.clock():
        if kind == "run_started":
            began = at
        elif began is not None:
            seconds += (at - began).total_seconds()
            began = at
        if call is not None:
            spending.model_called(call)
    spending.by_case.clear()
    spending.take_up(seconds)


def _compared(suite: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What of a suite shapes its cases and verdicts: the models without how they are paid for."""
    found = {key: value for key, value in suite.items() if key not in _MAY_CHANGE}
    llm = found.get("llm")
    if isinstance(llm, dict):
        found["llm"] = {key: value for key, value in llm.items() if key not in _MODELS_MAY_CHANGE}
    return found


def require_same(before: Run, after: Run) -> None:
    """Refuse to go on with another suite or other inputs; raises ConfigurationError."""
    old, new = _compared(before.suite), _compared(after.suite)
    changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    if changed:
        raise ConfigurationError(
            f"the suite's {', '.join(changed)} changed since the run {before.id} began; "
            "start a new run, or judge the old one again with 'sparring check'"
        )
    files = {*before.inputs, *after.inputs}
    changed = sorted(name for name in files if before.inputs.get(name) != after.inputs.get(name))
    if changed:
        raise ConfigurationError(
            f"{', '.join(changed)} changed since the run {before.id} began; "
            "start a new run, or judge the old one again with 'sparring check'"
        )
    if before.seed != after.seed:
        raise ConfigurationError(f"the run {before.id} has the seed {before.seed}")
