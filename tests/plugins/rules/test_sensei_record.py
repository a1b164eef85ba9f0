"""`compat: sensei`: SENSEI's accounting, faults included (paper sections 3.3 and 3.5, and its code)."""

import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.model.talk import Output, Trace
from sparring.model.verdict import Outcome
from sparring.testing.conversations import trace_of

from .judging import Bench, counts, pizza

PASS, FAIL, SKIPPED = Outcome.PASS, Outcome.FAIL, Outcome.SKIPPED


def one(bench: Bench, rule: Any, trace: Trace | None = None) -> Outcome:
    return bench.verdicts(rule, on=[trace or pizza()], compat="sensei")[0].outcome


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ("1", PASS),
        ("1.0", PASS),
        ("2", FAIL),
        ("size", FAIL),
        ("'text'", FAIL),
        ("None", FAIL),
        ("nowhere == 1", SKIPPED),
        ("size +", SKIPPED),
        ("nothing()", SKIPPED),
        ("empty_responses() == []", SKIPPED),
        ("True or nothing()", PASS),
        ("os.getpid() > 0", SKIPPED),
        ("(lambda: True)()", SKIPPED),
        ("extract_float(None) == 1", SKIPPED),
        ("extract_float(amount) == 1", SKIPPED),
        ("extract_float('-5') == 5.0", PASS),
        ("extract_float('1.234,50') == 1.2345", PASS),
        ("extract_float('1,2') == 12.0", PASS),
        ("extract_float('12:30') == 12.0", PASS),
        ("extract_float('$1,000.50') == 1000.5", PASS),
        ("extract_float('none') is None", PASS),
        ("currency('10 USD or 5 euros or $3') == 'USD'", PASS),
        ("currency('10 yen') == 'JPY'", PASS),
        ("currency('10 euro') is None", PASS),
        ("currency('10 Euros') == 'EUR'", SKIPPED),
        ("length([]) == 100000000", PASS),
        ("length(['a' * 10, 'b' * 20, 'c' * 30], 'average') == 15", PASS),
        ("length('abc', 'MAX') == 3", PASS),
        ("length(3) == 1", SKIPPED),
        ("conversation_length() == 4 and conversation_length('User') == 2", PASS),
        ("conversation_length('chatbot') == 0", PASS),
        ("conversation_length('robot') == 0", SKIPPED),
        ("repeated_answers('levenshtein', 0.5) == {}", PASS),
        ("number == 6 and conversation_number == 6", PASS),
        ("steps == 4 and conversation_goal_style_steps == 4", PASS),
        ("language == 'English'", FAIL),
        ("conv[0].language == 'English'", SKIPPED),
        ("errors == []", SKIPPED),
        ("response_times == []", SKIPPED),
        ("conv[1].price == 1", SKIPPED),
        ("conv[-1].price == price", PASS),
        ({"when": "nowhere", "oracle": "True"}, SKIPPED),
        ({"when": "size +", "oracle": "True"}, SKIPPED),
        ({"when": "conversation_length() == 4", "oracle": "True"}, SKIPPED),
        ({"when": "missing_slots() == []", "oracle": "True"}, SKIPPED),
        ({"when": "extract_float(price) > 1", "if": "currency(price) == 'USD'", "then": "1"}, PASS),
        ({"when": "size", "oracle": "True"}, PASS),
        ({"if": "''", "oracle": "True"}, SKIPPED),
        ({"oracle": "True", "then": "False"}, PASS),
    ],
)
def test_one_conversation(bench: Bench, rule: Any, outcome: Outcome) -> None:
    assert one(bench, rule) is outcome


def test_the_conversation_block_hides_inputs_and_outputs_hide_both(bench: Bench) -> None:
    trace = pizza(number=3, steps=9, outputs={"price": "$1", "size": "big"})
    assert one(bench, "number == 6 and conv[0].number == 6 and steps == 4", trace) is PASS
    assert one(bench, "size == 'big' and data_output_size == 'big'", trace) is PASS


def test_an_odd_variable_name_makes_every_rule_not_applicable(bench: Bench) -> None:
    for name in ("from", "a b", "1st"):
        assert one(bench, "True", pizza(**{name: 1})) is SKIPPED
    assert one(bench, {"conversations": 2, "oracle": "True"}, pizza(**{"from": 1})) is SKIPPED
    pairs = bench.verdicts(
        {"conversations": 2, "oracle": "True"}, on=[pizza(**{"from": 1}), pizza()], compat="sensei"
    )
    assert counts(pairs) == {PASS: 2}


def test_dates_and_missing_values_are_as_stored(bench: Bench) -> None:
    outputs = [
        Output(name="day", value=date(2024, 11, 6), type="date"),
        Output(name="gone", value=None),
        Output(name="none", value="None"),
    ]
    trace = pizza(outputs=outputs)
    assert one(bench, "str(day) == '2024-11-06'", trace) is PASS
    assert one(bench, "missing_slots() == ['gone', 'none'] and not data_collected()", trace) is PASS


TWO = {"conversations": 2}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"oracle": "True"}, {PASS: 6}),
        ({"when": "conv[0].amount > conv[1].amount", "oracle": "True"}, {PASS: 3, SKIPPED: 3}),
        ({"when": "nowhere", "oracle": "True"}, {SKIPPED: 6}),
        ({"oracle": "nowhere"}, {FAIL: 6}),
        ({"oracle": "price == 1"}, {FAIL: 6}),
        ({"oracle": "extract_float(conv[0].nowhere) > 1"}, {FAIL: 6}),
        ({"oracle": "conversation_length() == 0 and interaction == []"}, {PASS: 6}),
        ({"oracle": "data_collected() and missing_slots() == []"}, {PASS: 6}),
        ({"oracle": "chatbot_returns('x') == [] and repeated_answers() == {}"}, {PASS: 6}),
        ({"when": "data_collected()", "oracle": "True"}, {SKIPPED: 6}),
        ({"oracle": "size +"}, {FAIL: 6}),
        ({"oracle": "conv[2].amount == 1"}, {FAIL: 6}),
        ({"conversations": 0, "oracle": "True"}, {PASS: 6}),
        ({"conversations": 3, "oracle": "True"}, {PASS: 6}),
        ({"conversations": 7, "oracle": "True"}, {PASS: 6}),
        ({"conversations": "2", "oracle": "True"}, {PASS: 6}),
    ],
)
def test_two_conversations(
    bench: Bench, rule: dict[str, Any], expected: dict[Outcome, int]
) -> None:
    traces = [pizza(amount=n) for n in range(3)]
    assert counts(bench.verdicts({**TWO, **rule}, on=traces, compat="sensei")) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (["is_unique('order_id')"], {PASS: 1}),
        (["is_unique('order_id')", "is_unique('order_id')"], {PASS: 1, FAIL: 1}),
        (["is_unique('size')"], {SKIPPED: 1}),
        (["is_unique('nowhere')"], {PASS: 1}),
        (["exists('amount == 2')"], {PASS: 1}),
        (["exists('nowhere')"], {SKIPPED: 1}),
        (["num_exist('amount > 0')"], {PASS: 1}),
        (["num_exist('amount > 9')"], {FAIL: 1}),
        (["amount == 2"], {PASS: 1}),
        (["amount == 0"], {FAIL: 1}),
        (["chatbot_phrases"], {PASS: 1}),
        (["[]"], {FAIL: 1}),
        (["'text'"], {PASS: 1}),
        (["nowhere"], {SKIPPED: 1}),
        (["data_collected()"], {PASS: 1}),
    ],
)
def test_all_conversations(bench: Bench, rules: list[str], expected: dict[Outcome, int]) -> None:
    traces = [pizza(amount=n, outputs={"order_id": f"A{n}"}) for n in range(3)]
    written = [{"conversations": "all", "oracle": rule} for rule in rules]
    assert counts(bench.verdicts(*written, on=traces, compat="sensei")) == expected


def test_checks_of_a_rule_over_all_are_one_and_those_filtered_out(bench: Bench) -> None:
    rule = {"conversations": -1, "when": "amount > 0", "oracle": "num_exist('True') == 2"}
    traces = [pizza(amount=n) for n in range(3)]
    found = counts(bench.verdicts(rule, on=traces, compat="sensei"))
    assert found == {PASS: 1, SKIPPED: 1}
    nothing = {**rule, "when": "amount > 9", "oracle": "is_unique('size')"}
    found = counts(bench.verdicts(nothing, on=traces, compat="sensei"))
    assert found == {PASS: 1, SKIPPED: 3}
    assert counts(bench.verdicts(rule, on=[], compat="sensei")) == {SKIPPED: 1}


def test_of_two_rules_with_one_name_the_later_counts(bench: Bench) -> None:
    rules = [{"name": "same", "oracle": "True"}, {"name": "same", "oracle": "False"}]
    verdicts = bench.verdicts(*rules, on=[pizza()], compat="sensei")
    assert [(verdict.check, verdict.outcome) for verdict in verdicts] == [("same", FAIL)]
    assert "SENSEI drops this 'same' for a later one" in bench.context.warnings[0]


def test_what_sensei_silently_ignores_is_warned_of(bench: Bench) -> None:
    rule = {"oracle": "nothing()", "on-error": "'x'", "colour": "red", "conversations": 2}
    bench.verdicts(rule, {"conversations": 5, "oracle": "lambda: 1"}, on=[], compat="sensei")
    text = "\n".join(bench.context.warnings)
    assert "000.yaml:4: SENSEI ignores the key 'on-error'" in text
    assert "000.yaml:5: SENSEI ignores the key 'colour'" in text
    assert "001.yaml:3: conversations: SENSEI takes 5 for 2" in text
    assert "no function is called 'nothing'" in text
    assert "`lambda` is not allowed in rules" in text


def test_there_are_no_verdicts_on_names_that_are_nowhere(bench: Bench) -> None:
    assert counts(bench.verdicts("nowhere", on=[pizza()], compat="sensei")) == {SKIPPED: 1}


#: Conversations of the evaluation's repository, and SENSEI's rows for them: read from a checkout.
CHECKOUT = "SPARRING_SENSEI_EVALUATION"


@pytest.fixture
def checkout() -> Path:
    named = os.environ.get(CHECKOUT)
    if not named or not Path(named).is_dir():
        pytest.skip(f"{CHECKOUT} names no checkout of the evaluation's repository")
    return Path(named)


def _published(folder: Path) -> list[tuple[Path, Path, Path]]:
    """Rules, conversations and rows of the chatbots that the facts name."""
    wild, mutants = folder / "chatbots-wild-analysis", folder / "mutation-analysis"
    found = [
        (wild / "chatbots" / name / "rules", wild / "output" / name, rows)
        for name in ("ada", "catalina", "kuki", "millie", "serviceform")
        for rows in (wild / "output" / name).glob("*_test_results.csv")
    ]
    for name, rules in (("bikeshop", "bike-shop"), ("pizza", "pizza")):
        for rows in sorted((mutants / "results_data" / name).glob("*/results.csv")):
            found.append((mutants / "checking_rules" / rules, rows.parent, rows))
    rasa = mutants / "profiles-rasa-new" / "pizzashop-test"
    found += [
        (rasa / "rules", rows.parent, rows) for rows in sorted(rasa.glob("executions/*/*.csv"))
    ]
    return found


#: Rows that SENSEI's own checker does not give either, when it is run on these files.
KNOWN = {
    ("ChangeRephrase_2", "appointment_hour"),
    ("mutant_SwapSequenceStep_2", "unique_ids"),
    *((folder, "empty_responses") for folder in ("DA_001", "DCS_003", "DCS_013", "DF_001")),
    ("DIP_002", "empty_responses"),
}


def test_the_published_rows_are_reproduced(bench: Bench, checkout: Path) -> None:
    from sparring_plugins.sensei.conversations import read_conversations

    different: set[tuple[str, str]] = set()
    compared = 0
    for rules, conversations, rows in _published(checkout):
        traces = [one for one in read_conversations(conversations) if isinstance(one, Trace)]
        found = _rows(bench, rules, traces)
        for row in _csv(rows):
            mine = found.get(row["rule"])
            if mine is None or Outcome.INCONCLUSIVE in mine:
                continue
            compared += 1
            numbers = [mine.get(one, 0) for one in (PASS, FAIL, SKIPPED)]
            if numbers != [int(row[key]) for key in ("pass", "fail", "not_applicable")]:
                different.add((rows.parent.name, row["rule"]))
    assert compared >= 185
    assert different == KNOWN


def _rows(bench: Bench, rules: Path, traces: list[Trace]) -> dict[str, dict[Outcome, int]]:
    from sparring_plugins.rules.oracle import RulesOracle

    oracle = bench.context.build(RulesOracle, files=str(rules), compat="sensei", activate="all")
    found: dict[str, dict[Outcome, int]] = {}
    for verdict in bench.judge(oracle, traces):
        row = found.setdefault(verdict.check, {})
        if verdict.details.get("checks") != 0:
            row[verdict.outcome] = row.get(verdict.outcome, 0) + verdict.count
    return found


def _csv(path: Path) -> list[dict[str, str]]:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_published_rule_loads_in_both_ways(bench: Bench, shared_data: Path) -> None:
    from sparring_plugins.rules.oracle import RulesOracle

    folder = shared_data / "rules"
    files = sorted(folder.rglob("*.y*ml"))
    names = {yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in files}
    for compat in (None, "sensei"):
        oracle = bench.context.build(RulesOracle, files=str(folder), activate="all", compat=compat)
        built = [*oracle.rules.single, *oracle.rules.over_several]
        assert {rule.rule.name for rule in built} == names
        assert len(built) == (len(files) if compat is None else len(names))


def test_active_is_overridden_on_request(bench: Bench) -> None:
    rules = [
        {"oracle": "True", "active": False},
        {"oracle": "True", "active": None},
        {"oracle": "True", "active": True},
        {"oracle": "True"},
    ]
    assert len(bench.verdicts(*rules, on=[pizza()])) == 2
    assert len(bench.verdicts(*rules, on=[pizza()], activate="all")) == 4


def test_error_turns_count_as_phrases(bench: Bench) -> None:
    said = [("a", "Error: The server"), ("b", "Error: The server")]
    assert one(bench, "not repeated_answers('exact', 1)", trace_of(said)) is FAIL
