"""Which version of its language a skill declares, held against the one that runs it here.

A skill for a newer Python or Node may fail to load here for no fault of its own: in Python 3.14 a
class may name itself in an annotation, in 3.11 that is a `NameError`.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

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
