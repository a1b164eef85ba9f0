"""A read-back with one particular otherwise than the user said it is not confirmed."""

import itertools

import pytest

from sparring.interfaces.roles import Goal

from .talks import goals_met, replies_to

#: What is read back: its label, what the user wants, and what the app has understood instead.
PARTICULARS = {
    "date": ("Date", "14 March 2027", "15 March 2027"),
    "time": ("Time", "13:00", "15:00"),
    "adults": ("Adults", "6", "4"),
    "children": ("Children", "3", "0"),
    "name": ("Name", "Oskar Lindqvist", "Oskar Lindberg"),
    "email": ("E-mail", "oskar.l@example.org", "oskar.k@example.org"),
    "phone": ("Phone", "0151 555 0142", "0151 555 0124"),
    "language": ("Audio guide", "Dutch", "French"),
    "lunch": ("Lunch", "yes", "no"),
}
TEMPLATE = (
    "book the Harbour Cruise on {{day}} at {{hour}} for {{adults}} adults and {{kids}} children"
)
PLAIN = "book the Harbour Cruise on 14 March 2027 at 13:00 for 6 adults and 3 children"
GOALS = {
    "variables": Goal(phrase=PLAIN, template=TEMPLATE, inputs=("day", "hour", "adults", "kids")),
    "plain": Goal(phrase=PLAIN, template=PLAIN),
}
INPUTS = {"day": "14 March 2027", "hour": "13:00", "adults": 6, "kids": 3}
CONTEXT = [
    "your name is Oskar Lindqvist",
    "your e-mail is oskar.l@example.org",
    "your phone number is 0151 555 0142",
    "you would like the audio guide in Dutch",
    "you want lunch on board",
]
QUESTIONS = [
    "Welcome! What can I do for you?",
    "Which day?",
    "What time?",
    "How many adults?",
    "How many children?",
    "Your name?",
    "Your e-mail address?",
    "A phone number?",
    "Which language for the audio guide: English, Dutch or French?",
    "Would you like lunch on board?",
]
ENDS: dict[str, tuple[str, ...]] = {
    "in words": ("Is everything correct?",),
    "by three buttons": ("Please check your booking.", "Confirm", "Change", "Cancel"),
    "by two buttons": ("Shall I book it?", "Yes", "No"),
    "by a word": ("Type CONFIRM to book, or CHANGE to correct something.",),
}
AGREED = ("yes", "confirm", "that's right", "that is right")


def _read_back(style: str, wrong: str | None) -> str:
    said = {key: other if key == wrong else own for key, (_, own, other) in PARTICULARS.items()}
    if style == "lines":
        lines = (f"{label}: {said[key]}" for key, (label, _, _) in PARTICULARS.items())
        return "\n".join(["Here is your booking:", "Tour: Harbour Cruise", *lines])
    lunch = "with" if said["lunch"] == "yes" else "no"
    return (
        f"Let me repeat: Harbour Cruise, {said['date']} at {said['time']}, {said['adults']} adults,"
        f" {said['children']} children, {said['language']} audio guide, {lunch} lunch."
        f" {said['name']}, {said['email']}, {said['phone']}."
    )


def _answer(goal: str, style: str, end: str, wrong: str | None) -> str:
    text, *labels = ENDS[end]
    talk = [*QUESTIONS, (f"{_read_back(style, wrong)}\n{text}", *labels)]
    inputs = INPUTS if goal == "variables" else {}
    return replies_to([GOALS[goal]], CONTEXT, talk, inputs=inputs)[-1].lower()


SHAPES = list(itertools.product(GOALS, ("lines", "prose"), ENDS))


@pytest.mark.parametrize(("goal", "style", "end"), SHAPES)
def test_what_was_understood_well_is_confirmed(goal: str, style: str, end: str) -> None:
    assert _answer(goal, style, end, None).startswith(AGREED)


@pytest.mark.parametrize("wrong", PARTICULARS)
@pytest.mark.parametrize(("goal", "style", "end"), SHAPES)
def test_one_wrong_particular_is_not_confirmed(goal: str, style: str, end: str, wrong: str) -> None:
    assert not _answer(goal, style, end, wrong).startswith(AGREED)


@pytest.mark.parametrize(
    "line",
    [
        "Phone: +44 151 555 0142",
        "Name: O. Lindqvist",
        "Name: Lindqvist, Oskar",
        "Audio guide: NL",
        "Date: 2027-03-14",
        "Date: Sunday, 14 March",
        "Time: 1:00 pm",
        "Reference: 20270315",
        "Total: £4.00",
        "Tour: Harbour Cruise (90 minutes)",
    ],
)
def test_the_same_in_other_words_is_confirmed(line: str) -> None:
    label = line.partition(":")[0]
    lines = _read_back("lines", None).splitlines()
    text = "\n".join([*(one for one in lines if not one.startswith(f"{label}:")), line])
    talk = [*QUESTIONS, f"{text}\nIs everything correct?"]
    assert replies_to([PLAIN], CONTEXT, talk)[-1].lower().startswith(AGREED)


def test_no_preference_may_become_anybody() -> None:
    talk = [
        "What can I do for you?",
        "Which day?",
        ("Which guide?", "Ada Moss", "Ben Hale", "No preference"),
        "Your name?",
        "Sunday 14 March with Ben Hale, for Oskar Lindqvist. Is that right?",
    ]
    goal = "book a walk on Sunday 14 March 2027"
    assert replies_to([goal], ["your name is Oskar Lindqvist"], talk)[-1].lower().startswith(AGREED)


@pytest.mark.parametrize("end", ["in words", "by two buttons", "by a word"])
def test_an_app_that_ignores_corrections_has_not_done_what_was_wanted(end: str) -> None:
    """The user gives in after two corrections, and the goal stays unmet."""
    text, *labels = ENDS[end]
    wrong = (f"{_read_back('lines', 'adults')}\n{text}", *labels)
    talk = [*QUESTIONS, wrong, wrong, wrong, "Booked! Your code is B-300. Anything else?"]
    assert goals_met([PLAIN], CONTEXT, talk) == ()
    right = (f"{_read_back('lines', None)}\n{text}", *labels)
    done = [*QUESTIONS, right, "Booked! Your code is B-300. Anything else?"]
    assert goals_met([PLAIN], CONTEXT, done) == (0,)
