"""What a profile says of a case: conditions and what is taken instead, yes and no."""

import pytest

from sparring.interfaces.roles import Goal
from sparring_plugins.users.agenda.profile.conditions import (
    concessions,
    split_condition,
    takes_extreme,
)
from sparring_plugins.users.agenda.profile.stances import stance
from sparring_plugins.users.agenda.state.user_goals import is_conditional, user_goal


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("if they cannot do it here, leave your number", "leave your number"),
        ("when one of the two can't be ordered, find out whom to ask", "find out whom to ask"),
        ("if this is not possible take Saturday morning", "take Saturday morning"),
        ("falls das nicht mehr geht, den Kundendienst anrufen", "den Kundendienst anrufen"),
        ("when it is ready, pick it up", None),
        ("ask if there is a discount", None),
    ],
)
def test_a_condition_that_fails_something_is_told_from_what_holds_then(
    text: str, then: str | None
) -> None:
    split = split_condition(text)
    assert (split[1] if split else None) == then


def test_concessions_are_read_within_sentences() -> None:
    context = ("one guest eats no nuts; if a cake is not possible, you take lemon",)
    assert concessions(tuple(context)) == ("you take lemon",)
    assert takes_extreme("you accept the lowest amount")


def test_the_words_of_a_conditional_goal_are_what_is_then_wanted() -> None:
    phrase = "if they can't help, find out who can"
    goal = user_goal(0, Goal(phrase=phrase, template=phrase, inputs=()), {}, "English")
    assert is_conditional(goal)
    assert "can't help" not in goal.words


@pytest.mark.parametrize(
    ("question", "context", "expected"),
    [
        ("Would you like to protect it for £2.00 a week?", "you want protection", True),
        ("Would you like to protect it for £2.00 a week?", "you do not want protection", False),
        ("Do you need a stand? It is free of charge.", "you have no stand, so you need one", True),
        ("Do you need a stand?", "you do not need a stand", False),
        ("Do you need a helmet?", "you bring your own helmet", False),
        ("Do you need a helmet?", "you have no helmet", None),
        ("Do you have a helmet?", "you need a helmet", False),
        ("Do you have a helmet?", "you have a helmet", True),
        ("Do you need a parking space?", "you come by car and need a parking space", True),
        ("Brauchst du einen Helm?", "du hast keinen Helm, also brauchst du einen", True),
        ("Do you need a helmet?", "you need a tent", None),
    ],
)
def test_a_question_is_answered_as_the_context_says(
    question: str, context: str, expected: bool | None
) -> None:
    assert stance(question, (context,)) is expected
