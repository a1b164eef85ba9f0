"""How large covering arrays get, and how long they take: the table of docs/reference/strategies.md.

``pytest -s -m "" tests/benchmarks/test_covering_arrays.py`` prints it.
"""

from time import process_time

import pytest

from sparring.model.space import Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.t_wise.covering_array import Requirements, covering_array
from sparring_plugins.search.strategies.t_wise.interactions import coverage

MODELS: dict[str, list[int]] = {
    "3^4": [3] * 4,
    "3^13": [3] * 13,
    "TCAS": [2] * 7 + [3] * 2 + [4] + [10] * 2,
    "4^15 3^17 2^29": [4] * 15 + [3] * 17 + [2] * 29,
    "4 3^39 2^35": [4] + [3] * 39 + [2] * 35,
    "2^100": [2] * 100,
    "10^20": [10] * 20,
    "naviqa-11": [9, 5, 15, 2, 4, 4, 5, 3, 3, 3, 4],
}

PICT: dict[str, dict[int, int]] = {
    "3^4": {2: 12, 3: 33, 4: 81},
    "3^13": {2: 19, 3: 74, 4: 284},
    "TCAS": {2: 100, 3: 401, 4: 1_370},
    "naviqa-11": {2: 135, 3: 759, 4: 4_170},
    "4^15 3^17 2^29": {2: 38, 3: 217},
    "4 3^39 2^35": {2: 28, 3: 130},
    "2^100": {2: 16, 3: 48},
    "10^20": {2: 213, 3: 3_429},
}
"""The sizes of PICT's arrays, by strength."""

QUICK = {("3^4", 2), ("3^4", 3), ("3^4", 4), ("TCAS", 2), ("TCAS", 3), ("naviqa-11", 2)}
LARGE_S, SMALL_S = 120, 60
"""Processor seconds that the arrays of the large models at strength 3, and any other, may take."""

CASES = [
    pytest.param(
        name, t, id=f"{name} {t}", marks=[] if (name, t) in QUICK else pytest.mark.thorough
    )
    for name, sizes in PICT.items()
    for t in sizes
]


@pytest.mark.parametrize(("name", "strength"), CASES)
def test_an_array_is_complete_and_no_larger_than_that_of_pict(name: str, strength: int) -> None:
    variables = [
        Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(MODELS[name])
    ]
    cases = CaseSpace(Scenario(name=name, variables=tuple(variables)), FakeContext())
    began = process_time()
    found = covering_array(cases, Requirements(strength=strength), 0)
    spent = process_time() - began
    size = len(found.rows)
    print(f"| {name} | {strength} | {PICT[name][strength]:,} | {size:,} | {found.bound:,} "
          f"| {spent:.1f} |")  # fmt: skip
    assert coverage(cases, found.rows, strength).complete
    assert size <= PICT[name][strength]
    assert spent < (LARGE_S if strength == 3 and len(variables) >= 20 else SMALL_S)
