"""Checks each plugin that a suite names, and its settings, before anything is built."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparring.discovery import drivers
from sparring.discovery.groups import GROUPS
from sparring.documents.checking import checked
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, PluginError, Problem
from sparring.interfaces.plugin import Plugin, UseOf
from sparring.suite.model import OracleUse

RESERVED = frozenset({"use"})
ORACLE_KEYS = frozenset(OracleUse.model_fields)


def check_uses(
    model: type[BaseModel], document: Document, data: Any, at: tuple[Key, ...] = ()
) -> list[Problem]:
    """Problems of all plugins named in fields of `model`, and below them.

    `data` is the document's data with references expanded; `at` where `model` stands in it.
    """
    problems: list[Problem] = []
    for place, value, marker in _uses(model, data, at):
        try:
            problems += _check_use(document, place, value, marker)
        except PluginError as err:
            problems.append(document.problem(str(err), (*place, "use")))
        except ConfigurationError as err:
            problems += err.problems
    return problems


def load_part(marker: UseOf, name: str) -> type[Plugin[Any]]:
    """The class that a name stands for; raises PluginError, also for an agent's wrong role."""
    group = GROUPS[marker.group]
    found: type[Plugin[Any]] = drivers.load(group, name)
    if marker.role:
        role: str | None = getattr(found, "role", None)
        if role != marker.role:
            raise PluginError(f"the agent {name!r} has the role {role!r}, not {marker.role!r}")
    return found


def settings_of(value: Any, marker: UseOf) -> dict[str, Any]:
    """The settings beside ``use``, without the keys that are the suite's own."""
    if isinstance(value, str):
        return {}
    own = ORACLE_KEYS if marker.group == "sparring.oracles" else RESERVED
    return {key: item for key, item in value.items() if key not in own}


def _check_use(document: Document, at: tuple[Key, ...], value: Any, marker: UseOf) -> list[Problem]:
    name = value if isinstance(value, str) else value["use"]
    part = load_part(marker, name)
    settings = settings_of(value, marker)
    checked(part.Config, document, at, data=settings)
    return check_uses(part.Config, document, settings, at)


def _uses(
    model: type[BaseModel], data: Any, at: tuple[Key, ...]
) -> Iterator[tuple[tuple[Key, ...], Any, UseOf]]:
    """Each value in `data` that names a plugin: its path, the value, what it takes."""
    for name, info in model.model_fields.items():
        if name not in data or data[name] is None:
            continue
        marker, many = _marker(info)
        if marker is None:
            continue
        if not many:
            yield (*at, name), data[name], marker
            continue
        for index, item in enumerate(data[name]):
            yield (*at, name, index), item, marker


def _marker(info: FieldInfo) -> tuple[UseOf | None, bool]:
    for item in info.metadata:
        if isinstance(item, UseOf):
            return item, False
    return _marker_in(info.annotation)


def _marker_in(annotation: Any) -> tuple[UseOf | None, bool]:
    if get_origin(annotation) is Annotated:
        for item in get_args(annotation)[1:]:
            if isinstance(item, UseOf):
                return item, False
    many = get_origin(annotation) in (tuple, list)
    for argument in get_args(annotation):
        found, _ = _marker_in(argument)
        if found is not None:
            return found, many
    return None, False
