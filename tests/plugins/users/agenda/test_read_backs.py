"""How the user reads what an app reads back, and what it says to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Observation, Say, Turn, act_text
from sparring_plugins.users.agenda.agents import missing_outputs
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.replies.read_backs import announces, asks_to_check, states
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots

COURT = Goal(phrase="book a tennis court", template="book a tennis court")
CONTEXT = (
    "the day is 4 May",
    "the time is 18:30",
    "the club is called Kilnwood Park",
    "you are three people",
)


def answer(
    *pairs: tuple[str, str], goals: tuple[Goal, ...] = (COURT,), context: tuple[str, ...] = CONTEXT
) -> str:
    """What the user says after some turns."""
    turns = tuple(
        Turn(act=Say(text=said), observation=Observation(text=reply)) for said, reply in pairs
    )
    task = UserTask(goals=goals, context=context, turns=turns, seed=3)
    agenda = Agenda(task, missing_outputs(task), patience=3, farewell=True)
    act = agenda.decide().act
    return act_text(act) if act is not None else ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Please confirm that you want a court for three people.",
        "Kindly verify the following: a court on 4 May.",
        "Could you please confirm a court at Kilnwood Park at 18:30.",
        "Please double check that the day is right.",
        "Bitte bestätigen Sie, dass Sie am 4. Mai kommen.",
    ],
)
def test_a_look_at_what_was_understood_is_asked_for(sentence: str) -> None:
    assert asks_to_check(sentence)
    questions = read_app_reply(Observation(text=sentence)).questions
    assert [question.kind for question in questions] == ["confirm"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Please confirm your e-mail address.",
        "Please confirm your date of birth, all 8 digits.",
        "Check-in is from 15:00.",
        "Please confirm: which day suits you?",
        "Please review our terms.",
    ],
)
def test_a_datum_or_a_statement_is_no_read_back(sentence: str) -> None:
    assert not asks_to_check(sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Just to be clear, you want a court on 4 May.", True),
        ("Okay, so you would like the court at 18:30.", True),
        ("Booking a court for three at Kilnwood Park.", True),
        ("Booking reference: KP-77.", False),
        ("Just to confirm, which day was it?", False),
        ("Courts can be booked a week ahead.", False),
    ],
)
def test_a_statement_waits_for_a_yes(sentence: str, expected: bool) -> None:
    assert announces(sentence) is expected


def test_a_statement_with_a_question_mark_is_to_be_confirmed() -> None:
    reply = read_app_reply(Observation(text="You want the court at 18:30?"))
    assert [question.kind for question in reply.questions] == ["confirm"]
    assert not states("And your e-mail address?")


def test_an_announcement_beside_a_question_asks_nothing_itself() -> None:
    text = "Just to confirm, you want a court on 4 May. What is your name?"
    assert [q.kind for q in read_app_reply(Observation(text=text)).questions] == ["open"]


OPENING = ("I'd like to book a tennis court, please.", "On which day?")
DAY = ("4 May", "And at what time?")
TIME = ("18:30", "At which club?")
CLUB = ("Kilnwood Park", "For how many people?")
BEGUN = (OPENING, DAY, TIME, CLUB)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Please confirm: a court for 3 people at Kilnwood Park on 4 May at 18:30.", "Yes"),
        ("Please confirm: a court for 3 people at Kilnwood Park on 4 May at 19:30.", "18:30"),
        ("Please confirm: a court for 3 people at Kilnwood Park on 5 May at 18:30.", "4 May"),
        ("Please confirm: a court for 5 people at Kilnwood Park on 4 May at 18:30.", "three"),
        ("Please confirm: a court for 3 people at Harrow Lodge on 4 May at 6:30 pm.", "Kilnwood"),
        ("So you want a court at Kilnwood Park on 4 May at half past six.", "Yes"),
        ("So you want a court at Kilnwood Park on 4 May at 18h30.", "Yes"),
        ("So you want a court at Kilnwood Park on 4 May at 7:30.", "18:30"),
    ],
)
def test_what_is_read_back_is_compared_with_the_context(text: str, says: str) -> None:
    said = answer(*BEGUN, ("three", text))
    assert says in said
    assert said.startswith("Yes") is (says == "Yes")


def test_a_user_gives_in_after_two_corrections() -> None:
    wrong = "Please confirm: a court at Kilnwood Park on 4 May at 19:30."
    turns = [*BEGUN, ("three", wrong)]
    for _ in range(2):
        said = answer(*turns)
        assert "18:30" in said
        turns.append((said, wrong))
    assert "18:30" not in answer(*turns)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    assert asks_to_check(text) in (True, False)
    assert announces(text) in (True, False)
    read_app_reply(Observation(text=text))


@pytest.mark.parametrize(
    ("day", "read_back", "contradicts"),
    [
        ("12/03/2027", "So that is Friday, 12 March 2027 at 10 am. Shall I book that?", False),
        ("tomorrow", "So that is Tuesday, 2 March 2027 at 10 am. Shall I book that?", False),
        ("Monday", "So that is Tuesday, 2 March 2027 at 10 am. Shall I book that?", True),
        ("12 March", "So that is Monday, 15 March 2027 at 10 am. Shall I book that?", True),
    ],
)
def test_a_day_in_other_words_is_not_another_day(
    day: str, read_back: str, contradicts: bool
) -> None:
    """The other days are what the variable may have in other cases."""
    others = ("tomorrow", "Monday", "Tuesday", "12 March", "12/03/2027")
    none = frozenset[str]()
    slot = Slot("day", (day,), others, own=none, near=none, kinds=frozenset({"date"}), lead="on")
    assert bool(contradicted_slots(read_back, [slot])) is contradicts
