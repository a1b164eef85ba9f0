"""What every example's server does with requests that no client should send."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.servers.example_server import EXAMPLES, serving

SERVERS = {"pizzeria": "/sessions", "workshop": "/sessions", "shop": "/cart/add"}
"""One of each kind, with something that it takes by POST."""


@pytest.fixture(scope="module", params=SERVERS)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    with serving(request.param) as url:
        yield url, SERVERS[request.param]


def answered(url: str, request: bytes) -> bytes:
    """All that is answered until the server hangs up."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as raw:
        raw.sendall(request)
        return b"".join(iter(lambda: raw.recv(4096), b""))


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (b"Content-Length: " + b"9" * 5_000, 413),
        (b"Content-Length: 64001", 413),
        (b"Content-Length: \xc2\xb2", 400),
        (b"Content-Length: -1", 400),
        (b"Content-Length: 1_0", 400),
        (b"Transfer-Encoding: chunked", 411),
    ],
    ids=["endless", "large", "not ascii", "negative", "underscore", "chunked"],
)
def test_a_body_of_no_or_odd_length_is_refused_and_the_connection_closed(
    served: tuple[str, str], header: bytes, status: int
) -> None:
    url, path = served
    heard = answered(url, b"POST %b HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n" % (path.encode(), header))
    assert heard.startswith(b"HTTP/1.1 %d " % status)
    assert b"internal error" not in heard


@pytest.mark.parametrize("example", SERVERS)
@pytest.mark.parametrize("address", [("--port", "99999"), ("--host", "a..b")])
def test_where_it_cannot_listen_is_told_in_one_line(example: str, address: list[str]) -> None:
    script = EXAMPLES / example / "server.py"
    done = subprocess.run(
        [sys.executable, str(script), *address], capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("cannot listen on ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read"),
        ("{", "cannot read"),
        ("[late-toppings]", "does not say true or false"),
        ("late-toppings: true", "does not say true or false"),
    ],
)
def test_what_the_weak_spots_are_must_be_told(
    tmp_path: Path, text: str | None, message: str
) -> None:
    file = tmp_path / "weak.yaml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    script = EXAMPLES / "pizzeria" / "server.py"
    done = subprocess.run(
        [sys.executable, str(script), "--weak-spots", str(file)], capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
