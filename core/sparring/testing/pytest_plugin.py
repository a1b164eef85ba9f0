"""Suites as pytest's items, and fixtures for authors of plugins (entry point ``pytest11``).

A file called ``NAME.sparring.yaml`` is a suite whose cases are collected: conversations, or test
cases in plain language.
Loaded in every pytest run of everybody who has Sparring installed, so it imports nothing but
pytest itself; each fixture imports what it gives when it is asked for.
"""

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sparring.interfaces.agent import Player
    from sparring.interfaces.app_connector import AppConnector
    from sparring.model.case import Case
    from sparring.model.talk import Trace
    from sparring.testing.fakes import FakeConnector, FakeContext, FakeLLM

#: Names of suites that are collected where they are named on the command line.
_SUITES = ("suite.yaml", "suite.yml", "sparring.yaml", "sparring.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings in pytest's configuration file."""
    parser.addini(
        "sparring_suites",
        "Files that are Sparring suites: patterns of names or paths.",
        type="args",
        default=["*.sparring.yaml", "*.sparring.yml"],
    )
    parser.addini(
        "sparring_inconclusive",
        "What a test case is that could not be decided: error, fail, allow or skip; if left out, "
        "what the suite's key gate.inconclusive says.",
        default="",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite: one whose name fits, or one that is named on the command line."""
    patterns: list[str] = parent.config.getini("sparring_suites")
    fits = any(fnmatch(file_path.name, one) or file_path.match(one) for one in patterns)
    named = file_path.name in _SUITES and parent.session.isinitpath(file_path)
    if not (fits or named):
        return None
    from sparring.testing.collected_suites import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


@pytest.fixture
def sparring_context(tmp_path: Path) -> "FakeContext":
    """A context to build plugins in: ``sparring_context.build(MyOracle, words=["sorry"])``."""
    from sparring.testing.fakes import FakeContext

    return FakeContext(base_dir=tmp_path, run_dir=tmp_path / "run")


@pytest.fixture
def sparring_app(sparring_context: "FakeContext") -> "Callable[..., FakeConnector]":
    """Makes a scripted app: ``sparring_app(replies=["Hello.", "Bye."])``."""
    from sparring.testing.fakes import FakeConnector

    def _app(**settings: Any) -> "FakeConnector":
        return sparring_context.build(FakeConnector, **settings)

    return _app


@pytest.fixture
def sparring_llm(sparring_context: "FakeContext") -> "Callable[..., FakeLLM]":
    """Makes a scripted language model: ``sparring_llm(answers=["yes"])``."""
    from sparring.testing.fakes import FakeLLM

    def _llm(**settings: Any) -> "FakeLLM":
        return sparring_context.build(FakeLLM, **settings)

    return _llm


@pytest.fixture
def sparring_play() -> "Callable[[Player[Any], AppConnector[Any], Case], Trace]":
    """Plays one case to its end and gives the trace: ``sparring_play(player, app, case)``.

    An AppError that the player lets pass is raised.
    """
    import asyncio

    from sparring.errors import AppError
    from sparring.testing.playing import play

    def _play(player: "Player[Any]", app: "AppConnector[Any]", case: "Case") -> "Trace":
        ended = asyncio.run(play(player, app, case))
        if isinstance(ended, AppError):
            raise ended
        return ended

    return _play
