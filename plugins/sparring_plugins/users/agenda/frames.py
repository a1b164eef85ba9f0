"""The frames and word lists of `phrases`, by language."""

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.language.data_files import bundled_yaml

LANGUAGES = ("English", "Spanish", "French", "German", "Italian", "Portuguese")
"""The languages that the user speaks."""


class Frames(BaseModel):
    """What the user says in one language, and how goal phrases of it begin."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    request: tuple[str, ...]
    action: tuple[str, ...]
    doing: tuple[str, ...]
    question: tuple[str, ...]
    topic: tuple[str, ...]
    about: tuple[str, ...]
    whether: tuple[str, ...]
    statement: tuple[str, ...]
    missing: tuple[str, ...]
    missing_question: tuple[str, ...]
    value: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    correction: tuple[str, ...]
    correction_action: tuple[str, ...]
    revise: tuple[str, ...]
    revise_action: tuple[str, ...]
    revise_statement: tuple[str, ...]
    quote: tuple[str, ...]
    yes_please: tuple[str, ...]
    accept: tuple[str, ...]
    thats_all: tuple[str, ...]
    goodbye: tuple[str, ...]
    indifferent: tuple[str, ...]
    unknown: tuple[str, ...]
    smalltalk: tuple[str, ...]
    thanks: tuple[str, ...]
    listen: tuple[str, ...]
    why: tuple[str, ...]
    why_service: tuple[str, ...]
    and_: str = Field(alias="and")
    how_many: str
    what_day: str
    what_time: str
    strip: tuple[str, ...]
    adverbs: tuple[str, ...]
    wanting: tuple[str, ...]
    having: tuple[str, ...]
    asking: tuple[str, ...]
    about_words: tuple[str, ...]
    whether_words: tuple[str, ...]
    question_words: tuple[str, ...]
    self_words: tuple[str, ...]
    polite: tuple[str, ...]
    saying: tuple[str, ...]
    greeting: tuple[str, ...]
    hello: str
    persons: dict[str, str]
    orders: tuple[str, ...]
    inversion: tuple[str, ...]
    knowing: tuple[str, ...]
    determiners: tuple[str, ...]
    verbs: tuple[str, ...]
    gerunds: dict[str, str]
    cut_after: tuple[str, ...]
    the: str
    definite: tuple[str, ...]
    asking_for: tuple[str, ...]
    infinitive: tuple[str, ...]
    rethinking: tuple[str, ...]
    wishing: tuple[str, ...]
    thanking: tuple[str, ...]
    finite: tuple[str, ...] = ()
    modals: dict[str, str] = {}
    acts: tuple[str, ...] = ()
    telling: str = "{x}"


class Details(BaseModel):
    """Plausible particulars, how apps ask for them, how profiles tell them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    given_names: tuple[str, ...]
    surnames: tuple[str, ...]
    streets: tuple[str, ...]
    cities: tuple[str, ...]
    postcodes: tuple[str, ...]
    companies: tuple[str, ...]
    domain: str
    asks: dict[str, tuple[str, ...]]
    told: dict[str, tuple[str, ...]]


@lru_cache(maxsize=8)
def frames(language: str) -> Frames:
    """The frames of a language; English where there are none of its own."""
    name = language.strip().title()
    return Frames.model_validate(_data((name if name in LANGUAGES else "English").lower()))


@lru_cache(maxsize=1)
def details() -> Details:
    """The particulars."""
    return Details.model_validate(_data("details"))


def _data(name: str) -> Any:
    return bundled_yaml("sparring_plugins.users.agenda", "phrases", f"{name}.yaml")
