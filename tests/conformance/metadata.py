"""What is installed compared with `pyproject.toml`: tests find plugins by what is installed."""

import tomllib
from collections.abc import Set
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REINSTALL = ".venv/bin/uv pip install --no-deps --no-build-isolation -e ."

EntryPoint = tuple[str, str, str]
"""Group, name and what it names."""


def declared_entry_points(pyproject: Path = ROOT / "pyproject.toml") -> Set[EntryPoint]:
    """The entry points of plugins that a `pyproject.toml` declares."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    return {
        (group, name, target)
        for group, members in project["entry-points"].items()
        for name, target in members.items()
    }


def installed_entry_points() -> Set[EntryPoint]:
    """The entry points of plugins in the metadata of the installed `sparring`."""
    return {
        (ep.group, ep.name, ep.value)
        for ep in distribution("sparring").entry_points
        if ep.group != "console_scripts"
    }


def require_installed(declared: Set[EntryPoint], installed: Set[EntryPoint]) -> None:
    """Fail if an entry point is not installed as it is declared, or is no longer declared.

    Otherwise ``pytest tests/conformance -k name`` deselects everything for a new name, and passes.
    """
    differing = sorted({f"{group}: {name}" for group, name, _ in declared ^ installed})
    if differing:
        pytest.fail(
            f"pyproject.toml and the installed metadata differ in {', '.join(differing)}. "
            f"Run `{REINSTALL}`, then the tests again",
            pytrace=False,
        )
