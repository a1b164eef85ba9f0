"""The words, phrases and values that Alexa's simulator knows: schemas of the YAML files beside."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from sparring_connectors.bundled_data import load_data


def _split(phrase: Any) -> Any:
    return tuple(phrase.split()) if isinstance(phrase, str) else phrase


Phrase = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""A phrase as its words."""


class Vocabulary(BaseModel):
    """Schema of ``vocabulary.yaml``; what each list is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fillers: frozenset[str]
    light_words: frozenset[str]
    contractions: dict[str, str]
    units: tuple[str, ...]
    tens: tuple[str, ...]
    ordinals: tuple[str, ...]
    days: tuple[str, ...]
    months: tuple[str, ...]
    seasons: dict[str, Literal["WI", "SP", "SU", "FA"]]
    day_parts: dict[str, Literal["MO", "AF", "EV", "NI"]]
    decades: dict[str, int]
    spoken_days: dict[Phrase, int]
    openings: tuple[Phrase, ...]
    askings: tuple[Phrase, ...]
    joining_words: frozenset[str]
    question_words: frozenset[str]
    words_before_name: frozenset[str]
    reserved_names: frozenset[str]
    exit_phrases: frozenset[Phrase]
    small_talk: dict[str, str]
    silent: frozenset[str]
    carriers: tuple[Phrase, ...]


StandardIntents = dict[str, dict[str, tuple[str, ...]]]
"""Schema of ``standard_intents.yaml``: phrases by language and intent."""


class SlotValues(BaseModel):
    """Schema of ``slot_values.yaml``: lists of values, and the lists of each built-in type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lists: dict[str, tuple[str, ...]]
    types: dict[str, tuple[str, ...]]

    def by_type(self) -> Mapping[str, frozenset[str]]:
        """Return the values of each type, by its name without ``AMAZON.``."""
        return {
            name: frozenset(value for key in keys for value in self.lists[key])
            for name, keys in self.types.items()
        }


VOCABULARY = load_data(__file__, "vocabulary.yaml", Vocabulary)
STANDARD_INTENTS = load_data(__file__, "standard_intents.yaml", StandardIntents)
SLOT_VALUES = load_data(__file__, "slot_values.yaml", SlotValues)
