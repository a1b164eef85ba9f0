"""Values from a function of a named Python file, where the suite allows it."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from sparring.documents.checking import nearest, shown
from sparring_plugins.users.profiles.profile_source import Source, listed, mapping

KEYS = ("file", "function_name", "args")


def python_list(source: Source, data: dict[Any, Any]) -> list[Any]:
    """The list that the function returns; raises ValueError saying why there is none."""
    for key in data:
        if key not in KEYS:
            raise ValueError(f"unknown key {shown(key)}.{nearest(str(key), KEYS)}")
    written, name = data.get("file"), data.get("function_name")
    if not isinstance(written, str) or not isinstance(name, str):
        raise ValueError(f"expected the texts file and function_name, found {shown(data)}")
    found = source.find(written, "Python file", within=True)
    if not source.settings.allow_python:
        raise ValueError(
            f"runs {name}() of the Python file {written!r}: set `allow_python: true` below "
            "`agent:` in the suite if you trust it"
        )
    return _called(found, name, data.get("args"))


def _called(file: Path, name: str, args: Any) -> list[Any]:
    """Import the file on its own and call the function; maps among the arguments are keywords."""
    items = [item for item, _ in listed(args, ())]
    plain = [item for item in items if mapping(item) is None]
    keywords = {str(key): value for item in items for key, value in (mapping(item) or {}).items()}
    try:
        result = getattr(_imported(file), name)(*plain, **keywords)
    except (Exception, SystemExit) as err:
        raise ValueError(f"{name}() of {file.name} failed: {type(err).__name__}: {err}") from err
    if not isinstance(result, (list, tuple)):
        raise ValueError(f"{name}() must return a list, it returned {shown(result)}")
    return list(result)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _imported(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"sparring_profile_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for their module there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module
