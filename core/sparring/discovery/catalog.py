"""What is installed, read from metadata only: no plugin code is imported here."""

import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any

from sparring.errors import AmbiguousPlugin, UnknownPlugin

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
    names = {OWN, *(_normal(name) for name in switch.split(",") if name.strip())}
    return tuple(ep for ep in points if ep.dist and _normal(ep.dist.name) in names)


@lru_cache(maxsize=4)
def _installed(fingerprint: tuple[tuple[str, int], ...]) -> Any:
    """All entry points; read again only when a folder of the import path has changed."""
    return entry_points()


def _fingerprint() -> tuple[tuple[str, int], ...]:
    return tuple((path, _changed(path)) for path in sys.path)


def _changed(path: str) -> int:
    try:
        return os.stat(path or ".").st_mtime_ns  # noqa: PTH116 - a part is looked up often
    except OSError:
        return 0


def listings(namespace: str) -> list[Listing]:
    """Everything advertised in a group, clashes included, sorted by name."""
    found = {_listing(ep) for ep in advertised(namespace)}
    return sorted(found, key=lambda item: (item.name, item.package))


def names(namespace: str) -> list[str]:
    """The names of a group, each once, sorted."""
    return sorted({ep.name for ep in advertised(namespace)})


def for_role(namespace: str, name: str, role: str | None) -> str:
    """The entry point that `name` stands for where an agent of `role` is wanted.

    It is ``ROLE.NAME`` where that is installed, else the name itself.
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
        close = get_close_matches(name, by_name, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownPlugin(
            f"no {label} is called {name!r}.{hint} Installed: {', '.join(by_name) or 'none'}."
        )
    claims = by_name[name]
    if len(claims) > 1:
        owners = " and ".join(f"{c.package} {c.version} ({c.target})" for c in claims)
        raise AmbiguousPlugin(
            f"the {label} name {name!r} is claimed by {owners}. "
            f"Uninstall one of them, or name the class itself: {claims[0].target!r}."
        )
    return claims[0]


def mismatch(listing: Listing) -> str | None:
    """Why a plugin's package does not fit this Sparring, from its requirements; None if it does."""
    from packaging.requirements import InvalidRequirement, Requirement

    from sparring import __version__

    for text in listing.requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if _normal(requirement.name) == OWN and not requirement.specifier.contains(
            __version__, prereleases=True
        ):
            return f"it requires sparring{requirement.specifier}, this is {__version__}"
    return None


def _normal(name: str) -> str:
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
