"""Fixtures of pytest for authors of plugins (entry point ``pytest11``).

Loaded in every pytest run of everybody who has Sparring installed, so it imports nothing but
pytest itself; each fixture imports what it gives when it is asked for.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sparring.interfaces.agent import Player
    from sparring.interfaces.app_connector import AppConnector
    from sparring.model.case import Case
    from sparring.model.talk import Trace
    from sparring.testing.fakes import FakeConnector, FakeContext, FakeLLM


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
