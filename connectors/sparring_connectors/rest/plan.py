"""A request's settings made ready: templates cut up, headers of all requests merged in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from sparring.errors import AppProtocolError
from sparring_connectors.described.http_text import header_problem, redact_url
from sparring_connectors.described.reply_config import ReplyConfig
from sparring_connectors.described.request_config import (
    ReadRequestConfig,
    RequestConfig,
    RequestParts,
    join_url,
)
from sparring_connectors.described.secrets import AppSecrets
from sparring_connectors.described.template import (
    MISSING,
    Template,
    compile_templates,
    fill_known,
    fill_templates,
    to_text,
    url_part,
)
from sparring_connectors.rest.config import RestConfig

_CONTENT_TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """One request with everything filled in. `label` is its method and address for messages."""

    method: str
    url: str
    headers: dict[str, str]
    cookies: dict[str, str]
    content: bytes | None
    label: str


@dataclass(frozen=True, slots=True)
class RequestPlan:
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
    def of_message(cls, config: RestConfig) -> "RequestPlan":
        """The plan for what the user says."""
        return cls._make(config, join_url(config.url, config.path), config, config.reply)

    @classmethod
    def of_variant(cls, config: RestConfig, own: RequestConfig) -> "RequestPlan":
        """The plan for a message of another kind: what it does not give is as in others."""
        fields_set = own.model_fields_set
        base = own if fields_set & {"body", "method"} else config
        parts = own.model_copy(
            update={
                "method": own.method if "method" in fields_set else config.method,
                "body": base.body,
                "body_as": own.body_as if "body_as" in fields_set else base.body_as,
            }
        )
        path = own.path if "path" in fields_set else config.path
        reply = own.reply if "reply" in fields_set else config.reply
        return cls._make(config, own.url or join_url(config.url, path), parts, reply)

    @classmethod
    def of_request(cls, config: RestConfig, own: RequestConfig) -> "RequestPlan":
        """The plan for a request beside the messages."""
        return cls._make(config, own.url or join_url(config.url, own.path), own, own.reply)

    @classmethod
    def _make(
        cls, config: RestConfig, url: str, own: RequestParts, reply: ReplyConfig
    ) -> "RequestPlan":
        body_as = own.body_as
        if own.body is not None and body_as is None:
            body_as = "text" if isinstance(own.body, str) else "json"
        headers = _merge_maps({"Accept": _accept(reply)}, config.headers, own.headers, fold=True)
        if body_as and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = _CONTENT_TYPES[body_as]
        return cls(
            method=own.method,
            url=Template.of(url),
            headers={name: Template.of(text) for name, text in headers.items()},
            query=_templates(_merge_maps(config.query, own.query)),
            cookies=_templates(_merge_maps(config.cookies, own.cookies)),
            body=compile_templates(own.body),
            body_as=body_as,
            reply=reply,
            label=f"{own.method} {redact_url(url)}",
        )

    def uses(self, name: str) -> bool:
        """Whether a placeholder stands anywhere in the request."""
        groups = (self.headers, self.query, self.cookies)
        trees = [self.url, *(t for group in groups for t in group.values()), self.body]
        return any(_mentions(tree, name) for tree in trees)

    def prepare(self, values: Mapping[str, Any]) -> PreparedRequest:
        """The request for these values; raises AppProtocolError if one cannot be sent.

        Those are values from the app or the case: the author's texts are checked before.
        """
        url = self.url.text(values, url_part)
        if url is MISSING:
            missing = next(s.name for s in self.url.slots if s.name not in values)
            raise AppProtocolError(f"{self.label}: the app gave no value for {{{missing}}}")
        if self.query:
            pairs = urlencode(fill_known(self.query, values), errors="replace")
            url += ("&" if "?" in url else "?") + pairs if pairs else ""
        headers, cookies = fill_known(self.headers, values), fill_known(self.cookies, values)
        for name, value in (*headers.items(), *cookies.items()):
            if header_problem(value) or (name in cookies and ";" in value):
                raise AppProtocolError(
                    f"{self.label}: what is to stand in {name!r} cannot be sent in a header"
                )
        return PreparedRequest(
            self.method, url, headers, cookies, self._content(values), self.label
        )

    def _content(self, values: Mapping[str, Any]) -> bytes | None:
        if self.body_as is None:
            return None
        body = fill_templates(self.body, values)
        if self.body_as == "json":
            return json.dumps(None if body is MISSING else body).encode("ascii")
        if self.body_as == "form":
            return urlencode(_form_fields(body), errors="replace").encode("ascii")
        return ("" if body is MISSING else to_text(body)).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class RequestPlans:
    """Every kind of request that an app's settings describe."""

    message: RequestPlan
    press: RequestPlan
    open: RequestPlan | None
    greeting: RequestPlan | None
    poll: RequestPlan | None
    close: RequestPlan | None
    probe: RequestPlan

    @classmethod
    def of(cls, config: RestConfig, secrets: AppSecrets) -> "RequestPlans":
        """The plans of an app, with labels that hold no secret."""

        def shown(plan: RequestPlan) -> RequestPlan:
            return replace(plan, label=secrets.hide(plan.label))

        def beside(own: RequestConfig | None) -> RequestPlan | None:
            return shown(RequestPlan.of_request(config, own)) if own else None

        def variant(own: RequestConfig | None) -> RequestPlan | None:
            return shown(RequestPlan.of_variant(config, own)) if own else None

        message = shown(RequestPlan.of_message(config))
        return cls(
            message=message,
            press=variant(config.press) or message,
            open=beside(config.open),
            greeting=variant(config.greeting),
            poll=beside(config.poll),
            close=beside(config.close),
            probe=shown(RequestPlan.of_request(config, config.probe or ReadRequestConfig())),
        )

    def use(self, name: str) -> bool:
        """Whether a placeholder stands in any request of a conversation."""
        each = (self.message, self.press, self.open, self.greeting, self.poll, self.close)
        return any(plan is not None and plan.uses(name) for plan in each)


def _accept(reply: ReplyConfig) -> str:
    return "application/json, */*;q=0.5" if reply.read_as == "json" else "*/*"


def _merge_maps(*maps: Mapping[str, str | None], fold: bool = False) -> dict[str, str]:
    """Maps over one another, null removing; names of headers fold their case."""
    merged: dict[str, tuple[str, str | None]] = {}
    for map_ in maps:
        for name, value in map_.items():
            merged[name.lower() if fold else name] = (name, value)
    return {name: value for name, value in merged.values() if value is not None}


def _templates(texts: Mapping[str, str]) -> dict[str, Template]:
    return {name: Template.of(text) for name, text in texts.items()}


def _form_fields(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (key, to_text(item))
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
