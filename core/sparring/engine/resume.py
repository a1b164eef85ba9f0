"""Restores an interrupted run: everything that was judged is kept, and nothing else."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import JsonValue

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.batches import Batching, StrategyStates, read_again
from sparring.engine.budget import Spending, Tally
from sparring.engine.loop import ResumeState, tell
from sparring.errors import ConfigurationError
from sparring.interfaces.abilities import learning
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.events import CaseJudged
from sparring.model.run import Run
from sparring.model.talk import IncidentKind
from sparring.model.verdict import Outcome, Owner
from sparring.store import StoredRun

_MAY_CHANGE = (
    *("budget", "confirm", "concurrency", "reporters", "runs", "description", "hooks", "gate"),
    "part_timeout",
    "execution",
)

_MODELS_MAY_CHANGE = (
    *("cache", "prices", "concurrency", "timeout", "deadline", "attempts", "repairs"),
)


def resume_run(
    stored: StoredRun,
    strategy: SearchStrategy[Any],
    tally: Tally,
    spending: Spending,
    again: Collection[str] = (),
    batching: Batching | None = None,
) -> ResumeState:
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
        spending.count_fallbacks(judged.trace)
        spending.expected.add(judged.spent)
    _resume_spending(stored, spending)
    judged_ids = frozenset(stored.cases) - frozenset(again)
    kept = ResumeState(asked=judged_ids)
    last = None
    states: StrategyStates = drivers.load_value(SERVICES, "states")()
    for asked, told in stored.asked_batches():
        kept.pending += [case for case in asked.cases if case.id not in judged_ids]
        last = (asked, told)
        states.read(asked)
        if batching is not None:
            batching.resume(asked)
    if last is None:
        return kept
    asked, told = last
    strategy.restore(states.state)
    for proposal, _ in stored.asked_batches():
        read_again(strategy, proposal)
    if learning(strategy) == "per-batch":
        kept.batch = list(asked.cases)
        judged_cases = (case.id for case in asked.cases if case.id in judged_ids)
        for case_id in judged_cases:
            judged = stored.case(case_id)
            kept.told[case_id] = (judged.trace, judged.verdicts)
    elif learning(strategy) == "per-case":
        for case_id in told:
            judged = stored.case(case_id)
            tell(strategy, judged.trace, judged.verdicts)
    return kept


def to_retry(stored: StoredRun, strategy: SearchStrategy[Any]) -> tuple[str, ...]:
    """The judged cases that the environment or a model broke, in the order asked.

    Raises ConfigurationError for a strategy that learns: it has heard of them already.
    """
    case_ids = tuple(judged.trace.case.id for judged in stored.judged() if is_retried(judged))
    if case_ids and learning(strategy) != "never":
        raise ConfigurationError(
            f"{len(case_ids)} of the cases of {stored.manifest.id} ended in errors of the "
            "environment or of a model, but its strategy has learnt from them; start a new run"
        )
    return case_ids


def is_environment_error(judged: CaseJudged) -> bool:
    """Whether a case says nothing of the app because the environment failed."""
    return any(
        verdict.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        and verdict.owner is Owner.ENVIRONMENT
        for verdict in judged.verdicts
    )


def is_retried(judged: CaseJudged) -> bool:
    """Whether ``--retry-errors`` plays a case again.

    The environment failed, or an answer of a model stayed unusable, whoever answered in its place.
    """
    kinds = {incident.kind for incident in judged.trace.incidents}
    unusable = kinds & {IncidentKind.MODEL_ERROR, IncidentKind.NO_ANSWER}
    return bool(judged.trace.fallbacks or unusable) or is_environment_error(judged)


def _resume_spending(stored: StoredRun, spending: Spending) -> None:
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
    spending.resume(seconds)


def _list_compared_settings(suite: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What of a suite shapes its cases and verdicts: the models without how they are paid for."""
    compared = {key: value for key, value in suite.items() if key not in _MAY_CHANGE}
    llm = compared.get("llm")
    if isinstance(llm, dict):
        compared["llm"] = {
            key: value for key, value in llm.items() if key not in _MODELS_MAY_CHANGE
        }
    return compared


def require_same(before: Run, after: Run) -> None:
    """Refuse to resume with another suite or other inputs; raises ConfigurationError."""
    suites = _list_compared_settings(before.suite), _list_compared_settings(after.suite)
    for kind, (old, new) in (("the suite's ", suites), ("", (before.inputs, after.inputs))):
        changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        if changed:
            raise ConfigurationError(
                f"{kind}{', '.join(changed)} changed since the run {before.id} began; "
                "start a new run, or judge the old one again with 'sparring check'"
            )
    if before.shard != after.shard:
        raise ConfigurationError(f"the run {before.id} is the shard {before.shard or '1/1'}")
    if before.seed != after.seed:
        raise ConfigurationError(f"the run {before.id} has the seed {before.seed}")
