"""Test cases in plain language: what is doubtful about them, for ``sparring lint``."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sparring.discovery.hookspecs import hookimpl

if TYPE_CHECKING:
    from sparring_plugins.output.lint_findings import LintFinding


@hookimpl
def sparring_lint_files(paths: list[Path]) -> "Iterable[LintFinding] | None":
    """Look at files of test cases in our YAML or in the published tool's JSON."""
    from sparring_plugins.web.suites.lint import lint_cases
    from sparring_plugins.web.suites.loading import SUFFIXES, load_test_cases

    if any(path.suffix.lower() not in SUFFIXES for path in paths):
        return None
    return lint_cases(load_test_cases(paths))
