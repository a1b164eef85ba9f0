"""What a conversation's end says of its goals, and what the user never pays for or invents."""

import asyncio
from collections.abc import Sequence

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Say, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply

HUB = ("Set an alarm", "Change its volume", "Nothing")


def goal(phrase: str, **inputs: str) -> Goal:
    template = phrase
    for name, value in inputs.items():
        template = template.replace(value, "{{" + name + "}}")
    return Goal(phrase=phrase, template=template, inputs=tuple(inputs))


def heard(text: str, *labels: str) -> Observation:
    return Observation(text=text, choices=tuple(Choice(label=name, value=name) for name in labels))


def turn(said: str, text: str, *labels: str) -> Turn:
    act = Say(text=said) if said else Listen()
    return Turn(act=act, observation=heard(text, *labels))


def answer(task: UserTask, *turns: Turn) -> str:
    """What the user says next."""
    user = FakeContext().build(AgendaUser)
    act = asyncio.run(user.act(task.model_copy(update={"turns": turns}))).act
    return "" if act is None else act_text(act)


def met(task: UserTask, *turns: Turn) -> tuple[int, ...]:
    now = task.model_copy(update={"turns": turns})
    return Agenda(now, (), patience=3, farewell=True).goals_met


def task_of(
    *goals: Goal, context: Sequence[str] = (), language: str = "English", **inputs: str
) -> UserTask:
    return UserTask(
        goals=goals, context=tuple(context), inputs=dict(inputs), language=language, seed=3
    )


ORDER = task_of(goal("order a margherita", pizza="margherita"), pizza="margherita")
SIDES = "Would you like to add a side dish?\n0. No, thank you\n1. Chips\n2. Green salad"


def test_nobody_pays_for_an_extra_that_the_profile_does_not_want() -> None:
    said = answer(ORDER, turn("I'd like to order a margherita.", SIDES))
    assert said in ("0", "No, thank you")


def test_an_extra_that_the_context_wants_is_taken() -> None:
    hungry = ORDER.model_copy(update={"context": ("you would like a green salad with it",)})
    assert answer(hungry, turn("I'd like to order a margherita.", SIDES)) in ("2", "Green salad")


def test_yes_and_no_are_no_extras() -> None:
    asked = turn("I'd like to order a margherita.", "One margherita. Shall I send it?", "Yes", "No")
    assert answer(ORDER, asked) == "Yes"


def test_a_list_of_one_item_under_a_heading_is_chosen_from() -> None:
    reply = read_app_reply(Observation(text="Please choose a slot:\n1. 18:00"))
    assert reply.questions[-1].kind == "select"
    assert reply.questions[-1].options == ("18:00",)


def test_a_list_above_anything_else_is_no_menu() -> None:
    text = 'Open on:\n1. Monday 9-12\n2. Friday 14-18\nAnything else? Type "menu" to start over.'
    assert read_app_reply(Observation(text=text)).menu == ()


def test_a_list_below_anything_else_is_a_menu() -> None:
    text = "It is booked. Anything else?\n1. Book a bike\n2. Opening hours"
    assert read_app_reply(Observation(text=text)).menu == ("Book a bike", "Opening hours")


def test_a_menu_that_offers_nothing_ends_what_was_done() -> None:
    task = task_of(goal("set the volume to low", level="low"), level="low")
    turns = (
        turn("", "Your alarm clock. What shall I do?", *HUB),
        turn("I want to set the volume to low.", "New volume: low, medium or loud?"),
        turn("low", "The volume is now low. What shall I do?", *HUB),
    )
    assert met(task, *turns) == (0,)


@pytest.mark.parametrize(
    ("wish", "reply"),
    [
        ("ask how much money you will get back", "Your deposit of 12.00 euros was refunded."),
        ("make sure that they reimburse you", "We will refund 8 euros within a week."),
    ],
)
def test_money_that_is_paid_back_answers_what_was_asked(wish: str, reply: str) -> None:
    task = task_of(goal("return the bike"), goal(wish))
    assert 1 in met(task, turn("I want to return the bike.", f"{reply} Anything else?"))


def test_a_question_whether_to_refund_pays_nothing_back() -> None:
    task = task_of(goal("return the bike"), goal("ask how much money you will get back"))
    said = turn("I want to return the bike.", "Shall I refund 12.00 euros?")
    assert 1 not in met(task, said)


def test_a_length_of_time_says_when() -> None:
    task = task_of(goal("order a lamp"), goal("When will the lamp be delivered?"))
    told = "Your lamp is ordered. The lamp is delivered in 5 working days. Anything else?"
    assert 1 in met(task, turn("I want to order a lamp.", told))


CHAIRS = task_of(
    goal("borrow 3 chairs", count="3", thing="chairs"),
    context=["if there are fewer, you take as many as you can get"],
    count="3",
    thing="chairs",
)
LIMIT = "How many? (chairs: up to 2 per member)"


def test_a_user_who_yields_takes_what_the_app_allows() -> None:
    assert answer(CHAIRS, turn("I want to borrow chairs.", LIMIT)) == "2"


def test_what_the_app_allows_is_then_what_was_wanted() -> None:
    turns = (turn("I want to borrow 3 chairs.", LIMIT), turn("2", "2 chairs are reserved. Bye!"))
    assert met(CHAIRS, *turns) == (0,)


def test_a_user_who_insists_says_its_own_number_and_is_not_content() -> None:
    stubborn = CHAIRS.model_copy(update={"context": ()})
    assert answer(stubborn, turn("I want to borrow chairs.", LIMIT)) == "3"
    turns = (turn("I want to borrow chairs.", LIMIT), turn("2", "2 chairs are reserved. Bye!"))
    assert met(stubborn, *turns) == ()


@pytest.mark.parametrize(
    ("context", "question", "language"),
    [
        (
            "the cake is for your aunt, Ada Bell, 9 Mill Lane, Bath",
            "Who will receive it? First name and surname, please.",
            "English",
        ),
        (
            "la tarta es para tu tía, Ada Bell, calle Luna 9, Soria",
            "¿Quién la recibe? Dime nombre y apellido.",
            "Spanish",
        ),
    ],
)
def test_the_recipient_is_who_the_context_says(context: str, question: str, language: str) -> None:
    wish = "order a cake for Friday" if language == "English" else "pedir una tarta para el viernes"
    task = task_of(goal(wish), context=[context], language=language)
    begun = turn("Hola" if language == "Spanish" else "Hello", "OK. Which day? / ¿Qué día?")
    assert answer(task, begun, turn("viernes", question)) == "Ada Bell"


def test_a_name_in_two_parts_is_given_once() -> None:
    task = task_of(goal("order a cake"), context=["your name is Ada Bell"])
    begun = turn("I want to order a cake.", "Which day?")
    assert answer(task, begun, turn("Friday", "Your first name and surname?")) == "Ada Bell"


def test_a_goal_of_several_in_one_act_needs_an_answer_of_its_own() -> None:
    task = task_of(goal("order a lamp"), goal("change the colour of your sofa"))
    said = "I want to order a lamp. I want to change the colour of your sofa."
    assert 1 not in met(task, turn(said, "Your lamp is ordered. Anything else?"))


def test_a_price_at_the_end_answers_no_question_for_a_duration() -> None:
    confirmed = (
        "Your appointment is confirmed on Thursday at 11 am. The fee is $70.\nCan I help you with"
        " anything else?"
    )
    goals = tuple(
        Goal(phrase=phrase, template=phrase)
        for phrase in ("book an appointment on Thursday at 11 am", "how long does it take?")
    )
    turns = (
        Turn(act=Say(text="I need an appointment on Thursday at 11 am."),
             observation=Observation(text="Thursday at 11 am. Is that correct?")),
        Turn(act=Say(text="Yes"), observation=Observation(text=confirmed)),
    )  # fmt: skip
    move = asyncio.run(FakeContext().build(AgendaUser).act(UserTask(goals=goals, turns=turns)))
    assert isinstance(move.act, Say)
    assert "how long" in move.act.text.lower()
    assert move.goals_met == (0,)
