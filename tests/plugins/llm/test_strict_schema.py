"""Schemas in the form of OpenAI's strict structured outputs."""

import copy
import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field
from tests.servers.openai_replies import refused_by_openai, smallest

from sparring_plugins.llm.structured_output import strict_form


class Inner(BaseModel):
    turn: int = Field(ge=0, description="which turn")
    words: str = Field(default="", max_length=40)


class Answer(BaseModel):
    """Says whether it was polite."""

    polite: bool
    tone: Literal["kind", "rude"] = "kind"
    best: Inner = Field(description="the best turn")
    others: list[Inner] = []
    note: str | None = None


class Tree(BaseModel):
    name: str
    left: "Tree | None" = None
    right: "Tree | None" = Field(default=None, description="the other branch")


class Chain(BaseModel):
    name: str
    then: "list[Chain]" = Field(default=[], description="what follows")


def is_taken(schema: dict[str, Any]) -> bool:
    """Whether OpenAI's rules, as our server holds them, let a strict schema pass."""
    form = {"name": "a", "schema": schema, "strict": True}
    body = {"model": "m", "messages": [], "response_format": {"type": "json_schema"}}
    body["response_format"]["json_schema"] = form  # type: ignore[index]
    return refused_by_openai(body) is None


@pytest.mark.parametrize("lengths", [True, False])
@pytest.mark.parametrize("model", [Answer, Inner, Tree, Chain])
def test_pydantics_schemas_have_a_strict_form(model: type[BaseModel], lengths: bool) -> None:
    schema = model.model_json_schema()
    before = copy.deepcopy(schema)
    strict = strict_form(schema, lengths=lengths)
    assert strict is not None
    assert is_taken(strict)
    assert schema == before
    Draft202012Validator.check_schema(strict)
    model.model_validate(smallest(_ended(strict)))
    assert ("maxLength" in json.dumps(strict)) is (lengths and model in (Answer, Inner))


def _ended(schema: Any) -> Any:
    """The schema with null before other choices, so that trees end."""
    if isinstance(schema, dict):
        done = {key: _ended(value) for key, value in schema.items()}
        if "anyOf" in done:
            done["anyOf"] = sorted(done["anyOf"], key=lambda one: one.get("type") != "null")
        return done
    return [_ended(item) for item in schema] if isinstance(schema, list) else schema


def test_a_description_beside_a_reference_is_kept() -> None:
    strict = strict_form(Answer.model_json_schema())
    assert strict is not None
    best: Any = strict["properties"]
    assert best["best"]["description"] == "the best turn"
    assert best["best"]["properties"].keys() == {"turn", "words"}


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "string"},
        {},
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {**OBJECT, "additionalProperties": {"type": "string"}},
        {**OBJECT, "required": ["b"]},
        {**OBJECT, "patternProperties": {"^x": {}}},
        {**OBJECT, "properties": {"a": True}},
        {**OBJECT, "properties": {"a": {"type": "array"}}},
        {**OBJECT, "properties": {"a": {"not": {"type": "string"}}}},
        {**OBJECT, "properties": {"a": {"allOf": [{"minimum": 1}, {"maximum": 2}]}}},
        {**OBJECT, "properties": {"a": {"$ref": "#/$defs/none", "description": "x"}}},
        {**OBJECT, "properties": {"a": {"$ref": "https://example.org/s", "description": "x"}}},
        {**OBJECT, "properties": [1]},
        {**OBJECT, "properties": {"a": {"anyOf": 5}}},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a", "title": "t"}}},
    ],
)
def test_what_cannot_be_strict_is_told(schema: dict[str, Any]) -> None:
    assert strict_form(schema) is None


def test_references_that_double_at_each_step_end() -> None:
    defs: dict[str, Any] = {"d0": {"type": "string"}}
    for number in range(1, 30):
        ref = {"$ref": f"#/$defs/d{number - 1}", "description": "again"}
        defs[f"d{number}"] = {"type": "object", "properties": {"l": ref, "r": ref}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d29"}}, "$defs": defs}
    assert strict_form(schema) is None


LEAVES = st.sampled_from(
    [
        {"type": "string", "title": "T", "maxLength": 9},
        {"type": "integer", "minimum": 3},
        {"enum": ["a", "b"]},
        {"const": 4},
        {"type": "boolean", "default": True},
        {"type": ["string", "null"]},
        {"type": "string", "format": "uri"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "uniqueItems": False},
        {"oneOf": [{"type": "null"}, {"type": "integer"}]},
        {"allOf": [{"type": "integer"}], "description": "one of all"},
    ]
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=4)
    flags = st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": True}])
    return st.builds(
        lambda properties, more, keep: {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if key in keep],
            **more,
        },
        named,
        flags,
        st.sets(st.sampled_from("abcd")),
    )


@given(objects(st.recursive(LEAVES, objects, max_leaves=8)))
def test_what_satisfies_the_strict_form_satisfies_the_schema(schema: dict[str, Any]) -> None:
    strict = strict_form(schema)
    assert strict is not None
    assert is_taken(strict)
    assert strict_form(strict) == strict
    Draft202012Validator(schema).validate(smallest(strict))
