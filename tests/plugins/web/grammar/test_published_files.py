"""Suites in the published tool's JSON, dirty as they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.loading import load_test_cases, parse_json

OPEN = "Open the website 'http://x.example'"
CLICK = "Click on 'a' "
SEEN = "Assert that 'a' is displayed"


def loaded(tmp_path: Path, data: Any) -> tuple[TestCase, ...]:
    path = tmp_path / "suite.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data, indent=2), encoding="utf-8")
    return load_test_cases(path)


def case(actions: list[str], **more: Any) -> dict[str, Any]:
    return {"name": "t", "actions": actions, **more}


def test_expected_by_assertion_and_by_action_are_told_apart_by_how_many(tmp_path: Path) -> None:
    actions = [OPEN, CLICK, SEEN, SEEN]
    by_assertion, by_action, missing = loaded(
        tmp_path,
        [
            case(actions, name="a", expected=[1, 0]),
            case(actions, name="b", expected=[1, 1, 1, 0]),
            case(actions, name="c"),
        ],
    )
    assert (by_assertion.expected, by_assertion.indexing) == (
        (None, None, True, False),
        "assertion",
    )
    assert (by_action.expected, by_action.indexing) == ((True, True, True, False), "step")
    assert (missing.expected, missing.indexing) == ((None, None, True, True), None)
    assert by_assertion.notes == ("'expected' is read as one value per assertion",)
    assert by_action.notes == ("'expected' is read as one value per action",)
    assert missing.notes == ("has no 'expected': every assertion is expected to hold",)


def test_dirty_data_is_survived_and_noted(tmp_path: Path) -> None:
    first, second, nameless = loaded(
        tmp_path,
        [
            case(["Click on 'a' ", "Fill the field 'p' with 'sasasa", "Click on Vendors"]),
            case(
                [SEEN + "  .", "Assert that 'Bleu d'Auvergne' is displayed"], expected=[True, False]
            ),
            {"actions": [SEEN], "author": "x", "expected": None},
        ],
    )
    assert [len(step.readings) for step in first.steps] == [1, 1, 1]
    assert first.steps[1].problems == ("a quote is not closed: read as 'sasasa'",)
    assert second.name == "t (2)"
    assert nameless.name == "test 3"
    assert nameless.notes[-2:] == ("the key 'author' is not known", "has no name")


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    text = '[\n {"name": "a",\n  "actions": [\n   "Click on \'a\'",\n   "Click on \'b\'"]}]'
    (found,) = loaded(tmp_path, text)
    assert (found.line, [step.line for step in found.steps]) == (2, [4, 5])


def test_one_line_is_one_step_so_that_indices_stay_right(tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, [case(["Click on 'a' and click on 'b'", SEEN], expected=[1, 1])])
    assert len(found.steps) == 2
    assert found.steps[0].problems == ("holds 2 steps; write each on a line of its own",)


WRONG: dict[str, tuple[Any, str]] = {
    "no JSON": ("[1,\n]", "suite.json:2: is not valid JSON"),
    "no list": ({"a": 1}, "expected a list of test cases, each with 'name' and 'actions'"),
    "empty": ([], "holds no test cases"),
    "no case": (["x"], "[0]: expected a test case with 'name' and 'actions', found 'x'"),
    "no actions": ([{"name": "a"}], "[0].actions: expected a list of steps, found None"),
    "an action that is no text": (
        [case([1])],
        "[0].actions[0]: expected a step as a text, found 1",
    ),
    "too few": (
        [case([CLICK, CLICK, SEEN], expected=[1, 1])],
        "[0].expected: has 2 values, which fits neither the 3 actions nor the 1 assertions",
    ),
    "strange": ([case([SEEN], expected=["yes"])], "expected a list of 0 and 1, found ['yes']"),
    "deep": ("[" * 100_000, "is not valid JSON"),
    "nested": ("[" * 100 + "]" * 100, "nested deeper than 60 levels"),
    "digits": ("[" + "9" * 5_000 + "]", "is not valid JSON"),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, data)
    assert message in str(caught.value)
    assert "suite.json" in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON, st.sampled_from([None, 1]))
def test_every_key_and_item_of_any_json_has_a_line(data: Any, indent: int | None) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    document = parse_json(text, "x.json")
    assert document.data == data

    def walk(value: Any, at: tuple[str | int, ...]) -> None:
        assert at in document.lines
        if isinstance(value, (dict, list)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, inner in items:
                walk(inner, (*at, key))

    walk(data, ())
    if indent is None:
        assert set(document.lines.values()) == {1}
