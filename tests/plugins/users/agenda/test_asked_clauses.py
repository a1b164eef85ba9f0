"""Several questions in one sentence, requests put as statements, either-or, lists of data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Observation
from sparring_plugins.users.agenda.answers.joint_answers import counted_thing
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.replies.asked_clauses import (
    alternatives,
    asked_parts,
    stated_request,
)


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("I still need the date, as MM/DD/YYYY.", "the date, as MM/DD/YYYY."),
        ("Before I book it I have to know who it is for.", "who it is for."),
        ("The date is still missing.", "The date"),
        ("Dafür brauche ich noch Ihr Geburtsdatum.", "Ihr Geburtsdatum."),
        ("Me falta la fecha.", "la fecha."),
        ("Il me manque votre nom.", "votre nom."),
        ("We need at least 24 hours notice.", None),
        ("I need to check that.", None),
        ("Do I need a visa?", None),
        ('Try "I need a taxi" or "book a room".', None),
    ],
)
def test_a_statement_of_need_is_a_request_for_a_datum_alone(
    sentence: str, wanted: str | None
) -> None:
    assert stated_request(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("Where are you right now, and what's the number on the frame?", 2),
        ("I need how many seats you want and whether you take the insurance.", 2),
        ("What day, what time and for how many people?", 3),
        ("How old is the dog and is it vaccinated?", 2),
        ("Für wann brauchen Sie es und möchten Sie eine Versicherung?", 2),
        ("Tell me when you arrive and how many nights you stay.", 2),
        ("Name and number, please?", 1),
        ("We open at nine and what day suits you?", 1),
        ("Tell me where and when.", 1),
    ],
)
def test_questions_joined_by_and_are_told_apart(sentence: str, count: int) -> None:
    assert len(asked_parts(sentence)) == count


@pytest.mark.parametrize(
    ("question", "ways"),
    [
        (
            "Can you walk to us, or should we send someone out to you?",
            ("I can walk to us", "Please send someone out to me"),
        ),
        ("Do you want red or blue?", ()),
        ("Is that right?", ()),
    ],
)
def test_two_ways_to_go_on_are_put_in_the_users_words(question: str, ways: tuple[str, ...]) -> None:
    assert alternatives(question) == ways


@pytest.mark.parametrize(
    ("question", "text", "thing"),
    [
        ("How many helmets do you need?", "", "helmets"),
        (
            "How many should we set aside?",
            "Helmets are free. How many should we set aside?",
            "helmets",
        ),
        ("Wie viele Personen kommen?", "", "Personen"),
        ("What size?", "", ""),
    ],
)
def test_what_is_counted_is_named_by_the_question_or_what_stands_before_it(
    question: str, text: str, thing: str
) -> None:
    assert counted_thing(question, text or question) == thing


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert asked_parts(text)
    stated_request(text)
    alternatives(text)
    read_app_reply(Observation(text=text))
