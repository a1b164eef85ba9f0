"""Words of free sentences: the tables of `words.yaml`, stems, synonyms, content words."""

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict

from sparring_plugins.language.yaml_files import bundled_yaml

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u00b4": "'", "\u00a0": " "})


# The lookbehinds here and in the other patterns of free sentences let a run of blanks be read from
# its first one only: from each of them, a thousand blanks would be read a million times.
LIST_JOINT = re.compile(r"(?:(?<!\s)\s+)?(?!(?<=\d),\d{3}\b),\s*(?:and\s+)?|(?<!\s)\s+and\s+")
"""What stands between the parts of a list: "X, Y and Z"; the comma of "1,348.00" does not."""


_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*%?|[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = ("ies", "ing", "ed", "es", "s")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without its ending: "categories", "sorted", "sorting" → "category", "sort"."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) <= 3 or word[0].isdigit():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and re.search("[aeiouy]", base):
            return _undouble(base).removesuffix("e")
    if word.endswith("es") and word[-3] in "sxzh":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


def _undouble(base: str) -> str:
    """Return "plan" of "planned", but "add" of "added" and "fill" of "filled"."""
    doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsdz"
    return base[:-1] if doubled else base


def plain(text: str) -> str:
    """Return a text for comparison: NFKC, plain apostrophes, single blanks, lower case."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).lower().split())


def _as_set(text: object) -> object:
    return frozenset(text.lower().split()) if isinstance(text, str) else text


def _as_phrases(text: object) -> object:
    if not isinstance(text, str):
        return text
    phrases = {" ".join(entry.split()) for entry in text.lower().split(",")}
    return tuple(sorted(phrases - {""}, key=lambda phrase: (-len(phrase.split()), phrase)))


def _as_groups(lines: object) -> object:
    if not isinstance(lines, list):
        return lines
    return tuple(tuple(str(line).lower().split()) for line in cast("list[object]", lines))


def _as_pairs(lines: object) -> object:
    """Split lines of two sides, "show reveal | hide": words and their opposites, by stems."""
    if not isinstance(lines, list):
        return lines
    sides = [str(line).lower().split("|") for line in cast("list[object]", lines)]
    return tuple(tuple(frozenset(map(stem, side.split())) for side in pair) for pair in sides)


Pairs = Annotated[tuple[tuple[frozenset[str], frozenset[str]], ...], BeforeValidator(_as_pairs)]
Words = Annotated[frozenset[str], BeforeValidator(_as_set)]
Phrases = Annotated[tuple[str, ...], BeforeValidator(_as_phrases)]
Groups = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_as_groups)]


class FreeWords(BaseModel):
    """The tables of `words.yaml`, which says what each is for; phrases are sorted longest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check_leads: Phrases
    fillers: Words
    behind_verbs: Words
    fronts: Words
    relations: Words
    conditions: Phrases
    unfolders: Words
    acts: dict[str, Phrases]
    phrasal: Phrases
    log_in: Phrases
    log_out: Phrases
    secrets: Words
    with_members: Words
    distinguishing: Words
    entering_by_secret: Phrases
    log_in_places: Words
    controls: dict[str, Phrases]
    rows: Words
    messages: Words
    error_words: Words
    headings: Words
    dialogs: Words
    columns: Words
    tables: Words
    first_words: Words
    last_words: Words
    order_phrases: dict[str, Phrases]
    before_phrases: Phrases
    after_phrases: Phrases
    statements: Words
    negations: Words
    absence: Phrases
    states: dict[str, Phrases]
    stop: Words
    describing: Words
    places: Words
    looks: Words
    synonyms: Groups
    opposites: Pairs
    signs: dict[str, str]
    making: Words
    changing: Words
    appointing: Words
    people: Words
    participles: dict[str, str]
    including: Words
    excluding: Words
    moving: Words
    submitters: Words
    confirmable: Words
    orders_to_say: Words
    naming: Words
    amount_labels: Words
    date_labels: Words
    addressing: Words
    entering: Phrases
    next_names: Phrases
    previous_names: Phrases
    last_names: Phrases
    first_names: Phrases
    filter_menus: Phrases
    home_names: Phrases
    descending: Phrases
    ascending: Phrases
    message_classes: Words
    numbers: dict[str, str]
    number_words: Words
    drawings: dict[str, str]
    neutral: Words
    saying: Words
    stating: Words
    speaking: Words
    showing: Words
    going: Words
    opening: Phrases
    shown: Phrases
    appearing: Words
    asks_nothing: str
    not_there: str
    is_listed: str
    lists_something: str
    only_these: str
    identifiers: Words
    days: Words
    summing: Words
    says_nothing: str
    value_fillers: Phrases
    relating: Words
    placing: Words
    greatest: Phrases
    counted: Words
    smallest: Phrases
    measuring: Words
    measure_fillers: Words
    label_fillers: Words
    part_fillers: Words
    units: Groups
    counting: Words
    becoming: Words
    is_there: str
    changing_words: Words
    part_joints: Words
    introducing: Words
    row_menus: Words
    editing: Words
    sending: Words
    plain_verbs: Words
    leading: Words


FREE = FreeWords.model_validate(bundled_yaml("sparring_plugins.web.grammar.free", "words.yaml"))

VERBS = frozenset(phrase for phrases in FREE.acts.values() for phrase in phrases)
"""The verbs of all acts, also of several words."""


@lru_cache(maxsize=20_000)
def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case; also those joined by underscores."""
    joined = re.sub(r"(?<!\w)e-(?=[a-z]{3})", "e", plain(text).replace("_", " "))  # "e-mail"
    words = tuple(_WORD.findall(joined))
    return words or tuple(" ".join(FREE.signs.get(sign, "") for sign in joined).split())


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of all words of a text."""
    return tuple(stem(word) for word in split_words(text))


@lru_cache(maxsize=20_000)
def content(text: str) -> tuple[str, ...]:
    """Return the words of a text that name something, in order."""
    return tuple(word for word in split_words(text) if word not in FREE.stop)


@lru_cache(maxsize=20_000)
def described(text: str) -> tuple[str, ...]:
    """Return the words of a text that name something or say what it is like, in order."""
    words = split_words(text)
    return tuple(word for word in words if word not in FREE.stop or word in FREE.describing)


def _groups_by_stem() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for index, group in enumerate(FREE.synonyms):
        for word in group:
            groups.setdefault(stem(word), set()).add(index)
    return {word: frozenset(indices) for word, indices in groups.items()}


_GROUPS = _groups_by_stem()


@lru_cache(maxsize=40_000)
def word_similarity(word: str, other: str) -> float:
    """Return how far two words mean the same: 1 if equal, less for stems, synonyms and parts."""
    if word == other:
        return 1.0
    first, second = stem(word), stem(other)
    if first == second:
        return 0.95
    if FREE.numbers.get(word, word) == FREE.numbers.get(other, other):
        return 0.95
    if _GROUPS.get(first, frozenset()) & _GROUPS.get(second, frozenset()):
        return 0.75
    if _drop_agent(first) == _drop_agent(second) and min(len(first), len(second)) >= 3:
        return 0.75  # "the maker" is who it was "made by", "the owner" stands behind "owned by"
    short, long = sorted((first, second), key=len)
    # "app" and "apps" are equal by their stems; "descr" is a beginning of "description".
    if len(short) >= 5 and long.startswith(short):
        return 0.7
    # "email" and "e-mail" are written in one or two words
    if len(short) >= 4 and long == "e" + short:
        return 0.75
    return 0.0


def _drop_agent(base: str) -> str:
    """Return the stem of a verb for who does it: "own" of "owner", "report" of "reporter"."""
    return base[:-2] if len(base) >= 5 and base.endswith(("er", "or")) else base


def begins_with(text: str, phrases: tuple[str, ...]) -> str:
    """Return the longest of `phrases` with which a plain text begins as whole words, or ""."""
    for phrase in phrases:
        if text == phrase or text.startswith((phrase + " ", phrase + ",", phrase + ":")):
            return phrase
    return ""


def has_phrase(text: str, phrases: tuple[str, ...]) -> str:
    """Return the longest of `phrases` that stands in a plain text as whole words, or ""."""
    for phrase in phrases:
        if re.search(rf"(?<![\w'-]){re.escape(phrase)}(?![\w'-])", text):
            return phrase
    return ""
