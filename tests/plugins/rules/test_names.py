"""Names that are misspelt: found in messages too, and before anything is played."""

import pytest

from sparring.model.space import Scenario, Space
from sparring.model.talk import Listen
from sparring.model.verdict import Outcome, Owner
from sparring.testing.conversations import trace_of

from .judging import Bench, pizza


def test_a_misspelt_name_in_a_message_is_an_error_with_the_nearest_name(bench: Bench) -> None:
    rule = {"oracle": "price == 'free'", "on-error": "f'{prise} bad'"}
    first, last = bench.verdicts(rule, on=[pizza()])
    assert first.outcome is Outcome.FAIL
    assert first.reason.endswith(
        "(the message could not be made: this conversation has no `prise`)"
    )
    assert (last.outcome, last.owner) == (Outcome.ERROR, Owner.TEST)
    expected = "000.yaml:4: on-error: no conversation has `prise`. Did you mean 'price'?"
    assert last.reason == expected


def test_misspelt_names_of_messages_over_several_are_errors(bench: Bench) -> None:
    rules = (
        {"conversations": 2, "oracle": "True", "yields": "conv[0].sise"},
        {"conversations": "all", "oracle": "True", "yields": "[c.sise for c in conv]"},
    )
    errors = [v for v in bench.verdicts(*rules, on=[pizza(), pizza()]) if v.outcome == "error"]
    assert len(errors) == 2
    assert all("yields: no conversation has `sise`. Did you mean" in v.reason for v in errors)


def test_several_misspelt_names_each_have_their_place(bench: Bench) -> None:
    rule = {"when": "sise[0] == 1", "oracle": "prise == sise", "yields": "drnk"}
    reason = bench.verdicts(rule, on=[pizza()])[-1].reason
    assert "000.yaml:3: when: no conversation has `sise`" in reason
    assert "000.yaml:4: oracle: no conversation has `prise`" in reason
    assert "000.yaml:5: yields: no conversation has `drnk`" in reason


@pytest.mark.parametrize(
    "oracle",
    ["exists('drnk')", "not exists('drnk')", "values('drnk') == ['tea']", "is_unique('drnk')"],
)
def test_a_misspelt_name_over_all_says_nothing_of_the_app(oracle: str, bench: Bench) -> None:
    verdicts = bench.verdicts({"conversations": "all", "oracle": oracle}, on=[pizza(), pizza()])
    (error,) = [v for v in verdicts if v.outcome is not Outcome.SKIPPED]
    assert (error.outcome, error.owner) == (Outcome.ERROR, Owner.TEST)
    assert "no conversation has `drnk`" in error.reason


def test_a_misspelt_message_leaves_a_failure_over_all(bench: Bench) -> None:
    rule = {"conversations": "all", "oracle": "len(conv) > 5", "yields": "[c.sise for c in conv]"}
    assert [v.outcome for v in bench.verdicts(rule, on=[pizza(), pizza()])] == ["fail", "error"]


def test_without_a_near_name_inputs_and_outputs_are_listed(bench: Bench) -> None:
    oracle = bench.oracle("prise == 1", "respons_times == []")
    assert [str(problem) for problem in oracle.validation_errors(outputs("size", "drink"))] == [
        "000.yaml:3: oracle: no scenario has `prise`. Inputs and outputs: drink, size.",
        "001.yaml:3: oracle: no scenario has `respons_times`. Did you mean 'response_times'?",
    ]


def test_a_message_that_raises_says_so_behind_the_reason(bench: Bench) -> None:
    for conversations, on in ((1, 1), (2, 2), ("all", 1)):
        rule = {"conversations": conversations, "oracle": "1 == 2", "yields": "1 / 0"}
        verdict = bench.verdicts(rule, on=[pizza()] * on)[0]
        assert "`1 == 2` is" in verdict.reason
        assert "(the message could not be made: ZeroDivisionError: " in verdict.reason
        assert "yields" not in verdict.details


def outputs(*names: str) -> Space:
    """A space whose conversations have outputs of these names."""
    return Space(scenarios=(Scenario(name="s", outputs=names),))


def test_names_are_checked_before_anything_is_played(bench: Bench) -> None:
    oracle = bench.oracle(
        {"when": "size[0] == 1 and steps > 2", "oracle": "drnk == 'coke'", "yields": "prise"},
        {"conversations": 2, "when": "conv[0].sise == conv[1].size", "oracle": "True"},
        {"conversations": "all", "oracle": "is_unique('order') and exists('amont > 1')"},
        "len(turns) > 1 and data_output_price and conversation_goal_style_steps",
        "hasattr(conv[0], 'tip') and not goals_unmet and goals_met == [] and limit",
        "data_output_table_rows == 1 and data_output_prise == 1",
        "conversation_stepps > 2 and conversation_all_answered_limit > 2",
    )
    space = outputs("size", "price", "drink", "order_id", "amount", "table")
    assert [str(problem) for problem in oracle.validation_errors(space)] == [
        "000.yaml:4: oracle: no scenario has `drnk`. Did you mean 'drink'?",
        "000.yaml:5: yields: no scenario has `prise`. Did you mean 'price'?",
        "001.yaml:4: when: no scenario has `sise`. Did you mean 'size'?",
        "002.yaml:4: oracle: no scenario has `amont`. Did you mean 'amount'?",
        "002.yaml:4: oracle: no scenario has `order`. Did you mean 'order_id'?",
        "005.yaml:3: oracle: no scenario has `data_output_prise`. Did you mean 'data_output'?",
        "006.yaml:3: oracle: no scenario has `conversation_stepps`. "
        + "Did you mean 'conversation_steps'?",
    ]


def test_a_run_takes_nothing_from_what_is_checked_before(bench: Bench) -> None:
    oracle = bench.oracle("hours == 1")
    bench.judge(oracle, [pizza(hours=1)])
    assert len(oracle.validation_errors(outputs("size"))) == 1


def test_rules_about_outputs_do_not_apply_where_nobody_has_any(bench: Bench) -> None:
    """A typed conversation, or an explorer: only what is like Sparring's own names is misspelt."""
    oracle = bench.oracle(
        "hours == 1",
        "chatbot_phrase == []",
        {"conversations": "all", "oracle": "exists('hours == 1')"},
    )
    assert [str(problem) for problem in oracle.validation_errors(outputs())] == [
        "001.yaml:3: oracle: no scenario has `chatbot_phrase`. Did you mean 'chatbot_phrases'?"
    ]
    assert "000.yaml:3: the rule does not apply" in bench.context.warnings[0]
    verdicts = bench.judge(oracle, [trace_of([("hi", "hello")])])
    outcomes = {(v.check.partition(":")[0], v.outcome.value) for v in verdicts}
    assert not {outcome for _, outcome in outcomes} & {"pass", "fail"}
    wrong = [verdict for verdict in verdicts if verdict.outcome is Outcome.ERROR]
    assert len(wrong) == 1
    assert "chatbot_phrase" in wrong[0].reason


def test_sensei_knows_no_misspelt_names(bench: Bench) -> None:
    oracle = bench.oracle("drnk == 1", compat="sensei")
    assert oracle.validation_errors(outputs("drink")) == []


def test_a_greeting_is_no_response_time(bench: Bench) -> None:
    said = [(Listen(), "Welcome"), ("hi", "Hello"), ("bye", None)]
    trace = pizza(said=said, latencies=[9.0, 1.0, 30.0])
    rule = "response_times == [1.0] and max_response_time == average_response_time == 1.0"
    assert bench.one(rule, trace).outcome is Outcome.PASS
    greeted = pizza(said=said[:1], latencies=[9.0])
    assert bench.one("max_response_time is None", greeted).outcome is Outcome.PASS


def test_goals_are_names_of_rules_unless_inputs_are_called_so(bench: Bench) -> None:
    meta = {"goals_met": [0], "goals_unmet": ["order a drink"]}
    known = bench.one("goals_met == [0] and goals_unmet == ['order a drink']", pizza(meta=meta))
    assert known.outcome is Outcome.PASS
    absent = bench.one("goals_met == [] and goals_unmet == []", pizza())
    assert absent.outcome is Outcome.PASS
    assert bench.one("goals_unmet == 7", pizza(goals_unmet=7, meta=meta)).outcome is Outcome.PASS
