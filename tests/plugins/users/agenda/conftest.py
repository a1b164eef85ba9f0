"""Lets the user without a model talk on, whatever the app says."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Observation, Say, Turn, meant_by
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser

LINES = (
    "What can I do for you?",
    "Would you like something to drink with it?",
    "Anything else?",
    "What size would you like?",
    "How many cans would you like?",
    "We open at 9:00. Anything else?",
    "So that is one pizza. Is that right?",
    "Anything else?",
)
"""What a shop asks that takes orders, whatever it is told."""


class Said(NamedTuple):
    """One utterance: what was said, and what it meant."""

    text: str
    meant: str


class Speak(Protocol):
    """Utterances of the user over many seeds."""

    def __call__(self, *, seeds: int = 40, **changes: Any) -> list[Said]: ...


def order(seed: int = 1, **changes: Any) -> UserTask:
    """A customer of a pizzeria."""
    goals = (
        Goal(
            phrase="a small hawaiian pizza",
            template="a {{size}} {{pizza}} pizza",
            inputs=("size", "pizza"),
        ),
        Goal(
            phrase="2 cans of Sprite",
            template="{{cans}} cans of {{drink}}",
            inputs=("cans", "drink"),
        ),
        Goal(phrase="What are your opening hours?", template="What are your opening hours?"),
    )
    task = UserTask(
        goals=goals,
        inputs={"size": "small", "pizza": ["hawaiian"], "cans": [2], "drink": "Sprite"},
        domains={
            "size": ("small", "medium", "big"),
            "pizza": ("hawaiian", "margarita"),
            "cans": (1, 2, 3),
            "drink": ("Sprite", "water"),
        },
        fallbacks=("Sorry, I did not get that.",),
        seed=seed,
    )
    return task.model_copy(update=changes)


def talk(task: UserTask, lines: Sequence[str], **settings: Any) -> list[Act]:
    """What the user does, one act per line of the app, until it leaves."""
    user = FakeContext().build(AgendaUser, **settings)
    turns: list[Turn] = []
    for number, line in enumerate(lines):
        now = {"turns": tuple(turns), "situation": "normal" if number else "start"}
        act = asyncio.run(user.act(task.model_copy(update=now))).act
        if act is None:
            break
        turns.append(Turn(act=act, observation=Observation(text=line)))
    return [turn.act for turn in turns]


@pytest.fixture(scope="session")
def speak() -> Speak:
    def spoken(*, seeds: int = 40, **changes: Any) -> list[Said]:
        acts = [act for seed in range(seeds) for act in talk(order(seed, **changes), LINES)]
        return [Said(act.text, meant_by(act)) for act in acts if isinstance(act, Say)]

    return spoken


@pytest.fixture
def customer() -> Callable[..., UserTask]:
    return order


@pytest.fixture
def talks() -> Callable[..., list[Act]]:
    return talk
