"""The HTTP that a handler's process speaks with what stands for Alexa and for other hosts."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring_connectors.alexa.shapes import mapping

_MOST_BODY = 1_000_000
_MOST_HEADERS = 200
#: Begins the line in which a runner says to which host a connection was meant to go.
_CALLED = "SPARRING-HOST"


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """A request; `host` is the one that the skill asked for, without a port.

    `origin` is scheme, host and port that its connection was meant for, as the runner said;
    `headers` are by name in lower case.
    """

    method: str
    target: str
    host: str
    origin: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes = b""

    @property
    def token(self) -> str:
        """The token that Alexa gave the skill with a request, if it shows one."""
        return self.headers.get("authorization", "").removeprefix("Bearer ").strip()

    @property
    def body(self) -> dict[str, Any]:
        """The object that was sent; empty if it was none."""
        try:
            return mapping(json.loads(self.content or b"{}"))
        except (ValueError, RecursionError):
            return {}

    @property
    def url(self) -> str:
        """The whole address."""
        origin = self.origin or f"https://{self.host}"
        usual = ":443" if origin.startswith("https:") else ":80"
        return origin.removesuffix(usual) + self.target


async def read_request(reader: asyncio.StreamReader, called: str = "") -> ServiceRequest | None:
    """Return the next request, or None at the end.

    The host comes from the runner: of the connection (`called`, in a line before its first
    request) or in a header of its own. A skill's own Host header, which may be missing or name
    another, is the last resort.
    """
    first = (await reader.readline()).decode("latin-1").split()
    if first[:1] == [_CALLED]:
        called = first[1].lower() if len(first) > 1 else ""
        first = (await reader.readline()).decode("latin-1").split()
    if len(first) < 2:
        return None
    headers = await _read_headers(reader)
    origin = headers.get("x-sparring-host", "").lower() or called
    host = origin.rpartition("//")[2] or headers.get("host", "").lower()
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= _MOST_BODY:
        raise ValueError("the body is too long")
    chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    body = await _read_chunks(reader) if chunked else await reader.readexactly(length)
    host = host.partition(":")[0]
    return ServiceRequest(first[0].upper(), first[1], host, origin, headers, body)


async def _read_headers(reader: asyncio.StreamReader) -> dict[str, str]:
    """Return the headers of a request by name in lower case; the last of a name counts."""
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
        if len(headers) > _MOST_HEADERS:
            raise ValueError("there are too many headers")
    return headers


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0] or b"0", 16):
        if len(body) + size > _MOST_BODY:
            raise ValueError("the body is too long")
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


def encode_json(status: int, content: Any) -> bytes:
    """Return an answer with JSON; without a body if that is None."""
    body = b"" if content is None else json.dumps(content).encode()
    return encode(status, body, {"Content-Type": "application/json"})


def encode(status: int, body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return an answer as bytes."""
    lines = [f"HTTP/1.1 {status} {'OK' if status < 300 else 'Error'}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body
