"""The reference page of all entry-point groups, made from the code and from ``pyproject.toml``."""

import ast
import tomllib
from pathlib import Path

from sparring.discovery.groups import GROUPS

ROOT = Path(__file__).parents[2]
INTRODUCTION = """\
# Entry-point groups

A package adds parts to Sparring by entry points in these groups of its `pyproject.toml`. The bundled parts
come in through the same groups. Two packages that claim one name are refused with both names.

| group | what is registered | bundled |
| --- | --- | --- |
"""


def page() -> str:
    """One row per group: what its entry points are, and which names are bundled."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared: dict[str, dict[str, str]] = pyproject["project"]["entry-points"]
    meanings = _meanings()
    rows = ""
    for group in sorted(name for name in declared if name.startswith("sparring.")):
        names = ", ".join(f"`{name}`" for name in sorted(declared[group]))
        rows += f"| `{group}` | {_meaning(group, meanings)} | {names} |\n"
    return INTRODUCTION + rows


def _meaning(group: str, meanings: dict[str, str]) -> str:
    if group in GROUPS:
        found = GROUPS[group]
        return f"{found.label}: a subclass of `sparring.{found.interface.__name__}`"
    return meanings[group]


def _meanings() -> dict[str, str]:
    """The docstring of each constant that names a group, from the source."""
    meanings: dict[str, str] = {}
    for folder in ("core", "plugins"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if '"sparring.' in text:
                meanings |= _documented_constants(ast.parse(text))
    return meanings


def _documented_constants(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node, after in zip(tree.body, tree.body[1:], strict=False):
        match node, after:
            case (
                ast.Assign(value=ast.Constant(value=str(group))),
                ast.Expr(value=ast.Constant(value=str(doc))),
            ) if group.startswith("sparring."):
                line = " ".join(doc.split())
                line = line.removeprefix("Entry-point group of ").split(". ")[0].rstrip(".")
                found[group] = line.replace("``", "`")
            case _:
                pass
    return found
