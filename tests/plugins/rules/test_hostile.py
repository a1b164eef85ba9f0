"""Rules from somebody else: nothing reaches Python's objects, nothing takes long or much."""

import json
import subprocess
import sys
import textwrap
import time
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.verdict import Outcome, Owner
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.compile.evaluation import Evaluator
from sparring_plugins.rules.parse.syntax import ExpressionSource, NotAllowed, Scope
from sparring_plugins.rules.values.function_calls import Questions

from .judging import Bench, pizza

#: Rules that are refused before anything runs, each with a part of what the author reads.
REFUSED: dict[str, tuple[str, str]] = {
    "class walk": ("().__class__.__bases__[0].__subclasses__()", "two underscores"),
    "class of a value": ("size.__class__", "two underscores"),
    "attribute of a text": ("'x'.upper", "methods are called"),
    "generator frame": ("(x for x in size).gi_frame", "only conversations have names"),
    "function code": ("extract_float.__code__", "two underscores"),
    "function globals": ("extract_float.func_globals", "only conversations have names"),
    "record internals": ("conv[0].__dict__", "two underscores"),
    "record by subscript": ("conv[0]['size']", "a conversation is no value"),
    "import": ("__import__('os').system('id')", "two underscores"),
    "builtins": ("__builtins__['open']", "two underscores"),
    "eval": ("eval('1')", "no function is called `eval`"),
    "exec": ("exec('1')", "no function is called `exec`"),
    "open": ("open('/etc/passwd')", "no function is called `open`"),
    "compile": ("compile('1', '', 'eval')", "no function is called `compile`"),
    "getattr with a made-up name": ("getattr(conv[0], '__cl' + 'ass__')", "a plain text"),
    "getattr of a text": ("getattr('x', 'upper')", "a conversation is meant here"),
    "type": ("type(size)", "no function is called `type`"),
    "vars": ("vars()", "no function is called `vars`"),
    "globals": ("globals()", "no function is called `globals`"),
    "str.format": ("'{0.__class__}'.format(size)", "Write an f-string"),
    "format_map": ("'{size}'.format_map(conv)", "Write an f-string"),
    "translate": ("'x'.translate({120: 'y' * 9})", "the method `translate`"),
    "encode": ("'x'.encode()", "the method `encode`"),
    "center": ("'x'.center(10**9)", "the method `center`"),
    "zfill": ("'x'.zfill(10**9)", "the method `zfill`"),
    "expandtabs": ("'\\t'.expandtabs(10**9)", "the method `expandtabs`"),
    "append": ("size.append(1)", "the method `append`"),
    "lambda": ("(lambda: 1)()", "`lambda` is not allowed"),
    "walrus": ("(x := 5)", "`:=` is not allowed"),
    "await": ("await size", "`await` is not allowed"),
    "yield": ("(yield 1)", "`yield` is not allowed"),
    "star argument": ("max(*size)", "`*` before a value is not allowed"),
    "double star argument": ("dict(**{'a': 1})", "`**` before a value is not allowed"),
    "star in a list": ("[*size]", "`*` before a value is not allowed"),
    "double star in a dict": ("{**{'a': 1}}", "`**` in a dict is not allowed"),
    "async comprehension": ("[x async for x in size]", "`async` is not allowed"),
    "shift": ("1 << 10**10", "`<<` is not allowed"),
    "right shift": ("1 >> 1", "`>>` is not allowed"),
    "matrix product": ("size @ size", "`@` is not allowed"),
    "invert": ("~1", "`~` is not allowed"),
    "assignment": ("size = 1", "rules compare with `==`"),
    "statement": ("import os", "not a valid expression"),
    "two statements": ("1; 2", "not a valid expression"),
    "bytes": ("b'x'", "a constant of type 'bytes'"),
    "complex": ("1j", "a constant of type 'complex'"),
    "ellipsis": ("...", "a constant of type 'ellipsis'"),
    "many brackets": ("(" * 900 + "1" + ")" * 900, "too many nested parentheses"),
    "deep lists": ("[" * 150 + "]" * 150, "nested deeper"),
    "deep sums": ("+".join(["1"] * 400), "nested deeper"),
    "deep minus": ("-" * 900 + "1", "nested deeper"),
    "long": ("1 + " * 3000 + "1", "longer than 10,000 characters"),
    "huge number": ("1" * 5000, "too many digits"),
    "large number": ("1" * 600, "a number of more than"),
    "null byte": ("'a' == \x00", "null bytes"),
    "calling a value": ("size[0]()", "only functions and methods by name"),
    "calling a loop variable": ("[f() for f in size]", "loop variable, not a function"),
    "calling a call": ("len(size)()", "only functions and methods by name"),
    "loop into an attribute": ("[1 for size.x in size]", "a loop variable is a plain name"),
    "loop into a subscript": ("[1 for size[0] in size]", "a loop variable is a plain name"),
    "key by a value": ("sorted(size, key=size)", "`key` takes the name"),
    "function as a value in map": ("map(str, size)", "no function is called `map`"),
    "isinstance with a value": ("isinstance(size, size)", "isinstance() knows"),
    "f-string attribute": ("f'{size.__class__}'", "two underscores"),
}

#: Rules that compile, and end as errors of their own when they are evaluated.
STOPPED: dict[str, tuple[str, str]] = {
    "tower of powers": ("9**9**9", "a whole number of more than"),
    "large power": ("2**100000 > 1", "a whole number of more than"),
    "power of a power": ("(2**4000)**2 > 1", "a whole number of more than"),
    "large product": ("(2**4000) * (2**4000) > 1", "a whole number of more than"),
    "long text": ("'a' * 10**10 == ''", "units of work"),
    "long list": ("[0] * 10**9 == []", "units of work"),
    "long tuple": ("(0,) * 10**18 == ()", "units of work"),
    "long text made of products": ("'a' * 3000 * 3000 * 3000 == ''", "units of work"),
    "range": ("list(range(10**12)) == []", "units of work"),
    "range beyond any count": ("len(list(range(10**30))) == 1", "units of work"),
    "sum of a range": ("sum(range(10**11)) == 1", "units of work"),
    "search in a range": ("'x' in range(10**15)", "units of work"),
    "nested loops": (
        (
            "any(a + b + c + d == -1 for a in range(999) for b in range(999) "
            "for c in range(999) for d in range(999))"
        ),
        "units of work",
    ),
    "loop in a loop": ("[[b for b in range(9999)] for a in range(9999)] == 1", "units of work"),
    "loops over shared lists": (
        "[x for a in [[[[0] * 99] * 99] * 99] * 99 for b in a for c in b for x in c] == []",
        "units of work",
    ),
    "shared lists as text": ("str([[[[0] * 99] * 99] * 99] * 99) == ''", "units of work"),
    "shared lists in an f-string": ("f'{[[[[0] * 99] * 99] * 99] * 99}' == ''", "units of work"),
    "shared lists compared": (
        "[[[[0] * 99] * 99] * 99] * 99 == [[[[0] * 99] * 99] * 99] * 99",
        "units of work",
    ),
    "shared tuples as a key": ("{((((0,) * 99,) * 99,) * 99,) * 99: 1} == 1", "units of work"),
    "shared tuples in a set": ("set([((((0,) * 99,) * 99,) * 99,) * 99]) == 1", "units of work"),
    "shared lists sorted": ("sorted([[[[0] * 99] * 99] * 99] * 99) == 1", "units of work"),
    "shared lists searched": ("5 in [[[[0] * 999] * 999] * 999] * 999", "units of work"),
    "shared lists counted": ("([[[0] * 999] * 999] * 999).count(1) == 1", "units of work"),
    "shared lists as a bound": ("max([[[0] * 999] * 999] * 999) == 1", "units of work"),
    "joined texts": ("''.join(['a' * 9999 for x in range(99999)]) == ''", "units of work"),
    "joined with a long text": ("('a' * 99999).join(['b'] * 9999) == ''", "units of work"),
    "replaced texts": ("('a' * 9999).replace('a', 'b' * 9999) == ''", "units of work"),
    "replaced nothing": ("('a' * 99999).replace('', 'b' * 999) == ''", "units of work"),
    "split texts": ("('a ' * 9999999).split('a') == ''", "units of work"),
    "texts collected": ("['a' * 9999 + str(x) for x in range(9999)] == 1", "units of work"),
    "slices collected": ("[('a' * 99999)[x:] for x in range(99999)] == 1", "units of work"),
    "upper case collected": ("[('a' * 9999).upper() for x in range(99999)] == 1", "units of work"),
    "pairs collected": ("list(zip(range(10**9), range(10**9))) == 1", "units of work"),
    "numbered": ("enumerate(range(10**9)) == 1", "units of work"),
    "dict of a range": ("{x: x for x in range(10**9)} == 1", "units of work"),
    "set of a range": ("{x for x in range(10**9)} == 1", "units of work"),
    "set of whole numbers that collide": (
        "set([(2**61 - 1) * x for x in range(20000)]) == 1",
        "have the same hash",
    ),
    "set comprehension of whole numbers that collide": (
        "{(2**61 - 1) * x for x in range(20000)} == 1",
        "have the same hash",
    ),
    "dict of whole numbers that collide": (
        "dict([((2**61 - 1) * x, 1) for x in range(20000)]) == 1",
        "have the same hash",
    ),
    "dict comprehension of tuples that collide": (
        "{(1, (2**61 - 1) * x): x for x in range(20000)} == 1",
        "have the same hash",
    ),
    "set of tuples that collide": (
        "set([((2**61 - 1) * x, x // 9999) for x in range(20000)] * 2) == 1",
        "have the same hash",
    ),
    "search backwards": ("('a' * 1000000).rfind('ab' + 'a' * 500000) == 1", "units of work"),
    "split backwards": ("('a' * 1000000).rsplit('ab' + 'a' * 500000) == 1", "units of work"),
    "part backwards": ("('a' * 1000000).rpartition('ab' + 'a' * 500000) == 1", "units of work"),
    "strip of many letters": ("('a' * 1000000).strip('b' * 500000 + 'a') == 1", "units of work"),
    "dicts collected": ("[{1: 1, 2: 2, 3: 3} for x in range(10**6)] == 1", "units of work"),
    "wide format": ("f'{1:999999999}' == ''", "the format"),
    "wide format by a value": ("f'{1:{10**9}}' == ''", "the format"),
    "precise format": ("f'{1.5:.999999999f}' == ''", "the format"),
    "wide text format": ("f'{size[0]:>999999}' == ''", "the format"),
    "percent format": ("'%999999999d' % 1 == ''", "write an f-string"),
    "giant whole number": ("int('9' * 4000) > 1", "more than 400 digits"),
    "giant number": ("float('9' * 4000) > 1", "more than 400 digits"),
    "rounding to the left": ("round(5, -10**9) == 0", "-20 to 20 digits"),
    "overflow": ("int(1e308 * 10) == 1", "OverflowError"),
    "conversation in a list": ("str([x for x in getattr(conv[0], 'size')]) and 1 / 0", "Division"),
    "many questions about texts": (
        "[repeated_answers('sequence-matcher', x / 9999) for x in range(9999)] == 1",
        "units of work",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_rule_may_do_is_refused_with_file_and_line(bench: Bench, name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(NotAllowed) as caught:
        Evaluator(bench.context.functions(), Questions(None, 1), work=1).compile(
            ExpressionSource(text, "rules/bad.yaml", 7, 1, "oracle"),
            Scope(functions=bench.context.functions()),
        )
    assert message in str(caught.value)
    assert str(caught.value).startswith("rules/bad.yaml:7: oracle: column ")


@pytest.mark.parametrize("name", STOPPED)
def test_a_rule_that_takes_too_much_is_an_error_of_the_rule(bench: Bench, name: str) -> None:
    text, message = STOPPED[name]
    trace = pizza(said=[("a" * 40, "b" * 40)] * 6)
    started = time.process_time()
    verdict = bench.one(text, trace)
    assert verdict.outcome is Outcome.ERROR, verdict
    assert verdict.owner is Owner.TEST
    assert message in verdict.reason
    assert verdict.reason.startswith("000.yaml:3: oracle: ")
    assert time.process_time() - started < 10


def test_keys_that_share_a_hash_by_chance_are_values_like_any_other(bench: Bench) -> None:
    verdict = bench.one(
        "len({x for x in [-1, -2] * 5000}) == 2 and len(set([-1, -2, 2**61 - 3] * 999)) == 3"
        " and {x: 1 for x in [1, 1.0, True] * 99} == {1: 1} and ' a '.strip() == 'a'"
        " and 'xax'.strip('x') == 'a' and 'banana'.rfind('an') == 3 and '  a b'.rsplit() == ['a', 'b']",
        pizza(),
    )
    assert verdict.outcome is Outcome.PASS, verdict.reason


def test_a_refused_rule_stops_the_suite_with_everything_that_is_wrong(bench: Bench) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.oracle("open('x')", "size ==", "price > 1")
    text = str(caught.value)
    assert "000.yaml:3: oracle: column 9: no function is called `open`" in text
    assert "001.yaml:3: oracle: column 16: not a valid expression: it ends too early" in text
    assert "002.yaml" not in text


#: A process that may use 400 MiB and 20 seconds: too much of either ends it.
_CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.compile.evaluation import Evaluator
from sparring_plugins.rules.values.function_calls import Questions
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.parse.syntax import Scope
from sparring_plugins.rules.parse.syntax import ExpressionSource
from sparring_plugins.rules.functions.conversations import repeated_answers
functions = {"repeated_answers": repeated_answers}
evaluator = Evaluator(functions, Questions(None, 1), work=2_000_000)
record = Record(trace_of([("a" * 40, "b" * 40)] * 6, size=["small"]))
size = 400 << 20
resource.setrlimit(resource.RLIMIT_AS, (size, size))
ends = {}
for name, text in json.load(sys.stdin).items():
    expression = evaluator.compile(ExpressionSource(text), Scope(functions=functions))
    try:
        evaluator.evaluate(expression, record)
        ends[name] = "value"
    except Exception as err:
        ends[name] = type(err).__name__
print(json.dumps(ends))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX")
@pytest.mark.thorough
def test_hostile_rules_end_within_little_memory_and_time() -> None:
    texts = {name: text for name, (text, _) in STOPPED.items()}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_CHILD)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ends = json.loads(done.stdout)
    assert set(ends) == set(texts)
    assert "MemoryError" not in ends.values()
    assert "value" not in ends.values()


def test_what_the_app_says_never_becomes_code(bench: Bench) -> None:
    said = [("hi", "{0.__class__} {{size}} ${x} %s __import__('os') \x1b[2J</script>")]
    verdict = bench.one(
        {"oracle": "chatbot_phrases == []", "yields": "f'{chatbot_phrases[0]}'"}, pizza(said=said)
    )
    assert verdict.outcome is Outcome.FAIL
    assert verdict.details["yields"] == " ".join(said[0][1].split())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            text, id=kind, marks=() if kind in ("commas", "nulls") else pytest.mark.thorough
        )
        for kind, text in {
            "letters": "x" * 3_000_000,
            "commas": "1," * 1_000_000,
            "digits": "9" * 1_000_000,
            "points": "1.111" * 300_000,
            "dollars": "$" * 1_000_000,
            "signs": "-" * 1_000_000,
            "arabic": "\u0661" * 100_000,
            "nulls": "\x00" * 100_000,
        }.items()
    ],
)
def test_functions_take_answers_of_any_shape_and_size(bench: Bench, text: str) -> None:
    trace = pizza(said=[("hi", text)] * 3, outputs={"price": text})
    rules: list[Any] = [
        "extract_float(price) == 10",
        "currency(price) == 'USD'",
        "repeated_answers('tf-idf') == {}",
        "chatbot_returns('zz') == []",
        "price.lower().split() == []",
        {"conversations": 2, "oracle": "conv[0].price == conv[1].price"},
    ]
    started = time.process_time()
    verdicts = bench.verdicts(*rules, on=[trace, trace.model_copy(update={"case": trace.case})])
    assert time.process_time() - started < 10
    assert len(verdicts) >= 11


def test_a_message_that_cannot_be_made_does_not_hide_the_failure(bench: Bench) -> None:
    verdict = bench.one({"oracle": "1 == 2", "yields": "'a' * 10**10"}, pizza())
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason.startswith("`1 == 2` is false (the message could not be made: ")


def test_deeply_nested_answers_end_as_verdicts() -> None:
    nested: Any = []
    for _ in range(150):
        nested = [nested]
    trace = trace_of([("a", "b")], outputs={"deep": nested})
    assert trace.outputs[0].name == "deep"


@pytest.mark.parametrize("oracle", ["str(deep) == ''", "deep == [deep]", "sorted(deep) == deep"])
def test_rules_take_deeply_nested_values(bench: Bench, oracle: str) -> None:
    nested: Any = []
    for _ in range(150):
        nested = [nested]
    verdict = bench.one(oracle, pizza(outputs={"deep": nested}))
    assert verdict.outcome in (Outcome.PASS, Outcome.FAIL, Outcome.ERROR)
