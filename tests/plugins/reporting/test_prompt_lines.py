"""`sparring show RUN CASE --prompts`: what models were asked for a case, and what they answered."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.cli.app import invoke
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import CaseJudged, Event, ModelCalled
from sparring.testing.conversations import EPOCH, run_events, store, trace_of
from sparring_plugins.prompting.data_blocks import block
from sparring_plugins.reporting.prompt_lines import prompt_lines, prompt_parts

SCHEMA = {"type": "object", "title": "Judgement"}


def call(case_id: str | None, user: str = "Is it polite?", **more: Any) -> ModelCalled:
    reply = ChatReply(text='{"fine": true}', model="small", input_tokens=90, output_tokens=6)
    request = ChatRequest(
        messages=(
            ChatMessage(role="system", content="You judge."),
            ChatMessage(role="user", content=user),
        ),
        asker="judge",
        prompt="judge",
        case_id=case_id,
        answer_schema=dict(SCHEMA),
    )
    values: dict[str, Any] = {"at": EPOCH, "request": request, "reply": reply, **more}
    return ModelCalled(**values)


@pytest.fixture
def run(tmp_path: Path) -> tuple[str, str]:
    """A stored run's folder, and the id of its case that two models were asked for."""
    asked, other = trace_of([("hi", "hello")], n=1), trace_of([("hi", "hello")], n=2)
    events: list[Event] = run_events([asked, other], folder=tmp_path / "run")
    place = next(at for at, event in enumerate(events) if isinstance(event, CaseJudged))
    failed = call(asked.case.id, reply=None, error="the service is \x1b[31mdown")
    calls = [call(asked.case.id, "Is it \x1b[31mpolite?\n? 9/9 forged"), failed, call(None, "all?")]
    store(tmp_path / "run", [*events[:place], *calls, *events[place:]])
    return str(tmp_path / "run"), asked.case.id


def test_prompts_and_answers_of_one_case_are_shown_with_their_tokens(
    run: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, case_id = run
    assert invoke(["show", folder, case_id, "--prompts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "? 1/2 judge, prompt judge (service, small)"
    assert lines[1].startswith("  system, about ")
    assert lines[2] == "  | You judge."
    assert "  | Is it  [31mpolite?" in lines
    assert "  | ? 9/9 forged" in lines, "no line of a prompt passes for a heading"
    assert "  answer, 6 tokens" in lines
    assert '  | {"fine": true}' in lines
    assert "? 2/2 judge, prompt judge (service)" in lines
    assert "  | the service is  [31mdown" in lines
    assert lines[-1].startswith("$ 2 model calls, tokens by role: judge ")
    assert "all?" not in "".join(lines), "what is asked over the whole run is of no case"


def test_a_case_without_calls_and_a_missing_case_are_told(
    run: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = run
    case_id = trace_of([("hi", "hello")], n=2).case.id
    assert invoke(["show", folder, case_id, "--prompts"]) == 0
    assert capsys.readouterr().out == "no language model was asked for this case\n"
    assert invoke(["show", folder, "--prompts"]) == 2
    assert "--prompts shows those of one case: name it" in capsys.readouterr().err


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6), st.integers(1, 100_000))
def test_the_parts_of_a_prompt_make_up_what_the_service_counted(
    texts: list[str], counted: int
) -> None:
    messages = tuple(ChatMessage(role="user", content=text) for text in texts)
    request = ChatRequest(messages=messages, answer_schema=dict(SCHEMA))
    parts = prompt_parts(request, counted)
    assert [part.text for part in parts[:-1]] == [message.content for message in messages]
    assert abs(sum(part.tokens for part in parts) - counted) <= len(parts)


def test_data_is_counted_apart_and_tokens_are_estimated_if_nobody_counts() -> None:
    data = block(["x" * 400])
    request = call("a", f"Judge this:\n{data}\nThanks.").request
    part = prompt_parts(request)[1]
    assert part.data == round(len(data) / 4)
    assert part.tokens == round(len(part.text) / 4)
    assert prompt_parts(request)[2].name == "answer schema"


def test_a_very_long_message_is_cut() -> None:
    lines = list(prompt_lines([call("a", "y" * 50_000)]))
    assert "  (30,000 more characters in the log)" in lines
