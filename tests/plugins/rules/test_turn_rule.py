"""Rules over the turns and the answers of a conversation."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.chat import ChatRequest
from sparring.model.space import Scenario, Space
from sparring.model.talk import Choice, Incident, IncidentKind, Observation, Say, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef
from sparring.testing.answers import answer_to
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.rules.values.record import TURN_NAMES

from .judging import Bench, counts

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")


def talk(**named: Any) -> Trace:
    """A greeting, two questions of which the second waits long, and a message without an answer."""
    menu = Observation(
        text="Small or big?",
        choices=(Choice(label="small"), Choice(label="menu", url="https://shop.test/menu")),
        payload={"state": 2},
    )
    said: list[Any] = [(None, "Hello"), (Say(text="a piza", meant="a pizza"), menu), ("big", "Ok")]
    crash = Incident(kind=IncidentKind.CRASH, message="no", owner=Owner.APP, turn=3)
    named = {"outputs": {"price": "$9"}, "incidents": [crash], "size": "big", **named}
    return trace_of([*said, ("and?", None)], latencies=[0.1, 0.5, 4.0, 9.0], **named)


def test_every_turn_is_a_check_and_failures_refer_to_theirs(bench: Bench) -> None:
    rule = {"for_each": "turn", "oracle": "turn.latency < 3", "yields": "f'waited {turn.latency}'"}
    first, second, passed = bench.verdicts(rule, on=[talk()])
    case_id = talk().case.id
    assert first.reason == "turn 3: waited 4.0 (`turn.latency < 3` is false: turn.latency is 4.0)"
    assert (first.outcome, first.owner) == (Outcome.FAIL, Owner.APP)
    assert first.turns == (TurnRef(case_id=case_id, turn=2),)
    assert second.turns == (TurnRef(case_id=case_id, turn=3),)
    assert (passed.outcome, passed.count, passed.case_ids) == (Outcome.PASS, 2, (case_id,))


def test_answers_are_the_turns_that_were_answered(bench: Bench) -> None:
    rule = {"for_each": "answer", "oracle": "answer == turn.assistant and turn.answered"}
    assert counts(bench.verdicts(rule, on=[talk()])) == {Outcome.PASS: 3}


def test_filters_choose_turns(bench: Bench) -> None:
    rule = {"for_each": "turn", "when": "turn.spoke", "if": "turn.answered", "oracle": "True"}
    assert counts(bench.verdicts(rule, on=[talk()])) == {Outcome.PASS: 2, Outcome.SKIPPED: 2}


VALUES = {
    "number": "[1, 2, 3, 4]",
    "index": "[0, 1, 2, 3]",
    "first": "[True, False, False, False]",
    "last": "[False, False, False, True]",
    "user": "['', 'a piza', 'big', 'and?']",
    "meant": "['', 'a pizza', 'big', 'and?']",
    "act": "['listen', 'say', 'say', 'say']",
    "spoke": "[False, True, True, True]",
    "assistant": "['Hello', 'Small or big?', 'Ok', None]",
    "answered": "[True, True, True, False]",
    "latency": "[0.1, 0.5, 4.0, 9.0]",
    "started": "[0.0, 0.1, 0.6, 4.6]",
    "choices": "[[], ['small', 'menu'], [], []]",
    "links": "[[], ['https://shop.test/menu'], [], []]",
    "attachments": "[[], [], [], []]",
    "payload": "[None, {'state': 2}, None, None]",
    "ended": "[False, False, False, False]",
    "incidents": "[[], [], [], ['crash']]",
}


@pytest.mark.parametrize("name", TURN_NAMES)
def test_each_name_of_a_turn_has_its_value_and_is_on_the_page(bench: Bench, name: str) -> None:
    rule = {"for_each": "turn", "oracle": f"turn.{name} == {VALUES[name]}[turn.index]"}
    verdicts = bench.verdicts(rule, on=[talk()])
    assert counts(verdicts) == {Outcome.PASS: 4}, verdicts[0].reason
    assert f"`turn.{name}`" in PAGE


def test_the_turn_before_is_the_one_judged_before(bench: Bench) -> None:
    traces = [trace_of([("a", "1"), ("b", None), ("c", "3")])]
    turns = {"for_each": "turn", "if": "turn.number == 3", "oracle": "previous.user == 'b'"}
    answers = {"for_each": "answer", "if": "turn.number == 3", "oracle": "previous.user == 'a'"}
    verdicts = bench.verdicts(turns, answers, on=traces)
    assert counts(verdicts)[Outcome.PASS] == 2


def test_what_asks_for_the_turn_before_the_first_does_not_apply(bench: Bench) -> None:
    both = [
        {"for_each": "turn", "oracle": "previous.latency < 9"},
        {"for_each": "turn", "when": "previous.spoke or True", "oracle": "True"},
    ]
    verdicts = bench.verdicts(*both, on=[talk()])
    assert counts(verdicts) == {Outcome.PASS: 6, Outcome.SKIPPED: 2}
    known = {"for_each": "turn", "oracle": "previous is None or previous.number == turn.index"}
    (bench.folder / "001.yaml").unlink()
    assert counts(bench.verdicts(known, on=[talk()])) == {Outcome.PASS: 4}


def test_variables_and_functions_of_the_conversation_are_there(bench: Bench) -> None:
    rule = {
        "for_each": "answer",
        "parameters": {"longest": 20},
        "oracle": "len(answer) < longest and size == 'big' and conv[0].price == '$9' "
        "and conversation_length('user') == 3 and empty_responses() == []",
    }
    assert counts(bench.verdicts(rule, on=[talk()])) == {Outcome.PASS: 3}


def test_an_input_called_turn_is_reached_by_way_of_the_conversation(bench: Bench) -> None:
    trace = trace_of([("a", "b")], turn="left", answer="x")
    rules = [
        {"for_each": "turn", "oracle": "conv[0].turn == 'left' and answer == 'x'"},
        {"for_each": "answer", "oracle": "conv[0].answer == 'x' and answer == 'b'"},
    ]
    assert counts(bench.verdicts(*rules, on=[trace])) == {Outcome.PASS: 2}


def test_missing_values_and_errors_are_told_once_each_with_their_turns(bench: Bench) -> None:
    rules = [
        {"for_each": "turn", "oracle": "turn.assistant.strip() != ''"},
        {"for_each": "turn", "oracle": "1 // (turn.index // 2) == 1"},
    ]
    verdicts = bench.verdicts(*rules, on=[talk()])
    unclear = next(one for one in verdicts if one.outcome is Outcome.INCONCLUSIVE)
    wrong = next(one for one in verdicts if one.outcome is Outcome.ERROR)
    assert (unclear.count, unclear.owner) == (1, Owner.APP)
    assert [ref.turn for ref in unclear.turns] == [3]
    assert (wrong.count, wrong.owner) == (2, Owner.TEST)
    assert "ZeroDivisionError" in wrong.reason
    assert [ref.turn for ref in wrong.turns] == [0, 1]


def test_many_failing_turns_are_summed_up(bench: Bench) -> None:
    trace = trace_of([(str(number), "same") for number in range(30)])
    rule = {"for_each": "turn", "oracle": "turn.assistant != 'same'"}
    verdicts = bench.verdicts(rule, on=[trace], max_failures_listed=3)
    assert [one.count for one in verdicts] == [1, 1, 1, 27]
    assert verdicts[-1].reason == "27 more turns like those listed"
    assert verdicts[-1].turns[0].turn == 3


def test_conversations_without_turns_or_with_a_silent_app_are_left_out(bench: Bench) -> None:
    gone = Incident(kind=IncidentKind.UNREACHABLE, message="off", owner=Owner.ENVIRONMENT)
    rule = {"for_each": "turn", "oracle": "False"}
    found = bench.verdicts(rule, on=[trace_of([]), trace_of([("a", None)], incidents=[gone])])
    assert [one.outcome for one in found] == [Outcome.SKIPPED, Outcome.SKIPPED]
    assert "there is no turn" in found[0].reason
    assert "never heard" in found[1].reason


def test_what_the_app_did_wrong_in_a_turn_is_judged_though_it_was_never_heard(
    bench: Bench,
) -> None:
    crash = Incident(kind=IncidentKind.CRASH, message="no", owner=Owner.APP, turn=0)
    rule = {"for_each": "turn", "oracle": "not turn.incidents"}
    verdict = bench.verdicts(rule, on=[trace_of([("a", None)], incidents=[crash])])[0]
    assert verdict.outcome is Outcome.FAIL


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"for_each": "turns", "oracle": "True"}, "must be turn or answer, found 'turns'. Did you"),
    ({"for_each": 3, "oracle": "True"}, "must be turn or answer, found 3"),
    ({"for_each": "turn", "conversations": 2, "oracle": "True"}, "about one conversation"),
    ({"for_each": "turn", "conversations": "all", "oracle": "True"}, "about one conversation"),
    ({"for_each": "turn", "oracle": "turn.usr == ''"}, "a turn has no `usr`. Did you mean 'user'"),
    ({"for_each": "turn", "oracle": "previous.x"}, "`previous.x`: a turn has no `x`"),
    ({"for_each": "turn", "oracle": "turn == 1"}, "name what you want of the turn"),
    ({"for_each": "turn", "oracle": "turn['user']"}, "name what you want of the turn"),
    ({"oracle": "turn.user == ''"}, "`.user`: only conversations have names"),
    ({"foreach": "turn", "oracle": "True"}, "unknown key. Did you mean 'for_each'"),
    ({"parameters": {"len": 1}, "oracle": "True"}, "`len` means something else"),
    ({"parameters": {"a b": 1}, "oracle": "True"}, "'a b' is no name"),
    ({"parameters": ["x"], "oracle": "True"}, "must be a map of names and values"),
    ({"parameters": {"x": float("nan")}, "oracle": "True"}, "`x` must be plain data"),
]


@pytest.mark.parametrize(("rule", "message"), WRONG, ids=[why for _, why in WRONG])
def test_what_is_wrong_is_said_before_anything_runs(
    bench: Bench, rule: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle(rule)
    assert message in str(caught.value)


def test_a_name_that_no_conversation_has_is_an_error_at_the_end(bench: Bench) -> None:
    rule = {"for_each": "turn", "oracle": "sise == 'big'"}
    oracle = bench.oracle(rule)
    assert "no scenario has `sise`" in str(
        oracle.validation_errors(Space(scenarios=(Scenario(name="s", outputs=("size",)),)))[0]
    )
    last = bench.judge(oracle, [talk()])[-1]
    assert (last.outcome, last.owner) == (Outcome.ERROR, Owner.TEST)
    assert "no conversation has `sise`. Did you mean 'size'?" in last.reason


def test_each_answer_is_a_question_of_its_own(bench: Bench) -> None:
    def conveys(request: ChatRequest) -> JsonValue:
        asked = request.messages[-1].content
        return answer_to(request.answer_schema or {}, conveys="no" if "Ok" in asked else "yes")

    llm = FakeContext().build(FakeLLM, answers=conveys)
    rule = {"for_each": "answer", "oracle": "semantic_content(answer, 'a greeting')"}
    verdicts = bench.verdicts(rule, on=[talk()], llm=llm)
    assert counts(verdicts) == {Outcome.FAIL: 1, Outcome.PASS: 2}
    assert verdicts[0].turns[0].turn == 2
    assert len(llm.requests) == 3


def test_sensei_takes_the_new_keys_for_unknown_ones(bench: Bench) -> None:
    rule = {"for_each": "turn", "group_by": "x", "parameters": {"y": 1}, "oracle": "True"}
    verdicts = bench.verdicts(rule, on=[talk()], compat="sensei")
    assert counts(verdicts) == {Outcome.PASS: 1}
    assert [one for one in bench.context.warnings if "SENSEI ignores the key 'for_each'" in one]
