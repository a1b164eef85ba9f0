"""The one road of events: secrets out, into the log, to every listener and reporter."""

from datetime import UTC, datetime
from typing import Any

from pydantic_core import PydanticSerializationError

from sparring.discovery.hooks import Listeners
from sparring.discovery.hookspecs import hookimpl
from sparring.engine.blocking import Blocked, BlockingLimit
from sparring.interfaces.reporter import Reporter
from sparring.model.base import storable
from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    Event,
    FaultConfirmed,
    ModelCalled,
    ProblemNoted,
    RunConcluded,
    RunFinished,
    RunStarted,
    TurnTaken,
)
from sparring.model.talk import Trace
from sparring.store import RunLog
from sparring.suite.environment import Redactor

_HOOKS = {
    "run_started": "sparring_run_started",
    "cases_asked": "sparring_cases_asked",
    "case_started": "sparring_case_started",
    "turn_taken": "sparring_turn_taken",
    "model_called": "sparring_model_called",
    "case_judged": "sparring_verdict_reached",
    "run_concluded": "sparring_run_concluded",
    "fault_confirmed": "sparring_fault_confirmed",
    "problem_noted": "sparring_problem_noted",
    "run_finished": "sparring_run_finished",
}


_MOST_FAILURES = 20
"""Events that a reporter may fail at before it is not called any more."""


def now() -> datetime:
    """The time that events carry."""
    return datetime.now(UTC)


class EventBus:
    """Writes every event to the log and tells everybody.

    What a listener does wrong becomes a `ProblemNoted`, once per event; a log that cannot be
    written raises OSError, which ends the run.
    """

    def __init__(
        self, listeners: Listeners, *, log: RunLog | None = None, redactor: Redactor | None = None
    ) -> None:
        self._listeners = listeners
        self._log = log
        self._redactor = redactor or Redactor()
        self.problems: list[str] = []
        self._reporters: list[ReporterListener] = []
        self._take_problems()

    def add_reporter(self, name: str, reporter: Reporter[Any]) -> None:
        """Send every event to a reporter from here on."""
        listener = ReporterListener(reporter, name)
        self._reporters.append(listener)
        self._listeners.manager.register(listener, name=f"reporter:{name}")

    @property
    def broken_reporters(self) -> list[str]:
        """The names of the reporters that could not handle some event."""
        return [listener.name for listener in self._reporters if listener.failures]

    def emit(self, event: Event) -> None:
        """Log an event and tell everybody."""
        self._emit(event)
        for message in self._take_problems():
            self.note("listener", message)

    def cleaned(self, trace: Trace) -> Trace:
        """A trace as it will be stored: judges quote it, and cut what they quote."""
        try:
            needed = self._redactor.is_needed(trace.model_dump_json().encode())
        except PydanticSerializationError:
            needed = True
        found: Trace = self._redactor.cleaned(trace) if needed else trace
        return found

    def note(self, source: str, message: str) -> None:
        """Log and tell of a problem that does not stop the run."""
        self._emit(ProblemNoted(at=now(), source=source, message=message))
        self._take_problems()  # a listener that fails at problems is not told of its own

    def _emit(self, event: Event) -> None:
        try:
            line = event.model_dump_json().encode()
        except PydanticSerializationError:  # a lone surrogate got past a part of somebody's
            event = type(event).model_validate(storable(event.model_dump(mode="python")))
            line = event.model_dump_json().encode()
        if self._redactor.is_needed(line):
            folder = event.folder if isinstance(event, RunStarted) else None
            event = self._redactor.cleaned(event)
            line = event.model_dump_json().encode()
            if isinstance(event, RunStarted):  # reporters open it, whatever it is called
                event = event.model_copy(update={"folder": folder})
        if self._log is not None:
            self._log.append(line)
        self._listeners.notify(_HOOKS[event.kind], event=event)

    async def sync(self) -> None:
        """Wait until everything emitted so far survives a kill."""
        if self._log is not None:
            await self._log.sync()

    def _take_problems(self) -> list[str]:
        taken = list(dict.fromkeys(self._listeners.problems))
        self._listeners.problems.clear()
        fresh = [problem for problem in taken if problem not in self.problems]
        self.problems += fresh
        return fresh


class ReporterListener:
    """Hands the hooks' events to a reporter, so that events have one road.

    A reporter that has failed too often is not called any more: its report is incomplete anyway,
    and one that blocks until it is ended would take the run's time with every event.
    """

    def __init__(self, reporter: Reporter[Any], name: str = "") -> None:
        self.reporter = reporter
        self.name = name
        self.failures = 0

    def _handle(self, event: Event) -> None:
        if self.failures >= _MOST_FAILURES:
            return
        try:
            self.reporter.handle(event)
        except BaseException as err:
            blocked = isinstance(err.__cause__, Blocked | BlockingLimit)
            self.failures += _MOST_FAILURES if blocked else 1
            raise

    @hookimpl
    def sparring_run_started(self, event: RunStarted) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_cases_asked(self, event: CasesAsked) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_case_started(self, event: CaseStarted) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_turn_taken(self, event: TurnTaken) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_model_called(self, event: ModelCalled) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_verdict_reached(self, event: CaseJudged) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_run_concluded(self, event: RunConcluded) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_fault_confirmed(self, event: FaultConfirmed) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_problem_noted(self, event: ProblemNoted) -> None:
        """See the hook."""
        self._handle(event)

    @hookimpl
    def sparring_run_finished(self, event: RunFinished) -> None:
        """See the hook."""
        self._handle(event)
