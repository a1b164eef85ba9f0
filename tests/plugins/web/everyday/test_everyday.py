"""Everyday sentences: how each is read, and what comes of it on a page in a real browser."""

from datetime import date
from pathlib import Path

import pytest

from sparring_plugins.web.grammar.everyday.dates import find_date, write_date
from sparring_plugins.web.grammar.everyday.sentences import everyday_forms
from sparring_plugins.web.grammar.steps import read_step, read_steps

from .measuring import play_cases, rate, read_cases

_EXAMPLES = [example for form in everyday_forms() for example in form.examples]
CASES = [*read_cases("sentences.yaml"), *read_cases("later.yaml")]
#: A sample that costs little: values kept, an act under a condition, a frame, a css selector.
SAMPLE = [22, 27, 28, 57]
#: What is not understood yet, or left open; none of it may be decided wrongly.
OPEN = frozenset({"icon 59", "sum 62", "sort 63", "if 70", "units 75", "date 76"})


@pytest.mark.parametrize("sentence", _EXAMPLES)
def test_an_example_of_a_form_is_read_and_its_canonical_sentence_too(sentence: str) -> None:
    steps = read_steps(sentence)
    assert steps
    for step in steps:
        assert step.reading is not None
        again = read_steps(step.reading.explanation)
        assert [s.reading and s.reading.explanation for s in again] == [step.reading.explanation]


@pytest.mark.parametrize(
    "sentence",
    [
        "If 'a' is shown, check that 'b' is shown",
        "Assert that the number of the row is exactly 3",
        "Check that 'Age in the row of Bob is 4' is displayed",
        "Click on the label 'Name'",
        "Click on 'If'",
        "Save the file as 'x'",
    ],
)
def test_what_only_resembles_a_form_is_no_everyday_sentence(sentence: str) -> None:
    reading = read_step(sentence, number=1).reading
    if reading is not None:
        condition = reading.condition
        assert reading.only_if is None
        assert condition is None or condition.kind in ("displayed", "counted")


@pytest.mark.parametrize(
    ("mark", "day"),
    [
        ("%today%", date(2026, 11, 20)),
        ("%today+1d%", date(2026, 11, 21)),
        ("%today+2d%", date(2026, 11, 22)),
        ("%today-2w%", date(2026, 11, 6)),
        ("%today+3m%", date(2027, 2, 20)),
        ("%next-friday%", date(2026, 11, 27)),
        ("%this-friday%", date(2026, 11, 20)),
        ("%last-friday%", date(2026, 11, 13)),
        ("%next-month%", None),
        ("tomorrow", None),
    ],
)
def test_a_mark_is_a_date(mark: str, day: date | None) -> None:
    assert find_date(mark, date(2026, 11, 20)) == day


@pytest.mark.parametrize(
    ("hint", "written"),
    [
        ("dd/mm/yyyy", "05/03/2027"),
        ("Format: MM-DD-YYYY", "03-05-2027"),
        ("d.m.yy", "05.03.27"),
        ("dd/dd/yyyy", "2027-03-05"),
        ("", "2027-03-05"),
    ],
)
def test_a_date_is_written_as_the_field_says(hint: str, written: str) -> None:
    assert write_date(date(2027, 3, 5), hint) == written


def _failures(folder: Path, numbers: list[int]) -> list[str]:
    cases = [CASES[number] for number in numbers]
    done = play_cases(folder, cases)
    ratings = [rate(done, number, case) for number, case in enumerate(cases)]
    return [
        f"{cases[number]['steps']}: {rating}: {reason}"
        for number, (rating, reason) in enumerate(ratings)
        if rating == "wrong"
        or (rating != "right" and f"{cases[number]['class']} {numbers[number]}" not in OPEN)
    ]


def test_a_sample_of_sentences_is_carried_out(tmp_path: Path) -> None:
    assert _failures(tmp_path, SAMPLE) == []


@pytest.mark.thorough
def test_all_sentences_are_carried_out(tmp_path: Path) -> None:
    rest = [number for number in range(len(CASES)) if number not in SAMPLE]
    assert _failures(tmp_path, rest) == []
