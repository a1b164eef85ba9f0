"""Whose fault it is: of a function, of the rule, of the machine, of the user."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.errors import EnvironmentFailure, MissingExtra
from sparring.interfaces.rule_function import Explained, RuleFunction, rule_function
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner
from sparring_plugins.rules.functions.plain_values import extract_float

from .judging import Bench, counts, pizza


def _raising(error: BaseException) -> Callable[..., Any]:
    def function(text: str) -> float:
        raise error

    return function


def _returning(value: Any) -> Callable[..., Any]:
    def function(text: str) -> float:
        return value  # type: ignore[no-any-return]

    return function


@pytest.mark.parametrize(
    "function",
    [
        _raising(KeyError("a bug")),
        _raising(IndexError("a bug")),
        _raising(TypeError("'NoneType' object is not subscriptable")),
        _raising(AttributeError("'NoneType' object has no attribute 'x'")),
        _raising(RecursionError()),
        _returning(None),
        _returning("12"),
        _returning([1]),
        _returning(object()),
    ],
)
@pytest.mark.parametrize("oracle", ["f(price) == 12.5", "f(price) != 12.5", "not f(price)"])
def test_a_function_that_breaks_is_never_the_apps_fault(
    bench: Bench, function: Callable[..., Any], oracle: str
) -> None:
    functions = {"f": RuleFunction(function)}
    verdict = bench.one(oracle, pizza(), functions=functions)
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)
    assert "the function f()" in verdict.reason
    pairs = {"conversations": 2, "oracle": oracle.replace("price", "conv[0].price")}
    found = bench.verdicts(pairs, on=[pizza(n=1), pizza(n=2)], functions=functions)
    assert {(one.outcome, one.owner) for one in found} == {(Outcome.ERROR, Owner.TOOL)}
    every = {"conversations": "all", "oracle": f'all_of("{oracle}")'}
    found = bench.verdicts(every, on=[pizza(n=1), pizza(n=2)], functions=functions)
    assert {(one.outcome, one.owner) for one in found} == {(Outcome.ERROR, Owner.TOOL)}


@pytest.mark.parametrize(
    ("oracle", "function"),
    [
        ("f(amount) == 1", _raising(TypeError("f() needs a text, not 2"))),
        ("f(price) == 1", _raising(ValueError("12 is too much"))),
        ("f() == 1", _raising(KeyError("never called"))),
        ("f(amount).strip() == ''", _raising(AttributeError("'int' object has no attribute"))),
        ("f(price)['x'] == 1", _returning(12.5)),
    ],
)
def test_a_rule_that_calls_wrongly_is_the_tests_fault(
    bench: Bench, oracle: str, function: Callable[..., Any]
) -> None:
    verdict = bench.one(oracle, pizza(), functions={"f": RuleFunction(function)})
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TEST)


def test_without_annotations_a_complaint_about_arguments_is_the_tests(bench: Bench) -> None:
    def function(text):  # type: ignore[no-untyped-def]
        raise TypeError("not a text")

    verdict = bench.one("f(price) == 1", pizza(), functions={"f": RuleFunction(function)})
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TEST)


@pytest.mark.parametrize(
    "error", [MissingExtra("pip install 'sparring[language]'"), EnvironmentFailure("no browser")]
)
def test_what_is_not_installed_is_the_environments(bench: Bench, error: Exception) -> None:
    verdict = bench.one("f(price) == 1", pizza(), functions={"f": RuleFunction(_raising(error))})
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.ENVIRONMENT)
    assert str(error) in verdict.reason


def test_a_function_about_the_conversation_keeps_its_promise_too(bench: Bench) -> None:
    @rule_function(conversation=True)
    def count(trace: Trace) -> int:
        return None  # type: ignore[return-value]

    @rule_function(conversation=True)
    def told(trace: Trace) -> Explained:
        return 3  # type: ignore[return-value]

    for name, function in (("count", count), ("told", told)):
        verdict = bench.one(f"{name}() == 3", pizza(), functions={name: function})
        assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)


def test_a_good_function_is_left_in_peace(bench: Bench) -> None:
    functions = {"extract_float": extract_float}
    assert bench.one("extract_float(price) == 12.5", pizza(), functions=functions).outcome is (
        Outcome.PASS
    )
    assert bench.one("extract_float('none') is None", pizza(), functions=functions).outcome is (
        Outcome.PASS
    )


# Time rules

FAST, SLOW = 0.5, 3.0


def timed(*latencies: float, starved: tuple[float, ...] = (), duration_s: float = 0.0) -> Trace:
    said = [(f"question {number}", f"answer {number}") for number in range(len(latencies))]
    trace = pizza(said=said, latencies=list(latencies))
    lacks = [*starved, *[0.0] * len(latencies)]
    turns = tuple(
        turn.model_copy(update={"starved_s": lack})
        for turn, lack in zip(trace.turns, lacks, strict=False)
    )
    return trace.model_copy(update={"turns": turns, "duration_s": duration_s or sum(latencies)})


SHORT = [
    "max_response_time < 2",
    "average_response_time < 2",
    "all(one < 2 for one in response_times)",
    "all(turn['response_time'] < 2 for turn in turns)",
    {"for_each": "answer", "oracle": "turn.latency < 2"},
    {"conversations": "all", "oracle": "percentile('response_times', 95) < 2"},
    {"conversations": 2, "oracle": "conv[0].max_response_time < 2"},
]


@pytest.mark.parametrize("rule", SHORT, ids=str)
def test_a_slow_app_fails_and_a_starved_machine_does_not(bench: Bench, rule: Any) -> None:
    def judged(trace: Trace) -> dict[tuple[Outcome, Owner | None], int]:
        other = trace.model_copy(update={"case": trace.case.model_copy(update={"id": "other"})})
        found = bench.verdicts(rule, on=[trace, other])
        return {(one.outcome, one.owner): one.count for one in found}

    assert (Outcome.FAIL, Owner.APP) in judged(timed(SLOW, SLOW))
    assert (Outcome.FAIL, Owner.APP) in judged(timed(SLOW, SLOW, starved=(0.01, 0.0)))
    starved = judged(timed(SLOW, SLOW, starved=(1.5, 1.5)))
    assert (Outcome.INCONCLUSIVE, Owner.ENVIRONMENT) in starved
    assert Outcome.FAIL not in {outcome for outcome, _ in starved}
    assert Outcome.FAIL not in {outcome for outcome, _ in judged(timed(FAST, starved=(0.4,)))}


@pytest.mark.parametrize("rule", SHORT, ids=str)
def test_an_app_that_shared_its_processor_is_not_blamed(bench: Bench, rule: Any) -> None:
    def outcomes(load: float) -> set[tuple[Outcome, Owner | None]]:
        trace = timed(SLOW, SLOW).model_copy(
            update={"meta": {"machine_load": {"0": load, "1": load}}}
        )
        other = trace.model_copy(update={"case": trace.case.model_copy(update={"id": "other"})})
        return {(one.outcome, one.owner) for one in bench.verdicts(rule, on=[trace, other])}

    assert outcomes(12.0) == {(Outcome.INCONCLUSIVE, Owner.ENVIRONMENT)}
    assert outcomes(1.0) == {(Outcome.FAIL, Owner.APP)}


def test_a_busy_machine_does_not_excuse_what_is_too_slow_even_so(bench: Bench) -> None:
    trace = timed(90.0).model_copy(update={"meta": {"machine_load": {"0": 12.0}}})
    assert bench.one("max_response_time < 2", trace).outcome is Outcome.FAIL


def test_an_app_that_was_fast_in_spite_of_the_machine_passes(bench: Bench) -> None:
    verdict = bench.one("max_response_time < 2", timed(FAST, starved=(0.4,)))
    assert verdict.outcome is Outcome.PASS


def test_a_pass_that_only_the_machine_brought_about_is_none(bench: Bench) -> None:
    verdict = bench.one("max_response_time > 2", timed(SLOW, starved=(2.0,)))
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.ENVIRONMENT)


def test_a_small_share_counts_if_it_decides(bench: Bench) -> None:
    verdict = bench.one("max_response_time < 2", timed(2.05, starved=(0.1,)))
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.ENVIRONMENT)
    assert "the machine gave Sparring no processor time" in verdict.reason


def test_rules_that_read_no_times_are_judged_whatever_the_machine_did(bench: Bench) -> None:
    trace = timed(SLOW, starved=(2.9,))
    assert bench.one("'x' in chatbot_phrases[0]", trace).outcome is Outcome.FAIL
    rule = {"for_each": "answer", "oracle": "answer == 'x'"}
    assert counts(bench.verdicts(rule, on=[trace])) == {Outcome.FAIL: 1}


def test_one_starved_turn_does_not_excuse_another(bench: Bench) -> None:
    rule = {"for_each": "answer", "oracle": "turn.latency < 2"}
    found = counts(bench.verdicts(rule, on=[timed(SLOW, SLOW, starved=(2.0, 0.0))]))
    assert found == {Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 1}


def test_the_time_of_a_whole_conversation_is_not_all_the_apps(bench: Bench) -> None:
    rule = "conversation_time < 10"
    slow_user = bench.one(rule, timed(1.0, 1.0, duration_s=60))
    assert (slow_user.outcome, slow_user.owner) == (Outcome.INCONCLUSIVE, Owner.SIMULATED_USER)
    assert bench.one(rule, timed(9.0, 9.0, duration_s=60)).outcome is Outcome.FAIL


def test_sensei_reads_times_as_they_are(bench: Bench) -> None:
    verdict = bench.one("1 == 2", timed(SLOW, starved=(2.9,)), compat="sensei")
    assert verdict.outcome is Outcome.FAIL
