"""The measurable traits of a persona."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import Field, JsonValue, ValidationError, field_validator

from sparring.documents.checking import nearest
from sparring.model.base import Value

Kind = Literal[
    "assistive", "childlike", "courteous", "curious", "demanding", "doubtful", "elderly", "formal",
    "friendly", "hedging", "hurried", "ironic", "rambling", "wordy",
]  # fmt: skip
"""What a persona may say besides what it wants."""

Attack = Literal["injection", "nonsense", "flood", "contradiction"]
"""How a persona may try to throw the app off course."""

KINDS: tuple[str, ...] = get_args(Kind)
ATTACKS: tuple[Attack, ...] = get_args(Attack)


class Traits(Value):
    """How a persona speaks and behaves, in numbers; all shares and rates are from 0 to 1.

    `sentence_length` is ``short``, ``normal`` or ``long``. `politeness` is the share of messages
    with a polite word, as far as a message has room for one; without a number phrases stay as
    they are. `asides` has for each kind of remark the share of messages with one. `typos` is the
    rate of misspelt words among those of four letters or more, and `typos_in_values` says whether
    also values of the case may be misspelt. `grammar` is the rate at which small words are
    dropped and verbs simplified. `emoji` is the share of messages that end with one. `patience`
    is how often a goal is brought up before it is given up, `presses` whether offered choices are
    pressed rather than typed. `attacks` is how often, of the occasions there are, a message is
    sent that serves no goal; `attack_kinds` says of which kinds.
    """

    sentence_length: Literal["short", "normal", "long"] = "normal"
    politeness: float | None = Field(default=None, ge=0, le=1)
    asides: dict[Kind, float] = {}
    typos: float = Field(default=0.0, ge=0, le=0.5)
    typos_in_values: bool = False
    grammar: float = Field(default=0.0, ge=0, le=1)
    capitals: Literal["normal", "none", "shouting"] = "normal"
    punctuation: Literal["normal", "none", "heavy"] = "normal"
    emoji: float = Field(default=0.0, ge=0, le=1)
    patience: int | None = Field(default=None, ge=1, le=20)
    presses: bool = True
    attacks: float = Field(default=0.0, ge=0, le=1)
    attack_kinds: tuple[Attack, ...] = ATTACKS

    @field_validator("asides")
    @classmethod
    def _shares(cls, asides: dict[Kind, float]) -> dict[Kind, float]:
        for kind, share in asides.items():
            if not 0 <= share <= 1:
                raise ValueError(f"the share of {kind} is from 0 to 1, not {share}")
        return dict(sorted(asides.items()))

    @field_validator("attack_kinds")
    @classmethod
    def _some(cls, kinds: tuple[Attack, ...]) -> tuple[Attack, ...]:
        if not kinds:
            raise ValueError("name at least one kind of attack")
        return kinds


def traits_of(data: Mapping[str, JsonValue]) -> Traits:
    """The traits that plain data says; raises ValidationError."""
    return Traits.model_validate(dict(data))


def plain_traits(traits: Traits) -> dict[str, JsonValue]:
    """The traits that differ from the usual ones, as plain data."""
    return traits.model_dump(mode="json", exclude_defaults=True)


def trait_problems(data: Mapping[Any, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    """What is wrong with traits, each with its place; nothing where they can be used."""
    found: list[tuple[tuple[str | int, ...], str]] = []
    for key in data:
        if key not in Traits.model_fields:
            known = nearest(str(key), tuple(Traits.model_fields))
            found.append(((str(key),), f"unknown trait.{known}"))
    known_only = {key: value for key, value in data.items() if key in Traits.model_fields}
    try:
        Traits.model_validate(known_only)
    except ValidationError as err:
        for one in err.errors(include_url=False, include_context=False):
            place = tuple(part for part in one["loc"] if part != "[key]")
            found.append((place, _message(place, one["msg"])))
    return found


def _message(place: tuple[str | int, ...], told: str) -> str:
    """What pydantic says of a value, with the nearest kind where a kind is unknown."""
    named = str(place[-1]) if len(place) > 1 else ""
    if place[:1] == ("asides",) and named and named not in KINDS:
        return f"unknown kind of remark.{nearest(named, KINDS)}"
    text = told.removeprefix("Value error, ")
    return text[:1].lower() + text[1:]
