"""The words by which a session is judged, from a file beside this one."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.data_files import bundled_yaml


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
    return Words.model_validate(bundled_yaml("sparring_plugins.voice.problems", "words.yaml"))
