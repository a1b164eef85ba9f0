"""The word lists of facts, and whether a text says something of them."""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml


class Knowledge(BaseModel):
    """The word lists of facts: see the comments of `facts.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    synonyms: dict[str, tuple[str, ...]]
    generic: frozenset[str]
    asks: dict[str, tuple[str, ...]]
    own_names: tuple[str, ...]
    named: tuple[str, ...]
    booked_under: tuple[str, ...]
    children: frozenset[str]
    additions: tuple[str, ...]
    troubles: tuple[str, ...]
    besides: tuple[str, ...]
    examples: tuple[str, ...]
    describing: tuple[str, ...]
    knowing: tuple[str, ...]
    titles: tuple[str, ...]
    lives: tuple[str, ...]
    houses: tuple[str, ...]
    classes_by_name: tuple[str, ...]
    classes_by_word: tuple[str, ...]
    failing: tuple[str, ...]
    storeys: frozenset[str]
    items: frozenset[str]
    driving: tuple[str, ...]
    clock_patterns: tuple[str, ...]
    day_patterns: tuple[str, ...]
    time_labels: frozenset[str]
    one_of: tuple[str, ...]
    made_by: tuple[str, ...]
    of_user: tuple[str, ...]
    polite_names: frozenset[str]
    yes_words: frozenset[str]
    no_words: frozenset[str]
    things_with_names: tuple[str, ...]
    tastes: tuple[str, ...]
    copulas: tuple[str, ...]
    bare_copulas: tuple[str, ...]
    indefinite: tuple[str, ...]
    singular_copulas: tuple[str, ...]
    before_places: tuple[str, ...]
    where: tuple[str, ...]
    spots: tuple[str, ...]
    attributes: tuple[str, ...]
    details: tuple[str, ...]
    going_ahead: tuple[str, ...]
    at_home: tuple[str, ...]
    reasons: tuple[str, ...]
    who_serves: tuple[str, ...]
    purposes: tuple[str, ...]
    possessives: tuple[str, ...]
    number_labels: frozenset[str]
    denials: frozenset[str]
    needing: tuple[str, ...]
    having: tuple[str, ...]
    pronouns_for: tuple[str, ...]
    or_more: tuple[str, ...]
    sequencers: tuple[str, ...]
    up_to: tuple[str, ...]
    skips: tuple[str, ...]
    optional: tuple[str, ...]
    dashes: tuple[str, ...]
    otherwise: tuple[str, ...]
    anything: tuple[str, ...]
    complaints: tuple[str, ...]
    abilities: tuple[str, ...]
    asking_topics: tuple[str, ...]
    topic_marks: tuple[str, ...]
    signs: tuple[str, ...]
    restricting: tuple[str, ...]
    answering: tuple[str, ...]
    free_words: tuple[str, ...]
    dropped: tuple[str, ...]
    sending: tuple[str, ...]
    changing: tuple[str, ...]
    dropping: tuple[str, ...]
    manner: tuple[str, ...]
    determiners: tuple[str, ...]
    finite: frozenset[str]
    proposals: tuple[str, ...]
    going_on: tuple[str, ...]
    yielding: tuple[str, ...]
    limits: tuple[str, ...]
    closing: tuple[str, ...]
    typed_for: tuple[str, ...]
    digits_only: tuple[str, ...]
    later_events: tuple[str, ...]
    fears: tuple[str, ...]
    line_marks: tuple[str, ...]
    proposed_deeds: tuple[str, ...]
    descriptive: tuple[str, ...]
    looks: tuple[str, ...]
    things: tuple[str, ...]
    totals: tuple[str, ...]
    refunds: tuple[str, ...]
    how_soon: tuple[str, ...]
    minor: tuple[str, ...]
    utterances: tuple[str, ...]
    sayings: tuple[str, ...]
    commands: tuple[str, ...]
    data: frozenset[str]
    begins_anew: tuple[str, ...]
    ending: tuple[str, ...]
    instructing: tuple[str, ...]
    repetition: tuple[str, ...]
    once_more: tuple[str, ...]
    going_back: frozenset[str]
    reports: tuple[str, ...]
    of_questions: tuple[str, ...]
    unchanged: tuple[str, ...]
    main_menu: tuple[str, ...]
    softeners: tuple[str, ...]
    informing: tuple[str, ...]
    informed: tuple[str, ...]
    mentioning: tuple[str, ...]
    absence: tuple[str, ...]
    asking_kind: tuple[str, ...]
    asked_pronouns: tuple[str, ...]
    already: tuple[str, ...]
    of_all: tuple[str, ...]
    asking_time: tuple[str, ...]
    under_way: tuple[str, ...]
    optional_asides: tuple[str, ...]
    everybody: tuple[str, ...]
    lacking: tuple[str, ...]
    keeping: tuple[str, ...]
    giving_up: tuple[str, ...]
    which_one: tuple[str, ...]
    shaped: tuple[str, ...]
    wishing: tuple[str, ...]
    no_thanks: tuple[str, ...]
    if_not: tuple[str, ...]
    refusing: tuple[str, ...]
    not_able: tuple[str, ...]
    not_managed: tuple[str, ...]
    failures: tuple[str, ...]
    services: tuple[str, ...]
    brought: tuple[str, ...]
    collected: tuple[str, ...]
    done_words: frozenset[str]
    not_done_words: tuple[str, ...]
    preferring: tuple[str, ...]
    per_head: frozenset[str]
    spans: tuple[str, ...]
    span_names: tuple[str, ...]
    offering: tuple[str, ...]
    seeking: tuple[str, ...]
    shall_we: tuple[str, ...]
    try_again: tuple[str, ...]
    writing: frozenset[str]
    yours: tuple[str, ...]
    occasions: tuple[str, ...]
    own_things: tuple[str, ...]
    bare_leads: tuple[str, ...]
    asking_who: tuple[str, ...]
    asking_what: tuple[str, ...]
    sent: tuple[str, ...]


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """The word lists of facts."""
    data = bundled_yaml("sparring_plugins.users.agenda.words", "facts.yaml")
    return Knowledge.model_validate(data)


@lru_cache(maxsize=128)
def _padded(what: str) -> tuple[str, ...]:
    """The phrases of a list, folded once, each between two blanks."""
    phrases: tuple[str, ...] = getattr(knowledge(), what)
    return tuple(f" {folded(phrase)} " for phrase in phrases)


@lru_cache(maxsize=2048)
def says(text: str, what: str) -> bool:
    """Whether a folded text has one of the phrases of a list in it: ``complaints``, ``skips``."""
    padded = f" {text} "
    return any(phrase in padded for phrase in _padded(what))


def starts_with_any(text: str, what: str) -> bool:
    """Whether a folded text begins with one of the phrases of a list."""
    return f" {text} ".startswith(_padded(what))


def without_lead(text: str, what: str) -> str:
    """A folded text without the phrase of a list that it begins with."""
    lead = next((lead for lead in _padded(what) if f" {text}".startswith(lead)), " ")
    return f" {text}".removeprefix(lead)


def is_way_on(options: Sequence[str], question: str) -> bool:
    """Whether options leave nothing but the end, the main menu, or the same once more.

    "Send another parcel", "Back" and "Main menu" below a code come after what was wanted; below
    a question that is no option itself, "Another day" answers it.
    """
    words = [folded(option) for option in options]
    asked = bool(question) and folded(question) not in words
    ends = [says(option, "ending") for option in words]
    leads_up = [says(option, "main_menu") for option in words]
    # "1 Main menu, 2 That is all, 0 Back to the main menu"
    if any(ends) and any(leads_up) and all(map(any, zip(ends, leads_up, strict=True))):
        return True
    again = [says(option, "once_more") for option in words]
    back = [option in knowledge().going_back for option in words]
    ways = [any(way) for way in zip(ends, leads_up, again, back, strict=True)]
    return not asked and len(words) > 1 and any(again) and all(ways)
