"""What the profile tells decides: options, open questions, other days, goals met on the way."""

import asyncio
from collections.abc import Sequence

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Press, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.language.text import sentences
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.choosing.held_things import is_for_others
from sparring_plugins.users.agenda.profile.relative_days import day_by_another
from sparring_plugins.users.agenda.profile.statements import amounts_in

Reply = str | tuple[str, Sequence[str]]


def _task(
    *goals: str, context: Sequence[str] = (), role: str = "", lang: str = "English"
) -> UserTask:
    return UserTask(
        goals=tuple(Goal(phrase=goal, template=goal) for goal in goals),
        context=tuple(context),
        role=role,
        language=lang,
        seed=3,
    )


def _observation(reply: Reply) -> Observation:
    text, labels = (reply, ()) if isinstance(reply, str) else reply
    return Observation(
        text=text, choices=tuple(Choice(label=label, value=label) for label in labels)
    )


def _talk(task: UserTask, *replies: Reply) -> list[str]:
    """What the user says to each reply of an app that speaks first."""
    user = FakeContext().build(AgendaUser)
    turns = [Turn(act=Listen(), observation=_observation(replies[0]))]
    said: list[str] = []
    for reply in (*replies[1:], None):
        act = asyncio.run(user.act(task.model_copy(update={"turns": tuple(turns)}))).act
        said.append(
            act.label if isinstance(act, Press) else act.text if isinstance(act, Say) else ""
        )
        if reply is not None and act is not None:
            turns.append(Turn(act=act, observation=_observation(reply)))
    return said


def _met(task: UserTask, *turns: tuple[str, str]) -> tuple[int, ...]:
    played = tuple(
        Turn(act=Say(text=said), observation=_observation(reply)) for said, reply in turns
    )
    user = FakeContext().build(AgendaUser)
    return asyncio.run(user.act(task.model_copy(update={"turns": played}))).goals_met


HELLO = "Hello, what can I do for you?"
STORE = (
    "rent a bike box for 12 months",
    "find out the price",
)


@pytest.mark.parametrize(
    ("context", "question", "options", "expected"),
    [
        # a clause on the subject of the question goes before a word that stands elsewhere
        (
            ("you live at 4 Mill Street, Leeds", "the trailer stays on the lawn at night"),
            "Where does the trailer stay at night?",
            ("Street", "Lawn", "Garage"),
            "Lawn",
        ),
        (
            ("your tools are insured already",),
            "Your tools must be insured. Which cover would you like?",
            ("No cover, I have my own", "Up to £500", "Up to £900"),
            "No cover, I have my own",
        ),
        (
            (),
            "For how long?",
            ("1 month", "6 months - 5% off", "12 months - 9% off"),
            "12 months - 9% off",
        ),
    ],
)
def test_the_option_is_chosen_that_the_profile_speaks_for(
    context: Sequence[str], question: str, options: Sequence[str], expected: str
) -> None:
    task = _task(*STORE, context=context)
    assert _talk(task, HELLO, "Your name, please?", (question, options))[-1] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does anybody have an allergy that we should know about?", "allergic to nuts"),
        ("What kind of event is it?", "a spring fair"),
        ("What is your caretaker's name and house number?", "Mr Bell at number 7"),
        ("How many of the guests are vegetarians?", "five"),
    ],
)
def test_what_the_context_tells_goes_before_a_goal_and_before_inventions(
    question: str, expected: str
) -> None:
    context = (
        "one of the guests is allergic to nuts",
        "it is a spring fair",
        "your caretaker is Mr Bell at number 7",
        "five of them are vegetarians",
    )
    task = _task("order a buffet for 30 guests", "have it say: Welcome home", context=context)
    said = _talk(task, HELLO, "Your e-mail, please?", question)[-1]
    assert expected in said


def test_all_ages_are_given_at_once() -> None:
    task = _task(
        "get a quote for the family pass", context=("there are three of you, aged 44, 38 and 6",)
    )
    assert (
        _talk(task, HELLO, "Your e-mail, please?", "How old are they? Please list all ages.")[-1]
        == "44, 38, 6"
    )


def test_the_letters_of_a_pattern_are_no_options() -> None:
    task = _task("book the ferry for 18.06.2027")
    assert _talk(task, HELLO, "Your e-mail?", "On which date? (dd/mm/yyyy)")[-1] == "18/06/2027"


@pytest.mark.parametrize(
    ("wish", "first", "offered", "language", "expected"),
    [
        ("you take the day after, same time", "Monday 8 March", "", "English", "9 March"),
        (
            "den Tag danach nehmen",
            "1. April 2027",
            "Am 31. März oder am 2. April.",
            "German",
            "2. April",
        ),
        (
            "nehmen Sie den Samstag davor",
            "Sonntag, dem 25. April 2027",
            "",
            "German",
            "24. April 2027",
        ),
        ("the Monday after is fine", "Saturday 20 March 2027", "", "English", "22 March 2027"),
        ("a week later", "3 May 2027", "", "English", "10 May 2027"),
        ("Saturday is fine", "Monday 8 March", "", "English", None),
    ],
)
def test_a_day_is_counted_from_the_one_that_was_turned_down(
    wish: str, first: str, offered: str, language: str, expected: str | None
) -> None:
    assert day_by_another(wish, first, offered, language) == expected


def test_the_day_after_is_asked_for_once_the_first_is_turned_down() -> None:
    task = _task(
        "book a court on Monday 8 March at 18:30",
        context=("if they are closed on Monday, you take the day after",),
    )
    closed = "We are closed on Mondays. Which day would you like to come?"
    assert _talk(task, HELLO, closed)[-1] == "9 March"


def test_the_least_amount_is_taken_if_need_be() -> None:
    task = _task("order boxes", context=("you need only 4 boxes, if need be you take the minimum",))
    replies = (HELLO, "How many boxes?", "We sell boxes from 10 pieces, at least 10. How many?")
    assert _talk(task, *replies)[-1] == "10"


@pytest.mark.parametrize(
    ("entry", "goal", "told", "expected"),
    [
        ("My unit", "rent a locker", ("you are Ann Bell",), True),
        ("My unit", "get a new code", ("contract PF-1113",), False),
        ("Rent a unit", "get a new code", ("contract PF-1113",), True),
        ("Rent a unit", "rent a locker", ("you are Ann Bell",), False),
        ("Opening hours", "get a new code", ("contract PF-1113",), False),
    ],
)
def test_entries_for_holders_are_for_those_with_a_number_of_the_app(
    entry: str, goal: str, told: Sequence[str], expected: bool
) -> None:
    assert is_for_others(entry, goal, told) is expected


def test_a_question_is_met_by_what_the_end_of_a_service_tells() -> None:
    task = _task("report a broken lamp", "find out how soon somebody will look at it")
    done = "Your report has been sent. It will be inspected within 24 hours. Anything else?"
    met = _met(task, ("I want to report a broken lamp.", "Where is it?"), ("Mill Lane", done))
    assert met == (0, 1)


def test_the_price_at_the_end_is_no_answer_on_something_else() -> None:
    task = _task("book a room for 2 nights", "ask whether there is parking and what it costs")
    done = "Booked! Altogether £268. Anything else?"
    met = _met(task, ("I want to book a room for 2 nights.", "Your name?"), ("Ann Bell", done))
    assert 1 not in met


def test_a_detail_that_was_answered_in_the_form_is_not_said_again() -> None:
    task = _task(
        "book the yoga class", "if they ask about your health, say that you have a sore knee"
    )
    turns = (
        ("I want to book the yoga class.", "Do you have any injury?"),
        ("I have a sore knee", "Booked! Your place number is R41. Anything else?"),
    )
    assert _met(task, *turns) == (0, 1)


def test_numbers_are_compared_with_their_units() -> None:
    assert ("12", "month") in amounts_in("for 12 months")
    assert ("2000", "pound") in amounts_in("up to 2,000 pounds")
    assert amounts_in("twelve months") == amounts_in("12 months")


def test_the_point_of_an_ordinal_ends_no_sentence() -> None:
    assert sentences("Die Wohnung liegt im 2. Stock. Es gibt keinen Aufzug.") == (
        "Die Wohnung liegt im 2. Stock.",
        "Es gibt keinen Aufzug.",
    )


MENU = "1 Pay the balance\n2 Extend the contract\n3 New gate code\n0 Main menu"


def test_what_an_entry_has_done_at_once_is_not_chosen_again() -> None:
    task = _task("get a new gate code", "extend the contract by 3 months")
    done = f"Your new gate code is 7650. The old one no longer works.\n{MENU}"
    first = f"Contract PF-1113, rented until 30 June.\n{MENU}"
    assert _talk(task, first, done) == ["New gate code", "Extend the contract"]


def test_a_fork_after_a_refusal_ends_no_service() -> None:
    task = _task("book a medium unit from 8 March 2027", "learn from which day you can use it")
    fork = (
        "Medium units are all taken until 15 March 2027. What would you like to do?\n"
        "1 Start on 15 March 2027\n2 Choose another size\n3 Go on the waiting list\n0 Main menu"
    )
    turns = (("I want to book a medium unit.", "From which day?"), ("08/03/2027", fork))
    assert _met(task, *turns) == ()


def test_an_option_that_was_chosen_settles_the_detail_it_names() -> None:
    task = _task("report a broken lamp", "be kept informed by text message")
    turns = (
        ("I want to report a broken lamp.", "Updates?\n1. By e-mail\n2. By text message"),
        ("2", "Thank you, your report has been sent. Anything else?"),
    )
    assert _met(task, *turns) == (0, 1)


COMMANDS = (
    "Commands: SKIP (hire of a container), PASS (a visitor's pass), STATE, HELP, QUIT. "
    "STOP leaves a command."
)


def test_a_command_is_chosen_by_what_stands_beside_it_and_typed_alone() -> None:
    task = _task("apply for a visitor's pass for gate C", context=("your name is Ada Berg",))
    assert _talk(task, "Unknown command. " + COMMANDS) == ["PASS"]


DONE = "Thank you! Your pass has the code 52014. Price: 4.50 EUR."


@pytest.mark.parametrize(
    "labels",
    [("Order another pass", "Back", "Main menu"), ("Order one more", "Something else", "Back")],
)
def test_what_was_done_is_not_done_once_more(labels: Sequence[str]) -> None:
    task = _task("order a visitor's pass")
    check = ("Please check: one visitor's pass, 4.50 EUR.", ("Confirm", "Cancel"))
    said = _talk(task, HELLO, check, (DONE, labels))
    assert said[1] == "Confirm"
    assert said[2] not in labels
    menu = "".join(f"\n{number}. {label}" for number, label in enumerate(labels))
    wish = ("I'd like to order a visitor's pass.", "Please check: one visitor's pass, 4.50 EUR.")
    assert _met(task, wish, ("Confirm", DONE + menu)) == (0,)


@pytest.mark.parametrize(
    ("lang", "role", "question"),
    [
        (
            "English",
            "you have to act as a student who looks for a room near the harbour",
            "What are you looking for near the harbour?",
        ),
        (
            "French",
            "Tu dois te comporter comme une étudiante qui cherche une chambre près du port.",
            "Quelque chose près du port vous tente ?",
        ),
    ],
)
def test_whom_to_play_is_never_said(lang: str, role: str, question: str) -> None:
    task = _task("ask about rooms", role=role, lang=lang)
    said = _talk(task, "Hello! Your name, please?", question)[-1]
    assert "act as" not in said
    assert "comporter" not in said
