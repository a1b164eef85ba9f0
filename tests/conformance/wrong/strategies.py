"""Strategies that break the interface, each in one way; `fails` are the tests that notice."""

import random
import time
from collections.abc import Sequence
from itertools import islice, product
from typing import Any, ClassVar

import pytest
from pydantic import JsonValue

from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.testing.conformance.search_strategy import SearchStrategyKit
from sparring.testing.fakes import FakeBatchStrategy, FakeSteadyStrategy, FakeStrategy


class Given(SearchStrategyKit):
    wrong: ClassVar[type[SearchStrategy[Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[SearchStrategy[Any]]:
        return self.wrong

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"params": [{}] * 5, "batch": 2}


class TestRight(Given):
    wrong = FakeStrategy
    fails: ClassVar[set[str]] = set()


class TestRightPerBatch(Given):
    wrong = FakeBatchStrategy
    fails: ClassVar[set[str]] = set()


class TestRightPerCase(Given):
    wrong = FakeSteadyStrategy
    fails: ClassVar[set[str]] = set()


class Shuffles(FakeStrategy):
    def start(self, space: Space, seed: int) -> None:
        super().start(space, seed)
        random.shuffle(self._cases)


class TestShuffles(Given):
    wrong = Shuffles
    fails: ClassVar[set[str]] = {
        "test_equal_seeds_give_equal_cases",
        "test_global_random_numbers_are_neither_used_nor_changed",
        "test_how_many_are_asked_at_once_does_not_matter",
        "test_repeats_are_counted_from_one",
        "test_restored_it_goes_on_as_if_never_stopped",
        "test_starting_again_begins_anew",
    }

    @pytest.fixture(autouse=True)
    def _seeded(self) -> None:
        random.seed(0)


class Doubles(FakeStrategy):
    def start(self, space: Space, seed: int) -> None:
        super().start(space, seed)
        self._cases = [case for case in self._cases for _ in range(2)]


class TestDoubles(Given):
    wrong = Doubles
    fails: ClassVar[set[str]] = {
        "test_no_case_comes_twice",
        "test_repeats_are_counted_from_one",
        "test_awkward_domains_are_borne",
    }


class NumbersItsCases(FakeStrategy):
    def ask(self, n: int) -> Sequence[Case]:
        first = self._asked
        return [
            case.model_copy(update={"id": f"case-{first + index}"})
            for index, case in enumerate(super().ask(n))
        ]


class TestNumbersItsCases(Given):
    wrong = NumbersItsCases
    fails: ClassVar[set[str]] = {"test_ids_and_seeds_come_from_content"}


class DoneByMethod(FakeStrategy):
    def done(self) -> bool:  # type: ignore[override]
        return self._asked >= len(self._cases)


class TestDoneByMethod(Given):
    wrong = DoneByMethod
    fails: ClassVar[set[str]] = {
        "test_a_scenario_without_variables_comes_as_often_as_its_author_asks",
        "test_done_is_a_property",
        "test_equal_seeds_give_equal_cases",
        "test_every_scenario_gets_its_turn",
        "test_nothing_is_proposed_once_it_is_done",
        "test_the_expected_number_is_the_number",
    }


class ForgetsWhereItWas(FakeStrategy):
    def restore(self, state: JsonValue) -> None:
        self._asked = 0


class TestForgetsWhereItWas(Given):
    wrong = ForgetsWhereItWas
    fails: ClassVar[set[str]] = {
        "test_a_state_of_something_else_is_refused",
        "test_restored_it_goes_on_as_if_never_stopped",
    }


class ForgetsWhatIsOutstanding(FakeBatchStrategy):
    def restore(self, state: JsonValue) -> None:
        super().restore(state)
        self._outstanding = 99


class TestForgetsWhatIsOutstanding(Given):
    wrong = ForgetsWhatIsOutstanding
    fails: ClassVar[set[str]] = {"test_restored_it_goes_on_as_if_never_stopped"}


class StateIsNoJson(FakeStrategy):
    def state(self) -> Any:
        return {"asked": self._asked, "ids": tuple(case.id for case in self._cases)}


class TestStateIsNoJson(Given):
    wrong = StateIsNoJson
    fails: ClassVar[set[str]] = {
        "test_its_state_is_plain_data",
        "test_restored_it_goes_on_as_if_never_stopped",
    }


class NeverDone(FakeStrategy):
    @property
    def done(self) -> bool:
        return False


class TestNeverDone(Given):
    wrong = NeverDone
    fails: ClassVar[set[str]] = {
        "test_once_all_was_told_it_proposes_or_is_done",
        "test_an_empty_space_is_done_at_once",
    }


class ProposesWhenDone(FakeStrategy):
    def ask(self, n: int) -> Sequence[Case]:
        return super().ask(n) or self._cases[:1]


class TestProposesWhenDone(Given):
    wrong = ProposesWhenDone
    fails: ClassVar[set[str]] = {"test_nothing_is_proposed_once_it_is_done"}


class ProposesMore(FakeStrategy):
    def ask(self, n: int) -> Sequence[Case]:
        return super().ask(n + 1)


class TestProposesMore(Given):
    wrong = ProposesMore
    fails: ClassVar[set[str]] = {"test_it_proposes_no_more_than_asked"}


class Invents(FakeStrategy):
    def start(self, space: Space, seed: int) -> None:
        super().start(space, seed)
        self._cases = [
            Case.of(case.scenario, {**case.params, "amount": 99}, run_seed=seed)
            for case in self._cases
        ]


class TestInvents(Given):
    wrong = Invents
    fails: ClassVar[set[str]] = {
        "test_cases_lie_in_the_space",
        "test_no_case_comes_twice",
        "test_repeats_are_counted_from_one",
        "test_awkward_domains_are_borne",
    }


class SkipsTheLast(FakeStrategy):
    def start(self, space: Space, seed: int) -> None:
        super().start(space, seed)
        self._cases = [case for case in self._cases if case.scenario != "delivery"]

    def expected(self) -> int | None:
        return len(self._cases) + 1


class TestSkipsTheLast(Given):
    wrong = SkipsTheLast
    fails: ClassVar[set[str]] = {
        "test_every_scenario_gets_its_turn",
        "test_the_expected_number_is_the_number",
    }


class SpellsOutItsSpace(FakeStrategy):
    def start(self, space: Space, seed: int) -> None:
        super().start(space, seed)
        for scenario in space.scenarios:
            domains = [variable.domain for variable in scenario.variables]
            deadline = time.process_time() + 1.2
            while len(domains) > 10 and time.process_time() < deadline:
                sum(1 for _ in islice(product(*domains), 10_000))


class TestSpellsOutItsSpace(Given):
    limit_s = 6.0
    wrong = SpellsOutItsSpace
    fails: ClassVar[set[str]] = {"test_a_vast_space_is_not_spelt_out"}


class BearsFewVerdicts(FakeStrategy):
    def tell(self, case: Case, verdicts: Any) -> None:
        assert len(verdicts) < 10


class TestBearsFewVerdicts(Given):
    wrong = BearsFewVerdicts
    fails: ClassVar[set[str]] = {
        "test_any_telling_is_borne",
    }


class TestProposesFirstValues(Given):
    """Reads neither the constraints nor the `number` of a scenario."""

    wrong = FakeStrategy
    fails: ClassVar[set[str]] = {
        "test_no_case_breaks_a_constraint",
        "test_a_scenario_without_variables_comes_as_often_as_its_author_asks",
    }

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"params": []}
