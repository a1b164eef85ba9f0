"""A general reading: the smallest part of a page that has all terms of a statement.

A part is a line of text, a label with its value, a row, a card or an item. "The night guard is
called Olaf Brandt" is true of the line 'Night guard: Olaf Brandt', whatever the verb. It is false
only if the same part is found by all its other terms and has another value of the same shape at its
place: another number beside the same words, another name behind the same label.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    described,
    has_phrase,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    SAME,
    WeakAnswer,
    answer,
    is_within,
    literals,
)
from sparring_plugins.web.pages.weak.page.page_content import NOTHING, Fact, Item, PageContent

_LONGEST_PART = 30
"""Words of the longest part: in a longer one, words of different things stand together."""
_LONGEST_THING = 60
_LONGEST_LABEL = 3
_ALIKE = 0.7
"""Also words that begin alike: "permanently" of 'Permanent'. All words of a part have to fit."""
_EMPTY = (
    FREE.stop | FREE.statements | FREE.places | FREE.rows | FREE.tables | FREE.saying
    | FREE.showing | FREE.appearing | FREE.neutral | FREE.negations | FREE.part_fillers
)  # fmt: skip
#: "7 of 9 kg, due 3 May (Monday)": what stands between these signs is said of one thing.
_BETWEEN = re.compile(r"\s[·•|–—]\s|;|\n|,\s|[.!?](?:\s|$)|(?<=[a-z]{3})\)\s")
_UNITS = {name: group for group in FREE.units for name in group}
#: A number with the sign that says what it measures; parts of dates, times and codes are none.
#: A unit may follow without a blank: "52b", "14px".
_NUMBER = re.compile(
    r"(?<![\w.,:/#-])[£$€¥]?\d+(?:[.,]\d+)*"
    rf"(?!(?!(?:{'|'.join(group[0] for group in FREE.units)})\b)[\w:/-]|[.,]\d)\s?[%£$€¥]?",
    re.I,
)
_ADDRESS = re.compile(r"\S+@\S+|\w+://\S+|\S+\.\w+/\S*")
_ZERO = re.compile(r"\bno (?=[a-z])", re.I)
#: "has the small plot" is not shown by a plot; "has a new plot" speaks of time.
_LIKE_IT = FREE.describing - {"new"}


@dataclass(frozen=True)
class Said:
    """The terms of a statement or of half of it: literal texts, numbers with signs, and words."""

    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of terms."""
        return len(self.names) + len(self.numbers) + len(self.words)

    def __add__(self, other: "Said") -> "Said":
        names, numbers = self.names + other.names, self.numbers + other.numbers
        return Said(names, numbers, self.words + other.words)


@dataclass(frozen=True)
class Part:
    """A text of the page that speaks of one thing, and the words around it that name the thing."""

    text: str
    around: str = ""

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers in its text, as they are written."""
        return tuple(text.strip() for text in _NUMBER.findall(self.text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its text, without those of addresses."""
        return split_words(_ADDRESS.sub(" ", self.text))

    @cached_property
    def pieces(self) -> "tuple[Part, ...]":
        """What its lines and sentences say, each by itself."""
        return tuple(Part(text) for text in _BETWEEN.split(self.text) if text.strip())

    def has_word(self, word: str) -> bool:
        """Return whether its text has a word, or what means the same, as 'h' for "hours"."""
        unit = _UNITS.get(word, ())
        return any(word_similarity(word, o) >= _ALIKE or o in unit for o in self.words)

    def has_number(self, number: str) -> bool:
        """Return whether its text has a number of the same sign and value."""
        return any(_is_same_number(number, other) for other in self.numbers)

    def has(self, said: Said) -> bool:
        """Return whether its text has all terms."""
        return (
            all(contains(name, self.text) for name in said.names)
            and all(map(self.has_number, said.numbers))
            and all(map(self.has_word, said.words))
        )


def _sign_of(number: str) -> str:
    return re.sub(r"[\d.,\s]", "", number)


def _is_same_number(said: str, shown: str) -> bool:
    return _sign_of(said) == _sign_of(shown) and read_number(said) == read_number(
        shown.replace(" ", "")
    )


@dataclass(frozen=True)
class Claim:
    """A statement in two halves: what names the thing, and the value that it is to have.

    `by` says that who does it is named behind the verb: "was paid by Ida".
    """

    thing: Said
    value: Said
    denies: bool
    by: bool = False

    @property
    def whole(self) -> Said:
        """The terms of both halves."""
        return self.thing + self.value


def read_part(s: Statement, page: PageContent) -> WeakAnswer | None:
    """``The guard is called Olaf Brandt``: the part of the page that has all terms."""
    claim = None if _relates(s) else _claim_of(s)
    if claim is None or not claim.value.size or claim.whole.size < _FEWEST_TERMS:
        return None
    if (labelled := _read_preposition(s, page)) is not None:
        return labelled
    theme = _theme_of(page)
    for part in _parts(page):
        if _agrees_on_doer(part, claim) and _shows(part, claim, theme):
            return answer("part", True, f"'{_short(part.text)}' has all of it")
    return None if claim.denies else _read_otherwise(claim, page, theme)


_FEWEST_TERMS = 2


def _short(text: str) -> str:
    return " ".join(text.split())[:80]


def _relates(s: Statement) -> bool:
    """Return whether a statement is about an order, a limit or a change, and not about one part."""
    words = set(split_words(re.sub(r"⟦\d+⟧", " ", s.low)))
    relating = words & (FREE.relating - FREE.negations - {"left", "right", "like", "inside"})
    changes = has_phrase(s.low, FREE.absence) or words & FREE.changing_words
    return bool(relating or changes) or bool(s.position) or s.comparison != "=="


def _claim_of(s: Statement) -> Claim | None:
    text = _ZERO.sub("0 ", s.text)  # "has no likes" is "has 0 likes"
    denies = bool(set(split_words(text)) & FREE.negations) or "n't" in text
    halves = (s.subject, s.complement) if s.verb and s.subject else _split_at_name(text)
    thing, value = (_said_by(s, _ZERO.sub("0 ", half)) for half in halves)
    if not value.size and thing.numbers and not thing.names:
        thing, value = Said(), thing  # "Four dog walks are shown" is "there are four dog walks"
    return Claim(thing, value, denies, by=" by " in f"{text} ")


#: "Wet oil got 40%", "⟦0⟧ weighs 3 kg": the verb is not known, the name in front of it is.
_NAME_IN_FRONT = re.compile(
    r"(?:the )?(⟦\d+⟧|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*(?: [a-z]+)?) (?=[a-z]+ )"
)


def _split_at_name(text: str) -> tuple[str, str]:
    match = _NAME_IN_FRONT.match(text)
    return (match[1], text[match.end() :].partition(" ")[2]) if match else ("", text)


def _said_by(s: Statement, text: str) -> Said:
    names = _names_in(s, text)
    numbers = tuple(n.strip() for n in _NUMBER.findall(re.sub(r"⟦\d+⟧", " ", text)))
    texts = tuple(n for n in names if read_number(n) is None and n not in numbers)
    rest = re.sub(r"⟦\d+⟧", " ", text)
    for name in (*texts, *numbers):
        rest = rest.replace(name, " ")
    spelt = tuple(FREE.numbers[w] for w in split_words(rest) if w in FREE.numbers)
    said = (w for w in described(rest) if w in _LIKE_IT or w not in _EMPTY)
    words = [w for w in said if w not in FREE.numbers]
    return Said(texts, numbers + spelt, tuple(dict.fromkeys(words)))


def _names_in(s: Statement, text: str) -> list[str]:
    """Return the literal texts of half a statement, "Ida" for "Ida's"."""
    names = [n for n in literals(s, f"a {text}") if n.lower() not in FREE.stop | FREE.naming]
    return [n if n in s.quoted else _POSSESSIVE.sub("", n) for n in names]


def _theme_of(page: PageContent) -> frozenset[str]:
    """Return the stems that the page is about: they name no part of it."""
    title = page.view.snapshot.title
    tops = [e.name or e.text for e in page.elements if e.role == "heading" and e.level == 1]
    return frozenset(stem(word) for text in (title, *tops) for word in split_words(text))


def _parts(page: PageContent) -> Iterator[Part]:
    """Yield the parts of a page, the smallest first."""
    for fact in page.facts:
        if not fact.is_entered and fact.value != NOTHING and not _denies_heading(fact.value):
            yield Part(f"{fact.label} {fact.value}", fact.row)
    for element in page.elements:
        if element.role == "text" and len(element.text.split()) <= _LONGEST_PART:
            yield Part(element.text, " ".join((*element.region[-1:], element.row)))
    for group in page.collections:
        for item in group.items:
            if len(item.words) <= _LONGEST_PART:
                yield Part(_text_of(item), " ".join(group.names))


def _text_of(item: Item) -> str:
    """Return the text of a row with the heading of each cell before it."""
    cells = [(head, cell) for head, cell in item.cells if not _denies_heading(cell)]
    return "\n".join(f"{head} {cell}" for head, cell in cells) if item.cells else item.text


def _denies_heading(cell: str) -> bool:
    """Return whether a cell says that its heading does not hold: 'No', or nothing, below 'Paid'."""
    return plain(cell).strip(" .") in ("", "no", "false", "✗", "✘")


def _lines_of(item: Item, page: PageContent) -> str:
    """Return the texts of an item, each in a line of its own."""
    if item.cells:
        return _text_of(item)
    texts = (e.text for e in page.elements_in(item) if e.role == "text")
    return "\n".join(texts) or item.text


def _shows(part: Part, claim: Claim, theme: frozenset[str]) -> bool:
    """Return whether a part has the value, and what names the thing in it or around it."""
    around = Part(f"{part.around} {part.text}")
    words = tuple(w for w in claim.thing.words if stem(w) not in theme)
    thing = Said(claim.thing.names, claim.thing.numbers, words)
    if not around.has(thing) or not part.has(claim.value) or not _is_alike(claim, part.text):
        return False
    value = claim.value
    if value.size == 1 and not set(value.words) <= set(part.words):
        return False  # "is open" is not shown by 'Opening hours'
    if not (_own(value, theme) or value.names or claim.thing.names or words):
        return _counts_alone(part, claim.whole)
    return not value.numbers or _stands_beside(claim.whole, part, theme)


def _counts_alone(part: Part, said: Said) -> bool:
    """Return whether a part has just the number and noun: 'Unread mails (11)' on its own page."""
    return len(said.numbers) == 1 == len(part.numbers) and _counts(part, said.words)


def _is_alike(claim: Claim, text: str) -> bool:
    """Return whether both deny or none, so that "no parcel was lost" is not shown by 'lost'."""
    denied = bool(set(plain(text).replace("'", " ").split()) & FREE.negations) or "n't" in text
    return denied == claim.denies and _CONDITION.search(text) is None


def _agrees_on_doer(part: Part, claim: Claim) -> bool:
    """Return whether what stands behind a label with "who" is the one who is said to do it.

    "Ida pays Bo" is not shown by a row with 'Who pays? Bo' and 'To whom? Ida'.
    """
    doers = claim.value.names if claim.by else claim.thing.names
    lines = [line for line in part.text.split("\n") if "who" in split_words(line)]
    others = claim.thing.names if claim.by else claim.value.names
    if not lines or not (doers and others):
        return True
    return any(contains(name, line) for name in doers for line in lines)


#: "Get an email when this is back in stock" does not say that it is in stock.
_CONDITION = re.compile(r"\b(?:if|when|whenever|until|unless|once|before|whether)\b", re.I)


def _stands_beside(said: Said, part: Part, theme: frozenset[str]) -> bool:
    """Return whether the numbers beside the words of a statement are its own numbers.

    The row 'Stops 22, Done 10' does not show that 22 stops are done.
    """
    if len(part.numbers) == 1 or not said.words:
        return True
    near = [p for p in part.pieces if p.numbers and any(map(p.has_word, _own(said, theme)))]
    shown = [number for piece in near for number in piece.numbers]
    return all(any(_is_same_number(n, x) for n in said.numbers) for x in shown) and all(
        any(_is_same_number(n, x) for x in shown) for n in said.numbers
    )


def _own(said: Said, theme: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in said.words if stem(word) not in theme)


#: "the mail is from Ida", "it is addressed to Bo": a preposition that is a label on the page
_PREPOSITION = re.compile(
    r"\b(?P<word>from|to|by|for|via) (?:the )?"
    r"(?P<value>⟦\d+⟧|\S+@\S+|[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*)$"
)


def _read_preposition(s: Statement, page: PageContent) -> WeakAnswer | None:
    """Judge "it is addressed to Bo Lind" by the label 'To:' of the thing that the page shows."""
    facts = {plain(f.label).strip(" :"): f for f in page.facts if not f.row and not f.is_entered}
    for match in _PREPOSITION.finditer(s.text):
        fact, value = facts.get(match["word"]), s.unmask(match["value"])
        if fact is None:
            continue
        reason = f"{fact.label} {fact.value[:60]}"
        if contains(value, fact.value):
            return answer("part", True, reason, denies=s.denies)
        shared = set(content(value)) & set(split_words(fact.value))
        return WeakAnswer("part", None, reason) if shared else answer(
            "part", False, reason, denies=s.denies
        )  # fmt: skip
    return None


# What is shown instead


def _read_otherwise(claim: Claim, page: PageContent, theme: frozenset[str]) -> WeakAnswer | None:
    """Judge by what stands at the place of a value: another number, or another name."""
    value = claim.value
    if len(value.numbers) == 1 and not value.names:
        for thing in _things(claim.thing, page, theme):
            return _other_number(value.numbers[0], value.words, thing.pieces, frozenset())
        if not claim.thing.names:
            pieces = list(_pieces_about(claim.thing.words, page, theme))
            words = (*claim.thing.words, *value.words) if not pieces else value.words
            every = pieces or [piece for part in _parts(page) for piece in part.pieces]
            return _other_number(value.numbers[0], words, every, theme)
    if len(value.names) == 1 and not value.numbers and not claim.thing.names:
        return _other_name(claim, page, theme)
    return None


def _pieces_about(words: Sequence[str], page: PageContent, theme: frozenset[str]) -> Iterator[Part]:
    """Yield the pieces of the parts that something around them names: a list called 'Summary'."""
    wanted = [word for word in words if stem(word) not in theme]
    for part in _parts(page):
        if wanted and all(map(Part(part.around).has_word, wanted)):
            yield from part.pieces


def _things(thing: Said, page: PageContent, theme: frozenset[str]) -> Iterator[Part]:
    """Yield the only row, card or item that a subject names: "Carla's comment about the coin"."""
    if not thing.names and not thing.words:
        return
    for group in page.collections:
        kind = Part(" ".join(group.names))
        words = tuple(w for w in thing.words if stem(w) not in theme and not kind.has_word(w))
        named = Said(tuple(_POSSESSIVE.sub("", n) for n in thing.names), thing.numbers, words)
        parts = [Part(_lines_of(i, page)) for i in group.data if len(i.words) <= _LONGEST_THING]
        having = [part for part in parts if part.has(named)]
        if named.size and len(parts) > 1 and len(having) == 1:
            yield having[0]


_POSSESSIVE = re.compile(r"['’]s?$")


def _other_number(
    number: str, words: Sequence[str], pieces: Iterable[Part], theme: frozenset[str]
) -> WeakAnswer | None:
    """Judge "this is version 8" by 'Version 7': the only piece with these words and a number."""
    own = [word for word in words if stem(word) not in theme]
    fitting = [
        piece for piece in pieces
        if len(piece.numbers) == 1 and all(map(piece.has_word, own)) and _is_short(piece)
        and (_sign_of(number) or _counts(piece, words))
        and _sign_of(piece.numbers[0]) == _sign_of(number)
    ]  # fmt: skip
    if len({piece.numbers for piece in fitting}) != 1 or not (own or _sign_of(number)):
        return None
    reason = f"'{_short(fitting[0].text)}' stands there"
    return answer("part", _is_same_number(number, fitting[0].numbers[0]), reason)


def _counts(piece: Part, words: Sequence[str]) -> bool:
    """Return whether a piece counts what the words name, and nothing else.

    'Order 17' is the name of one order, and 'Max price 100' is no price.
    """
    beside = [w for w in content(piece.text) if read_number(w) is None]
    said = all(any(word_similarity(w, word) >= SAME for word in words) for w in beside)
    text = piece.text.strip()
    in_brackets = text.endswith(f"({piece.numbers[0]})")
    return said and (text.startswith(piece.numbers[0]) or ":" in text or in_brackets)


def _is_short(piece: Part) -> bool:
    return len([w for w in piece.words if read_number(w) is None]) <= _LONGEST_LABEL + 1


def _other_name(claim: Claim, page: PageContent, theme: frozenset[str]) -> WeakAnswer | None:
    """Judge "the guard is Ida Falk" by 'Guard: Olaf Brandt': the only label that it names."""
    facts = [f for f in page.facts if not f.row and not f.is_entered and _is_label(f, claim, theme)]
    if len({plain(fact.value) for fact in facts}) != 1 or not _is_name(facts[0].value):
        return None
    name, reason = claim.value.names[0], f"{facts[0].label}: {facts[0].value[:60]}"
    if is_within(name, facts[0].value):
        return answer("part", True, reason)
    shared = set(content(name)) & set(split_words(facts[0].value))
    return None if shared else answer("part", False, reason)


def _is_label(fact: Fact, claim: Claim, theme: frozenset[str]) -> bool:
    """Return whether a claim has all words of a label, and beside them only the page's theme."""
    words, said = content(fact.label), _own(claim.whole, theme)
    label = Part(fact.label)
    return bool(words and said) and all(map(label.has_word, said)) and all(
        any(word_similarity(word, w) >= SAME for w in claim.whole.words) for word in words
    )  # fmt: skip


def _is_name(value: str) -> bool:
    return value.strip()[:1].isupper() and len(value.split()) <= _LONGEST_LABEL
