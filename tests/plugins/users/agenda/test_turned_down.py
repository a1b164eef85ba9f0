"""What the app asks for last, what an answer consists of, and services that come to nothing."""

import asyncio

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Observation, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.profile.slots import slots_of
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots


@pytest.mark.parametrize(
    "text",
    ["Finally, your name, please.", "Now your address, please.", "Your name, please."],
)
def test_a_datum_is_asked_for_without_a_verb(text: str) -> None:
    (question,) = read_app_reply(Observation(text=text)).questions
    assert question.kind == "open"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("When do you come? (day, month and year)", ()),
        ("Which size? (small, medium or large)", ("small", "medium", "large")),
    ],
)
def test_the_parts_of_an_answer_are_no_options(text: str, options: tuple[str, ...]) -> None:
    (question,) = read_app_reply(Observation(text=text)).questions
    assert question.options == options


def goals_met(*turns: tuple[str, str]) -> tuple[int, ...]:
    goal = "reserve a berth for one boat"
    talk = tuple(Turn(act=Say(text=said), observation=Observation(text=t)) for said, t in turns)
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), seed=1, turns=talk)
    return asyncio.run(FakeContext().build(AgendaUser).act(task)).goals_met


FORM = (
    ("", "Welcome to the marina. What can I do for you?"),
    ("I want to reserve a berth for one boat.", "Certainly. Is it insured?"),
)
SUMMARY = "A berth for one boat. Is that right?"


@pytest.mark.parametrize(
    ("rest", "met"),
    [
        ([("No", "Then I cannot take it, I am afraid. Anything else?")], ()),
        ([("Yes", SUMMARY), ("No", "Then I have dropped it. Anything else?")], ()),
        ([("Yes", SUMMARY), ("Yes", "Your berth is reserved. Anything else?")], (0,)),
    ],
)
def test_a_service_that_comes_to_nothing_meets_no_goal(
    rest: list[tuple[str, str]], met: tuple[int, ...]
) -> None:
    assert goals_met(*FORM, *rest) == met


def test_what_a_goal_itself_counts_contradicts_no_value_beside_it() -> None:
    template = "book a berth for 2 boats for {{nights}} nights"
    goal = Goal(phrase=template.replace("{{nights}}", "5"), template=template, inputs=("nights",))
    slots = slots_of(UserTask(goals=(goal,), inputs={"nights": 5}))
    assert contradicted_slots("2 boats, 5 nights", slots) == []
    assert [slot.name for slot in contradicted_slots("2 boats, 4 nights", slots)] == ["nights"]
