"""What bundled and other installed plugins need to be built for a conformance test."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sparring.discovery.drivers import load
from sparring.discovery.groups import GROUPS

#: The smallest settings of each plugin that cannot be built from its defaults. A callable gets
#: the pytest request, and may write files into `tmp_path` or start a server by a fixture.
Settings = Mapping[str, Any] | Callable[[pytest.FixtureRequest], Mapping[str, Any]]


def rest(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {
        "url": request.getfixturevalue("chat_server"),
        "body": {"text": "{text}", "session": "{uuid}"},
        "reply": {"text": "$.reply"},
    }


def user_simulator(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    folder: Path = request.getfixturevalue("tmp_path")
    (folder / "profile.yml").write_text(PROFILE, encoding="utf-8")
    return {"profiles": "profile.yml"}


def rules(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    folder: Path = request.getfixturevalue("tmp_path")
    (folder / "rules.yml").write_text(RULE, encoding="utf-8")
    return {"files": "rules.yml"}


SETTINGS: dict[tuple[str, str], Settings] = {
    ("sparring.connectors", "rest"): rest,
    ("sparring.agents", "user-simulator"): user_simulator,
    ("sparring.oracles", "rules"): rules,
}

PROFILE = """
test_name: order a pizza
user:
  language: English
  role: a hungry customer
  context: [You are in a hurry.]
  goals:
    - "a {{size}} pizza with {{topping}}"
    - what it costs
    - size: {function: forward(), type: string, data: [small, large]}
    - topping: {function: another(), type: string, data: [ham, olives]}
chatbot:
  is_starter: false
  fallback: I did not understand
  output:
    - price: {type: money, description: the price of the pizza}
conversation:
  number: 2
  goal_style: {steps: 6}
  interaction_style: [default]
"""

RULE = """
name: short-answers
description: The chatbot answers in a few words.
conversations: 1
active: True
oracle: chatbot_returns('never said') == []
"""


#: Arguments of each installed rule function, and what a language model says where it asks one.
ARGUMENTS: dict[str, tuple[list[tuple[Any, ...]], str]] = {
    "chatbot_returns": ([("pizza",), ("12", "sorry")], ""),
    "conversation_length": ([(), ("user",), ("assistant",)], ""),
    "currency": ([("$12",), ("nothing",)], ""),
    "data_collected": ([()], ""),
    "empty_responses": ([()], ""),
    "extract_float": ([("-5",), ("$1,000.50",), (3,)], ""),
    "language": ([("hello",), (["hello", "you"],)], "ENG"),
    "length": ([("hello",), (["hello", "you"], "max"), ([], "average")], ""),
    "missing_outputs": ([()], ""),
    "missing_slots": ([()], ""),
    "not_repeated_answers": ([(), ("tf-idf",), ("jaccard", 0.5), ("sequence-matcher",)], ""),
    "only_talks_about": ([("pizza",), (["pizza", "drinks"], "sorry")], "TRUE"),
    "repeated_answers": ([(), ("tf-idf",), ("jaccard", 0.5), ("sequence-matcher",)], ""),
    "responds_in_same_language": ([()], "yes"),
    "semantic_content": ([("hello", "a greeting"), (3, "a number")], "yes"),
    "tone": ([("hello",), (["hello", "you"],)], "POSITIVE"),
    "utterance_index": ([("user", "pizza"), ("assistant", "money")], "1"),
}


def arguments_of(name: str) -> tuple[list[tuple[Any, ...]], str]:
    """Examples of arguments for an installed rule function, and what a model says to it."""
    if name not in ARGUMENTS:
        pytest.fail(
            f"Add arguments of the rule function {name!r} to ARGUMENTS in "
            f"tests/conformance/conftest.py"
        )
    return ARGUMENTS[name]


def settings_of(group: str, name: str, request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """The settings to build an installed plugin with; the test fails where none are known."""
    found = SETTINGS.get((group, name), {})
    settings = found(request) if callable(found) else found
    try:
        load(GROUPS[group], name).Config.model_validate(dict(settings))
    except ValidationError as err:
        pytest.fail(
            f"the {GROUPS[group].label} {name!r} cannot be built from these settings: {settings}. "
            f"Add the smallest settings that it needs to SETTINGS in tests/conformance/"
            f"conftest.py, under ({group!r}, {name!r}). {err}"
        )
    return settings


class _Chat(BaseHTTPRequestHandler):
    """A chatbot that counts the messages of each session."""

    protocol_version = "HTTP/1.1"
    counts: dict[str, int]

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            return self._answer(400, {"error": "no JSON"})
        session = str(body.get("session"))
        self.counts[session] = self.counts.get(session, 0) + 1
        reply = f"{self.counts[session]}: {str(body.get('text'))[:200]}"
        return self._answer(200, {"reply": reply})

    def do_GET(self) -> None:
        self._answer(200, {"status": "up"})

    def _answer(self, status: int, body: Mapping[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


@pytest.fixture(scope="session")
def chat_server() -> Iterator[str]:
    """The address of a chatbot behind HTTP that remembers each session."""
    handler = type("Chat", (_Chat,), {"counts": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/chat"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def nobody_there() -> Iterator[str]:
    """An address on the loopback where nobody listens: the port is taken, and refuses."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/chat"


@pytest.fixture
def installed_arguments() -> Callable[[str], tuple[list[tuple[Any, ...]], str]]:
    """Arguments for the installed rule function of a name."""
    return arguments_of


@pytest.fixture
def installed_settings(request: pytest.FixtureRequest) -> Callable[[str, str], Mapping[str, Any]]:
    """Settings for the installed plugin of a group and name."""
    return lambda group, name: settings_of(group, name, request)
