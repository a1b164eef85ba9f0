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
    "hire a boat locker for 9 weeks",
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
            ("your boat has a fender already",),
            "Every boat needs a fender. Which size?",
            ("No fender, I bring mine", "Small, £15", "Large, £25"),
            "No fender, I bring mine",
        ),
        (
            (),
            "For how long?",
            ("2 weeks", "5 weeks - 3% off", "9 weeks - 8% off"),
            "9 weeks - 8% off",
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
        ("Does any camper have an allergy that we should know of?", "allergic to bee stings"),
        ("What sort of trip is it?", "school trip"),
        ("What is your caretaker's name and house number?", "Mr Bell at number 7"),
        ("How many of the campers are swimmers?", "five"),
    ],
)
def test_what_the_context_tells_goes_before_a_goal_and_before_inventions(
    question: str, expected: str
) -> None:
    context = (
        "your nephew is allergic to bee stings",
        "it is a school trip",
        "your caretaker is Mr Bell at number 7",
        "five of them are swimmers",
    )
    task = _task("book tents for 30 campers", "have it say: Welcome home", context=context)
    said = _talk(task, HELLO, "Your e-mail, please?", question)[-1]
    assert expected in said


@pytest.mark.parametrize("question", ["How old is each of you?", "How old is everybody?"])
def test_all_ages_are_given_at_once(question: str) -> None:
    task = _task(
        "get a price for the lake tour", context=("four of you go, aged 52, 47, 11 and 9",)
    )
    assert _talk(task, HELLO, "Your e-mail, please?", question)[-1] == "52, 47, 11, 9"


@pytest.mark.parametrize(
    ("goal", "seat", "question", "language", "expected"),
    [
        (
            "get a new lamp",
            "your desk is in wing A on the second floor",
            "Wing and floor of your desk, e.g. D-4?",
            "English",
            "A-2",
        ),
        (
            "eine neue Lampe bekommen",
            "dein Schreibtisch steht im Flügel C im Erdgeschoss",
            "Flügel und Stockwerk des Schreibtischs, z. B. D-4?",
            "German",
            "C-0",
        ),
    ],
)
def test_a_place_has_the_shape_of_the_example(
    goal: str, seat: str, question: str, language: str, expected: str
) -> None:
    task = _task(goal, context=(seat,), lang=language)
    assert expected in _talk(task, HELLO, question, question, question)


def test_a_day_as_an_example_is_no_place() -> None:
    task = _task("get a new lamp", context=("your desk is in wing A on the second floor",))
    asked = "On which day was your desk last seen in wing A? Please write it like 15/03/2027."
    assert "2/2" not in _talk(task, HELLO, asked)


def test_the_letters_of_a_pattern_are_no_options() -> None:
    task = _task("book the tour for 04.05.2027")
    assert _talk(task, HELLO, "Your e-mail?", "On which date? (dd/mm/yyyy)")[-1] == "04/05/2027"


@pytest.mark.parametrize(
    ("wish", "first", "offered", "language", "expected"),
    [
        ("the following day would do as well", "Tuesday 4 May", "", "English", "5 May"),
        (
            "am Tag darauf ginge es auch",
            "30. Juni 2027",
            "Am 29. Juni oder am 1. Juli.",
            "German",
            "1. Juli",
        ),
        ("der Freitag davor", "Montag, dem 14. Juni 2027", "", "German", "11. Juni 2027"),
        (
            "the Wednesday after will do",
            "Friday 10 September 2027",
            "",
            "English",
            "15 September 2027",
        ),
        ("el sábado anterior", "lunes 7 de junio", "", "Spanish", "5 de junio"),
        ("a week later", "3 May 2027", "", "English", "10 May 2027"),
        ("the day after", "28 February", "", "English", "01.03."),
        ("Friday will do", "Tuesday 4 May", "", "English", None),
    ],
)
def test_a_day_is_counted_from_the_one_that_was_turned_down(
    wish: str, first: str, offered: str, language: str, expected: str | None
) -> None:
    assert day_by_another(wish, first, offered, language) == expected


def test_the_day_after_is_asked_for_once_the_first_is_turned_down() -> None:
    task = _task(
        "book the sauna on Tuesday 4 May at 17:15",
        context=("if it is closed on Tuesday, you go the following day",),
    )
    closed = "The sauna is closed on Tuesdays. Which day suits you?"
    assert _talk(task, HELLO, closed)[-1] == "5 May"


def test_the_least_amount_is_taken_if_need_be() -> None:
    task = _task("order boxes", context=("you need only 4 boxes, if need be you take the minimum",))
    replies = (HELLO, "How many boxes?", "We sell boxes from 10 pieces, at least 10. How many?")
    assert _talk(task, *replies)[-1] == "10"


@pytest.mark.parametrize(
    ("entry", "goal", "told", "expected"),
    [
        ("My mooring", "book a mooring", ("you are Ann Bell",), True),
        ("My mooring", "get a new tag", ("contract ZK-2040",), False),
        ("Book a mooring", "get a new tag", ("contract ZK-2040",), True),
        ("Book a mooring", "book a mooring", ("you are Ann Bell",), False),
        ("Office hours", "get a new tag", ("contract ZK-2040",), False),
    ],
)
def test_entries_for_holders_are_for_those_with_a_number_of_the_app(
    entry: str, goal: str, told: Sequence[str], expected: bool
) -> None:
    assert is_for_others(entry, goal, told) is expected


def test_a_question_is_met_by_what_the_end_of_a_service_tells() -> None:
    task = _task("file a claim for a stolen bike", "find out when somebody will call you")
    done = "Your claim has been filed. A colleague rings within 2 days. Anything else?"
    wish = "I want to file a claim for a stolen bike."
    met = _met(task, (wish, "Which street was it in?"), ("Mill Lane", done))
    assert met == (0, 1)


def test_the_price_at_the_end_is_no_answer_on_something_else() -> None:
    task = _task("book a cabin for 3 nights", "ask whether dogs may come and how much that is")
    done = "Booked! Altogether £312. Anything else?"
    met = _met(task, ("I want to book a cabin for 3 nights.", "Your name?"), ("Ann Bell", done))
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
    assert ("9", "week") in amounts_in("for 9 weeks")
    assert ("3000", "pound") in amounts_in("no more than 3,000 pounds")
    assert amounts_in("nine weeks") == amounts_in("9 weeks")


def test_the_point_of_an_ordinal_ends_no_sentence() -> None:
    assert sentences("Das Lager ist im 3. Stock. Ein Kran fehlt.") == (
        "Das Lager ist im 3. Stock.",
        "Ein Kran fehlt.",
    )


MENU = "1 Settle the fees\n2 Prolong the lease\n3 New door tag\n0 Main menu"


def test_what_an_entry_has_done_at_once_is_not_chosen_again() -> None:
    task = _task("get a new door tag", "prolong the lease by 4 weeks")
    done = f"Your new door tag lies at the desk, the last one is void.\n{MENU}"
    first = f"Lease ZK-2040, valid until 31 May.\n{MENU}"
    assert _talk(task, first, done) == ["New door tag", "Prolong the lease"]


def test_a_fork_after_a_refusal_ends_no_service() -> None:
    task = _task("book a double cabin from 7 June 2027", "find out on which day you may board")
    fork = (
        "Double cabins are sold out until 14 June 2027. How shall we go on?\n"
        "1 Leave on 14 June 2027\n2 Take another cabin\n3 Join the waiting list\n0 Main menu"
    )
    turns = (("I want to book a double cabin.", "Leaving when?"), ("07/06/2027", fork))
    assert _met(task, *turns) == ()


def test_an_option_that_was_chosen_settles_the_detail_it_names() -> None:
    task = _task("file a claim for a stolen bike", "get the answer by post")
    turns = (
        ("I want to file a claim for a stolen bike.", "Our answer?\n1. By e-mail\n2. By post"),
        ("2", "Thank you, your claim has been filed. Anything else?"),
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
