"""An app that answers from a script, without any network."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal

from pydantic import Field, InstanceOf, JsonValue
from pydantic.json_schema import SkipJsonSchema

from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout, AppUnreachable
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.base import Value
from sparring.model.case import Case
from sparring.model.talk import Act, Choice, Listen, Observation, act_text

Failure = Literal["crash", "timeout", "protocol", "unreachable"]

_ERRORS: dict[Failure, type[AppError]] = {
    "crash": AppCrash,
    "timeout": AppTimeout,
    "protocol": AppProtocolError,
    "unreachable": AppUnreachable,
}


class Reply(Value):
    """One scripted answer.

    `choices` are labels, each of which is also what is sent for it. `delay_s` is really waited,
    in seconds. `raises` fails the turn instead of answering, at once (a `timeout` does not wait).
    """

    text: str = ""
    choices: tuple[str, ...] = ()
    payload: JsonValue = None
    ended: bool = False
    delay_s: float = Field(default=0.0, ge=0)
    raises: Failure | None = None


Answer = (
    str | Reply | SkipJsonSchema[InstanceOf[Observation]] | SkipJsonSchema[InstanceOf[AppError]]
)
Script = Callable[[Act, int], Any]


class FakeConnectorConfig(PluginConfig):
    """What the fake app says.

    `replies` as a list gives one reply per act of a session, and its last one from then on; as
    a mapping it goes from what the user says to the reply (``"*"`` for anything else); as a
    callable it gets the act and its 0-based number in the session, and returns or raises what
    the app does (it may be async). Left out, the app repeats what it is told.

    `greeting` answers the first `Listen` of a session; further ones hear nothing. `raises` fails
    the acts of these numbers. `delay_s` is waited before every reply, in seconds. `fails_to_open`
    fails every opening of a session, and `probe`.
    """

    replies: tuple[Answer, ...] | dict[str, Answer] | SkipJsonSchema[Script] | None = None
    greeting: Answer | None = None
    raises: dict[int, Failure] = {}
    delay_s: float = Field(default=0.0, ge=0)
    fails_to_open: Failure | None = None


class FakeSession(AppSession):
    """One conversation with the fake app; `acts` are all that were sent, in order."""

    def __init__(self, config: FakeConnectorConfig, case: Case) -> None:
        self.case = case
        self.acts: list[Act] = []
        self.closed = False
        self._config = config
        self._said = 0

    async def send(self, act: Act) -> Observation:
        """Answer from the script; raises AppProtocolError once the session is closed."""
        if self.closed:
            raise AppProtocolError("the session is closed")
        first = not self.acts
        self.acts.append(act)
        if isinstance(act, Listen):
            return await self._observe((self._config.greeting or "") if first else "")
        number, self._said = self._said, self._said + 1
        if number in self._config.raises:
            return await self._observe(Reply(raises=self._config.raises[number]))
        return await self._observe(await self._answer(act, number))

    async def _answer(self, act: Act, number: int) -> Any:
        replies = self._config.replies
        if replies is None:
            return act_text(act)
        if callable(replies):
            answer = replies(act, number)
            return await answer if inspect.isawaitable(answer) else answer
        if isinstance(replies, tuple):
            return replies[min(number, len(replies) - 1)] if replies else ""
        by_text: Mapping[str, Any] = replies
        return by_text.get(act_text(act), by_text.get("*", ""))

    async def _observe(self, answer: Any) -> Observation:
        reply = Reply(text=answer) if isinstance(answer, str) else answer
        delay = self._config.delay_s + (reply.delay_s if isinstance(reply, Reply) else 0)
        await asyncio.sleep(delay)
        if isinstance(reply, AppError):
            raise reply
        if isinstance(reply, Observation):
            return reply
        if not isinstance(reply, Reply):
            raise TypeError(f"a reply is a text, Reply, Observation or AppError, not {reply!r}")
        if reply.raises:
            raise _ERRORS[reply.raises](f"the fake app was told to fail with {reply.raises}")
        choices = tuple(Choice(label=label, value=label) for label in reply.choices)
        return Observation(
            text=reply.text, choices=choices, payload=reply.payload, ended=reply.ended
        )


class FakeConnector(AppConnector[FakeConnectorConfig]):
    """Reaches a scripted app inside the process.

    `sessions` are all that were opened, in order; `most_open` is how many were open at once.
    """

    Config: ClassVar[type[PluginConfig]] = FakeConnectorConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: FakeConnectorConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.sessions: list[FakeSession] = []
        self.most_open = 0
        self.closed = False

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        """Open a session that answers from the script."""
        await self.probe()
        session = FakeSession(self.config, case)
        self.sessions.append(session)
        self.most_open = max(self.most_open, sum(not other.closed for other in self.sessions))
        try:
            yield session
        finally:
            session.closed = True

    async def probe(self) -> None:
        """Raise what `fails_to_open` says."""
        if self.config.fails_to_open:
            raise _ERRORS[self.config.fails_to_open]("the fake app was told not to open")

    async def close(self) -> None:
        """Note that the connector was closed."""
        self.closed = True
