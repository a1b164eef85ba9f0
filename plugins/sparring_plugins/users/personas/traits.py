"""The measurable traits of a persona, and these in words for a language model that plays it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator

from sparring.documents.checking import nearest
from sparring.model.base import Value
from sparring_plugins.language.yaml_files import bundled_yaml

RemarkKind = Literal[
    "assistive", "childlike", "courteous", "curious", "demanding", "doubtful", "elderly", "formal",
    "friendly", "hedging", "hurried", "ironic", "rambling", "wordy",
]  # fmt: skip
"""What a persona may say besides what it wants."""

Attack = Literal["injection", "nonsense", "flood", "contradiction"]
"""How a persona may try to throw the app off course."""

KINDS: tuple[str, ...] = get_args(RemarkKind)
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
    sent that serves no goal; `attack_kinds` says of which kinds. `cooperative` is how much a user
    that asks a language model helps an app that makes mistakes.
    """

    sentence_length: Literal["short", "normal", "long"] = "normal"
    politeness: float | None = Field(default=None, ge=0, le=1)
    asides: dict[RemarkKind, float] = {}
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
    cooperative: Literal["low", "normal", "high"] | None = None

    @field_validator("asides")
    @classmethod
    def _shares(cls, asides: dict[RemarkKind, float]) -> dict[RemarkKind, float]:
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
    """What is wrong with traits, each with its place; nothing if they can be used."""
    problems: list[tuple[tuple[str | int, ...], str]] = []
    for key in data:
        if key not in Traits.model_fields:
            hint = nearest(str(key), tuple(Traits.model_fields))
            problems.append(((str(key),), f"unknown trait.{hint}"))
    known_only = {key: value for key, value in data.items() if key in Traits.model_fields}
    try:
        Traits.model_validate(known_only)
    except ValidationError as err:
        for error in err.errors(include_url=False, include_context=False):
            place = tuple(part for part in error["loc"] if part != "[key]")
            problems.append((place, _message(place, error["msg"])))
    return problems


def _message(place: tuple[str | int, ...], message: str) -> str:
    """What pydantic says of a value, with the nearest kind if a kind is unknown."""
    named = str(place[-1]) if len(place) > 1 else ""
    if place[:1] == ("asides",) and named and named not in KINDS:
        return f"unknown kind of remark.{nearest(named, KINDS)}"
    text = message.removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


class TraitSentences(BaseModel):
    """Traits in words, by their values; a share of messages follows asides and attacks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lengths: dict[str, str]
    asides: dict[RemarkKind, str]
    attacks: dict[Attack, str]
    capitals: dict[str, str]
    punctuation: dict[str, str]


@lru_cache(maxsize=1)
def trait_sentences() -> TraitSentences:
    """The sentences beside this module."""
    data = bundled_yaml("sparring_plugins.users.personas", "trait_sentences.yaml")
    return TraitSentences.model_validate(data)


def traits_in_words(data: Mapping[str, JsonValue]) -> list[str]:
    """One sentence per trait that is not as usual; none for what are no traits."""
    try:
        traits = traits_of(data)
    except ValidationError:
        return []
    return [words for describe in _SENTENCES if (words := describe(traits))]


def _politeness(traits: Traits) -> str:
    if traits.politeness is None:
        return ""
    if traits.politeness == 0:
        return "Never say please or thank you."
    return f"Say please or thank you in {_share(traits.politeness)} of your messages."


def _asides(traits: Traits) -> str:
    said = [
        f"{trait_sentences().asides[kind]}, in {_share(share)} of your messages."
        for kind, share in traits.asides.items()
        if share > 0
    ]
    return " ".join(said)


def _typos(traits: Traits) -> str:
    if not traits.typos:
        return ""
    spared = "" if traits.typos_in_values else "; leave numbers, dates and names right"
    return f"Misspell {_share(traits.typos)} of your longer words{spared}."


def _grammar(traits: Traits) -> str:
    if not traits.grammar:
        return ""
    return (
        f"Leave out articles and simplify verbs in {_share(traits.grammar)} of your messages, as"
        " somebody does who is learning the language."
    )


def _emoji(traits: Traits) -> str:
    return f"Put emoji into {_share(traits.emoji)} of your messages." if traits.emoji else ""


def _patience(traits: Traits) -> str:
    if traits.patience is None:
        return ""
    times = "once" if traits.patience == 1 else f"{traits.patience} times"
    return f"Bring a matter up {times} at most; if it does not work out, give it up."


def _presses(traits: Traits) -> str:
    return "" if traits.presses else "Press no choices; type what you choose."


def _attacks(traits: Traits) -> str:
    if not traits.attacks:
        return ""
    kinds = ", or ".join(trait_sentences().attacks[kind] for kind in traits.attack_kinds)
    return f"In {_share(traits.attacks)} of your messages send, in place of what you want, {kinds}."


def _share(share: float) -> str:
    """A share in words: ``about half``."""
    for least, words in ((0.95, "all"), (0.65, "most"), (0.4, "about half"), (0.2, "some")):
        if share >= least:
            return words
    return "a few"


_SENTENCES: tuple[Callable[[Traits], str], ...] = (
    lambda traits: trait_sentences().lengths.get(traits.sentence_length, ""),
    _politeness,
    _asides,
    _typos,
    _grammar,
    lambda traits: trait_sentences().capitals.get(traits.capitals, ""),
    lambda traits: trait_sentences().punctuation.get(traits.punctuation, ""),
    _emoji,
    _patience,
    _presses,
    _attacks,
)
