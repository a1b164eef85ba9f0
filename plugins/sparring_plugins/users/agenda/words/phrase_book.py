"""Phrase books and word lists: what the user says in each language, and how goals are worded.

The data stand in ``phrases/*.yaml`` (one book per language, personal details) and in
``word_lists.yaml``. The functions at the end recognise the user's own phrases again.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

LANGUAGES = ("English", "Spanish", "French", "German", "Italian", "Portuguese")
"""The languages that the user speaks."""


class PhraseBook(BaseModel):
    """What the user says in one language, and how goal phrases of it begin.

    Phrases have a hole for the words of a goal: ``{x}``, or ``{X}`` at the start of a sentence.
    """

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
    stop_it: tuple[str, ...]
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
    announcing: dict[str, str]
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
    that_wishing: tuple[str, ...]
    that_asking: tuple[str, ...]
    wishing: tuple[str, ...]
    thanking: tuple[str, ...]
    finite: tuple[str, ...] = ()
    me: str = ""
    modals: dict[str, str] = {}
    acts: tuple[str, ...] = ()
    telling: str = "{x}"


class WordLists(BaseModel):
    """Word lists that belong to no phrase book; all are lower case.

    Reading replies: a reply that says `reply_verbs` with `yes_words` wants a "yes"; `option_verbs`
    and `option_fillers` stand before a list of options, `option_articles` before one of them and
    `available` after it; one of `self_options` means the user, `on_behalf` with one of `relatives`
    somebody else; `wishes` with a word of `wished` begin a goal that wants a thing;
    `confirming_verbs` ask to confirm an order as a whole.
    Reading questions: `skipped_before_holes` do not count as the word before a variable,
    `directions` are those that distinguish two places, `places` ask for a place, `clock_leads`
    stand before a bare hour.
    Reading goals: see `goal_phrases`. Concepts: `answer_kinds` only name the kind of an answer,
    `generic_concepts` are about nothing in particular.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reply_verbs: tuple[str, ...]
    yes_words: tuple[str, ...]
    confirming_verbs: tuple[str, ...]
    option_verbs: tuple[str, ...]
    option_fillers: tuple[str, ...]
    option_articles: tuple[str, ...]
    available: tuple[str, ...]
    wishes: tuple[str, ...]
    wished: frozenset[str]
    skipped_before_holes: frozenset[str]
    directions: tuple[str, ...]
    places: frozenset[str]
    clock_leads: frozenset[str]
    question_starts: tuple[str, ...]
    self_options: frozenset[str]
    on_behalf: frozenset[str]
    relatives: frozenset[str]
    measures: frozenset[str]
    subjects: frozenset[str]
    object_starts: tuple[str, ...]
    placing: tuple[str, ...]
    telling: tuple[str, ...]
    small_words: dict[str, frozenset[str]]
    object_leads: tuple[str, ...]
    obligations: tuple[str, ...]
    permissions: tuple[str, ...]
    user_actions: tuple[str, ...]
    app_actions: tuple[str, ...]
    of_account: tuple[str, ...]
    at_once: tuple[str, ...]
    said_to_app: tuple[str, ...]
    answer_kinds: frozenset[str]
    generic_concepts: frozenset[str]


class Details(BaseModel):
    """Plausible personal details of a user.

    `asks` are the words that apps ask for each kind with, `told` those that profiles give it with;
    a kind in `narrower` is not meant if one of the kinds listed there is asked for, too.
    """

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
    narrower: dict[str, tuple[str, ...]]


@lru_cache(maxsize=8)
def phrases(language: str) -> PhraseBook:
    """The phrase book of a language; the English one if it has none of its own."""
    name = language.strip().title()
    return PhraseBook.model_validate(_data((name if name in LANGUAGES else "English").lower()))


@lru_cache(maxsize=1)
def details() -> Details:
    """The data that personal details are drawn from and recognised by."""
    return Details.model_validate(_data("details"))


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """The word lists beside the phrase books."""
    return WordLists.model_validate(
        bundled_yaml("sparring_plugins.users.agenda.words", "word_lists.yaml")
    )


def announces(phrase: str, language: str) -> bool:
    """Return whether a goal has the user report something: "complain that ...", "report that"."""
    book = phrases(language)
    words = f"{folded(phrase)} "
    # "afterwards, report that ..."
    for adverb in sorted(book.adverbs, key=len, reverse=True):
        words = words.removeprefix(f"{folded(adverb)} ")
    return any(words.startswith(f"{folded(lead)} ") for lead in book.announcing)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, longer ones first so that none hides another."""
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})"


def _data(name: str) -> Any:
    return bundled_yaml("sparring_plugins.users.agenda.words", "phrases", f"{name}.yaml")


LONGEST = 2_000
"""Characters of what the user says at most."""

_DOUBLED = (
    ("??", "?"),
    ("?.", "?"),
    ("..", "."),
    ("!.", "!"),
    ("¿¿", "¿"),
    (".,", ","),
    ("?,", "?"),
    (". ?", "?"),
)


def filled(phrase: str, words: str) -> str:
    """A phrase with a goal's words in its hole, without the marks that this doubles."""
    words = words[:LONGEST]
    begun = words[:1].upper() + words[1:]
    lower = words if _keeps_case(words) else words[:1].lower() + words[1:]
    text = phrase.replace("{X}", begun).replace("{x}", lower)
    for doubled, single in _DOUBLED:
        text = text.replace(doubled, single)
    return text


def sentence(words: str) -> str:
    """Words as a sentence of their own."""
    return (words[:1].upper() + words[1:])[:LONGEST]


def stop(text: str) -> str:
    """A short answer as a sentence, so that another can follow it."""
    return text if text[-1:] in (".", "!", "?") else f"{text}."


def _keeps_case(words: str) -> bool:
    """Whether the first letter is a capital by right: a name, an abbreviation, or "I"."""
    first = words.split(" ", 1)[0]
    common = vocabulary().stop
    return first in ("I", "I'd", "I'm") or (first[:1].isupper() and folded(first) not in common)


# --- The user's own phrases, recognised again


_IDLE_PHRASES = ("indifferent", "unknown", "why", "why_service", "no", "yes")


def is_goodbye(act: str) -> bool:
    """Whether a folded act is the user's goodbye."""
    return act in _goodbyes()


def is_leaving(act: str) -> bool:
    """Whether a folded act says that the user wants nothing more: "No, that's all, thank you"."""
    if act in _last_words() or act in map(folded, knowledge().closing) or says(act, "ending"):
        return True
    return act != "no" and is_word_to_stop(act)


def is_word_to_stop(act: str) -> bool:
    """Whether a folded act leaves a form: "Cancel", "Main menu"."""
    return act in _words_to_stop()


@lru_cache(maxsize=1)
def _words_to_stop() -> frozenset[str]:
    books, lists = [phrases(language) for language in LANGUAGES], knowledge()
    words = [word for book in books for word in book.stop_it]
    words += [word for word in (*lists.dropping, *lists.main_menu) if word != "no"]
    return frozenset(map(folded, words))


@lru_cache(maxsize=1)
def _last_words() -> frozenset[str]:
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(folded(words) for book in books for words in (*book.thats_all, *book.no))


@lru_cache(maxsize=1)
def _goodbyes() -> frozenset[str]:
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(folded(words) for book in books for words in book.goodbye)


@lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """What the user says that does not know or does not mind, and bare yes and no, folded."""
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(
        folded(words) for book in books for what in _IDLE_PHRASES for words in getattr(book, what)
    )


@lru_cache(maxsize=1)
def bare_decisions() -> frozenset[str]:
    """Yes and no as the user says them, folded: what of the idle words decides a question."""
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(folded(words) for book in books for words in (*book.yes, *book.no))


_ACCENTS = {
    "a": "aàáâäã",
    "c": "cç",
    "e": "eèéêë",
    "i": "iìíîï",
    "n": "nñ",
    "o": "oòóôöõ",
    "u": "uùúûü",
}


@lru_cache(maxsize=512)
def any_accent(phrase: str) -> str:
    """Return a pattern for a phrase with or without its accents: "Sie heißen" for "sie heissen"."""
    letters = [f"[{_ACCENTS[c]}]" if c in _ACCENTS else re.escape(c) for c in phrase]
    return "".join(letters).replace("ss", "(?:ss|ß)").replace("'", "['\u2019]")
