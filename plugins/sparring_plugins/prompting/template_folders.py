"""Folders of template files: read, and misspelt names found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from sparring.errors import ConfigurationError, Problem

SHARED = Path(__file__).with_name("shared")
"""Templates for all: how an answer is sent back, and what a model is told of data blocks."""

SUFFIX = ".jinja"
OVERRIDE = "override"
"""The label of the layer that replaces files of ours."""

_MOST_FILES = 100
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class Layer:
    """The template files of one folder: the text by file name; `label` tells layers apart."""

    label: str
    folder: Path
    files: dict[str, str]

    def shown(self, name: str) -> str:
        """A file as messages name it."""
        return str(self.folder / name)


def read_layer(label: str, folder: Path) -> Layer:
    """Read the templates of a folder; raises ConfigurationError."""
    try:
        found = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as err:
        reason = err.strerror or str(err)
        raise ConfigurationError(
            Problem(f"is no folder of prompts: {reason}", str(folder))
        ) from err
    except ValueError as err:
        raise ConfigurationError(f"{str(folder)!r} is no folder: {err}") from err
    templates = [path for path in found if path.suffix == SUFFIX]
    if len(templates) > _MOST_FILES:
        message = f"holds {len(templates):,} templates, and at most {_MOST_FILES} are read"
        raise ConfigurationError(Problem(message, str(folder)))
    return Layer(label, folder, {path.name: _text(path) for path in templates})


def require_known(layer: Layer, ours: Sequence[str]) -> None:
    """Raise ConfigurationError where a folder of overrides replaces nothing, or misspells a name.

    Files that are called like none of ours may be there for others to extend or include, or
    replace prompts of another part: several parts may share a folder.
    """
    known = {*ours, *_bundled()}
    if not set(layer.files) & known:
        found = sorted(path.name for path in layer.folder.iterdir())[:5]
        close = _nearest(found, ours)
        hint = f"; did you mean {close[1]!r} instead of {close[0]!r}?" if close else ""
        message = f"replaces none of the prompts{hint} They are: {', '.join(sorted(ours))}"
        message = message if close else message.replace("prompts They", "prompts. They")
        raise ConfigurationError(Problem(message, str(layer.folder)))
    texts = "\n".join(layer.files.values())
    missing = [name for name in ours if name not in layer.files]
    for name in layer.files:
        if name in known or re.search(rf"""["']{re.escape(name)}["']""", texts):
            continue
        near = get_close_matches(name, missing, n=1, cutoff=0.8)
        if near:
            message = f"is no prompt and nothing refers to it; did you mean {near[0]!r}?"
            raise ConfigurationError(Problem(message, layer.shown(name)))


@cache
def _bundled() -> frozenset[str]:
    """The names of all prompts that any bundled part has."""
    package = Path(__file__).parents[1]
    return frozenset(path.name for path in package.glob(f"**/prompts/*{SUFFIX}"))


def _nearest(found: Sequence[str], ours: Sequence[str]) -> tuple[str, str] | None:
    stems = {Path(name).stem.casefold(): name for name in ours}
    for name in found:
        same = stems.get(Path(name).stem.casefold())
        if same:
            return name, same
        close = get_close_matches(name, ours, n=1)
        if close:
            return name, close[0]
    return None


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as err:
        message = f"cannot be read: {err.strerror or err}"
        raise ConfigurationError(Problem(message, str(path))) from err
    if len(raw) > _MOST_BYTES:
        message = f"has {len(raw):,} bytes, and a template at most {_MOST_BYTES:,}"
        raise ConfigurationError(Problem(message, str(path)))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw.count(b"\n", 0, err.start) + 1
        raise ConfigurationError(Problem("is not UTF-8", str(path), line)) from err
