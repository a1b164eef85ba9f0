"""A user takes no for an answer, and says of itself what its profile tells."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Choice, Observation, Say, Trace, Turn
from sparring_plugins.users.agenda.moves.next_move import Agenda

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

CLOSED = "I am sorry, we are closed then. We are open from 8:00 to 12:00. What time would you like?"


def reply(answer: Observation | str, **changes: Any) -> Act | None:
    observation = Observation(text=answer) if isinstance(answer, str) else answer
    goal = "book a check-up"
    task = UserTask(
        goals=(Goal(phrase=goal, template=goal),),
        turns=(Turn(act=Say(text="I'd like to book a check-up."), observation=observation),),
        seed=1,
        **changes,
    )
    return Agenda(task, [], patience=3, farewell=True).decide().act


@pytest.mark.parametrize("answer", [CLOSED, CLOSED.removesuffix(" What time would you like?")])
def test_an_hour_turned_down_is_given_up_for_one_that_is_offered(
    answer: str, profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    heard: list[str] = []

    def bot(text: str) -> str:
        heard.append(text)
        if "8:00" in text:
            return "So 8:00. Is that correct?"
        return "Your appointment has been booked." if text.startswith("Yes") else answer

    goals = ["book a cleaning at {{hour}}", {"hour": {"type": "string", "data": ["17:00"]}}]
    user = {"use": "agenda", "concede": True}
    trace = converse(bot, profile_of(goals), {"hour": "17:00"}, user=user)
    assert sum("17:00" in text for text in heard) <= 2
    assert "8:00" in heard
    assert any(text.startswith("Yes") for text in heard)
    assert trace.meta["goals_met"] == [0]


def test_without_concede_the_user_gives_the_goal_up(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    goals = ["book a cleaning at {{hour}}", {"hour": {"type": "string", "data": ["17:00"]}}]
    trace = converse(lambda text: CLOSED, profile_of(goals), {"hour": "17:00"})
    assert sum("17:00" in text for text in tools.said(trace)) <= 2
    assert not any("8:00" in text for text in tools.said(trace))
    assert trace.meta["goals_met"] == []


def test_a_value_turned_down_without_another_is_given_up(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    def bot(text: str) -> str:
        return "I'm sorry, we do not have that." if "sushi" in text else "It is at 12 Main Street."

    goals = [
        "order {{dish}}",
        {"dish": {"type": "string", "data": ["sushi"]}},
        "ask where the shop is",
    ]
    trace = converse(bot, profile_of(goals), {"dish": "sushi"})
    assert sum("sushi" in text for text in tools.said(trace)) <= 2
    assert trace.meta["goals_met"] == [1]


CHOICES = (Choice(label="Private", value="private"), Choice(label="Public", value="public"))


@pytest.mark.parametrize(
    ("context", "pressed"), [("You are publicly insured.", "Public"), ("You are privately insured.", "Private")]
)  # fmt: skip
def test_a_choice_that_the_context_tells_is_pressed(context: str, pressed: str) -> None:
    asked = Observation(text="How are you insured?", choices=CHOICES)
    act = reply(asked, context=(context,))
    assert act is not None
    assert act.model_dump()["label"] == pressed


@pytest.mark.parametrize("context", [(), ("You are publicly insured.",)])
def test_an_alternative_is_said_without_the_word_you(context: tuple[str, ...]) -> None:
    act = reply("Are you privately or publicly insured?", context=context)
    assert isinstance(act, Say)
    assert not act.text.startswith("you")
    assert not context or "public" in act.text


@pytest.mark.parametrize(
    ("name", "value"),
    [("number_to_call", "202-555-0199"), ("contact", "+1 202 555 0199"), ("telefono", "600123123")],
)
def test_a_phone_number_that_a_variable_holds_is_given(name: str, value: str) -> None:
    act = reply("What is your phone number?", inputs={name: value})
    assert isinstance(act, Say)
    assert act.text == value
