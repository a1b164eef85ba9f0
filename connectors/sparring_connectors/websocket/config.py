"""Settings of the connector `websocket`, and everything about them that must fit together."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.http_text import split_url
from sparring_connectors.described.placeholders import ALWAYS, SPOKEN, unknown_placeholders
from sparring_connectors.described.reply_config import ReplyConfig
from sparring_connectors.described.request_config import (
    Header,
    HeaderName,
    Text,
    Texts,
    Where,
    checked_body,
)
from sparring_connectors.described.template import Template
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.websocket.message_config import MessageParts

WEBSOCKET = ("ws", "wss")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = ("host", "connection", "upgrade", "content-length", "transfer-encoding")
_SPOKEN = tuple(name for name in SPOKEN if name != "history")
_IN_ALL = tuple(name for name in ALWAYS)


def _address(text: str) -> str:
    split_url(text, WEBSOCKET)
    checked_body(text)
    return text


def _no_own_header(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name.lower() in _OURS or name.lower().startswith("sec-websocket-"):
            raise ValueError(f"{name} belongs to the handshake itself; leave it out")
        if name.lower() == "origin":
            raise ValueError("write the origin as `origin`")
    return headers


def _subprotocol(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a subprotocol's name: no blanks, commas or slashes")
    return name


class TimeoutConfig(PluginConfig):
    """How long the app may take, in seconds."""

    turn_s: float = Field(default=60, gt=0, le=3600, description="For a whole answer.")
    connect_s: float = Field(
        default=5, gt=0, le=600, description="Until there is a connection, handshake included."
    )
    idle_s: float = Field(
        default=60, gt=0, le=3600, description="Until the next message, of whatever kind."
    )
    greeting_s: float = Field(
        default=10,
        gt=0,
        le=600,
        description="Until the app that speaks first has said something; then it is silent.",
    )
    close_s: float = Field(default=5, gt=0, le=600, description="For closing the connection.")


class ReconnectConfig(PluginConfig):
    """When to connect again. What was sent is never sent twice."""

    attempts: int = Field(
        default=3, ge=1, le=100, description="How often to try to connect, where it is refused."
    )
    wait_s: float = Field(
        default=0.2, ge=0, le=600, description="Wait before the second attempt; doubles."
    )
    dropped: bool = Field(
        default=False,
        description="Whether to connect anew for the next message, and send `open` again, when "
        "the connection was dropped between two messages.",
    )


class PingConfig(PluginConfig):
    """Pings of the protocol itself, which tell a slow app from a dead connection."""

    every_s: float = Field(default=20, gt=0, le=3600, description="Seconds between two.")
    timeout_s: float = Field(
        default=20, gt=0, le=3600, description="Seconds that the app has to answer one."
    )


class WebSocketConfig(MessageParts):
    """An app behind a WebSocket: one connection per conversation."""

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="The app's address: ws:// or wss://."
    )
    query: Annotated[dict[str, Text], Texts] = Field(
        default={}, description="What follows the ? of the address."
    )
    headers: Annotated[dict[HeaderName, Header], Texts, AfterValidator(_no_own_header)] = Field(
        default={}, description="Headers of the handshake."
    )
    origin: Header | None = Field(
        default=None, description="The page that the connection is said to come from."
    )
    subprotocols: tuple[Annotated[str, AfterValidator(_subprotocol)], ...] = Field(
        default=(), description="Subprotocols to offer, the best one first."
    )
    envelope: Literal["none", "socket.io"] = Field(
        default="none",
        description="What every message is wrapped in; socket.io means lists of an event's name "
        "and its data.",
    )
    starts: Literal["app", "user"] = Field(default="user", description="Who speaks first.")
    reply: ReplyConfig = Field(
        default=ReplyConfig(), description="Where everything is in a message of the app's."
    )
    end_codes: frozenset[int] = Field(
        default=frozenset({1000, 1001}),
        description="Codes with which the app closes the connection when the conversation is over.",
    )
    timeout: TimeoutConfig = Field(
        default=TimeoutConfig(), description="How long the app may take."
    )
    reconnect: ReconnectConfig = Field(
        default=ReconnectConfig(), description="When to connect again."
    )
    ping: PingConfig | None = Field(
        default=PingConfig(), description="Pings of the protocol itself; null for none."
    )
    max_bytes: int = Field(
        default=1_000_000, ge=1, le=100_000_000, description="The largest answer that is taken."
    )
    max_messages: int = Field(
        default=1_000, ge=1, le=100_000, description="The most messages before an answer is over."
    )
    tls: TlsConfig = Field(default=TlsConfig(), description="How wss is checked.")
    proxies: bool = Field(
        default=True,
        description="Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY hold; never for this machine.",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_event(cls, data: Any) -> Any:
        """An event of Socket.IO is a list itself; one under `open` is short for a list of it."""
        if not isinstance(data, dict) or data.get("envelope") != "socket.io":  # pyright: ignore[reportUnknownMemberType]
            return data  # pyright: ignore[reportUnknownVariableType]
        given: dict[str, Any] = dict(data)  # pyright: ignore[reportUnknownArgumentType]
        first = given.get("open")
        if isinstance(first, list) and first and isinstance(first[0], str):
            given["open"] = [first]
        return given

    @model_validator(mode="after")
    def _fits_together(self) -> "WebSocketConfig":
        problems = [*self._problems()]
        if problems:
            raise ValidationError.from_exception_data(
                "WebSocketConfig",
                [
                    InitErrorDetails(
                        type=PydanticCustomError("value_error", "{problem}", {"problem": text}),
                        loc=where,
                        input=None,
                    )
                    for where, text in problems
                ],
            )
        return self

    def speaks_tls(self) -> bool:
        """Whether the address is a wss one."""
        return self.url.startswith("wss:")

    def handshake_templates(self) -> Iterator[tuple[Where, str]]:
        """Every text of the handshake that may hold placeholders, with the path to it."""
        yield ("url",), self.url
        for key in ("query", "headers"):
            for name, text in getattr(self, key).items():
                yield (key, name), text
        if self.origin is not None:
            yield ("origin",), self.origin

    def _problems(self) -> Iterator[tuple[Where, str]]:
        yield from self._placeholders()
        yield from self._contradictions()

    def _placeholders(self) -> Iterator[tuple[Where, str]]:
        for name in self.reply.remember:
            where = ("reply", "remember", name)
            if name in (*ALWAYS, *SPOKEN, "session"):
                yield where, f"{{{name}}} already has a meaning; choose another name"
            elif not name.isidentifier():
                yield where, "a name is letters, digits and underscores, so that {name} works"
        known = {*ALWAYS, "session", *self.reply.remember}
        shaken = {*ALWAYS} if self.reply.session is not None else {*ALWAYS, "session"}
        yield from unknown_placeholders(self.handshake_templates(), (), shaken)
        for at, text in self.templates():
            spoken = at[0] in ("body", "press", "greeting")
            names = known | {*_SPOKEN} if spoken else known
            yield from unknown_placeholders(iter([(at, text)]), (), names)

    def _contradictions(self) -> Iterator[tuple[Where, str]]:
        said = [text for at, text in self.templates() if at[0] == "body"]
        if not any(slot.name in _SPOKEN for text in said for slot in Template.of(text).slots):
            yield ("body",), "what the user says is nowhere in it: write {text}"
        if self.envelope == "socket.io" and self.reply.read_as == "text":
            yield ("reply", "read_as"), "socket.io carries JSON; drop it"
        if self.envelope == "socket.io":
            yield from self._without_event()
        if self.greeting and self.starts == "user":
            yield ("greeting",), "there is a greeting, but starts is user; write starts: app"
        if "tls" in self.model_fields_set and not self.speaks_tls():
            yield ("tls",), "is of no use: the address does not start with wss://"
        named = {name.lower() for name in self.headers}
        if "authorization" in named and "@" in urlsplit(self.url).netloc:
            yield ("url",), "holds a user, but headers has Authorization; only one can be sent"

    def _without_event(self) -> Iterator[tuple[Where, str]]:
        for at, body in self.bodies():
            if not (isinstance(body, list) and body and isinstance(body[0], str)):  # pyright: ignore[reportUnknownArgumentType]
                yield at, "socket.io takes lists: [event, {key: value}]"
