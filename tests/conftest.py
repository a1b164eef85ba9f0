"""Fixtures shared by every test: a clean environment, no outside network, installed fakes."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]

Install = Callable[..., Path]

#: What changes colours, widths, reporters' manners or the door to plugins on somebody's machine.
_LEAKING = {
    *("CI", "GITHUB_ACTIONS", "COLUMNS", "LINES", "SPARRING_PLUGINS"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    *("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"),
}
_LEAKING_PREFIXES = ("OPENAI_", "ANTHROPIC_", "AZURE_OPENAI_", "GEMINI_", "MISTRAL_")
#: Top-level names that never resolve (RFC 6761), so that "unknown host" can be tested.
_RESERVED = (".invalid", ".test", ".example")


class OutsideNetwork(RuntimeError):
    """A test tried to leave the machine."""


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> Iterator[None]:
    """No colour switch, proxy, plugin switch or key of the machine reaches a test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            plain = name.upper()
            if (
                plain in _LEAKING
                or plain.endswith("_API_KEY")
                or plain.startswith(_LEAKING_PREFIXES)
            ):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Sockets of this process reach the loopback only; anything else fails the test."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    sendto, resolve = socket.socket.sendto, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any, /) -> None:
        _refuse_outside(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any, /) -> int:
        _refuse_outside(self, address)
        return connect_ex(self, address)

    def guarded_sendto(self: socket.socket, *arguments: Any) -> int:
        _refuse_outside(self, arguments[-1])
        return sendto(self, *arguments)

    def guarded_resolve(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if isinstance(name, str) and name.rstrip(".").lower().endswith(_RESERVED):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if not _is_local(name):
            raise OutsideNetwork(f"a test looked up {name!r}: tests reach the loopback only")
        return resolve(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket.socket, "sendto", guarded_sendto)
        patch.setattr(socket, "getaddrinfo", guarded_resolve)
        yield


def _refuse_outside(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
        raise OutsideNetwork(f"a test connected to {address!r}: tests reach the loopback only")


def _is_local(host: Any) -> bool:
    if host in (None, "", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return str(host).lower() == socket.gethostname().lower()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run on asyncio, as the engine does."""
    return "asyncio"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """SENSEI's published profiles, personalities and rules; the test is skipped without them.

    They lie beside the repository, or where the environment variable SPARRING_SHARED_DATA says.
    """
    named = os.environ.get("SPARRING_SHARED_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data" / "sensei"
    if not folder.is_dir():
        pytest.skip("no published SENSEI data here; SPARRING_SHARED_DATA names its folder")
    return folder


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Make a distribution look installed: real metadata in a folder on `sys.path`.

    ``install(package, group, "name = module:Class", code, version="1.0", requires=())`` writes
    the metadata and the module; `entry` may hold several lines, `code` is for the module of the
    first. It returns the folder of the metadata, which may be removed to uninstall.
    """
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def _install(
        package: str,
        group: str,
        entry: str,
        code: str,
        version: str = "1.0",
        requires: tuple[str, ...] = (),
    ) -> Path:
        info = site / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        needs = "".join(f"Requires-Dist: {need}\n" for need in requires)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{needs}"
        )
        (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
        module = entry.splitlines()[0].split("=")[1].split(":")[0].strip()
        (site / f"{module}.py").write_text(code)
        invalidate_caches()
        return info

    yield _install
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(site)):
            del sys.modules[name]
