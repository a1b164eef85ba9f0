"""Rules over all conversations."""

from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.verdict import Outcome, Owner, Verdict

from .judging import Bench, counts, pizza


def over_all(oracle: str, **keys: Any) -> dict[str, Any]:
    return {"conversations": "all", **keys, "oracle": oracle}


def ids(*order_ids: Any) -> list[Any]:
    return [pizza(n=n, outputs={"order_id": one, "n": n}) for n, one in enumerate(order_ids)]


def test_values_are_unique_or_the_two_that_are_equal_are_named(bench: Bench) -> None:
    rule = over_all("is_unique('order_id')")
    assert counts(bench.verdicts(rule, on=ids("a", "b"))) == {Outcome.PASS: 1}
    traces = ids("a", "b", "a", "b")
    [verdict] = bench.verdicts(rule, on=traces)
    assert (verdict.outcome, verdict.owner) == (Outcome.FAIL, Owner.APP)
    first, third = traces[0].case.id, traces[2].case.id
    assert verdict.case_ids == (first, third)
    assert verdict.reason == (
        f"`is_unique('order_id')` is false: order_id is 'a' in {first} and in {third}"
    )


@pytest.mark.parametrize("values", [(None, None), ("None", "None"), ("a", None)])
def test_missing_values_are_not_compared(bench: Bench, values: Any) -> None:
    assert bench.verdicts(over_all("is_unique('order_id')"), on=ids(*values))[0].outcome == "pass"


def test_lists_and_numbers_are_compared_as_in_expressions(bench: Bench) -> None:
    rule = over_all("is_unique('order_id')")
    assert bench.verdicts(rule, on=ids([1, 2], [1.0, 2]))[0].outcome is Outcome.FAIL
    assert bench.verdicts(rule, on=ids([1], [2], "1"))[0].outcome is Outcome.PASS


def test_those_that_do_not_pass_the_filter_are_counted_and_left_out(bench: Bench) -> None:
    rule = over_all("is_unique('order_id')", when="n > 0")
    verdicts = bench.verdicts(rule, on=ids("a", "a", "b"))
    assert counts(verdicts) == {Outcome.PASS: 1, Outcome.SKIPPED: 1}


def test_nothing_that_passes_the_filter_means_not_applicable(bench: Bench) -> None:
    verdicts = bench.verdicts(over_all("False", when="n > 9"), on=ids("a", "b"))
    assert counts(verdicts) == {Outcome.SKIPPED: 2}
    assert bench.verdicts(over_all("False"), on=[])[0].outcome is Outcome.SKIPPED


@pytest.mark.parametrize(
    ("oracle", "outcome"),
    [
        ("exists('n == 1')", "pass"),
        ("exists('n == 7')", "fail"),
        ("num_exist('n > 0') == 2", "pass"),
        ("num_exist('n > 0')", "pass"),
        ("num_exist('n > 7')", "fail"),
        ("exists('extract_float(order_id) == 5')", "pass"),
        (
            'not exists("hasattr(conv[0], \x27nowhere\x27)") and exists("hasattr(conv[0], \x27n\x27)")',
            "pass",
        ),
        ("len(conv) == 3", "pass"),
        ("sum(c.n for c in conv) == 3", "pass"),
        ("all(c.size == ['small'] for c in conv)", "pass"),
        ("len({c.order_id for c in conv}) == 3", "pass"),
        ("all(conversation_length(of=c) == 4 for c in conv)", "pass"),
        ("max(len(c.chatbot_phrases) for c in conv) == 2", "pass"),
        ("[c.n for c in conv if c.n > 0] == [1, 2]", "pass"),
        ("conv[0].n == 0 and conv[-1].n == 2", "pass"),
        ("all(not chatbot_returns('lasagne', of=c) for c in conv)", "pass"),
        ("sum(getattr(c, 'n', 0) for c in conv) == 3", "pass"),
        ("any(hasattr(c, 'z') for c in conv)", "fail"),
        ("'a text is a reason'", "fail"),
        ("sorted(c.order_id for c in conv)[0] == '5'", "pass"),
    ],
)
def test_oracles_over_all(bench: Bench, oracle: str, outcome: str) -> None:
    verdicts = bench.verdicts(over_all(oracle), on=ids("5", "6", "7"))
    assert verdicts[0].outcome == outcome, verdicts[0].reason


def test_a_value_that_a_test_lacks_does_not_count(bench: Bench) -> None:
    rule = over_all("num_exist('extract_float(order_id) > 1') == 1")
    assert bench.verdicts(rule, on=ids("5", None))[0].outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("exists('1 / 0')", "ZeroDivisionError"),
        ("all(c.order_id + 1 for c in conv)", "TypeError"),
        ("[c for c in conv] == [1]", "a conversation is not a value"),
        ("str(conv[0]) == ''", "a conversation is not a value"),
        ("len(conv[0]) == 1", "TypeError"),
    ],
)
def test_mistakes_are_errors_of_the_rule(bench: Bench, oracle: str, reason: str) -> None:
    verdict = bench.verdicts(over_all(oracle), on=ids("a", "b"))[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TEST)
    assert verdict.reason.startswith("000.yaml:4: oracle: ")
    assert reason in verdict.reason


def test_a_conversation_that_lacks_a_name_is_named_as_a_mistake(bench: Bench) -> None:
    traces = [*ids("a"), pizza(m=1, outputs={})]
    verdict = bench.verdicts(over_all("all(c.order_id for c in conv)"), on=traces)[0]
    assert verdict.outcome is Outcome.ERROR
    assert "write `if hasattr(c, 'order_id')` in the comprehension" in verdict.reason


def test_mistakes_in_a_filter_name_their_conversation(bench: Bench) -> None:
    traces = ids("a", "b")
    verdicts = bench.verdicts(over_all("True", when="order_id > 3"), on=traces)
    errors = [verdict for verdict in verdicts if verdict.outcome is Outcome.ERROR]
    assert [verdict.case_ids for verdict in errors] == [(one.case.id,) for one in traces]


def test_names_that_no_conversation_has_are_errors(bench: Bench) -> None:
    verdicts: list[Verdict] = bench.verdicts(over_all("is_unique('order_ids')"), on=ids("a", "b"))
    assert verdicts[-1].outcome is Outcome.ERROR
    assert "no conversation has `order_ids`. Did you mean 'order_id'?" in verdicts[-1].reason


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        ("order_id == 1", "this oracle sees all conversations"),
        ("is_unique(order_id)", "is_unique() takes one plain text"),
        ("exists('order_id ==')", "it ends too early"),
        ("exists('open(1)')", "no function is called `open`"),
        ("conversation_length() > 1", "Write conversation_length(..., of=c) for c in conv"),
        ("[conversation_length(c.n, of=c) for c in conv]", "takes plain values only"),
    ],
)
def test_what_has_no_meaning_over_all_is_refused(bench: Bench, oracle: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle(over_all(oracle))
    assert message in str(caught.value)


def test_a_message_may_use_all_conversations(bench: Bench) -> None:
    rule = over_all("False", yields="f'{len(conv)} orders, {num_exist(\"n > 0\")} later'")
    [verdict] = bench.verdicts(rule, on=ids("a", "b"))
    assert verdict.reason == "2 orders, 1 later (`False` is false)"
    assert verdict.details["yields"] == "2 orders, 1 later"


def test_several_rules_over_all_do_not_disturb_each_other(bench: Bench) -> None:
    rule = over_all("is_unique('order_id')")
    assert counts(bench.verdicts(rule, rule, on=ids("a", "b"))) == {Outcome.PASS: 2}


def test_a_second_conclusion_starts_afresh(bench: Bench) -> None:
    oracle = bench.oracle(over_all("is_unique('order_id')"))
    traces = ids("a", "b")
    assert bench.judge(oracle, traces) == bench.judge(oracle, traces)
