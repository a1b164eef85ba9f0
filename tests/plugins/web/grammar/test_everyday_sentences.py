"""The table of everyday sentences says of each how it is read, and what to write instead."""

from pathlib import Path

import pytest

from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.grammar.unsupported import nearest_form

_PAGE = Path(__file__).parents[4] / "docs" / "reference" / "everyday-sentences.md"
_ROWS = [
    tuple(cell.strip() for cell in line.strip("|\n ").split(" | ", 2))
    for line in _PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| sentence", "| ---"))
]


def test_the_table_has_all_kinds() -> None:
    assert len(_ROWS) > 60
    assert {kind for _, kind, _ in _ROWS} == {"strict", "weak", "no"}


@pytest.mark.parametrize(("sentence", "kind", "reason"), _ROWS)
def test_a_sentence_is_read_as_the_table_says(sentence: str, kind: str, reason: str) -> None:
    steps = read_steps(sentence)
    unread = [step for step in steps if not step.readings]
    instead = next((form for s in unread if (form := nearest_form(s.text))), "")
    if instead:
        assert (kind, reason) == ("no", instead)
    elif all(step.readings for step in steps):
        assert (kind, reason) == ("strict", "; ".join(s.readings[0].explanation for s in steps))
    else:
        assert kind == "weak"


@pytest.mark.parametrize(
    "sentence",
    [
        "Click on 'Today'",
        "Check that 'tomorrow' is displayed",
        "Check that 'Remember the value' is displayed",
        "Click on 'Left of the park'",
        "Check that 'all images are loaded' is displayed",
    ],
)
def test_quoted_words_are_no_unsupported_form(sentence: str) -> None:
    assert nearest_form(sentence) == ""


def test_a_date_without_a_field_asks_for_the_field() -> None:
    (step,) = read_steps("Enter tomorrow")
    assert step.readings == ()
    assert step.problems == (
        "is not understood; name the field: Enter tomorrow's date into the field '...'",
    )
