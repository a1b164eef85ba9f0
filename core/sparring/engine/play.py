"""Plays one case of a run: opens the session, lets the player act, and closes whatever happens."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, cast

from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.errors import (
    AnswerInvalid,
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    BudgetSpent,
    ConfigurationError,
    EnvironmentFailure,
    MachineBusy,
    ModelError,
    PartError,
    SparringError,
    is_storage_failure,
)
from sparring.format_error import describe_error, error_text
from sparring.interfaces.abilities import RepeatsConversations
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.llm.ledger import NOTE_FALLBACK
from sparring.model.case import Case
from sparring.model.events import TurnTaken
from sparring.model.talk import (
    Act,
    AppFacts,
    Ended,
    Incident,
    IncidentKind,
    ModelFallback,
    Observation,
    Trace,
    Turn,
)
from sparring.model.verdict import Owner
from sparring.suite.building import Parts, SuiteContext
from sparring.suite.containment import is_requested, may_pass, part_error, part_name
from sparring.suite.reading import LoadedSuite
from sparring.time_limits import (
    Blocked,
    BlockingLimit,
    LagMeter,
    explains,
    guarded,
    limited,
    limited_steps,
    timed_out,
)

_LEAVING_S = 60.0
"""Seconds that a connector may take to close a session."""

_FACTS_S = 30.0
"""Seconds in which a connector must tell what it knows of the app, from memory."""

OnTurn = Callable[[Case, int, Turn], None]
"""Told of each turn as it is over."""


@dataclass(slots=True)
class RunWork:
    """One session of a run: a suite, its parts as this process built them, and its bus.

    Language models are asked through `context`, which holds them to the run's budget. There is a
    `bus` as soon as the run is stored, before anything is played.
    """

    loaded: LoadedSuite
    parts: Parts
    context: SuiteContext
    spending: Spending
    lag: LagMeter
    bus: EventBus = field(init=False)

    def record_turn(self, case: Case, index: int, turn: Turn, at: datetime | None = None) -> None:
        """Count and log a turn that is over; `at` is when, if that was not now."""
        self.spending.turns += 1
        self.bus.emit(TurnTaken(at=at or now(), case_id=case.id, index=index, turn=turn))


KINDS: dict[type[AppError], tuple[IncidentKind, Owner]] = {
    AppCrash: (IncidentKind.CRASH, Owner.APP),
    AppTimeout: (IncidentKind.TIMEOUT, Owner.APP),
    AppProtocolError: (IncidentKind.PROTOCOL, Owner.APP),
    AppUnreachable: (IncidentKind.UNREACHABLE, Owner.ENVIRONMENT),
}


def incident_of(err: SparringError, turn: int | None) -> Incident:
    """Return the incident that a failure during play is recorded as, with its owner.

    `turn` is the 0-based turn where it happened. Only an `AppError` other than `AppUnreachable`
    is the app's. A model that gives no usable answer is the simulated user's failure, a model
    service that gives none at all the environment's; wrong input is the test's, and everything
    else the tool's.
    """
    kind, owner = _kind_and_owner(err)
    return Incident(kind=kind, message=error_text(err), owner=owner, turn=turn)


def _kind_and_owner(err: SparringError) -> tuple[IncidentKind, Owner]:
    match err:
        case AppError():
            kinds = (pair for kind, pair in KINDS.items() if isinstance(err, kind))
            return next(kinds, (IncidentKind.CRASH, Owner.APP))
        case AnswerInvalid():
            kind = IncidentKind.NO_ANSWER if err.undecided else IncidentKind.MODEL_ERROR
            return kind, Owner.SIMULATED_USER
        case ModelError():
            return IncidentKind.MODEL_ERROR, Owner.ENVIRONMENT
        case MachineBusy():
            return IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT
        case EnvironmentFailure():
            return IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT
        case PartError() if is_storage_failure(err):
            return IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT
        case PartError(group="connector"):
            return IncidentKind.CONNECTOR_ERROR, Owner.TOOL
        case CaseTimeout():
            return IncidentKind.CASE_TIMEOUT, Owner.TEST
        case ConfigurationError():
            return IncidentKind.PLAYER_ERROR, Owner.TEST
        case _:
            return IncidentKind.PLAYER_ERROR, Owner.TOOL


@dataclass(slots=True)
class RecordingSession(AppSession):
    """Measures and records every turn of the session inside, also the failing ones.

    Whatever the connector raises that is no SparringError becomes a PartError, and a time-out
    while the machine gave no processor time a MachineBusy.
    """

    inner: AppSession
    case: Case
    turns: list[Turn]
    clock: float
    on_turn: OnTurn
    connector: AppConnector[Any]
    lag: LagMeter | None = None
    #: Whether a call of the connector is under way.
    sending: bool = False
    #: Set when the connector had not returned when the case was ended.
    unanswered: bool = False
    #: Set when the case has ended: what a part that was left behind still does is not recorded.
    over: bool = False
    #: The conversation that is repeated, if one is: its times count, so that whoever waits by the
    #: times of turns waits as often as then.
    recorded: Trace | None = None

    def facts(self) -> AppFacts | None:
        """See `AppSession.facts`."""
        return self.inner.facts()

    def upcoming(self) -> tuple[Act, ...] | None:
        """See `AppSession.upcoming`."""
        return self.inner.upcoming()

    async def send(self, act: Act) -> Observation:
        """See `AppSession.send`."""
        began = monotonic()
        starved = self.lag.starved_s() if self.lag else 0.0
        turn = Turn(act=act, started_s=began - self.clock)
        self.sending = True
        try:
            answer = cast("object", await self.inner.send(act))
            if not isinstance(answer, Observation):
                wrong = f"returned {type(answer).__name__}, not an Observation"
                raise PartError(*part_name(self.connector), "send", wrong)
            turn = turn.model_copy(update={"observation": answer})
        except AppTimeout as err:
            if self.lag is None:
                raise
            raise timed_out(err, monotonic() - began, self.lag.starved_s() - starved) from err
        except Blocked:
            self.unanswered = True
            raise
        except BaseException as err:
            self.unanswered = isinstance(err, asyncio.CancelledError | GeneratorExit)
            if may_pass(err):
                raise
            raise part_error(self.connector, "send", err) from err
        else:
            return answer
        finally:
            self.sending = False
            elapsed_s = monotonic() - began
            # Connecting, or waiting before it asks again, is the connector's time, not the app's.
            measured_s = self.inner.latency_s
            took = {"latency_s": elapsed_s if measured_s is None else min(measured_s, elapsed_s)}
            if self.lag is not None and (waited := self.lag.starved_s() - starved) > 0:
                took["starved_s"] = min(waited, took["latency_s"])
            turn = self._at_its_time(turn.model_copy(update=took))
            if not self.over:
                self.turns.append(turn)
                self.on_turn(self.case, len(self.turns) - 1, turn)

    def _at_its_time(self, turn: Turn) -> Turn:
        """The turn with the times of the recorded one that it repeats, if it does."""
        turns = self.recorded.turns if self.recorded is not None else ()
        then = turns[len(self.turns)] if len(self.turns) < len(turns) else turn
        if then.act != turn.act:
            return turn
        times = ("started_s", "latency_s", "starved_s")
        return turn.model_copy(update={name: getattr(then, name) for name in times})


async def play(
    player: Player[Any],
    connector: AppConnector[Any],
    case: Case,
    *,
    timeout_s: float,
    on_turn: OnTurn,
    problem: Callable[[str], None],
    lag: LagMeter | None = None,
) -> Trace:
    """Play a case and return its trace, whatever the app, the connector or the player do.

    The case is played in a task of its own, so that nothing of it outlasts `timeout_s` seconds by
    much or ends the run. Only cancellation of the caller passes, and BudgetSpent. `problem` is
    called with errors in closing, which harm nothing. `lag` measures for how long the machine gave
    no processor time. If the connector repeats a recorded conversation, its times count.
    """
    attempt = _Attempt(player, connector, case, on_turn, problem, lag)
    NOTE_FALLBACK.set(attempt.note_fallback)
    name = f"the case {case.id}"
    ended = await guarded(limited_steps(attempt.played(), timeout_s, name), timeout_s, name)
    attempt.end()
    if isinstance(ended.error, BudgetSpent):
        raise ended.error
    trace = attempt.trace
    if trace is not None:
        if ended.error is not None or ended.expired:  # only the closing of the session failed
            problem(f"closing the session of {case.id}: {attempt.closing_error(ended.error)}")
    elif isinstance(ended.error, BlockingLimit):
        trace = attempt.broken_off(attempt.blocked(ended.error))
    elif ended.expired:
        trace = attempt.broken_off(attempt.overtime(timeout_s))
    else:
        trace = attempt.broken_off(attempt.failure(ended.error))
    trace = attempt.with_facts(trace)
    if attempt.fallbacks:
        trace = trace.model_copy(update={"fallbacks": tuple(attempt.fallbacks)})
    return _with_duration_of(attempt.recorded, trace) if attempt.recorded else trace


class _Attempt:
    """One case while it is played: its session, its turns, what is known if it breaks off."""

    def __init__(
        self,
        player: Player[Any],
        connector: AppConnector[Any],
        case: Case,
        on_turn: OnTurn,
        problem: Callable[[str], None],
        lag: LagMeter | None,
    ) -> None:
        self.player = player
        self.connector = connector
        self.case = case
        self.on_turn = on_turn
        self.problem = problem
        self.lag = lag
        self.recorded: Trace | None = None
        self.session: AppSession | None = None
        self.recording: RecordingSession | None = None
        self.over = False
        self.trace: Trace | None = None
        self.doing: tuple[str, object] = "recorded", connector
        self.task = PlayTask(case, AppSession(), [], datetime.now(UTC))
        self.starved_s = lag.starved_s() if lag else 0.0
        self.fallbacks: list[ModelFallback] = []

    @property
    def _turns(self) -> list[Turn]:
        return cast("list[Turn]", self.task.turns)

    def note_fallback(self, fallback: ModelFallback) -> None:
        """Keep that another agent answered for a model, with the turn that comes next."""
        self.fallbacks.append(fallback.model_copy(update={"turn": len(self._turns)}))

    def end(self) -> None:
        """Take no more notice of what parts that did not end are doing."""
        self.over = True
        if self.recording is not None:
            self.recording.over = True

    async def played(self) -> Trace:
        """Open a session, let the player act in it, close it whatever happens."""
        if isinstance(self.connector, RepeatsConversations):
            self.recorded = self.connector.recorded(self.case)
        if self.recorded is not None:
            self.task = replace(self.task, started=self.recorded.started)
        manager = self.connector.open(self.case)
        self.doing = "open", self.connector
        inner = await self._contain_session(manager.__aenter__(), "open")
        if not callable(getattr(cast("object", inner), "send", None)):
            group, name = part_name(self.connector)
            raise PartError(group, name, "open", f"gave {type(inner).__name__}, not an AppSession")
        self.session = inner
        session = self.recording = RecordingSession(
            inner, self.case, self._turns, self.task.clock, self.on_turn, self.connector, self.lag
        )
        session.recorded = self.recorded
        failure: BaseException | None = None
        self.doing = "act", self.player
        try:
            self.trace = await self._act(session)
            return self.trace
        except BaseException as err:
            failure = err
            raise
        finally:
            await self._close(manager, failure)

    async def _act(self, session: AppSession) -> Trace:
        try:
            trace = cast("object", await self.player.act(replace(self.task, session=session)))
        except (Blocked, asyncio.CancelledError):
            raise
        except BaseException as err:
            if may_pass(err):
                raise
            raise part_error(self.player, "act", err) from err
        group, name = part_name(self.player)
        if not isinstance(trace, Trace):
            raise PartError(group, name, "act", f"returned {type(trace).__name__}, not a Trace")
        if trace.case != self.case:
            raise PartError(group, name, "act", f"returned the trace of {trace.case.id!r}")
        return trace

    async def _contain_session(self, entering: Awaitable[AppSession], call: str) -> AppSession:
        try:
            return await entering
        except Blocked:
            raise
        except BaseException as err:
            if may_pass(err):
                raise
            raise part_error(self.connector, call, err) from err

    async def _close(self, manager: Any, failure: BaseException | None) -> None:
        """Leave the connector's context; only an app's error that explains a failure passes."""
        trace = failure.__traceback__ if failure is not None else None
        if failure is None:
            self.doing = "closing the session", self.connector
        try:
            async with asyncio.timeout(_LEAVING_S):
                await manager.__aexit__(type(failure) if failure else None, failure, trace)
        except BaseException as err:
            if err is failure or (isinstance(err, asyncio.CancelledError) and is_requested()):
                return
            if failure is not None and isinstance(err, SparringError):
                raise
            if self.over:
                return
            # The conversation is over and stays good.
            self.problem(f"closing the session of {self.case.id}: {describe_error(err)}")

    def overtime(self, timeout_s: float) -> SparringError:
        """Why a case was not over in time, and whose matter that is."""
        starved = self.lag.starved_s() - self.starved_s if self.lag else 0.0
        group, name, call = self._describe_pending_call()
        late = f"the case was not over after {timeout_s:g} seconds (case_timeout)"
        message = f"{late}, in {call} of the {group} {name!r}"
        if explains(starved, timeout_s):
            return MachineBusy(f"{message}; Sparring had no processor time for {starved:.1f} s")
        return CaseTimeout(message)

    def _describe_pending_call(self) -> tuple[str, str, str]:
        """The part (kind and name) and the call that had not returned when the case was ended."""
        call, part = self.doing
        recording = self.recording
        if recording is not None and (recording.sending or recording.unanswered):
            call, part = "send", self.connector
        return *part_name(part), call

    def blocked(self, err: BlockingLimit) -> SparringError:
        """Which part did not let anything else go on: the one whose call was interrupted."""
        group, name, call = self._describe_pending_call()
        return PartError(group, name, call, error_text(err))

    def failure(self, err: BaseException | None) -> SparringError:
        """What ended the case, as one of Sparring's own errors."""
        if isinstance(err, SparringError):
            return err
        group, name, call = self._describe_pending_call()
        if isinstance(err, asyncio.CancelledError):
            return PartError(group, name, call, "cancelled the task that the case was played in")
        return PartError(group, name, call, "nothing" if err is None else describe_error(err))

    @staticmethod
    def closing_error(err: BaseException | None) -> str:
        """What went wrong after the conversation was over, in words."""
        return "it did not end in time" if err is None else describe_error(err)

    def broken_off(self, err: SparringError) -> Trace:
        """The trace of the turns until a failure, with the failure as its incident."""
        turn = len(self._turns) - 1 if self._turns else None
        incident = incident_of(err, turn)
        return self.task.trace(Ended.INCIDENT, incidents=[incident], meta=self._meta())

    def _meta(self) -> dict[str, Any]:
        try:
            return self.player.meta(self.case)
        except BaseException:  # noqa: BLE001 - the player already failed; its incident says how
            return {}

    def with_facts(self, trace: Trace) -> Trace:
        """The trace with what the connector knows of the app now that its session is closed."""
        own = getattr(type(self.session), "facts", None)
        if self.session is None or own is AppSession.facts:
            return trace  # most connectors know nothing of their app
        try:
            with limited(_FACTS_S, "facts"):
                facts = cast("object", self.session.facts())
        except BaseException as err:  # noqa: BLE001 - the conversation is over and stays good
            self.problem(f"facts of the app in {trace.case.id}: {describe_error(err)}")
            return trace
        return trace.model_copy(update={"app": facts}) if isinstance(facts, AppFacts) else trace


class CaseTimeout(SparringError):
    """A case was not over in time, and no single answer of the app was overdue."""


def _with_duration_of(recorded: Trace, trace: Trace) -> Trace:
    """A repeated conversation with the duration of the first one, if it went the same way."""
    if [turn.act for turn in trace.turns] != [turn.act for turn in recorded.turns]:
        return trace
    return trace.model_copy(update={"duration_s": recorded.duration_s})
