"""Which of several things a sentence speaks of: one by its name, all of them, or so many of them.

A thing is a record: a row, a card or an item of a list, with its texts, buttons and boxes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.words import FREE, stem, stems, word_similarity
from sparring_plugins.web.pages.controls import is_a_box, takes_clicks
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import SAME
from sparring_plugins.web.pages.weak.checks.measures import is_called
from sparring_plugins.web.pages.weak.checks.records import Record, Slot, find_record, read_records
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_LONGEST_NAME = 7
_MOST_LETTERS = 80
_MODAL = re.compile(
    r"^(?:[a-z][a-z-]*(?: [a-z][a-z-]*)? )?(?:can|could|may)"
    r"(?P<no>not|n't| not| no longer)?(?: (?:still|now|also|again|only))* be (?P<verb>[a-z]+)"
    r"(?P<more>(?: (?!by\b|before\b|after\b|until\b)[a-z]+){1,4}?)??"
    r"(?: (?:any ?more|any longer|again|yet|now))?$",
    re.I,
)
_LEAD = re.compile(r"^(?:that )?(?:the |an? |our |my )?", re.I)
#: "the booking of the Chess Club", "the order placed by Ida": what kind of thing stands in front
_KIND = re.compile(
    r"^[a-z][a-z-]* (?:(?:made|placed|sent|written|filed|created) )?"
    r"(?:of|by|for|from|called|named) (?:the )?"
)


@dataclass(frozen=True)
class Things:
    """The records of one group, with the controls of each."""

    group: Collection
    records: tuple[Record, ...]
    page: PageContent

    def controls_of(self, record: Record) -> tuple[Element, ...]:
        """Return the buttons, links and boxes of a record."""
        return tuple(self._controls.get(record.item.element or record.item.text, ()))

    @cached_property
    def _controls(self) -> dict[str, list[Element]]:
        """The controls by the element of the row or item around them, else by the row's text."""
        keys = {record.item.element or record.item.text for record in self.records}
        found: dict[str, list[Element]] = {}
        for element in self.page.elements:
            if not (takes_clicks(element) or is_a_box(element)):
                continue
            holders = (element.id, *(holder.id for holder in self.page.layout.above(element)))
            for key in keys & {*holders, element.row}:
                found.setdefault(key, []).append(element)
        return found

    def texts_of(self, record: Record) -> tuple[Slot, ...]:
        """Return what a record says, without the names of its buttons: 'Approve' is no state."""
        names = [plain(e.name or e.text) for e in self.controls_of(record) if e.role == "button"]
        return tuple(slot for slot in record.slots if not _is_made_of(names, slot.text))

    @cached_property
    def grid(self) -> tuple[tuple[str, ...], ...]:
        """The texts of each record if all have equally many, so that each place compares."""
        rows = tuple(tuple(slot.text for slot in self.texts_of(r)) for r in self.records)
        return rows if len({len(row) for row in rows}) == 1 else ()

    def box_of(self, record: Record) -> Element | None:
        """Return the only box of a record."""
        boxes = [e for e in self.controls_of(record) if is_a_box(e)]
        return boxes[0] if len(boxes) == 1 else None


def _is_made_of(names: Sequence[str], text: str) -> bool:
    rest = plain(text)
    for name in sorted(filter(None, names), key=len, reverse=True):
        rest = rest.replace(name, " ")
    return not rest.strip()


def find_things(page: PageContent) -> tuple[Things, ...]:
    """Return the groups of a page that have several records, or are tables."""
    return tuple(
        Things(group, records, page)
        for group in page.collections
        if (records := read_records(group, page)) and (len(records) > 1 or group.kind == "table")
    )


@dataclass(frozen=True)
class Claim:
    """What is said behind the name of one record."""

    record: Record
    rest: str


def claims_of(text: str, things: Things) -> Iterator[Claim]:
    """Yield what is said of the record with whose name a sentence begins: "Ida brings 9 guests".

    Also behind what kind of thing it is, "the booking of Ida", and before it, "Ida's booking",
    "the Kitchen booking". A name is the whole text of a cell or line, so that nothing else can be
    meant; else all the words that name a record and no other: "ordering the chairs" of the line
    "Order chairs".
    """
    bare = _LEAD.sub("", text.strip(), count=1)
    for start in (bare, _KIND.sub("", bare, count=1), _without_noun(bare, things)):
        words = start.split()
        for size in range(min(len(words) - 1, _LONGEST_NAME), 0, -1):
            written = " ".join(words[:size])
            names = (_POSSESSIVE.sub("", written), written)
            record = next((r for name in names if (r := _named(name, things.records))), None)
            if record is not None:
                yield Claim(record, _without_kind(" ".join(words[size:])))
                return
    if (gerund := _GERUND.match(bare)) is not None:
        record, _ = find_record(gerund["name"], things.records)
        if record is not None:
            yield Claim(record, gerund["rest"])


#: "order 1013", "room Oak": the noun says only what kind of thing it is.
_NOUN_FIRST = re.compile(
    r"^(?P<noun>[A-Za-z][a-z-]+)(?: (?:number|no\.?|called|named))? #?(?=[A-Z\d])"
)


def _without_noun(text: str, things: Things) -> str:
    match = _NOUN_FIRST.match(text)
    if match is None or not is_called(match["noun"].lower(), things.group, things.page.headings):
        return text
    return text[match.end() :]


_POSSESSIVE = re.compile(r"(?:'s|s'|’s)$")
_GERUND = re.compile(
    r"^(?P<name>[a-z]+ing\b.+?) (?P<rest>(?:is|are|was|has been|have been) .+)$", re.I
)
_VERBS = re.compile(
    r"^(?:is|are|was|were|has|have|had|can|cannot|can't|could|may|does|do|did|offers?|shows?|"
    r"costs?|holds?|seats?|[a-z]+(?:s|ed|t)) ",
)
_NOUN_AND_VERB = re.compile(
    r"^[a-z][a-z-]* (?=(?:is|are|was|were|has|have|can|cannot|can't|may|costs?|does)\b)"
)


def _without_kind(rest: str) -> str:
    """Return "has been approved" of "booking has been approved": a noun before the verb."""
    match = _NOUN_AND_VERB.match(rest)
    return rest[match.end() :] if match and not _VERBS.match(rest[: match.end()]) else rest


_SHORTEST_BEGINNING = 3


def _named(name: str, records: Sequence[Record]) -> Record | None:
    key = plain(name).strip(" .,")
    if not key or len(key) < 2 or len(key) > _MOST_LETTERS or key in FREE.stop:
        return None
    whole = _records_called(key, name.strip(), records)
    return whole[0] if len(whole) == 1 else None


def _records_called(key: str, name: str, records: Sequence[Record]) -> list[Record]:
    whole = [record for record in records if record.named(key)]
    # "09:30 Tom Haas missed": a line of several parts has the name between others
    if not whole and re.fullmatch(r"[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)+", name):
        whole = [record for record in records if record.has_part(key)]
    if not whole and len(key) >= _SHORTEST_BEGINNING:
        # "the choir" of the entry 'Choir practice'
        whole = [r for r in records if any(plain(x.text).startswith(f"{key} ") for x in r.slots)]
    return whole


@dataclass(frozen=True)
class Quantity:
    """How many things a sentence is about: all, none, only these, or a number."""

    kind: str
    number: int
    noun: str
    rest: str


_QUANTITY = re.compile(
    r"^(?:that )?(?P<how>only|just|every|each(?: of)?|all(?: of)?(?: \w+(?= ))?|both|none of|no"
    r"|(?:exactly |only )?\w+(?: of)?)"
    r"(?: (?:the|these|those|them|our))*(?: (?P<noun>(?:[\w-]+ ){0,2}?[\w-]+))??"
    r" (?P<rest>(?:is|are|was|were|has|have|can|cannot|can't|may|offers?|shows?|costs?)\b.*)$",
    re.I,
)


def quantity_of(text: str) -> Quantity | None:
    """Return how many things a sentence speaks of: "two rooms are step-free", "every row has"."""
    match = _QUANTITY.match(text.strip())
    if match is None:
        return None
    how = re.sub(r" of$", "", match["how"].lower())
    noun = (match["noun"] or "").lower()
    if how.startswith(("every", "each", "all")) or how == "both":
        return Quantity("all", 0, noun, match["rest"])
    if how in ("none", "no"):
        return Quantity("none", 0, noun, match["rest"])
    number = read_number(how.removeprefix("exactly ").removeprefix("only "))
    if number is not None and number == int(number) and number > 0:
        return Quantity("number", int(number), noun, match["rest"])
    return Quantity("only", 0, noun, match["rest"]) if how in ("only", "just") else None


@dataclass(frozen=True)
class Ability:
    """That something can be done with a thing: "can be approved", "cannot be booked any more"."""

    verb: str
    denies: bool
    more: str = ""


def ability_of(rest: str) -> Ability | None:
    """Return what can be done, or cannot, by what is said behind a name."""
    text = re.sub(r"\b(?:cannot|can't)\b", "can not", rest.strip(), flags=re.I)
    match = _MODAL.match(text)
    if match is None:
        return None
    return Ability(match["verb"].lower(), bool(match["no"]), (match["more"] or "").strip().lower())


def control_for(verb: str, controls: Sequence[Element], more: str = "") -> Element | None:
    """Return the only control whose name begins with a verb: "Book now" of "can be booked".

    With more behind it, the name has that, too: "Mark as paid" of "can be marked as paid".
    """
    phrase = [_base(verb), *(stem(w) for w in more.split() if _counts(w))]
    phrased = [e for e in controls if more and _says_all(phrase, plain(e.name or e.text))]
    if phrased or (more and more not in _PARTICLES):
        return phrased[0] if len(phrased) == 1 else None
    return _doing(verb, controls)


def _doing(verb: str, controls: Sequence[Element]) -> Element | None:
    wanted = _base(verb)
    firsts = [(e, name.split()[0]) for e in controls if (name := plain(e.name or e.text))]
    fitting = [
        element
        for element, first in firsts
        if _base(first) == wanted or word_similarity(first, verb) >= SAME
    ]
    return fitting[0] if len(fitting) == 1 else None


_PARTICLES = frozenset({"in", "out", "up", "off", "down", "back", "on"})


def _counts(word: str) -> bool:
    return word in _PARTICLES or word not in FREE.stop


def _says_all(wanted: Sequence[str], name: str) -> bool:
    words = [_base(word) for word in name.split() if _counts(word)]
    return bool(words) and set(words) == {_base(word) for word in wanted}


def _base(verb: str) -> str:
    """Return the base of a verb, without a doubled last letter: "cancel" for "cancelled"."""
    base = stem(FREE.participles.get(verb, verb))
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] else base


def varies(words: Sequence[str], record: Record, things: Things) -> bool:
    """Return whether other records show the state in a line in which this one shows another.

    'deposit 20 Available' and 'deposit 40 In repair' differ only behind the same words.
    """
    own = {slot.key: stems(slot.text) for slot in things.texts_of(record) if slot.key}
    for key, shown in own.items():
        lines = [
            stems(slot.text)
            for other in things.records for slot in things.texts_of(other)
            if other is not record and slot.key == key
        ]  # fmt: skip
        says = any(set(words) <= set(line) for line in lines)
        if not says or set(words) & set(shown) or len(shown) > _MOST_WORDS_OF_LINE:
            continue
        common = set(shown).intersection(*map(set, lines))
        rest = [w for w in shown if w not in common and not any(map(str.isdigit, w))]
        return 0 < len(rest) <= _MOST_OTHER_WORDS
    return False


_MOST_WORDS_OF_LINE = 7
_MOST_OTHER_WORDS = 4


def has_value_below(words: Sequence[str], record: Record, things: Things) -> bool | None:
    """Return whether the cell below 'Plot' says 'Small', for "has the small plot".

    It does not if another record has just these words there. Without such a column, or with a value
    that no record has, nobody knows.
    """
    columns = {head for head, _ in record.item.cells if stems(head) == tuple(words[-1:])}
    value = set(words[:-1])
    if not value or len(columns) != 1:
        return None
    (column,) = columns
    shown = [set(stems(text)) for head, text in record.item.cells if head == column]
    if any(value == words_shown for words_shown in shown):
        return True
    elsewhere = (
        set(stems(text)) for other in things.records for head, text in other.item.cells
        if head == column
    )  # fmt: skip
    return False if value in elsewhere else None
