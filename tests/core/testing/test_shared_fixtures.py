"""What tests/conftest.py promises to every other test."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

Install = Callable[..., Path]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80), ("example.com", 80)])
def test_no_address_outside_can_be_reached(address: tuple[str, int]) -> None:
    with pytest.raises(RuntimeError, match="tests reach the loopback only"):
        socket.create_connection(address, timeout=1)
    with pytest.raises(RuntimeError, match="tests reach the loopback only"):
        asyncio.run(asyncio.wait_for(asyncio.open_connection(*address), 1))


def test_no_datagram_leaves_the_machine() -> None:
    refused = pytest.raises(RuntimeError, match="tests reach the loopback only")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, refused:
        sock.sendto(b"x", ("192.0.2.1", 53))


def test_an_unknown_host_is_unknown() -> None:
    with pytest.raises(socket.gaierror):
        socket.create_connection(("chatbot.invalid", 80), timeout=1)


def test_the_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()


def test_nothing_of_the_machine_reaches_a_test() -> None:
    leaked = {"CI", "NO_COLOR", "FORCE_COLOR", "SPARRING_PLUGINS", "OPENAI_API_KEY", "HTTP_PROXY"}
    assert not leaked & os.environ.keys()


def test_an_installed_distribution_is_real_metadata(install: Install) -> None:
    info = install(
        "sparring-acme", "sparring.oracles", "acme = acme_mod:A", "A = 1", "2.1", ("x>1",)
    )
    (found,) = entry_points(group="sparring.oracles", name="acme")
    assert found.dist is not None
    assert (found.dist.name, found.dist.version) == ("sparring-acme", "2.1")
    assert found.dist.requires == ["x>1"]
    assert found.load() == 1
    shutil.rmtree(info)
    assert not entry_points(group="sparring.oracles", name="acme")


@pytest.mark.parametrize("code", ["A = 1", "A = 2"])
def test_a_module_of_another_test_is_not_seen_again(install: Install, code: str) -> None:
    install("sparring-acme", "sparring.oracles", "acme = acme_mod:A", code)
    found = import_module("acme_mod")
    assert int(code[-1]) == found.A
    assert "acme_mod" in sys.modules
