"""What a draft is made of: features by name, with the sources and sentences they come from."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import JsonValue

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.interchange.imports import feature_name

WISH = "wish"
"""The feature that says what is wanted."""

RESERVED = ("politeness", "typing", "opening", "request", "closing")
"""Names of the features and symbols that every draft has besides."""

MOST_VALUES = 12
"""Values of a drafted feature: a person looks at all of them."""

# A value of a feature is "gluten-free" or "a table by the window", not a sentence.
LONGEST_PHRASE = 60


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Return one of the bundled lists of words."""
    return tuple(bundled_yaml("sparring_plugins.search.drafting", "words.yaml")[name])


@cache
def word_set(name: str) -> frozenset[str]:
    """Return one of the bundled lists of words, to look words up in."""
    return frozenset(word_list(name))


@dataclass
class DraftFeature:
    """A content feature of a draft.

    `values` are phrases with how often each was met. `numbers` is a range instead: the least and
    the largest number and the words around one, with ``{}`` for it. `about` says where it is from,
    and `absent` how many requests have none of them.
    """

    name: str
    values: Counter[str] = field(default_factory=Counter[str])
    numbers: tuple[float, float, str] | None = None
    optional: bool = True
    about: str = ""
    absent: int | None = None

    @property
    def slot(self) -> str:
        """The part of a template that says it: ``[ for four people]``, or ``[, pizza]``."""
        words = self.numbers[2] if self.numbers else next(iter(self.values), "")
        goes_on = words.partition(" ")[0] in word_set("prepositions")
        return f"[{' ' if goes_on else ', '}{{{self.name}}}]"

    def data(self) -> dict[str, Any]:
        """Return it as a space's file has it."""
        about = {"about": self.about} if self.about else {}
        if self.numbers is not None:
            low, high, words = self.numbers
            whole = low == int(low) and high == int(high)
            steps = int(min(11, high - low + 1)) if whole else 11
            span: dict[str, JsonValue] = {
                "from": int(low) if whole else low,
                "to": int(high) if whole else high,
                "steps": max(2, steps),
                **({} if whole else {"decimals": 2}),
                "as": words,
                "optional": self.optional,
            }
            return {**about, "range": span}
        most = [value for value, _ in self.values.most_common(MOST_VALUES)]
        weighted = len({self.values[value] for value in most}) > 1
        entries: dict[str, Any] = {}
        if self.optional:
            without = weighted and self.absent is not None
            entries["none"] = {"weight": self.absent} if without else None
        taken: list[str] = ["none"]
        for value in most:
            taken.append(feature_name(value, taken))
            entries[taken[-1]] = {
                "as": [value],
                **({"weight": self.values[value]} if weighted else {}),
            }
        return {**about, "values": entries}


@dataclass
class Draft:
    """Features, constraints and notes for whoever looks at the draft."""

    about: str = ""
    features: dict[str, DraftFeature] = field(default_factory=dict[str, DraftFeature])
    constraints: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    notes: list[str] = field(default_factory=list[str])

    def add(self, feature: DraftFeature) -> str:
        """Add a feature, or its values to the one of its name; return its name."""
        feature.name = feature_name(feature.name, RESERVED)
        known = self.features.setdefault(feature.name, feature)
        if known is not feature:
            known.values.update(feature.values)
            known.numbers = known.numbers or feature.numbers
        return feature.name


def phrases_in(text: str) -> list[str]:
    """Return the members of an enumeration, as in ``pizza, pasta and salad``."""
    parts = re.split(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", text.strip(" .:;"))
    return [part.strip(" \"'`*_.") for part in parts if 0 < len(part.strip()) <= LONGEST_PHRASE]


def last_noun(text: str, words: int = 2) -> str:
    """Return the last words before an enumeration, without small ones, as a name for a feature."""
    small = {*word_set("prepositions"), *word_set("openers"), "these", "following", "such", "as"}
    kept = [word for word in re.findall(r"[^\W\d_]+", text.lower()) if word not in small]
    return "_".join(kept[-words:]) or "kind"


def first_words(texts: Sequence[str], most: int = 200) -> str:
    """Return the first sentence of texts, for what an app is about."""
    text = " ".join(" ".join(texts).split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0][:most]
