"""The conformance kit of the interface `Oracle`."""

import asyncio
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pytest

from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.conversations import trace_of

_MANY = 200
_UNEXPLAINED = {Outcome.PASS, Outcome.SKIPPED}


class Source:
    """Traces as the engine hands them to `Oracle.conclude`: made anew by each iteration.

    They can be iterated and nothing else. `most_alive` is how many were alive at one time.
    """

    def __init__(self, make: Callable[[], Iterable[Trace]]) -> None:
        self._make = make
        self._alive: list[weakref.ref[Trace]] = []
        self.most_alive = 0

    def __iter__(self) -> Iterator[Trace]:
        for trace in self._make():
            self._alive = [known for known in self._alive if known() is not None]
            self._alive.append(weakref.ref(trace))
            self.most_alive = max(self.most_alive, len(self._alive))
            yield trace


class OracleKit(PluginKit, kit=True):
    """Tests of an oracle: override the fixtures `plugin` and `settings`.

    The kit judges awkward traces of its own. Override `traces` to add some that your oracle has
    something to say about, at best one for each of its outcomes.
    """

    #: Bytes that the verdicts on one trace may take in the log, however much the app said.
    most_bytes: ClassVar[int] = 200_000

    @pytest.fixture
    def traces(self) -> Sequence[Trace]:
        """Traces of your own, each with a case of its own."""
        return ()

    @pytest.fixture
    def all_traces(self, traces: Sequence[Trace]) -> Sequence[Trace]:
        """Your traces and the kit's awkward ones."""
        return [*traces, *hostile.traces()]

    def test_verdicts_are_sound(self, build: Build, all_traces: Sequence[Trace]) -> None:
        for trace in all_traces:
            for verdict in self._judge_traces(build(), [trace])[0]:
                _check(verdict, {trace.case.id: len(trace.turns)})

    def test_verdicts_are_of_the_checks_that_it_names(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        known = build().checks()
        if known is None:
            pytest.skip("it says what it checks only once it has judged")
        found = {
            one.check for verdicts in self._judge_traces(build(), all_traces) for one in verdicts
        }
        assert found <= known, "validate would call a check unknown that there is"

    def test_equal_traces_get_equal_verdicts(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        first = self._judge_traces(build(), all_traces)
        assert self._judge_traces(build(), all_traces) == first, "another instance judges otherwise"

    def test_the_order_of_judging_does_not_matter(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        forwards = self._judge_traces(build(), all_traces)
        backwards = self._judge_traces(build(), all_traces[::-1])
        assert backwards[::-1] == forwards, "what it judged before changes its verdicts"

    def test_judging_side_by_side_changes_nothing(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        async def at_once() -> list[Sequence[Verdict]]:
            oracle = build()
            return list(await asyncio.gather(*(oracle.judge(trace) for trace in all_traces)))

        together = [list(verdicts) for verdicts in self.run(at_once())]
        assert together == self._judge_traces(build(), all_traces)

    def test_a_stored_trace_is_judged_the_same(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        stored = [Trace.model_validate_json(trace.model_dump_json()) for trace in all_traces]
        assert self._judge_traces(build(), stored) == self._judge_traces(build(), all_traces), (
            "a trace that was read back from the log is judged otherwise"
        )

    def test_traces_are_left_as_they_are(self, build: Build, all_traces: Sequence[Trace]) -> None:
        before = [trace.model_dump_json() for trace in all_traces]
        oracle = build()
        self._judge_traces(oracle, all_traces)
        self._conclude(oracle, Source(lambda: all_traces))
        assert [trace.model_dump_json() for trace in all_traces] == before, "it changed a trace"

    def test_verdicts_stay_small_whatever_the_app_says(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        for trace, verdicts in zip(
            all_traces, self._judge_traces(build(), all_traces), strict=True
        ):
            size = sum(len(verdict.model_dump_json()) for verdict in verdicts)
            assert size <= self.most_bytes, f"{size:,} bytes of verdicts on {trace.case.id}"

    def test_no_traces_can_be_concluded(self, build: Build) -> None:
        for verdict in self._conclude(build(), Source(lambda: ())):
            _check(verdict, {})

    def test_conclusions_are_sound(self, build: Build, all_traces: Sequence[Trace]) -> None:
        known = {trace.case.id: len(trace.turns) for trace in all_traces}
        for verdict in self._conclude(build(), Source(lambda: all_traces)):
            _check(verdict, known)

    def test_conclusions_are_of_the_conditions_that_it_names(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        known = build().conditions()
        if known is None:
            pytest.skip("it says what it concludes only once it has concluded")
        verdicts = self._conclude(build(), Source(lambda: all_traces))
        found = {one.check for one in verdicts if one.gating}
        assert found <= known, "a run would judge by conditions that it never said it has"

    def test_equal_runs_get_equal_conclusions(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        oracle = build()
        first = self._conclude(oracle, Source(lambda: all_traces))
        assert self._conclude(oracle, Source(lambda: all_traces)) == first, (
            "concluding again gives other verdicts"
        )
        assert self._conclude(build(), Source(lambda: all_traces)) == first, (
            "another instance concludes otherwise"
        )

    def test_concluding_does_not_need_judging_first(
        self, build: Build, all_traces: Sequence[Trace]
    ) -> None:
        oracle = build()
        self._judge_traces(oracle, all_traces)
        after = self._conclude(oracle, Source(lambda: all_traces))
        assert self._conclude(build(), Source(lambda: all_traces)) == after, (
            "it concludes from what it judged: a run that was taken up again would differ"
        )

    def test_concluding_does_not_hold_all_traces(self, build: Build) -> None:
        source = Source(_many)
        self._conclude(build(), source)
        assert source.most_alive <= _MANY // 2, (
            f"{source.most_alive} of {_MANY} traces were in memory at one time"
        )

    def _judge_traces(self, oracle: Oracle[Any], traces: Sequence[Trace]) -> list[list[Verdict]]:
        async def judge() -> list[list[Verdict]]:
            return [list(await oracle.judge(trace)) for trace in traces]

        return self.run(judge())

    def _conclude(self, oracle: Oracle[Any], source: Source) -> list[Verdict]:
        async def conclude() -> list[Verdict]:
            return list(await oracle.conclude(source))

        return self.run(conclude())


def _check(verdict: Any, turns: Mapping[str, int]) -> None:
    """Check a verdict on cases with so many turns each."""
    assert isinstance(verdict, Verdict), f"{verdict!r} is no Verdict"
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict, (
        f"{verdict!r} is another one when it is read back from the log"
    )
    assert verdict.outcome in _UNEXPLAINED or verdict.reason.strip(), (
        f"{verdict.check} says {verdict.outcome} and no reason"
    )
    strangers = set(verdict.case_ids) - turns.keys()
    assert not strangers, f"{verdict.check} is about {strangers}, which it was not given"
    for reference in verdict.turns:
        assert reference.case_id in turns, f"{verdict.check} refers to case {reference.case_id}"
        assert 0 <= reference.turn < turns[reference.case_id], (
            f"{verdict.check} refers to turn {reference.turn} of {turns[reference.case_id]}"
        )


def _many() -> Iterator[Trace]:
    """Many plain traces, each made when it is asked for."""
    for number in range(_MANY):
        price = {"price": f"{number % 7}.00"}
        yield trace_of([("How much?", f"{number % 7} dollars")], outputs=price, number=number)
