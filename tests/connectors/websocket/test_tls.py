"""wss against a real server on the loopback, with a certificate made for the test."""

import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppUnreachable, ConfigurationError

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
async def url(certificate: Path, app: Any, echo: Any) -> str:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    server = await app(echo, ssl=context)
    return str(server.url).replace("ws:", "wss:")


async def test_a_trusted_certificate_is_taken(
    websocket: Any, hear: Any, url: str, certificate: Path
) -> None:
    connector = websocket(url=url, tls={"ca_file": str(certificate)})
    assert (await hear(connector, "hi"))[0].text == "you said hi"


async def test_an_unknown_certificate_is_refused(websocket: Any, hear: Any, url: str) -> None:
    with pytest.raises(AppUnreachable, match=r"no secure connection: .*see tls\.ca_file"):
        await hear(websocket(url=url), "hi")


async def test_a_certificate_need_not_be_checked(websocket: Any, hear: Any, url: str) -> None:
    assert (await hear(websocket(url=url, tls={"verify": False}), "hi"))[0].text == "you said hi"


async def test_wss_to_a_server_that_speaks_ws_is_unreachable(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    server = await app(echo)
    with pytest.raises(AppUnreachable, match="does it speak wss"):
        await hear(websocket(url=server.url.replace("ws:", "wss:")), "hi")


def test_a_certificate_that_is_none_is_refused(websocket: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    with pytest.raises(ConfigurationError, match="tls: a certificate cannot be used"):
        websocket(url="wss://localhost/", tls={"ca_file": str(tmp_path / "bad.pem")})
