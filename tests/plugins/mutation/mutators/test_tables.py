"""Operators for definitions of any shape."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.mutation.mutants import Files, all_mutants
from sparring_plugins.mutation.mutators.tables import TABLES


def targets(operator: str, text: str) -> list[str]:
    bot = Files(Path(), {"bot.yaml": text}, {"bot.yaml": yaml.safe_load(text)}, ())
    operators = [one for one in TABLES.operators if one.name == operator]
    return [one.mutant.target for one in all_mutants(bot, operators, {})]


def after(operator: str, text: str) -> list[Any]:
    bot = Files(Path(), {"bot.yaml": text}, {"bot.yaml": yaml.safe_load(text)}, ())
    operators = [one for one in TABLES.operators if one.name == operator]
    return [yaml.safe_load(one.text) for one in all_mutants(bot, operators, {})]


@pytest.mark.parametrize(
    ("operator", "text", "expected"),
    [
        ("ChangeNumber", "{a: 10, b: 0, c: -7, d: 2.5}", ["a: 10 is 15", "b: 0 is 1", "c: -7 is -4", "d: 2.5 is 3.5"]),
        ("ChangeNumber", "{on: true, text: '12'}", []),
        ("ChangeMoment", "{a: '13:00', b: '23:30', c: '2027-12-31'}", ["a: 13:00 is 14:00", "b: 23:30 is 00:30", "c: 2027-12-31 is 2028-01-07"]),
        ("ChangeMoment", "{a: '24:00', b: '2027-02-31', c: 'at 13:00'}", []),
        ("SwapValues", "{p: {a: 1, b: 2, c: 2}, q: {a: x, b: 1}}", ["p: a and b exchanged"]),
        ("SwapItems", "{l: [day, hour, hour]}", ["l: day and hour in the other order"]),
        ("DeleteItem", "{l: [a, b], one: [a]}", ["l: a deleted", "l: b deleted"]),
        ("DeleteEntry", "{p: {a: 1, b: 2}, q: {a: 1, b: x}}", ["p.a: deleted", "p.b: deleted"]),
        ("DeleteData", "{t: 'from {a} to {b}'}", ["t: {a} not told (1)", "t: {b} not told (2)"]),
        ("Switch", "{a: true, b: false, c: 1}", ["a: off", "b: on"]),
    ],
)  # fmt: skip
def test_each_operator_finds_what_it_can_change(
    operator: str, text: str, expected: list[str]
) -> None:
    assert targets(operator, text) == expected


def test_texts_lose_one_hole_at_a_time() -> None:
    assert [one["t"] for one in after("DeleteData", "t: from {a} to {b}")] == [
        "from  to {b}",
        "from {a} to ",
    ]


def test_a_number_keeps_its_kind() -> None:
    (changed,) = after("ChangeNumber", "a: 4")
    assert type(changed["a"]) is int
