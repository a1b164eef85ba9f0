"""Failures of a handler that are this machine's: libraries not installed, no way out of it."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparring.errors import EnvironmentFailure
from sparring_connectors.alexa.shapes import mapping, text

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


def not_installed(
    label: str, error: Mapping[str, Any], folder: Path, *, python: bool
) -> EnvironmentFailure | None:
    """Return the failure if a handler lacks a library that its skill declares.

    What ``requirements.txt`` or ``package.json`` names, or Lambda has by itself, would be there
    if the skill were deployed: this machine lacks it. A library that the skill imports and nowhere
    declares is missing in Lambda, too, and the skill's own fault (None).
    """
    found = _MISSING.search(text(error.get("message")))
    if found is None:
        return None
    name = found["python"] or found["node"]
    if not _declares(folder, name, python=bool(found["python"])):
        return None
    how = (
        "install its requirements into a Python of its own and name that as `skill.python`"
        if python
        else "run npm install in the skill's folder"
    )
    return EnvironmentFailure(f"{label}: the library {name!r} is not installed here: {how}")


def unreachable(
    label: str, error: Mapping[str, Any], calls: tuple[str, ...]
) -> EnvironmentFailure | None:
    """Return the failure if a handler failed because it reaches no other host from here.

    `calls` are the hosts that it asked for. A host that answers with an error, or refuses, is none.
    """
    said = f"{text(error.get('message'))}\n{text(error.get('trace'))}"
    if not calls or not _NO_NETWORK.search(said):
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
    return any(_is_same(one, name, python=python) for one in _declared(folder))


def _is_same(declared: str, name: str, *, python: bool) -> bool:
    if not python:  # a part of a package, such as lodash/fp
        return name == declared or name.startswith(f"{declared}/")
    wanted = name.partition(".")[0].lower()
    wanted = _INSTALLED_AS.get(wanted, wanted).replace("_", "-")
    # ask-sdk brings ask_sdk_core, PyYAML is imported as yaml, python-dateutil as dateutil
    return wanted in declared or wanted.startswith(f"{declared}-")


def _declared(folder: Path) -> Iterator[str]:
    """The libraries that the files around a handler name, up to two folders above it."""
    for place in (folder, *folder.parents[:2]):
        for line in _read(place / "requirements.txt").splitlines():
            if found := re.match(r"\s*([A-Za-z0-9][\w.-]*)", line):
                yield found[1].lower().replace("_", "-")
        try:
            package = mapping(json.loads(_read(place / "package.json") or "{}"))
        except (ValueError, RecursionError):
            continue
        yield from mapping(package.get("dependencies"))


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return ""
