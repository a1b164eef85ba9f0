"""Which lines of a skill's own source files ran, as the runners tell with their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring_connectors.alexa.shapes import mapping, sequence, texts

MOST_FILES = 500
"""Source files of a skill that are kept count of."""


@dataclass(slots=True)
class FileLines:
    """The lines of one file, from 1: those that can run, and those that did."""

    whole: set[int] = field(default_factory=set[int])
    ran: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class LineRecord:
    """What ran so far, by file relative to `folder`; `notes` say why something is not known."""

    folder: str = ""
    files: dict[str, FileLines] = field(default_factory=dict[str, FileLines])
    notes: list[str] = field(default_factory=list[str])

    def add(self, told: object) -> None:
        """Take in what a runner told; what has another shape is passed over."""
        found = mapping(told)
        for note in texts(found.get("notes")):
            if note not in self.notes and len(self.notes) < MOST_FILES:
                self.notes.append(note[:500])
        for name, lines in mapping(found.get("files")).items():
            if name in self.files or len(self.files) < MOST_FILES:
                self._add(self.files.setdefault(name, FileLines()), mapping(lines))

    def _add(self, file: FileLines, lines: Mapping[str, Any]) -> None:
        file.whole.update(_numbers(lines.get("whole")))
        file.ran.update(_numbers(lines.get("ran")))
        file.whole |= file.ran


def _numbers(value: object) -> set[int]:
    return {item for item in sequence(value) if type(item) is int and item > 0}
