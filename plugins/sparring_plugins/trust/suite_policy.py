"""What a suite from a stranger may not do, found in its text before anything is imported."""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from sparring.discovery import catalog
from sparring.discovery.groups import GROUPS
from sparring.documents.reading import Document, Key, dotted
from sparring.errors import Problem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.trust.addresses import is_listed, why_not_public

FLAG = "--untrusted"
_REFERENCE = re.compile(r"(?<!\$)\$\{([A-Za-z_]\w*)")
_SCHEMES = ("http", "https", "ws", "wss")
_MAGIC = re.compile(r"[*?\[]")
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}

Leaf = tuple[tuple[Key, ...], Any]


@cache
def words() -> dict[str, Any]:
    """The lists of keys, parts and places; raises ValueError if the file has other lists."""
    data: dict[str, Any] = bundled_yaml("sparring_plugins.trust", "untrusted.yaml")
    expected = {
        *("keys", "not_keys", "defaults", "parts", "paths", "not_paths", "environment", "readable")
    }
    if data.keys() != expected:
        raise ValueError(f"untrusted.yaml: expected {sorted(expected)}")
    return data


def nodes(data: Any, at: tuple[Key, ...] = ()) -> Iterator[Leaf]:
    """Every key with its value and every item, at any depth."""
    if isinstance(data, dict):
        pairs: Iterator[tuple[Any, Any]] = iter(cast("dict[Any, Any]", data).items())
    elif isinstance(data, list):
        pairs = enumerate(cast("list[Any]", data))
    else:
        return
    for key, value in pairs:
        yield (*at, key), value
        yield from nodes(value, (*at, key))


class Consent:
    """Nothing outside of what is installed is imported by its path (``sparring validate``)."""

    def problems(self, document: Document, data: Any, path: Path) -> list[Problem]:
        """See `Policy.problems`: there are none."""
        return []

    def refuses_code(self, target: str) -> str | None:
        """See `Policy.refuses_code`."""
        if is_installed(target):
            return None
        return (
            f"{target!r} names code by its path, and importing it runs it: say --allow-code if "
            "you trust it"
        )


def is_installed(target: str) -> bool:
    """Whether the module of an import path belongs to something that is installed."""
    spec = PathFinder.find_spec(target.partition(":")[0].partition(".")[0])
    places = [*(spec.submodule_search_locations or ()), spec.origin or ""] if spec else []
    own = Path(__file__).parents[1].name
    return target.startswith(("sparring.", f"{own}.", "sparring_connectors.")) or any(
        "site-packages" in place or "dist-packages" in place for place in places
    )


@dataclass(frozen=True)
class Untrusted:
    """No code, no program, no file outside the suite's folder, no environment, no local network.

    `variables` and `addresses` are what the user allowed nevertheless.
    """

    variables: Collection[str] = ()
    addresses: Collection[str] = ()
    environment: Collection[str] = ()
    """The names that the environment had before it was emptied."""

    def problems(self, document: Document, data: Any, path: Path) -> list[Problem]:
        """See `Policy.problems`."""
        folder = path.absolute().parent
        return [
            document.problem(f"{message} ({FLAG})", at)
            for at, value in nodes(data)
            for message in self._messages(at, value, folder)
        ]

    def refuses_code(self, target: str) -> str | None:
        """See `Policy.refuses_code`."""
        return f"forbidden: {target!r} would import and run code by its path ({FLAG})"

    def _messages(self, at: tuple[Key, ...], value: Any, folder: Path) -> Iterator[str]:
        key = at[-1]
        if isinstance(value, str) and (key == "use" or _is_short_form(at)):
            yield from _part_problems(at, value)
        yield from _default_problems(at, value)
        if key in words()["keys"] and value not in (None, False) and not _is_part(at, value):
            yield f"forbidden: {key!r} would {words()['keys'][key]}"
        if not isinstance(value, str):
            return
        yield from self._variable_problems(value)
        if "://" in value or value.startswith("file:"):
            yield from self._address_problems(value)
        elif _is_path(at) and "${" not in value:
            yield from _path_problems(value, folder)

    def _variable_problems(self, value: str) -> Iterator[str]:
        for name in _REFERENCE.findall(value):
            if name in self.environment and name not in self.variables:
                yield (
                    f"forbidden: the environment variable {name!r} is not allowed; "
                    f"say --allow-env {name} if the suite may have it"
                )

    def _address_problems(self, value: str) -> Iterator[str]:
        try:
            parts = urlsplit(value)
            host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            return  # the connector says what is wrong with it
        if parts.scheme == "file":
            yield f"forbidden: {value!r} would read a file"
            return
        why = why_not_public(host)
        if why and parts.scheme in _SCHEMES and not is_listed(host, port, self.addresses):
            yield (
                f"forbidden: {host!r} is {why}; say --allow-address {host}:{port} if the "
                "suite may reach it"
            )


def _is_short_form(at: tuple[Key, ...]) -> bool:
    """Whether a text there is a part's name: at the top, in a list of parts, or where one nests."""
    in_list = len(at) == 2 and isinstance(at[1], int)
    return len(at) == 1 or in_list or _place(at) in words()["not_keys"]


def _place(at: tuple[Key, ...]) -> str:
    """Return the dotted path of a key; empty inside of a list, where no part nests."""
    return dotted(at) if all(isinstance(key, str) for key in at) else ""


def _default_problems(at: tuple[Key, ...], value: Any) -> Iterator[str]:
    """What speaks against a part that settings have if they name none, as `audio: {}` does."""
    if not isinstance(value, dict):
        return
    for setting, part in words()["defaults"].get(_place(at), {}).items():
        if setting not in value:
            yield f"forbidden: without {setting!r} it is {part!r}, which would " + (
                f"{words()['parts'][part]}; name another part"
            )


def _part_problems(at: tuple[Key, ...], name: str) -> Iterator[str]:
    """What speaks against a part: what it does, or whose it is."""
    if at[0] not in ("app", "agent", "strategy", "oracles", "reporters", "llm", "execution"):
        return
    if name in words()["parts"]:
        yield f"forbidden: {name!r} would {words()['parts'][name]}"
        return
    if os.environ.get(catalog.SWITCH):
        return  # the user has listed the packages
    for namespace in GROUPS:
        for listing in catalog.listings(namespace):
            own = catalog.normal_name(listing.package) == catalog.OWN
            if listing.name.rpartition(".")[2] == name and not own:
                yield (
                    f"forbidden: {name!r} comes from the package {listing.package}, whose parts "
                    f"do not obey {FLAG}; list it in {catalog.SWITCH} if you trust it with this"
                )
                return


def _is_part(at: tuple[Key, ...], value: Any) -> bool:
    """Return whether a key names a part there, and not a command: a list is always a command."""
    return isinstance(value, (str, dict)) and _place(at) in words()["not_keys"]


def _is_path(at: tuple[Key, ...]) -> bool:
    named = [key for key in at if isinstance(key, str)]
    if not named or named[-1] not in words()["paths"]:
        return False
    return not any(_holds(dotted(named), other) for other in words()["not_paths"])


def _holds(place: str, other: str) -> bool:
    return f".{other}." in f".{place}."


def _path_problems(value: str, folder: Path) -> Iterator[str]:
    """Why a path or pattern must not be used: it leads out of the suite's folder."""
    if value == "-":
        return  # standard output
    if value.startswith("~") or "\0" in value:
        yield f"forbidden: {value!r} leads out of the suite's folder"
        return
    fixed = Path(_MAGIC.split(value)[0]) if _MAGIC.search(value) else Path(value)
    home = folder.resolve()
    if not _is_below(folder / fixed, home) or ".." in Path(value).parts:
        yield f"forbidden: {value!r} leads out of the suite's folder"
        return
    if _MAGIC.search(value):
        for match in folder.glob(value):
            if not _is_below(match, home):
                shown = match.relative_to(folder)
                yield f"forbidden: {str(shown)!r} is a link that leads out of the suite's folder"
                return


def _is_below(path: Path, home: Path) -> bool:
    try:
        return path.resolve().is_relative_to(home)
    except (OSError, RuntimeError):  # a link to itself
        return False
