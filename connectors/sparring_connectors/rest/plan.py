"""A request's settings made ready: templates cut up, headers of all requests merged in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from sparring.errors import AppProtocolError
from sparring_connectors.described.http_text import header_problem, shown_url
from sparring_connectors.described.reply_config import ReplyConfig
from sparring_connectors.described.request_config import (
    ReadRequestConfig,
    RequestConfig,
    RequestParts,
    joined,
)
from sparring_connectors.described.secrets import Secrets
from sparring_connectors.described.template import (
    MISSING,
    Template,
    compiled,
    filled,
    plain,
    url_part,
)
from sparring_connectors.rest.config import RestConfig

_CONTENT_TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """One request with everything filled in. `label` is its method and address for messages."""

    method: str
    url: str
    headers: dict[str, str]
    cookies: dict[str, str]
    content: bytes | None
    label: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How to make one kind of request, and how to read its reply."""

    method: str
    url: Template
    headers: dict[str, Template]
    query: dict[str, Template]
    cookies: dict[str, Template]
    body: Any
    body_as: str | None
    reply: ReplyConfig
    label: str

    @classmethod
    def of_message(cls, config: RestConfig) -> "Plan":
        """The plan for what the user says."""
        return cls._made(config, joined(config.url, config.path), config, config.reply)

    @classmethod
    def of_variant(cls, config: RestConfig, own: RequestConfig) -> "Plan":
        """The plan for a message of another kind: what it does not give is as in others."""
        given = own.model_fields_set
        base = own if given & {"body", "method"} else config
        parts = own.model_copy(
            update={
                "method": own.method if "method" in given else config.method,
                "body": base.body,
                "body_as": own.body_as if "body_as" in given else base.body_as,
            }
        )
        path = own.path if "path" in given else config.path
        reply = own.reply if "reply" in given else config.reply
        return cls._made(config, own.url or joined(config.url, path), parts, reply)

    @classmethod
    def of_request(cls, config: RestConfig, own: RequestConfig) -> "Plan":
        """The plan for a request beside the messages."""
        return cls._made(config, own.url or joined(config.url, own.path), own, own.reply)

    @classmethod
    def _made(cls, config: RestConfig, url: str, own: RequestParts, reply: ReplyConfig) -> "Plan":
        body_as = own.body_as
        if own.body is not None and body_as is None:
            body_as = "text" if isinstance(own.body, str) else "json"
        headers = _merged({"Accept": _accept(reply)}, config.headers, own.headers, fold=True)
        if body_as and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = _CONTENT_TYPES[body_as]
        return cls(
            method=own.method,
            url=Template.of(url),
            headers={name: Template.of(text) for name, text in headers.items()},
            query=_templates(_merged(config.query, own.query)),
            cookies=_templates(_merged(config.cookies, own.cookies)),
            body=compiled(own.body),
            body_as=body_as,
            reply=reply,
            label=f"{own.method} {shown_url(url)}",
        )

    def uses(self, name: str) -> bool:
        """Whether a placeholder stands anywhere in the request."""
        groups = (self.headers, self.query, self.cookies)
        found = [self.url, *(t for group in groups for t in group.values()), self.body]
        return any(_mentions(tree, name) for tree in found)

    def prepare(self, values: Mapping[str, Any]) -> Prepared:
        """The request for these values; raises AppProtocolError where one cannot be sent.

        Those are values from the app or the case: the author's texts are checked before.
        """
        url = self.url.text(values, url_part)
        if url is MISSING:
            missing = next(s.name for s in self.url.slots if s.name not in values)
            raise AppProtocolError(f"{self.label}: the app gave no value for {{{missing}}}")
        if self.query:
            pairs = urlencode(_known(self.query, values), errors="replace")
            url += ("&" if "?" in url else "?") + pairs if pairs else ""
        headers, cookies = _known(self.headers, values), _known(self.cookies, values)
        for name, value in (*headers.items(), *cookies.items()):
            if header_problem(value) or (name in cookies and ";" in value):
                raise AppProtocolError(
                    f"{self.label}: what is to stand in {name!r} cannot be sent in a header"
                )
        return Prepared(self.method, url, headers, cookies, self._content(values), self.label)

    def _content(self, values: Mapping[str, Any]) -> bytes | None:
        if self.body_as is None:
            return None
        body = filled(self.body, values)
        if self.body_as == "json":
            return json.dumps(None if body is MISSING else body).encode("ascii")
        if self.body_as == "form":
            return urlencode(_form(body), errors="replace").encode("ascii")
        return ("" if body is MISSING else plain(body)).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Plans:
    """Every kind of request that an app's settings describe."""

    message: Plan
    press: Plan
    open: Plan | None
    greeting: Plan | None
    poll: Plan | None
    close: Plan | None
    probe: Plan

    @classmethod
    def of(cls, config: RestConfig, secrets: Secrets) -> "Plans":
        """The plans of an app, with labels that hold no secret."""

        def shown(plan: Plan) -> Plan:
            return replace(plan, label=secrets.hide(plan.label))

        def beside(own: RequestConfig | None) -> Plan | None:
            return shown(Plan.of_request(config, own)) if own else None

        def variant(own: RequestConfig | None) -> Plan | None:
            return shown(Plan.of_variant(config, own)) if own else None

        message = shown(Plan.of_message(config))
        return cls(
            message=message,
            press=variant(config.press) or message,
            open=beside(config.open),
            greeting=variant(config.greeting),
            poll=beside(config.poll),
            close=beside(config.close),
            probe=shown(Plan.of_request(config, config.probe or ReadRequestConfig())),
        )

    def use(self, name: str) -> bool:
        """Whether a placeholder stands in any request of a conversation."""
        each = (self.message, self.press, self.open, self.greeting, self.poll, self.close)
        return any(plan is not None and plan.uses(name) for plan in each)


def _accept(reply: ReplyConfig) -> str:
    return "application/json, */*;q=0.5" if reply.read_as == "json" else "*/*"


def _merged(*maps: Mapping[str, str | None], fold: bool = False) -> dict[str, str]:
    """Maps over one another, null removing; names of headers fold their case."""
    merged: dict[str, tuple[str, str | None]] = {}
    for given in maps:
        for name, value in given.items():
            merged[name.lower() if fold else name] = (name, value)
    return {name: value for name, value in merged.values() if value is not None}


def _templates(texts: Mapping[str, str]) -> dict[str, Template]:
    return {name: Template.of(text) for name, text in texts.items()}


def _known(templates: Mapping[str, Template], values: Mapping[str, Any]) -> dict[str, str]:
    """The texts whose placeholders are all known."""
    pairs = ((name, template.text(values)) for name, template in templates.items())
    return {name: text for name, text in pairs if isinstance(text, str)}


def _form(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (key, plain(item))
        for key, value in body.items()
        for item in (value if isinstance(value, list) else [value])  # pyright: ignore[reportUnknownVariableType]
        if item is not None
    ]


def _mentions(tree: Any, name: str) -> bool:
    if isinstance(tree, Template):
        return any(slot.name == name for slot in tree.slots)
    if isinstance(tree, dict):
        return any(_mentions(value, name) for value in tree.values())  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    return isinstance(tree, list) and any(_mentions(item, name) for item in tree)  # pyright: ignore[reportUnknownVariableType]
