"""Selectors and numbers of cases as authors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.users.selectors.notation import (
    Number,
    Selector,
    parse_number,
    parse_selector,
    reference_problems,
)

names = st.text(
    st.characters(exclude_characters="()", exclude_categories=("Cs", "Cc", "Z")), min_size=1
).filter(lambda name: name == name.strip())
selectors = st.one_of(
    st.builds(Selector, st.just("forward"), after=st.none() | names),
    st.builds(
        Selector,
        st.just("random"),
        count=st.none() | st.just("rand") | st.integers(min_value=1, max_value=1_000_000),
    ),
    st.builds(Selector, st.sampled_from(["another", "default"])),
)


@given(selectors)
def test_a_selector_is_read_as_it_was_written(selector: Selector) -> None:
    assert parse_selector(str(selector)) == selector


@given(selectors, st.text(" \t\n", max_size=3), st.text(" \t\n", max_size=3))
def test_blanks_around_a_selector_and_its_argument_mean_nothing(
    selector: Selector, before: str, after: str
) -> None:
    text = str(selector).replace("(", f"({before}").replace(")", f"{after})")
    assert parse_selector(f"{after}{text}{before}") == selector


@given(st.text())
def test_any_text_is_read_to_something_that_can_be_written_or_refused(text: str) -> None:
    try:
        selector = parse_selector(text)
    except ValueError:
        return
    assert parse_selector(str(selector)) == selector


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no selector: write one of forward(), forward(other_variable), another(), "),
        ("forward", "'forward' is no selector: write forward()"),
        ("another(", "'another(' is no selector: write another()"),
        ("forwards()", "unknown selector 'forwards'. Did you mean 'forward'? Known: another, "),
        ("Random()", "unknown selector 'Random'. Did you mean 'random'?"),
        ("()", "unknown selector ''. Known: another, default, forward, random."),
        ("another(3)", "another() takes nothing in its parentheses, found '3'"),
        ("default(all)", "default() takes nothing in its parentheses, found 'all'"),
        ("random(0)", "random() takes a whole number from 1 to 1,000,000, or rand, found '0'"),
        ("random(-1)", "or rand, found '-1'"),
        ("random(1.5)", "or rand, found '1.5'"),
        ("random(Rand)", "or rand, found 'Rand'"),
        ("random(99999999999999999999)", "or rand, found '99999999999999999999'"),
        ("random(٣)", "or rand, found '٣'"),
        ("forward(a)(b)", "'forward(a)(b)' is no selector"),
        ("forward((a))", "'forward((a))' is no selector"),
        ("x forward(a) y", "'x forward(a) y' is no selector"),
    ],
)
def test_what_is_no_selector_is_refused_with_a_way_out(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the message is checked below
        parse_selector(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (None, Number()),
        (4, Number(4)),
        ("5", Number(5)),
        (" 12 ", Number(12)),
        ("all_combinations", Number("all")),
        ("All combinations", Number("all")),
        ("all", Number("all")),
        ("sample(0.2)", Number(sample=0.2)),
        ("sample( 1 )", Number(sample=1.0)),
        ("sample(.5)", Number(sample=0.5)),
        ("sample(25%)", Number(sample=0.25)),
    ],
)
def test_numbers_of_cases_are_read(written: object, number: Number) -> None:
    assert parse_number(written) == number


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (0, "must be at least 1, found 0"),
        (-3, "must be at least 1, found -3"),
        ("0", "must be at least 1, found 0"),
        (True, "expected a whole number, all_combinations, or sample(share), found True"),
        (2.5, "expected a whole number, all_combinations, or sample(share), found 2.5"),
        ("many", "expected a whole number, all_combinations, or sample(share), found 'many'"),
        ([3], "expected a whole number, all_combinations, or sample(share), found [3]"),
        ("9" * 50, "expected a whole number, all_combinations, or sample(share), found '999"),
        ("sample()", "sample() takes a share above 0 and up to 1, found ''"),
        ("sample(0)", "sample() takes a share above 0 and up to 1, found '0'"),
        ("sample(1.5)", "sample() takes a share above 0 and up to 1, found '1.5'"),
        ("sample(120%)", "sample() takes a share above 0 and up to 1, found '120%'"),
        ("sample(-0.1)", "sample() takes a share above 0 and up to 1, found '-0.1'"),
        ("sample(nan)", "sample() takes a share above 0 and up to 1, found 'nan'"),
        ("sample(1e-3)", "sample() takes a share above 0 and up to 1, found '1e-3'"),
    ],
)
def test_what_is_no_number_of_cases_is_refused(written: object, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the message is checked below
        parse_number(written)
    assert message in str(caught.value)


def _problems(**written: str) -> list[tuple[str, str]]:
    return reference_problems({name: parse_selector(text) for name, text in written.items()})


def test_a_reference_to_an_unknown_variable_names_the_nearest() -> None:
    assert _problems(size="forward()", drink="forward(sise)") == [
        (
            "drink",
            "forward(sise) refers to an unknown variable. Did you mean 'size'? Known: drink, size.",
        )
    ]


def test_a_reference_to_another_selector_is_refused() -> None:
    assert _problems(size="random(3)", drink="forward(size)") == [
        ("drink", "forward(size) refers to a variable that is random(3), not a forward()")
    ]


def test_a_circle_is_named_once_from_its_first_variable() -> None:
    assert _problems(start="forward(a)", a="forward(b)", b="forward(c)", c="forward(a)") == [
        ("a", "the variables refer to each other in a circle: a -> b -> c -> a")
    ]


def test_a_variable_that_refers_to_itself_is_a_circle() -> None:
    assert _problems(a="forward(a)") == [
        ("a", "the variables refer to each other in a circle: a -> a")
    ]


def test_two_circles_are_both_named() -> None:
    found = _problems(a="forward(b)", b="forward(a)", c="forward(d)", d="forward(c)")
    assert [name for name, _ in found] == ["a", "c"]
