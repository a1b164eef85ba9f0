"""Answers in place of refused ones, parts of codes, and what shows that a goal is met."""

import asyncio

import pytest

from sparring.interfaces.roles import Goal, OutputSpec, UserTask
from sparring.model.talk import Observation, Say, Turn, act_text
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.profile.value_parts import part_asked
from sparring_plugins.users.conversation_end import loop_owner


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Please give the 2nd and 5th digits of your code.", "73"),
        ("The last four digits of your code, please.", "9132"),
        ("The first three digits of the code?", "479"),
        ("What is your code?", None),
    ],
)
def test_a_part_of_a_code_is_read_off_it(question: str, part: str | None) -> None:
    assert part_asked(question, "479 132") == part


def play(task: UserTask, *replies: str) -> list[str]:
    """Return what the user says to each of the app's texts, which come whatever it says."""
    turns: list[Turn] = []
    said: list[str] = []
    act = ""
    for reply in replies:
        turns.append(Turn(act=Say(text=act), observation=Observation(text=reply)))
        decided = asyncio.run(
            FakeContext().build(AgendaUser).act(task.model_copy(update={"turns": tuple(turns)}))
        ).act
        act = "" if decided is None else act_text(decided)
        said.append(act)
    return said


def test_no_answer_is_given_twice_to_one_question() -> None:
    goal = "book a kennel for Rex"
    context = ("your customer number is 48213", "your postcode is LS6 3HN", "Rex is a terrier")
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), context=context, seed=1)
    question = "Sorry, that is not valid. What is your reference?"
    said = play(task, "Kennels. How can I help?", "What is your reference?", *[question] * 4)
    answers = [text for text in said[1:] if text]
    assert len(set(answers)) == len(answers)
    assert any("48213" in text for text in answers)


def test_a_refusal_that_fills_the_outputs_meets_no_goal() -> None:
    goal = "reserve a kennel for a week"
    task = UserTask(
        goals=(Goal(phrase=goal, template=goal),),
        outputs=(
            OutputSpec(name="weeks", type="int", description="how many weeks one has to wait"),
        ),
        seed=1,
        turns=(
            Turn(act=Say(text=""), observation=Observation(text="Kennels. How can I help?")),
            Turn(
                act=Say(text="I want to reserve a kennel for a week."),
                observation=Observation(
                    text="Sorry, we cannot reserve a kennel: we are full. You have to wait 6 weeks."
                ),
            ),
        ),
    )
    assert asyncio.run(FakeContext().build(AgendaUser).act(task)).goals_met == ()


@pytest.mark.parametrize(
    "reply",
    [
        "Draft K-204 is waiting. What is your card number?",
        "I could not save K-204 yet, what is your e-mail address?",
        "Please type K-204 to confirm the table.",
    ],
)
def test_a_number_after_a_yes_is_no_end_of_a_service(reply: str) -> None:
    goal = "book a table for two people on Friday at 19:00"
    asked = "A table for two people on Friday at 19:00. Is that right?"
    said = ("", f"I want to {goal}.", "Yes", "")
    replies = ("Hello, how can I help?", asked, reply, "Sorry, all tables are taken.")
    turns = tuple(
        Turn(act=Say(text=act), observation=Observation(text=text))
        for act, text in zip(said, replies, strict=True)
    )
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), seed=1, turns=turns)
    assert asyncio.run(FakeContext().build(AgendaUser).act(task)).goals_met == ()


def loop(question: str, *answers: str) -> list[Turn]:
    """Return the turns in which an app asks the same again whatever is said."""
    opening = Turn(act=Say(text="Hello"), observation=Observation(text=question))
    return [
        opening,
        *(Turn(act=Say(text=one), observation=Observation(text=question)) for one in answers),
    ]


def test_leaving_a_form_excuses_no_app_that_takes_none_of_several_days() -> None:
    days = ("tomorrow", "1 March 2027", "01/03/2027", "2027-03-01", "Monday")
    assert loop_owner(loop("On which day would you like to come?", *days, "Cancel")) is Owner.APP
    guesses = ("the blue one", "Rex", "LS6 3HN", "a week", "yes")
    owner = loop_owner(loop("What is your reference?", *guesses, "Cancel"))
    assert owner is Owner.SIMULATED_USER


#: How an app says which signs it takes, in words of its own each.
SIGNS_ONLY = """\
Pick from 1 to 5 only.
Letters B to F, with commas between.
Only numbers between 1 and 4 are understood here.
Send one digit, 0 to 9.
Reply with A, B or C.
One letter only: A, B or C.
Just type the number of the drink.
Answer with the keys 1-4.
Use the numbers on the card, with a comma between them.
Four digits, nothing else.
Tippen Sie eine Zahl von 1 bis 5.
Nur Ziffern, durch Kommas getrennt.
Antworten Sie mit 1, 2 oder 3.
Solo números del 1 al 7.
Responda con 1 o 2.
Seulement des chiffres de 1 à 4.
Numbers only here.
Press 1, 2 or 3.
Enter a letter from A to F."""
WISHES = (
    "I'd like the two lamps.",
    "When are they ready?",
    "The red ones, please.",
    "Those again.",
)


@pytest.mark.parametrize("reply", SIGNS_ONLY.splitlines())
def test_an_app_that_names_the_signs_it_takes_is_not_blamed_for_sentences(reply: str) -> None:
    assert loop_owner(loop(reply, *WISHES)) is Owner.SIMULATED_USER


@pytest.mark.parametrize("reply", ["Keys 1 to 4, nothing else.", "Press 1, 2 or 3."])
def test_an_app_that_takes_none_of_its_own_signs_is_blamed(reply: str) -> None:
    assert loop_owner(loop(reply, "1", "2", "3", "1, 2")) is Owner.APP


@pytest.mark.parametrize("reply", ["I can only talk about boats.", "We are open from 9 to 5."])
def test_an_app_that_understands_no_message_is_blamed(reply: str) -> None:
    assert loop_owner(loop(reply, *WISHES)) is Owner.APP
