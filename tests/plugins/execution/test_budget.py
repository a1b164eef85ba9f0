"""One budget of money over all workers: it is overspent by the calls under way, and no more."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.core.engine.conftest import Play
from tests.servers.openai_server import OpenAIServer

from sparring.model.events import ModelCalled
from sparring.model.run import Stop
from sparring.store import StoredRun

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

LIMIT_USD = 1.0
WORKERS = 8
DOLLARS_OF_A_MILLION = 8_000
"""A price at which each answer costs some cents, so that about twenty of them spend the budget."""


@pytest.mark.parametrize("concurrency", [WORKERS, 3 * WORKERS])
def test_eight_workers_spend_a_dollar_and_at_most_eight_calls(
    concurrency: int, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    shutil.copy(Path(__file__).parent / "parts.py", tmp_path / "worker_parts.py")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    # Each answer is held long enough that all workers have a call under way.
    with OpenAIServer(delay_s=0.3) as server:
        done = play(
            cases=400,
            app={"use": "worker_parts:App"},
            oracles=[{"use": "worker_parts:Asking"}],
            llm={
                "use": "openai",
                "base_url": server.base_url,
                "model": "house",
                "prices": {"house": dict.fromkeys(("input", "output"), DOLLARS_OF_A_MILLION)},
            },
            execution={"use": "processes", "workers": WORKERS},
            concurrency=concurrency,
            budget={"cost": LIMIT_USD},
        )
        asked, most_at_once = len(server.requests), server.most_at_once
    assert done.folder
    events: list[Any] = list(StoredRun(done.folder).events())
    costs = [e.reply.cost_usd for e in events if isinstance(e, ModelCalled) and e.reply]
    spent = done.summary.usage.cost_usd
    assert spent == pytest.approx(sum(costs))
    assert asked == len(costs), "each call is paid for and counted"
    assert done.summary.stopped is Stop.BUDGET
    assert most_at_once > 1
    assert LIMIT_USD <= spent <= LIMIT_USD + WORKERS * max(costs)
