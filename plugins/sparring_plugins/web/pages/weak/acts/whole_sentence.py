"""The control that a whole sentence names best, whatever its form: the last resort of acts.

Each word of the sentence counts by how rare it is on the page. It is looked for in a control's own
names, in what its markup calls it, and in what stands around it: its row, group, heading, form. A
text in quotes is a name that must be there as a whole. Nothing is chosen without a clear margin.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.sentences import begins_acting, mask, place_in_front
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, word_similarity
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.text_fit import bare, plain
from sparring_plugins.web.pages.weak.page.naming import KINDS

#: A choice needs this share of the sentence's weight, and this much more than the next one.
ENOUGH = 0.5
MARGIN = 1.25
_MARKUP = 0.7
"""What a word of the markup counts: authors call a bug icon ``tab-debug-button``."""
_AROUND = 0.55
"""What a word counts that stands around a control, and not in its name."""
_LIKE = 0.7
_LONGEST = 160
_KIND = 0.35
"""What the kind of a control counts beside a word that names it: "the button"."""
_MARKUP_KEYS = ("id", "class", "data-testid", "data-test", "name", "aria-controls", "data-action")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_/.#:]+")


@dataclass(frozen=True)
class Scored:
    """An element, with the share of the sentence's weight that it has, and the words found."""

    element: Element
    score: float
    own: float
    found: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What a sentence says: its verb, words, quotations, and the kinds of controls."""

    verb: str
    words: tuple[str, ...]
    quotes: tuple[str, ...]
    kinds: frozenset[str]
    said: str


_ASIDE = re.compile(r"(?<!\s)\s*\(([^()]{0,200})\)")


def read_wanted(sentence: str) -> Wanted:
    """Return the words of a sentence that may name something, without those of its grammar."""
    masked, quotes = mask(sentence.strip().rstrip("."))
    text, place = place_in_front(_ASIDE.sub(r", \1", masked))
    verb = begins_acting(text)
    first = text.split(" ", 1)[0].lower() if text else ""
    rest = f"{text[len(verb or first) :]} {place}"
    said = re.sub(r"⟦\d+⟧", " ", rest)
    named = [w for w in split_words(said) if w not in FREE.stop]
    kinds = frozenset(KINDS[w] for w in named if w in KINDS)
    words = tuple(dict.fromkeys(w for w in named if w not in KINDS))
    return Wanted(verb or first, words, quotes, kinds, f"{verb or first} {said}")


@dataclass(frozen=True)
class WholeSentence:
    """Scores the controls of a page by a whole sentence."""

    layout: Layout
    elements: Sequence[Element]

    def rank(self, wanted: Wanted) -> list[Scored]:
        """Return how much of the sentence each control has, the most first."""
        weights = {word: self._weight(word) for word in self._terms(wanted)}
        total = sum(weights.values())
        if not total:
            return []
        scored = [self._score(element, wanted, weights, total) for element in self.elements]
        return sorted((s for s in scored if s.score > 0), key=lambda s: -s.score)

    def _terms(self, wanted: Wanted) -> tuple[str, ...]:
        """Return the words that count: the verb too, unless it only leads somewhere."""
        verb = wanted.verb.split(" ", 1)[0] if wanted.verb else ""
        leads = not verb or verb in FREE.going or verb in _PICKING
        return wanted.words if leads else (verb, *(w for w in wanted.words if w != verb))

    def _weight(self, word: str) -> float:
        """Return how much a word says: a word that many controls have says little."""
        number = self._frequency.get(stem(word), 0)
        return 1 / math.log2(2 + number)

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(
            base for element in self.elements for base in {stem(w) for w in self._own(element)}
        )

    @cached_property
    def _own_words(self) -> dict[str, dict[str, float]]:
        return {}

    def _own(self, element: Element) -> dict[str, float]:
        """Return the words by which an element itself is called, with what they count."""
        if element.id not in self._own_words:
            words: dict[str, float] = {}
            for key in _MARKUP_KEYS:
                for word in _markup_words(element.attributes.get(key, "")):
                    words[word] = _MARKUP
            for word in _markup_words((element.url or "").rpartition("/")[2][:40]):
                words[word] = _MARKUP
            for text in own_names(element):
                words |= dict.fromkeys(split_words(text), 1.0)
            self._own_words[element.id] = words
        return self._own_words[element.id]

    def _around(self, element: Element) -> set[str]:
        holders = self._holders(element)
        texts = [element.column, element.adjacent, *self._texts_around(element)]
        texts += [holder.name for holder in holders]
        return {word for text in texts if text for word in split_words(text)}

    def _holders(self, element: Element) -> list[Element]:
        """Return what an element lies in; of one in a row, nothing that has other rows, too."""
        holders = list(self.layout.above(element))
        rows = [i for i, h in enumerate(holders) if h.role in VOCABULARY.groups - {"form"}]
        return holders[: rows[0] + 1] if rows and element.row else holders

    def _texts_around(self, element: Element) -> list[str]:
        holders = self._holders(element)
        short = [holder.text for holder in holders if len(holder.text) < _LONGEST]
        return [element.row, *element.region, *short]

    def _score(
        self, element: Element, wanted: Wanted, weights: dict[str, float], total: float
    ) -> Scored:
        if contradicts(wanted.said, element) or self._is_graver(element, wanted):
            return Scored(element, 0.0, 0.0)
        quoted = self._quoted_share(element, wanted.quotes)
        if quoted is None:
            return Scored(element, 0.0, 0.0)
        own, around = self._own(element), self._around(element)
        shares: dict[str, float] = {}
        own_part = 0.0
        for word, weight in weights.items():
            hit = max((word_similarity(word, o) * much for o, much in own.items()
                       if word_similarity(word, o) >= _LIKE), default=0.0)  # fmt: skip
            own_part += weight * hit
            near = any(word_similarity(word, o) >= _LIKE for o in around)
            shares[word] = weight * max(hit, _AROUND * near)
        weight_of_quotes = 1.0 * len(wanted.quotes)
        covered = sum(shares.values()) + quoted * weight_of_quotes
        whole = total + weight_of_quotes
        said = self._said_part(element, wanted)
        kind = _KIND * bool(wanted.kinds & _kinds_of(element))
        score = (covered + kind) / (whole + _KIND * bool(wanted.kinds)) * (0.6 + 0.4 * said)
        is_named = own_part > 0 or quoted == 1.0
        found = tuple(word for word, share in shares.items() if share)
        return Scored(element, round(score, 3) if is_named else 0.0, own_part, found)

    @cached_property
    def _texts_in(self) -> dict[str, list[str]]:
        """The texts directly within each element: 'Search' beside the keys that do the same."""
        texts: dict[str, list[str]] = {}
        for element in self.layout.snapshot.elements:
            if element.role == "text" and element.parent:
                texts.setdefault(element.parent, []).append(element.text)
        return texts

    def _quoted_share(self, element: Element, quotes: Sequence[str]) -> float | None:
        """Return how far the quoted texts name an element; None if one of them does not at all.

        The whole name counts fully, the row or the group around the control half.
        """
        share = 0.0
        for quote in quotes:
            wanted = bare(quote)
            names = [*own_names(element), *self._texts_in.get(element.id, ())]
            if any(bare(name) == wanted for name in names):
                share += 1.0
            elif self._stands_around(element, quote):
                share += _AROUND
            else:
                return None
        return share / len(quotes) if quotes else 0.0

    def _stands_around(self, element: Element, quote: str) -> bool:
        wanted = re.compile(rf"(?<!\w){re.escape(plain(quote))}(?!\w)")
        return any(wanted.search(plain(text)) for text in self._texts_around(element) if text)

    def _said_part(self, element: Element, wanted: Wanted) -> float:
        """Return which part of the element's shortest name the sentence has."""
        said = {*split_words(wanted.said), *(w for q in wanted.quotes for w in split_words(q))}
        shares = [
            sum(any(word_similarity(w, s) >= _LIKE for s in said) for w in words) / len(words)
            for words in map(split_words, own_names(element))
            if words
        ]
        return max(shares, default=0.5)

    def _is_graver(self, element: Element, wanted: Wanted) -> bool:
        """Return whether a control does something for good that the sentence does not ask for."""
        shown = {stem(w) for name in own_names(element) for w in split_words(name)}
        grave = {stem(word) for word in VOCABULARY.grave}
        asked = split_words(wanted.said)
        return any(
            not any(word_similarity(w, word) >= _LIKE for w in asked) for word in shown & grave
        )


_PICKING = frozenset({"choose", "select", "pick", "take", "click", "tick", "check", "double-click"})


def own_names(element: Element) -> Iterable[str]:
    """Yield the texts by which a person or an author calls an element."""
    texts = (element.name, element.label, element.title, element.placeholder, element.alternative)
    yield from (text for text in texts if text)
    if element.text and len(element.text) <= _LONGEST:
        yield element.text
    if element.value and element.role == "button":
        yield element.value


def _markup_words(text: str) -> list[str]:
    words = [w for part in _JOINED.split(text) for w in split_words(part)]
    return [w for w in words if len(w) > 1 and w not in VOCABULARY.drawn and not w.isdigit()]


def _kinds_of(element: Element) -> frozenset[str]:
    kinds = {element.role}
    if is_a_box(element):
        kinds.add("checkbox")
    if takes_text(element):
        kinds.add("field")
    if offers_choices(element):
        kinds.add("list")
    if takes_clicks(element) and not (element.name or element.text or element.title):
        kinds.add("icon")
    marks = f"{element.attributes.get('class', '')} {element.attributes.get('id', '')}".lower()
    kinds |= {kind for kind in ("tab", "menu", "button", "link") if kind in marks}
    return frozenset(kinds)


_MAKING = FREE.making | {"plus", "start", "begin", "compose", "write", "publish", "post", "book"}


def makes_something(element: Element) -> bool:
    """Return whether a control says that it makes something, or is the name of a thing alone."""
    words = {w for name in own_names(element) for w in split_words(name)}
    return any(word_similarity(w, verb) >= 0.75 for w in words for verb in _MAKING)
