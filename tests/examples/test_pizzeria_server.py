"""The bot over HTTP, as a process of its own."""

import http.client
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import Serve

ORDER = ("a small margarita pizza", "2 cans of Sprite", "no", "pick up", "yes", "that's all")


class Customer:
    """A client of the example's server, with a connection of its own."""

    def __init__(self, url: str, name: str | None = None) -> None:
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        status, answer = self.request("POST", "/sessions", {"customer": name} if name else {})
        assert status == 201, answer
        self.session: str = answer["session"]
        self.greeting: str = answer["greeting"]

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        content = body if isinstance(body, bytes | None) else json.dumps(body)
        self.connection.request(method, path, content)
        response = self.connection.getresponse()
        raw = response.read().decode()
        kind = response.headers.get("Content-Type", "")
        return response.status, json.loads(raw) if raw and "json" in kind else raw

    def say(self, text: str, key: str = "text") -> tuple[int, Any]:
        return self.request("POST", f"/sessions/{self.session}/messages", {key: text})

    def hear(self, text: str, key: str = "text") -> str:
        status, answer = self.say(text, key)
        assert status == 200, answer
        return "\n".join(message["text"] for message in answer["messages"])

    def close(self) -> None:
        self.request("DELETE", f"/sessions/{self.session}")
        self.connection.close()


def order(url: str, name: str | None = None) -> list[str]:
    customer = Customer(url, name)
    heard = [customer.hear(text) for text in ORDER]
    customer.close()
    return heard


def test_a_conversation_over_http(serve: Serve) -> None:
    customer = Customer(serve(), "jon")
    assert customer.greeting.startswith("Welcome")
    status, answer = customer.say("a margarita")
    assert status == 200
    assert answer["ended"] is False
    assert answer["messages"][-1]["buttons"][0] == {"label": "Small", "value": "small"}
    assert "1 medium Margarita" in customer.hear("medium", key="choice")
    status, answer = customer.say("which pizzas do you have?")
    assert answer["messages"][0]["link"] == {"label": "Our menu", "url": "/menu"}
    customer.close()


def test_health_counts_open_sessions_and_the_menu_is_served(serve: Serve) -> None:
    customer = Customer(serve())
    assert customer.request("GET", "/health") == (200, {"status": "ok", "sessions": 1})
    assert "Carbonara: small $12.50" in customer.request("GET", "/menu")[1]
    assert customer.request("DELETE", f"/sessions/{customer.session}")[0] == 204
    assert customer.request("GET", "/health?again=1")[1]["sessions"] == 0
    assert customer.say("hello")[0] == 404
    customer.connection.close()


def test_a_conversation_that_is_over_takes_no_more_messages(serve: Serve) -> None:
    customer = Customer(serve())
    assert customer.say("bye")[1]["ended"] is True
    assert customer.say("hello") == (409, {"error": "this conversation is over"})
    customer.close()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("POST", "/sessions/{}/messages", b"{", 400, "not JSON"),
        ("POST", "/sessions/{}/messages", b"[1]", 400, "a JSON object"),
        ("POST", "/sessions/{}/messages", b"{}", 400, "expected a text"),
        ("POST", "/sessions/{}/messages", b'{"text": 1}', 400, "expected a text"),
        ("POST", "/sessions/{}/messages", b'{"text": "a", "choice": "b"}', 400, "expected a text"),
        ("POST", "/sessions/{}/messages", b"[" * 50_000, 400, "not JSON"),
        ("POST", "/sessions/{}/messages", b"\xff\xfe", 400, "not JSON"),
        ("POST", "/sessions/nobody/messages", b'{"text": "a"}', 404, "no such session"),
        ("POST", "/sessions", b'{"customer": 1}', 400, "must be a text"),
        ("GET", "/sessions", b"", 405, "does not take GET"),
        ("DELETE", "/sessions/nobody", b"", 404, "no such session"),
        ("GET", "/elsewhere", b"", 404, "nothing here"),
    ],
)
def test_bad_requests_are_refused_and_the_session_lives_on(
    serve: Serve, method: str, path: str, body: bytes, status: int, error: str
) -> None:
    customer = Customer(serve())
    answered, said = customer.request(method, path.format(customer.session), body)
    assert (answered, error in said["error"]) == (status, True), said
    assert "Hello!" in customer.hear("hello")
    customer.close()


def test_a_huge_body_is_refused(serve: Serve) -> None:
    customer = Customer(serve())
    status, said = customer.request("POST", f"/sessions/{customer.session}/messages", b"x" * 64_001)
    assert (status, said["error"]) == (413, "more than 64000 bytes")
    customer.connection.close()


def test_a_crash_of_the_bot_is_error_500_for_this_customer_only(serve: Serve) -> None:
    url = serve()
    first, second = Customer(url), Customer(url)
    first.hear("a small margarita")
    assert first.say("0 cans of water") == (500, {"error": "internal error"})
    assert "Hello!" in second.hear("hello")
    first.close()
    second.close()


def test_repairing_weak_spots_is_an_option(serve: Serve) -> None:
    customer = Customer(serve("--repaired", "zero-cans"))
    customer.hear("a small margarita")
    assert "none of those" in customer.hear("0 cans of water")
    customer.close()


def test_two_hundred_conversations_at_once_do_not_mix(serve: Serve) -> None:
    url = serve("--repaired", "short-numbers", "--slow-ms", "20")
    sizes = {"small": "$10.00", "medium": "$15.00", "big": "$20.00"}
    customers = [Customer(url, f"customer {n}") for n in range(200)]
    asked = [list(sizes)[n % 3] for n in range(200)]
    with ThreadPoolExecutor(200) as pool:
        heard = list(pool.map(lambda c, size: c.hear(f"a {size} margarita"), customers, asked))
        list(pool.map(lambda c: c.hear("no"), customers))
        list(pool.map(lambda c: c.hear("that is all"), customers))
        list(pool.map(lambda c: c.hear("pick up"), customers))
        placed = list(pool.map(lambda c: c.hear("yes"), customers))
    for size, first, final in zip(asked, heard, placed, strict=True):
        assert f"1 {size} Margarita pizza, that is {sizes[size]}" in first
        assert f"total is {sizes[size]}" in final
    assert len({text.split("number is ")[1].split(".")[0] for text in placed}) == 200
    for customer in customers:
        customer.close()


def test_what_is_answered_does_not_depend_on_who_else_is_there(serve: Serve) -> None:
    alone, together = serve(), serve()
    names = [f"customer {n}" for n in range(20)]
    one_by_one = [order(alone, name) for name in names]
    with ThreadPoolExecutor(20) as pool:
        side_by_side = list(pool.map(lambda name: order(together, name), reversed(names)))
    assert side_by_side[::-1] == one_by_one


def test_slow_ms_delays_every_turn(serve: Serve) -> None:
    customer = Customer(serve("--slow-ms", "80"))
    began = time.monotonic()
    customer.hear("hello")
    customer.hear("hello")
    assert time.monotonic() - began >= 0.16
    customer.close()


def test_a_port_in_use_is_told_in_one_line(pizzeria: Path, serve: Serve) -> None:
    port = urlsplit(serve()).port
    done = subprocess.run(
        [sys.executable, str(pizzeria / "server.py"), "--port", str(port)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
