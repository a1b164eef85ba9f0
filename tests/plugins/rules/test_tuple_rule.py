"""Rules over two or more conversations against plain nested loops over all tuples."""

import asyncio
import re
import time
from collections import Counter
from itertools import permutations
from math import nan, perm
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.compile.evaluation import Evaluator
from sparring_plugins.rules.parse.syntax import ExpressionSource, Scope
from sparring_plugins.rules.run.decisions import decide_error, is_missing_value
from sparring_plugins.rules.values.function_calls import Questions
from sparring_plugins.rules.values.record import Record, SenseiRecord
from sparring_plugins.rules.values.work import UnknownName

from .judging import Bench, counts, pizza

VALUES = st.one_of(
    st.sampled_from([0, 1, 2, True, False, 1.0, 2.5, "1", "a", "b", "", None, "None"]),
    st.lists(st.sampled_from([1, "a", None, 2.5]), max_size=2),
    st.just(nan),
    st.just({"k": 1}),
)
#: Inputs that some conversations do not have.
CONVERSATIONS = st.lists(
    st.fixed_dictionaries({"a": VALUES}, optional={"b": VALUES, "c": VALUES}), max_size=6
)
CONDITIONS = {
    2: [
        "conv[0].a == conv[1].a",
        "conv[1].b == conv[0].b",
        "conv[0].a == conv[1].b",
        "conv[0].a > conv[1].a",
        "conv[0].a != conv[1].a",
        "conv[0].b",
        "not conv[1].a",
        "conv[0].a == 1",
        "len(conv[0].a) == len(conv[1].a)",
        "hasattr(conv[1], 'c')",
        "conv[0].c is None or conv[1].c == conv[0].c",
        "str(conv[0].a) + str(conv[1].a) != '11'",
        "any(x == conv[1].a for x in conv[0].a)",
        "1 < 2",
        "conv[0].a in [1, 'a']",
        "conv[1].a[0] == 1",
        "(conv[0].a, conv[0].b) == (conv[1].a, conv[1].b)",
        "{'k': conv[0].a} == {'k': conv[1].a}",
    ],
    3: [
        "conv[0].a == conv[1].a",
        "conv[1].a == conv[2].a",
        "conv[0].b == conv[2].b",
        "conv[0].a > conv[1].a",
        "conv[2].a != conv[0].a",
        "conv[1].b",
        "len(conv[0].a) + len(conv[1].a) > len(conv[2].a)",
        "conv[0].a == 1",
        "conv[0].a[0] < conv[1].a[0]",
        "conv[0].a == conv[2].a",
        "conv[1].b == conv[2].b",
        "conv[0].a[0] == conv[2].a[0]",
        "conv[1].a[0] == conv[2].a[0]",
        "conv[0].a == conv[1].a == conv[2].a",
        "conv[0].b == conv[2].b == conv[1].a",
    ],
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, list[str], str, list[dict[str, Any]]]:
    size = draw(st.sampled_from([2, 2, 3]))
    conditions = draw(st.lists(st.sampled_from(CONDITIONS[size]), max_size=4))
    oracle = draw(st.sampled_from(CONDITIONS[size]))
    return size, conditions, oracle, draw(CONVERSATIONS)


def conversation(number: int, values: dict[str, Any]) -> Trace:
    case = Case(id=f"c{number}", scenario="s", params=values)
    return trace_of([("hi", "hello")], case=case)


class Naive:
    """Looks at all tuples one after the other, with expressions compiled for whole records."""

    def __init__(self, bench: Bench, size: int, sensei: bool) -> None:
        functions = bench.context.functions()
        self.sensei = sensei
        self.evaluator = Evaluator(functions, Questions(None, 1), work=1_000_000)
        self.scope = Scope(size, False, "filter", sensei, functions)

    def counts(
        self, conditions: list[str], oracle: str, traces: list[Trace]
    ) -> Counter[tuple[Outcome, Owner | None]]:
        record = SenseiRecord if self.sensei else Record
        compiled = [self._both_ways(one) for one in conditions]
        last = self.evaluator.compile(ExpressionSource(oracle), self.scope)
        found: Counter[tuple[Outcome, Owner | None]] = Counter()
        for chosen in permutations(traces, self.scope.conversations):
            records = [record(trace) for trace in chosen]
            found[self._decide(compiled, last, records)] += 1
        return found

    def _both_ways(self, condition: str) -> list[Any]:
        """An equality also with its sides swapped: a value that is missing on either counts."""
        sides = re.fullmatch(r"([^ ]+) == ([^ ]+)", condition)
        texts = [condition]
        if sides and not self.sensei:
            texts.append(f"{sides[2]} == {sides[1]}")
        return [self.evaluator.compile(ExpressionSource(one), self.scope) for one in texts]

    def _decide(self, conditions: Any, oracle: Any, records: Any) -> tuple[Outcome, Owner | None]:
        error = None
        for condition in (way for ways in conditions for way in ways):
            try:
                if not self.evaluator.evaluate(condition, *records):
                    return Outcome.SKIPPED, None
            except Exception as err:  # noqa: BLE001
                if self.sensei or isinstance(err, UnknownName) or is_missing_value(err):
                    return Outcome.SKIPPED, None
                error = error or err
        if error is not None:
            return Outcome.ERROR, Owner.TEST
        try:
            value = self.evaluator.evaluate(oracle, *records)
        except Exception as err:  # noqa: BLE001
            decision = decide_error(err, oracle.source)
            if self.sensei:
                return Outcome.FAIL, Owner.APP
            return decision.outcome, decision.owner
        return (Outcome.PASS, None) if value == True else (Outcome.FAIL, Owner.APP)  # noqa: E712


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_tuples_are_counted_as_by_nested_loops(
    tmp_path_factory: pytest.TempPathFactory, compat: str | None
) -> None:
    @settings(suppress_health_check=list(HealthCheck))
    @given(cases())
    def check(case: tuple[int, list[str], str, list[dict[str, Any]]]) -> None:
        size, conditions, oracle, values = case
        size = 2 if compat else size
        if compat and "conv[2]" in " ".join([*conditions, oracle]):
            return
        bench = Bench(Path(tmp_path_factory.mktemp("rules")))
        rule: dict[str, Any] = {"conversations": size, "oracle": oracle}
        if conditions:
            rule["when"] = " and ".join(f"({one})" for one in conditions)
        traces = [conversation(number, one) for number, one in enumerate(values)]
        built = bench.oracle(rule, compat=compat, max_failures_listed=3)
        built.rules.tuples[0].unseen.names.clear()
        found: Counter[tuple[Outcome, Owner | None]] = Counter()
        for verdict in bench.judge(built, traces):
            if verdict.details.get("checks") != 0:
                found[verdict.outcome, verdict.owner] += verdict.count
        naive = Naive(bench, size, compat == "sensei")
        assert found == naive.counts(conditions, oracle, traces)

    check()


PAIRS = {
    "conversations": 2,
    "when": "conv[0].size == conv[1].size",
    "oracle": "conv[0].amount <= conv[1].amount",
    "yields": "f'{conv[0].amount} > {conv[1].amount}'",
}


def test_each_ordered_pair_of_different_conversations_is_a_check(bench: Bench) -> None:
    traces = [pizza(amount=n, n=n) for n in range(4)]
    assert counts(bench.verdicts(PAIRS, on=traces)) == {Outcome.PASS: 6, Outcome.FAIL: 6}


def test_failures_are_listed_in_order_up_to_a_limit_and_the_rest_summed_up(bench: Bench) -> None:
    traces = [pizza(amount=n, n=n) for n in range(4)]
    verdicts = bench.verdicts(PAIRS, on=traces, max_failures_listed=2)
    failed = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]
    ids = [trace.case.id for trace in traces]
    assert [verdict.case_ids for verdict in failed] == [(ids[1], ids[0]), (ids[2], ids[0]), ()]
    assert [verdict.count for verdict in failed] == [1, 1, 4]
    assert failed[0].reason.startswith("1 > 0 (")
    assert "conv[0].amount is 1; conv[1].amount is 0" in failed[0].reason
    assert failed[0].details["yields"] == "1 > 0"
    assert failed[2].reason == "4 more like those listed"


def test_a_rule_needs_as_many_conversations_as_it_compares(bench: Bench) -> None:
    [verdict] = bench.verdicts({**PAIRS, "conversations": 3}, on=[pizza(), pizza(n=1)])
    assert verdict.outcome is Outcome.SKIPPED
    assert verdict.reason == "does not apply: it needs 3 conversations, there are 2"


def test_triples_are_joined_along_equalities(bench: Bench) -> None:
    rule = {
        "conversations": 3,
        "when": "conv[0].g == conv[1].g and conv[1].g == conv[2].g",
        "oracle": "conv[0].n + conv[1].n + conv[2].n == 3",
    }
    traces = [pizza(g=n // 3, n=n) for n in range(60)]
    found = counts(bench.verdicts(rule, on=traces))
    assert found == {Outcome.PASS: 6, Outcome.FAIL: 19 * 6, Outcome.SKIPPED: 60 * 59 * 58 - 120}


@pytest.mark.thorough
def test_an_equality_makes_twenty_thousand_conversations_cheap(bench: Bench) -> None:
    traces = [pizza(g=n // 2, n=n) for n in range(20_000)]
    rule = {"conversations": 2, "when": "conv[0].g == conv[1].g", "oracle": "conv[0].n >= 0"}
    oracle = bench.oracle(rule)
    started = time.process_time()
    found = counts(asyncio.run(_concluded(oracle, traces)))
    assert found == {Outcome.PASS: 20_000, Outcome.SKIPPED: 20_000 * 19_999 - 20_000}
    assert time.process_time() - started < 10


@pytest.mark.thorough
def test_a_rule_without_equality_stops_at_the_limit_of_work(bench: Bench) -> None:
    traces = [pizza(n=n) for n in range(20_000)]
    rule = {"conversations": 2, "when": "conv[0].n > conv[1].n", "oracle": "conv[0].n < 100"}
    oracle = bench.oracle(rule, tuple_work=3_000_000)
    started = time.process_time()
    verdicts = asyncio.run(_concluded(oracle, traces))
    assert time.process_time() - started < 20
    stopped = verdicts[-1]
    assert (stopped.outcome, stopped.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    assert "of 399,980,000 tuples of 2 conversations were not looked at" in stopped.reason
    assert sum(counts(verdicts).values()) == 20_000 * 19_999
    assert counts(verdicts)[Outcome.PASS] > 1_000


def test_the_default_limit_is_reached_in_reasonable_time(bench: Bench) -> None:
    """100,000,000 units are some ten seconds, whatever the number of conversations."""
    assert bench.oracle(PAIRS).config.tuple_work == 100_000_000


async def _concluded(oracle: Any, traces: list[Trace]) -> Any:
    return await oracle.conclude(traces)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"oracle": "price == 1"}, "`price` of which conversation? Write conv[0].price"),
        ({"oracle": "conv[2].price == 1"}, "conv[2]: this rule is over 2 conversation(s)"),
        ({"oracle": "conv[x].price == 1"}, "write conv[0] with a plain number"),
        ({"oracle": "conv == 1"}, "write conv[0] and a name"),
        ({"oracle": "conversation_length() > 1"}, "Write conversation_length(..., of=conv[0])"),
        ({"oracle": "is_unique('x')"}, "is for the oracle of a rule with `conversations: all`"),
        ({"oracle": "[c.price for c in conv]"}, "write conv[0] and a name"),
    ],
)
def test_what_has_no_meaning_over_pairs_is_refused(
    bench: Bench, rule: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle({"conversations": 2, **rule})
    assert message in str(caught.value)


def test_functions_about_a_conversation_say_which(bench: Bench) -> None:
    rule = {
        "conversations": 2,
        "oracle": "conversation_length(of=conv[0]) == conversation_length('both', of=conv[1])",
    }
    traces = [pizza(), pizza(n=1), pizza(n=2, said=[("a", "b")])]
    assert counts(bench.verdicts(rule, on=traces)) == {Outcome.PASS: 2, Outcome.FAIL: 4}


def test_missing_values_of_pairs_are_inconclusive_and_summed_up(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "extract_float(conv[0].price) <= 99"}
    traces = [pizza(), pizza(n=1, outputs={"price": None}), pizza(n=2)]
    verdicts = bench.verdicts(rule, on=traces)
    assert counts(verdicts) == {Outcome.PASS: 4, Outcome.INCONCLUSIVE: 2}
    [unclear] = [one for one in verdicts if one.outcome is Outcome.INCONCLUSIVE]
    assert unclear.owner is Owner.SIMULATED_USER


def test_a_name_that_no_conversation_has_is_an_error_with_file_line_and_nearest_name(
    bench: Bench,
) -> None:
    rule = {**PAIRS, "when": "conv[0].sise == conv[1].sise"}
    verdicts = bench.verdicts(rule, on=[pizza(), pizza(n=1)])
    error = verdicts[-1]
    assert (error.outcome, error.owner) == (Outcome.ERROR, Owner.TEST)
    assert error.reason == "000.yaml:4: when: no conversation has `sise`. Did you mean 'size'?"


def test_columns_of_one_expression_are_shared_between_places(bench: Bench) -> None:
    oracle = bench.oracle({**PAIRS, "oracle": "conv[0].amount <= conv[1].amount + 0 * len('x')"})
    assert len(oracle.rules.tuples[0].plan.columns) <= 4


def test_an_input_that_sensei_hides_is_warned_of(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "conv[0].number != conv[1].number"}
    verdicts = bench.verdicts(rule, on=[pizza(number=1), pizza(number=2)])
    assert counts(verdicts) == {Outcome.PASS: 2}
    assert "`number` is the input called so" in bench.context.warnings[0]


SAME_SIZE = {
    "a chain": "conv[0].size == conv[1].size == conv[2].size == conv[3].size",
    "neighbours": "conv[0].size == conv[1].size and conv[1].size == conv[2].size "
    "and conv[2].size == conv[3].size",
    "all with the last": "conv[0].size == conv[3].size and conv[1].size == conv[3].size "
    "and conv[2].size == conv[3].size",
    "all with the first": "conv[1].size == conv[0].size and conv[2].size == conv[0].size "
    "and conv[3].size == conv[0].size",
}


@pytest.mark.parametrize("when", SAME_SIZE.values(), ids=SAME_SIZE)
def test_equalities_join_four_conversations_however_they_are_written(
    bench: Bench, when: str
) -> None:
    """With 400 conversations there are 25 thousand million tuples; the limit is two million."""
    traces = [pizza(size=f"s{number % 80}", amount=number) for number in range(400)]
    rule = {"conversations": 4, "when": when, "oracle": "conv[0].amount >= 0"}
    verdicts = bench.verdicts(rule, on=traces, tuple_work=2_000_000)[-2:]
    assert counts(verdicts) == {
        Outcome.PASS: 80 * 5 * 4 * 3 * 2,
        Outcome.SKIPPED: 400 * 399 * 398 * 397 - 80 * 5 * 4 * 3 * 2,
    }


@pytest.mark.parametrize("size", [3, 4, 5])
def test_without_an_equality_work_ends_at_its_limit_and_says_how_much_is_left(
    bench: Bench, size: int
) -> None:
    traces = [pizza(amount=number) for number in range(150)]
    rule = {"conversations": size, "oracle": "conv[0].amount >= 0"}
    verdicts = bench.verdicts(rule, on=traces, tuple_work=200_000)
    last = verdicts[-1]
    assert (last.outcome, last.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    assert "stopped at the limit of work" in last.reason
    assert sum(one.count for one in verdicts) == perm(150, size)
