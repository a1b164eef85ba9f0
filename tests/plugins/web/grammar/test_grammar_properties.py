"""What holds of any text: no exception, no long wait, and readings that are written are read back."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Compared,
    Condition,
    Counted,
    Displayed,
    FieldHolds,
    InState,
    Not,
    PageIs,
    Reading,
    Target,
)

WORDS = st.sampled_from(
    [*sorted(WORDS.verbs), "the", "a", "in", "into", "on", "of", "with", "and", "or", "not", "is", "are",
     "field", "button", "link", "row", "list", "'x'", '"y"', "'", '"', ",", ".", "at", "least", "3",
     "times", "that", "displayed", "contains", "(", ")", "assert", "no", "Tab", "#2", "to", "for"]
)  # fmt: skip


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    step = read_step(text, number=1)
    assert step.text == text
    assert step.readings or step.problems


@given(st.lists(WORDS, max_size=40))
def test_any_row_of_words_is_read_without_an_exception(words: list[str]) -> None:
    for step in read_steps(" ".join(words)):
        assert step.readings or step.problems
        assert len(step.readings) <= 6


HARD = {
    "many quotes": "'a' " * 400,
    "many verbs": "click and " * 190,
    "many places": "Click on 'x' " + "in the row of " * 140,
    "many ands": "Assert that " + "'a' and " * 240 + "'b' are displayed",
    "many brackets": "Assert that " + "(" * 900 + "'a' is displayed" + ")" * 900,
    "many fields": "Enter " + "x in " * 380,
    "many nots": "Assert that it is not " + "not " * 450 + "displayed",
    "unclosed": "Assert that 'a is in the " * 80,
    "no blanks": "x" * 2_000,
    "long": "Click on 'x' " * 100_000,
    "of": "the value of " * 150 + "is 5",
    "commas": "Select " + "a, " * 600,
}


@pytest.mark.parametrize("text", HARD.values(), ids=list(HARD))
def test_no_text_takes_long(text: str) -> None:
    before = process_time()
    read_steps(text)
    assert process_time() - before < 2.0


TEXT = st.text(
    st.sampled_from("abcXYZ 019&+-%äß中’(),:;!?=#$€'\""), min_size=1, max_size=12
).filter(lambda text: text == text.strip() and not ("'" in text and '"' in text))
ROLES = st.sampled_from(["button", "link", "field", "checkbox", "tab", "combobox", "image", None])


@st.composite
def targets(draw: st.DrawFn, roles: st.SearchStrategy[str | None] = ROLES) -> Target:
    row = draw(st.none() | TEXT)
    return Target(
        text=draw(TEXT),
        role=draw(roles),
        ordinal=draw(st.none() | st.sampled_from([1, 2, 3, 11, 22, -1, -2])),
        row=row,
        row_kind=draw(st.none() | st.just("Customer")) if row else None,
        region=draw(st.none() | TEXT),
    )


ANY = targets()
FIELDS = targets(st.sampled_from(["field", "input", "textarea"]))
ATOMS: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Displayed, target=ANY),
    st.builds(
        Counted,
        target=ANY,
        comparison=st.sampled_from(["==", ">=", ">", "<=", "<"]),
        number=st.integers(2, 99),
        unit=st.just("text"),
    ),
    st.builds(
        InState,
        target=targets(st.sampled_from(["button", "field", "tab"])),
        state=st.sampled_from(["enabled", "disabled", "focused", "expanded", "required", "empty"]),
    ),
    st.builds(FieldHolds, target=FIELDS, text=TEXT, mode=st.sampled_from(["equals", "contains"])),
    st.builds(
        PageIs,
        property=st.sampled_from(["url", "title"]),
        text=TEXT,
        mode=st.sampled_from(["equals", "contains", "starts", "ends"]),
    ),
    st.builds(
        Compared,
        target=ANY,
        comparison=st.sampled_from(["==", "!=", ">=", ">", "<=", "<"]),
        number=st.sampled_from(["5", "12.50", "$1,299.00", "10%"]),
    ),
)
CONDITIONS: st.SearchStrategy[Condition] = st.one_of(
    ATOMS,
    st.builds(Not, condition=ATOMS),
    st.builds(AllOf, conditions=st.tuples(ATOMS, ATOMS)),
    st.builds(AnyOf, conditions=st.tuples(ATOMS, st.builds(Not, condition=ATOMS))),
    st.builds(
        AllOf, conditions=st.tuples(st.builds(AnyOf, conditions=st.tuples(ATOMS, ATOMS)), ATOMS)
    ),
    st.builds(Not, condition=st.builds(AllOf, conditions=st.tuples(ATOMS, ATOMS))),
)
READINGS: st.SearchStrategy[Reading] = st.one_of(
    st.builds(
        Reading,
        action=st.sampled_from(["click", "double_click", "right_click", "hover"]),
        target=ANY,
    ),
    st.builds(
        Reading,
        action=st.sampled_from(["check", "uncheck"]),
        target=targets(st.sampled_from(["checkbox", "radio", "switch", None])),
    ),
    st.builds(Reading, action=st.sampled_from(["fill", "type"]), target=FIELDS, value=TEXT),
    st.builds(Reading, action=st.just("select"), target=targets(st.just("combobox")), value=TEXT),
    st.builds(Reading, action=st.just("drag"), target=ANY, destination=ANY),
    st.builds(Reading, action=st.just("upload"), target=FIELDS, value=st.just("cv.pdf")),
    st.builds(
        Reading, action=st.just("open"), value=st.sampled_from(["/a", "https://x.example/?a=b"])
    ),
    st.builds(
        Reading,
        action=st.just("press"),
        value=st.sampled_from(["Enter", "Control+A", "ArrowUp", "x"]),
    ),
    st.builds(Reading, action=st.just("wait"), value=st.sampled_from(["2", "0.5", "60"])),
    st.builds(Reading, action=st.just("wait"), condition=ATOMS),
    st.builds(Reading, action=st.sampled_from(["back", "forward", "reload", "close_tab"])),
    st.builds(Reading, action=st.just("scroll"), value=st.sampled_from(["down", "top", "up 30"])),
    st.builds(Reading, action=st.just("assert"), condition=CONDITIONS),
)


@given(READINGS)
def test_a_reading_written_as_its_canonical_sentence_is_read_back_equal(reading: Reading) -> None:
    said = write_sentence(reading)
    steps = read_steps(said)
    assert len(steps) == 1, said
    found = [r.model_copy(update={"explanation": ""}) for r in steps[0].readings]
    assert reading in found, said
