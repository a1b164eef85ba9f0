import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AnswerInvalid, ConfigurationError
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.judging.model_judge import ModelJudge

pytestmark = pytest.mark.anyio

TALK = trace_of([(None, "Welcome!"), ("How much?", "It is $5."), ("Thanks", None)]).turns
TASK = JudgeTask(question="Is a price named?", turns=TALK, seed=5, sample=2)
SHOWN = {"turn": 2, "words": "It is $5."}
YES = {"reason": "It names $5.", "quotations": [SHOWN], "answer": "yes", "sure": 0.9}


def quoting(*quotations: tuple[int | None, str]) -> dict[str, Any]:
    """The answer "yes" with other quotations."""
    return {**YES, "quotations": [{"turn": turn, "words": words} for turn, words in quotations]}


def model(*answers: Any) -> FakeLLM:
    return FakeContext().build(FakeLLM, answers=answers)


async def judged(llm: FakeLLM, task: JudgeTask = TASK, **settings: Any) -> Judgement:
    return await FakeContext(llm=llm).build(ModelJudge, **settings).act(task)


async def test_an_answer_becomes_a_judgement_with_turns_from_zero() -> None:
    found = await judged(model(quoting((2, "$5"), (1, "Welcome!"), (2, "How much?"))))
    assert found == Judgement(answer="yes", score=0.9, reason="It names $5.", turns=(0, 1))


async def test_the_reason_is_asked_for_before_the_answer() -> None:
    llm = model(YES)
    await judged(llm)
    schema: Any = llm.requests[0].answer_schema
    assert list(schema["properties"]) == ["reason", "quotations", "answer", "sure"]
    assert schema["properties"]["answer"]["enum"] == ["yes", "no", "cannot tell"]
    assert schema["required"] == ["reason", "quotations", "answer", "sure"]


async def test_options_are_shown_in_their_order_with_the_way_out_last() -> None:
    llm = model({**YES, "answer": "red"})
    task = JudgeTask(question="Which?", options=("red", "blue"), criterion="By hue.", turns=TALK)
    assert (await judged(llm, task)).answer == "red"
    asked = llm.requests[0].messages[1].content
    assert "The question: Which?\nHow to decide: By hue.\n" in asked
    places = [asked.index(text) for text in ("\n- red\n", "\n- blue\n", "\n- cannot tell (")]
    assert places == sorted(places)


async def test_the_request_is_the_judges_and_the_same_for_the_same_task() -> None:
    one, two = model(YES), model(YES)
    await judged(one)
    await judged(two)
    assert one.requests == two.requests
    request = one.requests[0]
    assert (request.asker, request.prompt, request.temperature) == ("judge", "judge", 0.0)
    assert (request.seed, request.sample) == (5, 2)


async def test_the_conversation_stands_in_a_block_with_turns_from_one() -> None:
    llm = model(YES)
    await judged(llm)
    data = llm.requests[0].messages[1].content.split("<data>\n")[1].split("\n</data>")[0]
    assert [one["turn"] for one in json.loads(data)] == [1, 2, 2, 3, 3]
    assert json.loads(data)[-1] == {"turn": 3, "speaker": "chatbot", "text": None}


@pytest.mark.parametrize("subject", ["a text", {"a": [1]}, "", 0, False, []])
async def test_a_subject_stands_in_a_block(subject: Any) -> None:
    words = subject if isinstance(subject, str) else json.dumps(subject)
    llm = model(quoting((4, words)))
    found = await judged(llm, JudgeTask(question="?", subject=subject))
    assert found.turns == ()
    assert len(llm.requests) == 1
    data = llm.requests[0].messages[1].content.split("<data>\n")[1].split("\n</data>")[0]
    assert json.loads(data) == subject


async def test_a_judge_who_cannot_tell_says_so() -> None:
    found = await judged(model({**YES, "answer": "cannot tell", "sure": 0.5}))
    assert found == Judgement(answer=None, reason="It names $5.", turns=(1,))


async def test_an_option_may_have_the_words_of_the_way_out() -> None:
    task = JudgeTask(question="?", options=("cannot tell", "no"), subject="x")
    said = {**quoting((None, "x")), "answer": "cannot tell"}
    assert (await judged(model(said), task)).answer == "cannot tell"
    assert (await judged(model({**YES, "answer": "(cannot tell)"}), task)).answer is None


async def test_turns_that_there_are_not_are_sent_back() -> None:
    llm = model(quoting((0, "$5"), (9, "$5")), YES)
    assert (await judged(llm)).turns == (1,)
    assert "there is no turn 9: the turns are 1 to 3" in llm.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("quotations", "objection"),
    [
        ([], "no words are quoted"),
        ([(2, "It is $6.")], "nobody says 'It is $6.' in turn 2"),
        ([(1, "It is $5.")], "nobody says 'It is $5.' in turn 1"),
        ([(2, "It is $5."), (2, "and free")], "nobody says 'and free' in turn 2"),
        ([(2, "")], "nobody says '' in turn 2"),
        ([(None, "It is $5.")], "there is no turn None"),
    ],
)
async def test_words_that_nobody_said_are_sent_back_and_then_count_for_nothing(
    quotations: list[tuple[int | None, str]], objection: str
) -> None:
    llm = model(quoting(*quotations), YES)
    assert (await judged(llm)).answer == "yes"
    assert objection in llm.requests[1].messages[-1].content
    with pytest.raises(AnswerInvalid, match="gave no usable answer to the prompt 'judge'"):
        await judged(model(*[quoting(*quotations)] * 3))


@pytest.mark.parametrize(
    "words", ["it  is $5", "\u201cIt is $5.\u201d", "It ... $5.", "How much?"], ids=ascii
)
async def test_words_may_differ_from_what_was_said_in_marks_and_gaps(words: str) -> None:
    llm = model(quoting((2, words)))
    assert (await judged(llm)).turns == (1,)
    assert len(llm.requests) == 1


async def test_silence_is_shown_by_its_turn_alone() -> None:
    llm = model(quoting((3, "")))
    assert (await judged(llm)).turns == (2,)
    assert len(llm.requests) == 1


async def test_words_about_a_text_stand_in_it() -> None:
    task = JudgeTask(question="?", subject={"answer": 'It says "ja" & <b>nein</b>.', "of": [12]})
    for words in ('says "ja"', "nein", "12"):
        llm = model(quoting((None, words)))
        assert (await judged(llm, task)).answer == "yes"
        assert len(llm.requests) == 1
    llm = model(quoting((None, "oui")), quoting((None, "nein")))
    assert (await judged(llm, task)).answer == "yes"
    assert "'oui' does not stand there letter for letter" in llm.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("options", "answer", "sure", "score"),
    [
        (("yes", "no"), "yes", 0.9, 0.9),
        (("yes", "no"), "no", 0.9, 0.1),
        (("yes", "no"), "no", None, None),
        (("a", "b", "c"), "c", 0.8, 0.1),
    ],
)
async def test_a_firm_no_is_a_firm_answer(
    options: tuple[str, ...], answer: str, sure: float | None, score: float | None
) -> None:
    task = JudgeTask(question="?", options=options, turns=TALK)
    assert (await judged(model({**YES, "answer": answer, "sure": sure}), task)).score == score


async def test_a_sureness_that_is_no_share_is_sent_back() -> None:
    llm = model({**YES, "sure": 7}, {**YES, "sure": -1}, YES)
    assert (await judged(llm)).score == 0.9
    assert "sure you are is to be from 0 to 1, and not 7" in llm.requests[1].messages[-1].content
    with pytest.raises(AnswerInvalid, match="sure you are is to be from 0 to 1, and not 7"):
        await judged(model({**YES, "sure": 7}), rounds=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "maybe"},
        {"answer": None},
        {"sure": "half"},
        {"reason": ""},
        {"quotations": ["second"]},
    ],
    ids=str,
)
async def test_a_wrong_answer_is_sent_back_and_then_none(wrong: dict[str, Any]) -> None:
    assert (await judged(model({**YES, **wrong}, YES))).answer == "yes"
    with pytest.raises(AnswerInvalid, match="gave no usable answer to the prompt 'judge'"):
        await judged(model({**YES, **wrong}, {**YES, **wrong}))


@pytest.mark.parametrize(
    "spelled",
    [{"answer": "Yes"}, {"sure": "0.9"}, {"quotations": [{**SHOWN, "turn": "2"}]}, {"more": 1}],
    ids=str,
)
async def test_an_answer_in_another_spelling_is_read(spelled: dict[str, Any]) -> None:
    llm = model({**YES, **spelled})
    answer = await judged(llm)
    assert (answer.answer, answer.score, len(llm.requests)) == ("yes", 0.9, 1)


async def test_without_options_nothing_is_asked() -> None:
    llm = model()
    found = await judged(llm, JudgeTask(question="?", options=()))
    assert (found.answer, llm.requests) == (None, [])


async def test_a_huge_conversation_makes_a_question_of_bounded_size() -> None:
    turns = trace_of([("x " * 150_000, "\x00" * 300_000)] * 100).turns
    llm = model(quoting((1, "x")))
    await judged(llm, JudgeTask(question="?", turns=turns))
    assert sum(len(one.content) for one in llm.requests[0].messages) < 65_000


async def test_a_suite_may_put_its_own_question(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "judge.jinja").write_text(
        '{% extends "judge.jinja" %}{% block task %}Strictly: {{ question }}\n{% endblock %}'
    )
    llm = model(YES)
    context = FakeContext(llm=llm, base_dir=tmp_path)
    await context.build(ModelJudge, prompts="prompts").act(TASK)
    assert llm.requests[0].messages[1].content.startswith("Strictly: Is a price named?\nThe conv")
    assert list(context.inputs) == ["prompts/judge.jinja"]


async def test_a_suite_without_a_model_is_told_so() -> None:
    with pytest.raises(ConfigurationError, match="the judge ModelJudge asks a language model"):
        FakeContext().build(ModelJudge)
