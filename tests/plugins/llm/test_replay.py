"""The backend `replay`: answers from a recorded run."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError, ModelError
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import ModelCalled
from sparring.model.run import Run
from sparring.store import RunLog
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.replay import ReplayBackend

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def ask(text: str = "Which size?", case: str | None = "c1", **more: Any) -> ChatRequest:
    messages = (ChatMessage(role="user", content=text),)
    return ChatRequest(messages=messages, case_id=case, asker="user", **more)


def called(request: ChatRequest, text: str | None, error: str | None = None) -> ModelCalled:
    reply = None
    if text is not None:
        reply = ChatReply(text=text, model="gpt", cost_usd=0.5, input_tokens=7, latency_s=1.5)
    return ModelCalled(at=NOW, request=request, reply=reply, error=error, service="openai gpt")


def record(
    folder: Path, *calls: ModelCalled, run_id: str = "r1", day: int = 1, kind: Any = "run"
) -> Path:
    log = RunLog.create(folder, Run(id=run_id, name="n", created=NOW, seed=0, kind=kind))
    for event in calls:
        log.append_event(event)
    log.close()
    os.utime(folder / "run.json", (day * 86_400, day * 86_400))
    return folder


def replaying(base: Path, run: str, run_dir: Path | None = None) -> ReplayBackend:
    return FakeContext(base_dir=base, run_dir=run_dir).build(ReplayBackend, run=run)


async def test_equal_questions_of_a_case_are_answered_as_they_were_in_turn(tmp_path: Path) -> None:
    calls = [called(ask(), "small"), called(ask(case="c2"), "huge"), called(ask(), "large")]
    record(tmp_path / "kept", *calls)
    backend = replaying(tmp_path, "kept")
    assert [(await backend.complete(ask())).text for _ in range(2)] == ["small", "large"]
    assert (await backend.complete(ask(case="c2"))).text == "huge"


async def test_a_recorded_answer_costs_nothing_and_is_else_as_it_was(tmp_path: Path) -> None:
    record(tmp_path / "kept", called(ask(), "small"))
    reply = await replaying(tmp_path, "kept").complete(ask())
    expected = ChatReply(text="small", model="gpt", cost_usd=0.0, input_tokens=7, latency_s=1.5)
    assert reply == expected


async def test_a_recorded_failure_fails_again(tmp_path: Path) -> None:
    record(tmp_path / "kept", called(ask(), None, "it broke"))
    with pytest.raises(ModelError, match="it broke"):
        await replaying(tmp_path, "kept").complete(ask())


async def test_a_miss_shows_the_nearest_question_and_the_difference(tmp_path: Path) -> None:
    calls = [called(ask("Is this polite?", case="c9"), "yes"), called(ask(), "small")]
    record(tmp_path / "kept", *calls)
    with pytest.raises(ModelError) as caught:
        await replaying(tmp_path, "kept").complete(ask("Which size now?"))
    for words in ("nothing is recorded in", "of the user", "case c1", "'Which size now?'"):
        assert words in str(caught.value)


@pytest.mark.parametrize("run", ["mine/kept", "kept", "../elsewhere"])
async def test_a_run_is_a_folder_beside_the_suite_or_an_id_among_its_runs(
    tmp_path: Path, run: str
) -> None:
    base = tmp_path / "suite"
    for folder in (base / "mine" / "kept", base / "runs" / "kept", tmp_path / "elsewhere"):
        record(folder, called(ask(), folder.parent.name), run_id=folder.parent.name)
    backend = replaying(base, run)
    expected = {"mine/kept": "mine", "kept": "runs", "../elsewhere": tmp_path.name}[run]
    assert (await backend.complete(ask())).text == expected
    assert backend.identity() == f"replay {expected}"


async def test_an_id_is_looked_for_where_this_run_is_stored(tmp_path: Path) -> None:
    record(tmp_path / "out" / "old", called(ask(), "small"))
    backend = replaying(tmp_path, "old", run_dir=tmp_path / "out" / "new")
    assert (await backend.complete(ask())).text == "small"


async def test_the_last_run_is_the_newest_other_one_that_played_cases(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no run that played cases is stored in"):
        replaying(tmp_path, "last")
    made = (("a", 3, "run"), ("b", 5, "run"), ("c", 4, "run"), ("d", 6, "check"), ("own", 9, "run"))
    for name, day, kind in made:
        record(tmp_path / "runs" / name, called(ask(), name), run_id=name, day=day, kind=kind)
    backend = replaying(tmp_path, "last", run_dir=tmp_path / "runs" / "own")
    assert (await backend.complete(ask())).text == "b"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("nothing", "no run is called 'nothing'.*The newest there: kept"),
        ("", "at least 1 character"),
        ("a\0b", "zero byte"),
    ],
)
def test_a_run_that_cannot_be_found_is_refused(tmp_path: Path, run: str, words: str) -> None:
    record(tmp_path / "runs" / "kept", called(ask(), "small"))
    with pytest.raises(ConfigurationError, match=words):
        replaying(tmp_path, run)


@pytest.mark.parametrize("text", ["{}\n", '{"kind": "model_called"}\n', '{"kind":"model_called"\n'])
def test_a_damaged_recording_is_refused(tmp_path: Path, text: str) -> None:
    folder = record(tmp_path / "kept")
    (folder / "log.jsonl").write_text(text.replace(": ", ":"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"log\.jsonl:1: the log is damaged"):
        replaying(tmp_path, "kept")
