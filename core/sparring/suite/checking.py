"""Checks each plugin that a suite names, and its settings, before anything is built."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.documents.checking import checked
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, PluginError, Problem
from sparring.interfaces.plugin import Plugin, Use, UseOf
from sparring.suite.model import LLMRole, LLMUse, OracleUse, StrategyUse

OWN: dict[str, type[Use]] = {
    "sparring.oracles": OracleUse,
    "sparring.llm_backends": LLMUse,
    "sparring.strategies": StrategyUse,
}
"""What the suite itself says beside `use`, for the groups where it says more."""


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
            told = f"{err}{_lies(err, document)}"
            problems.append(document.problem(told, (*place, "use")))
        except ConfigurationError as err:
            problems += err.problems
    return problems


def _lies(err: PluginError, document: Document) -> str:
    """Where the module of an import path lies that Python does not look for, if near the suite."""
    home = Path(document.file or "").absolute().parent
    here = Path.cwd(), home, home.parent  # the first is told of already
    found = drivers.found_in(err.__cause__, here)
    if found is None or found == here[0]:
        return ""
    return f"; it is in {found}: run 'python -m sparring' there, or put that on PYTHONPATH"


def load_part(marker: UseOf, name: str) -> type[Plugin[Any]]:
    """The class that a name stands for; raises PluginError, also for an agent's wrong role.

    Where a role is wanted, ``model`` stands for the entry point ``ROLE.model`` if there is one:
    agents of several roles may share a name.
    """
    group = GROUPS[marker.group]
    found: type[Plugin[Any]] = drivers.load(
        group, catalog.for_role(group.namespace, name, marker.role)
    )
    if marker.role:
        role: str | None = getattr(found, "role", None)
        if role != marker.role:
            raise PluginError(f"the agent {name!r} has the role {role!r}, not {marker.role!r}")
    return found


def settings_of(value: Any, marker: UseOf) -> dict[str, Any]:
    """The settings beside ``use``, without the keys that are the suite's own."""
    if isinstance(value, str):
        return {}
    own = OWN.get(marker.group, Use).model_fields
    return {key: item for key, item in value.items() if key not in own}


def _check_use(document: Document, at: tuple[Key, ...], value: Any, marker: UseOf) -> list[Problem]:
    name = value if isinstance(value, str) else value["use"]
    part = load_part(marker, name)
    settings = settings_of(value, marker)
    beside = OWN.get(marker.group, Use).model_fields.keys()
    checked(part.Config, document, at, data=settings, beside=beside)
    problems = check_uses(part.Config, document, settings, at)
    if marker.group == "sparring.llm_backends" and isinstance(value, dict):
        problems += _check_roles(document, at, cast("dict[str, Any]", value), marker)
    return problems


def _check_roles(
    document: Document, at: tuple[Key, ...], value: dict[str, Any], marker: UseOf
) -> list[Problem]:
    """Problems of the models of single roles, each with the settings that it takes over."""
    use = LLMUse.model_validate(value)
    problems: list[Problem] = []
    for role in use.roles:
        place = (*at, "roles", role)
        merged = use.for_role(role)
        try:
            part = load_part(marker, merged.use)
            checked(part.Config, document, place, data=merged.settings, beside=LLMRole.model_fields)
        except PluginError as err:
            problems.append(document.problem(str(err), place))
        except ConfigurationError as err:
            problems += err.problems
    return problems


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
        for key, item in _items(data[name]):
            yield (*at, name, key), item, marker


def _items(several: Any) -> Iterable[tuple[Key, Any]]:
    if isinstance(several, dict):
        return cast("dict[str, Any]", several).items()
    return enumerate(cast("list[Any]", several))


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
    many = get_origin(annotation) in (tuple, list, dict)
    for argument in get_args(annotation):
        found, _ = _marker_in(argument)
        if found is not None:
            return found, many
    return None, False
