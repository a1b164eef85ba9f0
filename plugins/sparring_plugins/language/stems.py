"""Words that mean the same: light stems and families of synonyms."""

from functools import lru_cache

from sparring_plugins.language.text import words
from sparring_plugins.language.vocabulary import vocabulary

_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "ly")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A rough stem of an English or Spanish word: plural and verb endings taken off."""
    if len(word) <= 3 or not word.isalpha():
        return word
    for plural, single in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch")):
        if word.endswith(plural) and len(word) > 4:
            word = word[: -len(plural)] + single
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word[-1] in "eoa" else word


@lru_cache(maxsize=2048)
def concepts(text: str) -> frozenset[str]:
    """The content words of a text as stems, synonyms as the name of their family."""
    stop = vocabulary().stop
    found = [part for word in words(text) for part in _parts(word) if part not in stop]
    return frozenset(_concept(word) for word in found)


def name_concepts(name: str) -> frozenset[str]:
    """The concepts in a variable's name: ``confirmedDate`` and ``plan_price`` have two each."""
    spaced = "".join(f" {char}" if char.isupper() else char for char in name.replace("_", " "))
    return concepts(spaced if any(char.islower() for char in name) else name.replace("_", " "))


def overlap(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of `part` that is in `whole`, 0 where `part` is empty."""
    return len(part & whole) / len(part) if part else 0.0


def _parts(word: str) -> list[str]:
    """A word, or the parts of a compound; a contraction counts as what stands before its mark."""
    bare = word.replace("\u2019", "'").split("'")[0]
    return bare.split("-")


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
