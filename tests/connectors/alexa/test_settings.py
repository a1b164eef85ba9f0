"""What settings change: users, clocks, processes, endpoints, locales."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppUnreachable, EnvironmentFailure
from sparring.model.case import Case
from sparring.model.talk import Observation, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector

from .conftest import SKILLS, Heard, requests_of, talked, texts

MODEL = SKILLS / "corner/skill-package/interactionModels/custom/en-US.json"
COUNTING = """
import datetime, os
seen = []

class Envelope:
    def __init__(self, data):
        self.context = self.system = self.user = self
        self.user_id = data["context"]["System"]["user"]["userId"]

def lambda_handler(event, context):
    from ask_sdk_dynamodb.adapter import DynamoDbAdapter
    adapter = DynamoDbAdapter("table")
    kept = adapter.get_attributes(Envelope(event))
    kept["visits"] = kept.get("visits", 0) + (event["request"]["type"] == "LaunchRequest")
    adapter.save_attributes(Envelope(event), kept)
    seen.append(1)
    now = datetime.datetime.now().isoformat()[:16]
    text = "%d visits, %d requests, %s, %s" % (kept["visits"], len(seen), now, os.environ.get("SHOP"))
    return {"version": "1.0", "response": {
        "outputSpeech": {"type": "PlainText", "text": text},
        "shouldEndSession": event["request"]["type"] != "LaunchRequest"}}
"""
ADAPTER = "class DynamoDbAdapter:\n    def __init__(self, table): raise RuntimeError('no cloud')\n"


@pytest.fixture
def counting(tmp_path: Path) -> str:
    """A skill that stores how often it was opened, with the SDK's adapter."""
    (tmp_path / "en-US.json").write_bytes(MODEL.read_bytes())
    (tmp_path / "lambda_function.py").write_text(COUNTING)
    (tmp_path / "ask_sdk_dynamodb").mkdir()
    (tmp_path / "ask_sdk_dynamodb" / "__init__.py").write_text("")
    (tmp_path / "ask_sdk_dynamodb" / "adapter.py").write_text(ADAPTER)
    return str(tmp_path)


def first(heard: list[Heard]) -> str:
    return texts(heard)[0]


def test_a_fresh_user_was_never_there_and_a_returning_one_was(counting: str) -> None:
    assert first(talked(counting, None)).startswith("1 visits")
    assert first(talked(counting, None, user={"kind": "returning"})).startswith("2 visits")
    user = {"id": "amzn1.ask.account.ME", "attributes": {"visits": 6}}
    heard = talked(counting, None, user=user)
    assert first(heard).startswith("7 visits")
    assert requests_of(heard[0])[0]["session"]["user"]["userId"] == "amzn1.ask.account.ME"


def test_what_a_skill_stored_outlives_its_sessions_and_its_process(counting: str) -> None:
    heard = talked(counting, None, "stop", "open corner cafe")
    assert texts(heard)[2].startswith("2 visits")


def test_the_clock_of_device_and_handler_can_be_set(counting: str) -> None:
    heard = talked(counting, None, "stop", "what's the time", now="2031-02-03T04:05:00")
    assert "2031-02-03T04:0" in first(heard)
    assert requests_of(heard[0])[0]["request"]["timestamp"] == "2031-02-03T04:05:10Z"
    assert texts(heard)[2] == "It's 4:05 AM."


def test_a_handler_gets_the_environment_that_it_needs_and_no_keys(
    counting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP", "from the outside")
    assert first(talked(counting, None)).endswith("None")
    skill = {"folder": counting, "environment": {"SHOP": "from the suite"}}
    assert first(talked(skill, None)).endswith("from the suite")


@pytest.mark.parametrize(("process", "requests"), [("session", [1, 1]), ("run", [1, 3])])
def test_conversations_have_a_process_each_or_share_one(
    counting: str, process: str, requests: list[int]
) -> None:
    async def twice() -> list[str]:
        context = FakeContext()
        connector = context.build(AlexaConnector, skill=counting, process=process)
        found: list[str] = []
        try:
            for number in range(2):
                async with connector.open(Case.of("x", {"n": number}, run_seed=1)) as session:
                    found.append((await session.send(Say(text="open corner cafe"))).text)
        finally:
            await context.close()
        return found

    heard = asyncio.run(twice())
    assert [int(text.split(", ")[1].split()[0]) for text in heard] == requests


def test_the_locale_chooses_the_model_and_is_told(node: str) -> None:
    heard = talked("island", None, locale="en-GB")
    assert requests_of(heard[0])[0]["request"]["locale"] == "en-GB"


def test_the_words_that_open_a_skill_can_be_others() -> None:
    heard = talked("corner", None, opening="ask {name} to order a tea")
    assert texts(heard) == ["How large shall the tea be?"]


def test_turns_may_keep_requests_without_their_envelopes() -> None:
    (heard,) = talked("corner", None, trace="short")
    assert requests_of(heard)[0]["type"] == "LaunchRequest"


class _Endpoint(BaseHTTPRequestHandler):
    """A skill behind an address that does what the path says."""

    def do_POST(self) -> None:
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = event["request"]["type"]
        speech = {"type": "PlainText", "text": f"{kind} at {self.headers.get('X-Shop')}"}
        body: Any = {"version": "1.0", "response": {"outputSpeech": speech}}
        data = b"<html>" if self.path == "/page" else json.dumps(body).encode()
        self.send_response(500 if self.path == "/broken" else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self) -> None:
        self.send_response(405)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "LaunchRequest at here"),
        ("/page", "AppProtocolError: .*: the response is no JSON: <html>"),
        ("/broken", "AppCrash: .*: the endpoint answered 500"),
    ],
)
def test_an_endpoint_is_asked_like_alexa_asks(address: str, path: str, expected: str) -> None:
    import re

    skill = {"folder": "corner", "endpoint": address + path, "headers": {"X-Shop": "here"}}
    assert re.match(expected, first(talked(skill, None)))


def test_an_endpoint_where_nobody_is_is_unreachable(nobody_there: str) -> None:
    (heard,) = talked({"folder": "corner", "endpoint": nobody_there}, None)
    assert isinstance(heard, AppUnreachable)


def test_a_program_that_is_not_there_is_told() -> None:
    for failures in ("raise", "speak"):
        (heard,) = talked(
            {"folder": "corner", "python": "/no/such/python"}, None, failures=failures
        )
        assert isinstance(heard, EnvironmentFailure)
        assert "'/no/such/python' cannot be started" in str(heard)
        assert "`skill.python`" in str(heard)


def test_a_machine_without_node_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (heard,) = talked({"folder": "trouble_node", "handler": "lambda/callback/index.js"}, None)
    assert isinstance(heard, EnvironmentFailure)
    assert "needs Node.js" in str(heard)


def test_a_screen_tells_what_it_can_show() -> None:
    (heard,) = talked("corner", None, device={"profile": "screen"})
    (envelope,) = requests_of(heard)
    assert (
        "Alexa.Presentation.APL" in envelope["context"]["System"]["device"]["supportedInterfaces"]
    )
    assert envelope["context"]["Viewport"]["mode"] == "HUB"
    own = talked("corner", None, device={"interfaces": {"AudioPlayer": {}}})
    assert isinstance(own[0], Observation)
