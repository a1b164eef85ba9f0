"""A suite file, read and checked whole before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from sparring.documents import reading
from sparring.documents.checking import checked, shown
from sparring.documents.reading import Document
from sparring.errors import ConfigurationError, Problem
from sparring.suite import environment
from sparring.suite.checking import check_uses
from sparring.suite.model import Suite

NAMES = ("suite.yaml", "suite.yml", "sparring.yaml", "sparring.yml")


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A valid suite, where it came from, and its data as written (references unexpanded)."""

    suite: Suite
    path: Path
    written: dict[str, Any]
    document: Document
    overrides: dict[str, Any] = field(default_factory=dict[str, Any])

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
        reading.read(path, shown=_shown(path))
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
    expansion = environment.expand(document)
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    suite = checked(Suite, document, data=expansion.data)
    problems = check_uses(Suite, document, expansion.data)
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))
    return LoadedSuite(suite, path, as_written, document, dict(overrides or {}))


def _file(path: Path) -> Path:
    """The suite file that a path names: itself, or the one in a folder."""
    if not path.is_dir():
        return path
    found = [path / name for name in NAMES if (path / name).is_file()]
    if not found:
        raise ConfigurationError(Problem(f"holds no {NAMES[0]}", str(path)))
    return found[0]


def _shown(path: Path) -> str:
    """A path as messages write it: from here, where it lies below."""
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
