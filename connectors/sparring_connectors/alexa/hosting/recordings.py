"""Records what other hosts answer to a skill, so that it can be replayed without them.

Requests are sent on from Sparring's own process, once for each time that a conversation makes them;
what comes is appended to the YAML list of answers (see `stubs.py`). Request headers and bodies are
never stored, of the answer's headers only harmless ones are, and secrets in addresses and JSON are
masked. An answer is hostile: its size, its time and the length of the list are bounded.
"""

import asyncio
import base64
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import yaml
from pydantic import BaseModel, ConfigDict

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.hosting.stubs import Stub, StubbedHosts, read_stubs
from sparring_connectors.alexa.hosting.wire import ServiceRequest
from sparring_connectors.bundled_data import load_data

MOST_RECORDED = 5_000
"""Answers of one list."""
MOST_BYTES = 1_000_000
"""Bytes of one answer, unpacked."""

_MASK = "REMOVED"
_MOST_DEPTH = 50
_TITLE = """\
# Recorded by Sparring (network: record); what is here is not asked for again. Secrets of headers
# are left out: look through the rest before you share it.
"""
#: Headers of a request that belong to its connection, not to what is asked for.
_OF_CONNECTION = frozenset({
    "host", "x-sparring-host", "connection", "keep-alive", "transfer-encoding", "content-length",
    "accept-encoding", "te", "trailer", "upgrade", "proxy-authorization", "expect",
})  # fmt: skip
# "?key=abc&q=rome": values of names that say secret are replaced before anything is stored.
_SECRET_PARAMETER = re.compile(r"([^&=]+)=([^&]*)")


class RecordingRules(BaseModel):
    """Schema of ``recording_rules.yaml``; what each list is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kept_headers: frozenset[str]
    secret_names: tuple[str, ...]
    plain_names: frozenset[str]


@lru_cache(maxsize=1)
def recording_rules() -> RecordingRules:
    """Return the lists of ``recording_rules.yaml``, read once."""
    return load_data(__file__, "recording_rules.yaml", RecordingRules)


class UnrecordableAnswer(Exception):
    """An answer that did not come, or is too large; the text says why."""


class Recorder:
    """The list of answers of a run, which grows; conversations share it.

    Args:
        path: The list; it need not exist yet.
        timeout_s: How long an answer may take.
        refuses_near: Whether this machine itself, and addresses that only it and its neighbours
            know (loopback, link-local), are not asked: an isolated handler must not reach them.
    """

    def __init__(self, path: Path, timeout_s: float, *, refuses_near: bool = True) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._refuses_near = refuses_near
        self.stubs = read_stubs(path) if path.exists() else list[Stub]()
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        if not path.parent.is_dir():
            raise ConfigurationError(Problem("there is no such folder", str(path.parent), None))

    async def answer(self, request: ServiceRequest, number: int) -> Stub:
        """Return the answer to a request that a conversation makes for the nth time (from 0).

        Raises:
            UnrecordableAnswer: If none comes, or one that is too large.
        """
        async with self._lock():
            fitting = [stub for stub in self.stubs if _fits(stub, request)]
            if number < len(fitting) or any(not stub.recorded for stub in fitting):
                return fitting[min(number, len(fitting) - 1)]
            if len(self.stubs) >= MOST_RECORDED:
                raise UnrecordableAnswer(f"the list has {MOST_RECORDED:,} answers already")
            if self._refuses_near:
                await _refuse_near(request.host)
            stub = await self._ask(request)
            self._append(stub)
            return stub

    def _lock(self) -> asyncio.Lock:
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._turn, self._loop = asyncio.Lock(), loop
        return self._turn

    async def _ask(self, request: ServiceRequest) -> Stub:
        import httpx2

        headers = {
            name: value for name, value in request.headers.items() if name not in _OF_CONNECTION
        }
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx2.AsyncClient(trust_env=False, timeout=self._timeout_s) as client,
                client.stream(
                    request.method, request.url, headers=headers, content=request.content
                ) as response,
            ):
                body = b""
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        raise UnrecordableAnswer(f"it is larger than {MOST_BYTES:,} bytes")
        except TimeoutError as err:
            raise UnrecordableAnswer(f"it did not come within {self._timeout_s:g} s") from err
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as err:
            raise UnrecordableAnswer(f"{type(err).__name__}: {str(err)[:200]}") from err
        return recorded_stub(request, response.status_code, dict(response.headers), body)

    def _append(self, stub: Stub) -> None:
        is_new = not self._path.exists()
        entry = stub.model_dump(exclude_defaults=True)
        text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=100)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write((_TITLE if is_new else "") + text)
        except OSError as err:
            raise UnrecordableAnswer(f"{self._path}: {err.strerror or err}") from err
        self.stubs.append(stub)


async def _refuse_near(host: str) -> None:
    """Raise UnrecordableAnswer if a host is this machine, or cannot be found."""
    try:
        places = await asyncio.get_running_loop().getaddrinfo(host, None)
    except (OSError, UnicodeError) as err:
        raise UnrecordableAnswer(f"the host cannot be found: {err}") from err
    for *_, address in places:
        ip = ip_address(str(address[0]).partition("%")[0])
        if ip.is_loopback or ip.is_link_local or ip.is_unspecified:
            raise UnrecordableAnswer("the host is this machine, or one that only it knows")


def _fits(stub: Stub, request: ServiceRequest) -> bool:
    return stub.answers(request.method, request.host, request.target)


def recorded_stub(
    request: ServiceRequest, status: int, headers: Mapping[str, str], body: bytes
) -> Stub:
    """Return an answer as it is stored: without secrets, and its body as JSON, text or bytes."""
    kept = {
        name.title(): "".join(char if " " <= char <= "~" else "?" for char in value)[:2_000]
        for name, value in headers.items()
        if name.lower() in recording_rules().kept_headers
    }
    if location := kept.get("Location"):
        kept["Location"] = _without_secrets(location)
    stub: dict[str, Any] = {"url": _without_secrets(request.url, mask="*")}
    stub |= {"method": request.method, "status": status if 200 <= status <= 599 else 502}
    stub |= {"headers": kept, "recorded": True}
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return Stub.model_validate({**stub, "binary": base64.b64encode(body).decode()})
    return Stub.model_validate({**stub, "body": _body(text)})


def _body(text: str) -> Any:
    """Return JSON as data, masked; all else as the text that it is."""
    if not text:
        return None
    try:
        data = json.loads(text)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair cannot be written
        if isinstance(data, dict | list):
            return _masked(data)
    except (ValueError, RecursionError):
        pass
    return text


def _masked(data: Any, depth: int = 0) -> Any:
    """Return JSON with its secrets masked; raises RecursionError for what is nested too deep."""
    if depth > _MOST_DEPTH:
        raise RecursionError("nested too deep to be written as YAML")
    if isinstance(data, dict):
        items = cast("dict[str, Any]", data).items()
        return {
            name: _MASK if isinstance(value, str) and is_secret(name) else _masked(value, depth + 1)
            for name, value in items
        }
    if isinstance(data, list):
        return [_masked(item, depth + 1) for item in cast("list[Any]", data)]
    return data


def is_secret(name: str) -> bool:
    """Return whether the value of a parameter or key of this name is a secret."""
    rules = recording_rules()
    plain = unquote(name).lower().replace("-", "_")
    if plain in rules.plain_names:
        return False
    return any(part in plain.replace("_", "") for part in rules.secret_names)


def _without_secrets(url: str, mask: str = _MASK) -> str:
    """Return an address whose secret parameters are masked."""
    path, found, query = url.partition("?")

    def replaced(match: re.Match[str]) -> str:
        return f"{match[1]}={mask}" if is_secret(match[1]) else match[0]

    return path + found + _SECRET_PARAMETER.sub(replaced, query)


class RecordingHosts(StubbedHosts):
    """Answers from the list, and asks the host itself for what is not yet there."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(())
        self._recorder = recorder

    async def reply(self, request: ServiceRequest) -> Stub:
        shown = self.note(request)
        key = f"{request.method} {request.host}{request.target}"
        number = self._numbers[key]
        self._numbers[key] += 1
        try:
            return await self._recorder.answer(request, number)
        except UnrecordableAnswer as err:
            return self.refuse(f"the answer to {shown} cannot be recorded: {err}")
