"""The simplest answers that fit a schema."""

from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel

from sparring.testing.answers import answer_to


class Inner(BaseModel):
    score: int
    words: list[str]


class Outer(BaseModel):
    reason: str
    inner: Inner
    several: list[Inner]
    maybe: float | None
    sure: bool


SCHEMAS: list[dict[str, Any]] = [
    Outer.model_json_schema(),
    {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]},
    {"type": "array", "items": {"type": "integer", "minimum": 3}, "minItems": 2},
    {"type": ["string", "null"]},
    {"const": 7},
    {"type": "null"},
    {},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_answers_fit_their_schema(schema: dict[str, Any]) -> None:
    jsonschema.validate(answer_to(schema), schema)


def test_values_are_taken_wherever_their_key_is() -> None:
    found = answer_to(Outer.model_json_schema(), score=5, reason="so")
    assert isinstance(found, dict)
    assert found["reason"] == "so"
    assert found["inner"] == {"score": 5, "words": []}


def test_a_schema_without_an_end_is_told() -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    with pytest.raises(ValueError, match="no end"):
        answer_to(endless)
