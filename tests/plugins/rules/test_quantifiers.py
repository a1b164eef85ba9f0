"""Functions over all conversations, and groups of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner
from sparring_plugins.rules.run.quantifiers import Duplicate, Quantifiers
from sparring_plugins.rules.values.work import Work

from .judging import Bench, counts, pizza


def orders() -> list[Trace]:
    """Four orders: two small ones, one big one, and a big one without a price."""
    return [
        pizza(size="small", amount=1, outputs={"price": "$10"}, latencies=[1.0, 2.0]),
        pizza(size="small", amount=2, outputs={"price": "$12"}, latencies=[3.0, 4.0]),
        pizza(size="big", amount=3, outputs={"price": "$20"}, latencies=[5.0, 6.0]),
        pizza(size="big", amount=4, outputs={"price": None}, latencies=[7.0, 8.0]),
    ]


TRUE = [
    "all_of('amount > 0')",
    "all_of('missing_name > 0')",
    "none_of('amount > 4')",
    "none_of('missing_name')",
    "share('amount > 2') == 0.5",
    "share('extract_float(price) < 15') == 2 / 3",
    "share('missing_name') is None",
    "values('size') == ['small', 'small', 'big', 'big']",
    "values('price') == ['$10', '$12', '$20']",
    "average('extract_float(price)') == 14",
    "average('missing_name') is None",
    "median('amount') == 2",
    "percentile('amount', 0) == 1 and percentile('amount', 100) == 4",
    "percentile('amount', 75) == 3 and percentile('amount', 76) == 4",
    "percentile('response_times', 50) == 4",
    "total('amount') == 10 and total('missing_name') == 0",
    "smallest('amount') == 1 and largest('amount') == 4",
    "smallest('missing_name') is None",
    "same('toppings') and not same('size')",
    "len(conv) == 4",
]


@pytest.mark.parametrize("oracle", TRUE)
def test_the_functions_say_what_is_so(bench: Bench, oracle: str) -> None:
    # somebody has the name, but is not among those that are spoken of
    extra = [pizza(missing_name=None, amount=0)] if "missing_name" in oracle else []
    rule = {"conversations": "all", "when": "amount > 0", "oracle": oracle}
    verdict = bench.verdicts(rule, on=[*orders(), *extra])[0]
    assert verdict.outcome is Outcome.PASS, verdict.reason


FALSE = [
    ("all_of('amount < 3')", "`amount < 3` is false in ", [2, 3]),
    ("none_of('amount > 3')", "`amount > 3` is true in ", [3]),
    ("same('size')", "size is 'small' in ", [0, 2]),
]


@pytest.mark.parametrize(("oracle", "reason", "which"), FALSE)
def test_a_failure_names_the_conversations_that_show_it(
    bench: Bench, oracle: str, reason: str, which: list[int]
) -> None:
    traces = orders()
    verdict = bench.verdicts({"conversations": "all", "oracle": oracle}, on=traces)[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.FAIL, Owner.APP)
    assert reason in verdict.reason
    assert list(verdict.case_ids) == [traces[index].case.id for index in which]


@pytest.mark.parametrize(
    "oracle", ["all_of('extract_float(price) > 5')", "none_of('extract_float(price) > 50')"]
)
def test_a_missing_value_leaves_it_open_unless_another_decides(bench: Bench, oracle: str) -> None:
    verdict = bench.verdicts({"conversations": "all", "oracle": oracle}, on=orders())[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.SIMULATED_USER)
    decided = oracle.replace("> 50", "> 5") if "none_of" in oracle else oracle.replace("5", "15")
    (bench.folder / "000.yaml").unlink()
    verdict = bench.verdicts({"conversations": "all", "oracle": decided}, on=orders())[0]
    assert verdict.outcome is Outcome.FAIL


ERRORS = [
    ("average('size')", "average('size') needs numbers, not 'small'"),
    ("total('amount > 1')", "total('amount > 1') needs numbers, not False"),
    ("percentile('amount', 101) > 0", "needs a number from 0 to 100, not 101"),
    ("percentile('amount', 'x') > 0", "percentile() needs a number from 0 to 100"),
    ("all_of('1 // (amount - 1) >= 0')", "ZeroDivisionError"),
    ("values('1 // (amount - 1)')", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("oracle", "message"), ERRORS)
def test_errors_are_the_rules(bench: Bench, oracle: str, message: str) -> None:
    verdict = bench.verdicts({"conversations": "all", "oracle": oracle}, on=orders())[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TEST)
    assert message in verdict.reason


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"oracle": "all_of('amount > 1')"}, "for the oracle of a rule with `conversations: all`"),
    ({"conversations": 2, "oracle": "same('size')"}, "for the oracle of a rule with"),
    ({"conversations": "all", "oracle": "all_of(3)"}, "all_of() takes one plain text"),
    ({"conversations": "all", "oracle": "percentile('a')"}, "one plain text and a number"),
    ({"conversations": "all", "oracle": "all_of('a ==')"}, "not a valid expression"),
    ({"conversations": "all", "oracle": "all_of('f(a)')"}, "no function is called `f`"),
    ({"conversations": "all", "oracle": "al_of('a')"}, "Did you mean 'all_of'"),
    ({"conversations": "all", "oracle": "group == 1"}, "this oracle sees all conversations"),
    ({"group_by": "size", "oracle": "True"}, "only rules with `conversations: all` have groups"),
    ({"conversations": "all", "group_by": [], "oracle": "True"}, "must be an expression or a"),
    ({"conversations": "all", "group_by": 3, "oracle": "True"}, "must be an expression or a"),
    ({"conversations": "all", "group_by": "size +", "oracle": "True"}, "not a valid expression"),
]


@pytest.mark.parametrize(("rule", "message"), WRONG, ids=[why for _, why in WRONG])
def test_what_is_wrong_is_said_before_anything_runs(
    bench: Bench, rule: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle(rule)
    assert message in str(caught.value)


def test_each_group_is_a_check_of_its_own(bench: Bench) -> None:
    rule = {
        "conversations": "all",
        "group_by": "size",
        "oracle": "same('price') or group == 'big'",
        "yields": "f'{group} costs {values(\"price\")}'",
    }
    traces = [*orders(), pizza(size="big", outputs={"price": "$20"})]
    failed, passed = bench.verdicts(rule, on=traces)
    assert "small costs ['$10', '$12'] (where size is 'small': " in failed.reason
    assert failed.case_ids == (traces[0].case.id, traces[1].case.id)
    assert (passed.outcome, passed.count) == (Outcome.PASS, 1)


def test_several_expressions_group_together(bench: Bench) -> None:
    rule = {
        "conversations": "all",
        "group_by": ["size", "amount % 2"],
        "oracle": "len(conv) == 1 and type_of == 0 and group[1] in [0, 1]",
        "parameters": {"type_of": 0},
    }
    assert counts(bench.verdicts(rule, on=orders())) == {Outcome.PASS: 4}


def test_of_one_value_nothing_can_be_the_same(bench: Bench) -> None:
    rule = {"conversations": "all", "group_by": "amount", "oracle": "same('size')"}
    verdicts = bench.verdicts(rule, on=orders())
    assert counts(verdicts) == {Outcome.SKIPPED: 4}
    assert "fewer than two conversations have a value of `size`" in verdicts[0].reason


def test_what_cannot_be_grouped_is_told_apart(bench: Bench) -> None:
    missing = {"conversations": "all", "group_by": "price", "oracle": "True"}
    found = bench.verdicts(missing, on=orders())
    assert counts(found) == {Outcome.PASS: 3, Outcome.SKIPPED: 1}
    assert "nothing to group it by" in found[-1].reason
    (bench.folder / "000.yaml").unlink()
    broken = {"conversations": "all", "group_by": "1 // (amount - 1)", "oracle": "True"}
    found = bench.verdicts(broken, on=orders())
    assert counts(found) == {Outcome.PASS: 2, Outcome.ERROR: 1}
    assert "group_by: ZeroDivisionError" in next(
        one.reason for one in found if one.outcome is Outcome.ERROR
    )


def test_many_groups_that_fail_are_summed_up(bench: Bench) -> None:
    rule = {"conversations": "all", "group_by": "amount", "oracle": "False"}
    found = bench.verdicts(rule, on=orders(), max_failures_listed=1)
    assert [(one.outcome, one.count) for one in found] == [(Outcome.FAIL, 1), (Outcome.FAIL, 3)]
    assert found[1].reason == "3 more groups like those listed"


def test_no_conversation_is_kept_from_one_conclusion_to_the_next(bench: Bench) -> None:
    rule = {"conversations": "all", "group_by": "size", "oracle": "len(conv) == 2"}
    oracle = bench.oracle(rule)
    assert counts(bench.judge(oracle, orders())) == counts(bench.judge(oracle, orders()))


class One:
    def __init__(self, number: int, value: Any) -> None:
        self.case_id = f"c{number}"
        self.tests = {"x": value}


@given(st.lists(st.integers(-50, 50), min_size=1), st.integers(0, 100))
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(
    numbers: list[int], percent: int
) -> None:
    ones = [One(number, value) for number, value in enumerate(numbers)]
    found = Quantifiers(ones, lambda one: one, Work(10**6), Duplicate()).percentile("x", percent)
    assert found in numbers
    assert sum(one <= found for one in numbers) * 100 >= percent * len(numbers)
    lower = [one for one in numbers if one < found]
    if lower:
        assert sum(one <= max(lower) for one in numbers) * 100 < percent * len(numbers)
