"""Loading test cases from files of either kind."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from sparring.documents.reading import read
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.web.suites.case import TestCase
from sparring_plugins.web.suites.json_lines import read_json
from sparring_plugins.web.suites.published import published_cases
from sparring_plugins.web.suites.yaml_file import yaml_cases

SUFFIXES = (".yaml", ".yml", ".json")


def load_test_cases(
    paths: Path | Sequence[Path], *, tags: Iterable[str] = ()
) -> tuple[TestCase, ...]:
    """The test cases of files: our YAML, or the published tool's JSON (by their ending).

    With `tags` only the cases that have one of them. The names are made unique over all files.
    Raises ConfigurationError with a problem for each fault of each file.
    """
    problems: list[Problem] = []
    found: list[TestCase] = []
    for path in [paths] if isinstance(paths, Path) else paths:
        try:
            found += _load(path)
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    wanted = frozenset(tags)
    return tuple(case for case in _distinct(found) if not wanted or wanted & set(case.tags))


def _load(path: Path) -> list[TestCase]:
    if path.suffix.lower() not in SUFFIXES:
        what = f"is no file of test cases: they end in {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(what, str(path)))
    if path.suffix.lower() == ".json":
        return published_cases(read_json(path))
    return yaml_cases(read(path), path.parent)


def _distinct(cases: Sequence[TestCase]) -> list[TestCase]:
    """The cases with names that differ: the second 'Search' is called 'Search (2)'."""
    seen: Counter[str] = Counter()
    taken = {case.name for case in cases}
    found: list[TestCase] = []
    for case in cases:
        seen[case.name] += 1
        if seen[case.name] == 1:
            found.append(case)
            continue
        number = seen[case.name]
        while f"{case.name} ({number})" in taken:
            number += 1
        name = f"{case.name} ({number})"
        taken.add(name)
        note = f"the name '{case.name}' is given twice: this one is called '{name}'"
        found.append(case.model_copy(update={"name": name, "notes": (*case.notes, note)}))
    return found
