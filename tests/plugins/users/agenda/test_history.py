"""Whether somebody was a customer before, in many wordings of question and profile."""

import pytest

from sparring_plugins.users.agenda.profile.history import customer_before

ASKED = (
    "Have you been here before?",
    "Has Rufus been with us before?",
    "Have you visited us before?",
    "Is Rufus already registered with us?",
    "Are you an existing customer?",
)
ASKED_NEW = (
    "Are you a new customer?",
    "Is this your first visit?",
    "Is it the first time for him?",
)
WAS = (
    "Rufus the dog has had his bath there for years",
    "you are a regular",
    "you have been a client for ten years",
    "Rufus, registered here",
    "A long-standing client",
    "it is not your first visit",
    "you are not a new customer",
)
WAS_NOT = (
    "Rufus has never been to that kennel",
    "Rufus is a goat, new there",
    "it is your first time there",
    "you are new there",
    "you are not registered",
)
CASES = [(c, True) for c in WAS] + [(c, False) for c in WAS_NOT]


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize(("said", "was"), CASES)
def test_an_earlier_visit_is_known(said: str, was: bool, question: str) -> None:
    assert customer_before(question, [said]) is was


@pytest.mark.parametrize("question", ASKED_NEW)
@pytest.mark.parametrize(("said", "was"), CASES)
def test_a_first_visit_is_known(said: str, was: bool, question: str) -> None:
    assert customer_before(question, [said]) is not was


@pytest.mark.parametrize(
    ("said", "question", "within"),
    [
        ("the chimney was swept nine months ago", "Was it swept in the last 6 months?", False),
        ("serviced two weeks ago", "Was it serviced in the past month?", True),
        ("you moved 3 years ago", "Have you moved in the last 5 years?", True),
        ("serviced a month ago", "Was it serviced in the last two weeks?", False),
        ("vor zwei Jahren gewartet", "In den letzten sechs Monaten gewartet?", False),
        ("revisado hace tres semanas", "¿Se revisó en los últimos dos meses?", True),
        ("ramoné il y a deux ans", "Ramoné la dernière année ?", False),
        ("the filter was changed a long time ago", "Changed in the last year?", None),
    ],
)
def test_what_was_some_time_ago_lies_within_a_span_or_not(
    said: str, question: str, within: bool | None
) -> None:
    assert customer_before(question, [said]) is within


@pytest.mark.parametrize("question", ["Have you skied before?", "Have you had surgery before?"])
def test_other_questions_are_left_to_the_profile_s_own_words(question: str) -> None:
    assert customer_before(question, ["it is your first visit"]) is None
