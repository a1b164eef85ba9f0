"""Values that are listed, wished for, or made by a Python function."""

import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.profile import Profile, Unresolved, unresolved_in
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.profiles.profile_source import ValueRequest


def read(
    folder: Path, data: str, *, kind: str = "string", selector: str = "forward()", **settings: Any
) -> Profile:
    file = folder / "order.yml"
    file.write_text(
        "user:\n  goals:\n    - 'a {{x}}'\n"
        f"    - x:\n        function: {selector}\n        type: {kind}\n        data: {data}\n"
    )
    return read_profiles([file], base_dir=folder, seed=1, **settings)[0]


def domain(profile: Profile) -> tuple[Any, ...]:
    return profile.variables[0].domain


@pytest.mark.parametrize(
    ("data", "kind", "expected", "scale"),
    [
        ("[small, big]", "string", ("small", "big"), "categorical"),
        ("small", "string", ("small",), "categorical"),
        ("['10:00', 'yes']", "str", ("10:00", "yes"), "categorical"),
        ("[3, 1, 2]", "int", (3, 1, 2), "ordinal"),
        ("[1, 2.5]", "float", (1, 2.5), "ordinal"),
        ("{min: 1, max: 3}", "int", (1, 2, 3), "ordinal"),
        ("{min: 0, max: 1, linspace: 3}", "float", (0, 0.5, 1), "ordinal"),
        ("[a, 1, 2.5]", "null", ("a", 1, 2.5), "categorical"),
        ("{min: 1, max: 2}", "null", (1, 2), "ordinal"),
        ("{min: 1, max: 2, step: 0.5}", "null", (1, 1.5, 2), "ordinal"),
        ("{date: {custom: [soon, later]}}", "string", ("soon", "later"), "categorical"),
    ],
)
def test_values_are_read_by_their_type(
    data: str, kind: str, expected: tuple[Any, ...], scale: str, tmp_path: Path
) -> None:
    profile = read(tmp_path, data, kind=kind)
    assert domain(profile) == expected
    assert profile.variables[0].scale == scale
    assert profile.warnings == ()


@pytest.mark.parametrize("selector", ["null", "''", "default()"])
def test_no_selector_means_the_whole_list(selector: str, tmp_path: Path) -> None:
    assert read(tmp_path, "[a, b]", selector=selector).variables[0].selector == "default()"


def test_a_selector_is_kept_in_its_usual_spelling(tmp_path: Path) -> None:
    assert read(tmp_path, "[a]", selector="' random( 3 ) '").variables[0].selector == "random(3)"


def test_a_value_listed_twice_is_mentioned(tmp_path: Path) -> None:
    profile = read(tmp_path, "[a, b, a]")
    assert domain(profile) == ("a", "b", "a")
    assert profile.warnings == (
        "order.yml:7: user.goals[1].x.data: lists the value 'a' more than once",
    )


def test_a_wish_without_a_model_stays_unresolved_and_marked(tmp_path: Path) -> None:
    profile = read(tmp_path, "[Sprite, any(3 soda drinks), Pepsi]", selector="another()")
    message = "any(3 soda drinks) needs a model or a word list that knows '3 soda drinks'"
    wish = Unresolved(variable="x", text="any(3 soda drinks)", need="model", message=message)
    assert domain(profile) == ("Sprite", "Pepsi", "any(3 soda drinks)")
    assert profile.unresolved == (wish,)
    assert profile.warnings == (f"order.yml:7: user.goals[1].x.data[1]: {message}",)
    assert unresolved_in(profile, {"x": ["Sprite"]}) == ()
    assert unresolved_in(profile, {"x": ["Sprite", "any(3 soda drinks)"]}) == (wish,)
    assert unresolved_in(profile, {"x": "any(3 soda drinks)"}) == (wish,)
    assert unresolved_in(profile, {"x": [["any(3 soda drinks)"]]}) == (wish,)
    assert unresolved_in(profile, {}) == ()


def test_a_wish_is_granted_by_a_word_list_that_is_told_the_other_values(tmp_path: Path) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def words(wish: ValueRequest) -> list[str] | None:
        asked.append((wish.text, wish.known))
        return {"soda": ["Sprite", "Fanta"], "beer": ["Pils"]}.get(wish.text)

    profile = read(tmp_path, "[any(soda), Sprite, ' any ( beer )', any(wine)]", words=words)
    assert domain(profile) == ("Sprite", "Fanta", "Pils", "any(wine)")
    assert asked == [
        ("soda", ("Sprite",)),
        ("beer", ("Sprite", "Fanta")),
        ("wine", ("Sprite", "Fanta", "Pils")),
    ]
    assert [item.text for item in profile.unresolved] == ["any(wine)"]


def test_words_for_a_number_must_be_numbers(tmp_path: Path) -> None:
    read_with = {"kind": "int", "words": lambda wish: ["1", "2"]}
    assert domain(read(tmp_path, "[any(digits)]", **read_with)) == (1, 2)
    with pytest.raises(ConfigurationError, match="expected a whole number, found 'many'"):
        read(tmp_path, "[any(digits)]", kind="int", words=lambda wish: ["many"])


def test_a_text_with_any_in_it_is_no_wish_but_for_sensei(tmp_path: Path) -> None:
    assert read(tmp_path, "['company (any)', 'many(x)']").unresolved == ()
    found = read(tmp_path, "['many(x)', 'company(y', z]", compat="sensei")
    assert domain(found) == ("company(y", "z", "many(x)")
    assert [item.text for item in found.unresolved] == ["many(x)"]


CODE = """
from dataclasses import dataclass

@dataclass
class Drink:
    name: "str"

def drinks(*names, suffix=""):
    return [Drink(name + suffix).name for name in names]

def numbers(first, last, step):
    return tuple(range(first, last, step))

def nothing():
    return []

def text():
    return "abc"

def broken():
    raise RuntimeError("no drinks")

def leave():
    raise SystemExit(3)
"""


@pytest.mark.parametrize(
    ("call", "kind", "expected"),
    [
        ("function_name: drinks, args: [coke, tea, {suffix: '!'}]", "string", ("coke!", "tea!")),
        ("function_name: drinks, args: coke", "string", ("coke",)),
        ("function_name: numbers, args: [1, 6, 2]", "int", (1, 3, 5)),
    ],
)
def test_python_functions_run_where_the_suite_allows_it(
    call: str, kind: str, expected: tuple[Any, ...], tmp_path: Path
) -> None:
    (tmp_path / "lists.py").write_text(CODE)
    profile = read(tmp_path, f"{{file: lists.py, {call}}}", kind=kind, allow_python=True)
    assert domain(profile) == expected
    assert not [name for name in sys.modules if name.startswith("sparring_profile")]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("broken", "broken() of lists.py failed: RuntimeError: no drinks"),
        ("leave", "leave() of lists.py failed: SystemExit: 3"),
        ("text", "text() must return a list, it returned 'abc'"),
        ("nothing", "the list of values is empty"),
        ("absent", "absent() of lists.py failed: AttributeError: module"),
        ("numbers", "numbers() of lists.py failed: TypeError: numbers() missing 3 required"),
    ],
)
def test_a_python_function_that_fails_is_the_authors_problem(
    function: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "lists.py").write_text(CODE)
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, f"{{file: lists.py, function_name: {function}}}", allow_python=True)
    assert f"order.yml:7: user.goals[1].x.data: {message}" in str(caught.value)


def test_a_python_file_with_an_error_is_the_authors_problem(tmp_path: Path) -> None:
    (tmp_path / "lists.py").write_text("def f(:\n")
    with pytest.raises(ConfigurationError, match=r"f\(\) of lists.py failed: SyntaxError"):
        read(tmp_path, "{file: lists.py, function_name: f}", allow_python=True)


def test_a_python_file_is_not_run_unless_the_suite_allows_it(tmp_path: Path) -> None:
    (tmp_path / "lists.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(ConfigurationError, match="set `allow_python: true` below `agent:`"):
        read(tmp_path, "{file: lists.py, function_name: f}")
    assert not (tmp_path / "ran").exists()


def test_a_python_file_outside_the_suite_is_not_found_by_going_up(tmp_path: Path) -> None:
    (tmp_path / "lists.py").write_text(CODE)
    suite = tmp_path / "suite"
    suite.mkdir()
    with pytest.raises(ConfigurationError, match=r"'lists.py' is not there; looked in \S+suite$"):
        read(suite, "{file: lists.py, function_name: text}", allow_python=True)


def test_values_of_python_that_cannot_run_may_be_kept_as_unresolved(tmp_path: Path) -> None:
    profile = read(tmp_path, "{file: gone.py, function_name: f}", keep_unresolved=True)
    assert domain(profile) == ("f() of gone.py",)
    assert profile.unresolved[0].need == "python"
    assert "'gone.py' is not there" in profile.unresolved[0].message
    assert unresolved_in(profile, {"x": ["f() of gone.py"]})


DATES = "{date: {set: '>today(3)', random: 2}}"


def test_dates_depend_on_the_seed_and_the_day_alone(tmp_path: Path) -> None:
    today = date(2025, 3, 14)
    (tmp_path / "elsewhere").mkdir()
    first = read(tmp_path, DATES, today=today)
    assert domain(read(tmp_path / "elsewhere", DATES, today=today)) == domain(first)
    assert first.warnings == ()
    file = tmp_path / "order.yml"
    second = read_profiles([file], base_dir=tmp_path, seed=2, today=today)[0]
    assert domain(second) != domain(first)


def test_counting_from_the_day_of_the_run_is_mentioned(tmp_path: Path) -> None:
    (warning,) = read(tmp_path, DATES).warnings
    assert "counts from the day of the run, 20" in warning
    assert "set `today` below `agent:` in the suite to repeat it" in warning
    assert read(tmp_path, "{date: {random: 2}}").warnings == ()
