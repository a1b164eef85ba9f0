"""Recorded runs: one with what the kit of language models asks, and runs that were cut short."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import ModelCalled
from sparring.model.run import Run
from sparring.store import RunLog, StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.conformance.llm_backend import SCHEMA

NOW = datetime(2026, 11, 20, tzinfo=UTC)
DIALOGUE = (("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"))


def record_kit(folder: Path) -> None:
    """Write the run."""
    log = RunLog.create(folder, Run(id="recorded", name="recorded", created=NOW, seed=0))
    for text in ("Say hello.", *(f"Question {number}" for number in range(8))):
        _note(log, "Hello!", ("user", text))
    answer = '{"polite": true, "reason": "kind"}'
    _note(log, answer, ("user", "Was that polite?"), answer_schema=SCHEMA)
    _note(log, "Goodbye!", *DIALOGUE, temperature=0.0, seed=1, max_tokens=50)
    log.close()


def _note(log: RunLog, answer: str, *messages: tuple[str, str], **more: Any) -> None:
    said = tuple(
        ChatMessage.model_validate({"role": role, "content": text}) for role, text in messages
    )
    request = ChatRequest(messages=said, asker="kit", **more)
    log.append_event(ModelCalled(at=NOW, request=request, reply=ChatReply(text=answer)))


def cut_and_resumed(whole: Path, share: float) -> tuple[Path, RunResult]:
    """A copy of a stored run whose log breaks off after a share of its bytes, taken up again.

    The run is in the folder of runs beside its ``suite.yaml``; the copy comes to be beside it.
    """
    folder = whole.parent / "cut"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    log = folder / "log.jsonl"
    os.truncate(log, int(log.stat().st_size * share))
    suite = load_suite(whole.parent.parent / "suite.yaml")
    return folder, conduct(suite, RunOptions(resume=StoredRun(folder)))
