"""What functions say about their values, in the verdicts that rest on them."""

from typing import Any

import pytest

from sparring.errors import AnswerInvalid, ModelError
from sparring.interfaces.rule_function import Explained, RuleFunction, rule_function
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring.testing.hostile import TEXTS
from sparring_plugins.reporting.findings import normalised
from sparring_plugins.rules.functions.plain_values import CannotSay, ExplainedByTexts

from .judging import Bench, counts, pizza


@rule_function(conversation=True)
def polite(trace: Trace, least: int = 1) -> Explained:
    """Polite where it says please often enough."""
    said = [n for n, turn in enumerate(trace.turns) if "please" in str(turn.act)]
    return Explained(len(said) >= least, f"{len(said)} pleases of {least}", tuple(said))


@rule_function
def kind(text: str) -> ExplainedByTexts:
    """Kind where it is sure."""
    return ExplainedByTexts("Sure" in text, f"looked at {text!r}", texts=(text,))


@rule_function
def shy(text: str) -> bool:
    raise CannotSay("no model judged, and nothing else did")


FUNCTIONS: dict[str, RuleFunction] = {"polite": polite, "kind": kind, "shy": shy}


def one(bench: Bench, rule: Any, **more: Any) -> Verdict:
    return bench.one(rule, pizza(), functions={**FUNCTIONS, **more})


def turns(verdict: Verdict) -> list[int]:
    return [ref.turn for ref in verdict.turns]


def test_rules_see_the_value_alone(bench: Bench) -> None:
    assert one(bench, "polite() is True and polite(3) == False").outcome is Outcome.PASS
    assert one(bench, "[polite(), polite(2)] == [True, False]").outcome is Outcome.PASS


def test_a_failure_quotes_the_reason_and_refers_to_the_turns(bench: Bench) -> None:
    verdict = one(bench, "polite(2)")
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason.endswith('polite() says "1 pleases of 2"')
    assert turns(verdict) == [0]
    assert {ref.case_id for ref in verdict.turns} == set(verdict.case_ids)


def test_a_pass_keeps_what_it_rests_on_too(bench: Bench) -> None:
    verdict = one(bench, "polite()")
    assert verdict.outcome is Outcome.PASS
    assert verdict.reason == 'polite() says "1 pleases of 1"'
    assert turns(verdict) == [0]


def test_texts_are_looked_up_in_the_conversation(bench: Bench) -> None:
    assert turns(one(bench, "kind(chatbot_phrases[1])")) == [1]
    assert turns(one(bench, "not kind(chatbot_phrases[0])")) == [0]
    assert turns(one(bench, "not kind('Sure')")) == []


def test_the_message_stays_in_front(bench: Bench) -> None:
    verdict = one(bench, {"oracle": "polite(2)", "yields": "f'only {polite(2)}'"})
    assert verdict.reason.startswith("only False (`polite(2)` is false")
    assert verdict.reason.endswith('polite() says "1 pleases of 2")')


def test_what_is_not_evaluated_says_nothing(bench: Bench) -> None:
    verdict = one(bench, {"when": "polite()", "oracle": "amount == 3 and polite(9)"})
    assert "says" not in verdict.reason


def test_a_reason_is_found_again_where_the_result_was_kept(bench: Bench) -> None:
    rule = {"when": "polite(2) == False", "oracle": "polite(2)"}
    assert 'polite() says "1 pleases of 2"' in one(bench, rule).reason


def test_of_many_reasons_the_last_are_quoted(bench: Bench) -> None:
    verdict = one(bench, "all(polite(n) for n in [0, 1, 0, 1, 0, 2, 9])")
    assert verdict.reason.count("polite() says") == 3
    assert verdict.reason.endswith('polite() says "1 pleases of 2"')


def test_an_inconclusive_verdict_quotes_what_was_said_before(bench: Bench) -> None:
    verdict = one(bench, "polite() and shy('x')")
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.JUDGE)
    assert "no model judged, and nothing else did" in verdict.reason
    assert verdict.reason.endswith('polite() says "1 pleases of 1"')
    assert turns(verdict) == [0]


def test_compat_counts_as_before_and_knows_none_but_senseis_functions(bench: Bench) -> None:
    language = rule_function(lambda text: Explained("ENG", "it is"))
    verdict = bench.one(
        "language('x') == 'FR'", pizza(), functions={"language": language}, compat="sensei"
    )
    assert verdict.outcome is Outcome.FAIL
    assert 'language() says "it is"' in verdict.reason
    skipped = bench.one("polite()", pizza(), functions=FUNCTIONS, compat="sensei")
    assert skipped.outcome is Outcome.SKIPPED


def test_rules_over_pairs_quote_the_reasons_about_both(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "polite(2, of=conv[0]) and polite(of=conv[1])"}
    verdicts = bench.verdicts(rule, on=[pizza(n=1), pizza(n=2)], functions=FUNCTIONS)
    assert counts(verdicts) == {Outcome.FAIL: 2}
    for verdict in verdicts:
        assert f'polite() says "1 pleases of 2" of {verdict.case_ids[0]}' in verdict.reason
        assert verdict.turns[0].case_id == verdict.case_ids[0]


def test_rules_over_all_quote_the_reason_that_decides(bench: Bench) -> None:
    rude = pizza(said=[("give me a pizza", "No.")], n=9)
    rule = {"conversations": "all", "oracle": "all(polite(of=c) for c in conv)"}
    verdict = bench.verdicts(rule, on=[pizza(n=1), rude, pizza(n=2)], functions=FUNCTIONS)[0]
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason.endswith(f'polite() says "0 pleases of 1" of {rude.case.id}')
    assert pizza(n=2).case.id not in verdict.reason


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_tests_over_all_quote_the_reasons(bench: Bench, compat: str | None) -> None:
    language = rule_function(lambda text: Explained("ENG", f"looked at {text}"))
    rule = {"conversations": "all", "oracle": "num_exist(\"language(price) == 'FR'\") == 1"}
    verdict = bench.verdicts(
        rule, on=[pizza(n=1), pizza(n=2)], functions={"language": language}, compat=compat
    )[0]
    assert verdict.outcome is Outcome.FAIL
    assert 'language() says "looked at $12.50" of talk-' in verdict.reason


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_reasons_stay_within_their_quotation_marks(bench: Bench, text: str) -> None:
    quoting = rule_function(lambda: Explained(False, text))
    verdict = bench.one("quoting()", pizza(), functions={"quoting": quoting})
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.reason) < 500
    assert verdict.reason.isprintable()
    assert verdict.reason.count('"') in (0, 2)


def test_reasons_that_differ_make_no_findings_of_their_own(bench: Bench) -> None:
    found = set[str]()
    for reason in ('it says "buy" a lot', "it is 'odd'", "nothing"):
        quoting = rule_function(lambda reason=reason: Explained(False, reason))
        verdict = bench.one("quoting()", pizza(), functions={"quoting": quoting})
        found.add(normalised(verdict.reason))
    assert len(found) == 1


ODD: list[Any] = [
    Explained(True, 7, (0,)),  # type: ignore[arg-type]
    Explained(True, "x", (99, -1, True, "0")),  # type: ignore[arg-type]
    Explained(True, None, (0, 0)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("found", ODD)
def test_odd_evidence_of_others_harms_nobody(bench: Bench, found: Explained) -> None:
    odd = rule_function(conversation=True)(lambda trace: found)
    verdict = bench.one("odd()", pizza(), functions={"odd": odd})
    assert verdict.outcome is Outcome.PASS
    assert turns(verdict) in ([], [0])


@pytest.mark.parametrize("value", [object(), [object()], [Explained(1, "inside")]])
def test_what_is_explained_must_be_plain_data(bench: Bench, value: Any) -> None:
    odd = rule_function(conversation=True)(lambda trace: Explained(value, "so"))
    for oracle in ("odd() == 1", "odd() == 1 or odd() == 2"):
        verdict = bench.one(oracle, pizza(), functions={"odd": odd})
        assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)
        assert "the function odd() returned what rules cannot use" in verdict.reason


def test_a_function_of_others_may_ask_for_data(bench: Bench) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"kind": {"type": "boolean"}},
        "required": ["kind"],
    }

    @rule_function(model=True)
    def friendly(ask: Any, text: str) -> Any:
        message = ChatMessage(role="user", content=text)
        return ask(ChatRequest(messages=(message,), answer_schema=schema)).parsed["kind"]

    def verdict(*answers: Any) -> Verdict:
        llm = FakeContext().build(FakeLLM, answers=answers)
        return bench.one("friendly('x')", pizza(), llm=llm, functions={"friendly": friendly})

    assert verdict({"kind": True}).outcome is Outcome.PASS
    assert verdict('Well, {"kind": true}.').outcome is Outcome.PASS
    assert verdict({"kind": "very"}, {"kind": False}).outcome is Outcome.FAIL
    assert verdict("hm", "hm").outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(AnswerInvalid("x"), Outcome.INCONCLUSIVE), (ModelError("x"), Outcome.ERROR)],
)
def test_errors_of_models_in_functions_of_others_are_the_judges(
    bench: Bench, error: ModelError, outcome: Outcome
) -> None:
    def broken() -> bool:
        raise error

    verdict = bench.one("broken()", pizza(), functions={"broken": RuleFunction(broken)})
    assert (verdict.outcome, verdict.owner) == (outcome, Owner.JUDGE)


@pytest.mark.parametrize(
    ("oracle", "words"),
    [
        ("all(n < 2 for n in [1, 2, 3])", "not so for 2 and 1 more"),
        ("1 == 1 and all(len(word) < 4 for word in 'a long one'.split())", "not so for 'long'"),
        ("all(x != y for x in [1] for y in [0, 1] if y)", "not so for 1"),
        ("not any(n > 2 for n in [1, 3])", "not so for 3"),
        ("all(len(phrase) < 1 for phrase in chatbot_phrases[:1])", "not so for '"),
    ],
)
def test_a_rule_for_all_names_what_it_does_not_hold_for(
    bench: Bench, oracle: str, words: str
) -> None:
    verdict = one(bench, oracle)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.reason


@pytest.mark.parametrize("oracle", ["any(n > 5 for n in [1, 2])", "all([1, 0])"])
def test_a_rule_for_any_has_nothing_to_name(bench: Bench, oracle: str) -> None:
    assert one(bench, oracle).reason.endswith("is false")


def test_the_description_travels_with_what_did_not_pass(bench: Bench) -> None:
    rule = {"description": "It is  polite\ntwice.", "oracle": "polite(2)"}
    assert one(bench, rule).details["description"] == "It is polite twice."
    assert "description" not in one(bench, {**rule, "oracle": "polite()"}).details
