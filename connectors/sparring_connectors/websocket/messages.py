"""The app's messages: what each is, and what it means for the answer that is waited for."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from sparring.errors import AppProtocolError
from sparring.model.talk import Observation
from sparring_connectors.described.decoding import json_of, text_of
from sparring_connectors.described.reply import (
    Reading,
    check_error,
    flagged,
    learnt_from,
    read_data,
)
from sparring_connectors.described.secrets import Secrets
from sparring_connectors.websocket.message_config import Match
from sparring_connectors.websocket.plan import Plan
from sparring_connectors.websocket.socketio import unwrapped

_LARGE = 50_000
"""Bytes from which a message is decoded beside the other conversations."""


class Kind(Enum):
    """What a message is."""

    ANSWER = auto()
    TYPING = auto()
    READY = auto()
    ENDED = auto()
    IGNORED = auto()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the app's, whole. `headers` are those of the handshake's answer."""

    body: bytes
    headers: Mapping[str, str]
    label: str
    secrets: Secrets

    def quoted(self, said: str, limit: int = 120) -> str:
        """The beginning of something that the app said, fit for a message."""
        return self.secrets.quote(said, limit)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message and what it means.

    `over` ends an answer, `back` is to be sent at once (`raw_back` as it stands), `reading` is
    what was found in an answer.
    """

    kind: Kind
    message: Message
    data: Any = None
    over: bool = False
    back: Any = None
    raw_back: str | None = None
    learnt: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reading: Reading | None = None


async def understood(message: Message, plan: Plan) -> Incoming:
    """What a message means; raises AppProtocolError and AppCrash where it is none or an error."""
    if len(message.body) > _LARGE:
        return await asyncio.to_thread(_understood, message, plan)
    return _understood(message, plan)


def _understood(message: Message, plan: Plan) -> Incoming:
    if plan.config.envelope == "socket.io":
        return _unpacked(message, plan)
    return _sorted(message, *_decoded(message, plan), plan)


def _unpacked(message: Message, plan: Plan) -> Incoming:
    """A Socket.IO packet; only events go on to be sorted."""
    text = text_of(message)
    packet = unwrapped(text)
    match packet.kind:
        case "event":
            inner = Message(packet.text.encode(), message.headers, message.label, message.secrets)
            return _sorted(inner, *_decoded(inner, plan), plan)
        case "ready":
            return Incoming(Kind.READY, message)
        case "ended":
            return Incoming(Kind.ENDED, message)
        case "nothing":
            return Incoming(Kind.IGNORED, message, raw_back=packet.back)
        case "refused":
            raise AppProtocolError(
                f"{message.label}: the app refuses to connect: {message.quoted(packet.text)}"
            )
        case "odd":
            raise AppProtocolError(
                f"{message.label}: a message is no Socket.IO event: {message.quoted(text)}"
            )


def _decoded(message: Message, plan: Plan) -> tuple[Any, AppProtocolError | None]:
    """The message's data; for one that should be JSON and is not, its text and the error."""
    if plan.config.reply.read_as == "text":
        return text_of(message), None
    try:
        return json_of(message), None
    except AppProtocolError as err:
        return message.body.decode("utf-8", "replace"), err


def _sorted(message: Message, data: Any, problem: AppProtocolError | None, plan: Plan) -> Incoming:
    config = plan.config
    for to, back in plan.back:
        if matches(to, data):
            learnt = _learnt(message, data, plan)
            return Incoming(Kind.IGNORED, message, data, back=back, learnt=learnt)
    if matches(config.ignore, data):
        return Incoming(Kind.IGNORED, message, data, learnt=_learnt(message, data, plan))
    over = matches(config.over.end, data)
    if matches(config.typing, data):
        return Incoming(Kind.TYPING, message, data, over)
    if problem is not None and not over:
        raise problem
    learnt = _learnt(message, data, plan)
    check_error(message, data, config.reply)
    if matches(config.ready, data):
        return Incoming(Kind.READY, message, data, over, learnt=learnt)
    wanted = matches(config.answers, data) if config.answers else not _only_a_mark(over, data, plan)
    if not wanted or problem is not None:
        return Incoming(Kind.IGNORED, message, data, over, learnt=learnt)
    reading = _read(message, data, over, plan)
    return Incoming(Kind.ANSWER, message, data, over, learnt=learnt, reading=reading)


def _read(message: Message, data: Any, over: bool, plan: Plan) -> Reading:
    """What an answer says; one that only ends others need not say anything."""
    if plan.config.reply.read_as == "text":
        return Reading(Observation(text=data.strip("\r\n")))
    return read_data(message, data, plan.config.reply, optional=over)


def _learnt(message: Message, data: Any, plan: Plan) -> Mapping[str, Any]:
    return learnt_from(message, data, plan.config.reply)


def _only_a_mark(over: bool, data: Any, plan: Plan) -> bool:
    """Whether a message ends an answer and says nothing itself."""
    if not over:
        return False
    return plan.config.reply.read_as == "text" or not isinstance(data, (dict, list))


def matches(wanted: tuple[Match, ...], data: Any) -> bool:
    """Whether a message is one of those meant."""
    return any(flagged(match, data) for match in wanted)
