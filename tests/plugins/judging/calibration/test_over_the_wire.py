"""A judge behind a real HTTP server, which takes the first option of whatever it is shown."""

from typing import Any

import pytest
from tests.servers.openai_server import OpenAIServer

from sparring.model.events import ModelCalled
from sparring.store import StoredRun

from .conftest import Measure, quoting

PRICES = {"tiny": {"input": 1.0, "output": 2.0}}


def examples(*labels: str) -> list[dict[str, Any]]:
    task = {"question": "Is it so?"}
    return [{"task": {**task, "subject": f"{n}"}, "expected": one} for n, one in enumerate(labels)]


def test_a_judge_that_takes_what_is_shown_first_is_found_out(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-calibration-secret-0123")
    with OpenAIServer(faults=["429", "503", "ok"], retry_after="0", answer=quoting) as server:
        llm = {"use": "openai", "model": "tiny", "base_url": server.base_url, "prices": PRICES}
        judge = {"role": "judge", "use": "model", "name": "first"}
        done = measure([judge], examples("yes", "no", "no"), llm=llm, repeats=3)
    found = done.result.judges[0]
    assert (found.answers, found.errors, found.model) == (9, 0, "tiny-0613")
    assert found.accuracy.value == pytest.approx(1 / 3)
    assert (found.self_agreement, found.always_alike) == (1.0, 1.0)
    assert found.position is not None
    assert (found.position.changed.value, found.position.first) == (1.0, 1.0)
    assert found.position.noise == 0.0
    assert found.kappa.value == 0.0
    calls = [e for e in StoredRun(done.folder).events() if isinstance(e, ModelCalled)]
    replies = [call.reply for call in calls if call.reply]
    assert len(replies) == 12
    assert sum(call.attempts for call in calls) == 14
    tokens = sum(one.input_tokens + 2 * one.output_tokens for one in replies)
    assert found.per_answer.cost_usd == pytest.approx(tokens / len(replies) / 1e6)
    for path in done.folder.rglob("*"):
        assert b"sk-calibration-secret" not in path.read_bytes()


def test_prices_that_nobody_knows_are_unknown_and_never_nothing(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-calibration-secret-0123")
    with OpenAIServer(answer=quoting) as server:
        llm = {"use": "openai", "model": "tiny", "base_url": server.base_url}
        done = measure([{"role": "judge", "use": "model"}], examples("yes"), llm=llm, repeats=1)
    assert done.result.judges[0].per_answer.cost_usd is None
    assert done.result.usage.cost_usd is None
