"""The settings made ready: templates cut up, and the secrets in them known."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sparring.errors import AppProtocolError
from sparring_connectors.described.http_text import header_problem, shown_url
from sparring_connectors.described.secrets import Secrets, of_url, telling
from sparring_connectors.described.template import (
    MISSING,
    Template,
    compiled,
    filled,
    plain,
    url_part,
)
from sparring_connectors.websocket.config import WebSocketConfig
from sparring_connectors.websocket.message_config import Match
from sparring_connectors.websocket.socketio import wrapped


@dataclass(frozen=True, slots=True)
class Handshake:
    """Where to connect, and with which headers."""

    url: str
    headers: dict[str, str]
    origin: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """How to connect and what to send. `label` names the app in messages."""

    config: WebSocketConfig
    label: str
    secrets: Secrets
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

    @classmethod
    def of(cls, config: WebSocketConfig) -> "Plan":
        """The plan that an app's settings describe."""
        secrets = _secrets(config)
        greeting = config.greeting
        own = greeting.body if greeting is not None else None
        body = compiled(config.body)
        return cls(
            config=config,
            label=secrets.hide(shown_url(config.url)),
            secrets=secrets,
            url=Template.of(config.url),
            query={name: Template.of(text) for name, text in config.query.items()},
            headers={name: Template.of(text) for name, text in config.headers.items()},
            origin=Template.of(config.origin) if config.origin is not None else None,
            open=tuple(compiled(each) for each in config.open),
            body=body,
            press=body if config.press is None else compiled(config.press),
            greeting=body if own is None else compiled(own),
            close=compiled(config.close),
            back=tuple((each.to, compiled(each.body)) for each in config.back),
        )

    def handshake(self, values: Mapping[str, Any]) -> Handshake:
        """The handshake for these values; raises AppProtocolError where one cannot be sent."""
        url = self.url.text(values, url_part)
        assert isinstance(url, str)  # only names that are always known stand in it
        if self.query:
            url += ("&" if "?" in url else "?") + urlencode(
                _known(self.query, values), errors="replace"
            )
        headers = _known(self.headers, values)
        origin = self.origin.text(values) if self.origin is not None else None
        for name, value in (*headers.items(), ("origin", plain(origin or ""))):
            if header_problem(value):
                raise AppProtocolError(
                    f"{self.label}: what is to stand in {name!r} cannot be sent in a header"
                )
        return Handshake(url, headers, origin if isinstance(origin, str) else None)

    def said(self, body: Any, values: Mapping[str, Any]) -> Any:
        """One of the bodies, filled in."""
        done = filled(body, values)
        return None if done is MISSING else done

    def encoded(self, said: Any) -> str:
        """What is sent for it: a text as it stands, everything else as JSON."""
        if isinstance(said, str):
            return said.encode("utf-8", "replace").decode()
        text = json.dumps(said)
        return wrapped(text) if self.config.envelope == "socket.io" else text


def _known(templates: Mapping[str, Template], values: Mapping[str, Any]) -> dict[str, str]:
    pairs = ((name, template.text(values)) for name, template in templates.items())
    return {name: text for name, text in pairs if isinstance(text, str)}


def _secrets(config: WebSocketConfig) -> Secrets:
    """What of the settings no message may show."""
    given = [*config.headers.items(), *config.query.items()]
    for _, body in config.bodies():
        given += _pairs(body)
    values = [*telling(given), *of_url(config.url)]
    texts = [text for _, text in (*config.handshake_templates(), *config.templates())]
    return Secrets.beside((value for value in values if "{" not in value), texts)


def _pairs(body: Any) -> Iterator[tuple[str, str]]:
    """Every text in a body that has a name, with its name."""
    if isinstance(body, list):
        for item in body:  # pyright: ignore[reportUnknownVariableType]
            yield from _pairs(item)
    elif isinstance(body, dict):
        for name, value in body.items():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(value, str):
                yield str(name), value  # pyright: ignore[reportUnknownArgumentType]
            else:
                yield from _pairs(value)
