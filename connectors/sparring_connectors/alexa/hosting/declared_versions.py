"""Which version of its language a skill declares, held against the one that runs it here.

A skill for a newer Python or Node may fail to load here for no fault of its own: in Python 3.14 a
class may name itself in an annotation, in 3.11 that is a `NameError`.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from sparring.errors import ConfigurationError
from sparring_connectors.alexa.hosting.host import read_start, unstartable
from sparring_connectors.alexa.shapes import mapping, text


def version_failure(
    label: str, folder: Path, version: str, *, python: bool
) -> ConfigurationError | None:
    """Return the failure of a skill that declares another version; `None` if this one will do.

    `version` is that of the Python or Node that tried to load the handler in `folder`.
    """
    language = "Python" if python else "Node"
    for place in (folder, *folder.parents[:2]):
        for wanted in _declared(place, python=python):
            if not _fits(version, wanted):
                why = f"it declares {language} {wanted}, and {version} runs it here"
                mend = f"name a {language} that fits as `skill.{language.lower()}`"
                return unstartable(label, why, mend)
    return None


def _declared(folder: Path, *, python: bool) -> Iterator[str]:
    try:
        if python:
            project = tomllib.loads(read_start(folder / "pyproject.toml"))
            yield text(mapping(project.get("project")).get("requires-python"))
        else:
            package = mapping(json.loads(read_start(folder / "package.json") or "{}"))
            yield text(mapping(package.get("engines")).get("node"))
    except (ValueError, RecursionError):
        return


def _fits(version: str, wanted: str) -> bool:
    """Whether a version fits; true if what is declared cannot be read, as ``18.x || 20``."""
    try:
        return Version(version) in SpecifierSet(wanted)
    except (InvalidSpecifier, InvalidVersion):
        return True


# What a version of a library offers

_NOT_OFFERED = re.compile(
    r"Package subpath '[^'\n]{1,300}' is not defined by \"exports\""
    r" in (?P<package>[^\"\n]{1,1000}json)"
)
_VERSION = re.compile(r"(?P<sign>[\^~]?)(?P<numbers>\d+\.\d+\.\d+)$")


def imports_what_is_not_offered(error: Mapping[str, Any], folder: Path) -> bool:
    """Return whether a skill for Node imports a file that the version it declares does not offer.

    ``require("axios/dist/browser/axios.cjs")`` with axios 1.4.0 both declared and installed fails
    in Lambda as it does here, so that no other installation would mend it.
    """
    match = _NOT_OFFERED.search(text(error.get("message")))
    if match is None:
        return False
    installed = _package(Path(match["package"]))
    name, version = text(installed.get("name")), text(installed.get("version"))
    declared = mapping(_package(folder / "package.json").get("dependencies"))
    return bool(name) and _is_version_of(version, text(declared.get(name)))


def _package(path: Path) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(read_start(path) or "{}"))
    except (ValueError, RecursionError):
        return {}


def _is_version_of(version: str, declared: str) -> bool:
    """Whether a version is one of those declared; false for forms such as ``>=1 <3``."""
    wanted = _VERSION.match(declared.strip())
    numbers = version.split(".")
    if wanted is None or len(numbers) < 3:
        return False
    same = {"": 3, "~": 2, "^": 1}[wanted["sign"]]
    return numbers[:same] == wanted["numbers"].split(".")[:same]
