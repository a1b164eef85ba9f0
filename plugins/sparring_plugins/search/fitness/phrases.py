"""Phrases of answers by which rules classify them (``phrases.yaml``)."""

from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.language.yaml_files import bundled_yaml


class Phrases(BaseModel):
    """The content of ``phrases.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fallbacks: tuple[str, ...] = Field(min_length=1)
    offers: tuple[str, ...] = Field(min_length=1)
    refusals: tuple[str, ...] = Field(min_length=1)
    agreements: tuple[str, ...] = Field(min_length=1)
    hedges: tuple[str, ...] = Field(min_length=1)
    small_english_words: frozenset[str] = Field(min_length=1)
    language_codes: dict[str, str] = Field(min_length=1)


@cache
def phrases() -> Phrases:
    """Return the phrases, read once."""
    return Phrases.model_validate(bundled_yaml("sparring_plugins.search.fitness", "phrases.yaml"))
