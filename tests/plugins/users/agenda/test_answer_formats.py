"""The form in which an app wants an answer."""

import pytest

from sparring_plugins.users.agenda.answers.listed_things import things_in
from sparring_plugins.users.agenda.replies.answer_formats import (
    keyed_options,
    list_separator,
    options_behind,
    yes_and_no,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LIFT (Y/N)?", ("Y", "N")),
        ("Is there a lift? yes/no", ("yes", "no")),
        ("AUFZUG (J/N)?", ("J", "N")),
        ("¿Hay ascensor? [s/n]", ("s", "n")),
        ("Size (S/M)?", None),
        ("What may I do for you?", None),
    ],
)
def test_words_for_yes_and_no(text: str, expected: tuple[str, str] | None) -> None:
    assert yes_and_no(text) == expected


def test_options_with_keys_are_chosen_by_key() -> None:
    assert keyed_options(["S=small", "L = large"]) == (("small", "large"), ("S", "L"))
    assert keyed_options(["S=small", "large"]) is None
    assert keyed_options(["a=b"]) is None


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Payment method? cash / card", "Payment method?", ("cash", "card")),
        ("How? [bar|Karte|Rechnung]", "How?", ("bar", "Karte", "Rechnung")),
        ("Which day? DD/MM/YYYY", "Which day?", ()),
        ("Which one? Prices: 3/4 euros", "Which one?", ()),
        ("Your name? Please type it.", "Your name?", ()),
    ],
)
def test_options_behind_a_question(text: str, question: str, expected: tuple[str, ...]) -> None:
    assert options_behind(text, question) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Items, separated by commas?", ", "),
        ("Artikel, durch Semikolon getrennt", "; "),
        ("One per line, please.", "\n"),
        ("Which items?", None),
    ],
)
def test_what_separates_a_list(text: str, expected: str | None) -> None:
    assert list_separator(text) == expected


@pytest.mark.parametrize(
    ("goal", "things"),
    [
        ("order two lamps, a rug and 3 cushions", ("two lamps", "a rug", "3 cushions")),
        ("have a lamp and a chair repaired", ("a lamp", "a chair")),
        ("have a lamp and a chair repaired by Friday", ("a lamp", "a chair")),
        ("have these things repaired: a lamp, a chair", ("a lamp", "a chair")),
        ("ask when you open", ()),
    ],
)
def test_things_that_a_goal_names(goal: str, things: tuple[str, ...]) -> None:
    assert things_in(goal) == things
