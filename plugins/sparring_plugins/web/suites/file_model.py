"""A file of test cases as a model (its reference page is made from these descriptions)."""

from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

_NAME = r"^\w[\w.-]{0,79}$"


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _as_steps(value: Any) -> Any:
    """A text of several lines is a step per line; ``#`` begins a comment."""
    if isinstance(value, str):
        lines = [line.strip() for line in value.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]
    return value


def _as_expected(value: Any) -> Any:
    words = {"pass": True, "fail": False, "true": True, "false": False, 1: True, 0: False}
    if isinstance(value, str):
        return words.get(value.casefold(), value)
    return words[value] if value in (0, 1) else value


Text = Annotated[str, BeforeValidator(_as_text)]
Tags = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]
Steps = Annotated[tuple["StepEntry", ...], BeforeValidator(_as_steps)]
Expected = Annotated[bool, BeforeValidator(_as_expected)]
Names = Annotated[str, Field(pattern=_NAME)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]


class StepEntry(BaseModel):
    """A step: a sentence, or `step` with what belongs to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str = Field(min_length=1, description="the sentence")
    expected: Expected | None = Field(
        default=None, description="pass or fail: what an assertion is expected to say"
    )

    @model_validator(mode="before")
    @classmethod
    def _sentence(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"step": value}
        keys: Any = cast("dict[str, Any]", value) if isinstance(value, dict) else {"step": value}
        if "step" not in keys:
            raise ValueError(
                "expected a sentence; one with a colon must stand in quotes as a whole,"
                " or below `steps: |`"
            )
        return keys


class CaseEntry(BaseModel):
    """A test case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text = Field(min_length=1, max_length=200)
    description: str = ""
    tags: Tags = Field(default=(), description="added to those of the file")
    start: str | None = Field(
        default=None, description="the address to begin at; a path is below the file's `start`"
    )
    variables: dict[Names, Text] = Field(default={}, description="added to those of the file")
    steps: Steps = Field(min_length=1, description="a list of steps, or a text with one per line")
    expected: tuple[Expected, ...] | None = Field(
        default=None,
        description="pass or fail for each assertion, or for each step: told apart by how many",
    )
    repeat: int = Field(default=1, ge=1, le=1000, description="how often the case is played")
    data: tuple[dict[Names, Text], ...] | str | None = Field(
        default=None,
        description="a table: the case is played once per row, with the row's values as variables;"
        " rows, or a CSV file with a heading",
    )
    vary: dict[Names, Texts] = Field(
        default={},
        description="variables with the values that a strategy may choose: which of them are played"
        " together is up to the strategy of the suite",
    )
    where: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="conditions that the values of `vary` satisfy, in the language of rules:"
        " all values are texts",
    )
    skip: str | bool | None = Field(default=None, description="why it is not played")


class CaseFile(BaseModel):
    """A file of test cases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text = ""
    description: str = ""
    start: str | None = Field(default=None, description="the address where each case begins")
    tags: Tags = Field(default=(), description="of all cases")
    variables: dict[Names, Text] = Field(
        default={}, description="values for `%name%` in steps and in `start`"
    )
    secrets: Annotated[tuple[Names, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="names that stand as `%name%` until the connector fills them in: their values"
        " are given in the suite, below `app.secrets`",
    )
    setup: Steps = Field(default=(), description="steps before those of each case")
    teardown: Steps = Field(default=(), description="steps after those of each case, also failed")
    repeat: int = Field(default=1, ge=1, le=1000, description="of cases that say nothing else")
    tests: tuple[CaseEntry, ...] = Field(min_length=1)

    @field_validator("tests", mode="before")
    @classmethod
    def _is_a_list(cls, value: Any) -> Any:
        if isinstance(value, dict):
            raise ValueError("expected a list: write '- name: ...' for each test case")
        return value
