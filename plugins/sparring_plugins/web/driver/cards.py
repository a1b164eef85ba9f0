"""Cards, articles and sections: the parts of a page that repeat, and what each of them says.

A collection is several alike parts side by side: list items, articles, rows of a table, cards that
their author made of plain elements, or sections under headings of one level. A card has a title, a
price, a date, a link, an image and a text as far as they are there once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from pydantic import BaseModel, ConfigDict

from sparring.model.page import Element, PageSnapshot
from sparring_plugins.language.candidates import ValueCandidate, date_spans
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import contains, plain

_HOLDERS = frozenset({"listitem", "article", "row", "treeitem"})
_CONTROLS = frozenset({"button", "combobox", "listbox", "option", "textbox", "checkbox", "radio"})
_CELLS = frozenset({"cell", "gridcell", "rowheader"})
#: A line about a card, such as "Posted on 3 May 2026 by Ada", not a paragraph of its text.
_LONGEST_LINE = 80
# An article's text; comments and footers that follow it are left out by their own limits.
_MAX_TEXT = 5000
_MOST_CARDS = 500


class _Words(BaseModel):
    """The content of ``card_parts.yaml``: words for each part, and the roles that hold none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: tuple[str, ...]
    price: tuple[str, ...]
    date: tuple[str, ...]
    image: tuple[str, ...]
    link: tuple[str, ...]
    text: tuple[str, ...]
    aside: frozenset[str]

    def part(self, words: str) -> str | None:
        """Return the part that a field's name stands for, `None` for any other name."""
        # "imageUrl", "image-url" and "image_url" are two words.
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", words)
        names = plain(spaced).split()
        for size in (2, 1):
            last = " ".join(names[-size:])
            for part in ("image", "title", "price", "date", "link", "text"):
                if len(names) >= size and last in getattr(self, part):
                    return part
        return None


WORDS = _Words.model_validate(bundled_yaml("sparring_plugins.web.driver", "card_parts.yaml"))


@dataclass(frozen=True)
class Part:
    """A value of a card, with the element that it was read from."""

    text: str
    element: str
    by: str


@dataclass(frozen=True)
class _Piece:
    """A piece of text of a card, with the roles around it inside of the card."""

    text: str
    element: Element
    roles: frozenset[str]
    heading: str = ""


@dataclass(frozen=True)
class Card:
    """One of several alike parts of a page: its elements in reading order.

    `is_page` means that it is all of the page, on which the first picture may be a logo.
    """

    elements: tuple[Element, ...]
    layout: Layout
    is_page: bool = False

    @cached_property
    def parts(self) -> Mapping[str, Part]:
        """What the card says, by the names of parts; what it says in two ways is left out."""
        title = self._title()
        found = {
            "title": title,
            "price": self._price(),
            "date": self._date(),
            "link": self._link(title),
            "image": self._image(),
            "text": self._text(title),
        }
        return {name: part for name, part in found.items() if part is not None}

    @cached_property
    def labelled(self) -> Mapping[str, Part]:
        """The values that have a label: ``Author: Ada``, and the cells of a table's row."""
        values: dict[str, Part] = {}
        for element in self.elements:
            if element.role in _CELLS and element.column and element.visible:
                text = " ".join((element.text or element.name).split())
                if text:
                    part = Part(text, element.id, f"column '{element.column}'")
                    values.setdefault(element.column, part)
        for piece in self._pieces:
            label, colon, text = piece.text.partition(":")
            # "https://..." and "10:30" are no labels.
            is_label = bool(colon) and label.strip()[-1:].isalpha() and text[:1] in (" ", "\n")
            if is_label and text.strip() and len(label) <= 40:
                part = Part(text.strip(), piece.element.id, f"text after '{label}:'")
                values.setdefault(label.strip(), part)
        return values

    @cached_property
    def words(self) -> str:
        """The whole text of the card, in which quoted words are looked for."""
        return " ".join(piece.text for piece in self._pieces)

    @cached_property
    def _pieces(self) -> tuple[_Piece, ...]:
        inside = {element.id for element in self.elements}
        pieces: list[_Piece] = []
        for element in self.elements:
            text = " ".join(element.text.split())
            if element.role != "text" or not element.visible or not text:
                continue
            above = [a for a in self.layout.above(element) if a.id in inside]
            heading = next((a.id for a in above if a.role == "heading"), "")
            pieces.append(_Piece(text, element, frozenset(a.role for a in above), heading))
        return tuple(pieces)

    def _title(self) -> Part | None:
        heading = next((p for p in self._pieces if p.heading), None)
        if heading is not None:
            text = " ".join(p.text for p in self._pieces if p.heading == heading.heading)
            return Part(text, heading.heading, "heading")
        lines = [p for p in self._pieces if not p.roles & _CONTROLS and not _is_value(p.text)]
        for role in ("rowheader", "link", "strong"):
            named = next((p for p in lines if role in p.roles), None)
            if named is not None:
                return Part(_without_amounts(named.text), named.element.id, role)
        if not lines:
            return None
        return Part(_without_amounts(lines[0].text), lines[0].element.id, "first line")

    def _price(self) -> Part | None:
        """Return the one amount of money; a price that is struck out does not count."""
        lines = [
            piece
            for piece in self._pieces
            if not (piece.heading or "deletion" in piece.roles) and len(piece.text) <= _LONGEST_LINE
        ]
        return _only_one(((p, find_money(p.text)) for p in lines), "an amount")

    def _date(self) -> Part | None:
        """Return the one date of the lines about a card; its text may name other days."""
        marked = [p for p in self._pieces if "time" in p.roles]
        if len({p.text for p in marked}) == 1:
            return Part(marked[0].text, marked[0].element.id, "marked as a time")
        lines = [p for p in self._pieces if not marked and len(p.text) <= _LONGEST_LINE]
        return _only_one(((p, date_spans(p.text)) for p in lines), "a date")

    def _link(self, title: Part | None) -> Part | None:
        links = [e for e in self.elements if e.role == "link" and e.url and e.visible]
        if title is not None:
            named = [e for e in links if plain(title.text) in plain(e.name or e.text)]
            links = named or links
        addresses = {e.url for e in links}
        if len(addresses) != 1:
            return None
        return Part(links[0].url or "", links[0].id, "link")

    def _image(self) -> Part | None:
        images = [e for e in self.elements if e.visible and e.attributes.get("src")]
        if self.is_page and len({e.attributes["src"] for e in images}) > 1:
            return None
        return Part(images[0].attributes["src"], images[0].id, "image") if images else None

    def _text(self, title: Part | None) -> Part | None:
        left = [
            piece
            for piece in self._pieces
            if not piece.heading
            and not piece.roles & {"link", *_CONTROLS}
            and not _is_value(piece.text)
            and not (title is not None and piece.element.id == title.element)
        ]
        if not left:
            return None
        # Of prose its paragraphs, of a card the line that says most.
        long = [p for p in left if len(p.text) > _LONGEST_LINE] or [
            max(left, key=lambda p: len(p.text))
        ]
        text = "\n\n".join(p.text for p in long)[:_MAX_TEXT]
        return Part(text, long[0].element.id, "text")


@dataclass(frozen=True)
class Collection:
    """Alike parts of a page; `kind` is what they are, `place` the names around them."""

    kind: str
    cards: tuple[Card, ...]
    place: tuple[str, ...] = ()
    aside: bool = False

    @property
    def richness(self) -> float:
        """How many values its cards have on average."""
        values = sum(len({*card.parts, *card.labelled}) for card in self.cards)
        return values / max(1, len(self.cards))

    def about(self, instruction: str) -> bool:
        """Return whether an instruction names the place: "the latest news" and a list *News*."""
        words = plain(instruction)
        return any(name and contains(plain(name), words) for name in self.place)


@dataclass
class PageStructure:
    """The collections of a page and, for prose, its content as one card."""

    snapshot: PageSnapshot
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        self.layout = Layout(self.snapshot)

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        """Every collection of at least two cards, each once, in no order of importance."""
        found = [*self._held(), *self._beside(), *self._sections()]
        distinct: dict[tuple[str, ...], Collection] = {}
        for collection in found:
            titles = tuple(
                card.parts["title"].text if "title" in card.parts else ""
                for card in collection.cards
            )
            if any(titles) and titles not in distinct:
                distinct[titles] = collection
        return tuple(distinct.values())

    def best(self, instruction: str) -> Collection | None:
        """Return the collection that the instruction names, or the one that says most."""
        candidates = [c for c in self.collections if not c.aside and c.richness > 1]
        candidates = [c for c in candidates if c.about(instruction)] or candidates
        return max(candidates, key=lambda c: (c.richness, len(c.cards)), default=None)

    def whole(self) -> Card:
        """Return the content of a page of prose as one card: the article, main, or all of it."""
        visible = [e for e in self.snapshot.elements if e.visible]
        for role in ("article", "main"):
            holders = [e for e in visible if e.role == role]
            if len(holders) == 1:
                return replace(self._card(self._inside(holders[0])), is_page=True)
        own = self._card(e for e in visible if not self._is_aside(e))
        return replace(own, is_page=True)

    def _held(self) -> Iterator[Collection]:
        """Yield what lies in list items, articles and rows beside others of their kind."""
        holders = [e for e in self.snapshot.elements if e.role in _HOLDERS and e.visible]
        groups: dict[tuple[str, str], list[Element]] = {}
        for holder in holders:
            is_heading = any(e.role == "columnheader" for e in self._inside(holder))
            if not (holder.role == "row" and is_heading):
                groups.setdefault((holder.parent or "", holder.role), []).append(holder)
        for (_, role), members in groups.items():
            cards = [self._card(self._inside(member)) for member in members[:_MOST_CARDS]]
            yield from self._collection(role, cards, members[0])

    def _beside(self) -> Iterator[Collection]:
        """Yield cards of plain elements: what lies in one has the text of the card as its row."""
        groups: dict[str, list[list[Element]]] = {}
        for row, run in groupby(self.snapshot.elements, key=lambda e: e.row):
            for elements in _split_repeated(list(run)) if row else ():
                inside = {e.id for e in elements}
                top = next((e for e in elements if e.parent not in inside), elements[0])
                groups.setdefault(top.parent or "", []).append(elements)
        for runs in groups.values():
            cards = [self._card(elements) for elements in runs[:_MOST_CARDS]]
            yield from self._collection("card", cards, runs[0][0])

    def _sections(self) -> Iterator[Collection]:
        """Yield what stands under headings of one level beside each other."""
        elements = self.snapshot.elements
        groups: dict[tuple[str, int], list[Element]] = {}
        for element in elements:
            if element.role == "heading" and element.visible:
                groups.setdefault((element.parent or "", element.level or 2), []).append(element)
        for (parent, level), members in groups.items():
            starts = [self.layout.order[member.id] for member in members]
            # A picture above each heading belongs to the heading below it.
            if all(start and elements[start - 1].role == "img" for start in starts):
                starts = [start - 1 for start in starts]
            ends = [*starts[1:], len(elements)]
            cards = [
                self._card(self._section(start, end, parent, level))
                for start, end in zip(starts, ends, strict=True)
            ]
            yield from self._collection("section", cards, members[0])

    def _section(self, start: int, end: int, parent: str, level: int) -> Iterator[Element]:
        """Yield the elements from a heading to the next of its level or above, in its parent."""
        own = False
        for element in self.snapshot.elements[start:end]:
            is_heading = element.role == "heading"
            if is_heading and own and (element.level or 2) <= level:
                return
            own = own or is_heading
            above = {a.id for a in self.layout.above(element)}
            if parent and parent not in above:
                return
            yield element

    def _collection(self, kind: str, cards: Sequence[Card], first: Element) -> Iterator[Collection]:
        filled = tuple(card for card in cards if card.elements and card.words)
        if len(filled) < 2:
            return
        names = tuple(a.name for a in self.layout.above(first) if a.name and a.role != "row")
        yield Collection(kind, filled, (*first.region[-2:], *names[:2]), self._is_aside(first))

    def _is_aside(self, element: Element) -> bool:
        return element.role in WORDS.aside or any(
            above.role in WORDS.aside for above in self.layout.above(element)
        )

    def _inside(self, holder: Element) -> Iterator[Element]:
        """Yield the visible elements in a holder."""
        ids = {holder.id}
        for element in self.snapshot.elements[self.layout.order[holder.id] + 1 :]:
            if element.parent in ids:
                ids.add(element.id)
                if element.visible:
                    yield element
            elif element.frame == holder.frame:
                return

    def _card(self, elements: Iterable[Element]) -> Card:
        return Card(tuple(elements), self.layout)


def _only_one(found: Iterable[tuple[_Piece, Sequence[ValueCandidate]]], by: str) -> Part | None:
    """Return the one value of some pieces of text, `None` if there are several that differ."""
    parts: dict[str, Part] = {}
    for piece, candidates in found:
        for candidate in candidates:
            parts.setdefault(candidate.text, Part(candidate.text, piece.element.id, by))
    return next(iter(parts.values())) if len(parts) == 1 else None


def _split_repeated(run: Sequence[Element]) -> Iterator[list[Element]]:
    """Split elements of equal cards that stand beside each other, such as the same tea twice."""
    first = (run[0].role, run[0].name, run[0].text)
    current: list[Element] = []
    for element in run:
        if current and (element.role, element.name, element.text) == first:
            yield current
            current = []
        current.append(element)
    yield current


def _without_amounts(line: str) -> str:
    """Return the name in a line such as ``Assam 4.80 €``."""
    for money in reversed(find_money(line)):
        line = line[: money.start] + line[money.end :]
    return " ".join(line.split()).strip(" -\u2013\u2014:,|") or line


def _is_value(text: str) -> bool:
    """Return whether a text is nothing but an amount or a date: no name of anything."""
    spans = [*find_money(text), *date_spans(text)]
    return any(plain(span.text) == plain(text) for span in spans)
