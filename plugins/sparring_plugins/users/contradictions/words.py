"""The words that contradictions are recognised by."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml


class Words(BaseModel):
    """The data file.

    `totals` stand beside the sum of an order, `not_added` beside amounts that are no part of it,
    `lacks` and `haves` before what is not ordered and what is, `other_moments` beside a day or hour
    that is not the one agreed on, and `unavailable` in the answer of an option that leads nowhere.
    `counted` are the things that a price is for one of, `reductions` make a total smaller, `units`
    follow the price of one thing, `closed` says that there is nothing on a day unless one of the
    `exceptions` stands beside it, `free` and `thresholds` name what costs nothing from a sum on,
    `breakdowns` is how an app says that it failed unless one of `supposed` stands before it, and
    `not_understood` how it asks for other words. `owned` stand before what belongs to the user,
    and `costing` between a thing and its price. `subtotals` follow the amount of several pieces,
    `added` stand before one that comes on top, `counting` begin the line above a list, `opening`
    are in sentences on opening hours, `cancelling` and `cancelled` speak of an end and state it,
    `addressing` stand before the user's name, `existence` is in what is said of a day that there is
    not, `maximum` stands before the largest number that is allowed, `not_offered` is in what
    says that there is no such thing, `temporary` makes that true of a while only, and
    `unable` is in a proposal of something else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    totals: tuple[str, ...]
    not_added: tuple[str, ...]
    lacks: tuple[str, ...]
    haves: tuple[str, ...]
    other_moments: tuple[str, ...]
    unavailable: tuple[str, ...]
    counted: frozenset[str]
    reductions: tuple[str, ...]
    units: tuple[str, ...]
    closed: tuple[str, ...]
    exceptions: tuple[str, ...]
    free: tuple[str, ...]
    thresholds: tuple[str, ...]
    breakdowns: tuple[str, ...]
    supposed: tuple[str, ...]
    not_understood: tuple[str, ...]
    owned: tuple[str, ...]
    costing: tuple[str, ...]
    subtotals: tuple[str, ...]
    added: tuple[str, ...]
    counting: tuple[str, ...]
    opening: tuple[str, ...]
    cancelling: tuple[str, ...]
    cancelled: tuple[str, ...]
    addressing: tuple[str, ...]
    existence: tuple[str, ...]
    maximum: tuple[str, ...]
    not_offered: tuple[str, ...]
    temporary: tuple[str, ...]
    unable: tuple[str, ...]


@lru_cache(maxsize=1)
def contradiction_words() -> Words:
    """The data file, read once."""
    return Words.model_validate(bundled_yaml("sparring_plugins.users.contradictions", "words.yaml"))


def names_any(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a text has one of some phrases in it as whole words."""
    words = f" {folded(text)} "
    return any(f" {folded(phrase)} " in words for phrase in phrases)
