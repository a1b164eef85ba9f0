"""Goals count as met only when the user spoke of them, or the app's own words are on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Ended, Trace
from sparring_plugins.users.agenda.moves.next_move import Agenda

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

BOOK = "book a cleaning on Monday"
OFFER = "It takes 45 minutes and costs 80 euros. Shall I book it?"


def agenda(tools: Any, goals: list[str], *lines: tuple[str, str | None]) -> Agenda:
    task = UserTask(
        goals=tuple(Goal(phrase=goal, template=goal) for goal in goals),
        turns=tools.turns_of(*lines),
        seed=1,
    )
    return Agenda(task, [], patience=3, farewell=True)


@pytest.mark.parametrize(
    "goal",
    [
        "ask how much parking costs",
        "how much does parking cost?",
        "ask how long a filling takes",
        "How long does a filling take?",
        "ask what to do if you have pain",
        "ask whether they take cards",
    ],
)
def test_a_question_never_asked_stays_open(goal: str, tools: Any) -> None:
    user = agenda(
        tools,
        [BOOK, goal],
        ("I'd like to book a cleaning on Monday, please.", OFFER),
        ("Yes, please.", "Your appointment has been booked. It takes 45 minutes."),
    )
    assert user.goals_met == (0,)
    decision = user.decide()
    assert decision.reason.endswith("goal 1")


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("ask how much parking costs", "Parking costs 3 euros per hour."),
        ("ask what it costs to cancel", "You can cancel for 10 euros."),
    ],
)
def test_what_the_app_says_of_itself_need_not_be_asked(goal: str, told: str, tools: Any) -> None:
    assert agenda(tools, [goal], ("Hello", told)).goals_met == (0,)


def test_a_question_asked_and_answered_is_met(tools: Any) -> None:
    asked = "Can you tell me how much parking costs?"
    assert agenda(tools, ["ask how much parking costs"], (asked, "3 euros.")).goals_met == (0,)
    assert not agenda(tools, ["ask how much parking costs"], (asked, "What day?")).goals_met
    sorry = "Sorry, I did not understand."
    assert not agenda(tools, ["ask how much parking costs"], (asked, sorry)).goals_met


def test_all_goals_are_said_before_the_user_leaves(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    state = {"booked": False}

    def bot(text: str) -> str:
        if text.lower().startswith("yes"):
            state["booked"] = True
            return "Your appointment has been booked."
        return "It is free for guests." if "parking" in text.lower() else OFFER

    goals = [BOOK, "ask how much parking costs", "ask how long a filling takes"]
    trace = converse(bot, profile_of(goals))
    said = " ".join(tools.said(trace))
    assert "parking" in said
    assert "filling" in said


def test_unmet_goals_are_told_by_their_phrases(
    profile_of: WriteProfile, converse: Converse
) -> None:
    goals = ["ask how much parking costs", "ask how long a filling takes"]

    def bot(text: str) -> str:
        return "It takes 40 minutes." if "filling" in text else "Sorry, I did not understand."

    trace = converse(bot, profile_of(goals))
    assert trace.meta["goals_met"] == [1]
    assert trace.meta["goals_unmet"] == ["ask how much parking costs"]
    assert trace.ended is not Ended.GOALS_REACHED


def test_no_goals_are_reached_while_an_output_is_missing(
    profile_of: WriteProfile, converse: Converse
) -> None:
    profile = profile_of(["ask how long a filling takes"], {"price": ("money", "price of parking")})
    trace = converse(lambda text: "It takes 40 minutes.", profile)
    assert trace.meta["goals_unmet"] == []
    assert trace.ended is Ended.USER_LEFT


@pytest.mark.parametrize("asked", ["What do you need?", "How can I help you?"])
def test_a_goal_not_heard_is_said_again(asked: str, tools: Any) -> None:
    user = agenda(tools, [BOOK], ("I'd like to book a cleaning on Monday, please.", asked))
    assert user.goals_met == ()
    act = user.decide().act
    assert act is not None
    assert "cleaning" in act.model_dump()["text"]


def test_what_else_is_answered_with_the_next_goal(tools: Any) -> None:
    goals = [BOOK, "ask how much parking costs"]
    user = agenda(tools, goals, (BOOK, "Do you have any wishes? Anything else?"))
    act = user.decide().act
    assert act is not None
    assert "parking" in act.model_dump()["text"]


def test_that_was_all_is_not_said_twice_in_a_row(tools: Any) -> None:
    user = agenda(
        tools,
        [BOOK],
        (BOOK, "Your appointment has been booked. Anything else?"),
        ("No, that's all, thank you.", "Anything else?"),
        ("No, that's all, thank you.", "Anything else?"),
    )
    act = user.decide().act
    assert act is None or act.model_dump()["text"] != "No, that's all, thank you."


@pytest.mark.parametrize(("press", "kind"), [(True, "press"), (False, "say")])
def test_choices_are_pressed_or_typed(
    press: bool, kind: str, profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    from sparring.model.talk import Observation

    def bot(text: str) -> Observation:
        return Observation(text="Which size?", choices=tools.choices("Small", "Large"))

    goals = ["a {{size}} pizza", {"size": {"type": "string", "data": ["small", "large"]}}]
    user = {"use": "agenda", "press": press}
    trace = converse(bot, profile_of(goals), {"size": "large"}, user=user)
    assert trace.turns[1].act.model_dump()["kind"] == kind
