"""What ends a service, and what only tells of one."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Observation, Say, Turn
from sparring_plugins.users.agenda.moves.decision import Decision
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply, reports_failure
from sparring_plugins.users.agenda.replies.question_kinds import finishing_word, question_kind

TICKET = Goal(
    phrase="buy a ticket for the night train", template="buy a ticket for the night train"
)
ASKED = "I'd like to buy a ticket for the night train, please."


def agenda(*pairs: tuple[str, str], goals: tuple[Goal, ...] = (TICKET,), **task: object) -> Agenda:
    turns = tuple(
        Turn(act=Say(text=said), observation=Observation(text=reply)) for said, reply in pairs
    )
    made = UserTask(goals=goals, turns=turns, seed=1).model_copy(update=task)
    return Agenda(made, (), patience=3, farewell=True)


def decide(
    *pairs: tuple[str, str], goals: tuple[Goal, ...] = (TICKET,), **task: object
) -> Decision:
    return agenda(*pairs, goals=goals, **task).decide()


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("There is a night train at 22:10 for £39.", False),
        ("The Pennine Sleeper is a fine train with six coaches.", False),
        ("I wasn't able to buy the ticket. Anything else?", False),
        ("Something went wrong with the payment.", False),
        ("Your ticket could not be booked at this time.", False),
        ("Your ticket has been booked.", True),
        ("I've reserved the ticket for you.", True),
        ("Very well, one ticket for the night train.", True),
    ],
)
def test_a_service_is_over_only_once_something_was_done(reply: str, met: bool) -> None:
    assert agenda((ASKED, reply)).goals_met == ((0,) if met else ())


def test_what_follows_a_yes_to_a_summary_ends_the_service() -> None:
    turns = (
        (ASKED, "For whom?"),
        ("Ada Bell", "Which day?"),
        ("4 May", "Night train, Ada Bell, 4 May. Shall the ticket be made out?"),
    )
    assert agenda(*turns, ("Yes", "The printer is humming, T-118, by post in two days.")).goals_met


@pytest.mark.parametrize(
    ("sentence", "failure"),
    [
        ("We could not make the transfer.", True),
        ("Sorry, the booking was unsuccessful.", True),
        ("Could you not find it?", False),
        ("You can bring your dog.", False),
    ],
)
def test_a_failure_is_told_from_other_statements(sentence: str, failure: bool) -> None:
    assert reports_failure(sentence) is failure


def test_the_word_that_ends_an_order_is_typed_once_all_is_said() -> None:
    text = 'One ticket in. Go on, or say "pay" when you\'re finished.'
    assert finishing_word(text) == "pay"
    assert act_said(decide((ASKED, text))) == "pay"


def act_said(decision: Decision) -> str:
    assert isinstance(decision.act, Say)
    return decision.act.text


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("All noted. To make the declaration, type I AGREE.", "I AGREE"),
        ("£39, seat 4. Text OK and it is yours, or tell me what is wrong.", "OK"),
        ("Was the train A) missed, B) cancelled or C) late? Reply with the letter.", "B"),
    ],
)
def test_a_word_or_a_letter_is_typed_as_told(reply: str, said: str) -> None:
    goal = Goal(phrase="get a refund for a cancelled train", template="x")
    asked = "I want a refund for a cancelled train."
    assert act_said(decide((asked, "Your name?"), ("Ada Bell", reply), goals=(goal,))) == said


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Do you have a particular day in mind?", "open"),
        ("When would you like to travel.", "open"),
        ("Do you want a window seat.", "offer"),
        ("Anything else for today?", "more"),
        ("Another request?", "more"),
    ],
)
def test_questions_are_read_without_their_usual_form(sentence: str, kind: str) -> None:
    assert question_kind(sentence, last=True) == kind


def test_what_counts_twice_offers_nothing() -> None:
    reply = read_app_reply(Observation(text="Please confirm 1 berth for 2 nights on the train."))
    assert [question.options for question in reply.questions] == [()]


def test_an_extra_with_a_price_is_declined() -> None:
    turns = ((ASKED, "Which day?"), ("4 May", "Can I tempt you with a hamper for £12?"))
    assert act_said(decide(*turns)).startswith("No")


def test_yes_or_no_buttons_make_a_preference_a_plain_question() -> None:
    buttons = (Choice(label="Yes"), Choice(label="No"))
    reply = read_app_reply(Observation(text="Do you have a preferred seat?", choices=buttons))
    assert [question.kind for question in reply.questions] == ["fact"]


def test_a_service_whose_app_asks_on_was_not_done() -> None:
    told = (ASKED, "A night train leaves at 22:10. A ticket is £39, and £59 with a bed.")
    asks = ("What is the price?", "Either with a bed or without: which is it?")
    assert 0 not in agenda(told, asks).goals_met


def test_a_state_that_was_brought_about_ends_a_service() -> None:
    raised = Goal(phrase="raise the urgency to high", template="raise the urgency to high")
    said = ("I want to raise the urgency to high.", "The urgency is now high. Anything else?")
    assert agenda(said, goals=(raised,)).goals_met == (0,)
