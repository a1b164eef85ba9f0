"""Perturbations that break their contract, each in one way."""

import random
import unicodedata
from typing import Any, ClassVar

import pytest

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.search.conformance import PerturbationKit
from sparring_plugins.search.roles import Perturbed, PerturbTask


def plain(text: str) -> str:
    """A text without its accents: "café" typed as "cafe"."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(part for part in parts if not unicodedata.combining(part))


class NoAccents(Agent[PerturbTask, Perturbed, PluginConfig]):
    """Types words without their accents, but for protected ones."""

    role: ClassVar[str] = "perturbation"
    keeps_meaning: ClassVar[bool] = True

    async def act(self, task: PerturbTask) -> Perturbed:
        words = [self.typed(word, task) for word in task.text.split(" ")]
        text = " ".join(words)
        return Perturbed(text=text, changes=int(text != task.text))

    def typed(self, word: str, task: PerturbTask) -> str:
        """How one word is typed."""
        return word if any(word.strip(".,?") in kept for kept in task.protected) else plain(word)


class Given(PerturbationKit):
    wrong: ClassVar[type[Agent[Any, Any, Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Agent[Any, Any, Any]]:
        return self.wrong


class TestRight(Given):
    wrong = NoAccents
    fails: ClassVar[set[str]] = set()


class ForgetsProtected(NoAccents):
    def typed(self, word: str, task: PerturbTask) -> str:
        return plain(word)


class TestForgetsProtected(Given):
    wrong = ForgetsProtected
    fails: ClassVar[set[str]] = {"test_protected_words_stay"}


class RollsDice(NoAccents):
    """Its chance does not come from the seed."""

    dice: ClassVar[random.Random] = random.Random(1)

    def typed(self, word: str, task: PerturbTask) -> str:
        return super().typed(word, task) if self.dice.random() < 0.5 else word


class TestRollsDice(Given):
    wrong = RollsDice
    fails: ClassVar[set[str]] = {
        "test_chance_comes_from_the_seed",
        "test_equal_tasks_get_equal_answers",
        "test_earlier_tasks_do_not_matter",
    }


class CountsTooMuch(NoAccents):
    async def act(self, task: PerturbTask) -> Perturbed:
        return (await super().act(task)).model_copy(update={"changes": 1})


class TestCountsTooMuch(Given):
    wrong = CountsTooMuch
    fails: ClassVar[set[str]] = {"test_what_it_says_of_its_changes_is_true"}
