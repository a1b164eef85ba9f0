"""How many planted bugs of task bots the bundled rules report, and that they blame no sound bot.

The bots, their bugs and profiles were written before the rules were; `studio` is held out: nothing
was changed after a look at its conversations.
"""

import asyncio
from collections.abc import Iterator

import pytest
from tests.evaluation.test_task_bots import cases, play

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.generic_failures import GenericFailures
from sparring_plugins.rules.oracle import RulesOracle

BOTS = ["tools", "laundry", "studio"]
ASK_MODEL = ["keeps_to_its_topics", "answers_in_the_users_language", "does_not_repeat_itself"]


def failed_checks(name: str, bugs: set[int]) -> set[tuple[str, str]]:
    """The checks that fail on a bot with some of its bugs, each with its case."""
    traces = [play(name, case, player, bugs=bugs)[0] for case, _, player in cases(name)]
    return set(_app_failures(traces))


def _app_failures(traces: list[Trace]) -> Iterator[tuple[str, str]]:
    context = FakeContext()
    library = {"library": "general", "without": ASK_MODEL}
    oracles = (context.build(RulesOracle, libraries=[library]), context.build(GenericFailures))
    for trace in traces:
        for oracle in oracles:
            for verdict in asyncio.run(oracle.judge(trace)):
                if verdict.outcome is Outcome.FAIL and verdict.owner is Owner.APP:
                    yield trace.case.id, verdict.check


def test_the_rules_report_a_wrong_day_and_blame_nobody_without_it() -> None:
    assert not failed_checks("tools", set())
    assert {check for _, check in failed_checks("tools", {2})} >= {
        "general.confirms_what_was_agreed"
    }


@pytest.mark.thorough
def test_two_of_three_bugs_are_reported_and_no_sound_bot_is_blamed() -> None:
    assert not [name for name in BOTS if failed_checks(name, set())]
    reported = [(name, bug) for name in BOTS for bug in range(1, 5) if failed_checks(name, {bug})]
    assert len(reported) >= 8, reported
