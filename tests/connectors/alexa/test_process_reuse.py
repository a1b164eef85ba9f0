"""A process is used again for the next conversation of a skill, which finds nothing in it."""

import asyncio
import json
from pathlib import Path

import pytest

from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Listen, Observation, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.hosting.isolation import find_isolation

# Says what it finds of conversations before, whether the process is a new one, and leaves traces.
HANDLER = """
const fs = require('fs');
const http = require('http');
const os = require('os');
const books = require('./books.js');
SETUP
let visits = 0;
exports.handler = async (event) => {
  if (event.request.type === 'SessionEndedRequest') return {};
  visits += 1;
  books.count += 1;
  const seen = { visits, books: books.count, left: global.left, env: process.env.LEFT,
    prototype: [].left, request: http.request === fs.left, listeners: process.listenerCount('left'),
    largest: Math.max(1, 2), ticks: global.ticks, print: process.stdout.left,
    chance: Math.random() };
  LEAVE
  const text = `${performance.timeOrigin} ${JSON.stringify(seen)}`;
  return { version: '1.0', response: { shouldEndSession: false, outputSpeech: { type: 'PlainText', text } } };
};
"""
LEAVE = """
  global.left = 1;
  process.env.LEFT = 'yes';
  Array.prototype.left = 1;
  http.request = fs.left = () => {};
  Math.max = () => 0;
  process.on('left', () => {});
  process.stdout.left = 1;
  setInterval(() => { global.ticks = (global.ticks || 0) + 1; }, 1);
  setInterval(() => { global.ticks = (global.ticks || 0) + 1; }, 1).unref();
  setTimeout(() => { throw new Error('long after'); }, 50);
"""
PYTHON = """
import builtins, json, os, random, sys, tempfile, threading, time
visits = 0
SETUP
def lambda_handler(event, context):
    global visits
    visits += 1
    found = {"visits": visits, "left": getattr(builtins, "left", None), "env": os.environ.get("LEFT"),
             "json": hasattr(json, "left"), "threads": threading.active_count()}
    found["chance"] = random.random()
    LEAVE
    with open(f"/proc/{os.getppid()}/stat") as file:
        runner = file.read().rpartition(")")[2].split()[19]
    text = f"{runner} {json.dumps(found)}"
    return {"version": "1.0", "response": {"shouldEndSession": False,
            "outputSpeech": {"type": "PlainText", "text": text}}}
"""
LEAVE_PYTHON = """builtins.left = 1
    os.environ["LEFT"] = "yes"
    json.left = 1
    threading.Thread(target=time.sleep, args=(100,)).start()"""
FRESH_PYTHON = {"visits": 1, "left": None, "env": None, "json": False, "threads": 2}
LAST_WORDS_PYTHON = {
    "files": "open(tempfile.gettempdir() + '/left', 'w').close()",
    "a program": "import subprocess; subprocess.Popen(['sleep', '100'])",
    "a fork": "if os.fork() == 0: time.sleep(100)",
}
FRESH = {"visits": 1, "books": 1, "request": False, "listeners": 0, "largest": 2}
LAST_WORDS = {
    "files": "fs.writeFileSync(`${os.tmpdir()}/left`, 'x');",
    "a server": "require('net').createServer().listen(0);",
    "a program": "require('child_process').spawn('sleep', ['100']);",
    "a frozen prototype": "Object.freeze(Array.prototype);",
    "a property for ever": "Object.defineProperty(global, 'left', { value: 1 });",
}
SETUPS = {
    "an ES module": "import('./more.mjs');",
    "hooks": "require('async_hooks').createHook({ init() {} }).enable();",
    "domains": "require('domain').create();",
}


def write_skill(folder: Path, leave: str, setup: str = "") -> str:
    model = {"interactionModel": {"languageModel": {"invocationName": "memory lane", "intents": [
        {"name": "HelloIntent", "samples": ["hello"]}, {"name": "AMAZON.StopIntent"}]}}}  # fmt: skip
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "index.js").write_text(HANDLER.replace("SETUP", setup).replace("LEAVE", leave))
    (folder / "books.js").write_text("exports.count = 0;")
    (folder / "more.mjs").write_text("export const more = 1;")
    return str(folder)


def write_python_skill(folder: Path, leave: str) -> str:
    write_skill(folder, "")
    (folder / "index.js").unlink()
    (folder / "lambda_function.py").write_text(PYTHON.replace("SETUP", "").replace("LEAVE", leave))
    return str(folder)


def converse(skill: str, times: int = 2, **settings: object) -> list[tuple[str, dict[str, object]]]:
    """Open conversations one after the other; which process each had, and what it found there."""

    async def talk() -> list[str]:
        context = FakeContext()
        connector = context.build(AlexaConnector, skill=skill, network="cut", **settings)
        heard: list[str] = []
        try:
            for number in range(times):
                # Equal cases have equal seeds: chance begins where it began.
                case = Case.of("voice", {"n": 1}, run_seed=1, repeat=number)
                async with connector.open(case.model_copy(update={"seed": 5})) as session:
                    for act in (Listen(), Say(text="hello")):
                        seen = await session.send(act)
                        assert isinstance(seen, Observation)
                        heard.append(seen.text)
        finally:
            await context.close()
        return heard[::2]

    spoken = [text.split(" ", 1) for text in asyncio.run(talk())]
    return [(process, json.loads(found)) for process, found in spoken]


def test_what_a_conversation_left_is_gone_in_the_next_one(node: str, tmp_path: Path) -> None:
    conversations = converse(write_skill(tmp_path, LEAVE), times=3)
    assert len({process for process, _ in conversations}) == 1
    chances = {found.pop("chance") for _, found in conversations}
    assert [found for _, found in conversations] == [FRESH] * 3
    assert len(chances) == 1


def test_code_that_is_kept_for_all_conversations_keeps_nothing(node: str, tmp_path: Path) -> None:
    setup = "const body = arguments.callee; const kept = [body.left, body.prototype.left];"
    setup += "body.left = 1; body.prototype.left = 1;"
    conversations = converse(write_skill(tmp_path, "seen.left = kept;", setup), times=3)
    assert len({process for process, _ in conversations}) == 1
    assert [found["left"] for _, found in conversations] == [[None, None]] * 3


def test_a_file_that_has_changed_is_compiled_again(node: str, tmp_path: Path) -> None:
    async def talk() -> list[str]:
        context = FakeContext()
        skill = write_skill(tmp_path, "")
        connector = context.build(AlexaConnector, skill=skill, network="cut")
        heard: list[str] = []
        try:
            for count in (0, 10, 20):
                (tmp_path / "books.js").write_text(f"exports.count = {count};")
                async with connector.open(Case.of("voice", {"n": count}, run_seed=1)) as session:
                    await session.send(Listen())
                    seen = await session.send(Say(text="hello"))
                    assert isinstance(seen, Observation)
                    heard.append(seen.text)
        finally:
            await context.close()
        return heard

    spoken = [text.split(" ", 1) for text in asyncio.run(talk())]
    assert len({process for process, _ in spoken}) == 1
    assert [json.loads(found)["books"] for _, found in spoken] == [2, 12, 22]


def test_a_library_that_only_loads_domains_costs_no_new_process(node: str, tmp_path: Path) -> None:
    skill = write_skill(tmp_path, LEAVE, "require('domain').active;")
    conversations = converse(skill, times=3)
    assert len({process for process, _ in conversations}) == 1
    assert all(FRESH.items() <= found.items() for _, found in conversations)


@pytest.mark.parametrize("leave", LAST_WORDS.values(), ids=LAST_WORDS)
def test_what_cannot_be_undone_ends_the_process(node: str, tmp_path: Path, leave: str) -> None:
    conversations = converse(write_skill(tmp_path, leave), isolation="auto")
    assert len({process for process, _ in conversations}) == 2
    for _, found in conversations:
        assert FRESH.items() <= found.items()


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_what_a_skill_loads_for_ever_ends_the_process(
    node: str, tmp_path: Path, setup: str
) -> None:
    conversations = converse(write_skill(tmp_path, "", setup))
    assert len({process for process, _ in conversations}) == 2


def test_each_conversation_may_have_a_new_process(node: str, tmp_path: Path) -> None:
    conversations = converse(write_skill(tmp_path, ""), process="new")
    assert len({process for process, _ in conversations}) == 2


def test_lines_are_counted_for_each_conversation(node: str, tmp_path: Path) -> None:
    async def lines() -> list[list[int]]:
        context = FakeContext()
        connector = context.build(AlexaConnector, skill=write_skill(tmp_path, ""), coverage="lines")
        counted: list[list[int]] = []
        try:
            for number in range(2):
                case = Case.of("voice", {"n": number}, run_seed=1)
                async with connector.open(case) as session:
                    await session.send(Listen())
                    facts = session.facts()
                    assert facts is not None
                    counted.append([len(part.reached) for part in facts.parts])
        finally:
            await context.close()
        return counted

    first, second = asyncio.run(lines())
    assert first == second
    assert any(first)


isolated = pytest.mark.skipif(
    find_isolation("auto").mode == "none", reason="only isolated Python processes are used again"
)


@isolated
def test_what_a_python_skill_left_is_gone_in_the_next_conversation(tmp_path: Path) -> None:
    conversations = converse(write_python_skill(tmp_path, LEAVE_PYTHON), times=3)
    assert len({process for process, _ in conversations}) == 1
    chances = {found.pop("chance") for _, found in conversations}
    assert [found for _, found in conversations] == [FRESH_PYTHON] * 3
    assert len(chances) == 1


@isolated
@pytest.mark.parametrize("leave", LAST_WORDS_PYTHON.values(), ids=LAST_WORDS_PYTHON)
def test_what_a_python_skill_started_ends_the_process(tmp_path: Path, leave: str) -> None:
    conversations = converse(write_python_skill(tmp_path, leave))
    assert len({process for process, _ in conversations}) == 2
    assert [found["visits"] for _, found in conversations] == [1, 1]


@isolated
def test_a_library_of_the_skill_is_not_imported_for_all_conversations(tmp_path: Path) -> None:
    skill = write_python_skill(tmp_path, "import six; found['env'] = six.count; six.count += 1")
    (tmp_path / "six.py").write_text("count = 0")
    conversations = converse(skill, times=3)
    assert [found["env"] for _, found in conversations] == [0, 0, 0]


@isolated
def test_the_chance_of_numpy_comes_from_the_seed_in_each_conversation(tmp_path: Path) -> None:
    draw = "import numpy.random; found['env'] = numpy.random.randint(1_000_000)"
    skill = write_python_skill(tmp_path, draw)
    first = converse(skill, times=3)
    later = converse(skill, times=2)
    assert len({process for process, _ in first}) == 1
    assert len({found["env"] for _, found in first + later}) == 1


@isolated
def test_a_second_process_begins_with_the_libraries_of_the_first(tmp_path: Path) -> None:
    # what the skill imports before its first request is there before it, as in a copy
    draw = "found['env'] = 'six' in early"
    skill = write_python_skill(tmp_path, draw)
    source = (tmp_path / "lambda_function.py").read_text()
    (tmp_path / "lambda_function.py").write_text(
        f"import sys; early = [*sys.modules]; import six\n{source}"
    )

    async def talk() -> list[bool]:
        context = FakeContext()
        connector = context.build(AlexaConnector, skill=skill, network="cut")
        found: list[bool] = []
        try:
            cases = [Case.of("voice", {"n": n}, run_seed=1) for n in range(3)]
            async with connector.open(cases[0]) as alone:
                found.append(await env(alone))
            async with connector.open(cases[1]) as one, connector.open(cases[2]) as other:
                found += [await env(one), await env(other)]
        finally:
            await context.close()
        return found

    async def env(session: AppSession) -> bool:
        await session.send(Listen())
        seen = await session.send(Say(text="hello"))
        assert isinstance(seen, Observation)
        return bool(json.loads(seen.text.split(" ", 1)[1])["env"])

    assert asyncio.run(talk()) == [False, True, True]
