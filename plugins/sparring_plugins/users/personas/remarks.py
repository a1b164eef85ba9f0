"""What personas say besides what they want, by language."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.data_files import bundled_yaml
from sparring_plugins.users.personas.traits import Kind

LANGUAGES = ("English", "Spanish", "French", "German", "Italian", "Portuguese")
"""The languages that there are phrases for."""


class Remarks(BaseModel):
    """Remarks of one kind: those that open a message and those that close it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: tuple[str, ...]
    after: tuple[str, ...]


class Manners(BaseModel):
    """How personas speak one language.

    `greetings` begin remarks that only open a conversation. `marks` are its polite words,
    `articles` and `simpler` what somebody who learns it leaves out or says instead; the rest is
    what adversarial personas say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kinds: dict[Kind, Remarks]
    greetings: tuple[str, ...]
    marks: tuple[str, ...]
    articles: tuple[str, ...]
    simpler: dict[str, str]
    injections: tuple[str, ...]
    contradictions: tuple[str, ...]
    flood: str


@lru_cache(maxsize=8)
def manners(language: str) -> Manners:
    """The manners of a language; those of English where there are none of its own."""
    name = language if language in LANGUAGES else "English"
    found = bundled_yaml("sparring_plugins.users.personas", "manners", f"{name.lower()}.yaml")
    return Manners.model_validate(found)
