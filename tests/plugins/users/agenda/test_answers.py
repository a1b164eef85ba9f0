"""What the agenda answers to single questions, given a task."""

import asyncio
from typing import Any

import pytest

from sparring.interfaces.roles import Goal, OutputSpec, UserMove, UserTask
from sparring.model.talk import Attachment, Choice, Listen, Observation, Press, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser

PIZZA = "I'd like a small pizza with cheese and ham, please."


def task_of(*turns: Turn, **changes: Any) -> UserTask:
    goals = (
        Goal(
            phrase="a small pizza with cheese and ham",
            template="a {{size}} pizza with {{toppings}}",
            inputs=("size", "toppings"),
        ),
        Goal(
            phrase="2 cans of coke", template="{{cans}} cans of {{drink}}", inputs=("cans", "drink")
        ),
    )
    data: dict[str, Any] = {
        "goals": goals,
        "inputs": {"size": "small", "toppings": ["cheese", "ham"], "cans": 2, "drink": "coke"},
        "domains": {
            "size": ("small", "medium", "large"),
            "toppings": ("cheese", "ham", "corn", "olives"),
            "cans": (1, 2, 3),
            "drink": ("coke", "sprite", "water"),
        },
        "context": ("your name is Jon Doe",),
        "turns": turns,
        "seed": 7,
    }
    return UserTask(**{**data, **changes})


def turn(said: str, answer: str, *labels: str) -> Turn:
    pressable = tuple(Choice(label=label, value=f"/{label}") for label in labels)
    act = Say(text=said) if said else Listen()
    return Turn(act=act, observation=Observation(text=answer, choices=pressable))


def move(task: UserTask) -> UserMove:
    return asyncio.run(FakeContext().build(AgendaUser).act(task))


def answer(text: str, *labels: str, **changes: Any) -> str:
    act = move(task_of(turn(PIZZA, text, *labels), **changes)).act
    assert isinstance(act, Say | Press)
    return act.text if isinstance(act, Say) else f"[{act.label}]"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("What size would you like?", "small"),
        ("Which size? We have small, medium and large.", "small"),
        ("Which toppings do you want?", "cheese and ham"),
        ("Which ingredients would you like on it?", "cheese and ham"),
        ("What would you like to drink?", "coke"),
        ("How many cans?", "2"),
        ("What is your name?", "Jon Doe"),
        ("Under which name shall I put the order?", "Jon Doe"),
        ("Please enter your first name.", "Jon"),
        ("Choose a size:\n1. Small\n2. Medium\nType the number of your choice.", "1"),
        ("¿Qué tamaño quieres?", "small"),
    ],
)
def test_a_question_about_a_variable_gets_its_value(asked: str, expected: str) -> None:
    assert answer(asked) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("From what time?", "7 pm"),
        ("At what hour?", "7 pm"),
        ("For how many hours?", "3"),
        ("How long do you need it?", "3"),
        ("From what time and for how many hours?", "7 pm. 3 hours."),
    ],
)
def test_a_time_of_day_and_a_number_of_hours_are_told_apart(asked: str, expected: str) -> None:
    goal = Goal(
        phrase="reserve a room from 7 pm for 3 hours",
        template="reserve a room from {{hour}} for {{hours}} hours",
        inputs=("hour", "hours"),
    )
    room: dict[str, Any] = {
        "goals": (goal,),
        "inputs": {"hour": "7 pm", "hours": 3},
        "domains": {"hour": ("7 pm", "3 pm"), "hours": (1, 3)},
    }
    assert answer(asked, **room) == expected


@pytest.mark.parametrize(
    ("asked", "pattern"),
    [
        ("What is your phone number?", "202-555-01"),
        ("Please give me your e-mail.", "jon.doe@example.com"),
        ("What's your name and phone number?", "Jon Doe, 202-555-01"),
        ("At which phone number or e-mail address can we reach you?", "202-555-01"),
        ("Where should we deliver it to?", " "),
    ],
)
def test_particulars_are_plausible(asked: str, pattern: str) -> None:
    assert pattern in answer(asked)


def test_several_variables_at_once_are_answered_together() -> None:
    said = answer("How many cans and which drink would you like?")
    assert "2" in said
    assert "coke" in said


@pytest.mark.parametrize(
    "asked",
    [
        "A small pizza with cheese and ham. Is that correct?",
        "So you want cheese and ham on a small pizza, right?",
        "Shall I place the order?",
        "Small, cheese, ham. Do you confirm?",
    ],
)
def test_what_agrees_is_confirmed(asked: str) -> None:
    assert answer(asked).startswith("Yes")
    assert answer(asked, "Yes", "No") == "[Yes]"


@pytest.mark.parametrize(
    "asked",
    [
        "A large pizza with cheese and ham. Is that correct?",
        "A small pizza with corn. Is that right?",
        "A small pizza with cheese, ham and olives. Do you confirm?",
        "A small pizza with cheese. Is that correct?",
    ],
)
def test_what_contradicts_is_corrected(asked: str) -> None:
    said = answer(asked)
    assert said.startswith("No")
    assert "a small pizza with cheese and ham" in said
    assert answer(asked, "Yes", "No") == "[No]"


def test_a_wrong_number_of_things_is_corrected() -> None:
    turns = (turn(PIZZA, "Anything to drink?"), turn("2 cans of coke", "3 cans of coke, right?"))
    act = move(task_of(*turns)).act
    assert isinstance(act, Say)
    assert act.text.startswith("No")


def test_two_corrections_are_enough() -> None:
    wrong = "A large pizza with cheese and ham. Is that correct?"
    turns = [turn(PIZZA, wrong)]
    said: list[str] = []
    for _ in range(3):
        act = move(task_of(*turns)).act
        assert isinstance(act, Say)
        said.append(act.text)
        turns.append(turn(act.text, wrong))
    assert [text.split()[0].strip(",") for text in said] == ["No", "No", "Yes"]
    assert len(set(said)) == 3


@pytest.mark.parametrize(
    ("asked", "start"),
    [
        ("Would you like something to drink?", "Yes, please."),
        ("Do you want to add a newsletter?", "No"),
        ("Would you like to speak to a human agent?", "No"),
        ("Do you have a loyalty card?", "No"),
        ("Would you like any other toppings?", "No"),
        ("Would you like a small pizza?", "Yes"),
    ],
)
def test_offers_are_taken_up_or_declined(asked: str, start: str) -> None:
    assert answer(asked).startswith(start)


def test_an_offer_of_what_is_next_brings_it_up() -> None:
    assert "2 cans of coke" in answer("Would you like something to drink?")


def test_a_fact_of_the_context_is_affirmed() -> None:
    assert answer("Are you vegan?", context=("you are vegan",)) == answer("Is that correct?")
    assert answer("Are you vegan?").startswith("No")


def test_what_else_brings_up_the_next_goal() -> None:
    assert "2 cans of coke" in answer("Is there anything else?")


def test_a_greeting_is_answered_with_the_first_goal() -> None:
    act = move(task_of(turn("", "Hi! How are you?"))).act
    assert isinstance(act, Say)
    assert "small pizza with cheese and ham" in act.text


@pytest.mark.parametrize(
    ("labels", "pressed"),
    [
        (("Large", "Small", "Medium"), "Small"),
        (("LARGE", "SMALL (8 inch)"), "SMALL (8 inch)"),
        (("Olives", "Ham", "Corn"), "Ham"),
    ],
)
def test_the_button_with_the_users_value_is_pressed(labels: tuple[str, ...], pressed: str) -> None:
    assert answer("Please choose:", *labels) == f"[{pressed}]"


def test_a_menu_button_that_leads_to_the_goal_is_pressed() -> None:
    act = move(task_of(turn("", "Welcome!", "Opening hours", "Order a pizza", "Contact"))).act
    assert act == Press(label="Order a pizza", value="/Order a pizza")


def test_a_button_without_the_users_value_is_a_seeded_sensible_choice() -> None:
    labels = ("Pick up", "Deliver", "Cancel")
    seen = {answer("How do you want to get it?", *labels, seed=seed) for seed in range(20)}
    assert seen == {"[Pick up]", "[Deliver]"}


def test_a_synonym_is_chosen_when_the_value_itself_is_refused() -> None:
    inputs = {"size": "big", "toppings": ["ham"], "cans": 2, "drink": "coke"}
    text = "We don't have that size. Please choose between small, medium or large."
    assert answer(text, inputs=inputs) == "large"


def test_a_fallback_is_answered_in_other_words() -> None:
    turns = [turn(PIZZA, "Sorry, I didn't understand that.")]
    said = [PIZZA]
    for _ in range(2):
        act = move(task_of(*turns, situation="rephrase")).act
        assert isinstance(act, Say)
        assert act.text not in said
        assert "pizza" in act.text
        said.append(act.text)
        turns.append(turn(act.text, "Sorry, I didn't understand that."))


def test_a_change_of_topic_brings_up_another_goal() -> None:
    text = "Sorry, I didn't understand that."
    act = move(task_of(turn(PIZZA, text), situation="change_topic")).act
    assert isinstance(act, Say)
    assert "coke" in act.text


def test_missing_outputs_are_asked_for_when_the_service_is_done() -> None:
    spec = OutputSpec(name="price", type="money", description="the price of the order")
    done = turn("2 cans of coke", "Thank you for your order, it is on its way.")
    act = move(task_of(turn(PIZZA, "Anything to drink?"), done, outputs=(spec,))).act
    assert act == Say(text="Could you tell me the price of the order?")


def test_outputs_already_told_are_not_asked_for() -> None:
    spec = OutputSpec(name="price", type="money", description="the price of the order")
    done = turn("2 cans of coke", "Thank you for your order! That is $12.50 in all.")
    result = move(task_of(turn(PIZZA, "Anything to drink?"), done, outputs=(spec,)))
    assert result.goals_met == (0, 1)
    assert isinstance(result.act, Say)
    assert "bye" in result.act.text.lower()


def test_after_its_goodbye_the_user_leaves() -> None:
    turns = (
        turn(PIZZA, "Anything to drink?"),
        turn("2 cans of coke", "Thank you for your order, it is on its way."),
        turn("Thank you, goodbye!", "What would you like to order?"),
    )
    assert move(task_of(*turns)).act is None


def test_the_farewell_can_be_left_out() -> None:
    turns = (turn(PIZZA, "Drinks?"), turn("2 cans of coke", "Your order has been placed."))
    user = FakeContext().build(AgendaUser, farewell=False)
    assert asyncio.run(user.act(task_of(*turns))).act is None


def test_the_same_task_gives_the_same_move() -> None:
    task = task_of(turn(PIZZA, "How do you want to get it?", "Pick up", "Deliver"))
    first = move(task)
    assert all(move(task) == first for _ in range(4))


def test_spanish_profiles_answer_in_spanish() -> None:
    said = answer("¿Es correcto?", language="Spanish")
    assert said.startswith("Sí")
    assert answer("¿Algo más?", goals=(), inputs={}, language="Spanish").startswith(
        ("No", "Grac", "Much", "Eso")
    )


def test_a_picture_is_an_answer_and_its_description_is_read() -> None:
    def after(description: str) -> UserMove:
        picture = Attachment(media_type="image/png", url="/1.png", description=description)
        seen = Observation(text="", attachments=(picture,))
        return move(task_of(Turn(act=Say(text=PIZZA), observation=seen)))

    silent = move(task_of(Turn(act=Say(text=PIZZA), observation=Observation())))
    assert silent.reason.startswith("rephrases")
    assert after("").reason == "goes on: goal 1"
    asked = after("What size would you like?").act
    assert isinstance(asked, Say)
    assert asked.text == "small"
