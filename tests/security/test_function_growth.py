"""No function of rules takes more than linear time, or it is charged for what it takes."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from itertools import chain

import pytest

from sparring.interfaces.rule_function import RuleFunction
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.parse.syntax import ExpressionSource, Scope
from sparring_plugins.rules.values.function_calls import Questions
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import TooMuchWork

from .pattern_growth import attacks, growth, sources

CALLS = {
    "asked_twice": "asked_twice()",
    "before": "before('welcome', 'bye')",
    "broken_links": "broken_links()",
    "chatbot_returns": "chatbot_returns('x', and_not='y')",
    "conversation_length": "conversation_length()",
    "currency": "currency(chatbot_phrases[1])",
    "data_collected": "data_collected()",
    "debris": "debris(chatbot_phrases)",
    "echoed_data": "echoed_data()",
    "empty_responses": "empty_responses()",
    "error_traces": "error_traces(chatbot_phrases)",
    "extract_float": "extract_float(chatbot_phrases[1])",
    "inconsistencies": "inconsistencies()",
    "index_of": "index_of('bye')",
    "insults": "insults(chatbot_phrases)",
    "leaked_data": "leaked_data()",
    "leftovers": "leftovers(chatbot_phrases)",
    "length": "length(chatbot_phrases)",
    "minutes_of": "minutes_of(chatbot_phrases[1])",
    "missing_outputs": "missing_outputs()",
    "missing_slots": "missing_slots()",
    "not_repeated_answers": "not_repeated_answers('tf-idf')",
    "personal_data": "personal_data(chatbot_phrases)",
    "repeated_answers": "repeated_answers('jaccard')",
    "shouting": "shouting(chatbot_phrases)",
    "single": "single(chatbot_phrases)",
    "slang": "slang(chatbot_phrases)",
    "step_order": "step_order(['welcome', 'bye'])",
    "without": "without({'a': chatbot_phrases[1]}, 'b')",
}
"""How each function that asks no model is called; its variants are called as it is."""

TEXTS = [
    *(
        " ",
        "\n",
        "a",
        "A",
        "0",
        ".",
        "!",
        "+",
        "a ",
        "A ",
        "a@",
        "1,",
        "+1",
        "{{",
        "<a ",
        "[a](",
        "?",
    ),
    *("a? ", "AB12 ", "\u0661", "\u00e9", "1.1", "12:", "http://", "sk-", "eyJ", "at a(", "\\u"),
]
MAX_BYTES = 1_000_000


def _functions() -> dict[str, RuleFunction]:
    functions: dict[str, RuleFunction] = {
        part.name: part.load()
        for part in entry_points(group="sparring.functions")
        if "." not in part.name
    }
    return {name: function for name, function in functions.items() if not function.model}


def _slow(
    names: list[str], texts: list[str], sizes: tuple[int, int], given_up_s: float
) -> Iterator[str]:
    functions = _functions()
    evaluator = Evaluator(functions, Questions(None, 1), work=2_000_000)
    for name in names:
        source = ExpressionSource(CALLS[name])
        expression = evaluator.compile(source, Scope(functions=functions))
        for unit in texts:
            ratio, seconds = growth(
                lambda text, e=expression: _evaluate(evaluator, e, text),
                lambda size, u=unit: u * (size // len(u)) + "\x01",
                sizes,
                given_up_s,
            )
            if seconds:
                yield f"{name} of {unit!r} * n: {ratio:.0f} times as long for 8 times the text"


def _evaluate(evaluator: Evaluator, expression: Expression, text: str) -> None:
    # The conversation says it twice, so that what compares answers has something to compare.
    record = Record(trace_of([("hi", "welcome"), ("well", text), ("and", text)]))
    try:
        evaluator.evaluate(expression, record)
    except TooMuchWork:
        return


def test_each_function_is_tried() -> None:
    assert sorted(CALLS) == sorted(_functions())


def test_functions_that_read_answers_take_linear_time() -> None:
    names = ["error_traces", "leftovers", "shouting", "broken_links"]
    assert list(_slow(names, [" ", "\n", "a ", "[a]("], (1_500, 12_000), 0.5)) == []


@pytest.mark.thorough
def test_all_functions_take_linear_time_for_texts_that_are_made_against_their_patterns() -> None:
    patterns = sources(["sparring_plugins/rules/functions", "sparring_plugins/language"])
    units = dict.fromkeys(chain.from_iterable(map(attacks, patterns)))
    texts = [first + unit for first, unit in units]
    assert len(texts) > 300
    assert list(_slow(sorted(CALLS), texts, (1_500, 12_000), 2.0)) == []


@pytest.mark.thorough
def test_all_functions_take_linear_time_up_to_the_largest_answer() -> None:
    sizes = (MAX_BYTES // 8, MAX_BYTES)
    assert list(_slow(sorted(CALLS), TEXTS, sizes, 60.0)) == []
