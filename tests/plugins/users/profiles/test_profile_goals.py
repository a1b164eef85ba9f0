"""Goals with their values filled in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.space import Variable
from sparring_plugins.users.profiles.goals import goals_of, holes, spoken
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles


def profile(*goals: str, language: str = "English", **kinds: str) -> Profile:
    variables = tuple(Variable(name=name, domain=("x",), selector=s) for name, s in kinds.items())
    return Profile(
        name="p",
        test_name="p",
        source="p.yml",
        shape="nested",
        goals=goals,
        variables=variables,
        language=language,
    )


def test_values_stand_in_the_goals_in_words() -> None:
    asked = profile(
        "a {{size}} pizza with {{toppings}}",
        "{{ cans }} cans of {{drink}}, {{drink}} only",
        "how much it costs",
        size="forward(drink)",
        toppings="random(3)",
        cans="forward()",
        drink="forward()",
    )
    params: dict[str, JsonValue] = {
        "size": "small",
        "toppings": ["cheese", "ham", "corn"],
        "cans": [2],
        "drink": "coke",
    }
    found = goals_of(asked, params)
    assert [goal.phrase for goal in found] == [
        "a small pizza with cheese, ham and corn",
        "2 cans of coke, coke only",
        "how much it costs",
    ]
    assert [goal.inputs for goal in found] == [("size", "toppings"), ("cans", "drink"), ()]
    assert [goal.template for goal in found] == list(asked.goals)


def test_picks_of_a_chain_are_values_and_not_code(tmp_path: Path) -> None:
    file = tmp_path / "appointment.yml"
    file.write_text(
        "user:\n  goals:\n    - '{{day}} for a {{service}}'\n"
        "    - day: {function: forward(service), data: [tomorrow]}\n"
        "    - service: {function: forward(), data: [repair]}\n"
    )
    for compat in (None, "sensei"):
        read = read_profiles([file], base_dir=tmp_path, seed=1, compat=compat)[0]  # type: ignore[arg-type]
        goal = goals_of(read, {"day": "tomorrow", "service": "repair"})[0]
        assert goal.phrase == "tomorrow for a repair"


def test_a_value_with_holes_or_backslashes_is_put_in_as_it_is() -> None:
    asked = profile("a {{x}}", x="forward()", y="forward()")
    assert goals_of(asked, {"x": r"{{y}} \1 \g<0>", "y": "no"})[0].phrase == r"a {{y}} \1 \g<0>"


@pytest.mark.parametrize(
    ("value", "language", "expected"),
    [
        ("small", "English", "small"),
        (["small"], "English", "small"),
        (["a", "b"], "English", "a and b"),
        (["a", "b", "c"], "German", "a, b und c"),
        (["pan", "agua"], "Spanish", "pan y agua"),
        (["pan", "iguana"], "Spanish", "pan e iguana"),
        (["pan", "hielo"], "Spanish", "pan y hielo"),
        (["a", "b"], "Basque", "a, b"),
        (["a", "b"], None, "a, b"),
        ([], "English", ""),
        (2, "English", "2"),
        (2.0, "English", "2"),
        (2.5, "English", "2.5"),
        ([1, 2.0], "English", "1 and 2"),
        (1e300, "English", "1e+300"),
        ([["a", "b"]], "English", "['a', 'b']"),
    ],
)
def test_values_in_words(value: JsonValue, language: str | None, expected: str) -> None:
    assert spoken(value, language) == expected


def test_a_case_without_a_value_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"p\.yml: p: the case has no value for 'x'"):
        goals_of(profile("a {{x}}", x="forward()"), {"y": 1})


def test_sensei_takes_blanks_for_a_part_of_the_name(tmp_path: Path) -> None:
    file = tmp_path / "p.yml"
    file.write_text(
        "user:\n  goals:\n    - 'a {{x}} and {{ x }}'\n    - x: {function: forward(), data: [b]}\n"
    )
    ours = read_profiles([file], base_dir=tmp_path, seed=1)[0]
    senseis = read_profiles([file], base_dir=tmp_path, seed=1, compat="sensei")[0]
    assert goals_of(ours, {"x": ["b"]})[0].phrase == "a b and b"
    assert goals_of(senseis, {"x": ["b"]})[0].phrase == "a b and {{ x }}"
    assert ours.warnings == ()
    assert "uses an undeclared variable ' x '. Known: x." in senseis.warnings[0]


def test_unused_and_unspeakable_variables_are_mentioned(tmp_path: Path) -> None:
    file = tmp_path / "p.yml"
    file.write_text(
        "user:\n  goals:\n    - 'a {{my size}}'\n"
        "    - my size: {function: forward(), data: [b]}\n"
        "    - y: {function: forward(), data: [b]}\n"
    )
    found = read_profiles([file], base_dir=tmp_path, seed=1)[0]
    assert found.warnings == (
        (
            "p.yml:4: user.goals[1].my size: rules cannot name the variable 'my size': "
            "it is no identifier"
        ),
        "p.yml:5: user.goals[2].y: the variable 'y' is declared but no goal uses it",
    )
    assert goals_of(found, {"my size": ["b"], "y": ["b"]})[0].phrase == "a b"


@given(st.text(st.characters(exclude_characters="{}"), min_size=1), st.text())
def test_any_name_can_be_a_hole(name: str, around: str) -> None:
    around = around.replace("{", "").replace("}", "")
    assert holes(f"{around}{{{{{name}}}}}{around}") == (name.strip(),)
    assert holes(f"{around}{{{{{name}}}}}{around}", exact=True) == (name,)


@pytest.mark.parametrize(
    ("value", "template", "phrase"),
    [
        (1, "{{n}} cans of cola", "1 can of cola"),
        (1, "{{n}} parties", "1 party"),
        (1, "{{n}} boxes", "1 box"),
        (1, "{{n}} glass", "1 glass"),
        (2, "{{n}} cans of cola", "2 cans of cola"),
        (21, "{{n}} cans of cola", "21 cans of cola"),
    ],
)
def test_one_thing_is_in_the_singular(value: int, template: str, phrase: str) -> None:
    one = profile(template, n="forward()")
    assert goals_of(one, {"n": value})[0].phrase == phrase
