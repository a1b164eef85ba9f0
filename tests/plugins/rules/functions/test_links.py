"""Links that lead nowhere, by their looks and by asking for them."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from sparring.model.talk import Choice, Observation, Trace
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions import links_requested
from sparring_plugins.rules.functions.links import broken_links, links_of
from sparring_plugins.rules.functions.plain_values import CannotSay


def offering(*urls: str, label: str = "menu") -> Trace:
    choices = tuple(Choice(label=label, url=url) for url in urls)
    return trace_of([("a", Observation(text="", choices=choices))])


def saying(text: str) -> Trace:
    return trace_of([(None, "Hello"), ("a", text)])


GOOD = [
    "https://shop.org", "http://a.b.org:8080/x?y=1#z", "mailto:a@b.org", "tel:+34600", "/menu",
    "http://127.0.0.1:8000/", "https://münchen.de/", "#top",
]  # fmt: skip
BAD = [
    ("", "leads nowhere"),
    ("#", "leads nowhere"),
    ("javascript:alert(1)", "runs a script"),
    ("https://", "has no host"),
    ("https:///menu", "has no host"),
    ("http://shop", "has no host"),
    ("shop.org/menu", "has no scheme"),
    ("mailto:", "has no address"),
    ("https://example.com/x", "a host for examples"),
    ("https://a.org/{{id}}", "characters that no address has"),
    ("https://a.org/a b", "characters that no address has"),
    ("http://a.org:99999/", "is no valid address"),
    ("http://[::1", "is no valid address"),
    ("https://a.org/" + "x" * 3000, "is too long"),
]


@pytest.mark.parametrize("url", GOOD)
def test_links_that_may_be_right_are_let_pass(url: str) -> None:
    assert broken_links.call(offering(url)).value == []


@pytest.mark.parametrize(("url", "why"), BAD, ids=[url[:25] for url, _ in BAD])
def test_links_that_lead_nowhere_are_told(url: str, why: str) -> None:
    found = broken_links.call(offering(url))
    assert why in found.value[0]
    assert found.turns == (0,)


def test_a_link_without_a_text_is_told() -> None:
    assert "without a text" in broken_links.call(offering("https://a.org", label=" ")).value[0]


def test_links_are_found_in_markdown_html_and_plain_texts() -> None:
    text = (
        "[Menu](https://a.org/menu) ![picture](x.png) <a class='x' href='/b'><b>B</b></a> "
        "<a>none</a> and https://c.org/d, or (http://e.org). [note] (not a link)"
    )
    found = [(link.label, link.url) for link in links_of(saying(text))]
    assert found == [
        ("Menu", "https://a.org/menu"), ("B", "/b"), ("none", ""),
        (None, "https://c.org/d"), (None, "http://e.org"),
    ]  # fmt: skip
    assert broken_links.call(saying(text)).turns == (1,)


class Site(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response({"/gone": 404, "/broken": 503, "/private": 403}.get(self.path, 200))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    Site.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


requested = links_requested.broken_links.call


def test_addresses_are_asked_for_once_each(site: str) -> None:
    urls = [f"{site}/here", f"{site}/gone", f"{site}/broken", f"{site}/private", f"{site}/here", ""]
    found = requested(offering(*urls), private=True)
    assert [text.partition(" ")[2] for text in found.value[1:]] == ["answers 404", "answers 503"]
    assert "leads nowhere" in found.value[0]
    assert sorted(Site.asked) == ["/broken", "/gone", "/here", "/private"]


def test_private_networks_are_left_alone_and_said_to_be(site: str) -> None:
    with pytest.raises(CannotSay, match="is in a private network"):
        requested(offering(f"{site}/here"))
    assert Site.asked == []
    found = requested(offering(f"{site}/here", "https://nobody.invalid/"))
    assert found.value[-1] == "'https://nobody.invalid/': no such host"


def test_a_host_that_refuses_is_dead(unused_port: int) -> None:
    found = requested(offering(f"http://127.0.0.1:{unused_port}/"), private=True)
    assert len(found.value) == 1


@pytest.mark.thorough
def test_no_more_than_twenty_addresses_are_asked_for(site: str) -> None:
    with pytest.raises(CannotSay, match="5 addresses were not requested"):
        requested(offering(*(f"{site}/{number}" for number in range(25))), private=True)
    assert len(Site.asked) == 20


def test_the_plain_function_asks_for_nothing(site: str) -> None:
    assert broken_links.call(offering(f"{site}/gone")).value == []
    assert Site.asked == []


@pytest.fixture
def unused_port() -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    port = server.server_address[1]
    server.server_close()
    return port
