"""Files of test cases in YAML: see docs/reference/gui-test-cases.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from sparring.documents.checking import checked
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, Problem
from sparring.suite.environment import expand
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.roles.step import Step
from sparring_plugins.web.suites.case import Indexing, TestCase, aligned
from sparring_plugins.web.suites.file_model import CaseEntry, CaseFile, StepEntry
from sparring_plugins.web.suites.tables import rows_of
from sparring_plugins.web.suites.variables import filled_step, filled_text


def yaml_cases(document: Document, folder: Path) -> list[TestCase]:
    """The test cases of a document, a table's row each; raises ConfigurationError."""
    expansion = expand(document)
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    file = checked(CaseFile, document, data=expansion.data)
    problems: list[Problem] = []
    found: list[TestCase] = []
    for index, entry in enumerate(file.tests):
        reader = _Reader(document, folder, file, entry, ("tests", index), problems)
        found += reader.cases()
    if problems:
        raise ConfigurationError(*problems)
    return found


class _Reader:
    """Makes the cases of one entry."""

    def __init__(
        self, document: Document, folder: Path, file: CaseFile, entry: CaseEntry,
        at: tuple[Key, ...], problems: list[Problem],
    ) -> None:  # fmt: skip
        self._document, self._folder, self._file = document, folder, file
        self._entry, self._at, self._problems = entry, at, problems

    def cases(self) -> list[TestCase]:
        """One case, or one per row of its table."""
        self._check_what_varies()
        if self._entry.data is None:
            return [self._case({}, "")]
        try:
            rows = rows_of(self._entry.data, self._folder)
        except ConfigurationError as err:
            at = (*self._at, "data")
            self._problems += [p if p.file else self._problem(p.message, at) for p in err.problems]
            return []
        names = [_label(row, number) for number, row in enumerate(rows, 1)]
        return [self._case(row, f" [{name}]") for row, name in zip(rows, names, strict=True)]

    def _check_what_varies(self) -> None:
        """What varies is in no table and no list of secrets, and has values, each once."""
        entry, at = self._entry, (*self._at, "vary")
        rows = entry.data if isinstance(entry.data, tuple) else ()
        taken = {*self._file.secrets, *(name for row in rows for name in row)}
        for name, values in entry.vary.items():
            if name in taken:
                self._problems.append(self._problem("is given elsewhere, too", (*at, name)))
            if not values:
                self._problems.append(self._problem("has no values", (*at, name)))
            if len(set(values)) < len(values):
                self._problems.append(self._problem("has a value twice", (*at, name)))
        if entry.where and not entry.vary:
            told = "is about what varies, and nothing does: add `vary`"
            self._problems.append(self._problem(told, (*self._at, "where")))

    def _problem(self, message: str, at: Sequence[Key]) -> Problem:
        return self._document.problem(message, at)

    def _case(self, row: Mapping[str, str], suffix: str) -> TestCase:
        entry, file = self._entry, self._file
        values = {**file.variables, **entry.variables, **row}
        values = {name: value for name, value in values.items() if name not in entry.vary}
        steps, own = self._steps(entry.steps, (*self._at, "steps"), values)
        expected, indexing = self._expected(steps, own)
        skip = entry.skip if isinstance(entry.skip, str) else "skipped" if entry.skip else None
        return TestCase(
            name=" ".join((entry.name + suffix).split()), title=entry.name,
            description=entry.description,
            tags=tuple(dict.fromkeys((*file.tags, *entry.tags))), start=self._start(values),
            setup=self._steps(file.setup, ("setup",), values)[0], steps=steps,
            teardown=self._steps(file.teardown, ("teardown",), values)[0],
            expected=expected, indexing=indexing, variables=values, secrets=file.secrets,
            vary=entry.vary, where=entry.where,
            repeat=entry.repeat if "repeat" in entry.model_fields_set else file.repeat,
            skip=skip, file=self._document.file, line=self._document.line(self._at),
        )  # fmt: skip

    def _start(self, values: Mapping[str, str]) -> str | None:
        parts = [filled_text(one, values) for one in (self._file.start, self._entry.start) if one]
        try:
            return urljoin(parts[0], parts[1]) if len(parts) == 2 else next(iter(parts), None)
        except ValueError as err:
            self._problems.append(self._problem(f"is no address: {err}", (*self._at, "start")))
            return None

    def _steps(
        self, entries: Sequence[StepEntry], at: tuple[Key, ...], values: Mapping[str, str]
    ) -> tuple[tuple[Step, ...], list[bool | None]]:
        """The steps, and what each expects by itself; a sentence may give several."""
        lines = _lines(self._document, at, len(entries))
        found: list[Step] = []
        own: list[bool | None] = []
        for entry, line in zip(entries, lines, strict=True):
            text = filled_text(entry.step, values, safe_only=True)
            steps = read_steps(text, number=len(found) + 1, line=line)
            found += [filled_step(step, values) for step in steps]
            own += [entry.expected if step is steps[-1] else None for step in steps]
        return tuple(found), own

    def _expected(
        self, steps: tuple[Step, ...], own: list[bool | None]
    ) -> tuple[tuple[bool | None, ...], Indexing | None]:
        given = self._entry.expected
        default = tuple(
            value if value is not None else True if is_assertion(step) else None
            for step, value in zip(steps, own, strict=True)
        )
        if given is None:
            return default, None
        at = (*self._at, "expected")
        if any(value is not None for value in own):
            self._problems.append(self._problem("is given for the case and for a step", at))
            return default, None
        found = aligned(given, steps)
        if found is None:
            asserting = sum(is_assertion(step) for step in steps)
            self._problems.append(
                self._problem(
                    f"has {len(given)} values, which fits neither the {len(steps)} steps "
                    f"nor the {asserting} assertions", at,
                )
            )  # fmt: skip
            return default, None
        return found


def _lines(document: Document, at: tuple[Key, ...], number: int) -> list[int | None]:
    """The line of each step: of its item, or within a text of several lines."""
    data: Any = document.data
    try:
        for key in at:
            data = data[key]
    except (LookupError, TypeError):
        return [None] * number
    if not isinstance(data, str):
        return [document.line((*at, index)) for index in range(number)]
    first = (document.line(at) or 0) + (1 if "\n" in data else 0)
    lines = [
        first + offset
        for offset, line in enumerate(data.splitlines())
        if line.strip() and not line.strip().startswith("#")
    ]
    return [*lines[:number], *([None] * (number - len(lines)))]


def _label(row: Mapping[str, str], number: int) -> str:
    """What a row is called: its ``name``, else its values."""
    if row.get("name"):
        return row["name"]
    said = ", ".join(value for value in row.values() if value)
    return said if 0 < len(said) <= 60 else f"row {number}"
