"""Suites as pytest's items (entry point ``pytest11``): the settings, and which files are suites.

A file called ``NAME.sparring.yaml`` is a suite whose cases are collected: conversations, or test
cases in plain language.
Loaded in every pytest run of everybody who has Sparring installed, so it imports nothing but
pytest itself.
"""

from fnmatch import fnmatch
from pathlib import Path

import pytest

#: Names of suites that are collected where they are named on the command line.
_SUITES = ("suite.yaml", "suite.yml", "sparring.yaml", "sparring.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings in pytest's configuration file."""
    parser.addini(
        "sparring_suites",
        "Files that are Sparring suites: patterns of names or paths.",
        type="args",
        default=["*.sparring.yaml", "*.sparring.yml"],
    )
    parser.addini(
        "sparring_inconclusive",
        "What a test case is that could not be decided: error, fail, allow or skip; if left out, "
        "what the suite's key gate.inconclusive says.",
        default="",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite: one whose name fits, or one that is named on the command line."""
    patterns: list[str] = parent.config.getini("sparring_suites")
    fits = any(fnmatch(file_path.name, one) or file_path.match(one) for one in patterns)
    named = file_path.name in _SUITES and parent.session.isinitpath(file_path)
    if not (fits or named):
        return None
    from sparring_plugins.execution.collected_suites import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
