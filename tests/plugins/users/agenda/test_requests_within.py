"""Requests that stand later in a sentence, examples beside an "or", and what a thing is like."""

import pytest

from sparring.model.talk import Observation
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, read_app_reply
from sparring_plugins.users.agenda.replies.asked_clauses import own_answer


def asked(text: str) -> AppQuestion | None:
    questions = read_app_reply(Observation(text=text)).questions
    return questions[-1] if questions else None


@pytest.mark.parametrize(
    "text",
    [
        "Whenever you're ready, tell me **which colour** you like and whether it is a gift.",
        "Lovely - give me your phone number.",
        "So that I can order it, I'd just need to know which size you take.",
        "To go on: tell me how many chairs you need.",
    ],
)
def test_an_instruction_after_a_lead_asks_for_what_it_names(text: str) -> None:
    questions = read_app_reply(Observation(text=text)).questions
    assert [question.kind for question in questions][:1] in (["open"], ["select"])


@pytest.mark.parametrize(
    "text",
    [
        "If it gets late, try the side door.",
        "Thanks for your order, enjoy the evening!",
        "Your table is booked, see you on Friday.",
    ],
)
def test_other_sentences_with_a_comma_ask_for_nothing(text: str) -> None:
    assert asked(text) is None


def test_a_question_before_its_condition_is_no_indirect_one() -> None:
    question = asked("If you met a bear would you run or hide?")
    assert question is not None
    assert question.kind == "open"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Where did you sit, for example the gallery or the stalls?", ()),
        ("For our files: roughly how much did it cost, in euros?", ()),
        ("Could you describe it (colour, size, anything special about it)?", ()),
        ("Type 'agree' to go on, 'stop' to give up, or say what to change, for example 'date'?", 2),
        (
            "Which ticket (Day at £5 for one, or Season at £40 with a locker of your own for everything)?",
            ("Day", "Season"),
        ),
    ],
)
def test_examples_and_aspects_are_no_options(text: str, options: tuple[str, ...] | int) -> None:
    question = asked(text)
    assert question is not None
    if isinstance(options, int):
        assert len(question.options) >= options
    else:
        assert question.options == options


@pytest.mark.parametrize(
    "text",
    [
        "Do you happen to remember where you left it?",
        "Can you tell me what the label says?",
        "Savez-vous quelle taille il vous faut ?",
    ],
)
def test_do_you_know_where_asks_where(text: str) -> None:
    question = asked(text)
    assert question is not None
    assert question.kind == "open"


def test_what_the_app_did_is_nothing_to_ask_it_for() -> None:
    assert own_answer("should we send someone to you") == "Please send someone to me"
    assert own_answer("did we find something of yours") == ""


def test_going_ahead_and_doing_that_is_one_question() -> None:
    text = "So I would stop it in May. Shall I go ahead and do that for you?"
    questions = read_app_reply(Observation(text=text)).questions
    assert [question.text for question in questions] == ["Shall I go ahead and do that for you?"]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("the table is booked in the name of Ines Kurz", "Ines Kurz"),
        ("la chambre est au nom de Le Breton", "Le Breton"),
        ("der Tisch ist auf den Namen Huber bestellt", "Huber"),
    ],
)
def test_the_name_of_a_booking_is_a_name(sentence: str, name: str) -> None:
    names = [fact.text for fact in facts_of((sentence,)) if "name" in fact.kinds]
    assert names == [name]
