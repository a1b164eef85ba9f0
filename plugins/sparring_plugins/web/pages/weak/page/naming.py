"""How well the words of a free sentence name an element: by its names and what is around it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import VOCABULARY
from sparring_plugins.web.pages.grounding import channels
from sparring_plugins.web.pages.layout import Layout

_SPECIFIC = {"search", "settings", "submit"}  # "the search box": which box it is
#: Words that say what kind of thing is meant: they count little beside a name. A word that is a
#: kind by itself is of that kind in longer names too: "menu" of "menu item" is a menu.
KINDS = {
    word: role
    for least, most in ((2, 9), (1, 1))
    for role, phrases in FREE.controls.items()
    for phrase in phrases
    for word in phrase.split()
    if least <= len(phrase.split()) <= most and word not in _SPECIFIC
}
#: Icons that have a meaning: "the bin" deletes, "the pencil" edits.
_SIGNS = frozenset(word for words in FREE.signs.values() for word in words.split())
_SAYING_LITTLE = (frozenset(KINDS) - _SIGNS) | {"menu"} | FREE.places | FREE.looks
_WEAK_WEIGHT = 0.25
_LONGEST_NAME = 8
#: Below this, a word of the sentence is not the same as a word of the page.
_SAME = 0.7


@dataclass(frozen=True)
class Phrase:
    """The words that name something: `strong` ones must be found, `weak` ones are kinds and places.

    `verb` are words that a control may be called by too ("Print the label": Print PDF).
    """

    strong: tuple[str, ...]
    weak: tuple[str, ...] = ()
    verb: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of controls that the words name."""
        return frozenset(KINDS[word] for word in self.weak if word in KINDS)


#: "the note Cellar", "the orders A129": the noun only says what kind of thing has the name.
_HEAD_NOUN = re.compile(r"\b(?:the|a|an)\s+([a-z][a-z-]+)(?:\s+(?:called|named))?\s+(?=[A-Z\d])")
#: "the number of places", "the whole text": what is counted or whole has the name.
MEASURES = re.compile(
    r"\b(?:number|amount|quantity|value|count|list|page|content)s?\s+of\s+(?=\w)|\bwhole\s+", re.I
)


def proper_words(words: str) -> tuple[str, ...]:
    """Return the words that name something, without kinds and places."""
    named = tuple(w for w in content(words) if w not in _SAYING_LITTLE)
    return (*named, *_named_by_capital(words))


def _head_nouns(words: str) -> frozenset[str]:
    return frozenset(match[1] for match in _HEAD_NOUN.finditer(words))


def _named_by_capital(words: str) -> tuple[str, ...]:
    """Return words that say nothing elsewhere but have a capital: "the More tab"."""
    capitals = re.findall(r"(?<!\A)\b[A-Z][a-z]{2,}\b", words)
    return tuple(word.lower() for word in capitals if word.lower() in FREE.stop)


def phrase_of(words: str, context: str = "", verb: str = "", *, quoted: bool = False) -> Phrase:
    """Return the words of a sentence as a phrase; in quotes all of them are strong."""
    heads = frozenset[str]() if quoted else _head_nouns(words)
    words = words if quoted else MEASURES.sub("", words)
    named = split_words(words) if quoted else (*content(words), *_named_by_capital(words))
    around = content(context)
    weak_words = _SAYING_LITTLE | heads
    strong = [word for word in named if quoted or word not in weak_words]
    weak = [word for word in named if not quoted and word in weak_words]
    strong += [word for word in around if word not in weak_words]
    weak += [word for word in around if word in weak_words]
    if not strong:  # "Open the menu", "Press the button": the kind is all that is said
        strong, weak = weak, []
    return Phrase(tuple(dict.fromkeys(strong)), tuple(dict.fromkeys(weak)), split_words(verb))


@dataclass(frozen=True)
class Naming:
    """How an element is named by a phrase; `score` is from 0 to 1, `missing` what nothing shows."""

    element: Element
    score: float
    own: float
    missing: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Surroundings:
    """The texts around elements of a page: rows, columns, headings, groups."""

    layout: Layout

    @cached_property
    def _cache(self) -> dict[str, frozenset[str]]:
        return {}

    def words(self, element: Element) -> frozenset[str]:
        """Return the words around an element, without its own."""
        if element.id not in self._cache:
            words = (word for text in self.texts(element) for word in split_words(text))
            self._cache[element.id] = frozenset(words)
        return self._cache[element.id]

    def texts(self, element: Element) -> list[str]:
        """Return the texts around an element: its row, its column and what holds it."""
        texts = [element.row, element.column, element.adjacent, *element.region]
        for height, holder in enumerate(self.layout.above(element)):
            texts += [holder.name, holder.attributes.get("id", "")]
            if height < 3 and len(holder.text) < 200:
                texts.append(holder.text)
            if holder.role in VOCABULARY.groups and len(holder.text) < 400:
                texts.append(holder.text)
        return [text for text in texts if text]

    def name(self, phrase: Phrase, element: Element) -> Naming:
        """Return how well `phrase` names `element`."""
        best = Naming(element, 0.0, 0.0, phrase.strong)
        around = self.words(element)
        for text, weight, channel in _names(element):
            naming = _compare(phrase, text, weight, around, element, channel)
            if naming.score > best.score:
                best = naming
        return best


def _names(element: Element) -> Iterable[tuple[str, float, str]]:
    for text, weight, channel in channels(element):
        if channel == "text beside it" and (element.name or element.label):
            weight = 0.5  # what has a label is not called by the heading before it
        # a drawn icon has no other name: "the bin" is the class 'icon-trash' by its meaning alone
        yield text, 0.9 if channel == "class" else weight, channel
    if element.role == "searchbox" or element.input_type == "search":
        yield "search", 0.88, "kind"
    for key in ("class", "aria-controls", "href"):
        if text := element.attributes.get(key, ""):
            yield " ".join(text.replace("-", " ").replace("_", " ").split()[:8]), 0.55, key


def _best(word: str, words: Iterable[str]) -> float:
    value = max((word_similarity(word, other) for other in words), default=0.0)
    return value if value >= _SAME else 0.0


def _compare(
    phrase: Phrase, text: str, weight: float, around: frozenset[str], element: Element, channel: str
) -> Naming:
    shown = _name_words(text, phrase)
    if not shown or not phrase.strong:
        return Naming(element, 0.0, 0.0, phrase.strong)
    own = {word: _best(word, shown) for word in phrase.strong}
    by_place = {word: 0.85 * _best(word, around) for word in phrase.strong if not own[word]}
    kinds = [
        max(_best(word, shown), 0.85 * _best(word, around), _is_kind(word, element))
        for word in phrase.weak
    ]
    covered = sum(own.values()) + sum(by_place.values()) + _WEAK_WEIGHT * sum(kinds)
    covered /= len(own) + _WEAK_WEIGHT * len(kinds)
    name_part, own_part = _said_part(shown, phrase), sum(own.values()) / len(own)
    if not own_part and not any(_best(word, phrase.verb) for word in shown):
        # nothing of its own name was said: only its place speaks for it
        name_part = 0.3 * (not element.name)
    missing = tuple(w for w in phrase.strong if not own[w] and not by_place.get(w))
    score = weight * (0.6 * covered + 0.4 * name_part)
    if phrase.verb and _does_another_thing(shown, phrase):
        score *= 0.7
    return Naming(element, score, own_part, missing, text)


def _name_words(text: str, phrase: Phrase) -> tuple[str, ...]:
    """Return the words of a name that say something; "Cart 3" without its counter."""
    words = split_words(text)[: _LONGEST_NAME * 2]
    shown = tuple(
        w for w in words if w not in FREE.stop or w in FREE.negations or _best(w, phrase.strong)
    )
    shown = shown or words[:_LONGEST_NAME]
    if len(shown) > 1 and shown[-1].isdigit() and shown[-1] not in phrase.strong:
        return shown[:-1]
    return shown


def _said_part(shown: Sequence[str], phrase: Phrase) -> float:
    """Return the part of a name that is said; verbs that only lead somewhere are equal."""
    asked = (*phrase.strong, *phrase.weak)
    goes = any(word in FREE.going for word in phrase.verb)
    values = (
        max(_best(word, asked), 0.9 * _best(word, phrase.verb), 0.9 * (goes and word in FREE.going))
        for word in shown
    )
    return sum(values) / len(shown)


def _does_another_thing(shown: Sequence[str], phrase: Phrase) -> bool:
    """Return whether a name begins with a verb that the sentence does not have.

    "View the cart" does not mean "Add to cart".
    """
    verb = shown[0]
    return (
        verb in _DOING
        and verb not in FREE.going
        and not _best(verb, (*phrase.verb, *phrase.strong, *phrase.weak))
    )


_DOING = frozenset(
    word
    for phrases in FREE.acts.values()
    for phrase in phrases
    for word in phrase.split()[:1]
    if len(phrase.split()) == 1
)


def _is_kind(word: str, element: Element) -> float:
    role = KINDS.get(word)
    if role is None:
        return 0.0
    if role == "field":
        return float(element.editable or element.role in VOCABULARY.sets["FIELD"])
    if role == "list":
        return float(bool(element.options) or element.role in VOCABULARY.sets["LIST"])
    if role == "icon":
        return float(element.role in ("img", "image") or not element.text)
    return float(element.role == role or element.role in VOCABULARY.families.get(role, ()))


def ranked(phrase: Phrase, elements: Sequence[Element], surroundings: Surroundings) -> list[Naming]:
    """Return how elements are named by a phrase, best first, without those that are not."""
    namings = [surroundings.name(phrase, element) for element in elements]
    return sorted((n for n in namings if n.score > 0), key=lambda n: -n.score)
