"""What every way of hosting a handler offers, and which of its failures are this machine's."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.errors import ConfigurationError, EnvironmentFailure, Problem, SparringError
from sparring_connectors.alexa.shapes import mapping, sequence, text, texts

# Which lines of a skill's own source files ran, from the runners' answers.

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

    def add(self, reported: object) -> None:
        """Add what a runner reported; parts of another shape are ignored."""
        report = mapping(reported)
        for note in texts(report.get("notes")):
            if note not in self.notes and len(self.notes) < MOST_FILES:
                self.notes.append(note[:500])
        for name, lines in mapping(report.get("files")).items():
            if name in self.files or len(self.files) < MOST_FILES:
                self._add(self.files.setdefault(name, FileLines()), mapping(lines))

    def _add(self, file: FileLines, lines: Mapping[str, Any]) -> None:
        file.whole.update(_numbers(lines.get("whole")))
        file.ran.update(_numbers(lines.get("ran")))
        file.whole |= file.ran


def _numbers(value: object) -> set[int]:
    return {item for item in sequence(value) if type(item) is int and item > 0}


@dataclass(frozen=True, slots=True)
class HandlerAnswer:
    """What a handler returned for one request.

    `raw` is its JSON as Python values, `log` what it printed meanwhile, `calls` the addresses
    that it asked for outside, `notes` what else went on (an error after its answer), `caught` the
    exceptions that its own handler of exceptions answered.
    """

    raw: Any
    log: str = ""
    calls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    caught: tuple["CaughtError", ...] = ()


@dataclass(frozen=True, slots=True)
class CaughtError:
    """An exception that a skill caught; `is_network` if a host could not be reached from here."""

    text: str
    is_network: bool = False


@dataclass(slots=True)
class HandlerFailure(Exception):
    """A handler that did not answer properly.

    `error` says who is to blame: an AppError the skill, an EnvironmentFailure this machine, a
    ConfigurationError the suite.
    """

    error: SparringError
    kind: str
    log: str = ""
    calls: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.error)


@dataclass(slots=True)
class AttributeStore:
    """What a skill keeps between sessions: attributes by key, as its adapters saved them."""

    kept: dict[str, Any] = field(default_factory=dict[str, Any])


class Host(ABC):
    """Runs one skill for one user; `lines` are those that ran, if they are counted."""

    lines: LineRecord | None = None

    @abstractmethod
    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> HandlerAnswer:
        """Send a request; raises HandlerFailure if it does not answer properly."""

    @abstractmethod
    async def aclose(self) -> None:
        """End what runs."""


# Failures of a handler that are this machine's: libraries not installed, no way out of it.

# What Python and Node say of a package that is not installed: the test's fault, with the mend.
_MISSING = re.compile(
    r"No module named '(?P<python>[\w.]+)'|Cannot find (?:module|package) '(?P<node>[^'\n]+)'"
)
#: Lambda has these without a skill declaring them.
_OF_LAMBDA = frozenset({"boto3", "botocore", "aws-sdk", "@aws-sdk"})
#: Libraries that are imported by another name than they are installed by.
_INSTALLED_AS = {
    "bs4": "beautifulsoup4",
    "pil": "pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "jwt": "pyjwt",
    "attr": "attrs",
}
#: How Python and Node put it that a host cannot be reached.
_NO_NETWORK = re.compile(
    r"network is cut by Sparring|Name or service not known|nodename nor servname provided"
    r"|Temporary failure in name resolution|Network is unreachable|No route to host"
    r"|\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|\bEHOSTUNREACH\b",
)
_MOST_BYTES = 200_000


def missing_library_failure(
    label: str, error: Mapping[str, Any], folder: Path, *, python: bool
) -> ConfigurationError | None:
    """Return the failure if a handler lacks a library, or a file that a build step makes.

    Such a skill cannot be started here; that says nothing of the skill, and the suite has to mend
    it. A module of the skill's own that is not there is the skill's fault (`None`), unless a build
    would make it, and so is a library that the skill's list of libraries leaves out.
    """
    match = _MISSING.search(text(error.get("message")))
    if match is None:
        return None
    name = match["python"] or match["node"]
    if name.startswith((".", "/")):
        script = _build_script(folder)
        mend = f"build it first ({script})" if script else ""
        return unstartable(label, f"the file {name!r} is missing", mend) if mend else None
    if python and (folder / name.partition(".")[0]).exists():
        return None
    mend = (
        "install its requirements into a Python of its own and name that as `skill.python`"
        if python
        else "run npm install in the skill's folder"
    )
    # a list of libraries without this one lacks it in Lambda, too: then the skill is at fault
    if _lists_libraries(folder) and not _declares(folder, name, python=bool(match["python"])):
        return None
    return unstartable(label, f"the library {name!r} is not installed here", mend)


def unstartable(label: str, why: str, mend: str) -> ConfigurationError:
    """Return the failure of a skill that cannot be started here, with what to do about it."""
    return ConfigurationError(Problem(f"is unstartable: {why}: {mend}", label))


def library_failure(label: str, error: Mapping[str, Any]) -> ConfigurationError:
    """Return the failure of a library, and no line of the skill, that raises while it loads."""
    summary = f"{text(error.get('type'))}: {text(error.get('message'))[:300]}"
    mend = "install the versions that the skill declares, and set `skill.environment`"
    return unstartable(label, f"a library raises {summary}", mend)


def _build_script(folder: Path) -> str:
    """How the skill is built, if its ``package.json`` or a TypeScript configuration tells."""
    for place in (folder, *folder.parents[:2]):
        try:
            package = mapping(json.loads(read_start(place / "package.json") or "{}"))
        except (ValueError, RecursionError):
            continue
        if text(mapping(package.get("scripts")).get("build")):
            return f"npm run build in {place.name!r}"
        if (place / "tsconfig.json").is_file():
            return f"tsc in {place.name!r}"
    return ""


def network_failure(
    label: str, error: Mapping[str, Any], calls: tuple[str, ...]
) -> EnvironmentFailure | None:
    """Return the failure if a handler failed because it reaches no other host from here.

    `calls` are the hosts that it asked for. A host that answers with an error, or refuses, is none.
    """
    message = f"{text(error.get('message'))}\n{text(error.get('trace'))}"
    if not calls or not _NO_NETWORK.search(message):
        return None
    return EnvironmentFailure(
        f"{label}: the handler needs {', '.join(calls[:3])}, which cannot be reached from here: "
        f"{text(error.get('message'))[:200]} (see `network`)"
    )


def _declares(folder: Path, name: str, *, python: bool) -> bool:
    if name.startswith((".", "/")):
        return False
    if re.split(r"[./]", name)[0] in _OF_LAMBDA:
        return True
    return any(
        _is_same_library(library, name, python=python) for library in _declared_libraries(folder)
    )


def _is_same_library(declared: str, name: str, *, python: bool) -> bool:
    if not python:  # a part of a package, such as lodash/fp
        return name == declared or name.startswith(f"{declared}/")
    wanted = name.partition(".")[0].lower()
    wanted = _INSTALLED_AS.get(wanted, wanted).replace("_", "-")
    # ask-sdk brings ask_sdk_core, PyYAML is imported as yaml, python-dateutil as dateutil
    return wanted in declared or wanted.startswith(f"{declared}-")


def _lists_libraries(folder: Path) -> bool:
    places = (folder, *folder.parents[:2])
    names = ("requirements.txt", "package.json")
    return any((place / name).is_file() for place in places for name in names)


def _declared_libraries(folder: Path) -> Iterator[str]:
    """The libraries that the files around a handler name, up to two folders above it."""
    for place in (folder, *folder.parents[:2]):
        for line in read_start(place / "requirements.txt").splitlines():
            if match := re.match(r"\s*([A-Za-z0-9][\w.-]*)", line):
                yield match[1].lower().replace("_", "-")
        try:
            package = mapping(json.loads(read_start(place / "package.json") or "{}"))
        except (ValueError, RecursionError):
            continue
        yield from mapping(package.get("dependencies"))


def read_start(path: Path) -> str:
    """Return the beginning of a file that a skill brings; nothing if it cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return ""
