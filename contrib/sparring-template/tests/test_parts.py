"""What the parts of this package promise beyond their interfaces."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from sparring import AppCrash, AppProtocolError, AppTimeout, Case, Listen, Observation, Say
from sparring.testing import FakeContext, trace_of

from sparring_template.connector import CommandConnector
from sparring_template.function import words_per_answer
from sparring_template.oracle import PlainSpeech

BOT = [sys.executable, "-I", str(Path(__file__).with_name("bot.py"))]


def talk(*texts: str | None, options: tuple[str, ...] = (), **settings: Any) -> list[Observation]:
    """What the bot answers; None listens."""

    async def spoken() -> list[Observation]:
        command = [*BOT, *options]
        connector = FakeContext().build(CommandConnector, command=command, **settings)
        async with connector.open(Case.of("talk", {}, run_seed=0)) as session:
            acts = [Listen() if text is None else Say(text=text) for text in texts]
            return [await session.send(act) for act in acts]

    return asyncio.run(spoken())


def test_a_text_of_several_lines_is_one_message() -> None:
    assert [seen.text for seen in talk("one\ntwo", "three")] == [
        "1: you said one two",
        "2: you said three",
    ]


def test_the_greeting_is_heard_by_listening() -> None:
    seen = talk(None, None, "hi", options=("--greet",), greets=True)
    assert [item.text for item in seen] == ["Welcome!", "", "1: you said hi"]


def test_the_greeting_is_not_taken_for_an_answer() -> None:
    assert talk("hi", options=("--greet",), greets=True)[0].text == "1: you said hi"


def test_an_answer_of_several_lines_ends_at_its_mark() -> None:
    seen = talk("hi", "ho", options=("--mark",), end_mark=".")
    assert [item.text for item in seen] == [
        "1: you said hi\nand that is all",
        "2: you said ho\nand that is all",
    ]


def test_a_program_that_ends_well_has_ended_the_conversation() -> None:
    assert talk("bye") == [Observation(ended=True)]


def test_a_program_that_ends_badly_has_crashed() -> None:
    with pytest.raises(AppCrash, match="the program ended with status 3"):
        talk("crash")


def test_a_program_that_says_nothing_times_out() -> None:
    with pytest.raises(AppTimeout, match=r"the program said nothing for 0\.2 s"):
        talk("hang", timeout_s=0.2, close_s=0.1)


def test_an_endless_answer_is_a_protocol_error() -> None:
    with pytest.raises(AppProtocolError, match="longer than 10 bytes"):
        talk("hello, hello, hello", longest=10)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("I am sorry.", "fail"), ("SORRY", "fail"), ("sorrows", "pass"), ("fine", "pass")],
)
def test_only_whole_words_are_never_said(said: str, outcome: str) -> None:
    oracle = FakeContext().build(PlainSpeech, never_says=["sorry"])
    (verdict,) = asyncio.run(oracle.judge(trace_of([("hi", "ok"), ("hi", said)])))
    assert verdict.outcome == outcome
    assert [shown.turn for shown in verdict.turns] == ([1] if outcome == "fail" else [])


def test_a_long_answer_fails_and_says_where() -> None:
    oracle = FakeContext().build(PlainSpeech, longest=5)
    (verdict,) = asyncio.run(oracle.judge(trace_of([("hi", "short"), ("hi", "longer")])))
    assert verdict.reason == "1 of 2 answers, first in turn 2"


def test_a_conversation_without_answers_is_skipped() -> None:
    oracle = FakeContext().build(PlainSpeech, longest=5)
    (verdict,) = asyncio.run(oracle.judge(trace_of([("hi", None)])))
    assert verdict.outcome == "skipped"


def test_words_are_counted_per_answer() -> None:
    trace = trace_of([("hi", "one two"), ("hi", None), ("hi", "")])
    assert words_per_answer.call(trace) == [2, 0]
