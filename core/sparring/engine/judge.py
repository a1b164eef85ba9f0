"""Asks the oracles for verdicts on traces, within limits of time and size."""

import asyncio
import weakref
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from sparring import time_limits
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.errors import AnswerInvalid, BudgetSpent, EnvironmentFailure, ModelError, PartError
from sparring.format_error import describe_error, error_text
from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Incident, IncidentKind, Trace, cutting_incident, first_breaking
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredTraces
from sparring.suite.building import Judge
from sparring.time_limits import BlockingLimit, Ended, LagMeter, explains, limited

_THOUSAND = 1000


async def judge_trace(
    judges: Sequence[Judge],
    trace: Trace,
    timeout_s: float,
    *,
    soft_limit_s: float | None = None,
    lag: LagMeter | None = None,
) -> list[Verdict]:
    """Return the verdicts of all oracles on a trace, in the order of the suite.

    An oracle that raises, returns what is no verdict, or takes longer than `timeout_s` seconds
    gives an error that the app does not own. If one blocks everything else for more than
    `soft_limit_s` seconds (else `SOFT_LIMIT_S`; 0 means at once), another process
    judges by it from then on, which is killed if it does not return. `lag` measures for how long
    the machine gave no processor time.

    A case that could not be played to its end never looks like a pass, and the app is not blamed
    for what is missing in it. Raises BudgetSpent.
    """
    calls = [
        OracleCall(
            judge=judge,
            ask=partial(judge.oracle.judge, trace),
            subject=trace,
            case_ids=(trace.case.id,),
            most=MOST_OF_A_CASE,
            timeout_s=timeout_s,
            soft_limit_s=SOFT_LIMIT_S if soft_limit_s is None else soft_limit_s,
            lag=lag,
            about=(trace.case.id,),
        )
        for judge in judges
    ]
    if len(calls) == 1:
        answers = [await calls[0].answer()]
    else:
        async with asyncio.TaskGroup() as group:  # unlike gather, it waits for what it cancels
            tasks = [group.create_task(call.answer()) for call in calls]
        answers = [task.result() for task in tasks]
    incident = cutting_incident(trace)
    cut_off = {} if incident is None else {trace.case.id: incident}
    verdicts: list[Verdict] = []
    for judge, answer in zip(judges, answers, strict=True):
        if isinstance(answer, BudgetSpent):  # raised now that no other oracle is at work any more
            raise answer
        verdicts += [_label_verdict(judge, verdict, cut_off) for verdict in answer]
    return [*verdicts, *not_played(trace, verdicts)]


async def conclude(
    judges: Sequence[Judge],
    traces: Iterable[Trace],
    timeout_s: float,
    *,
    soft_limit_s: float | None = None,
    lag: LagMeter | None = None,
) -> list[Verdict]:
    """Return the verdicts over several or all conversations, in the order of the suite.

    The arguments are as for `judge_trace`; of a stored run, both times are granted once for each
    thousand conversations that is begun. Raises BudgetSpent.
    """
    run = traces.run if isinstance(traces, StoredTraces) else None
    times = 1 if run is None else max(1, ceil(len(run.cases) / _THOUSAND))
    soft_limit_s = SOFT_LIMIT_S if soft_limit_s is None else soft_limit_s
    verdicts: list[Verdict] = []
    for judge in judges:
        if not concludes(judge.oracle):
            continue
        call = OracleCall(
            judge=judge,
            ask=partial(judge.oracle.conclude, traces),
            subject=None if run is None else run.folder,
            case_ids=None if run is None else run.cases,
            most=MOST_OF_ALL,
            timeout_s=timeout_s * times,
            soft_limit_s=soft_limit_s * times,
            lag=lag,
        )
        answer = await call.answer()
        if isinstance(answer, BudgetSpent):
            raise answer
        cut_off = _cut_off(traces, answer)
        verdicts += [_label_verdict(judge, verdict, cut_off) for verdict in answer]
    return verdicts


def concludes(oracle: Oracle[Any]) -> bool:
    """Return whether an oracle has conditions over several conversations at all."""
    plain: Any = Oracle
    return type(oracle).conclude is not plain.conclude


def _cut_off(traces: Iterable[Trace], verdicts: Iterable[Verdict]) -> dict[str, Incident]:
    """What cut off the conversations for which verdicts blame the app, by the id of the case."""
    blamed = {
        case_id
        for verdict in verdicts
        if verdict.outcome is Outcome.FAIL and verdict.owner is Owner.APP
        for case_id in verdict.case_ids
    }
    if not blamed:
        return {}
    if isinstance(traces, StoredTraces):
        shown = (traces.run.case(case_id).trace for case_id in blamed)
    else:
        shown = (trace for trace in traces if trace.case.id in blamed)
    incidents = ((trace.case.id, cutting_incident(trace)) for trace in shown)
    return {case_id: incident for case_id, incident in incidents if incident is not None}


def _label_verdict(judge: Judge, verdict: Verdict, cut_off: Mapping[str, Incident]) -> Verdict:
    """A verdict as the run counts it: by the oracle's label, gating, and whose matter it is."""
    gating = verdict.gating and judge.gating
    if verdict.oracle != judge.label or verdict.gating != gating:
        verdict = verdict.model_copy(update={"oracle": judge.label, "gating": gating})
    return hold_back_failure(verdict, cut_off, local=judge.oracle.local) if cut_off else verdict


# Conversations that an incident broke off: never a pass, and no blame for what is missing.

_UNDECIDED = frozenset({IncidentKind.UNRESOLVED, IncidentKind.MACHINE_BUSY, IncidentKind.NO_ANSWER})
"""After these nobody knows what the app would have done: inconclusive, and no error."""

_LONGEST = 200


def not_played(trace: Trace, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdict ``played`` for a case that was broken off and that nobody else counts.

    Otherwise a crash after the first words would pass if the rules do not apply to what is left
    of the conversation. Empty if a gating check failed or ended in an error already.
    """
    # A failure that does not gate leaves the exit code as it is, and the case green.
    outcomes = {verdict.outcome for verdict in verdicts if verdict.gating}
    if outcomes & {Outcome.FAIL, Outcome.ERROR}:
        return []
    incident = first_breaking(trace)
    if incident is None:
        return []
    undecided = incident.kind in _UNDECIDED
    outcome = Outcome.INCONCLUSIVE if undecided else Outcome.ERROR
    if outcome in outcomes:
        return []
    shown = () if incident.turn is None else (TurnRef(case_id=trace.case.id, turn=incident.turn),)
    return [
        Verdict(
            oracle="sparring",
            check="played",
            outcome=outcome,
            owner=incident.owner,
            case_ids=(trace.case.id,),
            reason=f"{incident.kind.value}: {incident.message}",
            turns=shown,
        )
    ]


def hold_back_failure(
    verdict: Verdict, cut_off: Mapping[str, Incident], *, local: bool = False
) -> Verdict:
    """Return the verdict, or an inconclusive one if it blames the app for a cut-off conversation.

    `cut_off` has the incidents that are not the app's doing, by the id of the case that they cut
    off. An oracle that is `local` sees all that is wrong in the turns that it names: its verdict
    stands if they all were over when the incident came.
    """
    if verdict.outcome is not Outcome.FAIL or verdict.owner is not Owner.APP:
        return verdict
    for case_id in verdict.case_ids:
        incident = cut_off.get(case_id)
        if incident is None or (local and _was_over(verdict, case_id, incident)):
            continue
        message = " ".join(incident.message.split())
        why = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 3]}..."
        reason = f"the conversation was cut off ({incident.kind.value}: {why}): {verdict.reason}"
        return verdict.model_copy(
            update={"outcome": Outcome.INCONCLUSIVE, "owner": incident.owner, "reason": reason}
        )
    return verdict


def _was_over(verdict: Verdict, case_id: str, incident: Incident) -> bool:
    """Whether the turns that a verdict names were complete before an incident."""
    turns = [shown.turn for shown in verdict.turns if shown.case_id == case_id]
    if not turns:
        return False
    # An incident of no turn came after all of them: values could not be read from the talk, say.
    return incident.turn is None or max(turns) < incident.turn


# What an oracle returned or raised: verdicts that are some, or an error with its owner.

MOST_OF_A_CASE = 10_000
"""Verdicts of one oracle on one conversation; a thousand rules have not made a tenth of that."""

MOST_OF_ALL = 100_000
"""Verdicts of one oracle over all conversations; ``rules`` lists 20 failures of each by default."""


_KINDS: dict[str, Any] = {
    "outcome": Outcome,
    "owner": Owner | None,
    "check": str,
    "reason": str,
    "case_ids": tuple,
    "details": dict,
}


class NotAJudgement(Exception):
    """What an oracle returned is no sequence of verdicts on what it was asked about.

    `verdicts` are those of them that can be used all the same.
    """

    def __init__(self, message: str, verdicts: Iterable[Verdict] = ()) -> None:
        super().__init__(message)
        self.verdicts = tuple(verdicts)


async def judgement(
    ask: Callable[[], Any], most: int, case_ids: Collection[str] | None
) -> list[Verdict]:
    """Ask an oracle and return its verdicts, of which there may be `most`.

    `case_ids` are the cases that they may be about; `None` if that is not known. Raises
    NotAJudgement, and whatever the oracle raises.
    """
    answer = ask()
    if not isinstance(answer, Awaitable):
        raise NotAJudgement(f"returned {_describe_type(answer)}, which cannot be awaited")
    returned: object = await cast("Awaitable[object]", answer)
    if not _is_sequence(returned):
        raise NotAJudgement(f"returned {_describe_type(returned)}, not a sequence of verdicts")
    verdicts: list[Verdict] = []
    rest = iter(cast("Iterable[object]", returned))
    for verdict in islice(rest, most):
        if problem := _problem(verdict, case_ids):
            raise NotAJudgement(problem, verdicts)
        verdicts.append(cast("Verdict", verdict))
    if len(verdicts) == most and next(rest, None) is not None:
        raise NotAJudgement(f"returned more than {most:,} verdicts", verdicts)
    return verdicts


def _is_sequence(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | dict)


def _problem(verdict: object, case_ids: Collection[str] | None) -> str:
    """Return what is wrong with a verdict; empty if nothing is.

    `model_construct` makes verdicts without any check, which then break whoever writes them.
    """
    if not isinstance(verdict, Verdict):
        return f"returned {_describe_type(verdict)} among its verdicts"
    if any(not isinstance(getattr(verdict, name, None), kind) for name, kind in _KINDS.items()):
        return "returned a verdict with values of wrong types"
    if case_ids is not None:
        strange = [case_id for case_id in verdict.case_ids if case_id not in case_ids]
        if strange:
            return f"returned a verdict on another case than it was asked about: {strange[0]!r}"
    return ""


def _describe_type(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def failure_of(err: BaseException) -> tuple[Owner, str]:
    """Return who has to act on what an oracle raised, and the reason in words.

    A model that gives no usable judgement is the judge's failure, a model service that gives none
    at all the environment's, and everything else the tool's: an oracle is part of it.
    """
    match err:
        case AnswerInvalid():
            return Owner.JUDGE, error_text(err)
        case ModelError() | EnvironmentFailure():
            return Owner.ENVIRONMENT, error_text(err)
        case PartError() | NotAJudgement():
            return Owner.TOOL, error_text(err)
        case BlockingLimit():
            return Owner.TOOL, error_text(err)
        case asyncio.CancelledError():
            return Owner.TOOL, "it was cancelled, although nobody asked for that"
        case _:
            return Owner.TOOL, describe_error(err)


# `sparring.time_limits.guarded` uses a task of its own, so that others come first even if the
# coroutine never waits. Most oracles never do. Run in the caller's task, a run of one case at a
# time knows a case's verdicts before it begins the next, and stops after the failure that was one
# too many.

T = TypeVar("T")


_refused: list[object] = []
"""Coroutines that could not be closed."""


class Driven(Generic[T]):
    """Awaited, it makes the steps of a coroutine and returns how that ended (`Ended`).

    No step between two awaits may block longer than `soft_limit_s` seconds (BlockingLimit), and
    after `timeout_s` seconds it is cancelled. If it goes on although it was cancelled, it is
    closed when the grace is over. Nothing that it raises passes, also not ``SystemExit`` or a
    ``CancelledError`` that it brought upon itself; only the cancellation of the caller does.
    """

    def __init__(
        self, work: Coroutine[Any, Any, T], what: str, *, timeout_s: float, soft_limit_s: float
    ) -> None:
        self._work = work
        self._what = what
        self._timeout_s = timeout_s
        self._soft_limit_s = soft_limit_s
        self._before = 0
        self._own_cancels = 0
        self._expired = False
        self._forced = False
        self._limit: asyncio.TimerHandle | None = None
        self._grace: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Ended[T]]:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("it needs a task to run in")
        self._before = task.cancelling()
        try:
            ended = yield from self._steps(task)
            if self._is_cancelled(task):
                raise asyncio.CancelledError  # the caller's, whatever the work made of it
            return ended
        finally:
            for timer in (self._limit, self._grace):
                if timer is not None:
                    timer.cancel()
            for _ in range(self._own_cancels):
                task.uncancel()

    def _is_cancelled(self, task: asyncio.Task[Any]) -> bool:
        """Whether somebody else asked for the task's cancellation (a time limit inside, too)."""
        return task.cancelling() > self._before + self._own_cancels

    def _steps(self, task: asyncio.Task[Any]) -> Generator[Any, Any, Ended[T]]:
        make_step: Any = self._work.send
        value: Any = None
        while True:
            cancels = task.cancelling()
            ended, awaited = self._step(make_step, value)
            if (more := task.cancelling() - cancels) > 0:  # by the work itself
                self._own_cancels += more
                if ended is not None:
                    yield from _absorb_cancellation()
            if ended is not None:
                return ended
            self._set_timers(task)
            try:
                value = yield awaited
                make_step = self._work.send
            except GeneratorExit:
                self._close()
                raise
            except BaseException as err:  # noqa: BLE001 - the coroutine's to handle
                value, make_step = err, self._work.throw
                if self._forced:
                    self._close()
                    return Ended(error=err, expired=self._expired)

    def _set_timers(self, task: asyncio.Task[Any]) -> None:
        """Set the time limit at the first await, and the grace if the work was cancelled."""
        loop = asyncio.get_running_loop()
        if self._limit is None:
            self._limit = loop.call_later(self._timeout_s, self._expire, task)
        if self._grace is None and (self._expired or self._is_cancelled(task)):
            self._grace = loop.call_later(time_limits.GRACE_S, self._force, task)

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._expired = True
        self._own_cancels += 1
        task.cancel()

    def _force(self, task: asyncio.Task[Any]) -> None:
        self._grace = None
        if self._expired or self._is_cancelled(task):  # and not a time limit inside that is over
            self._forced = True
            self._own_cancels += 1
            task.cancel()

    def _step(self, make_step: Any, value: Any) -> tuple[Ended[T] | None, Any]:
        """Make one step: how the coroutine ended, if it did, and what it awaits."""
        try:
            with limited(self._soft_limit_s, self._what):
                return None, make_step(value)
        except StopIteration as end:
            return Ended(value=end.value, expired=self._expired), None
        except BlockingLimit as err:
            self._close()
            return Ended(error=err, expired=self._expired), None
        except BaseException as err:  # noqa: BLE001 - see the class
            return Ended(error=err, expired=self._expired), None

    def _close(self) -> None:
        """End the coroutine where it waits; it may refuse that, too."""
        try:
            with limited(self._soft_limit_s, self._what):
                self._work.close()
        except BaseException:  # noqa: BLE001 - it is not asked for anything any more
            # Python closes it again when nobody refers to it, and without an event loop a coroutine
            # like ``while True: try: await ... except BaseException: pass`` would never wait.
            _refused.append(self._work)
            time_limits.left_behind.append(self._what)


def _absorb_cancellation() -> Generator[Any, Any, None]:
    """Take the cancellation that a task has asked of itself and would meet at its next await."""
    try:
        yield
    except asyncio.CancelledError:
        return


SOFT_LIMIT_S = 5.0
"""Seconds that an oracle may block everything else before another process judges by it.

A rule over one conversation takes milliseconds, and the first use of a language detector 2 s.
"""


class Isolation(Protocol):
    """Judges by one oracle in processes of its own; the service ``isolation`` makes it."""

    async def answer(
        self, call: "OracleCall", blocked: BlockingLimit | None
    ) -> list[Verdict] | BudgetSpent:
        """Return the verdicts; `blocked` is how the oracle blocked this process just now, if so."""
        ...


_isolations: dict[int, Isolation] = {}
"""What blocked, by the id of the oracle: an oracle need not have a hash."""


@dataclass(frozen=True, slots=True)
class OracleCall:
    """A question to the oracle of `judge`.

    `ask` asks it in this process, about `subject`: a conversation, or the folder of a stored run
    (`None` if no other process can read what is judged). `case_ids` are the cases that verdicts
    may be about (`None` if unknown), `about` those that an error is about, and `most` how many
    verdicts there may be. `timeout_s` limits the whole judgement, and `soft_limit_s` how long it
    may block everything else.
    """

    judge: Judge
    ask: Callable[[], Any]
    subject: Trace | Path | None
    case_ids: Collection[str] | None
    most: int
    timeout_s: float
    soft_limit_s: float
    lag: LagMeter | None = None
    about: tuple[str, ...] = ()

    async def answer(self) -> list[Verdict] | BudgetSpent:
        """Return the verdicts, among them an error if the oracle failed; nothing is raised."""
        starved_s = self.starved_s()
        isolation = _isolations.get(id(self.judge.oracle))
        blocked: BlockingLimit | None = None
        if isolation is None and self.soft_limit_s > 0:
            ended = await self.ask_here()
            if not isinstance(ended.error, BlockingLimit):
                return self.verdicts(ended, starved_s)
            blocked = ended.error
        return await (isolation or _isolate(self.judge)).answer(self, blocked)

    async def ask_here(self) -> Ended[list[Verdict]]:
        """Ask the oracle in this process."""
        what = f"oracle {self.judge.label!r}"
        asked = judgement(self.ask, self.most, self.case_ids)
        limit = min(self.soft_limit_s, self.timeout_s) or self.timeout_s
        return await Driven(asked, what, timeout_s=self.timeout_s, soft_limit_s=limit)

    def verdicts(
        self, ended: Ended[list[Verdict]], starved_s: float
    ) -> list[Verdict] | BudgetSpent:
        """What became of asking; `starved_s` was the reading of `starved_s()` before it."""
        if isinstance(ended.error, BudgetSpent):
            return ended.error
        if ended.expired:
            return [self.too_late(Owner.JUDGE, "", starved_s)]
        if ended.error is None:
            return ended.value or []
        owner, reason = failure_of(ended.error)
        usable = ended.error.verdicts if isinstance(ended.error, NotAJudgement) else ()
        return [*usable, self.error(owner, reason)]

    def starved_s(self) -> float:
        """For how many seconds the machine gave no processor time so far."""
        return self.lag.starved_s() if self.lag is not None else 0.0

    def too_late(self, owner: Owner, how: str, starved_s: float) -> Verdict:
        """The verdict if there was no judgement in time, which may be the machine's fault."""
        reason = f"no judgement within {self.timeout_s:g} seconds (judge_timeout){how}"
        starved_s = self.starved_s() - starved_s
        if not explains(starved_s, self.timeout_s):
            return self.error(owner, reason)
        reason += f"; the machine gave no processor time for {starved_s:.1f} s"
        return self.error(Owner.ENVIRONMENT, reason, Outcome.INCONCLUSIVE)

    def error(self, owner: Owner, reason: str, outcome: Outcome = Outcome.ERROR) -> Verdict:
        """The verdict of a judgement that failed."""
        label = self.judge.label
        named = reason if owner in _SERVICES or repr(label) in reason else f"{label!r}: {reason}"
        return Verdict(
            oracle=label,
            check="judge",
            outcome=outcome,
            owner=owner,
            case_ids=self.about,
            reason=named,
            gating=self.judge.gating,
        )


_SERVICES = (Owner.JUDGE, Owner.ENVIRONMENT)
"""Owners of errors that say themselves which service or model failed."""


def _isolate(judge: Judge) -> Isolation:
    """Have a judge's oracle judge in processes of its own from now on."""
    key = id(judge.oracle)
    isolation = _isolations.get(key)
    if isolation is None:  # another conversation may have come first
        isolate: Callable[[Judge], Isolation] = drivers.load_value(SERVICES, "isolation")
        isolation = _isolations[key] = isolate(judge)
        weakref.finalize(judge.oracle, _isolations.pop, key, None)
    return isolation
