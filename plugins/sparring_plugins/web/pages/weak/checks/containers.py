"""Parts of a page that a sentence names as a place: the table, the form, the menu, the footer.

What is said to lie in such a part is looked for in that part alone: an e-mail field of the form is
not in the table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from sparring.model.page import Element
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, stems
from sparring_plugins.web.pages.text_fit import bare, contains, plain
from sparring_plugins.web.pages.weak.page.page_content import PageContent


class ContainerKind(BaseModel):
    """What a kind of container is called by people and by the markup."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nouns: tuple[str, ...]
    roles: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    any: bool = False
    marked: bool = False


class ContainerWords(BaseModel):
    """The tables of `containers.yaml`, which says what each is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kinds: dict[str, ContainerKind]
    no_names: str


_WORDS = ContainerWords.model_validate(
    bundled_yaml("sparring_plugins.web.pages.weak.checks", "containers.yaml")
)
KINDS = _WORDS.kinds
_NO_NAMES = frozenset(_WORDS.no_names.split())


@dataclass(frozen=True)
class Place:
    """A container as a sentence names it: its kind, its name, and whether that is in quotes."""

    kind: str
    name: str = ""
    quoted: bool = False

    @property
    def words(self) -> str:
        """What to call it in a reason."""
        return f"{self.kind} '{self.name}'" if self.name else self.kind


_NOUNS = sorted((n for k in KINDS.values() for n in k.nouns), key=len, reverse=True)
_BEFORE = r"(?:[\w'-]+ |⟦\d+⟧ ){0,3}?"
_JOINED = r"(?: (?:called|named|titled|labelled|labeled|of|for|with|under))"
_NAME = r"(?:⟦\d+⟧|(?:[\w-]+ ){0,3}?[\w-]+)"
_NOUN = "|".join(map(re.escape, _NOUNS))
PLACE = (
    rf"(?:(?:the|this|that|its|our|my|a) )?{_BEFORE}(?:{_NOUN})"
    rf"(?:{_JOINED} (?:the )?{_NAME}| ⟦\d+⟧)?"
)
"""A pattern of the words for a container, without groups; `read_place` says what they mean."""
_PLACE = re.compile(
    rf"(?:(?:the|this|that|its|our|my|a) )?(?P<before>{_BEFORE})(?P<noun>{_NOUN})"
    rf"(?:{_JOINED} (?:the )?(?P<behind>{_NAME})| (?P<mark>⟦\d+⟧))?",
    re.I,
)


def read_place(text: str, s: Statement) -> Place | None:
    """Return the container that the words name as a whole; None if they name something else."""
    match = _PLACE.fullmatch(text.strip())
    if match is None:
        return None
    noun = match["noun"].lower()
    kind = next(name for name, kind in KINDS.items() if noun in kind.nouns)
    before, behind = match["before"].strip(), match["behind"] or match["mark"] or ""
    if set(before.lower().split()) & _NO_NAMES:
        return None
    named = behind or before
    return Place(kind, s.unmask(named), "⟦" in named)


def find_containers(place: Place, page: PageContent) -> tuple[Element, ...]:
    """Return the visible containers that a place may mean; none if it has a name none of them has.

    A name without quotes need not be written on the page if there is one such part only: "the
    bookings table" is the only table.
    """
    found = tuple(_of_kind(place.kind, page))
    if not place.name:
        return found
    named = tuple(e for e in found if _is_named(place, e, page))
    if named or place.quoted:
        return named
    return found if len(found) == 1 else ()


def _of_kind(kind: str, page: PageContent) -> Iterator[Element]:
    found = _by_role(kind, page)
    if not found or KINDS[kind].marked:
        ids = {e.id for e in found}
        found += [e for e in _by_mark(kind, page) if e.id not in ids]
    ids = {e.id for e in found}
    for element in found:
        # a menu within a menu is a part of it
        if not any(holder.id in ids for holder in page.layout.above(element)):
            yield element


def _by_role(kind: str, page: PageContent) -> list[Element]:
    described = KINDS[kind]
    found = [e for e in page.elements if e.role in described.roles or e.tag in described.tags]
    if kind == "table":
        # a table that only arranges a form shows no data
        tables = {e.id for e in _data_tables(page)}
        return [e for e in found if e.id in tables] or found
    return [e for e in found if kind != "list" or not _is_in_menu(e, page)]


def _by_mark(kind: str, page: PageContent) -> list[Element]:
    nouns = frozenset(noun.replace(" ", "") for noun in KINDS[kind].nouns)
    return [e for e in page.elements if _is_marked(e, nouns)]


def _data_tables(page: PageContent) -> Iterator[Element]:
    for table in page.tables:
        row = page.layout.by_id.get(table.items[0].element or "") if table.items else None
        if row is not None:
            yield from [e for e in page.layout.above(row) if e.role in _TABLES][:1]


_TABLES = frozenset({"table", "grid", "treegrid"})


def _is_in_menu(element: Element, page: PageContent) -> bool:
    holders = page.layout.above(element)
    return any(h.role in ("navigation", "menu", "menubar", "contentinfo") for h in holders)


def _is_marked(element: Element, nouns: frozenset[str]) -> bool:
    """Return whether a class or the id ends with a noun: "main-menu", "siteFooter"."""
    if element.interactive or element.role in ("text", "link", "button", "heading"):
        return False
    marks = (*element.attributes.get("class", "").split(), element.attributes.get("id", ""))
    return any(_last_word(mark) in nouns for mark in marks if mark)


def _last_word(mark: str) -> str:
    return re.split(r"[-_]|(?<=[a-z])(?=[A-Z])", mark)[-1].lower()


def _is_named(place: Place, element: Element, page: PageContent) -> bool:
    names = _names_of(element, page)
    if place.quoted:
        return any(bare(name) == bare(place.name) for name in names)
    words = {stem(w) for w in split_words(place.name) if w not in FREE.stop}
    return bool(words) and any(words <= set(stems(name)) for name in names)


def _names_of(element: Element, page: PageContent) -> Iterator[str]:
    """Yield what a container is called: its own name, its caption, the heading above it."""
    yield from (element.name, element.title, element.label)
    yield from element.region[-1:]
    yield " ".join(split_words(element.attributes.get("id", "").replace("-", " ")))
    inside = (e for e in page.elements if e.role in ("caption", "legend", "heading"))
    first = next((e for e in inside if page.layout.holds(element, e)), None)
    if first is not None:
        yield first.text or first.name


@dataclass(frozen=True)
class Inside:
    """What a container shows."""

    container: Element
    page: PageContent

    def lies_in(self, element: Element) -> bool:
        """Return whether an element lies in the container, or is it."""
        return element.id == self.container.id or self.page.layout.holds(self.container, element)

    def texts(self) -> tuple[str, ...]:
        """Return the pieces of text that can be read in it, and the names of its icons."""
        visible = self.page.visible
        pieces = [(e, e.text) for e in visible.passages]
        pieces += [*visible.held, *visible.named]
        return tuple(text for element, text in pieces if self.lies_in(element))

    def shows(self, words: str) -> bool:
        """Return whether words can be read in it, as whole words."""
        texts = self.texts()
        return any(contains(words, text) for text in texts) or contains(words, " ".join(texts))

    def shows_alone(self, words: str) -> bool:
        """Return whether a cell, item or line of it says these words and nothing else."""
        wanted = plain(words)
        texts = (line for text in self.texts() for line in text.split("\n"))
        cells = (e.text for e in self.page.elements if e.role in _ITEMS and self.lies_in(e))
        return any(plain(text) == wanted for text in (*texts, *cells))

    def has_control(self, words: str, role: str) -> bool:
        """Return whether it has a control of a role that is called so."""
        return any(
            e.role == role and plain(words) in {plain(e.name), plain(e.text), plain(e.label)}
            for e in self.page.elements
            if self.lies_in(e)
        )

    def may_hold(self, words: str) -> str:
        """Return why words may be in it that can't be read there, or ""."""
        for element in self.page.view.snapshot.elements:
            if not self.lies_in(element):
                continue
            if any(contains(words, option.label) for option in element.options):
                return "it is a choice of a list there"
            if element.editable and contains(words, element.value or ""):
                return "a field there holds it"
            if not element.visible and contains(words, element.text or element.name):
                return "it is there, but hidden"
        return ""


_ITEMS = frozenset({"cell", "gridcell", "rowheader", "columnheader", "listitem", "option"})


def names_container(s: Statement) -> bool:
    """Return whether a statement speaks of what lies in a container, in any form."""
    return bool(_SUBJECT.match(s.text) or _BEHIND_IN.search(s.text))


VERB = r"(?:contains?|shows?|lists?|includes?|displays?|holds?|mentions?|offers?|has|have)"
"""A pattern of what a container does with what lies in it."""
_SUBJECT = re.compile(
    rf"^(?:that )?{PLACE} (?:now |still |also |again )?"
    rf"(?:(?:does|do)(?:n't| not) |no longer )?{VERB} ",
    re.I,
)
_BEHIND_IN = re.compile(rf" (?:in|inside|within) {PLACE}(?: any ?more| any longer| now)?$", re.I)
