"""The conformance kit of the interface `SearchStrategy`."""

import json
import random
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from pydantic import JsonValue

from sparring.errors import ConfigurationError, StoredRunError
from sparring.interfaces.abilities import expected_cases
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space, Variable
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.conformance.searching import (
    TELLINGS,
    Search,
    Tell,
    awkward_spaces,
    constrained_space,
    forbidden,
    scored,
)


class SearchStrategyKit(PluginKit, kit=True):
    """Tests of a strategy: override the fixtures `plugin`, `settings` and, if need be, `space`.

    The space of the kit has scenarios with and without variables. A strategy that needs
    another one (only numbers, say) gets it from your `space`, which must allow several cases.
    """

    #: How many cases are asked for if a strategy would go on for ever.
    most: ClassVar[int] = 120

    @pytest.fixture
    def space(self) -> Space:
        """The space to search."""
        size = Variable(name="size", domain=("small", "large", "huge"), scale="ordinal")
        extra = Variable(name="extra", domain=("olives", None), group="toppings")
        amount = Variable(name="amount", domain=(1, 2, 3, 4), scale="ordinal")
        return Space(
            scenarios=(
                Scenario(name="order", variables=(size, extra, amount)),
                Scenario(name="opening hours"),
                Scenario(name="delivery", variables=(amount,)),
            )
        )

    def test_done_is_a_property(self, plugin: type[SearchStrategy[Any]]) -> None:
        assert not callable(plugin.done), "`done` is a method, and so always true: add @property"

    def test_equal_seeds_give_equal_cases(self, build: Build, space: Space) -> None:
        first = self._search(build(), space, seed=1).play()
        second = self._search(build(), space, seed=1).play()
        assert first, "the space of the test gives no case at all"
        assert _ids(first) == _ids(second), "two searches with one seed propose different cases"

    def test_global_random_numbers_are_neither_used_nor_changed(
        self, build: Build, space: Space
    ) -> None:
        random.seed(1)
        before = random.getstate()
        first = self._search(build(), space).play()
        assert random.getstate() == before, "it draws from the global random numbers"
        random.seed(2)
        assert _ids(self._search(build(), space).play()) == _ids(first)

    def test_starting_again_begins_anew(self, build: Build, space: Space) -> None:
        strategy = build()
        first = self._search(strategy, space).play()
        assert _ids(self._search(strategy, space).play()) == _ids(first), (
            "after another start() the cases differ"
        )

    def test_no_case_comes_twice(self, build: Build, space: Space) -> None:
        ids = _ids(self._search(build(), space).play())
        doubled = sorted({name for name in ids if ids.count(name) > 1})
        assert not doubled, f"proposed twice: {doubled}"

    def test_ids_and_seeds_come_from_content(self, build: Build, space: Space) -> None:
        for case in self._search(build(), space, seed=5).play():
            same = Case.of(case.scenario, case.params, run_seed=5, repeat=case.repeat)
            assert case == same, f"{case!r} is not what Case.of makes of its content"

    def test_repeats_are_counted_from_one(self, build: Build, space: Space) -> None:
        seen: dict[str, int] = {}
        for case in self._search(build(), space).play():
            content = json.dumps([case.scenario, case.params], sort_keys=True)
            seen[content] = seen.get(content, 0) + 1
            assert case.repeat == seen[content], f"{case.id} is repeat {seen[content]} of {content}"

    def test_cases_lie_in_the_space(self, build: Build, space: Space) -> None:
        for case in self._search(build(), space).play():
            scenario = space.scenario(case.scenario)
            domains = {variable.name: variable.domain for variable in scenario.variables}
            assert case.params.keys() <= domains.keys(), f"{case.params} has unknown variables"
            for name, value in case.params.items():
                assert _inside(value, domains[name]), f"{name} has no value {value!r}"

    def test_every_scenario_gets_its_turn(self, build: Build, space: Space) -> None:
        strategy = build()
        played = {case.scenario for case in self._search(strategy, space).play()}
        missing = {scenario.name for scenario in space.scenarios} - played
        assert not missing or not strategy.done, f"it is done and never tried {sorted(missing)}"

    def test_no_case_breaks_a_constraint(self, build: Build) -> None:
        try:
            cases = self._search(build(), constrained_space()).play()
        except ConfigurationError:
            pytest.skip("it does not take this space")
        broken = [case.params for case in cases if forbidden(case)]
        assert not broken, f"a constraint of the space forbids {broken}"

    def test_a_scenario_without_variables_comes_as_often_as_its_author_asks(
        self, build: Build
    ) -> None:
        strategy = build()
        try:
            cases = self._search(
                strategy, Space(scenarios=(Scenario(name="opening hours", number=3),))
            ).play()
        except ConfigurationError:
            pytest.skip("it does not take this space")
        assert len(cases) >= 3 or not strategy.done, f"asked for 3 times, it came {len(cases)}"

    @pytest.mark.parametrize("n", [1, 2, 1000])
    def test_it_proposes_no_more_than_asked(self, build: Build, space: Space, n: int) -> None:
        strategy = build()
        for asked in self._search(strategy, space, n=n).steps():
            assert len(asked) <= n or strategy.learns == "per-batch", (
                f"asked for {n}, it proposed {len(asked)}"
            )

    def test_how_many_are_asked_at_once_does_not_matter(self, build: Build, space: Space) -> None:
        if build().learns != "never":
            pytest.skip("it learns, so what it proposes depends on what was told when")
        few = self._search(build(), space, n=1).play()
        many = self._search(build(), space, n=50).play()
        shorter = min(len(few), len(many))
        assert _ids(few)[:shorter] == _ids(many)[:shorter]

    def test_nothing_is_proposed_once_it_is_done(self, build: Build, space: Space) -> None:
        strategy = build()
        self._search(strategy, space).play()
        if not strategy.done:
            pytest.skip(f"it goes on after {self.most} cases")
        for _ in range(3):
            assert not strategy.ask(5), "it said it was done, and proposed another case"
            assert strategy.done, "it said it was done, and is not any more"

    def test_once_all_was_told_it_proposes_or_is_done(self, build: Build, space: Space) -> None:
        search = self._search(build(), space)
        search.play()
        assert search.strategy.done or len(search.cases) >= self.most, (
            "all was told, and it neither proposes a case nor is done"
        )

    def test_the_expected_number_is_the_number(self, build: Build, space: Space) -> None:
        strategy = build()
        strategy.start(space, 0)
        expected = expected_cases(strategy)
        if expected is None or expected > self.most:
            pytest.skip("it does not say how many cases there will be, or they are too many")
        assert len(self._search(strategy, space).play()) == expected

    def test_its_state_is_plain_data(self, build: Build, space: Space) -> None:
        strategy = build()
        for _ in self._search(strategy, space).steps():
            _through_json(strategy.state())

    @pytest.mark.parametrize("told", [False, True], ids=["before-telling", "after-telling"])
    def test_restored_it_goes_on_as_if_never_stopped(
        self, build: Build, space: Space, told: bool
    ) -> None:
        whole = self._search(build(), space).play()
        for stop in (1, 2, 4, 7):
            resumed = self._stopped_after(stop, build, space, told)
            assert _ids(resumed) == _ids(whole), (
                f"saved and restored after {stop} asks, the cases differ"
            )

    def test_a_state_of_something_else_is_refused(self, build: Build, space: Space) -> None:
        strategy = build()
        strategy.start(space, 0)
        with pytest.raises(StoredRunError):
            strategy.restore("the state of something else")

    def test_an_empty_space_is_done_at_once(self, build: Build) -> None:
        strategy = build()
        try:
            strategy.start(Space(scenarios=()), 0)
        except ConfigurationError:
            return
        assert not strategy.ask(5), "it proposes cases of an empty space"
        assert strategy.done, "the space is empty, and it is not done"

    def test_any_telling_is_borne(self, build: Build, space: Space) -> None:
        for tell in TELLINGS:
            self._search(build(), space, verdicts=tell).play()

    def test_awkward_domains_are_borne(self, build: Build) -> None:
        for space in awkward_spaces():
            try:
                cases = self._search(build(), space).play()
            except ConfigurationError:
                continue
            assert len(set(_ids(cases))) == len(cases), f"cases come twice in {space}"

    def test_a_vast_space_is_not_spelt_out(self, build: Build) -> None:
        many = tuple(Variable(name=f"v{n}", domain=tuple(range(20))) for n in range(20))
        started = time.process_time()
        strategy = build()
        strategy.start(Space(scenarios=(Scenario(name="vast", variables=many),)), 0)
        strategy.ask(3)
        spent = time.process_time() - started
        assert spent < self.limit_s / 6, f"three cases took {spent:.0f} s of processor time"

    def _search(
        self,
        strategy: SearchStrategy[Any],
        space: Space,
        *,
        seed: int = 3,
        n: int = 3,
        verdicts: Tell = scored,
    ) -> Search:
        strategy.start(space, seed)
        return Search(strategy, verdicts, n, self.most)

    def _stopped_after(self, stop: int, build: Build, space: Space, told: bool) -> list[Case]:
        """The cases of a search that is taken up by another instance after `stop` asks."""
        first = self._search(build(), space)
        state: JsonValue = None
        last: Sequence[Case] = ()
        for number, asked in enumerate(first.steps(), 1):
            state, last = first.strategy.state(), asked
            if number == stop:
                break
        if told:
            for case in last:
                first.strategy.tell(case, scored(case))
            state = first.strategy.state()
        second = self._search(build(), space)
        second.strategy.restore(_through_json(state) if first.cases else second.strategy.state())
        for case in () if told else last:
            second.strategy.tell(case, scored(case))
        second.cases = list(first.cases)
        return second.play()


def _ids(cases: Sequence[Case]) -> list[str]:
    return [case.id for case in cases]


def _inside(value: JsonValue, domain: Sequence[JsonValue]) -> bool:
    """Whether a value, or each of several, is in a domain."""
    if value in domain:
        return True
    return isinstance(value, list) and all(item in domain for item in value)


def _through_json(state: JsonValue) -> JsonValue:
    """A state as it comes back from a run's log."""
    again: JsonValue = json.loads(json.dumps(state, allow_nan=False))
    assert again == state, f"the state changes when it is stored: {state!r} becomes {again!r}"
    return again
