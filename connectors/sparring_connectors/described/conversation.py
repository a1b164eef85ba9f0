"""What sessions have in common when the app is described in YAML."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from sparring.errors import AppProtocolError, AppTimeout, ConfigurationError
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.described.app_clock import AppClock
from sparring_connectors.described.reply import TextPathMisses
from sparring_connectors.described.reply_config import HeaderSource


class DescribedSession(AppSession):
    """A conversation of texts and choices: values for placeholders, and the app's time.

    `makes_ids` says that the app makes the session ids; otherwise `own_id` is the id. `turn_s` is
    how long the app may take for one turn. `notify` is called with what a user should know.
    """

    connector: ClassVar[str]

    def __init__(
        self,
        case: Case,
        own_id: str,
        turn_s: float,
        misses: TextPathMisses,
        notify: Callable[[str], None],
        *,
        makes_ids: bool,
    ) -> None:
        self._values: dict[str, Any] = {"uuid": own_id, "case": case.id, "seed": case.seed}
        self._values |= {"turn": 0} if makes_ids else {"turn": 0, "session": own_id}
        self._turn_s = turn_s
        self._misses = misses
        self._notify = notify
        self._waiting: Observation | None = None
        self._clock = AppClock(turn_s)

    async def send(self, act: Act) -> Observation:
        self.latency_s = None
        match act:
            case Listen():
                waiting, self._waiting = self._waiting, None
                return waiting if waiting and waiting != Observation() else await self._listen()
            case Say(text=text):
                return await self._say(text)
            case Press(label=label, value=value):
                return await self._press(label, label if value is None else value)
            case GuiAction():
                raise ConfigurationError(
                    f"the connector {self.connector} takes texts and choices, no GUI actions"
                )

    @abstractmethod
    async def _listen(self) -> Observation:
        """Return what the app says unasked."""

    @abstractmethod
    async def _say(self, text: str) -> Observation:
        """Send what the user says; returns the app's answer."""

    @abstractmethod
    async def _press(self, label: str, value: str) -> Observation:
        """Send a pressed choice; returns the app's answer."""

    def _begin_turn(self, text: str, label: str) -> None:
        """Set the values of a turn; a greeting that nobody listened to is dropped."""
        self._waiting = None
        turn = self._values["turn"] + 1
        self._values |= {"text": text, "label": label, "value": text, "turn": turn}

    def _require_session(self, source: str | HeaderSource | None, problem: str) -> None:
        """Raise AppProtocolError if `source` should have brought a session id, and has not."""
        if source is not None and "session" not in self._values:
            place = source if isinstance(source, str) else f"the header {source.header}"
            raise AppProtocolError(f"{problem} at {place}")

    @asynccontextmanager
    async def _within(self, problem: str) -> AsyncGenerator[None]:
        """Limit the time that the app may take for one turn as a whole, and measure it."""
        clock = self._clock = AppClock(self._turn_s)
        try:
            async with clock:
                yield
        except TimeoutError:
            if not clock.expired:
                raise
            raise AppTimeout(f"{problem} within {self._turn_s:g} s") from None
        finally:
            self.latency_s = clock.latency_s
