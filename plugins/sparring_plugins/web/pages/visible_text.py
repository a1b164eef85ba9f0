"""What a page shows in words: its visible text in reading order, and its messages."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.model.page import Element, PageEvent, PageEventKind, PageView
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.text_fit import Found, occurrences, plain

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|\n+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Shown:
    """The visible content of a view.

    It has three parts: the text that can be read, what fields hold, and the names of what has no
    text of its own, such as icons.
    """

    view: PageView

    @cached_property
    def layout(self) -> Layout:
        """The tree of the elements."""
        return Layout(self.view.snapshot)

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """The visible text in reading order, in lines: a paragraph, cell, item or heading each."""
        return tuple(
            line
            for element in self.view.snapshot.elements
            if element.role == "text" and element.visible
            for line in element.text.split("\n")
            if line.strip()
        )

    @cached_property
    def text(self) -> str:
        """The whole visible text in one line."""
        return " ".join(self.blocks)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the visible text; a line without an end mark is one."""
        found = (part.strip() for line in self.blocks for part in _SENTENCE_END.split(line))
        return tuple(part for part in found if part)

    @cached_property
    def held(self) -> tuple[tuple[Element, str], ...]:
        """What visible fields show: values, selected options, placeholders of empty fields."""
        return tuple(
            (element, text)
            for element in self.view.snapshot.elements
            if element.visible
            for text in _held(element)
            if text.strip()
        )

    @cached_property
    def named(self) -> tuple[tuple[Element, str], ...]:
        """Names that can't be read but are the only ones: of icons and pictures."""
        return tuple(
            (element, text)
            for element in self.view.snapshot.elements
            if element.visible and not element.text.strip() and element.role != "text"
            for text in dict.fromkeys((element.name, element.alternative))
            if text.strip() and text not in (element.label, element.placeholder)
        )

    def count(self, words: str) -> Found:
        """How often `words` can be read on the page."""
        sure = possible = 0
        texts = [self.text, *(text for _, text in self.held)]
        for found in (occurrences(words, text) for text in texts):
            sure, possible = sure + found.sure, possible + found.possible
        return Found(sure, possible)

    @property
    def complete(self) -> bool:
        """Whether nothing of the page was left out of the snapshot."""
        return self.view.snapshot.truncated == 0

    def faded(self, words: str) -> PageEvent | None:
        """The message or dialog with `words` that came up since the last act, gone or not."""
        kinds = (PageEventKind.MESSAGE, PageEventKind.DIALOG)
        for event in self.view.events:
            if event.kind in kinds and occurrences(words, event.text).sure:
                return event
        return None


def _held(element: Element) -> Iterable[str]:
    if element.options:
        yield from (option.label for option in element.options if option.selected)
        return
    if element.input_type in ("checkbox", "radio", "hidden", "file", "password"):
        return
    if element.value and plain(element.value) not in plain(element.text):
        yield element.value
    elif not element.value and element.placeholder:
        yield element.placeholder


def read_sentences(sentences: Sequence[str], words: str) -> Found:
    """In how many sentences `words` stand: surely in those of three words or more."""
    sure = possible = 0
    for sentence in sentences:
        found = occurrences(words, sentence)
        possible += found.possible > 0
        sure += found.sure > 0 and len(_WORD.findall(sentence)) >= 3
    return Found(sure, possible)
