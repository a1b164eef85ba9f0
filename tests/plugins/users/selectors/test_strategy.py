"""The strategy `selectors` as the engine drives it."""

import json
import resource
import tracemalloc
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.selectors.notation import parse_number
from sparring_plugins.users.selectors.strategy import SelectorsStrategy

SELECTORS = ("another()", "random()", "random(2)", "random(rand)", "default()", "forward()")


def strategy(**config: Any) -> SelectorsStrategy:
    return FakeContext().build(SelectorsStrategy, **config)


def cases(space: Space, seed: int = 1, ask: int = 7, **config: Any) -> list[Case]:
    searching = strategy(**config)
    searching.start(space, seed)
    found: list[Case] = []
    while not searching.done:
        found += searching.ask(ask)
    return found


@st.composite
def scenarios(draw: st.DrawFn, name: str) -> Scenario:
    """A scenario with any selectors and any number of cases."""
    variables: list[Variable] = []
    forward: list[str] = []
    for number in range(draw(st.integers(0, 4))):
        key = f"v{number}"
        selector = draw(st.sampled_from([*SELECTORS, *(f"forward({f})" for f in forward)]))
        if selector.startswith("forward"):
            forward.append(key)
        domain = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
        variables.append(Variable(name=key, domain=tuple(domain), selector=selector))
    wanted = parse_number(draw(st.sampled_from([None, 1, 5, 12, "all", "sample(0.5)"])))
    order = draw(st.permutations(variables))
    return Scenario(name=name, variables=tuple(order), number=wanted.count, sample=wanted.sample)


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    count = draw(st.integers(1, 3))
    return Space(scenarios=tuple(draw(scenarios(f"s{number}")) for number in range(count)))


configs = st.fixed_dictionaries(
    {"interleave": st.booleans(), "compat": st.sampled_from([None, "sensei"])}
)


@given(spaces(), st.integers(), configs)
def test_equal_seeds_give_equal_cases_however_many_are_asked_at_once(
    space: Space, seed: int, config: dict[str, Any]
) -> None:
    assert cases(space, seed, 1, **config) == cases(space, seed, 50, **config)


@given(spaces(), configs)
def test_no_two_cases_share_an_id_and_repeats_count_equal_contents(
    space: Space, config: dict[str, Any]
) -> None:
    found = cases(space, **config)
    assert len({case.id for case in found}) == len(found)
    seen: Counter[str] = Counter()
    for case in found:
        content = json.dumps([case.scenario, case.params], sort_keys=True)
        seen[content] += 1
        assert case.repeat == seen[content]
        assert case == Case.of(case.scenario, case.params, run_seed=1, repeat=case.repeat)


@given(spaces(), configs)
def test_there_are_as_many_cases_as_expected(space: Space, config: dict[str, Any]) -> None:
    searching = strategy(**config)
    searching.start(space, 1)
    assert searching.expected() == len(cases(space, **config))


@given(spaces(), configs, st.data())
def test_restored_at_any_cut_it_goes_on_as_if_never_stopped(
    space: Space, config: dict[str, Any], data: st.DataObject
) -> None:
    whole = cases(space, **config)
    cut = data.draw(st.integers(0, len(whole)))
    before = strategy(**config)
    before.start(space, 1)
    first = list(before.ask(cut))
    state = json.loads(json.dumps(before.state()))
    after = strategy(**config)
    after.start(space, 1)
    after.restore(state)
    assert first + list(after.ask(len(whole) + 1)) == whole
    assert after.done


@given(spaces(), scenarios("added"), configs, st.integers(0, 3))
def test_adding_a_scenario_changes_no_others_cases(
    space: Space, added: Scenario, config: dict[str, Any], at: int
) -> None:
    more = Space(scenarios=(*space.scenarios[:at], added, *space.scenarios[at:]))
    alone = {case.id: case for case in cases(space, **config)}
    among = {case.id: case for case in cases(more, **config) if case.scenario != "added"}
    assert alone == among


@given(spaces())
def test_interleaved_cases_are_the_same_cases(space: Space) -> None:
    straight, mixed = cases(space), cases(space, interleave=True)
    assert sorted(case.id for case in straight) == sorted(case.id for case in mixed)


def test_interleaving_takes_one_case_of_each_scenario_in_turn() -> None:
    space = Space(
        scenarios=(
            Scenario(name="a", number=2),
            Scenario(name="b", number=4),
            Scenario(name="c", number=1),
        )
    )
    assert [case.scenario for case in cases(space, interleave=True)] == list("abcabbb")
    assert [case.scenario for case in cases(space)] == list("aabbbbc")


def test_a_number_in_the_suite_replaces_that_of_every_scenario() -> None:
    pizza = Variable(name="size", domain=("s", "m", "l"), selector="forward()")
    space = Space(
        scenarios=(Scenario(name="a", variables=(pizza,), number=9), Scenario(name="b", number=3))
    )
    counts = Counter(case.scenario for case in cases(space, number="all_combinations"))
    assert counts == {"a": 3, "b": 1}


def vast(**kinds: str) -> Space:
    variables = tuple(
        Variable(name=name, domain=tuple(range(10)), selector=selector)
        for name, selector in kinds.items()
    )
    return Space(scenarios=(Scenario(name="vast", variables=variables, number="all"),))


NINE = {f"v{n}": "forward()" if n == 0 else f"forward(v{n - 1})" for n in range(9)}


@pytest.mark.parametrize("number", ["all", "sample(0.5)"])
def test_a_thousand_million_combinations_are_never_listed(number: str) -> None:
    searching = strategy(number=number)
    searching.start(vast(**NINE), 1)
    expected = searching.expected()
    assert expected in (10**9, 5 * 10**8)
    assert len({case.id for case in searching.ask(500)}) == 500
    searching.restore({"positions": [expected - 1], "turn": 0})
    assert len(searching.ask(5)) == 1
    assert searching.done


@pytest.mark.thorough
def test_twenty_thousand_cases_take_constant_memory() -> None:
    searching = strategy()
    searching.start(vast(**NINE, other="another()"), 1)
    for _ in range(20):
        searching.ask(100)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(180):
        searching.ask(100)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000, f"{grown} bytes for 18,000 further cases"


@pytest.mark.parametrize("number", [4_000, pytest.param(20_000, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_thousands_of_random_cases_take_little_time_and_memory(number: int) -> None:
    space = Space(
        scenarios=(
            Scenario(
                name="s",
                variables=(
                    Variable(name="a", domain=tuple(range(50)), selector="another()"),
                    Variable(name="b", domain=tuple(range(50)), selector="random(rand)"),
                ),
                number=number,
            ),
        )
    )
    started = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    tracemalloc.start()
    searching = strategy()
    searching.start(space, 1)
    count = 0
    while found := searching.ask(200):
        count += len(found)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert count == number
    assert grown < 300 * number
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - started < number * 0.003


def test_constraints_are_refused_rather_than_broken() -> None:
    scenario = Scenario(name="s", constraints=(Constraint(expression="a != b"),), source="x.yml")
    with pytest.raises(ConfigurationError) as caught:
        strategy().start(Space(scenarios=(scenario,)), 1)
    message = "x.yml: s: has constraints, which the strategy 'selectors' cannot keep"
    assert str(caught.value) == message


def test_all_that_is_wrong_with_a_space_is_said_at_once() -> None:
    wrong = tuple(
        Scenario(
            name=name, variables=(Variable(name="v", domain=(1,), selector=selector),), source="p"
        )
        for name, selector in (("a", "forwrd()"), ("b", "forward(w)"))
    )
    with pytest.raises(ConfigurationError) as caught:
        strategy().start(Space(scenarios=wrong), 1)
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == ["a.v", "b.v"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"number": 0}, "number: must be at least 1, found 0"),
        ({"number": "some"}, "number: expected a whole number, all_combinations, or sample"),
        ({"number": "sample(2)"}, "number: sample() takes a share above 0 and up to 1"),
        ({"number": 2.5}, "number: expected a whole number"),
        ({"compat": "rasa"}, "compat: input should be 'sensei'"),
        ({"interleave": "perhaps"}, "interleave: input should be a valid boolean"),
        ({"numbr": 3}, "numbr: unknown key. Did you mean 'number'? Known: compat, interleave, "),
    ],
)
def test_settings_that_make_no_sense_are_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        strategy(**config)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {},
        {"positions": [1, 2], "turn": 0},
        {"positions": [-1], "turn": 0},
        {"positions": [99], "turn": 0},
        {"positions": [True], "turn": 0},
        {"positions": ["1"], "turn": 0},
        {"positions": [1], "turn": 5},
        {"positions": [1]},
    ],
)
def test_a_state_of_another_space_is_refused(state: Any) -> None:
    searching = strategy()
    searching.start(Space(scenarios=(Scenario(name="s", number=3),)), 1)
    with pytest.raises(StoredRunError, match="saved state of the strategy 'selectors'"):
        searching.restore(state)
