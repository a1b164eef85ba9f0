"""Mutants: found, named, chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.errors import BrokenPlugin, ConfigurationError
from sparring_plugins.mutation.model import Change, Definition, Delete, Operator, Replace
from sparring_plugins.mutation.mutants import (
    Files,
    Made,
    all_mutants,
    chosen,
    operators_of,
    read_files,
    unused_marks,
)
from sparring_plugins.mutation.plan import MutationPlan, MutatorUse

APP = {"command": ["true"]}


def numbers(definition: Definition) -> Iterator[Change]:
    for file, data in definition.items():
        assert isinstance(data, dict)
        for key in data:
            yield Change(file, f"{key} is 0", (Replace((key,), 0),))


def keys(definition: Definition) -> Iterator[Change]:
    for file, data in definition.items():
        assert isinstance(data, dict)
        for key in data:
            yield Change(file, f"{key} deleted", (Delete((key,)),))


NUMBERS, KEYS = Operator("Zero", "numbers", numbers), Operator("Gone", "keys", keys)


def files(**texts: str) -> Files:
    import yaml

    named = {f"{name}.yaml": text for name, text in texts.items()}
    data = {name: yaml.safe_load(text) for name, text in named.items()}
    return Files(Path(), named, data, ())


def ids(made: list[Made]) -> list[str]:
    return [one.mutant.id for one in made]


def test_a_mutant_has_a_diff_and_its_text() -> None:
    (made,) = all_mutants(files(bot="price: 10\n"), [NUMBERS], {})
    assert made.text == "price: 0\n"
    assert made.mutant.diff.splitlines()[-2:] == ["-price: 10", "+price: 0"]
    assert made.mutant.file == "bot.yaml"


def test_what_changes_nothing_or_the_same_is_left_out() -> None:
    made = all_mutants(files(bot="a: 0\nb: 5\n"), [NUMBERS, NUMBERS], {})
    assert [one.mutant.target for one in made] == ["b is 0"]


def test_names_outlive_changes_elsewhere() -> None:
    before = all_mutants(files(bot="a: 1\nb: 2\n"), [NUMBERS], {})
    after = all_mutants(files(bot="# new\nz: 9\na: 7\nb: 2\n"), [NUMBERS], {})
    assert set(ids(before)) < set(ids(after))


def test_marks_are_noted_and_those_that_fit_nothing_are_told() -> None:
    plain = all_mutants(files(bot="a: 1\n"), [NUMBERS], {})
    marks = {plain[0].mutant.id: "never read", "Zero-000000": "old"}
    made = all_mutants(files(bot="a: 1\n"), [NUMBERS], marks)
    assert made[0].mutant.marked == "never read"
    assert unused_marks(made, marks) == [
        "the mutant 'Zero-000000' is marked as equivalent, and none is called so"
    ]


@pytest.mark.parametrize(
    "change",
    [
        Change("bot.yaml", "nothing there", (Delete(("x", "y")),)),
        Change("other.yaml", "no file", (Delete(("a",)),)),
    ],
)
def test_an_operator_that_offers_what_cannot_be_is_broken(change: Change) -> None:
    with pytest.raises(BrokenPlugin, match="Bad offers what cannot be"):
        all_mutants(files(bot="a: 1\n"), [Operator("Bad", "", lambda _: [change])], {})


MANY = files(bot="".join(f"k{number}: {number}\n" for number in range(1, 30)))


def test_the_same_seed_chooses_the_same() -> None:
    made = all_mutants(MANY, [NUMBERS, KEYS], {})
    picks = [ids(chosen(made, seed=seed, limit=8, per_operator=None)) for seed in (1, 1, 2)]
    assert picks[0] == picks[1] != picks[2]
    assert all(len(pick) == 8 for pick in picks)


def test_a_limit_is_spread_over_the_operators() -> None:
    made = all_mutants(MANY, [NUMBERS, KEYS], {})
    kept = chosen(made, seed=0, limit=9, per_operator=None)
    counts = [sum(one.mutant.operator == name for one in kept) for name in ("Zero", "Gone")]
    assert sorted(counts) == [4, 5]


def test_a_limit_for_each_operator_counts_for_each() -> None:
    made = all_mutants(MANY, [NUMBERS, KEYS], {})
    assert len(chosen(made, seed=0, limit=None, per_operator=3)) == 6


def test_chosen_mutants_keep_their_order() -> None:
    made = all_mutants(MANY, [NUMBERS, KEYS], {})
    kept = ids(chosen(made, seed=3, limit=10, per_operator=None))
    assert kept == [name for name in ids(made) if name in kept]


def plan(**changes: object) -> MutationPlan:
    given = {"definition": "*.yaml", "app": APP, "operators": ["tables"], **changes}
    return MutationPlan.model_validate(given)


def test_files_are_read_with_what_lies_beside_them(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("a: 1\r\nb: 2\r\n")
    (tmp_path / "actions.py").write_text("pass")
    found = read_files(plan(beside=["*.py", "*.yaml"]), tmp_path)
    assert found.texts == {"bot.yaml": "a: 1\nb: 2\n"}
    assert found.beside == ("actions.py",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"definition": "none/*.yaml"}, "no file matches 'none/\\*.yaml'"),
        ({"definition": "../*.yaml"}, "leaves the folder"),
        ({"definition": "/etc/*.yaml"}, "leaves the folder"),
        ({"beside": "none"}, "no file matches 'none'"),
        ({"definition": "bad.yaml"}, "bad.yaml:2"),
    ],
)
def test_files_that_cannot_be_meant_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    (tmp_path / "bot.yaml").write_text("a: 1\n")
    (tmp_path / "bad.yaml").write_text("a: 1\n b: [\n")
    with pytest.raises(ConfigurationError, match=message):
        read_files(plan(**{"definition": "bot.yaml", **changes}), tmp_path)


def test_operators_are_chosen_by_name() -> None:
    only = operators_of([MutatorUse(use="tables", only=("Switch", "ChangeNumber"))])
    assert [operator.name for operator in only] == ["ChangeNumber", "Switch"]
    rest = operators_of([MutatorUse(use="tables", but=("Switch",))])
    assert "Switch" not in [operator.name for operator in rest]


def test_an_unknown_operator_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"no operator 'Swich'.* mean 'Switch'"):
        operators_of([MutatorUse(use="tables", only=("Swich",))])
