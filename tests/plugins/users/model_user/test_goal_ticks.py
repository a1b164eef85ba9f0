"""Goals that a model ticks: met only by words of the app that show it, until they are taken back."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Observation
from sparring_plugins.users.model_user.goal_ticks import GoalTicks, Tick, form_begins
from sparring_plugins.users.model_user.user import ModelUser

from .conftest import Asked, said

Talk = Callable[..., Any]

GOALS = ("book a table for four", "find out when they open")
WELCOME = (None, "Welcome! We book tables and answer questions. We open at 9 am.")
ASKED = ("A table for four, please.", "Sure, a table for four. On which day?")
SUMMARY = ("On Friday", "So a table for four on Friday. Shall I book it?")
DONE = ("Yes", "Your table for four is booked. Anything else?")


def task_of(*turns: Any, talk: Talk, goals: tuple[str, ...] = GOALS, **more: Any) -> UserTask:
    phrases = tuple(Goal(phrase=goal, template=goal) for goal in goals)
    return UserTask(goals=phrases, turns=talk(*turns), **more)


@pytest.mark.parametrize(
    ("number", "quotation", "reason"),
    [
        (1, "Your table is reserved", "the chatbot did not say"),
        (1, "We book tables", "before anything was asked for"),
        (1, "a table for four on Friday", "still waits for an answer"),
        (1, "Shall I book it?", "only asks about it"),
        (3, "Welcome!", "There is no wish 3."),
    ],
)
def test_words_that_show_nothing_meet_no_goal(
    number: int, quotation: str, reason: str, talk: Talk
) -> None:
    task = task_of(WELCOME, ASKED, SUMMARY, talk=talk)
    objection = GoalTicks(task).objection(Tick(number=number, quotation=quotation))
    assert objection is not None
    assert reason in objection


def test_what_was_agreed_on_counts_once_it_was_done(talk: Talk) -> None:
    task = task_of(WELCOME, ASKED, SUMMARY, DONE, talk=talk)
    for quotation in ("Your table for four is booked", "a table for four on Friday"):
        assert GoalTicks(task).met([Tick(number=1, quotation=quotation)]) == {0}


def test_a_wish_to_know_is_met_by_an_answer_wherever_it_was_given(talk: Talk) -> None:
    task = task_of(WELCOME, ASKED, talk=talk)
    assert GoalTicks(task).met([Tick(number=2, quotation="We open at 9 am")]) == {1}


@pytest.mark.parametrize(
    ("goal", "asked", "answer", "quotation", "met"),
    [
        ("ask what parking costs", "A room, please", "And the make of it?", "And the make", False),
        ("ask what parking costs", "A room, please", "Done, you have room 12.", "room 12", False),
        ("ask what parking costs", "What does it cost?", "It is free of charge.", "free", True),
        ("find out if it costs anything", "Cancel it", "Done. Nothing to pay.", "to pay", True),
        ("find out what it costs", "Book it", "Total: 24 euros.", "24 euros", True),
        ("ask about the sauna", "Is there a sauna?", "From 16:00 to 21:00.", "16:00", True),
        ("ask about the sauna", "Two towels", "They come at 16:00.", "16:00", False),
    ],
)
def test_a_wish_to_know_is_met_by_words_about_it(
    goal: str, asked: str, answer: str, quotation: str, met: bool, talk: Talk
) -> None:
    task = task_of((asked, answer), talk=talk, goals=(goal,))
    assert GoalTicks(task).met([Tick(number=1, quotation=quotation)]) == ({0} if met else set())


def test_fallbacks_choices_and_echoes_meet_no_goal(talk: Talk) -> None:
    menu = Observation(
        text="What can I do?", choices=(Choice(label="Opening hours"), Choice(label="Book"))
    )
    turns = (("Hi", menu), ("your times please", "Your times please"))
    task = task_of(
        *turns, ("Hm", "I did not get that."), talk=talk, fallbacks=("I did not get that.",)
    )
    reasons = {
        "Opening hours": "only a choice on offer",
        "Your times please": "only repeats",
        "I did not get that.": "did not understand",
    }
    for quotation, reason in reasons.items():
        assert reason in str(GoalTicks(task).objection(Tick(number=2, quotation=quotation)))


def test_a_refusal_meets_a_goal_only_if_a_later_one_says_what_to_do_then(talk: Talk) -> None:
    turns = (("A table for four", "Sorry, we are fully booked."), ("Then?", "You are on the list."))
    refused = Tick(number=1, quotation="Sorry, we are fully booked")
    task = task_of(*turns, talk=talk)
    assert "turned it down" in str(GoalTicks(task).objection(refused))
    goals = ("book a table for four", "if that is not possible, get on the waiting list")
    ticks = GoalTicks(task_of(*turns, talk=talk, goals=goals))
    assert ticks.met([Tick(number=2, quotation="You are on the list")]) == {0, 1}
    assert ticks.objection(refused) is None


def test_a_form_begins_with_its_first_question_and_ends_with_the_conversation(talk: Talk) -> None:
    assert form_begins(talk(WELCOME, ASKED, SUMMARY)) == 1
    assert form_begins(talk(WELCOME, ASKED, SUMMARY, DONE)) is None
    last = Observation(text="On which day? Too late, goodbye.", ended=True)
    assert form_begins(talk(WELCOME, ASKED, ("Friday", last))) is None
    assert form_begins(()) is None


def test_false_ticks_are_sent_back_before_the_user_leaves_and_never_count(
    asked: Asked, talk: Talk
) -> None:
    task = task_of(WELCOME, ("Hi", "Nice to meet you."), talk=talk)
    ticks = [{"number": 1, "quotation": "We book tables"}, {"number": 2, "quotation": "Nice"}]
    gone = said("", leaves=True, goals_met=ticks[:1])
    move, llm = asked(ModelUser, task, gone, gone)
    assert move.act is None
    assert move.goals_met == ()
    assert "Wish 1 is not met" in llm.requests[1].messages[-1].content
    move, llm = asked(ModelUser, task, said("A table for four, please.", goals_met=ticks[:1]))
    assert len(llm.requests) == 1
    assert move.goals_met == ()


def test_a_goal_stays_met_until_the_model_says_that_it_was_taken_back(
    asked: Asked, talk: Talk
) -> None:
    task = task_of(WELCOME, ASKED, SUMMARY, DONE, talk=talk, goals_met=(0,))
    move, _ = asked(ModelUser, task, said("And when do you open?"))
    assert move.goals_met == (0,)
    move, _ = asked(ModelUser, task, said("Why is it cancelled?", goals_undone=[1]))
    assert move.goals_met == ()


def test_the_last_words_of_an_app_that_ended_are_read_and_not_answered(
    asked: Asked, talk: Talk
) -> None:
    last = Observation(text="Your table for four is booked. Enjoy!", ended=True)
    task = task_of(WELCOME, ASKED, SUMMARY, ("Yes", last), talk=talk)
    tick = {"number": 1, "quotation": "Your table for four is booked"}
    move, llm = asked(ModelUser, task, said("Bye", goals_met=[tick]))
    assert move.act is None
    assert move.goals_met == (0,)
    assert "The chatbot has ended the conversation." in llm.requests[0].messages[1].content
