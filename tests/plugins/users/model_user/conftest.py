"""Agents that ask a language model whose answers a test gives."""

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Any, Protocol

import pytest

from sparring.interfaces.agent import Agent
from sparring.interfaces.roles import Goal, OutputSpec, UserTask
from sparring.model.talk import Turn
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM

TODAY = date(2027, 1, 2)


class Asked(Protocol):
    """Lets an agent answer one task with the answers of a model; the model tells what it heard."""

    def __call__(
        self, agent: type[Agent[Any, Any, Any]], task: Any, *answers: Any, **settings: Any
    ) -> tuple[Any, FakeLLM]: ...


@pytest.fixture
def asked() -> Asked:
    def ask(
        agent: type[Agent[Any, Any, Any]], task: Any, *answers: Any, **settings: Any
    ) -> tuple[Any, FakeLLM]:
        llm = FakeContext().build(FakeLLM, answers=answers)
        part = FakeContext(llm=llm).build(agent, **settings)
        return asyncio.run(part.act(task)), llm

    return ask


@pytest.fixture
def talk() -> Callable[..., tuple[Turn, ...]]:
    """Turns from pairs of what the user said (None: it listened) and what the app answered."""
    return lambda *pairs: trace_of(list(pairs)).turns


@pytest.fixture
def pizza_task() -> Callable[..., UserTask]:
    """A user who wants a pizza and the opening hours."""

    def make(**changes: Any) -> UserTask:
        fields: dict[str, Any] = {
            "goals": (
                Goal(
                    phrase="a small pizza with cheese and ham",
                    template="a {{size}} pizza with {{toppings}}",
                    inputs=("size", "toppings"),
                ),
                Goal(phrase="the opening hours", template="the opening hours"),
            ),
            "inputs": {"size": "small", "toppings": ["cheese", "ham"]},
            "domains": {
                "size": ("small", "medium", "large"),
                "toppings": ("cheese", "ham", "corn", "olives"),
            },
            "outputs": (OutputSpec(name="price", type="money", description="the total price"),),
            "role": "You are a hungry customer of a pizzeria.",
            "context": ("You are in a hurry because of a train.",),
            "fallbacks": ("I'm sorry, I did not get that.",),
            "seed": 11,
        }
        return UserTask(**{**fields, **changes})

    return make


def said(message: str, **more: Any) -> dict[str, Any]:
    """The model's answer for a user who says something."""
    answer = {"reason": "so", "goals_met": [], "choice": None, "leaves": False, **more}
    return {**answer, "message": message}
