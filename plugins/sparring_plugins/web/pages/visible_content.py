"""What a person can read on a page, and how surely some words stand there.

Text in fields that a person can change is no displayed text: a form whose "Submit" does nothing
still shows what the test case typed into it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element, PageEvent, PageEventKind, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import in_words, offers_choices
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import (
    Found,
    Grade,
    occurrences,
    plain,
    presence,
)

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|\n+")
_WORD = re.compile(r"\w+")
_ENTERING = frozenset({"fill", "type", "append", "select"})
#: Texts on one line that are further apart, in pixels, belong to different columns of the page.
_COLUMN_GAP = 200
# A "line" longer than this is an unformatted dump of data.
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class Shown:
    """How surely words are shown, and by which elements."""

    grade: Grade = Grade.ABSENT
    note: str = ""
    elements: tuple[str, ...] = ()


@dataclass(frozen=True)
class VisibleContent:
    """The visible content of a view, for a case that has done `acts` so far, on views `before`.

    It has four parts: the text that can be read, what lists and fields show that nobody can type
    into, the names of what has no text of its own, such as icons, and what fields hold.
    """

    view: PageView
    acts: Sequence[GuiAction] = ()
    before: Sequence[PageView] = ()

    @cached_property
    def layout(self) -> Layout:
        """The tree of the elements."""
        return Layout(self.view.snapshot)

    @cached_property
    def passages(self) -> tuple[Element, ...]:
        """The pieces of visible text in reading order, without those within editable fields."""
        editable = {e.id for e in self.view.snapshot.elements if e.editable}
        return tuple(
            element
            for element in self.view.snapshot.elements
            if element.role == "text"
            and element.visible
            and not (editable and any(h.id in editable for h in self.layout.above(element)))
        )

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """The visible text in reading order, in lines: a paragraph, cell, item or heading each."""
        return tuple(
            line for element in self.passages for line in element.text.split("\n") if line.strip()
        )

    @cached_property
    def text(self) -> str:
        """The whole visible text in one line."""
        return " ".join(self.blocks)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the visible text; a line without an end mark is one."""
        parts = (part.strip() for line in self.blocks for part in _SENTENCE_END.split(line))
        return tuple(part for part in parts if part)

    @cached_property
    def held(self) -> tuple[tuple[Element, str], ...]:
        """The texts that are shown without being text of the page.

        These are selected options, placeholders of empty fields, values that cannot be edited.
        """
        return tuple(
            (element, text)
            for element in self.view.snapshot.elements
            if element.visible
            for text in _held(element)
            if text.strip() and not (element.options and self.has_entered(element, text))
        )

    @cached_property
    def editable_values(self) -> tuple[tuple[Element, str], ...]:
        """What stands in visible fields that a person can change."""
        return tuple(
            (element, element.value)
            for element in self.view.snapshot.elements
            if element.visible
            and element.editable
            and element.value
            and not element.options
            and element.input_type not in _UNREADABLE
        )

    @cached_property
    def named(self) -> tuple[tuple[Element, str], ...]:
        """The names of icons and pictures, which can't be read but are the only ones they have."""
        return tuple(
            (element, text)
            for element in self.view.snapshot.elements
            if element.visible and not element.text.strip() and element.role != "text"
            for text in dict.fromkeys((element.name, element.alternative))
            if text.strip() and text not in (element.label, element.placeholder)
        )

    def count(self, words: str) -> Found:
        """Count how often `words` can be read; a phrase that is joined over blocks is possible."""
        texts = (*(element.text for element in self.passages), *(text for _, text in self.held))
        counts = [occurrences(words, text) for text in texts]
        sure, possible = sum(c.sure for c in counts), sum(c.possible for c in counts)
        held = sum(occurrences(words, text).possible for _, text in self.held)
        return Found(sure, max(possible, occurrences(words, self.text).possible + held))

    def shown(self, words: str) -> Shown:
        """Return how surely `words` are displayed anywhere, by the surest of all texts."""
        best = Shown()
        for element, text in self._readable():
            graded = presence(words, text)
            if graded.grade is Grade.SURE:
                return Shown(Grade.SURE, "", (element.id,))
            if graded.grade > best.grade:
                best = Shown(graded.grade, graded.note, (element.id,))
        if best.grade >= Grade.WEAK:
            return best
        others = (self._join_words(words), self._in_fields(words), best)
        return max(others, key=lambda shown: shown.grade)

    def _readable(self) -> Iterator[tuple[Element, str]]:
        yield from ((element, element.text) for element in self.passages)
        yield from self.held
        yield from self.named

    def _join_words(self, words: str) -> Shown:
        """Return how surely neighbouring texts show `words` together: "Total" beside "$5"."""
        if not occurrences(words, self.text).sure:
            return Shown()
        for line in self.lines:
            graded = presence(words, " ".join(e.text for e in line)[:_LONGEST_LINE])
            if graded.grade is Grade.SURE:
                ids = tuple(e.id for e in line[:10])
                return Shown(Grade.WEAK, "in several pieces of text on one line", ids)
        return Shown(Grade.UNCERTAIN, "only over the border between two blocks of text")

    @cached_property
    def lines(self) -> tuple[tuple[Element, ...], ...]:
        """The passages that a person reads as one line: cells of a row, a label and its value."""
        lines: list[list[Element]] = []
        for element in self.passages:
            if lines and _is_same_line(lines[-1][-1], element):
                lines[-1].append(element)
            else:
                lines.append([element])
        return tuple(tuple(line) for line in lines if len(line) > 1)

    def _in_fields(self, words: str) -> Shown:
        """Return how surely fields show `words`; what the case entered there proves nothing."""
        best = Shown()
        for element, value in (*self.editable_values, *self._entered_options()):
            graded = presence(words, value)
            if graded.grade < Grade.WEAK:
                continue
            if self.has_entered(element, value):
                if element.options:
                    note = f"only as what the case selected in the {in_words(element)}"
                    best = max(best, Shown(Grade.UNCERTAIN, note, (element.id,)), key=_by_grade)
                continue
            if self.has_typed(words):
                # The page may have been loaded anew and show what was stored, or nothing was
                # stored and the field was never emptied.
                note = f"only in the {in_words(element)}, and the case itself typed it before"
                best = max(best, Shown(Grade.UNCERTAIN, note, (element.id,)), key=_by_grade)
                continue
            return Shown(Grade.WEAK, f"only as the value of the {in_words(element)}", (element.id,))
        return best

    def _entered_options(self) -> Iterator[tuple[Element, str]]:
        for element in self.view.snapshot.elements:
            if element.visible and element.options:
                yield from ((element, text) for text in _held(element))

    def has_entered(self, element: Element, text: str) -> bool:
        """Return whether the case itself put the text into this very element."""
        return any(
            act.target == element.id
            and act.action in _ENTERING
            and _is_part(text, str(act.value or ""))
            for act in self.acts
        )

    def has_typed(self, words: str) -> bool:
        """Return whether the case has entered the words anywhere."""
        return any(
            act.action in _ENTERING and plain(words) in plain(str(act.value or ""))
            for act in self.acts
        )

    @property
    def complete(self) -> bool:
        """Whether the snapshot has all of the page."""
        return self.view.snapshot.truncated == 0

    def message_with(self, words: str) -> PageEvent | None:
        """Return the message or dialog with `words` since the last act, whether closed or not."""
        kinds = (PageEventKind.MESSAGE, PageEventKind.DIALOG)
        for event in self.view.events:
            if event.kind in kinds and occurrences(words, event.text).sure:
                return event
        return None


_UNREADABLE = frozenset({"checkbox", "radio", "hidden", "file", "password"})


def _by_grade(shown: Shown) -> Grade:
    return shown.grade


def _is_part(text: str, entered: str) -> bool:
    return bool(entered) and (plain(text) in plain(entered) or plain(entered) in plain(text))


def _is_same_line(left: Element, right: Element) -> bool:
    """Return whether `right` follows `left` on the same line or in the same row of a table."""
    if left.box is None or right.box is None or left.frame != right.frame:
        return False
    overlap = min(left.box.y + left.box.height, right.box.y + right.box.height) - max(
        left.box.y, right.box.y
    )
    if overlap <= 0.5 * min(left.box.height, right.box.height):
        return False
    if right.box.x < left.box.x:
        return False
    in_row = bool(left.row) and left.row == right.row
    return in_row or right.box.x - (left.box.x + left.box.width) < _COLUMN_GAP


def _held(element: Element) -> Iterable[str]:
    if element.options:
        yield from (option.label for option in element.options if option.selected)
        return
    if element.input_type in _UNREADABLE:
        return
    if element.value and (not element.editable or offers_choices(element)):
        if plain(element.value) not in plain(element.text):
            yield element.value
    elif not element.value and element.placeholder:
        yield element.placeholder


def sentences_with(sentences: Sequence[str], words: str) -> Found:
    """Count the sentences with `words`; only those of three words or more count as sure."""
    counts = [(sentence, occurrences(words, sentence)) for sentence in sentences]
    return Found(
        sure=sum(c.sure > 0 and len(_WORD.findall(sentence)) >= 3 for sentence, c in counts),
        possible=sum(c.possible > 0 for _, c in counts),
    )
