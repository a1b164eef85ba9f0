"""Which record of a page a sentence is about: the row, card or item that has the name in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.deed_parts import Deed
from sparring_plugins.web.grammar.free.words import FREE, content, split_words
from sparring_plugins.web.pages.controls import takes_text
from sparring_plugins.web.pages.layout import Layout, head_rows
from sparring_plugins.web.pages.text_fit import plain

_LONGEST_NAME = 60
_SHORTEST_NUMBER = 3
#: "Set it to Low": what stands behind it is a value.
_NOT_BEHIND = r"(?<!to )(?<!as )(?<!into )"
_OTHERS = frozenset({"to", "as", "into", "with"})


@dataclass(frozen=True)
class NamedRecord:
    """A text of a record that a sentence has; `row` is the text of all of that row or card."""

    name: str
    text: Element
    row: str
    at: int


@dataclass(frozen=True)
class RecordFinder:
    """Finds the record that a sentence names on a view."""

    layout: Layout

    def find(self, deed: Deed) -> NamedRecord | None:
        """Return the record that is named first; None if none is, or several are."""
        said = plain(deed.text)
        found = [r for e in self._texts if (r := self._named(e, said)) is not None]
        found = [r for r in found if self._is_alone(r)]
        if found:
            return min(found, key=lambda r: (r.at, -len(r.name), self.layout.order[r.text.id]))
        return self._find_by_word(deed)

    def holds(self, record: NamedRecord, element: Element) -> bool:
        """Return whether an element lies in the row or card: also in a list within a card."""
        chain = (element, *self.layout.above(element))
        return any(e.row == record.row for e in chain)

    def _find_by_word(self, deed: Deed) -> NamedRecord | None:
        """Return the record that alone has a name of the sentence: "the ticket about the VPN"."""
        for part in deed.parts:
            words = content(part.value) if part.value and part.joint not in _OTHERS else ()
            if part.quoted or not words or any(word[0].isdigit() for word in words):
                continue
            having = [e for e in self._texts if set(words) <= set(split_words(e.text))]
            if len({e.row for e in having}) == 1:
                return NamedRecord(having[0].text, having[0], having[0].row, 0)
        return None

    @cached_property
    def _texts(self) -> Sequence[Element]:
        heads = head_rows(self.layout)
        return [
            e for e in self.layout.snapshot.elements
            if e.visible and e.text and len(e.text) <= _LONGEST_NAME and not takes_text(e)
            and not e.options and e.row and plain(e.row) != plain(e.text)
            and not any(holder.id in heads for holder in self.layout.above(e))
        ]  # fmt: skip

    def _named(self, element: Element, said: str) -> NamedRecord | None:
        name = plain(element.text)
        words = split_words(name)
        # "12" may be any number; "2207" is that of an order
        if not set(words) - FREE.stop or (name.isdigit() and len(name) < _SHORTEST_NUMBER):
            return None
        if len(words) == 1 and element.text.islower() and element.text.isalpha():
            return None  # 'low' and 'hidden' are states
        match = re.search(rf"(?<![\w.-]){_NOT_BEHIND}{re.escape(name)}(?![\w-])", said)
        return NamedRecord(element.text, element, element.row, match.start()) if match else None

    def _is_alone(self, record: NamedRecord) -> bool:
        """Return whether one record has that text: 'Open' in three rows names none of them."""
        name = plain(record.name)
        return len({e.row for e in self._texts if plain(e.text) == name}) == 1
