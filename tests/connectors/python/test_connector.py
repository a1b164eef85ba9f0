"""Apps that are Python code: functions, generators, classes, and what can go wrong in them."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppTimeout,
    ConfigurationError,
)
from sparring.model.case import Case
from sparring.model.talk import Choice, Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.python.connector import PythonConnector

CASE = Case.of("tea", {}, run_seed=0)

APP = """
import asyncio
import time
from dataclasses import dataclass

def shout(message):
    return message.upper()

async def whisper(message):
    await asyncio.sleep(0)
    return message.lower()

def remember(message, *, history, session):
    return {"text": f"{len(history)} before", "choices": ["Tea", {"label": "Milk", "value": "/m"}],
            "payload": {"session": session}, "ended": message == "bye"}

def pieces(message):
    yield "One moment."
    yield message[::-1]

async def stream(message):
    for word in message.split():
        yield word

def kettle():
    name = yield "Who is there?"
    tea = yield f"What tea, {name}?"
    return f"{tea} it is."

async def slow_kettle():
    name = yield "Who?"
    yield f"Hello {name}"

class Bot:
    made = 0
    def __init__(self, mood="calm"):
        Bot.made += 1
        self.number, self.mood, self.turns = Bot.made, mood, 0
    def greet(self):
        return f"I am {self.mood}"
    def reply(self, message):
        self.turns += 1
        return f"{self.number}:{self.turns} {message}"
    def close(self):
        raise RuntimeError("closing harms nobody")

class Other:
    async def ask_it(self, message):
        return message + "?"

@dataclass
class Message:
    content: str

def chain(message):
    return Message(content=f"<{message}>")

def make(word):
    return lambda message: f"{word} {message}"

def crash(message):
    return {}["kettle"]

def leave(message):
    raise SystemExit(3)

class Rude(Exception):
    def __str__(self):
        raise ValueError("no text")

def rude(message):
    raise Rude

def stop(message):
    raise StopIteration

async def cancelled(message):
    raise asyncio.CancelledError

def odd(message):
    return {"txt": "x"} if message == "key" else object()

def endless(message):
    while True:
        yield "more"

def hang(message):
    time.sleep(30)

def times_out(message):
    raise TimeoutError("its own")

NUMBER = 0
def count(message):
    global NUMBER
    NUMBER += 1
    return str(NUMBER)

thing = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea_app.py").write_text(APP)
    (tmp_path / "neighbour.py").write_text("WORD = 'beside'\n")
    (tmp_path / "uses.py").write_text("from neighbour import WORD\ndef f(m): return WORD\n")
    return tmp_path


async def talk(folder: Path, target: str, *acts: Any, **settings: Any) -> list[Observation]:
    context = FakeContext(base_dir=folder)
    connector = context.build(PythonConnector, target=target, **settings)
    async with connector.open(CASE) as session:
        return [await session.send(Say(text=a) if isinstance(a, str) else a) for a in acts]


def texts(observations: list[Observation]) -> list[str]:
    return [each.text for each in observations]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "settings", "said", "answers"),
    [
        ("shout", {}, ["Tea"], ["TEA"]),
        ("whisper", {}, ["Tea"], ["tea"]),
        ("pieces", {}, ["abc"], ["One moment.\ncba"]),
        ("stream", {}, ["a b"], ["a\nb"]),
        ("kettle", {}, ["Ann", "Assam"], ["What tea, Ann?", "Assam it is."]),
        ("slow_kettle", {}, ["Ann", "x"], ["Hello Ann", ""]),
        ("chain", {}, ["x"], ["<x>"]),
        ("make", {"factory": True, "args": {"word": "well,"}}, ["x"], ["well, x"]),
        ("Other", {"method": "ask_it"}, ["tea"], ["tea?"]),
        ("shout", {}, [Press(label="Yes", value="/yes")], ["/YES"]),
    ],
)
async def test_each_kind_of_app_answers(
    folder: Path, name: str, settings: dict[str, Any], said: list[Any], answers: list[str]
) -> None:
    assert texts(await talk(folder, f"tea_app.py:{name}", *said, **settings)) == answers


@pytest.mark.anyio
async def test_generators_and_classes_greet_and_a_generator_that_returns_has_ended(
    folder: Path,
) -> None:
    seen = await talk(folder, "tea_app.py:kettle", Listen(), "Ann", "Assam", "more")
    assert texts(seen) == ["Who is there?", "What tea, Ann?", "Assam it is.", ""]
    assert [each.ended for each in seen] == [False, False, True, True]
    seen = await talk(folder, "tea_app.py:Bot", Listen(), Listen(), args={"mood": "cross"})
    assert texts(seen) == ["I am cross", ""]
    seen = await talk(folder, "tea_app.py:shout", Listen(), greeting="Welcome")
    assert texts(seen) == ["Welcome"]


@pytest.mark.anyio
async def test_each_conversation_has_an_app_of_its_own(folder: Path) -> None:
    connector = FakeContext(base_dir=folder).build(PythonConnector, target="tea_app.py:Bot")

    async def converse() -> list[str]:
        async with connector.open(CASE) as session:
            return [(await session.send(Say(text=word))).text for word in ("a", "b")]

    first, second = await asyncio.gather(converse(), converse())
    assert sorted([first, second]) == [["1:1 a", "1:2 b"], ["2:1 a", "2:2 b"]]


@pytest.mark.anyio
async def test_a_file_is_imported_again_if_the_suite_says_so(folder: Path) -> None:
    for reload, answers in ((False, ["1", "2"]), (True, ["1", "1"])):
        connector = FakeContext(base_dir=folder).build(
            PythonConnector, target="tea_app.py:count", reload=reload
        )
        said: list[str] = []
        for _ in range(2):
            async with connector.open(CASE) as session:
                said.append((await session.send(Say(text="x"))).text)
        assert said == answers


@pytest.mark.anyio
async def test_a_function_may_ask_for_history_and_return_all_of_an_answer(folder: Path) -> None:
    first, second = await talk(folder, "tea_app.py:remember", "hi", "bye")
    assert first.choices == (Choice(label="Tea"), Choice(label="Milk", value="/m"))
    assert (first.text, second.text, second.ended) == ("0 before", "2 before", True)
    assert first.payload == {"session": f"{CASE.id}-1"} == second.payload


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "said", "error", "message"),
    [
        ("crash", "x", AppCrash, "the app raised KeyError at tea_app.py:"),
        ("leave", "x", AppCrash, "the app raised SystemExit at tea_app.py"),
        ("rude", "x", AppCrash, "Rude at tea_app.py"),
        ("stop", "x", AppCrash, "StopIteration"),
        ("cancelled", "x", AppCrash, "CancelledError"),
        ("times_out", "x", AppCrash, "its own"),
        ("odd", "key", AppProtocolError, "unknown key 'txt'. Did you mean 'text'?"),
        ("odd", "x", AppProtocolError, "the app returned an object; expected a text, None"),
        ("endless", "x", AppProtocolError, "more than 10,000 pieces"),
    ],
)
async def test_what_goes_wrong_in_the_app_is_the_apps(
    folder: Path, name: str, said: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=r".") as caught:
        await talk(folder, f"tea_app.py:{name}", said)
    assert message in str(caught.value)


@pytest.mark.anyio
async def test_an_app_that_hangs_is_left_behind(folder: Path) -> None:
    with pytest.raises(AppTimeout, match=r"no answer within 0\.2 s \(timeout_s\)"):
        await talk(folder, "tea_app.py:hang", "x", timeout_s=0.2)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("tea_app.py", "expected package.module:name or file.py:name"),
        ("tea_ap.py:shout", "there is no file 'tea_ap.py'"),
        ("tea_ap.py:shout", "Did you mean 'tea_app.py'?"),
        ("no where:x", "neither a module's name nor a path"),
        ("tea_app.py:not a name", "expected package.module:name"),
    ],
)
def test_a_wrong_target_is_refused_before_anything_is_imported(
    folder: Path, target: str, message: str
) -> None:
    (folder / "tea_app.py").write_text("raise RuntimeError('imported')")
    with pytest.raises(ConfigurationError, match=r".") as caught:
        FakeContext(base_dir=folder).build(PythonConnector, target=target)
    assert message in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("target", "settings", "message"),
    [
        ("tea_app.py:shot", {}, "'tea_app.py' has no 'shot'. Did you mean 'shout'?"),
        ("tea_app.py:thing", {}, "neither a function nor an object with one of the methods"),
        ("tea_app.py:Other", {"method": "say"}, "Other has no method 'say'"),
        ("broken.py:x", {}, "'broken.py' cannot be imported: SyntaxError"),
        ("not_there_at_all:x", {}, "cannot be imported: ModuleNotFoundError"),
    ],
)
async def test_a_target_that_cannot_be_talked_to_is_the_suites_fault(
    folder: Path, target: str, settings: dict[str, Any], message: str
) -> None:
    (folder / "broken.py").write_text("def (")
    with pytest.raises(ConfigurationError, match=r".") as caught:
        await talk(folder, target, "x", **settings)
    assert message in str(caught.value)


@pytest.mark.anyio
async def test_files_and_modules_import_their_neighbours(folder: Path) -> None:
    assert texts(await talk(folder, "uses.py:f", "x")) == ["beside"]
    before = list(sys.path)
    assert texts(await talk(folder, "uses:f", "x")) == ["beside"]
    assert sys.path == before
    for name in ("uses", "neighbour"):
        sys.modules.pop(name, None)


SUITE = """
name: tea
app: {use: python, target: "tea_app.py:kettle"}
agent: {use: user-simulator, profiles: p.yaml}
strategy: selectors
oracles: [generic-failures]
"""
PROFILE = """
test_name: plain
user: {goals: ["say Ann"]}
chatbot: {is_starter: true}
conversation: {number: 1, goal_style: {steps: 1}, interaction_style: [default]}
"""


def test_a_suite_reaches_code_beside_it_and_untrusted_suites_do_not(folder: Path) -> None:
    (folder / "sparring.yaml").write_text(SUITE)
    (folder / "p.yaml").write_text(PROFILE)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sparring", "run", str(folder), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = run()
    assert done.returncode in (0, 3), done.stdout + done.stderr
    assert "Who is there?" in "".join(path.read_text() for path in folder.glob("runs/**/*.jsonl"))
    refused = run("--untrusted")
    assert refused.returncode == 2
    assert "forbidden: 'python' would run code" in refused.stderr
