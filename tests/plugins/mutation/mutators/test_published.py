"""The published chatbots of Taskyto have as many mutants as its own generator makes of them.

Their files are read from a checkout of Taskyto that ``SPARRING_TASKYTO`` names; without one the
tests are skipped.
"""

import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sparring_plugins.mutation.mutants import Made, all_mutants, chosen, operators_of, read_files
from sparring_plugins.mutation.plan import MutationPlan

from .differing import differences

COUNTS = {
    "bike-shop": {
        "DeleteEnumDataValue": 2,
        "DeleteQuestionAnswer": 4,
        "SwapQuestionAnswer": 6,
        "DeleteFallback": 1,
        "DeleteItemTopModule": 4,
        "DeleteDataFromResponse": 5,
        "ChangeRephrase": 2,
    },
    "pizza-order": {
        "DeleteEnumDataValue": 78,
        "DeleteQuestionAnswer": 6,
        "SwapQuestionAnswer": 15,
        "DeleteFallback": 2,
        "DeleteItemTopModule": 5,
        "DeleteSequenceStep": 8,
        "SwapSequenceStep": 12,
        "DeleteDataFromResponse": 18,
        "ChangeRephrase": 14,  # of its own 16, two only write a word that its engine does not know
        "ChangeMemoryScope": 2,
    },
}
PUBLISHED = {"bike-shop": 13, "pizza-order": 20}
"""The mutants of the paper's data: at most two of each operator."""

PLAN = MutationPlan.model_validate(
    {"definition": "*.yaml", "app": {"command": "true"}, "operators": ["taskyto"]}
)


def mutants(name: str) -> tuple[list[Made], Path]:
    checkout = os.environ.get("SPARRING_TASKYTO")
    if not checkout:
        pytest.skip("SPARRING_TASKYTO names no checkout of Taskyto")
    here = Path(checkout, "examples", "yaml", name)
    return all_mutants(read_files(PLAN, here), operators_of(PLAN.operators), {}), here


@pytest.mark.parametrize("name", COUNTS)
def test_the_mutants_are_as_many_as_published(name: str) -> None:
    made, _ = mutants(name)
    assert Counter(one.mutant.operator for one in made) == COUNTS[name]
    assert len(chosen(made, seed=0, limit=None, per_operator=2)) == PUBLISHED[name]


@pytest.mark.parametrize("name", COUNTS)
def test_each_differs_from_the_original_in_the_meant_place_only(name: str) -> None:
    made, here = mutants(name)
    most = {"SwapQuestionAnswer": 2, "SwapSequenceStep": 2}
    for one in made:
        before = yaml.safe_load((here / one.mutant.file).read_text(encoding="utf-8"))
        found = differences(before, yaml.safe_load(one.text))
        assert 1 <= len(found) <= most.get(one.mutant.operator, 1), (one.mutant.target, found)
