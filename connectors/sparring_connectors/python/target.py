"""The Python object that `target` names: in an installed module, or in a file of the suite's."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem, nearest_hint

KEY = "app.target"


def check_target(target: str, folder: Path) -> None:
    """Raise ConfigurationError if a target is badly written, or its file is missing.

    `target` is ``package.module:name`` or ``path/to/file.py:name``; paths are relative to `folder`.
    Nothing is imported.
    """
    place, _, name = target.rpartition(":")
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise _problem(
            f"expected package.module:name or file.py:name, found {target!r}"
            + ("; name the function or class behind a colon" if not place else "")
        )
    if not _is_file(place):
        if not all(part.isidentifier() for part in place.split(".")):
            raise _problem(f"{place!r} is neither a module's name nor a path that ends with .py")
        return
    file = folder / place
    if not file.is_file():
        others = [path.name for path in file.parent.glob("*.py")] if file.parent.is_dir() else []
        listed = f" Python files there: {', '.join(sorted(others)) or 'none'}."
        hint = nearest_hint(file.name, others) or listed
        raise _problem(f"there is no file {place!r}, as seen from {folder.name or folder}.{hint}")


def load_target(target: str, folder: Path) -> Any:
    """Import what `target` names, a file each time anew; raises ConfigurationError saying why not.

    Files import their neighbours as a script does: their own folder is searched meanwhile.
    """
    check_target(target, folder)
    place, _, name = target.rpartition(":")
    try:
        if _is_file(place):
            module = _import_file(folder / place)
        else:
            module = _with_path(folder, lambda: importlib.import_module(place))
    except (Exception, SystemExit) as err:
        raise _problem(f"{place!r} cannot be imported: {type(err).__name__}: {err}") from err
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise _problem(f"{place!r} has no {part!r}.{nearest(part, _public_names(found))}")
        found = getattr(found, part)
    return found


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a callable has a parameter of this name that can be given by keyword."""
    try:
        parameter = inspect.signature(function).parameters.get(name)
    except (TypeError, ValueError):  # built-in callables may have no signature
        return False
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return parameter is not None and parameter.kind in by_keyword


def _is_file(place: str) -> bool:
    return place.endswith(".py")


def _import_file(file: Path) -> Any:
    name = f"sparring_app_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader
    sys.modules[name] = module  # dataclasses and pickles look for their module there
    _with_path(file.parent, lambda: loader.exec_module(module))
    return module


def _with_path(folder: Path, load: Callable[[], Any]) -> Any:
    """Import with a folder searched last, so that it hides no installed module."""
    entry = str(folder.resolve())
    sys.path.append(entry)
    try:
        return load()
    finally:
        sys.path.remove(entry)


def _public_names(found: Any) -> list[str]:
    return [name for name in dir(found) if not name.startswith("_")]


def _problem(text: str) -> ConfigurationError:
    return ConfigurationError(Problem(f"{KEY}: {text}"))
