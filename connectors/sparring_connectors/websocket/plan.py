"""Settings made ready to send: templates, secrets, and the envelope of Socket.IO."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from sparring.errors import AppProtocolError
from sparring_connectors.described.http_text import header_problem, redact_url
from sparring_connectors.described.pacing import AppPacing
from sparring_connectors.described.secrets import AppSecrets, secret_values, secrets_in_url
from sparring_connectors.described.template import (
    MISSING,
    Template,
    compile_templates,
    fill_known,
    fill_templates,
    to_text,
    url_part,
)
from sparring_connectors.websocket.config import Match, WebSocketConfig

# The envelope of Socket.IO: Engine.IO packets, with events of the main namespace inside.
#
# A message is a digit for the packet's kind and what follows: ``0`` the app opens, ``2`` and ``3``
# are ping and pong, ``4`` is a Socket.IO packet, whose own digit says that it connects (``0``),
# disconnects (``1``), is an event (``2``), an acknowledgement (``3``) or a refusal (``4``).
# Protocol versions 4 and 5 of Socket.IO (``EIO=4`` in the address) over its WebSocket transport;
# binary attachments and other namespaces are not taken.

_EVENT = re.compile(r"\d*(?=\[)")


@dataclass(frozen=True, slots=True)
class SocketIoPacket:
    """What a packet means: `kind`, its JSON text if it is an event, and what to send back."""

    kind: Literal["event", "ready", "ended", "refused", "nothing", "odd"]
    text: str = ""
    back: str | None = None


_FIXED = {
    "1": SocketIoPacket("ended"),
    "3": SocketIoPacket("nothing"),
    "6": SocketIoPacket("nothing"),
    "41": SocketIoPacket("ended"),
}


def parse_packet(message: str) -> SocketIoPacket:
    """What a message of the app's means."""
    if message[:1] == "0":
        return SocketIoPacket("nothing", back="40")
    if message[:1] == "2":
        return SocketIoPacket("nothing", back=f"3{message[1:]}")
    if message[:2] == "42":
        match = _EVENT.match(message, 2)
        return SocketIoPacket("event", message[match.end() :]) if match else SocketIoPacket("odd")
    if message[:2] == "40":
        return SocketIoPacket("ready")
    if message[:2] == "43":
        return SocketIoPacket("nothing")
    if message[:2] == "44":
        return SocketIoPacket("refused", message[2:])
    return _FIXED.get(message, SocketIoPacket("odd"))


def wrap_event(text: str) -> str:
    """An event, which is the JSON text of a list, as a message for the app."""
    return f"42{text}"


@dataclass(frozen=True, slots=True)
class Handshake:
    """Where to connect, and with which headers."""

    url: str
    headers: dict[str, str]
    origin: str | None


@dataclass(frozen=True, slots=True)
class WebSocketPlan:
    """How to connect and what to send. `label` names the app in messages."""

    config: WebSocketConfig
    label: str
    secrets: AppSecrets
    url: Template
    query: dict[str, Template]
    headers: dict[str, Template]
    origin: Template | None
    open: tuple[Any, ...]
    body: Any
    press: Any
    greeting: Any
    close: Any
    back: tuple[tuple[tuple[Match, ...], Any], ...]
    sound: Any
    after_speech: tuple[Any, ...]
    pacing: AppPacing

    @classmethod
    def of(cls, config: WebSocketConfig) -> "WebSocketPlan":
        """The plan that an app's settings describe."""
        secrets = _find_secrets(config)
        greeting = config.greeting
        own = greeting.body if greeting is not None else None
        body = compile_templates(config.body)
        return cls(
            config=config,
            label=secrets.hide(redact_url(config.url)),
            secrets=secrets,
            url=Template.of(config.url),
            pacing=AppPacing(config.url),
            query={name: Template.of(text) for name, text in config.query.items()},
            headers={name: Template.of(text) for name, text in config.headers.items()},
            origin=Template.of(config.origin) if config.origin is not None else None,
            open=tuple(compile_templates(each) for each in config.open),
            body=body,
            press=body if config.press is None else compile_templates(config.press),
            greeting=body if own is None else compile_templates(own),
            close=compile_templates(config.close),
            sound=compile_templates(config.audio.send) if config.audio is not None else None,
            after_speech=tuple(
                compile_templates(each) for each in (config.audio.after if config.audio else ())
            ),
            back=tuple((each.to, compile_templates(each.body)) for each in config.back),
        )

    def handshake(self, values: Mapping[str, Any]) -> Handshake:
        """The handshake for these values; raises AppProtocolError if one cannot be sent."""
        url = self.url.text(values, url_part)
        assert isinstance(url, str)  # only names that are always known stand in it
        if self.query:
            url += ("&" if "?" in url else "?") + urlencode(
                fill_known(self.query, values), errors="replace"
            )
        headers = fill_known(self.headers, values)
        origin = self.origin.text(values) if self.origin is not None else None
        for name, value in (*headers.items(), ("origin", to_text(origin or ""))):
            if header_problem(value):
                raise AppProtocolError(
                    f"{self.label}: what is to stand in {name!r} cannot be sent in a header"
                )
        return Handshake(url, headers, origin if isinstance(origin, str) else None)

    def fill(self, body: Any, values: Mapping[str, Any]) -> Any:
        """One of the bodies, filled in."""
        done = fill_templates(body, values)
        return None if done is MISSING else done

    def encode(self, content: Any) -> str:
        """What is sent for it: a text as it stands, everything else as JSON."""
        if isinstance(content, str):
            return content.encode("utf-8", "replace").decode()
        text = json.dumps(content)
        return wrap_event(text) if self.config.envelope == "socket.io" else text


def _find_secrets(config: WebSocketConfig) -> AppSecrets:
    """What of the settings no message may show."""
    named = [*config.headers.items(), *config.query.items()]
    for _, body in config.bodies():
        named += _named_texts(body)
    values = [*secret_values(named), *secrets_in_url(config.url)]
    texts = [text for _, text in (*config.handshake_templates(), *config.templates())]
    return AppSecrets.beside((value for value in values if "{" not in value), texts)


def _named_texts(body: Any) -> Iterator[tuple[str, str]]:
    """Every text in a body that has a name, with its name."""
    if isinstance(body, list):
        for item in body:  # pyright: ignore[reportUnknownVariableType]
            yield from _named_texts(item)
    elif isinstance(body, dict):
        for name, value in body.items():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(value, str):
                yield str(name), value  # pyright: ignore[reportUnknownArgumentType]
            else:
                yield from _named_texts(value)
