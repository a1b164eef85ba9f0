"""For those who write plugins: fakes, conversations, conformance kits, pytest fixtures.

- `sparring.testing.fakes`: a deterministic stand-in for each interface, and `FakeContext` to build
  plugins in.
- `sparring.testing.conversations`: traces, verdicts, events and stored runs without playing.
- `sparring.testing.playing`: one case played from opening to closing the session, no engine.
- `sparring.testing.hostile`: what an app under test may say and do.
- `sparring.testing.conformance`: tests that every implementation of an interface must pass.
- `sparring.testing.pytest_plugin`: the fixtures ``sparring_context``, ``sparring_app``,
  ``sparring_llm`` and ``sparring_play``, there as soon as Sparring is installed.

``sparring new plugin KIND NAME`` writes a package with a plugin that works and passes its kit.

All fakes below can be imported from here, and the kits unless another module is named; each is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from sparring.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparring.testing.conformance.agent import AgentKit as AgentKit
    from sparring.testing.conformance.agent import ExtractorKit as ExtractorKit
    from sparring.testing.conformance.agent import GoalCheckerKit as GoalCheckerKit
    from sparring.testing.conformance.agent import JudgeKit as JudgeKit
    from sparring.testing.conformance.agent import UserKit as UserKit
    from sparring.testing.conformance.app_connector import AppConnectorKit as AppConnectorKit
    from sparring.testing.conformance.llm_backend import LLMBackendKit as LLMBackendKit
    from sparring.testing.conformance.oracle import OracleKit as OracleKit
    from sparring.testing.conformance.oracle import Source as Source
    from sparring.testing.conformance.player import PlayerKit as PlayerKit
    from sparring.testing.conformance.reporter import ReporterKit as ReporterKit
    from sparring.testing.conformance.rule_function import RuleFunctionKit as RuleFunctionKit
    from sparring.testing.conformance.search_strategy import SearchStrategyKit as SearchStrategyKit
    from sparring.testing.conversations import run_events as run_events
    from sparring.testing.conversations import stored_run as stored_run
    from sparring.testing.conversations import summary_of as summary_of
    from sparring.testing.conversations import trace_of as trace_of
    from sparring.testing.conversations import verdict_of as verdict_of
    from sparring.testing.fakes import FakeBatchStrategy as FakeBatchStrategy
    from sparring.testing.fakes import FakeConnector as FakeConnector
    from sparring.testing.fakes import FakeContext as FakeContext
    from sparring.testing.fakes import FakeExtractor as FakeExtractor
    from sparring.testing.fakes import FakeGoalChecker as FakeGoalChecker
    from sparring.testing.fakes import FakeJudge as FakeJudge
    from sparring.testing.fakes import FakeLLM as FakeLLM
    from sparring.testing.fakes import FakeOracle as FakeOracle
    from sparring.testing.fakes import FakePlayer as FakePlayer
    from sparring.testing.fakes import FakeReporter as FakeReporter
    from sparring.testing.fakes import FakeSession as FakeSession
    from sparring.testing.fakes import FakeSteadyStrategy as FakeSteadyStrategy
    from sparring.testing.fakes import FakeStrategy as FakeStrategy
    from sparring.testing.fakes import FakeUser as FakeUser

_HOMES = {
    "sparring.testing.conformance.agent": "AgentKit ExtractorKit GoalCheckerKit JudgeKit UserKit",
    "sparring.testing.conformance.app_connector": "AppConnectorKit",
    "sparring.testing.conformance.llm_backend": "LLMBackendKit",
    "sparring.testing.conformance.oracle": "OracleKit Source",
    "sparring.testing.conformance.player": "PlayerKit",
    "sparring.testing.conformance.reporter": "ReporterKit",
    "sparring.testing.conformance.rule_function": "RuleFunctionKit",
    "sparring.testing.conformance.search_strategy": "SearchStrategyKit",
    "sparring.testing.conversations": "run_events stored_run summary_of trace_of verdict_of",
    "sparring.testing.fakes": (
        "FakeBatchStrategy FakeConnector FakeContext FakeExtractor FakeGoalChecker "
        "FakeJudge FakeLLM FakeOracle FakePlayer FakeReporter FakeSession "
        "FakeSteadyStrategy FakeStrategy FakeUser"
    ),
}

__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES)
