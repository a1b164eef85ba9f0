"""A public, deterministic stand-in for each interface.

Every fake is an ordinary plugin: a suite can name it by its import path, for example
``use: sparring.testing.fakes:FakeConnector`` with ``replies: [Hello., Bye.]``, and a test makes
one with ``FakeContext().build(FakeConnector, replies=["Hello.", "Bye."])``. From Python, the
settings that say what to answer also take callables. Fakes keep what they were asked, so that a
test can look at it afterwards.
"""

from sparring.testing.fakes.agents import (
    FakeExtractor,
    FakeGoalChecker,
    FakeJudge,
    FakePlayer,
    FakeUser,
)
from sparring.testing.fakes.app_connector import FakeConnector, FakeSession, Reply
from sparring.testing.fakes.context import FakeContext
from sparring.testing.fakes.llm_backend import FakeLLM
from sparring.testing.fakes.oracle import FakeOracle
from sparring.testing.fakes.reporter import FakeReporter
from sparring.testing.fakes.search_strategy import (
    FakeBatchStrategy,
    FakeSteadyStrategy,
    FakeStrategy,
)

__all__ = [
    "FakeBatchStrategy",
    "FakeConnector",
    "FakeContext",
    "FakeExtractor",
    "FakeGoalChecker",
    "FakeJudge",
    "FakeLLM",
    "FakeOracle",
    "FakePlayer",
    "FakeReporter",
    "FakeSession",
    "FakeSteadyStrategy",
    "FakeStrategy",
    "FakeUser",
    "Reply",
]
