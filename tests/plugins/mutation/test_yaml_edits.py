"""Edits change what they mean to change, and leave the rest of the text as it is written."""

import copy
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.mutation.model import Delete, Edit, Place, Replace, Swap
from sparring_plugins.mutation.yaml_edits import CannotEdit, edited, written

TEXT = """\
# A bot.
name: "Lucia"   # quoted
prices: {small: 10, big: 20.5}   # in dollars
phrases: [hello, hi there, good day]
steps:
  - say: Hello!
  # between
  - form: order
    when: {vip: 'yes'}

  - say: >-
      Goodbye,
      and thank you.
fields:
  day:
    ask: Which day?
    closed: [sunday]
  hour: {ask: "At what time?", least: "9:00"}
notes: |
  - one
  - two
last: end
"""


def lines_changed(after: str) -> tuple[set[str], set[str]]:
    before_lines, after_lines = TEXT.splitlines(), after.splitlines()
    gone = {line for line in before_lines if line not in after_lines}
    new = {line for line in after_lines if line not in before_lines}
    return gone, new


@pytest.mark.parametrize(
    ("edit", "gone", "new"),
    [
        (Replace(("name",), "Ada"), {'name: "Lucia"   # quoted'}, {'name: "Ada"   # quoted'}),
        (
            Replace(("prices", "small"), 11),
            {"prices: {small: 10, big: 20.5}   # in dollars"},
            {"prices: {small: 11, big: 20.5}   # in dollars"},
        ),
        (
            Delete(("phrases", 0)),
            {"phrases: [hello, hi there, good day]"},
            {"phrases: [hi there, good day]"},
        ),
        (
            Delete(("phrases", 2)),
            {"phrases: [hello, hi there, good day]"},
            {"phrases: [hello, hi there]"},
        ),
        (Delete(("steps", 1, "when")), {"    when: {vip: 'yes'}"}, set()),
        (Delete(("steps", 0)), {"  - say: Hello!"}, set()),
        (
            Delete(("fields", "day")),
            {"  day:", "    ask: Which day?", "    closed: [sunday]"},
            set(),
        ),
        (
            Delete(("steps", 2)),
            {"  - say: >-", "      Goodbye,", "      and thank you."},
            set(),
        ),
        (Delete(("last",)), {"last: end"}, set()),
        (Replace(("notes",), "- one\n"), {"  - two"}, set()),
        (
            Swap(("steps", 0, "say"), ("fields", "day", "ask")),
            {"  - say: Hello!", "    ask: Which day?"},
            {"  - say: Which day?", "    ask: Hello!"},
        ),
        (Replace(("last",), "a: b"), {"last: end"}, {'last: "a: b"'}),
        (Replace(("last",), "no"), {"last: end"}, {'last: "no"'}),
    ],
)
def test_nothing_but_what_is_meant_is_written_anew(
    edit: Edit, gone: set[str], new: set[str]
) -> None:
    assert lines_changed(edited(TEXT, [edit])) == (gone, new)


def test_two_keys_change_places_with_their_lines() -> None:
    after = edited(TEXT, [Swap(("fields", "day"), ("fields", "hour"), keys=True)])
    assert list(yaml.safe_load(after)["fields"]) == ["hour", "day"]
    assert sorted(after.splitlines()) == sorted(TEXT.splitlines())


def test_edits_are_made_one_after_the_other() -> None:
    after = edited(TEXT, [Delete(("steps", 2)), Delete(("steps", 0))])
    assert yaml.safe_load(after)["steps"] == [{"form": "order", "when": {"vip": "yes"}}]


@pytest.mark.parametrize(
    "edit",
    [
        Delete(("nothing",)),
        Delete(("steps", 9)),
        Replace(("name", "x", "y"), 1),
        Swap(("name",), ("nothing",)),
        Swap(("fields", "day"), ("fields", "nothing"), keys=True),
    ],
)
def test_an_edit_of_what_is_not_there_is_refused(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edited(TEXT, [edit])


def test_what_cannot_be_spliced_is_written_as_a_whole() -> None:
    text = "a: &x {n: 1}\nb: *x\n"
    after = edited(text, [Replace(("c",), "new")])
    assert yaml.safe_load(after) == {"a": {"n": 1}, "b": {"n": 1}, "c": "new"}


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20)
    | st.sampled_from(["no", "12:30", "a: b", "- x", "#", "", " x ", "'", '"', "{a}", "[", "1"])
)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc xyz-", min_size=1, max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


def places(value: Any, at: Place = ()) -> list[Place]:
    found = [at] if at else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += places(inner, (*at, key))
    return found


def meant(data: Any, edit: Replace | Delete) -> Any:
    data = copy.deepcopy(data)
    holder = data
    for key in edit.at[:-1]:
        holder = holder[key]
    if isinstance(edit, Delete):
        del holder[edit.at[-1]]
    else:
        holder[edit.at[-1]] = edit.value
    return data


@given(st.data(), DATA, st.booleans())
def test_an_edited_text_reads_as_the_edited_data(draw: Any, value: Any, flow: bool) -> None:
    data = {"top": value, "rest": [1, "two"]}
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=flow)
    at = draw.draw(st.sampled_from(places(data)))
    edit: Replace | Delete = (
        Delete(at) if draw.draw(st.booleans()) else Replace(at, draw.draw(SCALARS))
    )
    assert yaml.safe_load(edited(text, [edit])) == meant(yaml.safe_load(text), edit)


@given(st.data(), DATA)
def test_swapped_values_stand_in_each_others_place(draw: Any, value: Any) -> None:
    data = yaml.safe_load(written({"one": value, "two": ["x", value], "three": {"k": 3}}))
    one, other = ("one",), draw.draw(st.sampled_from([("two", 0), ("two", 1), ("three", "k")]))
    after = yaml.safe_load(edited(written(data), [Swap(one, other)]))
    assert after["one"] == data[other[0]][other[1]]
    assert after[other[0]][other[1]] == data["one"]


def test_values_of_different_styles_are_exchanged_without_writing_all_anew() -> None:
    text = "a:  # first\n  do: [menu: x]\nb:  # second\n  do:\n    - say: Good day\n    - menu: y\n"
    assert edited(text, [Swap(("a", "do"), ("b", "do"))]) == (
        "a:  # first\n  do: [{say: Good day}, {menu: y}]\nb:  # second\n  do:\n    [{menu: x}]\n"
    )
