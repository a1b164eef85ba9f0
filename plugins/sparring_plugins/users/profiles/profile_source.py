"""A profile's file while it is read: its data, and what is found wrong with it."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import Document, Key, dotted
from sparring.errors import Problem
from sparring_plugins.language.number_words import number_words

Path_ = tuple[Key, ...]

MOST_WANTED = 50
"""The most values that one ``any(...)`` may ask for."""

_FILLER = re.compile(
    r"(?:(?:an?\s)?(?:list|set|couple|choice|number)\sof|some|any|the|an?|about|around|different"
    r"|unas?|unos|algun[oa]s?)\s+",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(\d{1,6}|[^\W\d_]{2,12})\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class ValueRequest:
    """What ``any(...)`` asks for: values of a kind, other than those that are known already.

    `language` is the user's. `variable` names the variable among all profiles.
    """

    text: str
    known: tuple[str, ...]
    language: str
    kind: str | None
    variable: str


class Wanted(NamedTuple):
    """`many` is None if the text says no number; a single thing counts as one."""

    what: str
    many: int | None


def wanted(text: str) -> Wanted:
    """Take ``3 soda drinks`` apart; raises LookupError for a number that is too large."""
    rest, count = " ".join(text.split()), None
    while True:
        filler = _FILLER.match(rest)
        if filler is not None:
            if filler[0].strip().casefold() in ("a", "an") and count is None:
                count = 1
            rest = rest[filler.end() :]
            continue
        match = _NUMBER.match(rest)
        said = None if match is None else _count_said(match[1])
        if match is None or said is None or count is not None:
            break
        rest, count = rest[match.end() :], said
    if count is not None and not 1 <= count <= MOST_WANTED:
        raise LookupError(f"asks for {count} values; 1 to {MOST_WANTED} are possible")
    return Wanted(rest, count)


def _count_said(word: str) -> int | None:
    count = int(word) if word.isdigit() else number_words(word)
    return count if isinstance(count, int) else None


class Pending(LookupError):
    """The values for a wish are found later, before the first case is played."""


Words = Callable[[ValueRequest], Sequence[str] | None]
"""Finds values for a wish; None if it cannot. Raises LookupError with a reason."""

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
        """A text, if nothing at all means `default`."""
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
    """Plain data as a map; None if it is something else."""
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else None


def sequence(value: Any) -> list[Any] | None:
    """Plain data as a list; None if it is something else."""
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


# --- Shapes of files: SENSEI's come in six, its paper and its generators use two more

PLACES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "test_name": [("test_name",)],
    "tags": [("tags",)],
    "llm": [("llm",), ("LLM",)],
    "temperature": [("temperature",)],
    "language": [("user", "language"), ("language",)],
    "role": [("user", "role"), ("role",)],
    "context": [("user", "context"), ("context",)],
    "goals": [("user", "goals"), ("user", "ask_about"), ("goals",), ("ask_about",)],
    "done_when": [("user", "done_when"), ("done_when",)],
    "is_starter": [("chatbot", "is_starter"), ("is_starter",), ("isstarter",)],
    "fallback": [("chatbot", "fallback"), ("chatbot", "fallbacks"), ("fallback",)],
    "output": [("chatbot", "output"), ("chatbot", "outputs"), ("output",), ("outputs",)],
    "number": [("conversation", "number")],
    "goal_style": [("conversation", "goal_style"), ("conversation", "stop_condition")],
    "interaction_style": [("conversation", "interaction_style")],
    "cost": [("conversation", "cost")],
}
"""Where each thing may stand; the first place is the current form's."""

_GROUPS = ("user", "chatbot")
_CONVERSATIONS: Sequence[tuple[str, ...]] = [
    ("conversation",),
    ("conversations",),
    ("chatbot", "conversation"),
    ("chatbot", "conversations"),
]
_STOP_CONDITIONS: Sequence[tuple[str, ...]] = [("stop_condition",), ("chatbot", "stop_condition")]


@dataclass(frozen=True, slots=True)
class Part:
    """A value of the file, and where it stands."""

    value: Any
    at: Path_


class Parts(dict[str, Part]):
    """The parts of a profile by what they are, whatever the shape of the file."""

    def value(self, name: str) -> Any:
        """The value of a part; None if it is absent."""
        part = self.get(name)
        return None if part is None else part.value

    def at(self, name: str) -> Path_:
        """Where a part stands, or should stand."""
        part = self.get(name)
        return PLACES[name][0] if part is None else part.at


def parts_of(source: Source) -> Parts:
    """Take a file apart; unknown keys, and things given twice, are noted as errors."""
    parts = Parts()
    data = mapping(source.document.data)
    if data is None:
        content = source.document.data
        what = "the file is empty" if content is None else f"found {shown(content)}"
        source.error(f"expected a profile with test_name, user and conversation; {what}", ())
        return parts
    for place, part in _entries(source, data):
        name = _find_name(place)
        if name is None:
            _unknown(source, place, part.at)
        elif name not in parts:
            source.spellings.add(place[-1])
            parts[name] = part
        elif part.value is not None:
            first = parts[name].at
            where = f"{dotted(first)} on line {source.document.line(first)}"
            source.error(f"says again what {where} says", part.at)
    return parts


def _entries(source: Source, data: dict[Any, Any]) -> Iterator[tuple[tuple[str, ...], Part]]:
    """Each entry of the file: its place, spelt as in the table, and its value."""
    for key, value in data.items():
        name = str(key)
        if name in _GROUPS:
            yield from _group(source, name, value)
        elif (name,) in _CONVERSATIONS:
            yield from _conversation(source, value, (name,))
        elif (name,) in _STOP_CONDITIONS:
            yield ("conversation", "stop_condition"), Part(value, (key,))
        else:
            yield (name,), Part(value, (key,))


def _group(source: Source, group: str, data: Any) -> Iterator[tuple[tuple[str, ...], Part]]:
    source.spellings.add(group)
    entries = mapping(data)
    if entries is None and data is not None:
        source.error(f"expected keys and values, found {shown(data)}", (group,))
    for key, value in (entries or {}).items():
        place = (group, str(key))
        if place in _CONVERSATIONS:
            source.spellings.add("chatbot.conversations")
            yield from _conversation(source, value, (group, key))
        elif place in _STOP_CONDITIONS:
            yield ("conversation", "stop_condition"), Part(value, (group, key))
        else:
            yield place, Part(value, (group, key))


def _conversation(source: Source, data: Any, at: Path_) -> Iterator[tuple[tuple[str, ...], Part]]:
    """The block about the conversations: a map, or a list of maps."""
    source.spellings.add(str(at[-1]))
    if isinstance(data, list):
        source.spellings.add("conversation as a list")
    for block, here in listed(data, at):
        entries = mapping(block)
        if entries is None:
            source.error(f"expected keys and values, found {shown(block)}", here)
        for key, value in (entries or {}).items():
            yield ("conversation", str(key)), Part(value, (*here, key))


def _find_name(place: tuple[str, ...]) -> str | None:
    return next((name for name, places in PLACES.items() if place in places), None)


def _unknown(source: Source, place: tuple[str, ...], at: Path_) -> None:
    every = [known_place for places in PLACES.values() for known_place in places]
    key = place[-1]
    elsewhere = next(
        (
            known_place[0]
            for known_place in every
            if len(known_place) == 2 and known_place[1] == key
        ),
        None,
    )
    if elsewhere is not None:
        source.error(f"unknown key; {key!r} belongs below {elsewhere!r}", at)
        return
    names = [known_place[-1] for known_place in every if known_place[:-1] == place[:-1]]
    if len(place) == 1:
        names += [*_GROUPS, "conversation"]
    source.error(f"unknown key.{nearest(key, names)}", at)


def shape_of(source: Source) -> str:
    """The name of the shape that was read, as shown by ``sparring validate``."""
    seen = source.spellings
    paper = {"LLM", "templates", "selector", "outputs", "stop_condition", "chatbot.conversations"}
    if seen & paper:
        return "paper"
    if "isstarter" in seen:
        return "generator"
    if "user" in seen or "chatbot" in seen:
        return _describe_nesting(seen)
    return "flat" if "temperature" not in seen else "flat with temperature"


def _describe_nesting(seen: set[str]) -> str:
    if "ask_about" in seen:
        return "nested with ask_about"
    if "conversation as a list" in seen:
        return "nested with a list of conversation settings"
    return "nested with conversations" if "conversations" in seen else "nested"
