"""What is installed, read from metadata only: no plugin code is imported here."""

import os
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sparring.errors import AmbiguousPlugin, UnknownPlugin, nearest_hint

SWITCH = "SPARRING_PLUGINS"
"""Environment variable: empty for no foreign plugin, or the distributions to allow."""

OWN = "sparring"


@dataclass(frozen=True, slots=True)
class Listing:
    """One advertised plugin."""

    name: str
    target: str
    package: str
    version: str
    requires: tuple[str, ...] = ()


def advertised(namespace: str) -> list[EntryPoint]:
    """The entry points of a group that the environment allows."""
    return list(_allowed(namespace, os.environ.get(SWITCH), _fingerprint()))


@lru_cache(maxsize=128)
def _allowed(
    namespace: str, switch: str | None, fingerprint: tuple[tuple[str, int], ...]
) -> tuple[EntryPoint, ...]:
    points: tuple[EntryPoint, ...] = tuple(_installed(fingerprint).select(group=namespace))
    if switch is None:
        return points
    names = {OWN, *(normal_name(name) for name in switch.split(",") if name.strip())}
    return tuple(ep for ep in points if ep.dist and normal_name(ep.dist.name) in names)


@lru_cache(maxsize=4)
def _installed(fingerprint: tuple[tuple[str, int], ...]) -> Any:
    """All entry points; read again only when a folder of the import path has changed."""
    return entry_points()


def _fingerprint() -> tuple[tuple[str, int], ...]:
    return tuple((path, _read_change_time(path)) for path in sys.path)


def _read_change_time(path: str) -> int:
    try:
        return os.stat(path or ".").st_mtime_ns  # noqa: PTH116 - a part is looked up often
    except OSError:
        return 0


def listings(namespace: str) -> list[Listing]:
    """Everything advertised in a group, clashes included, sorted by name."""
    unique = {_listing(ep) for ep in advertised(namespace)}
    return sorted(unique, key=lambda item: (item.name, item.package))


def names(namespace: str) -> list[str]:
    """The names of a group, each once, sorted."""
    return sorted({ep.name for ep in advertised(namespace)})


def for_role(namespace: str, name: str, role: str | None) -> str:
    """The entry point that `name` stands for if an agent of `role` is wanted.

    It is ``ROLE.NAME`` if that is installed, else the name itself.
    """
    if role is None or ":" in name:
        return name
    full = f"{role}.{name}"
    return full if full in names(namespace) else name


def only(namespace: str, name: str, label: str) -> Listing:
    """The single listing called `name`, or an error that says what to do."""
    by_name: dict[str, list[Listing]] = defaultdict(list)
    for item in listings(namespace):
        by_name[item.name].append(item)
    if name not in by_name:
        hint, installed = nearest_hint(name, by_name), ", ".join(by_name) or "none"
        raise UnknownPlugin(f"no {label} is called {name!r}.{hint} Installed: {installed}.")
    claims = by_name[name]
    if len(claims) > 1:
        owners = " and ".join(f"{c.package} {c.version} ({c.target})" for c in claims)
        raise AmbiguousPlugin(
            f"the {label} name {name!r} is claimed by {owners}. "
            f"Uninstall one of them, or name the class itself: {claims[0].target!r}."
        )
    return claims[0]


def normal_name(name: str) -> str:
    """Return the name of a distribution as all its spellings have it."""
    return name.strip().lower().replace("_", "-")


def _listing(ep: EntryPoint) -> Listing:
    if ep.dist is None:
        return Listing(ep.name, ep.value, "unknown", "?")
    return Listing(ep.name, ep.value, *_owner(ep.dist))


@lru_cache(maxsize=64)
def _owner(dist: Distribution) -> tuple[str, str, tuple[str, ...]]:
    """Name, version and requirements: each is read from the whole of the metadata's text.

    A distribution is the same object for as long as `_installed` is not read again.
    """
    return dist.name, dist.version, tuple(dist.requires or ())


# The commands that plugins add, as the help shows them: none of them is imported.

GROUP = "sparring.commands"
_SECTION = re.compile(r'^HELP_SECTION = "(\w+)"', re.MULTILINE)


def help_lines() -> list[tuple[str, str, str]]:
    """Each added command, its section, and the first sentence of its help; sorted by name.

    The section is what the command's module assigns to ``HELP_SECTION``, empty if nothing.
    """
    points = {point.name: point for point in advertised(GROUP)}
    parts = ((name, point.module, point.attr) for name, point in sorted(points.items()))
    return [(name, *_describe_function(module, function)) for name, module, function in parts]


def _describe_function(module: str, function: str) -> tuple[str, str]:
    """The section and the first sentence of a function's docstring, read from the source."""
    path = _source(module)
    text = path.read_text(encoding="utf-8") if path is not None else ""
    section = _SECTION.search(text)
    docstring = re.search(rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")', text, re.M | re.S)
    first, dot, _ = " ".join(docstring[1].split()).partition(". ") if docstring else ("", "", "")
    return section[1] if section else "", first + "." if dot else first


@lru_cache(maxsize=64)
def _folders(package: str) -> tuple[str, ...]:
    """The folders of a package, looked up once for all of its commands."""
    spec = PathFinder.find_spec(package)
    return tuple(spec.submodule_search_locations or ()) if spec else ()


def _source(module: str) -> Path | None:
    """The file of a module; None if there is none, as for a module in an archive."""
    top, *below = module.split(".")
    for folder in _folders(top):
        file = Path(folder, *below).with_suffix(".py")
        if file.is_file():
            return file
    return None
