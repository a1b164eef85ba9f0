"""Problems between two who speak: from what was measured, and in whole explorations by voice."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import JsonValue
from tests.voice_agent import MODEM, RATE, Said, VoiceAgent

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.case import Case
from sparring.model.talk import (
    Ended,
    Incident,
    IncidentKind,
    Listen,
    Observation,
    Say,
    Trace,
    Turn,
)
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.speech_problems import SPEECH_PROBLEMS, SpeechProblems

pytestmark = pytest.mark.anyio

GOOD = {"first_sound_s": 0.4, "sound_s": 2.0, "longest_gap_s": 0.3, "silent": False}


def turn(report: dict[str, Any] | None, *, starved_s: float = 0, said: str | None = "hi") -> Turn:
    act = Listen() if said is None else Say(text=said)
    payload: JsonValue = None if report is None else {"audio": report}
    seen = Observation(text="Hello.", payload=payload)
    return Turn(act=act, observation=seen, starved_s=starved_s)


def trace(*turns: Turn, incident: Incident | None = None) -> Trace:
    return Trace(
        case=Case.of("by voice", {}, run_seed=1),
        turns=turns,
        incidents=(incident,) if incident else (),
        ended=Ended.INCIDENT if incident else Ended.USER_LEFT,
        started=datetime(2026, 1, 1, tzinfo=UTC),
    )


async def verdicts(one: Trace, **settings: Any) -> dict[str, Verdict]:
    oracle = FakeContext().build(SpeechProblems, **settings)
    return {str(verdict.check): verdict for verdict in await oracle.judge(one)}


@pytest.mark.parametrize(
    ("report", "check", "reason"),
    [
        ({"silent": True, "first_sound_s": None}, "silence", "nothing was heard after 'hi'"),
        ({**GOOD, "first_sound_s": 3.2}, "slow_answer", "was heard after 3.2 s"),
        ({**GOOD, "longest_gap_s": 2.5}, "long_pause", "nothing was heard for 2.5 s"),
        ({**GOOD, "spoke_over_s": 0.8}, "talks_over", "for 0.8 s while the user still said 'hi'"),
        ({**GOOD, "went_on_s": 1.4}, "ignores_barge_in", "it went on for 1.4 s"),
    ],
)
async def test_each_problem_is_seen_and_no_other(
    report: dict[str, Any], check: str, reason: str
) -> None:
    seen = await verdicts(trace(turn(GOOD), turn(report)))
    failed = {name for name, one in seen.items() if one.outcome is Outcome.FAIL}
    assert failed == {check}
    assert reason in seen[check].reason
    assert [ref.turn for ref in seen[check].turns] == [1]
    assert seen[check].owner is Owner.APP


@pytest.mark.parametrize(
    "report",
    [
        {**GOOD, "first_sound_s": 3.0, "longest_gap_s": 2.0},
        {**GOOD, "spoke_over_s": 0.5, "went_on_s": 1.0},
        {**GOOD, "first_sound_s": None},
    ],
)
async def test_up_to_its_limit_nothing_is_wrong(report: dict[str, Any]) -> None:
    seen = await verdicts(trace(turn(report)))
    assert {one.outcome for one in seen.values()} <= {Outcome.PASS, Outcome.SKIPPED}


async def test_nothing_is_owed_to_somebody_who_only_listens() -> None:
    seen = await verdicts(trace(turn({"silent": True}, said=None)))
    assert seen["silence"].outcome is Outcome.SKIPPED


async def test_what_was_measured_on_a_busy_machine_says_nothing_of_the_app() -> None:
    slow = {**GOOD, "first_sound_s": 3.2}
    seen = await verdicts(trace(turn(slow, starved_s=1.0)))
    assert seen["slow_answer"].outcome is Outcome.INCONCLUSIVE
    assert seen["slow_answer"].owner is Owner.ENVIRONMENT
    both = await verdicts(trace(turn(slow, starved_s=1.0), turn(slow)))
    assert [ref.turn for ref in both["slow_answer"].turns] == [1]


async def test_conversations_without_sound_are_skipped_and_broken_ones_are_open() -> None:
    typed = await verdicts(trace(turn(None)))
    assert {one.outcome for one in typed.values()} == {Outcome.SKIPPED}
    lost = Incident(kind=IncidentKind.UNREACHABLE, message="gone", owner=Owner.ENVIRONMENT)
    broken = await verdicts(trace(turn(GOOD), incident=lost))
    assert {one.outcome for one in broken.values()} == {Outcome.INCONCLUSIVE}


async def test_limits_and_checks_are_settings() -> None:
    seen = await verdicts(trace(turn(GOOD)), answer_s=0.3, checks=["slow_answer"])
    assert {name: one.outcome for name, one in seen.items()} == {"slow_answer": Outcome.FAIL}
    assert FakeContext().build(SpeechProblems).checks() == frozenset(SPEECH_PROBLEMS)


class Florist:
    """A flower shop by phone with planted faults; each conversation begins anew.

    It asks for a card number, breaks off about vases, falls silent about the weather, pauses for
    long before the prices, and hangs up right after a question.
    """

    def __call__(self, said: str) -> Said:
        bare = said.casefold()
        if "roses" in bare or "tulips" in bare:
            return Said(("Good choice. What is your credit card number?",))
        if "order" in bare:
            return Said(("Which flowers would you like, roses or tulips?",))
        if "vases" in bare:
            return Said(crashes=True)
        if "weather" in bare:
            return Said()
        if "prices" in bare:
            return Said(("A rose is", "two euros."), pause_s=1.5)
        if "hours" in bare:
            return Said(
                ("We are open from nine to six. Would you like to come by?",), hangs_up=True
            )
        known = (
            "You can say order flowers, opening hours, list of prices, weather, or show me vases."
        )
        return Said((known,))


@pytest.fixture
def explored(tmp_path: Path) -> Callable[..., StoredRun]:
    def explore(agent: VoiceAgent, audio: dict[str, Any], **more: Any) -> StoredRun:
        suite = {
            "name": "florist",
            "app": {
                "use": "websocket",
                "url": agent.url,
                "starts": "app",
                "audio": audio,
                "over": {"end": {"at": "$.type", "equals": "done"}},
            },
            "agent": {"use": "explorer", "medium": "voice", "turns": 30, **more},
            "strategy": "sessions",
            "oracles": ["voice-problems", {"use": "speech-problems", "pause_s": 1}],
            "confirm": True,
            "reporters": [],
        }
        path = tmp_path / "suite.yaml"
        path.write_text(yaml.safe_dump(suite), encoding="utf-8")
        done = conduct(load_suite(path), RunOptions())
        assert done.folder is not None
        return StoredRun(done.folder)

    return explore


def failures(run: StoredRun) -> set[str]:
    return {
        f"{verdict.oracle}/{verdict.check}"
        for judged in run.judged()
        for verdict in judged.verdicts
        if verdict.outcome is Outcome.FAIL
    }


@pytest.mark.thorough
def test_a_voice_agent_is_explored_and_its_faults_are_found(
    explored: Callable[..., StoredRun],
) -> None:
    with VoiceAgent(Florist(), greeting="Welcome to the flower shop.") as agent:
        run = explored(agent, {**MODEM, "rate": RATE, "pace": "fast"})
    outputs = {
        one.observation.text
        for judged in run.judged()
        for one in judged.trace.turns
        if one.observation is not None
    }
    assert "Good choice. What is your credit card number?" in outputs, "two turns deep"
    found = failures(run)
    assert {
        "voice-problems/privacy_violation",
        "voice-problems/unexpected_exit",
        "speech-problems/silence",
        "speech-problems/long_pause",
    } <= found
    assert found.isdisjoint({"speech-problems/talks_over", "speech-problems/ignores_barge_in"})
    confirmed = [one for one in run.confirmations() if one.fault.check == "silence"]
    assert confirmed, "what is silent is silent again"
