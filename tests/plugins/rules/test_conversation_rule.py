"""Rules over one conversation: what they see, and what their verdicts say."""

from datetime import date
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.interfaces.rule_function import RuleFunction, rule_function
from sparring.model.talk import (
    Choice,
    Ended,
    Incident,
    IncidentKind,
    Observation,
    Output,
    Press,
    Trace,
)
from sparring.model.verdict import Outcome, Owner
from sparring.testing.conversations import trace_of

from .judging import Bench, counts, pizza


def test_passes_fails_and_does_not_apply(bench: Bench) -> None:
    rule = {"when": "amount > 1", "if": "size[0] == 'small'", "oracle": "extract_float(price) > 13"}
    assert bench.one(rule, pizza()).outcome is Outcome.FAIL
    assert bench.one(rule, pizza(outputs={"price": "$14"})).outcome is Outcome.PASS
    skipped = bench.one(rule, pizza(amount=1))
    assert (skipped.outcome, skipped.owner) == (Outcome.SKIPPED, None)
    assert skipped.reason == "does not apply: its filter is false"


def test_a_failure_says_why_and_shows_its_turns(bench: Bench) -> None:
    outputs = [Output(name="price", value="$8.50", type="money", turn=1)]
    verdict = bench.one(
        {"oracle": "extract_float(price) >= 10", "yields": "f'too cheap: {price}'"},
        pizza(outputs=outputs),
    )
    assert verdict.owner is Owner.APP
    assert verdict.reason == (
        "too cheap: $8.50 (`extract_float(price) >= 10` is false: extract_float(price) is 8.5)"
    )
    said = {"position": 0, "file": "000.yaml", "line": 3, "yields": "too cheap: $8.50"}
    assert verdict.details == said
    assert [ref.turn for ref in verdict.turns] == [1]


def test_turns_come_from_what_functions_point_at(bench: Bench) -> None:
    said = [("hi", "sorry?"), ("hi", "pizza"), ("hello", "sorry?")]
    repeated = bench.one("not repeated_answers()", pizza(said=said))
    assert [ref.turn for ref in repeated.turns] == [0, 2]
    assert "{'sorry?': ['sorry?']}" in repeated.reason
    returned = bench.one("chatbot_returns('pizza') == []", pizza(said=said))
    assert [ref.turn for ref in returned.turns] == [1]


@pytest.mark.parametrize("oracle", ["1", "1.0", "True", "not []"])
def test_what_equals_true_passes(bench: Bench, oracle: str) -> None:
    assert bench.one(oracle, pizza()).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        ("2", "`2` is 2, not true"),
        ("size", "`size` is ['small'], not true"),
        ("'because of this'", "because of this"),
        ("None", "`None` is None, not true"),
        ("0 == 1", "`0 == 1` is false"),
        ("[] or False", "`[] or False` is false"),
    ],
)
def test_anything_else_fails_and_is_the_reason(bench: Bench, oracle: str, reason: str) -> None:
    verdict = bench.one(oracle, pizza())
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason == reason


@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        ("size + 1 == 2", "TypeError"),
        ("size[5] == 'x'", "IndexError: list index out of range"),
        ("{'a': 1}[size[0]] == 1", "KeyError: 'small'"),
        ("1 / 0 == 1", "ZeroDivisionError"),
        ("int('x') == 1", "ValueError"),
        ("size.lower() == 'small'", "AttributeError: 'list' object has no method `lower`"),
        ("extract_float(size) == 1", "TypeError: extract_float() needs a text, not 'list'"),
        ("length(size, 'longest') > 1", "ValueError: length() knows min, max, average"),
        ("conversation_length('robot') > 1", "ValueError: conversation_length() knows"),
        ("repeated_answers('levenshtein') == {}", "ValueError: repeated_answers() knows"),
        ("extract_float() == 1", "TypeError"),
        ("min([]) == 1", "ValueError"),
        ("sum(['a']) == 1", "TypeError: sum() needs numbers, not 'str'"),
        ("'a' < 1", "TypeError"),
        ("amount.year == 1", "TypeError: 'int' object has no part `year`"),
        ("amount[0] == 1", "not subscriptable; an input may be a value or a list of one"),
    ],
)
def test_a_mistake_of_the_rule_is_an_error_of_the_test(
    bench: Bench, oracle: str, reason: str
) -> None:
    verdict = bench.one(oracle, pizza())
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TEST)
    assert verdict.reason.startswith("000.yaml:3: oracle: ")
    assert reason in verdict.reason
    assert verdict.details == {"position": 0, "file": "000.yaml", "line": 3}


def test_a_mistake_in_a_filter_is_an_error_too(bench: Bench) -> None:
    verdict = bench.one({"when": "size > 3", "oracle": "True"}, pizza())
    assert verdict.outcome is Outcome.ERROR
    assert "000.yaml:3: when: TypeError" in verdict.reason


def test_the_line_of_a_mistake_is_that_of_the_expression_s_part(bench: Bench) -> None:
    oracle = bench.oracle("True")
    (bench.folder / "000.yaml").write_text(
        "name: lines\ndescription: x\noracle: |\n  amount == 2 and\n  size[0] == 'small' and\n"
        "  1 / 0 == 1\n"
    )
    oracle = bench.context.build(type(oracle), files="000.yaml")
    [verdict] = bench.judge(oracle, [pizza()])
    assert verdict.reason == "000.yaml:6: oracle: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("value", [None, "None"])
@pytest.mark.parametrize(
    "oracle", ["extract_float(price) > 1", "price.upper() == 'X'", "len(price) > 9 / 0"]
)
def test_a_missing_value_is_inconclusive_and_not_known_to_be_the_apps(
    bench: Bench, value: str | None, oracle: str
) -> None:
    if value == "None" and "extract_float" not in oracle:
        return
    verdict = bench.one(oracle, pizza(outputs={"price": value}))
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.SIMULATED_USER)
    assert verdict.reason.startswith("inconclusive: `price` is missing in `")


@pytest.mark.parametrize("owner", [Owner.APP, Owner.TEST, Owner.SIMULATED_USER])
def test_a_missing_output_is_whose_the_player_says(bench: Bench, owner: Owner) -> None:
    lost = Incident(kind=IncidentKind.GOAL_NOT_REACHED, message="1 left", owner=owner)
    trace = pizza(outputs={"price": None}, incidents=[lost])
    verdict = bench.one("extract_float(price) > 1", trace)
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, owner)


def test_what_else_is_missing_a_rule_has_to_expect(bench: Bench) -> None:
    verdict = bench.one("size.upper() == 'X'", pizza(size=None))
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.TEST)
    crash = Incident(kind=IncidentKind.CRASH, message="500", owner=Owner.APP, turn=1)
    silent = pizza(said=[("hi", "hello"), ("a pizza", None)], incidents=[crash])
    rule = {"for_each": "turn", "oracle": "turn.assistant.strip() != ''"}
    verdict = next(v for v in bench.verdicts(rule, on=[silent]) if v.owner is not None)
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.APP)


def test_a_missing_value_in_a_filter_means_not_applicable(bench: Bench) -> None:
    rule = {"when": "extract_float(price) > 1", "oracle": "False"}
    verdict = bench.one(rule, pizza(outputs={"price": None}))
    assert verdict.outcome is Outcome.SKIPPED
    assert "`price` is missing" in verdict.reason


def test_a_name_of_other_conversations_means_not_applicable(bench: Bench) -> None:
    verdicts = bench.verdicts("hours == 'always'", on=[pizza(), pizza(hours="always")])
    assert [verdict.outcome for verdict in verdicts] == [Outcome.SKIPPED, Outcome.PASS]
    assert verdicts[0].reason == "does not apply: this conversation has no `hours`"


def test_a_name_of_no_conversation_is_an_error_with_file_line_and_nearest(bench: Bench) -> None:
    verdicts = bench.verdicts("extract_float(prise) > 1", on=[pizza(), pizza(n=1)])
    assert counts(verdicts) == {Outcome.SKIPPED: 2, Outcome.ERROR: 1}
    assert verdicts[-1].owner is Owner.TEST
    assert verdicts[-1].reason == (
        "000.yaml:3: oracle: no conversation has `prise`. Did you mean 'price'?"
    )


def test_names_that_are_tested_for_are_not_errors(bench: Bench) -> None:
    rule = {"when": "hasattr(conv[0], 'charge')", "oracle": "conv[0].charge == 1"}
    assert counts(bench.verdicts(rule, on=[pizza()])) == {Outcome.SKIPPED: 1}
    assert bench.one("getattr(conv[0], 'charge', 7) == 7", pizza()).outcome is Outcome.PASS


def test_names_seen_in_an_earlier_session_are_known(bench: Bench) -> None:
    oracle = bench.oracle("hours == 'always'")
    traces = [pizza(), pizza(hours="always")]
    bench.judge(oracle, traces[:1])

    import asyncio

    assert asyncio.run(oracle.conclude(traces)) == []


def test_no_conversation_is_no_error(bench: Bench) -> None:
    assert bench.verdicts("nothing == 1", on=[]) == []


LANGUAGE = [
    "size[0] == 'small' and amount == 2",
    "conv[0].size == size",
    "(amount if amount > 1 else 0) == 2 and (None or True)",
    "1 < amount <= 2 < 3",
    "amount in (1, 2) and amount not in [3]",
    "price is not None",
    "[t.upper() for t in toppings if t != 'corn'] == ['HAM']",
    "{t for t in toppings} == {'corn', 'ham'}",
    "{t: len(t) for t in toppings} == {'ham': 3, 'corn': 4}",
    "sum(len(t) for t in toppings) == 7",
    "all(t in ['ham', 'corn'] for t in toppings)",
    "any('pizza' in p.lower() for p in user_phrases)",
    "all(all(c.islower() for c in t) for t in toppings)",
    "[(i, t) for i, t in enumerate(toppings)] == [(0, 'ham'), (1, 'corn')]",
    "[a + b for a, b in zip(toppings, size * 2)] == ['hamsmall', 'cornsmall']",
    "[x for t in toppings for x in t][:3] == ['h', 'a', 'm']",
    "[[x for x in t] for t in toppings][0][-1] == 'm'",
    "[t for t in toppings] + [x for x in size] == ['ham', 'corn', 'small']",
    "toppings[::-1] == ['corn', 'ham'] == list(reversed(toppings))",
    "toppings[-1] == 'corn' and price[1:3] == '12' and price[:-1].endswith('5')",
    "f'{price}: {amount:>3}|{1.5:.2f}|{size!r}' == \"$12.50:   2|1.50|['small']\"",
    "f'{amount:{1 + 2}d}' == '  2'",
    "f'{date_given:%d.%m.%Y}' == '06.11.2024'",
    "str(date_given) == '2024-11-06' and date_given.year == 2024",
    "(date_given - date_given).days == 0",
    "sorted(toppings) == ['corn', 'ham'] and sorted(toppings, key=len) == ['ham', 'corn']",
    "min(toppings, key=len) == 'ham' and max(3, 4) == 4 and max([], default=0) == 0",
    "round(2.567, 1) == 2.6 and abs(-3) == 3 and int('3') == 3 and float('1.5') == 1.5",
    "bool(size) and list('ab') == ['a', 'b'] and len(set([1, 1])) == 1",
    "dict([('a', 1)]).get('a') == 1 and dict(a=1).items() == [('a', 1)]",
    "'-'.join(toppings) == 'ham-corn' and 'a b'.split() == ['a', 'b']",
    "'a,b'.replace(',', ';').count(';') == 1 and ' x '.strip().title() == 'X'",
    "'x' * 3 == 'xxx' and 7 // 2 == 3 and 7 % 4 == 3 and 2 ** 3 == 8 and -amount == -2",
    "{1, 2} & {2, 3} == {2} and {1} | {2} == {1, 2} and {1, 2} - {1} == {2}",
    "isinstance(price, str) and not isinstance(amount, (str, list))",
    "str({'b', 'a'}) == \"{'a', 'b'}\" and list({'b', 'a'}) == ['a', 'b']",
    "range(3)[1] == 1 and list(range(0, 6, 2)) == [0, 2, 4] and tuple([1]) == (1,)",
    "toppings.index('corn') == 1 and toppings.count('ham') == 1",
    "'größe'.upper() == 'GRÖSSE'",
    "repr('x') == \"'x'\" and str(None) == 'None'",
]


@pytest.mark.parametrize("text", LANGUAGE)
def test_the_language_is_python_s(bench: Bench, text: str) -> None:
    outputs = [
        Output(name="price", value="$12.50"),
        Output(name="date_given", value="2024-11-06", type="date"),
    ]
    verdict = bench.one(text, pizza(outputs=outputs))
    assert verdict.outcome is Outcome.PASS, verdict.reason


@pytest.mark.parametrize("value", [date(2024, 11, 6), "2024-11-06"])
def test_dates_are_dates_also_when_read_back_from_a_log(bench: Bench, value: Any) -> None:
    trace = pizza(outputs=[Output(name="day", value=value, type="date")])
    stored = Trace.model_validate_json(trace.model_dump_json())
    rules = ["str(day) == '2024-11-06'", "day.month == 11", "day == conv[0].data_output_day"]
    assert {v.outcome for v in bench.verdicts(*rules, on=[trace, stored])} == {Outcome.PASS}


def test_expressions_over_several_lines_need_no_brackets(bench: Bench) -> None:
    assert bench.one("amount == 2\nand size[0] == 'small'", pizza()).outcome is Outcome.PASS


NAMES = [
    ("interaction[1] == {'Assistant': 'one'}", True),
    ("chatbot_phrases == ['one', 'two'] and user_phrases == ['hi', 'Yes', 'bye']", True),
    ("number == 6 and conversation_number == 6", True),
    ("conversation_goal_style_steps == 4 and steps == 4", True),
    ("data_output_price == price and data_output == [{'price': '$1'}]", True),
    ("inputs['size'] == size and outputs['price'] == price", True),
    ("response_times == [0.5, 1.5] and max_response_time == 1.5", True),
    ("average_response_time == 1.0 and conversation_time == 5.0", True),
    ("errors == ['timeout'] and incidents[0]['message'] == 'too slow'", True),
    ("ended == 'incident' and len(turns) == 3", True),
    ("turns[0]['choices'] == ['Yes', 'Menu'] and turns[2]['assistant'] is None", True),
    ("choices == [['Yes', 'Menu'], []] and links == ['http://menu.example']", True),
    ("payloads == [{'a': 1}, None]", True),
    ("language == 'English' and role == 'guest' and context == ['be kind']", True),
    ("goals == ['order'] and profile == 'p1' and serial == 's1' and source == 'f.yml'", True),
    ("scenario == 'talk' and case_id.startswith('talk-') and repeat == 1", True),
    ("turns[1]['act'] == 'press' and turns[1]['user'] == 'Yes'", True),
    ("turns[2]['response_time'] == 3.0", True),
]


@pytest.mark.parametrize(("text", "holds"), NAMES)
def test_names_of_the_run_are_visible(bench: Bench, text: str, holds: bool) -> None:
    choices = (Choice(label="Yes"), Choice(label="Menu", url="http://menu.example"))
    trace = trace_of(
        [
            ("hi", Observation(text="one", choices=choices, payload={"a": 1})),
            (Press(label="Yes"), "two"),
            ("bye", None),
        ],
        outputs={"price": "$1"},
        incidents=[
            Incident(kind=IncidentKind.TIMEOUT, message="too slow", owner=Owner.APP, turn=2)
        ],
        latencies=[0.5, 1.5, 3.0],
        ended=Ended.INCIDENT,
        meta={
            "language": "English",
            "role": "guest",
            "context": ["be kind"],
            "goals": ["order"],
            "profile": "p1",
            "serial": "s1",
            "source": "f.yml",
            "conversation": [{"number": 6}, {"goal_style": {"steps": 4}}],
        },
        size=["small"],
    )
    verdict = bench.one(text, trace)
    assert (verdict.outcome is Outcome.PASS) is holds, verdict.reason


def test_inputs_and_outputs_hide_other_names(bench: Bench) -> None:
    rules = ["number == 3", "language == 'Latin'", "errors == 0", "interaction == 'x'"]
    trace = pizza(number=3, errors=0, interaction="x", outputs={"language": "Latin"})
    assert {v.outcome for v in bench.verdicts(*rules, on=[trace])} == {Outcome.PASS}
    assert bench.context.warnings == [
        (
            "000.yaml:1: `number` is the input called so; SENSEI shows the conversation block's "
            "`number` instead"
        )
    ]


def test_an_output_hides_an_input(bench: Bench) -> None:
    trace = pizza(outputs={"size": "large"})
    rules = ["size == 'large'", "inputs['size'] == ['small']"]
    assert {v.outcome for v in bench.verdicts(*rules, on=[trace])} == {Outcome.PASS}


def test_functions_of_others_can_be_called(bench: Bench) -> None:
    @rule_function
    def doubled(number: int) -> int:
        return 2 * number

    @rule_function(conversation=True, cost=lambda trace, what: 5)
    def mentions(trace: Trace, what: str) -> int:
        return sum(what in turn.observation.text for turn in trace.turns if turn.observation)

    functions = {"doubled": doubled, "mentions": mentions}
    assert bench.one("doubled(amount) == 4", pizza(), functions=functions).outcome is Outcome.PASS
    assert bench.one("mentions('$') == 1", pizza(), functions=functions).outcome is Outcome.PASS
    of = bench.one("mentions('$', of=conv[0]) == 1", pizza(), functions=functions)
    assert of.outcome is Outcome.PASS


def test_a_function_that_returns_no_plain_data_is_refused(bench: Bench) -> None:
    functions = {"odd": RuleFunction(lambda: print)}
    verdict = bench.one("odd() == 1", pizza(), functions=functions)
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)
    assert "the function odd() returned what rules cannot use" in verdict.reason


def test_a_function_that_raises_is_an_error_of_the_tool(bench: Bench) -> None:
    def broken() -> None:
        raise RuntimeError("no such thing")

    verdict = bench.one("broken() == 1", pizza(), functions={"broken": RuleFunction(broken)})
    assert (verdict.outcome, verdict.owner) == (Outcome.ERROR, Owner.TOOL)
    assert "the function broken() broke: RuntimeError: no such thing" in verdict.reason


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        ("extract_flaot(price) > 1", "no function is called `extract_flaot`. Did you mean"),
        ("extract_float(price, txt='1') > 1", "extract_float() has no parameter `txt`."),
        ("price.uper() == 'X'", "Did you mean 'upper'?"),
        ("conv[1].price == 1", "conv[1]: this rule is over 1 conversation(s), from conv[0]"),
        ("conv.price == 1", "only conversations have names"),
        ("price ==", "it ends too early"),
        ("price = 1", "rules compare with `==`"),
        ("hasattr(price, 'x')", "a conversation is meant here"),
        ("hasattr(conv[0])", "hasattr() takes 2 values"),
        ("exists('price')", "exists() is for the oracle of a rule with `conversations: all`"),
    ],
)
def test_what_can_be_seen_before_anything_runs_stops_the_suite(
    bench: Bench, oracle: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle(oracle)
    assert message in str(caught.value)
    assert str(caught.value).startswith("000.yaml:3: oracle: ")


def parrots(trace: Trace, share: float = 0.5, *, words: int = 1) -> bool:
    return share > 0 and words > 0


def asks(trace: Trace, ask: object, topic: str = "") -> bool:
    return topic == ""


PARROTS = {
    "parrots": RuleFunction(parrots, conversation=True),
    "asks": RuleFunction(asks, conversation=True, model=True),
    "anything": RuleFunction(lambda **named: True),
}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("parrots(shar=0.8)", "parrots() has no parameter `shar`. Did you mean 'share'?"),
        ("parrots(trace=1)", "parrots() has no parameter `trace`."),
        ("asks(ask=1)", "asks() has no parameter `ask`. Known: of, topic."),
    ],
)
def test_names_that_are_no_parameters_are_refused(bench: Bench, rule: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle(rule, functions=PARROTS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "rule",
    ["parrots(share=0.8, words=2)", "parrots(share=0.8, of=conv[0])", "anything(at_all=1)"],
)
def test_names_of_parameters_are_taken(bench: Bench, rule: str) -> None:
    assert bench.one(rule, pizza(), functions=PARROTS).outcome is Outcome.PASS


def test_equal_conversations_give_equal_verdicts(bench: Bench) -> None:
    rules = ["size == 1", "str({'x', 'y', 'z'}) == ''", "not repeated_answers('tf-idf', 0.1)"]
    assert bench.verdicts(*rules, on=[pizza()]) == bench.verdicts(*rules, on=[pizza()])
