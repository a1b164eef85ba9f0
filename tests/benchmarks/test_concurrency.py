"""Conversations side by side with a real server that takes its time."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparring.store import StoredRun, find_run

ROOT = Path(__file__).parents[2]
PIZZERIA = ROOT / "examples" / "pizzeria"
SIDE_BY_SIDE = 20
SLOW_S = 0.4
"""A quick answer of a real chatbot. With 0.2 s the user's own processor time of 80 ms a conversation
decided the figure: 1.3 to 1.8 times the ideal, by the machine."""

Serve = Callable[[int], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start the pizzeria's server with a delay per turn, in milliseconds; its address."""
    processes: list[subprocess.Popen[str]] = []

    def _serve(slow_ms: int) -> str:
        command = [sys.executable, "server.py", "--port", "0", "--slow-ms", str(slow_ms)]
        process = subprocess.Popen(command, cwd=PIZZERIA, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        return found[0]

    yield _serve
    for process in processes:
        process.kill()
        process.communicate()


def play(address: str, runs: Path, concurrency: int) -> StoredRun:
    command = [
        sys.executable, "-m", "sparring", "run", str(PIZZERIA), "--runs", str(runs),
        "--set", "reporters=[]", "--set", "budget.cases=100", "--concurrency", str(concurrency),
        "--set", "strategy={use: selectors, number: 9}",
    ]  # fmt: skip
    done = subprocess.run(
        command, env={**os.environ, "PIZZERIA_URL": address}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1, 4), done.stderr
    return find_run("last", runs)


def test_a_hundred_conversations_take_no_more_than_the_server_needs(
    serve: Serve, tmp_path: Path
) -> None:
    ratios: list[float] = []
    for attempt in range(3):  # a machine that is busy for a while must not fail it
        stored = play(serve(int(SLOW_S * 1000)), tmp_path / str(attempt), SIDE_BY_SIDE)
        ratios.append(_took(stored) / _ideal(stored))
        if ratios[-1] < 1.6:  # the aim is 1.3 on a quiet machine
            break
    print(f"times the ideal: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    assert min(ratios) < 1.6


def _took(stored: StoredRun) -> float:
    assert stored.summary is not None
    return stored.summary.usage.seconds


def _ideal(stored: StoredRun) -> float:
    """The seconds that the server needs for the slow turns of a hundred conversations."""
    turns = [
        [turn for turn in trace.turns if turn.latency_s > SLOW_S * 0.9] for trace in stored.traces()
    ]
    assert len(turns) == 100
    return max(
        sum(map(len, turns)) * SLOW_S / SIDE_BY_SIDE,
        max(map(len, turns)) * SLOW_S,
    )


def test_the_same_seed_gives_the_same_verdicts_at_any_concurrency(
    serve: Serve, tmp_path: Path
) -> None:
    address = serve(0)
    sequential = play(address, tmp_path / "one", 1)
    side_by_side = play(address, tmp_path / "many", SIDE_BY_SIDE)
    assert verdicts(sequential) == verdicts(side_by_side)
    assert sequential.concluded == side_by_side.concluded


def verdicts(run: StoredRun) -> list[str]:
    """The conversations and their verdicts, without the times."""
    return [
        json.dumps(
            [
                judged.trace.case.model_dump(mode="json"),
                [
                    (turn.act.model_dump(), turn.observation and turn.observation.text)
                    for turn in judged.trace.turns
                ],
                [verdict.model_dump(mode="json") for verdict in judged.verdicts],
            ]
        )
        for judged in run.judged()
    ]
