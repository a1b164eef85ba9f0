"""HTTP/1.1 as the transport speaks it, with servers that answer byte by byte what is scripted."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from sparring_plugins.llm.asyncio_transport import AsyncioTransport

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """The address of a server that follows a script on each connection."""

    async def on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await script(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(on, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.sockets[0].getsockname()[1]}/path?q=1"


async def read(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(4)


def answering(*parts: bytes) -> Script:
    """Answers each request with these parts, one after the other, and hangs up at b""."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read(reader)
            for part in parts:
                if not part:
                    return
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)

    return script


@asynccontextmanager
async def client(transport: AsyncioTransport | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=transport or AsyncioTransport()) as made:
        yield made


@pytest.mark.parametrize(
    "parts",
    [
        (OK,),
        tuple(OK[n : n + 1] for n in range(len(OK))),
        (b"HTTP/1.1 100 Continue\r\n\r\n", OK),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n",
            b"1\r\ni\r\n0\r\n\r\n",
        ),
        (b"HTTP/1.1 200 OK\r\n\r\nh", b"i", b""),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", b""),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", b""),
    ],
)
async def test_a_response_is_read_in_whatever_parts_it_comes(parts: tuple[bytes, ...]) -> None:
    async with served(answering(*parts)) as url, client() as http:
        for _ in range(3):
            response = await http.post(url, content=b"four")
            assert (response.status_code, response.content) == (200, b"hi")


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ((b"",), httpx2.RemoteProtocolError),
        ((b"HTTP/1.1 200 OK\r\nContent-Le", b""), httpx2.RemoteProtocolError),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", b""), httpx2.RemoteProtocolError),
        ((b"220 mail.example ESMTP\r\n\r\n",), httpx2.RemoteProtocolError),
        ((b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,), httpx2.RemoteProtocolError),
        ((b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", b""), httpx2.RemoteProtocolError),
    ],
)
async def test_what_is_no_response_is_an_error(
    parts: tuple[bytes, ...], error: type[httpx2.HTTPError]
) -> None:
    async with served(answering(*parts)) as url, client() as http:
        with pytest.raises(error):
            await http.post(url, content=b"four")


async def test_an_endless_answer_is_given_up() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 2**20)
            await writer.drain()

    async with served(script) as url, client() as http:
        with pytest.raises(httpx2.RemoteProtocolError, match="longer than 64 MiB"):
            await http.post(url, content=b"four")


async def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    hung_up = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read(reader)
        writer.write(OK)
        writer.close()
        await writer.wait_closed()
        hung_up.set()

    async with served(script) as url, client() as http:
        for _ in range(3):
            hung_up.clear()
            assert (await http.post(url, content=b"four")).content == b"hi"
            await hung_up.wait()
            await asyncio.sleep(0.02)  # until the news has come over the loopback


async def test_idle_connections_grow_old() -> None:
    made: list[int] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made.append(1)
        await answering(OK)(reader, writer)

    async with served(script) as url:
        for keep_s, expected in ((60.0, 1), (-1.0, 3)):
            made.clear()
            async with client(AsyncioTransport(keep_s=keep_s)) as http:
                for _ in range(3):
                    await http.post(url, content=b"four")
            assert len(made) == expected


async def test_no_more_connections_are_made_than_allowed() -> None:
    open_, most = 0, 0

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_, most
        open_, most = open_ + 1, max(most, open_ + 1)
        try:
            await answering(OK)(reader, writer)
        finally:
            open_ -= 1

    async with served(script) as url, client(AsyncioTransport(connections=3)) as http:
        await asyncio.gather(*(http.post(url, content=b"four") for _ in range(30)))
    assert most == 3


async def test_a_cancelled_request_closes_its_connection() -> None:
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read(reader)
        arrived.set()
        await reader.read()
        gone.set()

    async with served(script) as url, client() as http:
        task = asyncio.create_task(http.post(url, content=b"four"))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60):
            await gone.wait()


async def test_a_refused_connection_is_a_connect_error(nobody_there: str) -> None:
    async with client() as http:
        with pytest.raises(httpx2.ConnectError):
            await http.post(nobody_there, content=b"four")


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl")
async def test_https_is_spoken_with_servers_whose_certificate_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem"
    extra = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *extra], cwd=tmp_path, check=True, capture_output=True)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    async with served(answering(OK), tls) as url:
        async with client() as http:
            with pytest.raises(httpx2.ConnectError, match="certificate verify failed"):
                await http.post(url, content=b"four")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        async with client() as http:
            for _ in range(3):
                assert (await http.post(url, content=b"four")).content == b"hi"
