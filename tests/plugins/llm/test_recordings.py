"""Answers of models, found again in the log of a run."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ModelError
from sparring.model.case import Case
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import CaseStarted, ModelCalled
from sparring.model.run import Run
from sparring.store import RunLog, StoredRun
from sparring_plugins.llm.replay import Recording

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def asked(text: str, case: str | None = "a", **more: object) -> ChatRequest:
    message = ChatMessage(role="user", content=text)
    return ChatRequest.model_validate({"messages": (message,), "case_id": case, **more})


def call(request: ChatRequest, answer: str | None, service: str = "s") -> ModelCalled:
    reply = None if answer is None else ChatReply(text=answer)
    error = "it broke" if answer is None else None
    return ModelCalled(at=NOW, request=request, reply=reply, error=error, service=service)


def begun(name: str) -> CaseStarted:
    return CaseStarted(at=NOW, case=Case(id=name, scenario="talk"))


def recording(folder: Path, *events: ModelCalled | CaseStarted) -> Recording:
    log = RunLog.create(folder / "run", Run(id="run", name="run", created=NOW, seed=0))
    for event in events:
        log.append_event(event)
    log.close()
    return Recording.of(StoredRun(folder / "run"))


def text(found: ChatReply | ModelError | None) -> str | None:
    assert not isinstance(found, ModelError)
    return found.text if found else None


def test_equal_questions_of_a_case_are_answered_in_turn(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi"), "one"), call(asked("hi"), "two"))
    assert [text(made.find(asked("hi"))) for _ in range(3)] == ["one", "two", "two"]


def test_cases_have_their_own_answers(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi", "a"), "one"), call(asked("hi", "b"), "two"))
    assert text(made.find(asked("hi", "b"))) == "two"
    assert text(made.find(asked("hi", "a"))) == "one"


def test_a_question_of_another_case_is_found_too(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi", "a"), "one"))
    assert text(made.find(asked("hi", "c"))) == "one"


def test_a_case_that_was_played_again_counts_as_it_was_played_last(tmp_path: Path) -> None:
    made = recording(
        tmp_path, begun("a"), call(asked("hi"), "first"), begun("a"), call(asked("hi"), "second")
    )
    assert text(made.find(asked("hi"))) == "second"


@pytest.mark.parametrize(
    "changed",
    [{"temperature": 0.1}, {"seed": 1}, {"max_tokens": 9}, {"sample": 1}, {"answer_schema": {}}],
    ids=lambda changed: next(iter(changed)),
)
def test_what_shapes_an_answer_must_be_equal(tmp_path: Path, changed: dict[str, object]) -> None:
    made = recording(tmp_path, call(asked("hi"), "one"))
    assert made.find(asked("hi", **changed)) is None


def test_who_asks_and_how_long_it_waits_does_not_matter(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi"), "one"))
    assert text(made.find(asked("hi", asker="judge", timeout_s=3, prompt="x", round=2))) == "one"


def test_the_answer_of_another_service_is_not_taken_where_one_is_named(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi"), "one", service="s"))
    assert made.find(asked("hi"), "t") is None
    assert text(made.find(asked("hi"), "s")) == "one"


def test_the_mark_of_a_secret_may_be_escaped_when_it_is_asked_again(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked('{"text": "it is [MY_API_KEY]"}'), "one"))
    assert text(made.find(asked('{"text": "it is \\u005bMY_API_KEY]"}'))) == "one"


def test_an_error_is_recorded_too(tmp_path: Path) -> None:
    made = recording(tmp_path, call(asked("hi"), None))
    with pytest.raises(ModelError, match="it broke"):
        made.answer(asked("hi"))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (asked("I want a big pizza"), "message 1 (user) reads 'I want a big pizza', recorded was"),
        (asked("I want a small pizza", temperature=1.0), "temperature is 1.0, recorded was None"),
        (asked("I want a small pizza", asker="user", seed=2), "for this question of the user"),
    ],
    ids=["text", "temperature", "asker"],
)
def test_a_miss_shows_the_nearest_question(
    tmp_path: Path, request_: ChatRequest, message: str
) -> None:
    made = recording(
        tmp_path,
        call(asked("something else entirely"), "x"),
        call(asked("I want a small pizza"), "one"),
    )
    with pytest.raises(ModelError) as caught:
        made.answer(request_)
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_run_that_asked_no_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the run asked no model"):
        recording(tmp_path).answer(asked("hi"))


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=20))
def test_whatever_was_asked_is_answered_as_it_was(asks: list[tuple[str, str]]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        events = [call(asked(q, case), str(n)) for n, (case, q) in enumerate(asks)]
        made = recording(Path(folder), *events)
        assert len(made) == len(asks)
        assert [text(made.find(asked(q, case))) for case, q in asks] == [
            str(n) for n in range(len(asks))
        ]
