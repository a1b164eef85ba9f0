"""The words that the grammar knows: the tables of `vocabulary.yaml`, and how to look nouns up."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.step import Comparison

Phrase = tuple[str, ...]

#: Roles that people act upon, as opposed to places and texts.
ACTIVE: Final = frozenset(
    {"button", "link", "field", "input", "textbox", "textarea", "checkbox", "radio", "switch",
     "combobox", "tab", "icon", "option", "slider", "menuitem", "spinbutton", "searchbox"}
)  # fmt: skip
FIELDS: Final = frozenset(
    {"field", "input", "textbox", "textarea", "searchbox", "spinbutton", "combobox", "listbox",
     "slider", "file"}
)  # fmt: skip
LISTS: Final = frozenset({"combobox", "listbox", "list", "menu"})
BOXES: Final = frozenset({"checkbox", "radio", "switch"})

_LONGEST = 4


def _as_words(text: object) -> list[str]:
    return _entries(text, " ")


def _as_phrases(text: object) -> list[Phrase]:
    return [tuple(phrase.split()) for phrase in _entries(text, ",")]


def _entries(text: object, separator: str) -> list[str]:
    """The entries of a table in lower case; no table holds one of them twice."""
    if not isinstance(text, str):  # on, off, yes and no alone are no texts in YAML
        raise ValueError(f"expected a text, got {text!r}: put it in quotes")
    entries = [" ".join(entry.split()) for entry in " ".join(text.split()).split(separator)]
    rejected = {e for e in entries if not e or e != e.lower() or entries.count(e) > 1}
    if rejected:
        raise ValueError(f"empty, with capitals, or in the table twice: {sorted(rejected)}")
    return entries


def _phrases_by_first_word(text: object) -> dict[str, list[Phrase]]:
    phrases = _as_phrases(text)
    return {first: [p for p in phrases if p[0] == first] for first, *_ in phrases}


def _meaning_by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, text in table.items() for word in _as_words(text)}


def _role_by_phrase(table: Mapping[str, str]) -> dict[Phrase, str]:
    return {phrase: role for role, text in table.items() for phrase in _as_phrases(text)}


def _key_by_name(table: Mapping[str, str]) -> dict[str, str]:
    return {name: key for key, text in table.items() for name in _entries(text, ",")}


def _longest_first(table: Mapping[str, str]) -> list[tuple[Phrase, str]]:
    """Pairs of phrase and sign: "more than or equal to" comes before "more than"."""
    pairs = [(phrase, sign) for sign, text in table.items() for phrase in _as_phrases(text)]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _state_by_word(table: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, bool]]:
    return {
        word: (state, answer == "holds")
        for state, answers in table.items()
        for answer, text in answers.items()
        for word in _as_words(text)
    }


def _unit_by_word(table: Mapping[float, str]) -> dict[str, float]:
    return {word: float(unit) for unit, text in table.items() for word in _as_words(text)}


def _words_by_contraction(table: Mapping[str, str]) -> dict[str, Phrase]:
    return {word: tuple(text.split()) for word, text in table.items()}


Words = Annotated[frozenset[str], BeforeValidator(_as_words)]
Phrases = Annotated[tuple[Phrase, ...], BeforeValidator(_as_phrases)]
PhraseSet = Annotated[frozenset[Phrase], BeforeValidator(_as_phrases)]
PhrasesByFirstWord = Annotated[
    dict[str, tuple[Phrase, ...]], BeforeValidator(_phrases_by_first_word)
]
Roles = Annotated[dict[Phrase, str], BeforeValidator(_role_by_phrase)]
Meanings = Annotated[dict[str, str], BeforeValidator(_meaning_by_word)]
Keys = Annotated[dict[str, str], BeforeValidator(_key_by_name)]
Signs = Annotated[tuple[tuple[Phrase, Comparison], ...], BeforeValidator(_longest_first)]
States = Annotated[dict[str, tuple[str, bool]], BeforeValidator(_state_by_word)]
Units = Annotated[dict[str, float], BeforeValidator(_unit_by_word)]
Contractions = Annotated[dict[str, Phrase], BeforeValidator(_words_by_contraction)]


@dataclass(frozen=True)
class StepVocabulary:
    """The tables of `vocabulary.yaml`, which says what each is for."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    # Verbs and other words of the patterns
    classes: dict[str, Phrases]
    no_clause_starters: Words
    clause_starters: Words
    button_like_verbs: Words
    # Nouns
    controls: Roles
    texts: PhraseSet
    landmarks: Roles
    named_places: PhraseSet
    rows: PhraseSet
    pages: PhraseSet
    determiners: Words
    weak_adjectives: Words
    joining_words: Words
    never_first: Words
    never_last: Words
    # Numbers and keys
    cardinals: dict[str, int]
    ordinals: dict[str, int]
    duration_units: Units
    keys: Keys
    modifier_keys: Keys
    # Places
    naming: Words
    named_by: Words
    place_prepositions: Words
    beside: PhrasesByFirstWord
    sides: Words
    row_links: Words
    page_adjectives: Words
    no_places: Words
    trailing_adverbs: Words
    # Values
    value_words: Words
    relating_words: Words
    value_nouns: Words
    # Verbs of conditions
    be: Words
    auxiliaries: Words
    condition_verbs: Meanings
    helped_verbs: Meanings
    condition_adverbs: Words
    contractions: Contractions
    negatable: Words
    # Quantities
    comparisons: Signs
    limits_before: Signs
    limits_behind: Signs
    # What a condition is about
    vague_nouns: Words
    occurrences: Words
    sentence_links: Words
    text_nouns: Words
    property_words: Words
    page_words: Words
    property_leads: Words
    # States
    shown: Words
    gone: Words
    states: States
    equalities: Words
    equality_links: Words
    entered: Words
    state_fillers: Words
    arrivals: Words
    arrival_words: Words
    located: Words
    # Predicates
    people: Words
    place_nouns: Words
    denials: Phrases
    affirmations: Phrases
    seeing: Phrases
    not_seeing: Phrases
    possibilities: Meanings
    # Assertions and waits
    assertion_leads: PhrasesByFirstWord
    loading: PhraseSet
    loading_fillers: Words
    # Clauses
    clause_fillers: Words
    clause_leads: PhrasesByFirstWord
    subjects: Phrases
    clause_ends: Phrases
    words_behind_quotes: Words
    quoting_verbs: Words
    fronted_prepositions: Words
    # Actions
    number_nouns: Words
    box_verbs: Words
    box_kinds: Words
    closable: Words
    submitted: Words
    plain_labels: Words
    no_label_words: Words
    login_words: Words
    setting_verbs: Words
    dating_verbs: Words
    page_nouns: Words
    scroll_ways: Meanings
    scroll_words: Words
    scroll_leads: Words
    scroll_ends: Words
    new_tab_words: Words
    first_tab_words: Words
    verbs: frozenset[str] = field(init=False)
    """The words that a clause may begin with."""

    def __post_init__(self) -> None:
        first_words = {
            phrase[0]
            for name, phrases in self.classes.items()
            if name not in self.no_clause_starters
            for phrase in phrases
        }
        object.__setattr__(self, "verbs", self.clause_starters | first_words)


def read_vocabulary() -> StepVocabulary:
    """Read and check `vocabulary.yaml`."""
    tables: Any = bundled_yaml("sparring_plugins.web.grammar.phrases", "vocabulary.yaml")
    return TypeAdapter(StepVocabulary).validate_python(tables)


class _Unread(StepVocabulary):
    """Stands for the vocabulary until a table is asked for, then becomes it.

    So nothing is read when a module is imported, and the loops that look up a dozen tables for
    each word read plain attributes of a plain object instead of calling a cached function.
    """

    def __init__(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        vars(self).update(vars(read_vocabulary()))
        object.__setattr__(self, "__class__", StepVocabulary)
        return getattr(self, name)


WORDS: Final[StepVocabulary] = _Unread()


def base_form(word: str) -> str:
    """Return a verb in its base form: ``clicks`` and ``clicking`` are ``click``."""
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and word not in WORDS.verbs:
            stem = word[: -len(ending)] + replacement
            if stem in WORDS.verbs:
                return stem
    return word


_ENDINGS: Final = (
    ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ies", "y"), ("oes", "o"),
    ("s", ""), ("pping", "p"), ("tting", "t"), ("gging", "g"), ("ing", ""), ("ing", "e"),
)  # fmt: skip


def singular(phrase: Phrase) -> Phrase:
    """Return a phrase with its last word in the singular."""
    last = phrase[-1]
    if last.endswith(("xes", "ches", "shes", "sses")):
        last = last[:-2]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return (*phrase[:-1], last)


def lookup(phrase: Phrase, among: Set[Phrase] | Mapping[Phrase, str]) -> Phrase | None:
    """Return the phrase, or its singular, if it is among those; else `None`."""
    if not phrase or phrase in among:
        return phrase or None
    in_singular = singular(phrase)
    return in_singular if in_singular in among else None


def ending_size(words: Sequence[str], among: Set[Phrase] | Mapping[Phrase, str]) -> int:
    """Return how many words at the end are a phrase of those; 0 if none are."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        if lookup(tuple(words[-size:]), among):
            return size
    return 0


def beginning_size(words: Sequence[str], among: Set[Phrase] | Mapping[Phrase, str]) -> int:
    """Return how many words at the beginning are a phrase of those; 0 if none are."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        if lookup(tuple(words[:size]), among):
            return size
    return 0


def role_of(words: Sequence[str]) -> str | None:
    """Return the role that a noun means; `None` for a noun of a text."""
    phrase = lookup(tuple(words), WORDS.controls)
    return WORDS.controls[phrase] if phrase else None
