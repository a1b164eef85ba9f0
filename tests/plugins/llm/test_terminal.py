"""The backend `terminal`: a person answers."""

import asyncio
import io
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sparring.errors import ModelError
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.testing import hostile
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.terminal import TerminalBackend

pytestmark = pytest.mark.anyio


class Person:
    """What stands behind standard input: a pipe."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        self.stream = os.fdopen(reading, encoding="utf-8")

    def types(self, text: str | bytes) -> None:
        os.write(self._writing, text.encode() if isinstance(text, str) else text)

    def leaves(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
        self._writing = -1


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    there = Person()
    monkeypatch.setattr(sys, "stdin", there.stream)
    yield there
    there.leaves()
    there.stream.close()


class Screen:
    """What stands on standard error so far."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured, self._seen = captured, ""

    def shows(self) -> str:
        self._seen += self._captured.readouterr().err
        return self._seen


@pytest.fixture
def screen(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def terminal() -> TerminalBackend:
    return FakeContext().build(TerminalBackend)


def ask(text: str = "Which size?", **more: Any) -> ChatRequest:
    messages = (
        ChatMessage(role="system", content="You order pizza."),
        ChatMessage(role="user", content=text),
    )
    return ChatRequest(messages=messages, **more)


async def test_a_person_is_shown_the_prompt_and_answers(person: Person, screen: Screen) -> None:
    person.types("A small one,\nplease.\n.\n")
    reply = await terminal().complete(ask(asker="user", prompt="first", case_id="c1"))
    assert reply.text == "A small one,\nplease."
    assert (reply.model, reply.cost_usd, reply.finish_reason) == ("person", 0.0, "stop")
    assert screen.shows() == (
        "\n--- question 1 (asker user) (prompt first) (case c1)\n"
        "[system]\nYou order pizza.\n[user]\nWhich size?\n"
        "--- Your answer; a line with a single dot ends it (two dots stand for a dot):\n"
    )


async def test_the_schema_is_shown_where_json_is_wanted(person: Person, screen: Screen) -> None:
    person.types('{"polite": true}\n.\n')
    schema = {"type": "object", "title": "\x1b[2JPolite"}
    reply = await terminal().complete(ask(answer_schema=schema))
    assert reply.text == '{"polite": true}'
    assert '"type": "object"' in screen.shows()
    assert "\x1b" not in screen.shows()


async def test_the_end_of_the_input_ends_an_answer_and_then_there_is_none(
    person: Person, screen: Screen
) -> None:
    person.types("half an answer")
    person.leaves()
    backend = terminal()
    assert (await backend.complete(ask())).text == "half an answer"
    with pytest.raises(ModelError, match="nobody answers: standard input has ended"):
        await backend.complete(ask())


async def test_lines_with_dots_can_be_said(person: Person, screen: Screen) -> None:
    person.types("..\n...\n.5\n. \n")
    assert (await terminal().complete(ask())).text == ".\n..\n.5"


async def test_an_empty_answer_is_one(person: Person, screen: Screen) -> None:
    person.types(".\n")
    assert (await terminal().complete(ask())).text == ""


async def test_questions_are_shown_one_at_a_time(person: Person, screen: Screen) -> None:
    backend = terminal()
    asked = [asyncio.create_task(backend.complete(ask(f"Number {n}?"))) for n in range(3)]
    for number in range(3):
        while f"Number {number}?" not in screen.shows():
            await asyncio.sleep(0.001)
        assert screen.shows().count("[user]") == number + 1
        person.types(f"{number}\n.\n")
    assert [reply.text for reply in await asyncio.gather(*asked)] == ["0", "1", "2"]


async def test_the_loop_goes_on_while_a_person_thinks(person: Person, screen: Screen) -> None:
    asked = asyncio.create_task(terminal().complete(ask(timeout_s=0.01)))
    for _ in range(50):
        await asyncio.sleep(0.001)
    assert not asked.done(), "a person has the time that it takes"
    person.types("at last\n.\n")
    assert (await asked).text == "at last"


async def test_an_answer_to_a_cancelled_question_is_not_lost_for_the_next(
    person: Person, screen: Screen
) -> None:
    backend = terminal()
    asked = asyncio.create_task(backend.complete(ask("First?")))
    while "First?" not in screen.shows():
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    person.types("one\ntwo\n.\n")
    assert (await backend.complete(ask("Second?"))).text == "one\ntwo"


async def test_another_backend_reads_on_where_the_first_stopped(
    person: Person, screen: Screen
) -> None:
    person.types("one\n.\ntwo\n.\n")
    assert (await terminal().complete(ask())).text == "one"
    assert (await terminal().complete(ask())).text == "two"


async def test_nothing_in_a_prompt_steers_the_terminal(person: Person, screen: Screen) -> None:
    backend = terminal()
    for text in (*hostile.TEXTS, "\x1b]0;title\x07", "a\rb", "\u202eevil", "\x9b2J"):
        person.types("ok\n.\n")
        await backend.complete(ask(hostile.storable(text), asker="\x1b[2J", prompt="\u202e"))
    bad = [c for c in set(screen.shows()) if not c.isprintable() and c not in "\n\t"]
    steering = [c for c in bad if ord(c) < 0xA0 or c in "\u202a\u202b\u202c\u202d\u202e\u2066"]
    assert not steering


async def test_a_huge_prompt_is_cut(person: Person, screen: Screen) -> None:
    person.types("ok\n.\n")
    await terminal().complete(ask("x" * 1_000_000))
    assert "... and 900,000 more characters" in screen.shows()
    assert len(screen.shows()) < 101_000


async def test_what_is_typed_need_not_be_utf8(person: Person, screen: Screen) -> None:
    person.types(b"caf\xe9 \xff\r\n.\r\n")
    assert (await terminal().complete(ask())).text == "caf\ufffd \ufffd"


async def test_a_multibyte_character_may_arrive_in_halves(person: Person, screen: Screen) -> None:
    person.types(b"\xc3")
    asked = asyncio.create_task(terminal().complete(ask()))
    await asyncio.sleep(0.02)
    person.types(b"\xa9\n.\n")
    assert (await asked).text == "é"


@pytest.mark.parametrize("endless", ["/dev/zero", "newlines"])
async def test_an_endless_answer_ends(
    endless: str, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Newlines(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            return "\n"

    with open("/dev/zero", encoding="utf-8") as zero:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", zero if endless == "/dev/zero" else Newlines())
        with pytest.raises(ModelError, match=r"an answer of .* without an end"):
            await terminal().complete(ask())


@pytest.mark.parametrize("stdin", [None, io.StringIO("")], ids=["none", "empty"])
async def test_no_input_at_all_is_a_model_error(
    stdin: Any, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(ModelError, match="standard input has ended"):
        await terminal().complete(ask())


async def test_a_screen_that_is_gone_is_a_model_error(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr(sys, "stderr", gone)
    with pytest.raises(ModelError, match="cannot be shown on standard error"):
        await terminal().complete(ask())


PROGRAM = """
import asyncio
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.terminal import TerminalBackend

async def main():
    backend = FakeContext().build(TerminalBackend)
    request = ChatRequest(messages=(ChatMessage(role="user", content="Which size?"),))
    print("SAID", repr((await backend.complete(request)).text), flush=True)
    waiting = asyncio.create_task(backend.complete(request))
    await asyncio.sleep(0.2)
    waiting.cancel()

asyncio.run(main())
print("OVER", flush=True)
"""


def test_a_real_terminal_works_and_a_waiting_read_does_not_hang_the_exit() -> None:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=inner, stdout=inner, stderr=inner, close_fds=True
    )
    os.close(inner)
    seen, typed, until = b"", False, time.monotonic() + 120
    try:
        while b"OVER" not in seen and time.monotonic() < until:
            if select.select([outer], [], [], 0.1)[0]:
                seen += os.read(outer, 4096)
            if b"Your answer" in seen and not typed:
                typed = True
                os.write(outer, "a smäll one\n.\n".encode())
        assert "SAID 'a smäll one'".encode() in seen
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(outer)
