"""What a skill's services answer is recorded without secrets, within bounds, and replayed."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import EnvironmentFailure
from sparring.model.talk import Observation
from sparring_connectors.alexa.hosting.recordings import (
    MOST_BYTES,
    Recorder,
    RecordingHosts,
    UnrecordableAnswer,
    is_secret,
    recorded_stub,
)
from sparring_connectors.alexa.hosting.stubs import Stub, StubbedHosts, read_stubs
from sparring_connectors.alexa.hosting.wire import ServiceRequest

from .conftest import talked, texts
from .test_stubs import PYTHON, URLLIB, skill_in

NOISE = bytes(range(256))


class _Service(BaseHTTPRequestHandler):
    """Counts what it is asked; some of its answers are hostile."""

    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        body, kind = json.dumps({"number": type(self).asked}).encode(), "application/json"
        if self.path.startswith("/login"):
            body = json.dumps({"access_token": "s3cret", "keyword": "tea"}).encode()
        elif self.path == "/picture":
            body, kind = NOISE, "image/png"
        elif self.path == "/bomb":
            body = gzip.compress(b"0" * (MOST_BYTES + 1))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Set-Cookie", "session=s3cret")
        self.send_header("X-Api-Token", "s3cret")
        if self.path == "/bomb":
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def origin() -> Iterator[str]:
    """A service on the loopback."""
    _Service.asked = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def ask(path: Path, origin: str, *targets: str, **settings: Any) -> list[Stub]:
    """The answers to requests of one conversation that is recorded."""

    async def replies() -> list[Stub]:
        hosts = RecordingHosts(Recorder(path, 10.0, **{"refuses_near": False, **settings}))
        return [await hosts.reply(request(origin, target)) for target in targets]

    return asyncio.run(replies())


def request(origin: str, target: str) -> ServiceRequest:
    headers = {"authorization": "Bearer s3cret", "host": "else.example"}
    return ServiceRequest("GET", target, "127.0.0.1", origin, headers)


def replayed(path: Path, origin: str, *targets: str) -> list[bytes]:
    async def replies() -> list[bytes]:
        hosts = StubbedHosts(read_stubs(path), replays=True)
        return [(await hosts.reply(request(origin, target))).content() for target in targets]

    return asyncio.run(replies())


def test_recorded_answers_are_replayed_in_order(tmp_path: Path, origin: str) -> None:
    path = tmp_path / "recorded.yaml"
    ask(path, origin, "/count", "/count", "/picture")
    assert _Service.asked == 3
    targets = ("/count", "/count", "/count", "/picture")
    bodies = replayed(path, origin, *targets)
    assert [json.loads(body)["number"] for body in bodies[:3]] == [1, 2, 2]
    assert bodies[3] == NOISE
    # the second conversation asks for nothing that is there
    ask(path, origin, "/count", "/count", "/count")
    assert _Service.asked == 4


def test_no_secret_is_stored(tmp_path: Path, origin: str) -> None:
    path = tmp_path / "recorded.yaml"
    (stub,) = ask(path, origin, "/login?q=tea&api_key=s3cret&appid=s3cret")
    stored = path.read_text()
    assert "s3cret" not in stored
    assert stub.headers == {"Content-Type": "application/json"}
    assert stub.body == {"access_token": "REMOVED", "keyword": "tea"}
    assert "q=tea&api_key=*&appid=*" in stored
    (body,) = replayed(path, origin, "/login?q=tea&api_key=other&appid=3")
    assert json.loads(body)["keyword"] == "tea"


@pytest.mark.parametrize(
    ("target", "settings", "why"),
    [
        ("/bomb", {}, "larger than 1,000,000 bytes"),
        ("/count", {"refuses_near": True}, "is this machine"),
    ],
)
def test_what_is_not_recorded_is_named(
    tmp_path: Path, origin: str, target: str, settings: dict[str, Any], why: str
) -> None:
    path = tmp_path / "recorded.yaml"
    recorder = Recorder(path, 10.0, **{"refuses_near": False, **settings})
    with pytest.raises(UnrecordableAnswer, match=why):
        asyncio.run(recorder.answer(request(origin, target), 0))
    assert not path.exists()


def test_a_written_answer_is_never_asked_for(tmp_path: Path, origin: str) -> None:
    path = tmp_path / "recorded.yaml"
    path.write_text("- {url: 'http://127.0.0.1/count', body: mine}\n")
    assert [stub.body for stub in ask(path, origin, "/count", "/count")] == ["mine", "mine"]
    assert _Service.asked == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.binary(max_size=60) | JSON.map(lambda data: json.dumps(data).encode()))
def test_every_body_is_written_and_read_again(body: bytes) -> None:
    asked = ServiceRequest("GET", "/x", "tea.example", "https://tea.example:443")
    stub = recorded_stub(asked, 200, {"content-type": "a\x01b"}, body)
    written = yaml.safe_dump([stub.model_dump(exclude_defaults=True)], allow_unicode=True)
    again = Stub.model_validate(yaml.safe_load(written)[0])
    if stub.binary is not None or isinstance(stub.body, str):
        assert again.content() == body
    assert stub.url == "https://tea.example/x"


def test_json_that_is_nested_too_deep_stays_text(tmp_path: Path, origin: str) -> None:
    deep = "[" * 200 + "]" * 200
    stub = recorded_stub(request(origin, "/x"), 200, {}, deep.encode())
    assert stub.body == deep
    half = recorded_stub(request(origin, "/x"), 200, {}, b'["\\ud800"]')
    assert half.body == '["\\ud800"]'


@pytest.mark.parametrize(
    ("name", "secret"),
    [("api_key", True), ("X-Auth", True), ("accessToken", True), ("keyword", False), ("q", False)],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert is_secret(name) is secret


def test_a_skill_is_recorded_and_what_cannot_be_is_not_its_fault(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, "lambda_function.py", URLLIB + PYTHON)
    answers = str(tmp_path / "answers.yaml")
    heard = talked(skill, None, "say hello", network="record", answers=answers)
    assert isinstance(heard[0], Observation), texts(heard)
    assert isinstance(heard[1], EnvironmentFailure)
    assert "the answer to GET coffee.example/ cannot be recorded" in str(heard[1])
