"""A stored run of each kind is repeated from its log, with no app: the same verdicts."""

import json
import shutil
from pathlib import Path

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite


def verdict_lines(folder: Path) -> list[str]:
    """Every verdict of a run as it is stored."""
    stored = StoredRun(folder)
    lines = [
        json.dumps([one.trace.case.id, [v.model_dump_json() for v in one.verdicts]])
        for one in stored.judged()
    ]
    return [*sorted(lines), *(verdict.model_dump_json() for verdict in stored.concluded)]


def assert_replayed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    invoke(["replay", str(folder)])
    assert "same verdicts as" in capsys.readouterr().out
    (second,) = [path for path in folder.parent.iterdir() if path != folder]
    assert verdict_lines(second) == verdict_lines(folder)


def played(example: Path, runs: Path, **changes: object) -> Path:
    """The folder of a run of an example."""
    loaded = load_suite(example, {"reporters": [], **changes})
    done = conduct(loaded, RunOptions(runs=runs))
    assert done.folder is not None
    return done.folder


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "example", "budget"), [("chat", "pizzeria", 6), ("search", "support", 40)]
)
def test_a_chat_and_a_search(
    kind: str,
    example: str,
    budget: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = {"strategy.use": "nsga2", "strategy.population": 10} if kind == "search" else {}
    with serving(example) as url:
        folder = played(EXAMPLES / example, tmp_path / "runs",
                        **{"app.url": url, "budget.cases": budget, **more})  # fmt: skip
    assert_replayed(folder, capsys)


@pytest.mark.thorough
def test_a_skill(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(EXAMPLES / "skills" / "star-porch", tmp_path / "star-porch")
    suite = tmp_path / "star-porch" / "suite.yaml"
    assert_replayed(played(suite, tmp_path / "runs", **{"budget.cases": 3}), capsys)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.thorough
def test_the_web_shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Waits by the machine's clock once made 5 of 20 cases go another way when repeated."""
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    with serving("shop") as url:
        monkeypatch.setenv("SHOP_URL", url)
        folder = played(EXAMPLES / "shop", tmp_path, **{"app.timeout": {"action_s": 15}})
    assert_replayed(folder, capsys)
