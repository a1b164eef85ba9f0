"""https against a real server on the loopback, with a certificate made for the test."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppUnreachable
from sparring.model.case import Case
from sparring.model.talk import Say

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl"),
]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem"
    extra = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command.split(), *extra], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "cert.pem"


@pytest.fixture
async def url(certificate: Path) -> AsyncIterator[str]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"text": "in secret"}'
        writer.write(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        writer.write(body)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context)
    yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def said(connector: Any, case: Case) -> str:
    async with connector.open(case) as session:
        return (await session.send(Say(text="hello"))).text


async def test_an_unknown_certificate_is_refused_and_the_way_out_named(
    rest: Any, case: Case, url: str
) -> None:
    with pytest.raises(AppUnreachable, match=r"no secure connection: .*certificate.*tls\.ca_file"):
        await said(rest(url=url), case)


async def test_a_certificate_that_the_suite_names_is_trusted(
    rest: Any, case: Case, url: str, certificate: Path
) -> None:
    assert await said(rest(url=url, tls={"ca_file": str(certificate)}), case) == "in secret"


async def test_checking_can_be_switched_off(rest: Any, case: Case, url: str) -> None:
    assert await said(rest(url=url, tls={"verify": False}), case) == "in secret"
