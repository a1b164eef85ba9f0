"""Reads a suite file and checks it, with the settings of its plugins, before anything runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.documents import reading
from sparring.documents.checking import checked, models_in, shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, PluginError, Problem
from sparring.interfaces.plugin import Plugin, Use, UseOf
from sparring.suite import environment, policy
from sparring.suite.model import ExecutionUse, LLMRole, LLMUse, OracleUse, StrategyUse, Suite

# Checks each plugin that a suite names, and its settings, before anything is built.

OWN: dict[str, type[Use]] = {
    "sparring.oracles": OracleUse,
    "sparring.llm_backends": LLMUse,
    "sparring.strategies": StrategyUse,
    "sparring.executors": ExecutionUse,
}
"""What the suite itself says beside `use`, for the groups if it says more."""


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
            message = f"{err}{_module_hint(err, document)}"
            problems.append(document.problem(message, (*place, "use")))
        except ConfigurationError as err:
            problems += err.problems
    return problems


def _module_hint(err: PluginError, document: Document) -> str:
    """Say in which folder near the suite a module lies that Python did not find."""
    home = Path(document.file or "").absolute().parent
    folder = drivers.found_in(err.__cause__, (Path.cwd(), home, home.parent))
    if folder is None or folder == Path.cwd():  # which the error names already
        return ""
    return f"; it is in {folder}: run 'python -m sparring' there, or put that on PYTHONPATH"


def load_part(marker: UseOf, name: str) -> type[Plugin[Any]]:
    """The class that a name stands for; raises PluginError, also for an agent's wrong role.

    If a role is wanted, ``model`` stands for the entry point ``ROLE.model`` if there is one:
    agents of several roles may share a name.
    """
    if ":" in name:
        policy.require_code_allowed(name)
    group = GROUPS[marker.group]
    plugin: type[Plugin[Any]] = drivers.load(
        group, catalog.for_role(group.namespace, name, marker.role)
    )
    if marker.role:
        role: str | None = getattr(plugin, "role", None)
        if role != marker.role:
            raise PluginError(f"the agent {name!r} has the role {role!r}, not {marker.role!r}")
    return plugin


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
        value, place = data.get(name), (*at, name)
        marker, many = _marker(info)
        if marker is not None and value is not None:
            named = _items(value, place) if many else [(place, value)]
            yield from ((where, item, marker) for where, item in named)
        elif isinstance(value, dict):  # a block of settings, as `conversation` of the prompter
            for block in models_in(info.annotation):
                yield from _uses(block, cast("dict[str, Any]", value), place)


def _items(several: Any, at: tuple[Key, ...]) -> Iterable[tuple[tuple[Key, ...], Any]]:
    keyed = isinstance(several, dict)
    items = cast("dict[str, Any]", several).items() if keyed else enumerate(several)
    return [((*at, key), item) for key, item in items]


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
        marker, _ = _marker_in(argument)
        if marker is not None:
            return marker, many
    return None, False


NAMES = ("suite.yaml", "suite.yml", "sparring.yaml", "sparring.yml")


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A valid suite, where it came from, and its data as written (references unexpanded)."""

    suite: Suite
    path: Path
    written: dict[str, Any]
    document: Document
    overrides: dict[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()

    @property
    def base_dir(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent


def find_suite(start: Path) -> Path:
    """The nearest suite file from a folder upwards; raises ConfigurationError."""
    for folder in (start, *start.parents):
        for name in NAMES:
            if (folder / name).is_file():
                return folder / name
    raise ConfigurationError(
        f"no suite is named, and no {NAMES[0]} lies in {start} or above. "
        "Make one with 'sparring init'."
    )


def load_suite(
    path: Path,
    overrides: Mapping[str, Any] | None = None,
    *,
    written: Mapping[str, Any] | None = None,
) -> LoadedSuite:
    """Read, expand and check a suite; raises ConfigurationError with all problems found.

    `overrides` maps dotted keys (``app.url``) to values that replace the file's. `written` is
    a suite's data to use instead of the file's, as stored in a run's manifest.
    """
    path = path if written is not None else _file(path)
    document = (
        reading.read_document(path, shown=_show_path(path))
        if written is None
        else Document(dict(written), str(path))
    )
    raw: Any = document.data
    if not isinstance(raw, dict):
        what = "is empty" if raw is None else f"holds {shown(raw)}"
        raise ConfigurationError(
            document.problem(f"{what}; expected a suite: keys such as name, app and agent")
        )
    data = cast("dict[str, Any]", raw)
    for key, value in (overrides or {}).items():
        override(data, key, value)
    as_written = dict(data)
    for key, value in defaults().items():
        data.setdefault(key, value)
    policy.require_allowed(document, document.data, path)
    expansion = environment.expand(document)
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    policy.require_allowed(document, expansion.data, path)
    suite = checked(Suite, document, data=expansion.data)
    problems = check_uses(Suite, document, expansion.data)
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))
    warnings = tuple(expansion.warnings)
    return LoadedSuite(suite, path, as_written, document, dict(overrides or {}), warnings)


def _file(path: Path) -> Path:
    """The suite file that a path names: itself, or the one in a folder."""
    if not path.is_dir():
        return path
    paths = [path / name for name in NAMES if (path / name).is_file()]
    if not paths:
        raise ConfigurationError(Problem(f"holds no {NAMES[0]}", str(path)))
    return paths[0]


def _show_path(path: Path) -> str:
    """A path as messages write it: relative to the current folder if it lies below."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def defaults() -> dict[str, Any]:
    """What a suite gets that is silent about a key."""
    text = files("sparring.suite").joinpath("defaults.yaml").read_text(encoding="utf-8")
    return cast("dict[str, Any]", reading.parse(text, "defaults.yaml").data)


def override(data: dict[str, Any], dotted: str, value: Any) -> None:
    """Replace the value of a dotted key (``app.url``) in plain data; raises ConfigurationError."""
    keys = dotted.split(".")
    place: Any = data
    for number, key in enumerate(keys):
        index: Any = key
        if isinstance(place, list):
            if not key.isdigit() or int(key) >= len(cast("list[Any]", place)):
                raise ConfigurationError(f"--set {dotted}: there is no item {key!r}")
            index = int(key)
        elif not isinstance(place, dict):
            raise ConfigurationError(f"--set {dotted}: {keys[number - 1]!r} holds no keys")
        inside = cast("Any", place)
        if number == len(keys) - 1:
            inside[index] = value
            return
        if index == key:
            inside.setdefault(key, {})
        if isinstance(inside[index], str):  # the short form of a plugin
            inside[index] = {"use": inside[index]}
        place = inside[index]
