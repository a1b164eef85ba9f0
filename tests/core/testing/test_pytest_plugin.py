"""The pytest plugin: free to load, and what its fixtures give."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppCrash
from sparring.model.case import Case
from sparring.testing.fakes import FakeConnector, FakeContext, FakeLLM, FakePlayer


def test_it_imports_nothing_but_itself() -> None:
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import sparring.testing.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == [
        "sparring",
        "sparring.lazy_names",
        "sparring.testing",
        "sparring.testing.pytest_plugin",
    ]


@pytest.mark.thorough
def test_its_fixtures_are_there_without_being_imported(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        "def test_mine(sparring_context, sparring_app, sparring_llm, sparring_play): ...\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert "1 passed" in done.stdout


def test_a_context_starts_in_a_folder_of_its_own(
    sparring_context: FakeContext, tmp_path: Path
) -> None:
    assert sparring_context.base_dir == tmp_path
    assert sparring_context.run_dir == tmp_path / "run"


def test_a_case_is_played_against_a_scripted_app(
    sparring_context: FakeContext,
    sparring_app: Callable[..., FakeConnector],
    sparring_play: Callable[..., Any],
) -> None:
    player = sparring_context.build(FakePlayer, lines=["one", "two"])
    trace = sparring_play(player, sparring_app(replies=["a", "b"]), Case(id="x", scenario="talk"))
    assert [turn.observation.text for turn in trace.turns] == ["a", "b"]


def test_an_error_of_the_app_is_raised(
    sparring_context: FakeContext,
    sparring_app: Callable[..., FakeConnector],
    sparring_play: Callable[..., Any],
) -> None:
    player = sparring_context.build(FakePlayer)
    with pytest.raises(AppCrash):
        sparring_play(player, sparring_app(raises={0: "crash"}), Case(id="x", scenario="talk"))


def test_a_scripted_model_is_made(sparring_llm: Callable[..., FakeLLM]) -> None:
    assert sparring_llm(answers=["yes"]).config.answers == ("yes",)
