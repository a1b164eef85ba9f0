"""How functions ask a model: in how many questions, in which shape, about what."""

from typing import Any

import jsonschema
import pytest

from sparring.errors import AnswerInvalid
from sparring.model.chat import ChatReply, ChatRequest
from sparring.testing.answers import answer_to
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions.model_judgements import (
    contradicts,
    follows,
    only_talks_about,
    quality,
    responds_in_same_language,
    semantic_content,
    tone,
    utterance_index,
)


class Model:
    """Answers by the schema; `values` are given for keys of their names."""

    def __init__(self, **values: Any) -> None:
        self.values = values
        self.requests: list[ChatRequest] = []

    def __call__(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        assert request.answer_schema is not None
        parsed = answer_to(request.answer_schema, **self.values)
        jsonschema.validate(parsed, request.answer_schema)
        return ChatReply(text="", parsed=parsed)

    @property
    def said(self) -> str:
        return self.requests[-1].messages[-1].content


TALK = trace_of([("hi", "Hello!"), ("bye", "Goodbye!")])
LONG = trace_of([(f"question {n}", f"answer {n}") for n in range(100)])


def test_all_answers_are_asked_about_in_one_question() -> None:
    model = Model()
    for call in (
        lambda: only_talks_about.call(TALK, model, "pizza"),
        lambda: follows.call(TALK, model, "assistant", "be brief"),
        lambda: follows.call(TALK, model, ["a", "b"], "be brief"),
        lambda: responds_in_same_language.call(TALK, model),
        lambda: tone.call(model, ["a", "b", "a"]),
        lambda: contradicts.call(TALK, model),
        lambda: quality.call(TALK, model, "polite"),
    ):
        model.requests.clear()
        call()
        assert len(model.requests) == 1


def test_many_answers_are_asked_about_in_parts_with_what_was_said_before() -> None:
    model = Model(keeps="no")
    found = only_talks_about.call(LONG, model, "pizza")
    assert found.turns == tuple(range(100))
    asked: list[str] = []
    for request in model.requests:
        assert request.answer_schema is not None
        asked += request.answer_schema["properties"]["answers"]["required"]  # type: ignore[index, call-overload, arg-type]
    assert asked == [str(2 * n) for n in range(1, 101)]
    assert len(model.requests) == 3
    assert '"answer 39"' in model.requests[1].messages[-1].content
    assert '"answer 2"' not in model.requests[1].messages[-1].content


def test_equal_texts_are_asked_about_once() -> None:
    model = Model(tone="POSITIVE")
    assert tone.call(model, ["a", "b", "a"]).value == ["POSITIVE"] * 3
    assert model.said.count('"number"') == 2


def test_reasons_come_before_decisions() -> None:
    model = Model()
    semantic_content.call(model, "a", "b")
    schema = model.requests[0].answer_schema
    assert schema is not None
    assert list(schema["properties"]) == ["reason", "conveys"]  # type: ignore[arg-type]


NOTHING_TO_ASK = [
    (lambda model: only_talks_about.call(trace_of([]), model, "x"), True),
    (lambda model: follows.call(trace_of([]), model, "user", "x"), True),
    (lambda model: follows.call(TALK, model, [], "x"), True),
    (lambda model: contradicts.call(trace_of([("hi", "Hello")]), model), False),
    (lambda model: contradicts.call(trace_of([]), model, "x"), False),
    (lambda model: utterance_index.call(trace_of([]), model, "user", "x"), -1),
    (lambda model: tone.call(model, []), []),
]


@pytest.mark.parametrize(("call", "value"), NOTHING_TO_ASK)
def test_nothing_is_asked_about_nothing(call: Any, value: Any) -> None:
    model = Model()
    assert call(model).value == value
    assert not model.requests


@pytest.mark.parametrize(("score", "value"), [(1, 0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1)])
def test_quality_is_between_0_and_1(score: int, value: float) -> None:
    found = quality.call(TALK, Model(score=score, messages=[2, 4], reason="so"), "polite")
    assert (found.value, found.turns) == (value, (0, 1))
    assert found.reason == f"{score} of 5: so"


def test_quality_of_nothing_refers_to_nothing() -> None:
    found = quality.call(trace_of([]), Model(messages=[0]), "polite")
    assert found.turns == ()


def test_contradictions_refer_to_the_messages() -> None:
    model = Model(contradicts="yes", messages=[2, 4], reason="hello and goodbye")
    found = contradicts.call(TALK, model)
    assert (found.value, found.reason, found.turns) == (True, "hello and goodbye", (0, 1))
    assert "contradict itself" in model.said
    kept = contradicts.call(TALK, Model(contradicts="no", messages=[1]), "it is noon", "user")
    assert (kept.value, kept.turns) == (False, ())


def test_who_breaks_an_instruction_is_quoted() -> None:
    broken = {"reason": "too short", "follows": "no"}
    model = Model(**{"2": broken, "4": {"reason": "", "follows": "not_concerned"}})
    found = follows.call(TALK, model, "chatbot", "be long")
    assert (found.value, found.turns) == (False, (0,))
    assert found.reason == "'Hello!': too short"
    texts = follows.call(TALK, Model(**{"1": broken}), "Hello!", "be long")
    assert (texts.value, texts.texts) == (False, ("Hello!",))


@pytest.mark.parametrize("call", [utterance_index, contradicts])
def test_a_speaker_that_there_is_not_is_told(call: Any) -> None:
    with pytest.raises(ValueError, match="knows user and assistant, not 'bot'"):
        call.call(TALK, Model(), *(("bot", "x") if call is utterance_index else ("x", "bot")))


def test_an_answer_without_data_is_no_answer() -> None:
    with pytest.raises(AnswerInvalid):
        semantic_content.call(lambda _: ChatReply(text="yes"), "a", "b")


def test_a_fallback_is_shown_where_there_is_one() -> None:
    model = Model()
    only_talks_about.call(TALK, model, ["a", "b"], "Sorry?")
    assert '"Sorry?"' in model.said
    only_talks_about.call(TALK, model, "a")
    assert "always use phrases" not in model.said
