"""Goals that are only said if the app asks: "say that you sing alto if it asks"."""

import pytest

from sparring_plugins.users.agenda.profile.conditions import split_question_awaited

from .talks import goals_met, replies_to

SAID_IF_ASKED = (
    "say that you sing alto if it asks",
    "if asked, say that you sing alto",
    "only if they ask, say that you sing alto",
    "tell them that you sing alto, but only if you are asked",
    "say that you sing alto (if needed)",
)
OTHERS = (
    "find out if they ask for a deposit",
    "ask whether they want to know your size",
    "ask them if it is needed",
    "say that you sing alto",
    "if the choir is full, ask about the other one",
)


@pytest.mark.parametrize("goal", SAID_IF_ASKED)
def test_the_condition_is_no_part_of_what_is_said(goal: str) -> None:
    split = split_question_awaited(goal)
    assert split is not None
    assert "ask" not in split[1]
    assert "know" not in split[1]
    assert "alto" in split[1]


@pytest.mark.parametrize("goal", OTHERS)
def test_other_goals_wait_for_no_question(goal: str) -> None:
    assert split_question_awaited(goal) is None


@pytest.mark.parametrize("goal", SAID_IF_ASKED)
def test_it_is_not_said_unasked_and_does_not_stay_open(goal: str) -> None:
    goals = ["join the choir", goal]
    messages = ["Hello, choir office here.", "Your name?", "Done. You are in. Anything else?"]
    said = replies_to(goals, ["your name is Ute Berg"], messages)
    assert not any("alto" in text for text in said)
    assert goals_met(goals, ["your name is Ute Berg"], messages) == (0, 1)


@pytest.mark.parametrize("goal", SAID_IF_ASKED)
def test_it_is_the_answer_to_the_question(goal: str) -> None:
    messages = ["Hello, choir office here.", "Your name?", "Which voice do you sing?"]
    said = replies_to(["join the choir", goal], ["your name is Ute Berg"], messages)
    assert "alto" in said[-1]
    assert "if" not in said[-1].split()


@pytest.mark.parametrize(
    ("language", "goal"),
    [
        ("German", "sag, dass du Alt singst, falls sie danach fragen"),
        ("German", "wenn du gefragt wirst, sag, dass du Alt singst"),
        ("Spanish", "di que cantas de contralto si te lo preguntan"),
        ("French", "dis que tu chantes alto si on te le demande"),
    ],
)
def test_other_languages(language: str, goal: str) -> None:
    assert split_question_awaited(goal) is not None, language
