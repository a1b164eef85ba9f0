"""Conditions of a profile: goals for a refusal, and what its user takes instead."""

import pytest

from sparring.interfaces.roles import Goal
from sparring_plugins.users.agenda.conditions import concessions, split_condition, takes_extreme
from sparring_plugins.users.agenda.user_goals import is_conditional, user_goal


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
    assert concessions(context) == ["you take lemon"]
    assert takes_extreme("you accept the lowest amount")


def test_the_words_of_a_conditional_goal_are_what_is_then_wanted() -> None:
    phrase = "if they can't help, find out who can"
    goal = user_goal(0, Goal(phrase=phrase, template=phrase, inputs=()), {}, "English")
    assert is_conditional(goal)
    assert "can't help" not in goal.words
