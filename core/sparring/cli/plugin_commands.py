"""The commands that plugins add: names and a line of help, without importing any of them."""

import ast
from importlib.machinery import PathFinder
from pathlib import Path

from sparring.discovery import catalog

GROUP = "sparring.commands"


def help_lines() -> list[tuple[str, str]]:
    """Each added command with the first sentence of its help, sorted by name."""
    points = {point.name: point for point in catalog.advertised(GROUP)}
    return [(name, _help_line(points[name].module, points[name].attr)) for name in sorted(points)]


def _help_line(module: str, attribute: str) -> str:
    """The first sentence of a function's docstring, read from the source of its module."""
    source = _source(module)
    if source is None:
        return ""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == attribute:
            paragraph = (ast.get_docstring(node) or "").partition("\n\n")[0]
            first, dot, _ = " ".join(paragraph.split()).partition(". ")
            return first + "." if dot else first
    return ""


def _source(module: str) -> Path | None:
    """The file of a module; None if there is none, as for a module in an archive."""
    top, *below = module.split(".")
    spec = PathFinder.find_spec(top)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, *below).with_suffix(".py")
        if file.is_file():
            return file
    return None
