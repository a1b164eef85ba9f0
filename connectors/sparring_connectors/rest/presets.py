"""Presets: descriptions of known kinds of apps, each a YAML file in the folder `presets`."""

from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sparring.documents.checking import nearest
from sparring.documents.reading import read

FOLDER = Path(__file__).with_name("presets")

_WHOLE = frozenset({"body"})
"""Keys whose value is data of the app's, so that one given replaces the preset's whole."""


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The known presets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@lru_cache(maxsize=32)
def _settings(name: str) -> dict[str, Any]:
    settings: dict[str, Any] = read(FOLDER / f"{name}.yaml", shown=f"preset {name}").data
    return settings


def known(name: str) -> str:
    """Check a preset's name; raises ValueError that names the nearest one."""
    if name not in names():
        raise ValueError(f"unknown preset {name!r}.{nearest(name, names())}")
    return name


def with_preset(data: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the preset's filled in where they are not given.

    Maps are filled in key by key, except a body; null takes a preset's setting away.
    """
    name = data.get("preset")
    if not isinstance(name, str) or name not in names():
        return dict(data)  # an unknown one is refused by `known`
    defaults = deepcopy(_settings(name))
    filled = _merged(defaults, data)
    if "path" not in data and isinstance(filled.get("url"), str):
        filled["url"] = _without_path(filled["url"], defaults.get("path", ""))
    return filled


def _merged(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(defaults)
    for key, value in given.items():
        default = merged.get(key)
        if isinstance(value, dict) and isinstance(default, dict) and key not in _WHOLE:
            merged[key] = _merged(default, value)  # pyright: ignore[reportUnknownArgumentType]
        elif value is None and key in defaults:
            del merged[key]
        else:
            merged[key] = value
    return merged


def _without_path(url: str, path: str) -> str:
    """An address that was pasted with the preset's own path, without it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url  # refused where addresses are checked
    if path and parts.path.rstrip("/").endswith(path.rstrip("/")):
        kept = parts.path.rstrip("/").removesuffix(path.rstrip("/"))
        return urlunsplit(parts._replace(path=kept))
    return url
