"""A server on the loopback that speaks OpenAI's chat protocol, and misbehaves on command.

In process: ``with OpenAIServer(delay_s=0.05) as server:``, and then `server.base_url`,
`server.manners`, `server.requests`. As a process of its own, which benchmarks need::

    python tests/servers/openai_server.py --port 0 --delay-s 0.05 --at-once 8

prints its base URL. There, ``POST /manners`` changes fields of `Manners`, ``GET /seen`` tells
what was asked. Tests import it with ``from ...servers.openai_server import OpenAIServer``.
"""

import argparse
import asyncio
import json
import threading
from collections import Counter
from dataclasses import asdict
from typing import Any, Self

if __package__:
    from .openai_replies import Answer, Asked, Manners
else:  # run as a script
    from openai_replies import Answer, Asked, Manners

__all__ = ["Answer", "Asked", "Manners", "OpenAIServer"]

CHAT = "/chat/completions"


class OpenAIServer:
    """The server, in a thread of its own while it is entered.

    `requests` are what was asked (chat alone), `statuses` what was answered, `most_at_once`
    how many requests it had in hand at most, `connections` how many were made.
    """

    def __init__(self, *, port: int = 0, keep: int = 20_000, **manners: Any) -> None:
        self.manners = Manners(**manners)
        self.requests: list[Asked] = []
        self.statuses: Counter[int] = Counter()
        self.at_once = self.most_at_once = self.connections = 0
        self.port, self._keep = port, keep
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._open: set[_Connection] = set()

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=asyncio.run, args=(self.serve(),), daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Hang up and end."""
        assert self._loop is not None
        assert self._end is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    async def serve(self, announce: bool = False) -> None:
        """Serve until the server is left."""
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        listening = await self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=2048
        )
        self.port = listening.sockets[0].getsockname()[1]
        self._ready.set()
        if announce:
            print(self.base_url, flush=True)  # noqa: T201
        await self._end.wait()
        listening.close()
        for connection in list(self._open):
            connection.transport.abort()
        await asyncio.sleep(0)  # asyncio closes the sockets in its next round

    def forget(self) -> None:
        """Begin to count anew."""
        self.requests.clear()
        self.statuses.clear()
        self.most_at_once = self.at_once

    def next_fault(self) -> str:
        """The fault of a request that has just come."""
        return self.manners.faults.pop(0) if self.manners.faults else self.manners.fault

    def seen(self) -> dict[str, Any]:
        """What was asked, as ``GET /seen`` tells it."""
        return {
            "requests": sum(self.statuses.values()),
            "statuses": dict(self.statuses),
            "most_at_once": self.most_at_once,
            "connections": self.connections,
            "manners": asdict(self.manners),
        }

    def note(self, asked: Asked) -> None:
        """Keep a request, as long as there are not too many."""
        if len(self.requests) < self._keep:
            self.requests.append(asked)


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other, kept alive in between."""

    transport: asyncio.Transport

    def __init__(self, server: OpenAIServer) -> None:
        self.server, self._got, self._tasks = server, b"", set[asyncio.Task[None]]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections += 1
        self.server._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._open.discard(self)
        for task in self._tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, rest = self._got.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", 0))
        if len(rest) < size:
            return
        self._got = rest[size:]
        method, path, _ = first.split(" ", 2)
        try:
            body = json.loads(rest[:size] or b"{}")
        except ValueError:
            body = {}
        asked = Asked(method, path, headers, body if isinstance(body, dict) else {})
        task = asyncio.get_running_loop().create_task(self._answered(asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answered(self, asked: Asked) -> None:
        plain = asked.path.partition("?")[0]
        if not plain.endswith(CHAT):
            return self._other(asked, plain)
        server = self.server
        server.note(asked)
        manners, fault = server.manners, server.next_fault()
        if manners.at_once is not None and server.at_once >= manners.at_once:
            return self._write(Answer(asked, manners, "429"), "429")
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            await self._wait_for_others(manners.together)
            if manners.delay_s:
                await asyncio.sleep(manners.delay_s)
            if fault == "silence":
                await asyncio.sleep(3600)
            return self._write(Answer(asked, manners, fault), fault)
        finally:
            server.at_once -= 1

    async def _wait_for_others(self, together: int) -> None:
        for _ in range(
            12_000
        ):  # two minutes: a client that never asks as much at once is answered, too
            if self.server.most_at_once >= together:
                return
            await asyncio.sleep(0.01)

    def _write(self, answer: Answer, fault: str) -> None:
        """Send an answer, or what a broken connection leaves of it."""
        self.server.statuses[answer.status] += 1
        if fault == "reset":
            return self.transport.abort()
        if fault == "drop":
            return self.transport.close()
        if fault == "bad-http":
            self.transport.write(b"220 mail.example ESMTP ready\r\n\r\n")
            return self.transport.close()
        if fault in ("drop-in-body", "stall-in-body"):
            self.transport.write(answer.head() + answer.body[: len(answer.body) // 2])
            return None if fault == "stall-in-body" else self.transport.close()
        return self.transport.write(answer.head() + answer.body)

    def _other(self, asked: Asked, path: str) -> None:
        """Everything but chat: the list of models, and what drives the server from outside."""
        answer: Any = {"object": "list", "data": [{"id": "m", "object": "model"}]}
        status = 200
        if path == "/seen":
            answer = self.server.seen()
        elif path == "/manners":
            self.server.manners = Manners(**{**asdict(self.server.manners), **asked.body})
            self.server.forget()
        elif not path.endswith("/models"):
            status, answer = 404, {"detail": "Not Found"}
        body = json.dumps(answer).encode()
        head = f"HTTP/1.1 {status} Said\r\nContent-Length: {len(body)}\r\n"
        self.transport.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-s", type=float, default=0.0)
    parser.add_argument("--at-once", type=int, default=None)
    parser.add_argument("--retry-after", default=None)
    parser.add_argument("--fault", default="ok")
    parser.add_argument("--refuses", nargs="*", default=[])
    given = vars(parser.parse_args())
    asyncio.run(OpenAIServer(port=given.pop("port"), keep=0, **given).serve(announce=True))


if __name__ == "__main__":
    main()
