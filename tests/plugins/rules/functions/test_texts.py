"""What no answer should hold: leftovers, debris, errors, personal data, bad manners."""

import time
from typing import Any

import pytest

from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions.text_checks import (
    debris,
    echoed_data,
    error_traces,
    insults,
    leaked_data,
    leftovers,
    manners,
    personal_data,
    shouting,
    slang,
)

FOUND: list[tuple[Any, str, list[str]]] = [
    (leftovers, "Hello {{name}}!", ["{{name}}"]),
    (leftovers, "Use ${x} or %(name)s or <%= y %>", ["${x}", "%(name)s", "<%= y %>"]),
    (leftovers, "Dear {user_name}, it costs null.", ["{user_name}", "null"]),
    (leftovers, "The price is None", ["None"]),
    (
        leftovers,
        "It costs undefined euros, NaN, [object Object]",
        ["undefined", "NaN", "[object Object]"],
    ),
    (leftovers, "None of these is null and void. I have none", []),
    (leftovers, 'Naan {"a": 1} and {1, 2} are fine', []),
    (debris, "One<br/>two &amp; three&#39;s", ["<br/>", "&amp;", "&#39;"]),
    (debris, "Line\\nbreak caf\u00c3\u00a9", ["\\n", "\u00c3\u00a9"]),
    (debris, "1 < 2 & I <3 you, AT&T", []),
    (
        error_traces,
        "Traceback (most recent call last):\n  x",
        ["Traceback (most recent call last)"],
    ),
    (error_traces, "java.lang.NullPointerException: null", ["NullPointerException:"]),
    (error_traces, "500 Internal Server Error", ["500 Internal Server Error"]),
    (error_traces, "Sorry, there was an error: try again", []),
    (insults, "You IDIOT, shut up", ["idiot", "shut up"]),
    (insults, "I classify the bass in Scunthorpe", []),
    (slang, "Yeah, I'm gonna do it", ["yeah", "gonna"]),
    (slang, "Yes, I am going to do it", []),
    (shouting, "READ THE MENU NOW!!! please", ["READ THE MENU NOW!!!", "!!!"]),
    (shouting, "The USA and the UK, OK?", []),
]


@pytest.mark.parametrize(("function", "text", "found"), FOUND)
def test_what_is_found_in_texts(function: Any, text: str, found: list[str]) -> None:
    assert function.call(text) == found
    assert function.call(["", text, text]) == found


DATA = [
    ("mail a.b+c@sub.shop.org.", ["a.b+c@sub.shop.org"]),
    ("a@b and @home", []),
    ("call +34 600 123 456 or 600123456", ["+34600123456"]),
    ("card 4111 1111 1111 1111, not 4111 1111 1111 1112", ["4111111111111111"]),
    ("order 20261121010208", []),
    ("IBAN DE89 3704 0044 0532 0130 00 please, not DE88370400440532013000", ["DE89370400440532013000"]),
    ("key sk-abcdefghijklmnopqrstuvwx", ["sk-abcdefghijklmnopqrstuvwx"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), DATA)
def test_personal_data_is_known_by_its_form_and_check_digits(text: str, found: list[str]) -> None:
    assert personal_data.call(text) == found


def test_only_the_kinds_that_are_wanted_count() -> None:
    text = "a@b.org, 4111111111111111"
    assert personal_data.call(text, "email") == ["a@b.org"]
    assert personal_data.call(text, ["card", "phone"]) == ["4111111111111111"]
    with pytest.raises(ValueError, match="the kinds of personal data are email, phone"):
        personal_data.call(text, "address")


def test_what_the_user_told_before_is_no_leak() -> None:
    trace = trace_of(
        [("hi", "b@x.org?"), ("a@x.org", "a@x.org and c@x.org"), ("b@x.org", "b@x.org")]
    )
    found = leaked_data.call(trace)
    assert (found.value, found.turns) == (["b@x.org", "c@x.org"], (0, 1))
    assert leaked_data.call(trace, allowed=["X.org"]).value == []
    assert echoed_data.call(trace, "email").value == ["a@x.org", "b@x.org"]
    assert echoed_data.call(trace).value == []


HOSTILE = [
    "{{" * 5_000, "<a " * 5_000, "a@" * 5_000, "1 " * 10_000, "A " * 10_000, "DE89" * 5_000,
    "[](" * 5_000, "at a(" * 5_000, "!" * 20_000, "\\" * 20_000, "eyJ" + "a" * 10_000, "+34 " * 4_000,
    "{" * 20_000, "x.y@" * 5_000, "<" * 20_000, "&#" * 10_000, "is " * 7_000, "4111" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:6] for text in HOSTILE])
def test_texts_that_are_made_to_be_slow_are_not(text: str) -> None:
    started = time.process_time()
    for function in (leftovers, debris, error_traces, insults, slang, shouting, personal_data):
        function.call(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "words", [*manners().insults.values(), *manners().insulting_phrases.values()]
)
def test_each_listed_insult_is_found(words: tuple[str, ...]) -> None:
    for word in words:
        assert word.casefold() in insults.call(f"You {word.upper()}!"), word


@pytest.mark.parametrize("pattern", [p for ps in manners().slang.values() for p in ps])
def test_each_listed_slang_word_is_found(pattern: str) -> None:
    word = pattern.replace(r"['\u2019]", "'").removesuffix("+")
    assert slang.call(f"Well, {word}.") == [word]
