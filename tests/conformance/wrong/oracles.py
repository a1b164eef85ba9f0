"""Oracles that break the interface, each in one way; `fails` are the tests that notice."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, ClassVar

import pytest

from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Trace, act_text
from sparring.model.verdict import Outcome, TurnRef, Verdict
from sparring.testing.conformance.oracle import OracleKit
from sparring.testing.conversations import trace_of, verdict_of
from sparring.testing.fakes import FakeOracle


class Given(OracleKit):
    wrong: ClassVar[type[Oracle[Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Oracle[Any]]:
        return self.wrong


class TestRight(Given):
    wrong = FakeOracle
    fails: ClassVar[set[str]] = set()


class Judging(FakeOracle):
    """Judges with `verdict`; conclusions are left to those who override them."""

    def verdict(self, trace: Trace) -> Verdict:
        return verdict_of(trace)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        return [self.verdict(trace)]


class Counts(Judging):
    count = 0

    def verdict(self, trace: Trace) -> Verdict:
        self.count += 1
        return verdict_of(trace, "fail" if self.count % 2 else "pass")


class TestCounts(Given):
    wrong = Counts
    fails: ClassVar[set[str]] = {"test_the_order_of_judging_does_not_matter"}


class Remembers(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        trace.meta["judged"] = True
        return verdict_of(trace)


class TestRemembers(Given):
    wrong = Remembers
    fails: ClassVar[set[str]] = {"test_traces_are_left_as_they_are"}


class GivesNoReason(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        return verdict_of(trace, "fail").model_copy(update={"reason": " "})


class TestGivesNoReason(Given):
    wrong = GivesNoReason
    fails: ClassVar[set[str]] = {"test_verdicts_are_sound"}


class CountsTurnsFromOne(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        shown = TurnRef(case_id=trace.case.id, turn=len(trace.turns))
        return verdict_of(trace).model_copy(update={"turns": (shown,)})


class TestCountsTurnsFromOne(Given):
    wrong = CountsTurnsFromOne
    fails: ClassVar[set[str]] = {"test_verdicts_are_sound"}


class SpeaksOfOthers(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        return verdict_of(trace_of([], other=1))


class TestSpeaksOfOthers(Given):
    wrong = SpeaksOfOthers
    fails: ClassVar[set[str]] = {"test_verdicts_are_sound"}


class NeedsATurn(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        said = act_text(trace.turns[-1].act)
        return verdict_of(trace, "pass" if said else "skipped")


class TestNeedsATurn(Given):
    wrong = NeedsATurn
    fails: ClassVar[set[str]] = {
        "test_verdicts_are_sound",
        "test_equal_traces_get_equal_verdicts",
        "test_the_order_of_judging_does_not_matter",
        "test_judging_side_by_side_changes_nothing",
        "test_a_stored_trace_is_judged_the_same",
        "test_traces_are_left_as_they_are",
        "test_verdicts_stay_small_whatever_the_app_says",
        "test_concluding_does_not_need_judging_first",
    }


class Quotes(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        said = " ".join(turn.observation.text for turn in trace.turns if turn.observation)
        return verdict_of(trace, "fail", reason=f"it said {said}")


class TestQuotes(Given):
    wrong = Quotes
    fails: ClassVar[set[str]] = {"test_verdicts_stay_small_whatever_the_app_says"}


class KnowsOnlyLiveDates(Judging):
    def verdict(self, trace: Trace) -> Verdict:
        dated = any(isinstance(output.value, date) for output in trace.outputs)
        return verdict_of(trace, "pass" if dated else "skipped")


class TestKnowsOnlyLiveDates(Given):
    wrong = KnowsOnlyLiveDates
    fails: ClassVar[set[str]] = {"test_a_stored_trace_is_judged_the_same"}


class HoldsEverything(Judging):
    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        held = list(traces)
        return [verdict_of(held[0])] if held else []


class TestHoldsEverything(Given):
    wrong = HoldsEverything
    fails: ClassVar[set[str]] = {
        "test_concluding_does_not_hold_all_traces",
        "test_conclusions_are_of_the_conditions_that_it_names",
    }


class NamesOtherConditions(Judging):
    def conditions(self) -> frozenset[str]:
        return frozenset({"all_prices_agree"})

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        return [verdict_of(trace, "fail") for trace in traces][:1]


class TestNamesOtherConditions(Given):
    wrong = NamesOtherConditions
    fails: ClassVar[set[str]] = {"test_conclusions_are_of_the_conditions_that_it_names"}


class NamesOtherChecks(Judging):
    def checks(self) -> frozenset[str]:
        return frozenset({"tells_the_price"})


class TestNamesOtherChecks(Given):
    wrong = NamesOtherChecks
    fails: ClassVar[set[str]] = {"test_verdicts_are_of_the_checks_that_it_names"}


class MeasuresItsTraces(Judging):
    async def conclude(self, traces: Any) -> Sequence[Verdict]:
        return [verdict_of(traces[0])] if len(traces) else []


class TestMeasuresItsTraces(Given):
    wrong = MeasuresItsTraces
    fails: ClassVar[set[str]] = {
        "test_traces_are_left_as_they_are",
        "test_no_traces_can_be_concluded",
        "test_conclusions_are_sound",
        "test_equal_runs_get_equal_conclusions",
        "test_concluding_does_not_need_judging_first",
        "test_concluding_does_not_hold_all_traces",
        "test_conclusions_are_of_the_conditions_that_it_names",
    }


class ConcludesFromWhatItJudged(FakeOracle):
    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        outcome = Outcome.FAIL if self.judged else Outcome.PASS
        return [verdict_of(trace, outcome) for trace in traces][:1]


class TestConcludesFromWhatItJudged(Given):
    wrong = ConcludesFromWhatItJudged
    fails: ClassVar[set[str]] = {
        "test_concluding_does_not_need_judging_first",
        "test_conclusions_are_of_the_conditions_that_it_names",
    }
