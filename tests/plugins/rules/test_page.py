"""The reference page of the rules language says what is so."""

import re
from pathlib import Path

import pytest

from sparring.interfaces.rule_function import RuleFunction
from sparring.model.talk import Ended, IncidentKind, Trace
from sparring.model.verdict import Outcome
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.oracle import RulesConfig
from sparring_plugins.rules.parse import syntax
from sparring_plugins.rules.parse.syntax import BASICS, MAX_CONVERSATIONS, OVER_ALL
from sparring_plugins.rules.values import work
from sparring_plugins.rules.values.operations import KNOWN
from sparring_plugins.rules.values.record import OWN_NAMES

from .judging import Bench

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `(\w+)\([^|]*\| [^|]* \| `([^|]*)` \|$", PAGE, re.MULTILINE)


def talk() -> Trace:
    return trace_of([("hi", "Hello!"), ("bye", "Hello!")], outputs={"price": "$12", "time": None})


@pytest.mark.parametrize(("function", "example"), EXAMPLES)
def test_the_example_of_a_function_holds(bench: Bench, function: str, example: str) -> None:
    assert f"{function}(" in example
    verdict = bench.one(example, talk())
    assert verdict.outcome is Outcome.PASS, verdict.reason


def test_every_function_and_name_is_on_the_page(bench: Bench) -> None:
    offered = list(bench.context.functions())
    functions = [name for name in offered if "." not in name]
    for name in (*functions, *OVER_ALL):
        assert re.search(rf"^\| `{name}\(", PAGE, re.MULTILINE), name
    plain = {name for name in functions if not _of(bench, name).model}
    assert plain == {name for name, _ in EXAMPLES}
    for variant in set(offered) - set(functions):
        name, _, kind = variant.partition(".")
        assert re.search(rf"^\| `{name}: {kind}` \|", PAGE, re.MULTILINE), variant
    for name in OWN_NAMES:
        assert f"`{name}`" in PAGE, name
    words = set(re.findall(r"\w+", PAGE))
    assert words >= BASICS
    assert set(KNOWN) <= words
    assert {kind.value for kind in (*IncidentKind, *Ended)} <= words


def _of(bench: Bench, name: str) -> RuleFunction:
    return bench.context.functions()[name]


def test_the_limits_are_those_of_the_code() -> None:
    config = RulesConfig(files="x")
    for name in ("max_failures_listed", "work", "tuple_work", "max_questions"):
        assert re.search(
            rf"^\| `{name}` \| .* \| {getattr(config, name):,} \|$", PAGE, re.MULTILINE
        )
    assert f"at most {syntax.MAX_LENGTH:,} characters and {syntax.MAX_DEPTH} levels" in PAGE
    assert f"at most {work.MAX_BITS:,} bits" in PAGE
    assert f"a number up to {MAX_CONVERSATIONS}, or `all`" in PAGE
