"""Answers kept for later runs: what the key holds, what is kept, and files that are not ours."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.llm.ledger import key_of
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring_plugins.llm.response_cache import Cache, default_path

ASKED = ChatRequest(
    messages=(ChatMessage(role="system", content="be brief"), ChatMessage(role="user", content="é\ud83d")),
    asker="judge",
    case_id="c1",
    answer_schema={"type": "object", "properties": {"a": {}, "b": {}}},
    temperature=0.5,
    seed=1,
    max_tokens=10,
)  # fmt: skip
ANSWER = ChatReply(
    text='{"a": "\u202eé"}', parsed={"a": "\u202eé"}, model="m", input_tokens=3, cost_usd=0.5
)
KEY = key_of(ASKED, "openai m")


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "answers.sqlite"


@pytest.fixture
def cache(path: Path, warnings: list[str]) -> Iterator[Cache]:
    cache = Cache(path, warnings.append)
    yield cache
    cache.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": ASKED.messages[1:]},
        {"messages": ASKED.messages[::-1]},
        {"messages": (*ASKED.messages, ChatMessage(role="assistant", content=""))},
        {"messages": (ASKED.messages[0], ChatMessage(role="assistant", content="é\ud83d"))},
        {"answer_schema": None},
        {"answer_schema": {"type": "object", "properties": {"b": {}, "a": {}}}},
        {"temperature": None},
        {"temperature": 0.0},
        {"seed": None},
        {"max_tokens": 11},
        {"sample": 1},
    ],
    ids=str,
)
def test_whatever_shapes_an_answer_is_in_its_key(changed: dict[str, Any]) -> None:
    assert key_of(ASKED.model_copy(update=changed), "openai m") != KEY


@pytest.mark.parametrize(
    "changed",
    [{"asker": "user"}, {"case_id": None}, {"prompt": "judge"}, {"round": 1}, {"timeout_s": 1.0}],
    ids=str,
)
def test_whoever_asks_gets_the_same_answer(changed: dict[str, Any]) -> None:
    assert key_of(ASKED.model_copy(update=changed), "openai m") == KEY
    assert key_of(ASKED, "openai n") != KEY


def test_no_two_texts_run_together_in_a_key() -> None:
    def key(*contents: str) -> str:
        messages = tuple(ChatMessage(role="user", content=content) for content in contents)
        return key_of(ChatRequest(messages=messages), "s")

    assert key("a", "b") != key("ab") != key('a","b') != key("a b")


def test_a_key_is_the_same_in_every_process() -> None:
    code = (
        "import sys; from sparring.llm.ledger import key_of; "
        "from sparring.model.chat import ChatRequest; "
        "print(key_of(ChatRequest.model_validate_json(sys.stdin.read()), 'openai m'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=ASKED.model_dump_json(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == KEY


def test_an_answer_comes_back_as_it_was_also_in_a_later_run(
    cache: Cache, path: Path, warnings: list[str]
) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, ASKED, ANSWER)
    assert cache.get(KEY) == ANSWER
    cache.close()
    later = Cache(path, warnings.append)
    assert later.get(KEY) == ANSWER
    later.put(KEY, ASKED, ANSWER.model_copy(update={"text": "new"}))
    kept = later.get(KEY)
    assert kept is not None
    assert kept.text == "new"
    later.close()
    assert warnings == []


@pytest.mark.parametrize(
    "changed",
    [{"finish_reason": "length"}, {"finish_reason": "refusal"}, {"text": "", "parsed": None}],
    ids=str,
)
def test_only_whole_answers_are_kept(cache: Cache, changed: dict[str, Any]) -> None:
    cache.put(KEY, ASKED, ANSWER.model_copy(update=changed))
    assert cache.get(KEY) is None


def test_the_file_is_its_owners_alone_and_holds_no_question(cache: Cache, path: Path) -> None:
    cache.put(KEY, ASKED, ANSWER)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    cache.close()
    with sqlite3.connect(path) as database:
        ((_, asker, _, reply),) = database.execute("SELECT * FROM answers").fetchall()
    database.close()
    assert asker == "judge"
    assert json.loads(reply)["text"] == ANSWER.text
    assert b"be brief" not in path.read_bytes()


def test_after_closing_nothing_is_found_and_nothing_said(cache: Cache, warnings: list[str]) -> None:
    cache.put(KEY, ASKED, ANSWER)
    cache.close()
    cache.put(KEY, ASKED, ANSWER)
    assert cache.get(KEY) is None
    cache.close()
    assert warnings == []


def _not_a_database(path: Path) -> None:
    path.write_bytes(b"once upon a time\n" * 100)


def _of_another_program(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE answers (key, asker, prompt, reply)")
    database.close()


def _newer(path: Path) -> None:
    Cache(path, print).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 2")
    database.close()


def _without_a_table(path: Path) -> None:
    Cache(path, print).close()
    database = sqlite3.connect(path)
    database.execute("DROP TABLE answers")
    database.close()


def _cut_off(path: Path) -> None:
    cache = Cache(path, print)
    for number in range(200):
        cache.put(str(number), ASKED, ANSWER)
    cache.close()
    path.write_bytes(path.read_bytes()[:6000])


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (_not_a_database, "file is not a database"),
        (_of_another_program, "it is a database of some other program"),
        (_newer, "it was written by a newer version of Sparring"),
        (_without_a_table, "no such table: answers"),
        (_cut_off, "malformed"),
        (_folder, "it is not a file"),
        (_pipe, "it is not a file"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_of_once_and_left_as_it_is(
    made: Any, reason: str, tmp_path: Path, warnings: list[str]
) -> None:
    path = tmp_path / "answers.sqlite"
    made(path)
    before = path.read_bytes() if path.is_file() else None
    cache = Cache(path, warnings.append)
    for number in range(300):
        cache.put(str(number), ASKED, ANSWER)
        cache.get(str(number))
    cache.close()
    assert len(warnings) == 1
    assert warnings[0].startswith(f"the response cache {path} is not used: ")
    assert reason in warnings[0]
    if made is not _cut_off:
        assert (path.read_bytes() if path.is_file() else None) == before


def test_a_place_where_nothing_can_be_written_is_told_of(
    tmp_path: Path, warnings: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "x.sqlite", tmp_path / ("x" * 300), tmp_path / "a\0b"):
        Cache(path, warnings.append).close()
    assert len(warnings) == 3


def test_an_answer_that_cannot_be_read_is_as_good_as_none(
    cache: Cache, path: Path, warnings: list[str]
) -> None:
    database = sqlite3.connect(path)
    for value in ("{", '{"text": 1, "more": 2}', b"\xff\xfe"):
        database.execute("INSERT OR REPLACE INTO answers VALUES (?, '', '', ?)", (KEY, value))
        database.commit()
        assert cache.get(KEY) is None
    cache.put(KEY, ASKED, ANSWER)
    assert cache.get(KEY) == ANSWER
    database.close()
    assert warnings == []


def test_a_file_that_somebody_holds_for_long_stops_nobody_for_long(
    cache: Cache, path: Path, warnings: list[str]
) -> None:
    cache.put(KEY, ASKED, ANSWER)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    assert cache.get(KEY) == ANSWER, "readers do not wait"
    cache.put("other", ASKED, ANSWER)  # waits for ever, if it waits for the lock
    database.execute("ROLLBACK")
    database.close()
    assert cache.get("other") is None
    cache.put("other", ASKED, ANSWER)
    assert cache.get("other") == ANSWER
    assert warnings == []


_WRITER = """
import sys
from pathlib import Path
from sparring_plugins.llm.response_cache import Cache
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
request = ChatRequest(messages=(ChatMessage(role="user", content="x"),))
warnings = []
cache = Cache(Path(sys.argv[1]), warnings.append)
for number in range(300):
    key = f"{sys.argv[2]} {number}"
    while (kept := cache.get(key)) is None:  # a file held for long loses an answer, by design
        cache.put(key, request, ChatReply(text=str(number)))
        assert not warnings, warnings
    assert kept.text == str(number)
cache.close()
assert not warnings, warnings
"""


def test_several_processes_may_use_one_file(path: Path, warnings: list[str]) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, path, str(number)]) for number in range(4)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    cache = Cache(path, warnings.append)
    kept = [cache.get(f"{writer} {number}") for writer in range(4) for number in range(300)]
    assert all(reply is not None for reply in kept)
    cache.close()
    assert warnings == []


def test_several_threads_may_use_one_cache(cache: Cache, warnings: list[str]) -> None:
    def write(name: str) -> None:
        for number in range(100):
            cache.put(f"{name} {number}", ASKED, ANSWER)

    threads = [threading.Thread(target=write, args=(str(name),)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(cache.get(f"{name} {number}") for name in range(4) for number in range(100))
    assert warnings == []


def test_by_default_answers_are_kept_in_the_users_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("HOME", str(tmp_path))
    cache = Cache(None, warnings.append)
    cache.put(KEY, ASKED, ANSWER)
    cache.close()
    assert default_path().is_file()
    assert tmp_path in default_path().parents
    assert warnings == []
