"""Files of another tool, or of an older form, in the current one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from sparring.model.base import AppText, Value


class ConvertedFile(Value):
    """A file to write: its path below the output folder, with slashes, and its YAML documents."""

    path: AppText
    documents: tuple[dict[str, JsonValue], ...]


class Converted(Value):
    """What a file became.

    `kind` says what it is and in which form it was read. The first of `files` is the file itself,
    under its own name; others are those that it names and that moved with it. `notes` are for the
    person who converts: what is left to do.
    """

    kind: str
    files: tuple[ConvertedFile, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts files of one kind, for ``sparring convert``.

    `about` says in a line which. `knows` looks at a file and says whether it is of the kind;
    `convert` raises ConfigurationError where it cannot be read, with everything wrong in it.
    Neither runs anything that a file names.
    """

    about: str
    knows: Callable[[Path], bool]
    convert: Callable[[Path], Converted]
