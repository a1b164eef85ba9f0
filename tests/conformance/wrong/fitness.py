"""Fitness values that break their contract, each in one way."""

from typing import Any, ClassVar

import pytest

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.search.conformance import FitnessKit
from sparring_plugins.search.roles import Fitness, FitnessTask


class Length(Agent[FitnessTask, Fitness, PluginConfig]):
    """1 for an answer of any length."""

    role: ClassVar[str] = "fitness"

    async def act(self, task: FitnessTask) -> Fitness:
        return Fitness(value=min(1.0, len(task.answer)), wrong=tuple(task.wanted)[:1])


class Given(FitnessKit):
    wrong: ClassVar[type[Agent[Any, Any, Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Agent[Any, Any, Any]]:
        return self.wrong


class TestRight(Given):
    wrong = Length
    fails: ClassVar[set[str]] = set()


class GivesANumber(Length):
    async def act(self, task: FitnessTask) -> Any:
        return Fitness(value=1).model_dump()


class TestGivesANumber(Given):
    wrong = GivesANumber
    fails: ClassVar[set[str]] = {
        "test_it_gives_a_value_or_says_why_not",
        "test_answers_can_be_stored",
        "test_what_is_wrong_is_a_feature_of_the_case",
        "test_it_refers_to_turns_that_there_are",
    }


class SaysNothing(Length):
    async def act(self, task: FitnessTask) -> Fitness:
        return Fitness()


class TestSaysNothing(Given):
    wrong = SaysNothing
    fails: ClassVar[set[str]] = {"test_it_gives_a_value_or_says_why_not"}


class InventsFeatures(Length):
    async def act(self, task: FitnessTask) -> Fitness:
        return Fitness(value=1, wrong=("colour of the sky",))


class TestInventsFeatures(Given):
    wrong = InventsFeatures
    fails: ClassVar[set[str]] = {"test_what_is_wrong_is_a_feature_of_the_case"}


class PointsNowhere(Length):
    async def act(self, task: FitnessTask) -> Fitness:
        return Fitness(value=1, turns=(len(task.turns),))


class TestPointsNowhere(Given):
    wrong = PointsNowhere
    fails: ClassVar[set[str]] = {"test_it_refers_to_turns_that_there_are"}


class Writer(Length):
    role: ClassVar[str] = "writer"


class TestAnotherRole(Given):
    wrong = Writer
    fails: ClassVar[set[str]] = {"test_the_role_is_fitness"}
