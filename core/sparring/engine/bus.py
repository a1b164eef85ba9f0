"""Sends each event, without secrets, to the log, the listeners and the reporters."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

import pluggy
from pydantic_core import PydanticSerializationError

from sparring.discovery import hookspecs
from sparring.discovery.hooks import Listeners
from sparring.discovery.hookspecs import hookimpl
from sparring.errors import is_storage_failure
from sparring.format_error import describe_error
from sparring.interfaces.reporter import Reporter
from sparring.model.base import storable
from sparring.model.events import (
    Event,
    ProblemNoted,
    RunStarted,
)
from sparring.model.talk import Trace
from sparring.store import RunLog
from sparring.suite.environment import Redactor
from sparring.time_limits import Blocked, BlockingLimit

_MOST_FAILURES = 20
"""Events that a reporter may fail at before it is not called any more."""


def now() -> datetime:
    """The time that events carry."""
    return datetime.now(UTC)


def notify(
    listeners: Listeners, hook: str, implementations: Sequence[pluggy.HookImpl], event: Event
) -> None:
    """Call all implementations of a hook; a failing one is recorded and stops no others."""
    for impl in implementations:
        what = f"{impl.plugin_name}.{hook}"
        try:
            with listeners.limit(what) if listeners.limit else nullcontext():
                impl.function(*(event for _ in impl.argnames))
        except KeyboardInterrupt:  # the user's, who has pressed Ctrl-C twice
            raise
        except BaseException as err:  # noqa: BLE001 - a listener must not stop the run
            listeners.problems.append(f"{what}: {describe_error(err)}")


class EventBus:
    """Writes every event to the log and tells everybody.

    What a listener does wrong becomes a `ProblemNoted`, once per event; a log that cannot be
    written raises OSError, which ends the run.
    """

    def __init__(self, listeners: Listeners, *, log: RunLog | None = None) -> None:
        self._listeners = listeners
        #: Who listens to a kind of event: the same during a whole run.
        self._implementations: dict[str, Sequence[pluggy.HookImpl]] = {}
        self._log = log
        self._redactor = Redactor()
        self.problems: list[str] = []
        self._reporters: list[ReporterListener] = []
        self._take_problems()

    def add_reporter(self, name: str, reporter: Reporter[Any]) -> None:
        """Send every event to a reporter from here on."""
        listener = ReporterListener(reporter, name)
        self._reporters.append(listener)
        self._listeners.manager.register(listener, name=f"reporter:{name}")
        self._implementations.clear()

    @property
    def broken_reporters(self) -> list[str]:
        """The names of the reporters that could not handle some event."""
        return [listener.name for listener in self._reporters if listener.failures]

    @property
    def disk_failed(self) -> bool:
        """Whether some reporter failed because the disk could not be written."""
        return any(listener.disk_failed for listener in self._reporters)

    def emit(self, event: Event) -> None:
        """Log an event and tell everybody."""
        self._emit(event)
        for message in self._take_problems():
            self.note("listener", message)

    def for_judges(self, trace: Trace) -> Trace:
        """A trace, played or stored, without the secrets that no judge needs to see."""
        shown: Trace = self._redactor.for_judges(trace)
        return shown

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
        hook = f"sparring_{'verdict_reached' if event.kind == 'case_judged' else event.kind}"
        if hook not in self._implementations:
            self._implementations[hook] = self._listeners.implementations(hook)
        notify(self._listeners, hook, self._implementations[hook], event)

    async def sync(self) -> None:
        """Wait until everything emitted so far survives a kill."""
        if self._log is not None:
            await self._log.sync()

    def _take_problems(self) -> list[str]:
        problems = list(dict.fromkeys(self._listeners.problems))
        self._listeners.problems.clear()
        fresh = [problem for problem in problems if problem not in self.problems]
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
        self.disk_failed = False

    def handle(self, event: Event) -> None:
        """Let the reporter handle an event; raises what it raises."""
        if self.failures >= _MOST_FAILURES:
            return
        try:
            self.reporter.handle(event)
        except BaseException as err:
            blocked = isinstance(err.__cause__, Blocked | BlockingLimit)
            self.failures += _MOST_FAILURES if blocked else 1
            self.disk_failed = self.disk_failed or is_storage_failure(err, writing=True)
            raise


def _hands_over(hook: str) -> Callable[[ReporterListener, Any], None]:
    def handle(self: ReporterListener, event: Any) -> None:
        self.handle(event)

    handle.__name__ = hook
    return hookimpl(handle)


for _hook in filter(lambda name: name.startswith("sparring_"), vars(hookspecs)):
    setattr(ReporterListener, _hook, _hands_over(_hook))
