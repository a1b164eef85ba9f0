"""Tell suites from files of test cases, which commands take both."""

from pathlib import Path
from typing import Any, cast

from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError, Problem

_SUITE_KEYS = frozenset({"app", "agent", "oracles", "strategy"})


def is_suite(path: Path) -> bool:
    """Return whether a path is a suite, or a folder with one, and no file of test cases.

    Raises ConfigurationError if there is nothing at the path, or no YAML can be read from it.
    """
    if path.is_dir():
        return True
    if not path.exists():
        raise ConfigurationError(Problem("does not exist", str(path)))
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    data: Any = read_document(path).data
    return isinstance(data, dict) and bool(_SUITE_KEYS & set(cast("dict[Any, Any]", data)))
