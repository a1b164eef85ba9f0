"""What other hosts answer to a skill while the network is stubbed: a YAML list of answers."""

import base64
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator

from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError, EnvironmentFailure, Problem
from sparring_connectors.alexa.hosting.host import HandlerFailure
from sparring_connectors.alexa.hosting.wire import ServiceRequest

_MOST_SHOWN = 200
_HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]
_HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")]


class Stub(BaseModel):
    """The answer to requests for one address, in which `*` stands for anything.

    `binary` is a body in base 64, instead of `body`; `recorded` marks what `network: record` wrote.

    An address without a query answers every query. `body` is sent as it is if it is text, else as
    JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(min_length=1)
    method: str | None = Field(default=None, pattern=r"^[A-Za-z]+$")
    status: int = Field(default=200, ge=200, le=599)
    headers: dict[_HeaderName, _HeaderValue] = {}
    body: JsonValue = None
    binary: str | None = None
    recorded: bool = False

    @field_validator("binary")
    @classmethod
    def _is_base64(cls, value: str | None) -> str | None:
        try:
            base64.b64decode(value or "", validate=True)
        except ValueError:
            raise ValueError("is no base 64") from None
        return value

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")) or not urlsplit(value).netloc:
            raise ValueError("an address begins with https:// or http:// and a host")
        return value

    @field_validator("headers")
    @classmethod
    def _leaves_framing(cls, value: dict[str, str]) -> dict[str, str]:
        if any(name.lower() in {"content-length", "transfer-encoding"} for name in value):
            raise ValueError("Content-Length and Transfer-Encoding come from the body")
        return value

    def answers(self, method: str, host: str, target: str) -> bool:
        """Return whether this is the answer to a request.

        Schemes and ports are not compared: a skill's library may leave both out.
        """
        if self.method is not None and self.method.upper() != method:
            return False
        wanted = urlsplit(self.url)
        path, _, query = target.partition("?")
        return (
            _matches(wanted.netloc.partition(":")[0].lower(), host)
            and _matches(wanted.path or "/", path)
            and (not wanted.query or _matches(wanted.query, query))
        )

    def content(self) -> bytes:
        """Return the body as bytes."""
        if self.binary is not None:
            return base64.b64decode(self.binary)
        if self.body is None:
            return b""
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()

    def all_headers(self) -> dict[str, str]:
        """Return the headers, with a content type if the suite gives none."""
        if self.body is None or any(name.lower() == "content-type" for name in self.headers):
            return dict(self.headers)
        kind = "text/plain; charset=utf-8" if isinstance(self.body, str) else "application/json"
        return {"Content-Type": kind, **self.headers}


def _matches(pattern: str, text: str) -> bool:
    """Return whether a text fits a pattern with `*`, in time linear in the text for each `*`."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    *middle, last = rest
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return text.endswith(last) and len(text) - len(last) >= at


def read_stubs(path: Path) -> list[Stub]:
    """Read a list of answers; raises ConfigurationError with file, line and key."""
    document = read_document(path)
    data: object = document.data
    if not isinstance(data, list):
        raise ConfigurationError(
            Problem("expected a list of answers, each with `url`", str(path), 1)
        )
    stubs: list[Stub] = []
    problems: list[Problem] = []
    for index, entry in enumerate(cast("list[Any]", data)):
        try:
            stubs.append(Stub.model_validate(entry))
        except ValidationError as err:
            for error in err.errors(include_url=False, include_context=False):
                at = (index, *error["loc"])
                key = ".".join(str(part) for part in error["loc"])
                line = document.line(at)
                problems.append(Problem(error["msg"], str(path), line, key or None))
    if problems:
        raise ConfigurationError(*problems)
    return stubs


_UNANSWERED = Stub(
    url="https://*/", status=501, body={"message": "Sparring's suite has no answer for this"}
)


class StubbedHosts:
    """Answers for all hosts; keeps which requests came since they were last taken.

    Args:
        stubs: The answers.
        replays: Whether a request that is made again gets the next answer that fits; the last one
            is repeated. Else it is always the first one.
    """

    def __init__(self, stubs: Sequence[Stub], *, replays: bool = False) -> None:
        self._stubs = tuple(stubs)
        self._replays = replays
        self._numbers: Counter[str] = Counter()
        self._requests: list[str] = []
        self._refused: list[str] = []

    async def reply(self, request: ServiceRequest) -> Stub:
        """Return the answer to a request; one that no answer fits is kept as refused."""
        shown = self.note(request)
        fitting = (
            stub for stub in self._stubs
            if stub.answers(request.method, request.host, request.target)
        )  # fmt: skip
        if not self._replays:
            stub = next(fitting, None)
        else:
            answers = list(fitting)
            key = f"{request.method} {request.host}{request.target}"
            stub = answers[min(self._numbers[key], len(answers) - 1)] if answers else None
            self._numbers[key] += 1
        if stub is None:
            return self.refuse(f"`answers` has nothing for {shown}: add it there")
        return stub

    def note(self, request: ServiceRequest) -> str:
        """Keep a request for the trace; returns it as it is shown."""
        shown = f"{request.method} {request.host}{request.target}"[:_MOST_SHOWN]
        self._requests.append(shown)
        return shown

    def refuse(self, why: str) -> Stub:
        """Keep why a request has no answer; returns what the skill gets instead."""
        self._refused.append(why)
        return _UNANSWERED

    def take(self, label: str, calls: tuple[str, ...], log: str) -> tuple[str, ...]:
        """Return the requests since the last time.

        Args:
            label: The skill's name, for the message.
            calls: Hosts that the handler asked for past its HTTP libraries.
            log: What the handler printed.

        Raises:
            HandlerFailure: If anything was left without an answer. That is never the skill's
                fault, whatever it made of it: most skills catch it and apologise.
        """
        requests, self._requests = tuple(self._requests), []
        refused, self._refused = self._refused, []
        if not refused and not calls:
            return requests
        if refused:
            why = "; ".join(refused[:3])
        else:
            why = f"a library that cannot be stubbed asks for {', '.join(calls[:3])}"
        raise HandlerFailure(
            EnvironmentFailure(f"{label}: {why} (see `network`)"),
            "crash",
            log,
            (*requests, *calls),
        )
