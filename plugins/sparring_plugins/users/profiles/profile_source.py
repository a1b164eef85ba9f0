"""A profile's file while it is read: its data, and what is found wrong with it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

from sparring.documents.checking import shown
from sparring.documents.reading import Document, Key
from sparring.errors import Problem

Path_ = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What ``any(...)`` asks for: values of a kind, other than those that are known already.

    `language` is the user's. `variable` names the variable among all profiles.
    """

    text: str
    known: tuple[str, ...]
    language: str
    kind: str | None
    variable: str


class Pending(LookupError):
    """The values for a wish are found later, before the first case is played."""


Words = Callable[[Wish], Sequence[str] | None]
"""Finds values for a wish; None where it cannot. Raises LookupError with a reason."""

MOST_PARENTS = 5


@dataclass(frozen=True)
class Settings:
    """What reading profiles depends on besides their files; see `read_profiles`."""

    base_dir: Path
    seed: int
    allow_python: bool = False
    compat: Literal["sensei"] | None = None
    today: date | None = None
    persona: Path | None = None
    words: Words | None = None
    keep_unresolved: bool = False

    @cached_property
    def day(self) -> date:
        """The day that relative dates count from."""
        return self.today or datetime.now().astimezone().date()


@dataclass
class Source:
    """One file: problems stop it from being used, warnings do not."""

    document: Document
    path: Path
    settings: Settings
    problems: list[Problem] = field(default_factory=list[Problem])
    warnings: list[str] = field(default_factory=list[str])
    spellings: set[str] = field(default_factory=set[str])
    language: str = "English"

    @property
    def compat(self) -> bool:
        """Whether the file is to be read as SENSEI reads it."""
        return self.settings.compat == "sensei"

    def error(self, message: str, at: Path_) -> None:
        """Note something that makes the file unusable."""
        self.problems.append(self.document.problem(message, at))

    def warn(self, message: str, at: Path_) -> None:
        """Note something that the author should know."""
        self.warnings.append(str(self.document.problem(message, at)))

    def strict(self, message: str, at: Path_) -> None:
        """Note something that SENSEI lets pass: a warning in its mode, else an error."""
        (self.warn if self.compat else self.error)(message, at)

    def text(self, value: Any, at: Path_, default: str = "") -> str:
        """A text, where nothing at all means `default`."""
        if value is None:
            return default
        if isinstance(value, str):
            return value.strip()
        self.error(f"expected text, found {shown(value)}{quoting(value)}", at)
        return default

    def find(self, written: str, what: str, *, within: bool = False) -> Path:
        """The file that the profile names; raises ValueError with the places looked at.

        Relative paths start from the profile's folder, its parents (five levels up), then the
        suite's folder. `within` leaves out the parents that lie outside the suite's folder.
        """
        base, own = plain_path(self.settings.base_dir), plain_path(self.path).parent
        parents = list(own.parents)[:MOST_PARENTS]
        if within:
            parents = [folder for folder in parents if folder.is_relative_to(base)]
        folders = list(dict.fromkeys([own, *parents, base]))
        for folder in folders:
            try:
                if (folder / written).is_file():
                    return folder / written
            except (OSError, ValueError):  # too long, or a zero byte
                break
        looked = ", ".join(str(folder) for folder in folders)
        raise ValueError(f"the {what} {shown(written)} is not there; looked in {looked}")


def plain_path(path: Path) -> Path:
    """A path from the root, without ``..``; links stay as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 -- resolve() would follow links


def mapping(value: Any) -> dict[Any, Any] | None:
    """Plain data as a map; None where it is something else."""
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else None


def sequence(value: Any) -> list[Any] | None:
    """Plain data as a list; None where it is something else."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def listed(value: Any, at: Path_) -> list[tuple[Any, Path_]]:
    """The items of a list with their places; a value alone is a list of one, None is none."""
    items = sequence(value)
    if items is not None:
        return [(item, (*at, index)) for index, item in enumerate(items)]
    return [] if value is None else [(value, at)]


def quoting(value: Any) -> str:
    """The end of a message about a value that YAML took for something else than text."""
    if isinstance(value, bool):
        return " (YAML reads an unquoted yes, no, on or off as true or false: put it in quotes)"
    if isinstance(value, int) and value >= 60:
        return " (YAML reads an unquoted time such as 10:30 as a number: put it in quotes)"
    if isinstance(value, (int, float, date)):
        return " (put it in quotes)"
    if isinstance(value, dict):
        return " (a text with a colon needs quotes)"
    return ""
