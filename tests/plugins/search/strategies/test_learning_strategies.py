"""What every strategy that learns promises: valid, new, seeded, resumed as if never stopped."""

import importlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.interfaces.abilities import DraftsCases, ReadsPreviews
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.learning_strategy import SearchingStrategy
from sparring_plugins.search.strategies.map_elites import MapElitesStrategy
from sparring_plugins.search.strategies.nsga2 import Nsga2Strategy
from sparring_plugins.search.strategies.property_based import HypothesisStrategy
from sparring_plugins.search.strategies.surrogate.strategy import SurrogateStrategy

SETTINGS: dict[type[SearchingStrategy[Any]], dict[str, Any]] = {
    Nsga2Strategy: {"population": 6},
    SurrogateStrategy: {"batch": 6, "first": 8, "candidates": 40, "read": 12},
    MapElitesStrategy: {"batch": 6, "first": 8},
    HypothesisStrategy: {"examples": 20},
}
KINDS = pytest.mark.parametrize("kind", list(SETTINGS), ids=lambda kind: kind.__name__)


def space(sizes: Sequence[int] = (3, 4, 2, 5)) -> Space:
    variables = tuple(
        Variable(
            name=f"v{n}", domain=tuple(range(size)), scale="ordinal" if n % 2 else "categorical"
        )
        for n, size in enumerate(sizes)
    )
    constraints = (
        Constraint(expression="not (v0 == 0) or v1 == 0", when="v0 == 0", assign={"v1": 0}),
        Constraint(expression="v2 + v3 != 2"),
    )
    return Space(scenarios=(Scenario(name="s", variables=variables, constraints=constraints),))


def judged(case: Case) -> list[Verdict]:
    """An app that fails for some values, worse and worse the nearer it comes to them."""
    near = (case.params["v0"] == 2) + (case.params["v3"] in (3, 4))
    fails = near == 2
    fitness = Verdict(oracle="f", check="f1", outcome=Outcome.PASS, score=1 - near / 2)
    if not fails:
        return [fitness, Verdict(oracle="f", check="o", outcome=Outcome.PASS)]
    details: dict[str, Any] = {"kind": ["bad", f"v1={case.params['v1']}"]}
    failed = Verdict(oracle="f", check="o", outcome=Outcome.FAIL, owner=Owner.APP, details=details)
    return [fitness, failed]


def made(kind: type[SearchingStrategy[Any]], where: Space, seed: int = 1, **more: Any) -> Any:
    strategy = FakeContext().build(kind, **{**SETTINGS[kind], **more})
    strategy.start(where, seed)
    return strategy


def played(
    strategy: Any, number: int, refuses: Callable[[Case], bool] = lambda case: False
) -> list[Case]:
    """As the engine does it: drafts are read, refused cases replaced, the batch told."""
    cases: list[Case] = []
    while len(cases) < number and not strategy.done:
        batch: list[Case] = []
        while True:
            drafts = strategy.drafts(6) if isinstance(strategy, DraftsCases) else []
            for draft in drafts:
                strategy.read(draft, said(draft))
            asked = strategy.ask(6)
            refused = [case for case in asked if refuses(case)]
            for case in refused:
                strategy.refused(case)
            accepted = [case for case in asked if case not in refused]
            if isinstance(strategy, ReadsPreviews):
                for case in accepted:
                    strategy.read(case, said(case))
            batch += accepted
            if not refused:
                break
        for case in batch:
            strategy.tell(case, judged(case))
        cases += batch
        if not batch and not refused:
            break
    return cases


def said(case: Case) -> str:
    return " ".join(f"{name} is {value}" for name, value in case.params.items())


@KINDS
@given(st.lists(st.integers(2, 5), min_size=4, max_size=6), st.integers(0, 99))
@pytest.mark.thorough
def test_cases_are_valid_new_and_all_of_a_small_space(
    kind: Any, sizes: list[int], seed: int
) -> None:
    where = space(sizes)
    cases = CaseSpace(where.scenarios[0], FakeContext())
    found = played(made(kind, where, seed), 60)
    assert all(cases.holds(case.params) for case in found)
    assert len({case.id for case in found}) == len(found)
    assert len(found) >= min(60, cases.count().number)


@KINDS
def test_a_small_space_is_searched_to_its_end(kind: Any) -> None:
    where = space((2, 2, 2, 3))
    strategy = made(kind, where)
    found = played(strategy, 1_000)
    assert len(found) == CaseSpace(where.scenarios[0], FakeContext()).count().number
    assert strategy.done
    assert strategy.ask(5) == []


@KINDS
@pytest.mark.parametrize("mode", ["generational", "steady-state"])
@pytest.mark.thorough
def test_resumed_anywhere_it_goes_on_as_if_never_stopped(kind: Any, mode: str) -> None:
    whole = played(made(kind, space(), mode=mode), 48)
    for stop in (6, 14, 30):
        first = made(kind, space(), mode=mode)
        begun = played(first, stop)
        state = json.loads(json.dumps(first.state()))
        second = made(kind, space(), mode=mode)
        second.restore(state)
        for case in begun if isinstance(second, ReadsPreviews) else ():
            second.read(case, said(case))
        assert [*begun, *played(second, 48 - len(begun))] == whole[: len(whole)]


@KINDS
def test_seeds_give_their_own_cases(kind: Any) -> None:
    first, same, other = (
        [case.params for case in played(made(kind, space(), seed), 24)] for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


@KINDS
def test_refused_cases_are_replaced_and_never_come_again(kind: Any) -> None:
    turned_down: list[str] = []

    def refuses(case: Case) -> bool:
        if case.params["v1"] == 3:
            turned_down.append(case.id)
            return True
        return False

    found = played(made(kind, space()), 45, refuses)
    assert len(found) >= 45
    assert turned_down
    assert len(set(turned_down)) == len(turned_down)
    assert not {case.id for case in found} & set(turned_down)


@pytest.mark.parametrize("kind", [Nsga2Strategy, SurrogateStrategy])
def test_failures_are_found_more_often_than_by_chance(kind: Any) -> None:
    where = space((6, 4, 2, 6, 5, 5))
    found = played(made(kind, where), 120)
    failed = sum(any(one.outcome is Outcome.FAIL for one in judged(case)) for case in found)
    assert failed / len(found) > 2.5 * (1 / 6) * (2 / 6)


def test_an_objective_that_no_verdict_tells_is_named() -> None:
    context = FakeContext()
    strategy = context.build(Nsga2Strategy, population=4, objectives=["f9"])
    strategy.start(space(), 0)
    played(strategy, 4)
    assert any("'f9'" in message for message in context.warnings)


def test_hypothesis_shrinks_each_kind_to_the_first_values() -> None:
    strategy = made(HypothesisStrategy, space())
    played(strategy, 200)
    (search,) = strategy._searches
    assert search.shrunk[("bad", "v1=0")] == (2, 0, 0, 3)


@pytest.mark.thorough
def test_what_else_is_loaded_does_not_change_what_hypothesis_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hypothesis likes numbers that it finds in the code of the process."""
    before = played(made(HypothesisStrategy, space((400, 400, 400, 400))), 25)
    numbers = ", ".join(str(number) for number in range(101, 400, 3))
    (tmp_path / "full_of_numbers.py").write_text(f"NUMBERS = [{numbers}]\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("full_of_numbers")
    assert played(made(HypothesisStrategy, space((400, 400, 400, 400))), 25) == before


def test_map_elites_keeps_the_worst_of_each_cell() -> None:
    strategy = made(MapElitesStrategy, space(), descriptors=["v1"])
    played(strategy, 80)
    (search,) = strategy._searches
    assert len(search.elites) == 4
    assert all(row[0] == 2 and row[3] in (3, 4) for row, _ in search.elites.values())


def test_immigrants_are_counted() -> None:
    strategy = made(Nsga2Strategy, space())
    played(strategy, 1_000)
    (search,) = strategy._searches
    assert search.immigrants > 0
    assert search.state()["immigrants"] == search.immigrants


BAD_STATES: list[Any] = [None, {}, [], {"searches": []}, {"searches": [{}], "turn": "x"}]


@KINDS
@pytest.mark.parametrize("state", BAD_STATES, ids=range(len(BAD_STATES)))
def test_another_state_is_refused(kind: Any, state: Any) -> None:
    from sparring.errors import StoredRunError

    with pytest.raises(StoredRunError, match="of another suite"):
        made(kind, space()).restore(state)
