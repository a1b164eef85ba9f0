"""Placeholders insert data and nothing else."""

import json
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_connectors.described.template import (
    MISSING,
    Template,
    compile_templates,
    fill_templates,
    url_part,
)

TEXTS = st.text()


def _json(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    plain = st.none() | st.booleans() | st.integers() | texts
    return st.recursive(
        plain, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8
    )


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{text}", "T"),
        ("a{text}b{session}c", "aTbSc"),
        ("{{text}}", "{text}"),
        ("{{text|json}} {text}", "{text|json} T"),
        ("{{{text}}}", "{{text}}"),
        ("{ text }", "{ text }"),
        ("{}{{}}{0}{a-b}", "{}{{}}{0}{a-b}"),
        ("{text|json}", '"T"'),
        ("", ""),
    ],
)
def test_only_names_in_braces_are_placeholders(template: str, text: str) -> None:
    assert Template.of(template).text({"text": "T", "session": "S"}) == text


@given(TEXTS, TEXTS)
def test_what_is_inserted_is_never_read_again(said: str, session: str) -> None:
    tree = compile_templates({"a": ["x{text}y", "{session}"], "b": {"c": "{text}"}})
    values = {"text": said, "session": session}
    assert fill_templates(tree, values) == {"a": [f"x{said}y", session], "b": {"c": said}}


@given(_json(st.text(st.characters(exclude_characters="{"))))
def test_data_without_placeholders_stays_what_it_is(data: Any) -> None:
    assert fill_templates(compile_templates(data), {}) == data


@given(_json(TEXTS))
def test_a_bare_placeholder_keeps_the_kind_of_its_value(value: Any) -> None:
    assert fill_templates(compile_templates({"x": "{n}"}), {"n": value}) == {"x": value}


def test_what_is_not_known_is_left_out() -> None:
    tree = compile_templates(
        {"a": "{session}", "b": "id-{session}", "c": ["{session}", 1], "d": None}
    )
    assert fill_templates(tree, {}) == {"c": [1], "d": None}
    assert fill_templates(compile_templates("{session}"), {}) is MISSING


@given(TEXTS)
def test_an_encoded_part_of_an_address_stays_one_part(text: str) -> None:
    part = url_part(text)
    assert not set(part) & set("/?#&= \r\n")
    assert part not in (".", "..")
    assert unquote(part) == text.encode("utf-8", "replace").decode()


@given(TEXTS)
def test_encodings_lead_back_to_the_text(text: str) -> None:
    filled_in = Template.of('{"q": {text|json}}').text({"text": text})
    assert isinstance(filled_in, str)
    assert json.loads(filled_in) == {"q": text}
