"""Values from a function of a named Python file, where the suite allows it."""

import importlib.util
from pathlib import Path
from typing import Any, cast

from sparring.documents.checking import nearest, shown
from sparring_plugins.agents.user_simulator.source import Path_, Source

KEYS = ("file", "function_name", "args")


def python_list(source: Source, data: dict[Any, Any], at: Path_) -> list[Any] | str:
    """The list that the function returns, or a message saying why there is none."""
    for key in data:
        if key not in KEYS:
            return f"unknown key {shown(key)}.{nearest(str(key), KEYS)}"
    written, name = data.get("file"), data.get("function_name")
    if not isinstance(written, str) or not isinstance(name, str):
        return f"expected the texts file and function_name, found {shown(data)}"
    found, places = source.find(written)
    if found is None:
        looked = ", ".join(str(place.parent) for place in places)
        return f"the Python file {written!r} is not there; looked from {looked}"
    if not source.settings.allow_python:
        return (
            f"runs {name}() of the Python file {written!r}: set `allow_python: true` below "
            "`agent:` in the suite if you trust it"
        )
    return _called(found, name, data.get("args"))


def _called(file: Path, name: str, args: Any) -> list[Any] | str:
    """Import the file on its own and call the function; maps among the arguments are keywords."""
    listed = [] if args is None else cast("list[Any]", args) if isinstance(args, list) else [args]
    plain = [item for item in listed if not isinstance(item, dict)]
    keywords = {
        str(key): value
        for item in listed
        if isinstance(item, dict)
        for key, value in cast("dict[Any, Any]", item).items()
    }
    spec = importlib.util.spec_from_file_location(f"sparring_profile_{file.stem}", file)
    if spec is None or spec.loader is None:
        return f"{file} is no Python file"
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        result = getattr(module, name)(*plain, **keywords)
        return list(result) if isinstance(result, (list, tuple)) else _no_list(name, result)
    except (Exception, SystemExit) as err:  # noqa: BLE001 -- the author's code may raise anything
        return f"{name}() of {file.name} failed: {type(err).__name__}: {err}"


def _no_list(name: str, result: object) -> str:
    return f"{name}() must return a list, it returned {shown(result)}"
