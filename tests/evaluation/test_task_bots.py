"""The model-free user on task bots that were written before it was taught to fill forms.

Each bot has another manner: a form with optional questions, menus of numbers, strict formats. The
end state says what was really done; what the user claims must agree with it.
"""

import asyncio
import importlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sparring.interfaces.agent import PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, Choice, Listen, Observation, Trace, Turn, act_text
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.player import UserSimulator

FOLDER = Path(__file__).parent / "task_bots"
STARTED = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)
TODAY = STARTED.date()


class BotSession(AppSession):
    """A task bot in process."""

    def __init__(self, bot: Any, turns: list[Turn]) -> None:
        self.bot, self.turns = bot, turns

    async def send(self, act: Act) -> Observation:
        if isinstance(act, Listen):
            labels = getattr(self.bot, "buttons", ())
            buttons = tuple(Choice(label=label, value=label) for label in labels)
            observation = Observation(text=self.bot.greeting, choices=buttons)
        else:
            answer = self.bot.answer(act_text(act))
            buttons = tuple(Choice(label=label, value=label) for label in answer.buttons)
            text = "\n".join(answer.messages)
            observation = Observation(text=text, choices=buttons, ended=answer.ended)
        self.turns.append(Turn(act=act, observation=observation))
        return observation


def agrees(wanted: Any, state: Any) -> bool:
    """Whether an end state holds what the truth says; ``~`` begins a pattern."""
    if isinstance(wanted, dict):
        return all(
            key == "session" or (key in state and agrees(value, state[key]))
            for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return all(any(agrees(one, row) for row in state) for one in wanted)
    if isinstance(wanted, str) and wanted.startswith("~"):
        return re.search(wanted[1:], str(state)) is not None
    return bool(wanted == state)


def plain(value: Any) -> str:
    return str(value[0] if isinstance(value, list) and len(value) == 1 else value)


def cases(name: str) -> Iterator[tuple[Case, dict[str, Any], UserSimulator]]:
    """The cases of a bot with the end state that each asks for."""
    player = FakeContext().build(
        UserSimulator, profiles=str(FOLDER / name / "profiles" / "*.yaml"), today=TODAY
    )
    truth = json.loads((FOLDER / name / "truth.json").read_text())["profiles"]
    for scenario in player.profiles:
        for wanted in truth[scenario]["cases"]:
            yield Case.of(scenario, wanted["values"], run_seed=1), wanted["state"], player


def play(name: str, case: Case, player: UserSimulator, **settings: Any) -> tuple[Trace, Any]:
    bot = importlib.import_module(f"tests.evaluation.task_bots.{name}.bot").Bot(**settings)
    turns: list[Turn] = []
    task = PlayTask(case, BotSession(bot, turns), turns, STARTED)
    return asyncio.run(player.act(task)), bot.state


@pytest.mark.parametrize("name", ["kennel", "collection", "coach"])
def test_the_user_does_what_it_says_it_did(name: str) -> None:
    """At least three of four end states are reached, and no claim is wrong by more than that."""
    reached, claimed, blamed, count = 0, 0, 0, 0
    for case, wanted, player in cases(name):
        trace, state = play(name, case, player)
        count += 1
        reached += agrees(wanted, state)
        claimed += not trace.meta["goals_unmet"]
        blamed += any(incident.owner is Owner.APP for incident in trace.incidents)
    assert reached >= 0.75 * count
    assert claimed - reached <= 0.25 * count
    assert not blamed
