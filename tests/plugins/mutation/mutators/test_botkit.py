"""Operators for the example chatbots: each bites on at least one of them."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from sparring_plugins.mutation.mutants import Made, all_mutants, operators_of, read_files
from sparring_plugins.mutation.mutators.botkit import BOTKIT
from sparring_plugins.mutation.plan import MutationPlan, find_plan, load_marked, load_plan

EXAMPLES = Path(__file__).parents[4] / "examples"
BOTS = ("workshop", "clinic", "library", "pizzeria")


def plan(bot: str) -> MutationPlan:
    return load_plan(find_plan(EXAMPLES / bot), {})


@cache
def mutants(bot: str) -> list[Made]:
    files = read_files(plan(bot), EXAMPLES / bot)
    return all_mutants(files, operators_of(plan(bot).operators), {})


@pytest.mark.thorough
@pytest.mark.parametrize("operator", [one.name for one in BOTKIT.operators])
def test_every_operator_finds_something_in_the_examples(operator: str) -> None:
    found = Counter(one.mutant.operator for bot in BOTS for one in mutants(bot))
    assert found[operator] > 0


@pytest.mark.parametrize("bot", BOTS)
def test_the_mutants_of_an_example_are_valid_yaml_and_all_different(bot: str) -> None:
    assert len(mutants(bot)) > 100
    assert len({(one.mutant.file, one.text) for one in mutants(bot)}) == len(mutants(bot))
    for one in mutants(bot):
        assert yaml.load(one.text or "", Loader=yaml.CSafeLoader) is not None


@pytest.mark.parametrize("bot", BOTS)
def test_a_mutant_changes_a_few_lines_and_leaves_the_rest_as_it_was_written(bot: str) -> None:
    for one in mutants(bot):
        lines = one.mutant.diff.splitlines()[2:]
        changed = [line for line in lines if line.startswith(("+", "-"))]
        assert len(changed) < 30, one.mutant.target


@pytest.mark.parametrize("bot", BOTS)
def test_every_mark_of_an_example_names_a_mutant_and_says_why(bot: str) -> None:
    known = {one.mutant.id for one in mutants(bot)}
    for name, why in load_marked(plan(bot), EXAMPLES / bot).items():
        assert name in known
        assert len(why) > 30
