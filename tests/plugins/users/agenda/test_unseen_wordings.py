"""What the user without a model answers to wordings that no bot it was made with has used."""

import asyncio

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Choice, Observation, Say, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.user_goals import user_goal


def goal(template: str, **values: str) -> Goal:
    phrase = template
    for name, value in values.items():
        phrase = phrase.replace("{{" + name + "}}", value)
    return Goal(phrase=phrase, template=template, inputs=tuple(values))


REPAIR = UserTask(
    goals=(
        goal("have your washing machine repaired, it {{fault}}", fault="makes a grinding noise"),
        goal("have the technician come on {{day}}", day="Tuesday"),
    ),
    inputs={"fault": ["makes a grinding noise"], "day": ["Tuesday"]},
    role="You act as a tenant who needs help with an appliance.",
    context=(
        "your name is Rosa Lindgren and you were born on 3 May 1988",
        "you live at 27 Cooper Street, Dunmore, BT71 4QP",
        "customer number K-55120",
        "phone 07700 900 318, e-mail rosa.l@example.org",
        "it stands in the cellar",
    ),
    seed=7,
)
HIRE = UserTask(
    goals=(
        goal("hire a canoe for {{hours}} hours on 14 June", hours="3"),
        goal("once the bot sums it up, change the hours to {{real}}", real="4"),
    ),
    inputs={"hours": ["3"], "real": ["4"]},
    context=("there are five of you", "e-mail g.odell@example.com"),
    seed=3,
)
SUMMARY = "So: a canoe on 14 June for 3 hours, five people."


def answer(task: UserTask, *lines: str | tuple[str, tuple[str, ...]]) -> str:
    """What the user says to the last of some replies; an empty text if it leaves."""
    user = FakeContext().build(AgendaUser)
    turns: list[Turn] = []
    act: Act | None = Say(text="")
    for line in lines:
        text, labels = line if isinstance(line, tuple) else (line, ())
        choices = tuple(Choice(label=label) for label in labels)
        turns.append(Turn(act=act, observation=Observation(text=text, choices=choices)))
        now = {"turns": tuple(turns), "situation": "normal"}
        act = asyncio.run(user.act(task.model_copy(update=now))).act
        if act is None:
            return ""
    return act_text(act)


@pytest.mark.parametrize(
    ("question", "complaint", "expected"),
    [
        ("Date of birth?", "Sorry, I need it as DD.MM.YYYY.", "03.05.1988"),
        ("Your date of birth?", "Please write it like 1975-12-31.", "1988-05-03"),
        ("Phone?", "Digits only, no spaces please.", "07700900318"),
        ("Which street?", "The street only, without the number.", "Cooper Street"),
        ("Customer number?", "Just the digits, without the letter.", "55120"),
        ("Name?", "Surname first, then a comma, then the first name.", "Lindgren, Rosa"),
    ],
)
def test_a_complaint_has_the_same_datum_put_otherwise(
    question: str, complaint: str, expected: str
) -> None:
    said = answer(REPAIR, "What is wrong?", "Your e-mail, please?", question, complaint)
    assert said == expected


@pytest.mark.parametrize(
    "greeting",
    [
        "Hi! I can book repairs, order parts or tell you about prices. What do you need?",
        "Do you want to report a fault, ask about an order or speak to a person?",
        "Would you like a repair, a part or a new machine? Or is it about a bill?",
    ],
)
def test_services_in_a_sentence_are_answered_by_the_goal_itself(greeting: str) -> None:
    assert "grinding noise" in answer(REPAIR, greeting)


@pytest.mark.parametrize(
    "progress", ["(3/8) ", "[3/8] ", "Step 3 of 8: ", "Schritt 3 von 8 - ", "3/8: "]
)
def test_the_count_of_steps_is_no_option(progress: str) -> None:
    reply = read_app_reply(Observation(text=f"{progress}What is your policy number?"))
    assert [(q.text, q.options) for q in reply.questions] == [("What is your policy number?", ())]


def test_a_planned_change_names_the_line_of_a_summary() -> None:
    lines = "A) Boat: canoe\nB) Date: 14 June\nC) Duration: 3 hours\nD) People: five"
    text = f"Please check:\n{lines}\nType SEND, or a letter to change a line."
    assert answer(HIRE, "Hello, what can I do?", "Your e-mail, please?", text) == "C"


def test_a_planned_change_presses_what_changes_and_then_gives_the_new_value() -> None:
    asked = ((f"{SUMMARY} Correct?", ("Yes", "Change something")),)
    first = ("Hello, what can I do?", "Your e-mail, please?", *asked)
    assert answer(HIRE, *first) == "Change something"
    assert answer(HIRE, *first, "How many hours would you like?") == "4"


@pytest.mark.parametrize(
    "question",
    ["What did you notice?", "Please explain briefly what happened.", "Tell us about the defect."],
)
def test_what_is_to_be_described_is_told_by_the_goal(question: str) -> None:
    said = answer(REPAIR, "Hello, what can I do?", "Your phone number?", question)
    assert "grinding" in said


def test_an_offer_of_a_deed_is_no_question_for_a_number() -> None:
    task = REPAIR.model_copy(
        update={"goals": (REPAIR.goals[0], goal("say that nobody needs to ring you"))}
    )
    said = answer(
        task, "Hello, what can I do?", "Your e-mail?", "Would you like the manager to ring you?"
    )
    assert said.startswith("No")


@pytest.mark.parametrize(
    ("phrase", "language", "form", "words"),
    [
        ("be paid by voucher", "English", "action", "be paid by voucher"),
        ("be told when it arrives", "English", "whether", "when it arrives"),
        (
            "when they repeat everything, take carrot instead of vanilla",
            "English",
            "action",
            "take carrot instead of vanilla",
        ),
        (
            "make sure that the driver leaves it in the shed",
            "English",
            "action",
            "make sure that the driver leaves it in the shed",
        ),
        (
            "make sure that breakfast is included",
            "English",
            "whether",
            "whether breakfast is included",
        ),
        (
            "si preguntan por tu salud, contar que tienes una lesión",
            "Spanish",
            "statement",
            "tengo una lesión",
        ),
    ],
)
def test_goals_are_read_by_what_they_want(
    phrase: str, language: str, form: str, words: str
) -> None:
    read = user_goal(0, Goal(phrase=phrase, template=phrase), {}, language)
    assert (read.form, read.words) == (form, words)
