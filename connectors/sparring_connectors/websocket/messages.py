"""The app's messages: what each is, and when they make a whole answer."""

import asyncio
import base64
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from sparring.errors import AppProtocolError, AppTimeout
from sparring.model.talk import Observation
from sparring_connectors.described.extraction import decode_json, decode_text, first_value
from sparring_connectors.described.reply import (
    ReplyReading,
    check_error,
    has_flag,
    read_data,
    read_remembered,
)
from sparring_connectors.described.secrets import AppSecrets
from sparring_connectors.websocket.audio_config import AudioConfig
from sparring_connectors.websocket.config import Match
from sparring_connectors.websocket.plan import WebSocketPlan, parse_packet
from sparring_connectors.websocket.sound import decode

_LARGE = 50_000
"""Bytes from which a message is decoded beside the other conversations."""


class MessageKind(Enum):
    """What a message is."""

    ANSWER = auto()
    TYPING = auto()
    READY = auto()
    ENDED = auto()
    IGNORED = auto()


@dataclass(frozen=True, slots=True)
class WebSocketMessage:
    """One message of the app's, whole. `headers` are those of the handshake's answer."""

    body: bytes
    headers: Mapping[str, str]
    label: str
    secrets: AppSecrets

    def quote(self, said: str, limit: int = 120) -> str:
        """The beginning of something that the app said, fit for a message."""
        return self.secrets.quote(said, limit)


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message and what it means.

    `over` ends an answer, `back` is to be sent at once (`raw_back` as it stands), `reading` is
    what was found in an answer. `sound` are the samples that it carries, if any, and `arrived_s` is
    when it came, by the event loop's clock.
    """

    kind: MessageKind
    message: WebSocketMessage
    data: Any = None
    over: bool = False
    back: Any = None
    raw_back: str | None = None
    remembered: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reading: ReplyReading | None = None
    sound: "array[int] | None" = None
    arrived_s: float = 0.0


async def interpret_message(message: WebSocketMessage, plan: WebSocketPlan) -> IncomingMessage:
    """What a message means; raises AppProtocolError if it is none, AppCrash if it is an error."""
    if len(message.body) > _LARGE:
        return await asyncio.to_thread(_interpret, message, plan)
    return _interpret(message, plan)


def _interpret(message: WebSocketMessage, plan: WebSocketPlan) -> IncomingMessage:
    if plan.config.envelope == "socket.io":
        return _interpret_packet(message, plan)
    return _classify(message, *_decode(message, plan), plan)


def _interpret_packet(message: WebSocketMessage, plan: WebSocketPlan) -> IncomingMessage:
    """A Socket.IO packet; only events go on to be sorted."""
    text = decode_text(message)
    packet = parse_packet(text)
    match packet.kind:
        case "event":
            inner = WebSocketMessage(
                packet.text.encode(), message.headers, message.label, message.secrets
            )
            return _classify(inner, *_decode(inner, plan), plan)
        case "ready":
            return IncomingMessage(MessageKind.READY, message)
        case "ended":
            return IncomingMessage(MessageKind.ENDED, message)
        case "nothing":
            return IncomingMessage(MessageKind.IGNORED, message, raw_back=packet.back)
        case "refused":
            raise AppProtocolError(
                f"{message.label}: the app refuses to connect: {message.quote(packet.text)}"
            )
        case "odd":
            raise AppProtocolError(
                f"{message.label}: a message is no Socket.IO event: {message.quote(text)}"
            )


def _decode(message: WebSocketMessage, plan: WebSocketPlan) -> tuple[Any, AppProtocolError | None]:
    """The message's data; for one that should be JSON and is not, its text and the error."""
    if plan.config.reply.read_as == "text":
        return decode_text(message), None
    try:
        return decode_json(message), None
    except AppProtocolError as err:
        return message.body.decode("utf-8", "replace"), err


def _classify(
    message: WebSocketMessage, data: Any, problem: AppProtocolError | None, plan: WebSocketPlan
) -> IncomingMessage:
    config = plan.config
    for to, back in plan.back:
        if matches(to, data):
            remembered = _read_remembered(message, data, plan)
            return IncomingMessage(
                MessageKind.IGNORED, message, data, back=back, remembered=remembered
            )
    if matches(config.ignore, data):
        return IncomingMessage(
            MessageKind.IGNORED, message, data, remembered=_read_remembered(message, data, plan)
        )
    over = matches(config.over.end, data)
    if matches(config.typing, data):
        return IncomingMessage(MessageKind.TYPING, message, data, over)
    if problem is not None and not over:
        raise problem
    remembered = _read_remembered(message, data, plan)
    check_error(message, data, config.reply)
    if matches(config.ready, data):
        return IncomingMessage(MessageKind.READY, message, data, over, remembered=remembered)
    wanted = (
        matches(config.answers, data) if config.answers else not _is_only_a_mark(over, data, plan)
    )
    if not wanted or problem is not None:
        return IncomingMessage(MessageKind.IGNORED, message, data, over, remembered=remembered)
    if config.audio is not None:
        return _spoken_message(message, data, over, remembered, plan)
    reading = _read_answer(message, data, over, plan)
    return IncomingMessage(
        MessageKind.ANSWER, message, data, over, remembered=remembered, reading=reading
    )


def _read_answer(
    message: WebSocketMessage, data: Any, over: bool, plan: WebSocketPlan
) -> ReplyReading:
    """What an answer says; one that only ends others need not say anything."""
    if plan.config.reply.read_as == "text":
        return ReplyReading(Observation(text=data.strip("\r\n")))
    return read_data(message, data, plan.config.reply, optional=over)


def sound_message(message: WebSocketMessage, sound: bytes, audio: AudioConfig) -> IncomingMessage:
    """A message that is sound and nothing else; raises AppProtocolError if it is none."""
    samples = decode(sound, audio.encoding, audio.rate, message.label)
    reading = ReplyReading(Observation())
    return IncomingMessage(MessageKind.ANSWER, message, reading=reading, sound=samples)


def _spoken_message(
    message: WebSocketMessage,
    data: Any,
    over: bool,
    remembered: Mapping[str, Any],
    plan: WebSocketPlan,
) -> IncomingMessage:
    """A message of an app that speaks: sound in base64, words of it, or neither.

    Its words are no answer if only what is heard counts: they may as well be the user's, as the app
    understood them.
    """
    audio = plan.config.audio
    assert audio is not None
    sound = _sound_in(message, data, audio)
    reading = read_data(message, data, plan.config.reply, optional=True)
    if audio.text == "heard":
        reading = replace(reading, observation=reading.observation.model_copy(update={"text": ""}))
    if sound is None and reading.observation == Observation():
        return IncomingMessage(MessageKind.IGNORED, message, data, over, remembered=remembered)
    return IncomingMessage(
        MessageKind.ANSWER, message, data, over, remembered=remembered, reading=reading, sound=sound
    )


def _sound_in(message: WebSocketMessage, data: Any, audio: AudioConfig) -> "array[int] | None":
    value = None if audio.at is None else first_value((audio.at,), data)
    if not isinstance(value, str) or not value:
        return None
    try:
        sound = base64.b64decode(value, validate=True)
    except ValueError as err:
        raise AppProtocolError(f"{message.label}: what is at {audio.at} is no base64") from err
    return decode(sound, audio.encoding, audio.rate, message.label)


def _read_remembered(
    message: WebSocketMessage, data: Any, plan: WebSocketPlan
) -> Mapping[str, Any]:
    return read_remembered(message, data, plan.config.reply)


def _is_only_a_mark(over: bool, data: Any, plan: WebSocketPlan) -> bool:
    """Whether a message ends an answer and says nothing itself."""
    if not over:
        return False
    return plan.config.reply.read_as == "text" or not isinstance(data, (dict, list))


def matches(wanted: tuple[Match, ...], data: Any) -> bool:
    """Whether a message is one of those meant."""
    return any(has_flag(match, data) for match in wanted)


# One answer of the app's as it comes in, and when it is over.


class AnswerCollector:
    """Collects the messages of one answer.

    `silence_s` is how long to wait for the first one before the app counts as silent; without
    it, an app that says nothing has timed out. Times are those of the running event loop.
    """

    def __init__(self, plan: WebSocketPlan, silence_s: float | None) -> None:
        self.observations: list[Observation] = []
        self.is_over = False
        self._plan = plan
        self._silence_s = silence_s
        self._seen = 0
        self._bytes = 0
        now = _now()
        self._dead_at = now + plan.config.timeout.idle_s
        self._silent_at = now + silence_s if silence_s is not None else None
        self._quiet_at: float | None = None

    def patience_s(self) -> float:
        """How long to wait for the next message, in seconds."""
        return max(0.0, self._next_deadline() - _now())

    def wait_is_over(self) -> None:
        """End the answer if waiting may end it; raises AppTimeout if it may not."""
        deadline = self._next_deadline()
        if deadline < self._dead_at or deadline in (self._quiet_at, self._silent_at):
            self.is_over = True
            return
        limit = self._plan.config.timeout.idle_s
        raise AppTimeout(f"{self._plan.label}: no answer: nothing came for {limit:g} s")

    def note(self, item: IncomingMessage) -> bool:
        """Take a message; returns whether it belongs to the answer.

        Raises AppProtocolError if there are too many messages, or too large ones.
        """
        self._seen += not item.sound  # sound comes in many pieces: max_bytes bounds it
        self._check_count()
        now = _now()
        observations = len(self.observations)
        self._dead_at = now + self._plan.config.timeout.idle_s
        if item.kind is MessageKind.ANSWER and item.reading is not None:
            self._hear(item, item.reading.observation, now)
        elif item.kind is MessageKind.TYPING:
            self._restart(now)
        self.is_over = self.is_over or item.over
        return self.is_over or len(self.observations) > observations

    def _hear(self, item: IncomingMessage, said: Observation, now: float) -> None:
        if item.over and said == Observation() and item.sound is None:
            return  # a mark, not an answer
        self._bytes += len(item.message.body)
        limit = self._plan.config.max_bytes
        if self._bytes > limit:
            raise AppProtocolError(
                f"{self._plan.label}: the answer is larger than {limit:,} bytes (max_bytes)"
            )
        self.observations.append(said)
        over = self._plan.config.over
        self._silent_at = None
        self._quiet_at = now + over.settles_s if over.settles_s is not None else None
        self.is_over = said.ended or (
            over.count is not None and len(self.observations) >= over.count
        )

    def _restart(self, now: float) -> None:
        """More is coming."""
        settles_s = self._plan.config.over.settles_s
        if self._quiet_at is not None and settles_s is not None:
            self._quiet_at = now + settles_s
        if self._silent_at is not None and self._silence_s is not None:
            self._silent_at = now + self._silence_s

    def _next_deadline(self) -> float:
        deadlines = (self._dead_at, self._silent_at, self._quiet_at)
        return min(deadline for deadline in deadlines if deadline is not None)

    def _check_count(self) -> None:
        limit = self._plan.config.max_messages
        if self._seen > limit:
            raise AppProtocolError(
                f"{self._plan.label}: more than {limit:,} messages came and the answer was not "
                "over (max_messages; see over)"
            )


def _now() -> float:
    return asyncio.get_running_loop().time()
