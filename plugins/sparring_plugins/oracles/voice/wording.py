"""The words by which a session is judged, from a file beside this one."""

from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict


class Words(BaseModel):
    """Words and patterns by what they are for (``words.yaml``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    farewells: tuple[str, ...]
    greetings: tuple[str, ...]
    parting: tuple[str, ...]
    private: dict[str, tuple[str, ...]]
    requests: tuple[str, ...]
    told: tuple[str, ...]
    opening: tuple[str, ...]
    stops: frozenset[str]
    platform_stops: frozenset[str]
    leaves: frozenset[str]


@lru_cache(maxsize=1)
def words() -> Words:
    """The words, read once."""
    text = Path(__file__).with_name("words.yaml").read_text("utf-8")
    return Words.model_validate(yaml.safe_load(text))
