"""What suites may do, as the command that reads them says; without a policy, all they ask for."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sparring.documents.reading import Document
from sparring.errors import ConfigurationError, PluginError, Problem

_ACTIVE: "list[Policy]" = []


class Policy(Protocol):
    """Something that a suite is checked against before any of its parts is imported."""

    def problems(self, document: Document, data: Any, path: Path) -> list[Problem]:
        """Return what is forbidden, with its place.

        `data` is the document's, or the same with references to the environment expanded.
        """
        ...

    def refuses_code(self, target: str) -> str | None:
        """Return why the code at an import path must not be imported; `None` if it may be."""
        ...


@contextmanager
def policed(policy: Policy) -> Generator[None]:
    """Check each suite that is read inside against a policy, besides those outside."""
    _ACTIVE.append(policy)
    try:
        yield
    finally:
        _ACTIVE.remove(policy)


def require_allowed(document: Document, data: Any, path: Path) -> None:
    """Raise ConfigurationError if a suite does what some policy forbids."""
    problems = [problem for each in _ACTIVE for problem in each.problems(document, data, path)]
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))


def require_code_allowed(target: str) -> None:
    """Raise PluginError if some policy forbids importing ``package.module:name``."""
    for each in _ACTIVE:
        why = each.refuses_code(target)
        if why is not None:
            raise PluginError(why)
