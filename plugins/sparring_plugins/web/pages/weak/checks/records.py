"""What each row, item or card of a page is made of: short texts, each in a slot of its own.

Slots with one key are comparable between siblings: a column of a table, or the link of one class
that each card has.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.words import FREE, content, stem, stems
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import is_within
from sparring_plugins.web.pages.weak.page.page_content import Collection, Item, PageContent

_MOST_WORDS = 80
_LONGEST_SLOT = 160
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)|(?<!\d)\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.,])\d+[.,]\d\d?(?![\d.,]|-\d)")


@dataclass(frozen=True)
class Slot:
    """A short text of a record, and which of its parts it is."""

    text: str
    key: str

    def holds(self, value: str) -> bool:
        """Return whether the text is a value, or has it as whole words."""
        if plain(self.text) == plain(value):
            return True
        return is_within(value, self.text) and not self._has_other_sign(value)

    def _has_other_sign(self, value: str) -> bool:
        negative = re.search(rf"[-−–]\s?[£$€]?{re.escape(value)}(?!\d)", self.text)
        return bool(value[:1].isdigit() and negative)


@dataclass(frozen=True)
class Record:
    """One of several things with its slots, in order."""

    item: Item
    slots: tuple[Slot, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return frozenset(word for slot in self.slots for word in stems(slot.text))

    def named(self, name: str) -> bool:
        """Return whether a slot is just the name."""
        return any(plain(slot.text) == plain(name) for slot in self.slots)

    def has_part(self, name: str) -> bool:
        """Return whether a slot has the name somewhere."""
        return any(contains(name, slot.text) for slot in self.slots)

    def holds(self, value: str) -> bool:
        """Return whether a slot has a value."""
        return any(slot.holds(value) for slot in self.slots)

    def of_shape(self, value: str) -> tuple[str, ...]:
        """Return all dates of the record if the value is one, or all decimals."""
        text = "\n".join(slot.text for slot in self.slots)
        for shape in (_DATE, _DECIMAL):
            if shape.fullmatch(value.strip()):
                return tuple(shape.findall(text))
        return ()


def read_records(group: Collection, page: PageContent) -> tuple[Record, ...]:
    """Return the records of a table, list or group of cards; none if its items are whole pages."""
    records = tuple(
        Record(item, tuple(dict.fromkeys(_slots(group, item, page)))) for item in group.data
    )
    if any(len(record.item.words) > _MOST_WORDS for record in records):
        return ()
    return _split_lines(records)


#: "09:30 – Yoga with Mara (Main hall)": the signs between the parts of a line
_BETWEEN_PARTS = re.compile(r"\s+[-–—|·•/]\s+|\s*[·•|;]\s*|\s*,\s+|\s*\((?=[^()]*\)$)|\)$|:\s+")


def _split_lines(records: tuple[Record, ...]) -> tuple[Record, ...]:
    """Return records of one line each by the parts of these lines, if all have equally many."""
    if all(len(record.slots) > 1 for record in records):
        return tuple(replace(r, slots=tuple(_split_at_dots(r.slots))) for r in records)
    if len(records) < _FEWEST_ALIKE or any(len(record.slots) != 1 for record in records):
        return records
    lines = [
        tuple(part for part in _BETWEEN_PARTS.split(record.slots[0].text) if part.strip())
        for record in records
    ]
    if len({len(parts) for parts in lines}) != 1 or len(lines[0]) < _FEWEST_ALIKE:
        return records
    return tuple(
        Record(record.item, tuple(Slot(part.strip(), f"part {i}") for i, part in enumerate(parts)))
        for record, parts in zip(records, lines, strict=True)
    )


_FEWEST_ALIKE = 2
_DOTS = re.compile(r"\s*[·•|]\s*")


def _split_at_dots(slots: Sequence[Slot]) -> Iterator[Slot]:
    """Yield the parts of "Large · wood", each with a key of its own."""
    for slot in slots:
        parts = [part for part in _DOTS.split(slot.text) if part.strip()]
        if len(parts) < _FEWEST_ALIKE:
            yield slot
        else:
            yield from (Slot(part, f"{slot.key} {i}") for i, part in enumerate(parts))


def _slots(group: Collection, item: Item, page: PageContent) -> Iterator[Slot]:
    if group.kind == "table":
        for index, (_, text) in enumerate(item.cells):
            yield from (Slot(line, str(index)) for line in text.split("\n") if line.strip())
        return
    for element in _parts(item, page):
        text = element.text or element.alternative
        if element.role not in ("text", "img", "image") or not text or len(text) > _LONGEST_SLOT:
            continue
        holder = page.layout.by_id.get(element.parent or "")
        kind = "" if holder is None or holder.id == item.element else _kind_of(holder)
        yield from (Slot(line, kind) for line in text.split("\n") if line.strip())


def _kind_of(holder: Element) -> str:
    return f"{holder.role} {holder.attributes.get('class', '')}".strip()


def _parts(item: Item, page: PageContent) -> Sequence[Element]:
    return page.elements_in(item)


def find_record(subject: str, records: Sequence[Record]) -> tuple[Record | None, bool]:
    """Return the only record that a subject names: by a whole slot, a part, or all its words.

    Also whether it is a whole slot, so that nothing else can be meant.
    "the topic 'Oak'", "the lamp of Ida": what stands in front may only say what kind of thing it
    is.
    """
    for name in _names_of(subject):
        whole = [r for r in records if r.named(name)]
        partly = [r for r in records if r.has_part(name)]
        if whole or partly:
            return _only(whole or partly), bool(whole)
    # "the state of the order": no record is called so
    return None if " of " in subject else _by_words(subject, records), False


def _by_words(subject: str, records: Sequence[Record]) -> Record | None:
    known = frozenset(word for record in records for word in record.stems)
    words = {stem(w) for w in content(subject)} & known
    return _only([r for r in records if words and words <= r.stems])


def _only(records: Sequence[Record]) -> Record | None:
    return records[0] if len(records) == 1 else None


_NOUN = re.compile(r"^(?i:the |an? |its )?(?:[a-z][a-z-]* ){1,2}(?=[A-Z\d])")
_ARTICLE = re.compile(r"^(?:that )?(?:the |an? |its |our |my )?", re.I)


def _names_of(subject: str) -> Iterator[str]:
    bare = _ARTICLE.sub("", subject.strip(), count=1).strip()
    if bare and bare.lower() not in FREE.stop:
        yield bare
    if shorter := _NOUN.sub("", subject.strip(), count=1).strip():
        yield shorter
