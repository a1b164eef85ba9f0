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
YES = {"reason": "It names $5.", "answer": "yes", "score": 0.9, "turns": [2]}


def model(*answers: Any) -> FakeLLM:
    return FakeContext().build(FakeLLM, answers=answers)


async def judged(llm: FakeLLM, task: JudgeTask = TASK, **settings: Any) -> Judgement:
    return await FakeContext(llm=llm).build(ModelJudge, **settings).act(task)


async def test_an_answer_becomes_a_judgement_with_turns_from_zero() -> None:
    found = await judged(model({**YES, "turns": [2, 1, 2]}))
    assert found == Judgement(answer="yes", score=0.9, reason="It names $5.", turns=(0, 1))


async def test_the_reason_is_asked_for_before_the_answer() -> None:
    llm = model(YES)
    await judged(llm)
    schema: Any = llm.requests[0].answer_schema
    assert list(schema["properties"]) == ["reason", "answer", "score", "turns"]
    assert schema["properties"]["answer"]["enum"] == ["yes", "no", "cannot tell"]
    assert schema["required"] == ["reason", "answer", "score", "turns"]


async def test_options_are_shown_in_their_order_with_the_way_out_last() -> None:
    llm = model({**YES, "answer": "red"})
    task = JudgeTask(question="Which?", options=("red", "blue"), criterion="By hue.", turns=TALK)
    assert (await judged(llm, task)).answer == "red"
    asked = llm.requests[0].messages[1].content
    assert "The question: Which?\nHow to decide: By hue.\n" in asked
    places = [asked.index(text) for text in ("\n- red\n", "\n- blue\n", "\n- cannot tell (")]
    assert places == sorted(places)
    assert 'the answer is "red"' in asked


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
    llm = model({**YES, "turns": [4]})
    found = await judged(llm, JudgeTask(question="?", subject=subject))
    assert found.turns == ()
    data = llm.requests[0].messages[1].content.split("<data>\n")[1].split("\n</data>")[0]
    assert json.loads(data) == subject


async def test_a_judge_who_cannot_tell_says_so() -> None:
    found = await judged(model({**YES, "answer": "cannot tell", "score": 0.5}))
    assert found == Judgement(answer=None, reason="It names $5.", turns=(1,))


async def test_an_option_may_have_the_words_of_the_way_out() -> None:
    task = JudgeTask(question="?", options=("cannot tell", "no"), subject="x")
    assert (await judged(model({**YES, "answer": "cannot tell"}), task)).answer == "cannot tell"
    assert (await judged(model({**YES, "answer": "(cannot tell)"}), task)).answer is None


async def test_turns_that_there_are_not_are_sent_back() -> None:
    llm = model({**YES, "turns": [0, 9]}, YES)
    assert (await judged(llm)).turns == (1,)
    assert "there is no turn 0, 9: the turns are 1 to 3" in llm.requests[1].messages[-1].content


async def test_a_score_that_is_no_share_is_sent_back() -> None:
    llm = model({**YES, "score": 7}, {**YES, "score": -1}, YES)
    assert (await judged(llm)).score == 0.9
    assert "the score is to be from 0 to 1, and not 7" in llm.requests[1].messages[-1].content
    with pytest.raises(AnswerInvalid, match="the score is to be from 0 to 1, and not 7"):
        await judged(model({**YES, "score": 7}), rounds=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "maybe"},
        {"answer": None},
        {"score": "half"},
        {"reason": ""},
        {"turns": ["second"]},
    ],
    ids=str,
)
async def test_a_wrong_answer_is_sent_back_and_then_none(wrong: dict[str, Any]) -> None:
    assert (await judged(model({**YES, **wrong}, YES))).answer == "yes"
    with pytest.raises(AnswerInvalid, match="gave no usable answer to the prompt 'judge'"):
        await judged(model({**YES, **wrong}, {**YES, **wrong}))


@pytest.mark.parametrize(
    "spelled", [{"answer": "Yes"}, {"score": "0.9"}, {"turns": ["2"]}, {"more": 1}], ids=str
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
    turns = trace_of([("x" * 300_000, "\x00" * 300_000)] * 100).turns
    llm = model(YES)
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
