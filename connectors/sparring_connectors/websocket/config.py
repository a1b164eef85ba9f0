"""Settings of the connector `websocket`: messages, handshake, and the checks on both."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    model_validator,
)

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.http_text import split_url
from sparring_connectors.described.reply_config import EndedConfig, ReplyConfig
from sparring_connectors.described.request_config import (
    Header,
    HeaderName,
    Text,
    Texts,
    check_body,
)
from sparring_connectors.described.template import (
    ALWAYS,
    SPOKEN,
    SettingPath,
    Template,
    authorization_problem,
    greeting_problem,
    refuse_settings,
    remembered_name_problems,
    texts_in,
    unknown_placeholders,
)
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.websocket.audio_config import AUDIO, AudioConfig

# Settings: what is sent to the app, which of its messages count, and when an answer is over.

DEFAULT_BODY = {"text": "{text}", "session": "{session}"}


def _matches(value: Any) -> Any:
    """One match is short for a list, a plain path short for ``{at: path}``."""
    items: Any = value if isinstance(value, (list, tuple)) else [value]  # pyright: ignore[reportUnknownVariableType]
    return [{"at": item} if isinstance(item, str) else item for item in items]


def _bodies(value: Any) -> Any:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def _sendable(body: JsonValue) -> JsonValue:
    if body is None:
        raise ValueError("is empty; write keys and values, a list, or a text")
    if isinstance(body, str) and body.lstrip()[:1] in ("{", "[") and '"{' in body:
        raise ValueError(
            "looks like JSON written as a text, which a quote in the user's words would break; "
            "write it as YAML keys and values, or {text|json} without quotes around it"
        )
    check_body(body)
    return body


class Match(EndedConfig):
    """Which messages are meant. A plain path is short for ``{at: path}``.

    Without `equals`, messages that have something there; a message that is plain text is at ``$``.
    """


Matches = Annotated[
    tuple[Match, ...],
    BeforeValidator(_matches, json_schema_input_type=str | Match | list[str | Match]),
]
Body = Annotated[JsonValue, AfterValidator(_sendable)]
Bodies = Annotated[
    tuple[Body, ...], BeforeValidator(_bodies, json_schema_input_type=JsonValue | list[JsonValue])
]


class OverConfig(PluginConfig):
    """When an answer is over: at the first of these that is given."""

    count: int | None = Field(
        default=None, ge=1, le=1000, description="After this many messages of the app's."
    )
    end: Matches = Field(
        default=(), description="At a message that says so, whether it is an answer itself or not."
    )
    quiet_s: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="When nothing more has come for so long after a message, in seconds; "
        "0.5 where neither count nor end is given.",
    )
    silence_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="After this many seconds without any message, which is then silence; without "
        "it, an app that says nothing is a time-out.",
    )

    @property
    def settles_s(self) -> float | None:
        """The quiet time that holds, None for none."""
        if self.quiet_s is None and self.count is None and not self.end:
            return 0.5
        return self.quiet_s


class GreetingConfig(PluginConfig):
    """What makes the app greet, where it does not do so by itself."""

    say: str = Field(default="", description="What `{text}` stands for in it, such as `/start`.")
    body: Body | None = Field(
        default=None, description="The message; without it, one like the user's."
    )


class AnswerBackConfig(PluginConfig):
    """Something that the app wants answered at once, whenever it comes, such as its own pings."""

    to: Matches = Field(min_length=1, description="Which messages; they are no answers.")
    body: Body = Field(description="What is sent back.")


class MessageParts(PluginConfig):
    """What is said to the app, and what counts of what it says."""

    open: Bodies = Field(default=(), description="What is sent first, in order.")
    ready: Matches = Field(
        default=(), description="The message that must have come before anything is said."
    )
    body: Body = Field(
        default_factory=lambda: dict[str, JsonValue](DEFAULT_BODY),
        description="What is sent for what the user says: keys and values, a list, or a text.",
    )
    press: Body | None = Field(
        default=None,
        description="What is sent for a pressed choice, where that is not a message like others.",
    )
    greeting: GreetingConfig | None = Field(
        default=None, description="What makes the app greet, where it does not by itself."
    )
    close: Body | None = Field(default=None, description="What is sent at the end.")
    back: tuple[AnswerBackConfig, ...] = Field(
        default=(), description="What the app wants answered at once."
    )
    answers: Matches = Field(
        default=(), description="Which messages are answers; all but those ignored, without it."
    )
    ignore: Matches = Field(default=(), description="Which messages are none, whatever they hold.")
    typing: Matches = Field(
        default=(), description="Which messages say that more is coming, so that quiet starts anew."
    )
    echoes: bool = Field(
        default=True,
        description="Whether a message that is the same as one we sent may be an answer.",
    )
    over: OverConfig = Field(default=OverConfig(), description="When an answer is over.")

    def bodies(self) -> Iterator[tuple[SettingPath, Any]]:
        """Everything that is sent, with the path to it; `body` first."""
        yield ("body",), self.body
        for number, body in enumerate(self.open):
            yield ("open", number), body
        for key in ("press", "close"):
            if (body := getattr(self, key)) is not None:
                yield (key,), body
        if self.greeting is not None and self.greeting.body is not None:
            yield ("greeting", "body"), self.greeting.body
        for number, back in enumerate(self.back):
            yield ("back", number, "body"), back.body

    def templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text of what is sent that may hold placeholders, with the path to it."""
        for at, body in self.bodies():
            yield from texts_in(body, at)


WEBSOCKET = ("ws", "wss")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = ("host", "connection", "upgrade", "content-length", "transfer-encoding")
_SPOKEN = tuple(name for name in SPOKEN if name != "history")


def _address(text: str) -> str:
    split_url(text, WEBSOCKET)
    check_body(text)
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


_MOST_SOUND = 40_000_000
"""Bytes of a spoken answer: 20 minutes of 16,000 samples a second, 16 bit each."""


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
        default=1_000_000,
        ge=1,
        le=100_000_000,
        description="The largest answer that is taken; with `audio` 40,000,000 if left out.",
    )
    max_messages: int = Field(
        default=1_000, ge=1, le=100_000, description="The most messages before an answer is over."
    )
    audio: AudioConfig | None = Field(
        default=None, description="How an app that speaks is spoken to; texts are sent without it."
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
        settings: dict[str, Any] = dict(data)  # pyright: ignore[reportUnknownArgumentType]
        first = settings.get("open")
        if isinstance(first, list) and first and isinstance(first[0], str):
            settings["open"] = [first]
        return settings

    @model_validator(mode="before")
    @classmethod
    def _sound_is_large(cls, data: Any) -> Any:
        """Half a minute of sound has a million bytes, and an answer may well take longer."""
        if not isinstance(data, dict) or data.get("audio") is None or "max_bytes" in data:  # pyright: ignore[reportUnknownMemberType]
            return data  # pyright: ignore[reportUnknownVariableType]
        return {**data, "max_bytes": _MOST_SOUND}  # pyright: ignore[reportUnknownVariableType]

    @model_validator(mode="after")
    def _fits_together(self) -> "WebSocketConfig":
        refuse_settings("WebSocketConfig", [*self._placeholders(), *self._contradictions()])
        return self

    def speaks_tls(self) -> bool:
        """Whether the address is a wss one."""
        return self.url.startswith("wss:")

    def handshake_templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text of the handshake that may hold placeholders, with the path to it."""
        yield ("url",), self.url
        for key in ("query", "headers"):
            for name, text in getattr(self, key).items():
                yield (key, name), text
        if self.origin is not None:
            yield ("origin",), self.origin

    def _placeholders(self) -> Iterator[tuple[SettingPath, str]]:
        yield from remembered_name_problems(self.reply.remember)
        known = {*ALWAYS, "session", *self.reply.remember}
        shaken = {*ALWAYS} if self.reply.session is not None else {*ALWAYS, "session"}
        yield from unknown_placeholders(self.handshake_templates(), (), shaken)
        if self.audio is not None:
            for at, text in self.audio.templates():
                names = known | {AUDIO} if at[1] == "send" else known
                yield from unknown_placeholders(iter([(at, text)]), (), names)
        for at, text in self.templates():
            spoken = at[0] in ("body", "press", "greeting")
            names = known | {*_SPOKEN} if spoken else known
            yield from unknown_placeholders(iter([(at, text)]), (), names)

    def _contradictions(self) -> Iterator[tuple[SettingPath, str]]:
        texts = [text for at, text in self.templates() if at[0] == "body"]
        if not any(slot.name in _SPOKEN for text in texts for slot in Template.of(text).slots):
            yield ("body",), "what the user says is nowhere in it: write {text}"
        if self.envelope == "socket.io" and self.reply.read_as == "text":
            yield ("reply", "read_as"), "socket.io carries JSON; drop it"
        if self.envelope == "socket.io":
            yield from self._without_event()
        yield from greeting_problem(self.greeting, self.starts)
        if self.audio is not None and self.envelope == "socket.io":
            yield ("audio",), "sound is not sent over Socket.IO; write envelope: none"
        if "tls" in self.model_fields_set and not self.speaks_tls():
            yield ("tls",), "has no effect: the address does not start with wss://"
        yield from authorization_problem(self.url, self.headers)

    def _without_event(self) -> Iterator[tuple[SettingPath, str]]:
        for at, body in self.bodies():
            if not (isinstance(body, list) and body and isinstance(body[0], str)):  # pyright: ignore[reportUnknownArgumentType]
                yield at, "socket.io takes lists: [event, {key: value}]"
