"""The choice between something new and what somebody has: "New booking" beside "My bookings"."""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.intents import intents_of


class NewOrExistingWords(BaseModel):
    """The word lists of this choice: see the comments of `new_or_existing.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fresh: tuple[str, ...]
    existing: tuple[str, ...]
    beginning: tuple[str, ...]


def new_one(options: Sequence[str], words: str) -> int | None:
    """Return the index of the option that begins what a goal wants to begin; None for no such pair.

    "book a ferry" means "New booking", though "My booking" has as many of its words.

    Args:
        options: What the app offers.
        words: The goal.
    """
    verb = " ".join(words.split()[:_VERB_WORDS])
    if "begin" not in intents_of(verb) and not _has(verb, "beginning"):
        return None
    fresh = [at for at, option in enumerate(options) if _has(option, "fresh")]
    if len(fresh) != 1:
        return None
    thing = concepts(options[fresh[0]])
    others = [
        at for at, option in enumerate(options) if at != fresh[0] and concepts(option) & thing
    ]
    if not others or not all(_has(options[at], "existing") for at in others):
        return None
    return fresh[0] if thing & concepts(words) else None


_VERB_WORDS = 5
"""Words of a goal in which its verb stands: "I would like to book"."""


def _has(text: str, what: str) -> bool:
    phrases: tuple[str, ...] = getattr(_lists(), what)
    return any(contains(folded(text), folded(phrase)) for phrase in phrases)


@lru_cache(maxsize=1)
def _lists() -> NewOrExistingWords:
    path = "new_or_existing.yaml"
    return NewOrExistingWords.model_validate(bundled_yaml("sparring_plugins.users.agenda", path))
