"""Bots of services that nobody here has read: what is said, chosen, changed and left in them."""

from collections.abc import Sequence

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.model.talk import Choice, Observation, Press, Say
from sparring_plugins.users.agenda.choosing.menu_ranking import best_entry, option_fit
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply, reports_failure
from sparring_plugins.users.agenda.replies.described_options import usual_option
from sparring_plugins.users.agenda.words.goal_phrases import form_of
from sparring_plugins.users.agenda.words.goal_verbs import after_moment, is_own_clause

HELLO = "Hi. Hire something, extend a hire or report a fault: what can I do for you?"
OPEN = ("", Observation(text="Hello, this is the yard."))


def buttons(text: str, *labels: str) -> Observation:
    return Observation(text=text, choices=tuple(Choice(label=one, value=one) for one in labels))


def said(goal: str, context: Sequence[str], *turns: tuple[str, Observation]) -> str:
    act = next_act(goal, context, *turns)
    if isinstance(act, Press):
        return act.label
    return act.text if isinstance(act, Say) else ""


@pytest.mark.parametrize(
    ("question", "context", "answer"),
    [
        ("Would you like to insure it for £2.00 a week?", "you want insurance", "Yes"),
        ("Do you need a trailer as well? It is £15.00.", "you need a trailer", "Yes"),
        ("Do you need a case?", "you have no case of your own, so you need one", "Yes"),
        ("Would you like to insure it for £2.00 a week?", "you live in Hull", "No"),
    ],
)
def test_an_extra_is_taken_if_the_profile_wants_it_in_whatever_word(
    question: str, context: str, answer: str
) -> None:
    asked = buttons(question, "Yes", "No")
    turns = (OPEN, ("I'd like to hire a cello, please.", asked))
    assert said("hire a cello", [context], *turns) == answer


def test_a_sentence_of_the_context_is_chosen_and_no_way_back() -> None:
    asked = Observation(
        text="Reply with a number. How well do you swim?\n1. I cannot swim\n2. I can swim 25 metres"
        "\n0. Back to the main menu"
    )
    turns = (OPEN, ("I'd like to book the course Beginners, please.", asked))
    assert said("book the course Beginners", ["you cannot swim at all"], *turns) == "1"


def test_the_number_of_a_goal_counts_though_its_digit_stands_in_a_date() -> None:
    asked = Observation(text="For how many hours? 2 to 8.")
    goal = "book the loft on 2027-04-18 at 14:00 for 4 hours"
    assert "4" in said(goal, [], OPEN, ("I'd like to book the loft, please.", asked))


def test_a_code_of_the_profile_is_no_answer_to_what_the_app_can_do() -> None:
    greeting = ("", Observation(text=HELLO))
    act = said("keep the mixer of hire H4417 for two days longer", [], greeting)
    assert act != "H4417"


def test_a_question_is_asked_under_the_entry_for_questions() -> None:
    menu = ("Book a visit", "Ask a question")
    turns: tuple[tuple[str, Observation], ...] = (("", buttons("How can we help?", *menu)),)
    assert said("ask what a check-up costs", [], *turns) == "Ask a question"
    turns = (*turns, ("Ask a question", buttons("Ask away.", *menu)))
    assert "check-up" in said("ask what a check-up costs", [], *turns)


def test_what_there_is_none_of_is_skipped() -> None:
    asked = Observation(text="Any job reference you want on the bill? Say skip if not.")
    turns = (OPEN, ("I'd like to hire a mixer, please.", asked))
    context = ["you are a private customer without any reference"]
    assert said("hire a mixer", context, *turns) == "skip"


def test_nothing_is_brought_to_whoever_needs_nothing_delivered() -> None:
    asked = Observation(text="Will you collect it from us, or shall we deliver?")
    turns = (OPEN, ("I'd like to hire a mixer, please.", asked))
    context = ["you come by with your van, nothing needs to be delivered"]
    assert "collect" in said("hire a mixer", context, *turns)


def test_another_registration_than_the_users_is_not_agreed_to() -> None:
    asked = Observation(text="Is it still for the vehicle MV21 ZTE?")
    turns = (OPEN, ("I want to renew my permit.", asked))
    context = ["the new car has the registration YB71 KWN"]
    assert said("renew your permit", context, *turns).startswith("No")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where exactly? A landmark helps our crew.", "It is close to the bus stop"),
        ("Which street or road is it on?", "Mill Lane"),
    ],
)
def test_a_place_is_told_as_it_is_asked_for(question: str, answer: str) -> None:
    turns = (OPEN, ("I want to report a hole in the road.", Observation(text=question)))
    context = ["it is close to the bus stop", "the street is Mill Lane"]
    assert said("report a hole in the road", context, *turns) == answer


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (("Ada", "Boris", "No preference"), 2),
        (("Check-up", "Dental", "Something else"), 2),
        (("Monday", "Tuesday"), None),
    ],
)
def test_who_has_no_wish_leaves_the_choice_open(
    options: tuple[str, ...], place: int | None
) -> None:
    assert usual_option(options) == place


def test_to_book_is_not_enough_for_an_order_of_something_else() -> None:
    assert option_fit("Book a visit", "order the pills") < 0.5
    entries = ("Book a visit", "Repeat prescription", "Ask a question")
    assert best_entry(entries, "order the pills for three months") == 1


@pytest.mark.parametrize(
    ("goal", "language", "rest"),
    [
        ("wenn die Angaben gezeigt werden, den Auszug verlegen", "German", "den Auszug verlegen"),
        ("après le récapitulatif, changer le créneau", "French", "changer le créneau"),
        ("wenn es regnet, ein Taxi nehmen", "German", None),
        ("when it is read back, correct the day to Friday", "English", "correct the day to Friday"),
    ],
)
def test_a_planned_change_is_known_by_its_moment(
    goal: str, language: str, rest: str | None
) -> None:
    assert after_moment(goal, language) == rest


@pytest.mark.parametrize(
    ("goal", "language", "is_clause"),
    [
        ("die Änderung soll ab dem 1. Mai gelten", "German", True),
        ("la entrega tiene que ser por la mañana", "Spanish", True),
        ("die Änderung melden", "German", False),
    ],
)
def test_what_something_is_to_be_is_a_statement(goal: str, language: str, is_clause: bool) -> None:
    assert is_own_clause(goal, language) is is_clause
    assert (form_of(goal, language, True)[0] == "statement") is is_clause


def test_money_back_and_a_refund_are_one() -> None:
    assert names_in("money back") == names_in("a refund")


def test_options_are_no_two_names_of_one_thing_and_no_length_of_an_answer() -> None:
    for text in ("Which street or road is it on?", "Could you describe it in a sentence or two?"):
        assert not read_app_reply(Observation(text=text)).questions[-1].options


def test_what_may_be_told_is_no_failure() -> None:
    assert not reports_failure("You can tell me that something went wrong.")
    assert reports_failure("Something went wrong.")
