"""Words that dialogue is recognised by, their stems and synonyms, and names of languages.

All words are in the data files beside this module.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sparring.documents.checking import nearest
from sparring_plugins.language.text import folded, is_elided, words
from sparring_plugins.language.yaml_files import bundled_yaml

ALWAYS = ("English", "Spanish")
"""Languages whose words count in any text: few of them mean anything else in another one."""

OTHERS = ("French", "German", "Italian", "Portuguese")
"""Languages whose words count in texts that may be in them, by their small words."""

# One small word proves little: "no" is English, Italian and Portuguese, "me" also Spanish.
_CLEAR = 2


class Vocabulary(BaseModel):
    """Cue phrases by language and what they tell, stop words, families of synonyms.

    All are folded (see `text.folded`). Stop words and families are of all languages together: an
    app may answer in another language than it was asked in. `small` are the words by which a text
    is known to be in a language.
    """

    model_config = ConfigDict(frozen=True)

    cues: dict[str, dict[str, tuple[str, ...]]]
    small: dict[str, frozenset[str]]
    stop: frozenset[str]
    families: dict[str, tuple[str, ...]]
    number_accents: dict[str, dict[str, str]]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    base = _data("vocabulary.yaml")
    others = {name: _data(f"languages/{name.lower()}.yaml") for name in OTHERS}

    def by_language(key: str) -> dict[str, Any]:
        return {**base[key], **{name: data[key] for name, data in others.items()}}

    stop_lines = [*base["stop"].values(), *(data["stop"] for data in others.values())]
    return Vocabulary(
        cues={name: _fold_cues(cues) for name, cues in by_language("cues").items()},
        small={
            name: frozenset(folded(line).split()) for name, line in by_language("small").items()
        },
        stop=frozenset(folded(word) for line in stop_lines for word in line.split()),
        families=_merge_families([base, *others.values()]),
        number_accents=by_language("number_accents"),
    )


def _merge_families(files: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Families of synonyms with the words of all languages, those of the first file first."""
    families: dict[str, dict[str, None]] = {}
    for data in files:
        for name, line in data["families"].items():
            families.setdefault(name, {}).update(dict.fromkeys(map(folded, line.split())))
    return {name: tuple(words) for name, words in families.items()}


@lru_cache(maxsize=4096)
def languages_of(text: str) -> tuple[str, ...]:
    """The languages that a folded text may be in, as far as words of it are known here.

    English and Spanish are left out only of a text that is clearly in another one; the others
    count if no language has more small words in it.
    """
    words = text.split()
    counts = {
        name: sum(word in small for word in words) for name, small in vocabulary().small.items()
    }
    most = max(counts.values())
    always = [name for name in ALWAYS if counts[name] > most - _CLEAR]
    return (*always, *(name for name in OTHERS if counts[name] == most))


@lru_cache(maxsize=4096)
def cue_phrases(text: str, name: str) -> tuple[str, ...]:
    """The cue phrases called `name` of the languages that a folded text may be in."""
    cues = vocabulary().cues
    by_language = (cues[language][name] for language in languages_of(text))
    return tuple(dict.fromkeys(phrase for phrases in by_language for phrase in phrases))


@lru_cache(maxsize=4096)
def has_cue(text: str, name: str) -> bool:
    """Whether a folded text has one of the cue phrases called `name` in it."""
    padded = f" {text} "
    return any(f" {phrase} " in padded for phrase in cue_phrases(text, name))


@lru_cache(maxsize=4096)
def starts_with_cue(text: str, name: str) -> bool:
    """Whether a folded text begins with one of the cue phrases called `name`."""
    padded = f"{text} "
    return any(padded.startswith(f"{phrase} ") for phrase in cue_phrases(text, name))


def _fold_cues(by_name: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys(folded(str(phrase)) for phrase in phrases))
        for name, phrases in by_name.items()
    }


def _data(path: str) -> Any:
    return bundled_yaml("sparring_plugins.language", *path.split("/"))


# Words that mean the same: light stems and families of synonyms.

# Snowball was tried in place of this stemmer (snowballstemmer 3). Of 544 pairs of related words
# within the families, this one joins 207, Snowball's English stemmer 161 and its Spanish one 179;
# of 270 pairs of look-alikes across families they join 4, 3 and 11 by mistake. A word takes 1.2
# microseconds here and 150 there, and Snowball needs the language, which one word does not show.

_PLURALS = (("eaux", "eau"), ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"))
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "ly")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A rough stem of an English or Spanish word: without plural and verb endings."""
    if len(word) <= 3 or not word.isalpha():
        return word
    word = _without_suffix(_singular(word))
    # "pizza" and "pizzas", "rojo" and "roja" are one
    return word[:-1] if len(word) > 3 and word[-1] in "eoa" else word


def _singular(word: str) -> str:
    for plural, singular in _PLURALS:
        if word.endswith(plural) and len(word) > 4:
            return word[: -len(plural)] + singular
    # "address", "bonus" and "tennis" end in s, and are no plurals
    is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if is_plural else word


def _without_suffix(word: str) -> str:
    for suffix in _SUFFIXES:
        # "bring" and "thing" keep their ends: fewer than three letters would be left.
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            # "planned" becomes "plan", but "called" and "missing" keep both letters
            is_doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
            return word[:-1] if is_doubled else word
    return word


@lru_cache(maxsize=2048)
def concepts(text: str) -> frozenset[str]:
    """The content words of a text as stems, synonyms as the name of their family."""
    stop = vocabulary().stop
    content = [part for word in words(text) for part in _parts(word) if part not in stop]
    return frozenset(_concept(word) for word in content)


def name_concepts(name: str) -> frozenset[str]:
    """The concepts in a variable's name: ``confirmedDate`` and ``plan_price`` have two each."""
    spaced = "".join(f" {char}" if char.isupper() else char for char in name.replace("_", " "))
    return concepts(spaced if any(char.islower() for char in name) else name.replace("_", " "))


def _parts(word: str) -> list[str]:
    """A word, or the parts of a compound; a contraction counts as what stands before its mark.

    An article or pronoun that a vowel has shortened counts for nothing: "l'ascenseur" is a lift,
    and of "a-t-il" the "t" only joins two words.
    """
    first, mark, rest = word.replace("\u2019", "'").partition("'")
    bare = rest.split("'")[0] if mark and is_elided(first) and len(rest) > 1 else first
    parts = bare.split("-")
    return [part for part in parts if len(part) > 1 or len(parts) == 1]


def _concept(word: str) -> str:
    """The name of a word's family, by the word itself before its stem; else its stem."""
    listed, stems = _families()
    return listed.get(word) or stems.get(stem(word)) or stem(word)


@lru_cache(maxsize=1)
def _families() -> tuple[dict[str, str], dict[str, str]]:
    """The families by listed word and by stem; of several the first, English and Spanish first."""
    listed: dict[str, str] = {}
    stems: dict[str, str] = {}
    for name, members in vocabulary().families.items():
        for word in members:
            listed.setdefault(word, f"~{name}")
            stems.setdefault(stem(word), f"~{name}")
    return listed, stems


# Names of languages.


@lru_cache(maxsize=1)
def _language_names() -> Mapping[str, str]:
    """The languages that a profile may name, by their names in lower case."""
    names = TypeAdapter(tuple[str, ...]).validate_python(_data("language_names.yaml"))
    return {name.casefold(): name for name in names}


def language_name(text: str) -> str:
    """The usual spelling of a language's English name; raises ValueError naming the nearest."""
    names = _language_names()
    name = names.get(" ".join(text.split()).casefold())
    if name is None:
        hint = nearest(text.strip().capitalize(), list(names.values())).split(" Known:")[0]
        raise ValueError(f"unknown language {text[:40]!r}.{hint} Give its English name.")
    return name
