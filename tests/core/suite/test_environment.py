"""References to the environment, and secrets that never show."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.documents.reading import parse
from sparring.suite.environment import Redactor, expand

KNOWN = {"HOST": "example.org", "EMPTY": "", "CHAT_TOKEN": 'abc"def\\é-123'}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("https://${HOST}/x", "https://example.org/x"),
        ("${HOST}${HOST}", "example.orgexample.org"),
        ("${NONE:-other}", "other"),
        ("${NONE:-}", ""),
        ("${EMPTY:-other}", ""),
        ("$${HOST}", "${HOST}"),
        ("$HOST {HOST}", "$HOST {HOST}"),
        ("${NONE:-http://x:1/y}", "http://x:1/y"),
    ],
)
def test_a_reference_is_replaced(text: str, value: str) -> None:
    expansion = expand(parse(f"a: [{json.dumps(text)}]", "f"), KNOWN)
    assert expansion.data == {"a": [value]}
    assert expansion.problems == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${HOTS}", "f:2: a.b: the environment variable 'HOTS' is not set. Did you mean 'HOST'?"),
        ("${}", "f:2: a.b: '${}' is not a reference"),
        ("${a b}", "f:2: a.b: '${a b}' is not a reference"),
    ],
)
def test_a_reference_to_nothing_is_named(text: str, message: str) -> None:
    (problem,) = expand(parse(f"a:\n  b: {json.dumps(text)}", "f"), KNOWN).problems
    assert message in str(problem)


def test_the_document_keeps_what_was_written() -> None:
    document = parse("a: ${HOST}", "f")
    expand(document, KNOWN)
    assert document.data == {"a": "${HOST}"}


SECRET = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=6, max_size=30)


@given(SECRET, st.text(max_size=20), st.booleans())
def test_no_secret_survives_in_a_line_of_json(secret: str, around: str, ascii_only: bool) -> None:
    redactor = Redactor({"MY_API_KEY": secret})
    line = json.dumps({"said": around + secret + around}, ensure_ascii=ascii_only)
    assert redactor.is_needed(line.encode("utf-8", "surrogatepass"))
    said = redactor.cleaned(json.loads(line))["said"]
    assert secret not in said.replace("[MY_API_KEY]", "")
    assert secret not in redactor.text(secret).replace("[MY_API_KEY]", "")


def test_short_and_public_values_are_left_alone() -> None:
    redactor = Redactor({"MY_KEY": "abc", "PORT": "8000-8000"})
    line = '{"a":"abc 8000-8000"}'
    assert not redactor.is_needed(line.encode())
    assert redactor.cleaned(json.loads(line)) == json.loads(line)
