"""Loading test cases from our YAML or from the published tool's JSON.

Suites of the published tool are lists of ``{"name", "actions", "expected"}``. Their dirty data is
accepted and noted: duplicate names, blanks around a step, values of `expected` by assertion or by
action, unknown keys.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from sparring.documents.checking import shown
from sparring.documents.reading import MAX_BYTES, MAX_DEPTH, Document, Key, read_document
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.step import Step
from sparring_plugins.web.suites.case import Indexing, TestCase, align_expected
from sparring_plugins.web.suites.yaml_file import yaml_cases

_TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def read_json(path: Path, shown: str | None = None) -> Document:
    """Read a JSON file; raises ConfigurationError naming file and line."""
    name = shown or str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as err:
        cause = getattr(err, "strerror", None) or err
        raise ConfigurationError(Problem(f"cannot be read: {cause}", name)) from err
    if len(raw) > MAX_BYTES:
        raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", name))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw[: err.start].count(b"\n") + 1
        raise ConfigurationError(Problem("is not UTF-8 text", name, line)) from err
    return parse_json(text, name)


def parse_json(text: str, name: str) -> Document:
    """Parse a JSON text and keep the lines; raises ConfigurationError naming the line."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as err:
        message = f"is not valid JSON: {err.msg} (column {err.colno})"
        raise ConfigurationError(Problem(message, name, err.lineno)) from err
    except (RecursionError, ValueError) as err:  # nested too deeply, a number of too many digits
        raise ConfigurationError(Problem(f"is not valid JSON: {err}", name)) from err
    try:
        return Document(data, name, _LineWalker(text).lines())
    except _TooDeep:
        message = f"nested deeper than {MAX_DEPTH} levels"
        raise ConfigurationError(Problem(message, name)) from None


class _TooDeep(Exception):
    """The text is nested too deeply."""


class _LineWalker:
    """Goes through the tokens of a valid JSON text and records the line of every key and item."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKENS.finditer(text)
        self._lines: dict[tuple[Key, ...], int] = {}
        self._at, self._line = 0, 1

    def lines(self) -> dict[tuple[Key, ...], int]:
        """Return the line of every key and item, from 1."""
        self._value(self._next(), ())
        return self._lines

    def _next(self) -> str:
        match: Any = next(self._tokens)
        self._line += self._text.count("\n", self._at, match.start())
        self._at = match.start()
        return str(match[0])

    def _value(self, token: str, at: tuple[Key, ...]) -> None:
        self._lines[at] = self._line
        if len(at) > MAX_DEPTH:
            raise _TooDeep
        if token == "[":
            self._items(at)
        elif token == "{":
            self._pairs(at)

    def _items(self, at: tuple[Key, ...]) -> None:
        token, index = self._next(), 0
        while token != "]":
            if token != ",":
                self._value(token, (*at, index))
                index += 1
            token = self._next()

    def _pairs(self, at: tuple[Key, ...]) -> None:
        token = self._next()
        while token != "}":
            if token != ",":
                key = str(json.loads(token, strict=False))
                line = self._line
                self._next()  # the colon
                self._value(self._next(), (*at, key))
                self._lines[(*at, key)] = line
            token = self._next()


_KEYS = frozenset({"name", "actions", "expected"})


def published_cases(document: Document) -> list[TestCase]:
    """Return the test cases of a document; raises ConfigurationError with all its problems."""
    data: Any = document.data
    at: tuple[Key, ...] = ()
    if isinstance(data, dict) and isinstance(cast("dict[str, Any]", data).get("tests"), list):
        data, at = cast("dict[str, Any]", data)["tests"], ("tests",)
    if not isinstance(data, list):
        message = "expected a list of test cases, each with 'name' and 'actions'"
        raise ConfigurationError(document.problem(f"{message}, found {shown(data)}", at))
    problems: list[Problem] = []
    cases: list[TestCase] = []
    for index, item in enumerate(cast("list[Any]", data)):
        case = _read_case(document, (*at, index), item, problems)
        if case is not None:
            cases.append(case)
    if not cases and not problems:
        problems.append(document.problem("holds no test cases", at))
    if problems:
        raise ConfigurationError(*problems)
    return cases


def _read_case(
    document: Document, at: tuple[Key, ...], item: Any, problems: list[Problem]
) -> TestCase | None:
    if not isinstance(item, dict):
        message = f"expected a test case with 'name' and 'actions', found {shown(item)}"
        problems.append(document.problem(message, at))
        return None
    entry = cast("dict[str, Any]", item)
    steps = _read_actions(document, (*at, "actions"), entry.get("actions"), problems)
    if steps is None:
        return None
    raw_name: Any = entry.get("name")
    title = str(raw_name).strip() if isinstance(raw_name, (str, int, float)) else ""
    name = " ".join(title.split()) or f"test {int(cast('int', at[-1])) + 1}"
    expected, indexing, notes = _read_expectations(
        document, at, entry.get("expected"), steps, problems
    )
    notes += [f"the key '{key}' is not known" for key in entry if key not in _KEYS]
    notes += [] if title else ["has no name"]
    return TestCase(
        name=name, title=title, steps=steps, expected=expected, indexing=indexing,
        notes=tuple(notes), file=document.file, line=document.line(at),
    )  # fmt: skip


def _read_actions(
    document: Document, at: tuple[Key, ...], actions: Any, problems: list[Problem]
) -> tuple[Step, ...] | None:
    if not isinstance(actions, list) or not actions:
        problems.append(document.problem(f"expected a list of steps, found {shown(actions)}", at))
        return None
    texts = cast("list[Any]", actions)
    steps: list[Step] = []
    for index, text in enumerate(texts):
        if isinstance(text, str):
            steps.append(read_step(text, number=index + 1, line=document.line((*at, index))))
        else:
            message = f"expected a step as a text, found {shown(text)}"
            problems.append(document.problem(message, (*at, index)))
    return tuple(steps) if len(steps) == len(texts) else None


def _read_expectations(
    document: Document, at: tuple[Key, ...], raw: Any, steps: tuple[Step, ...],
    problems: list[Problem],
) -> tuple[tuple[bool | None, ...], Indexing | None, list[str]]:  # fmt: skip
    """Return the value that is expected of each step, how they were indexed, and notes."""
    if raw is None:
        default = tuple(True if is_assertion(step) else None for step in steps)
        return default, None, ["has no 'expected': every assertion is expected to hold"]
    values = [_as_bool(value) for value in cast("list[Any]", raw)] if isinstance(raw, list) else []
    expected = align_expected(tuple(bool(value) for value in values), steps)
    if not values or None in values:
        message = f"expected a list of 0 and 1, found {shown(raw)}"
    elif expected is None:
        assertions = sum(is_assertion(step) for step in steps)
        message = (
            f"has {len(values)} values, which fits neither the {len(steps)} actions "
            f"nor the {assertions} assertions"
        )
    else:
        unit = "action" if expected[1] == "step" else "assertion"
        return *expected, [f"'expected' is read as one value per {unit}"]
    problems.append(document.problem(message, (*at, "expected")))
    return tuple(None for _ in steps), None, []


def _as_bool(value: Any) -> bool | None:
    return bool(value) if value in (0, 1) and not isinstance(value, str) else None


SUFFIXES = (".yaml", ".yml", ".json")


def load_test_cases(
    paths: Path | Sequence[Path], *, tags: Iterable[str] = ()
) -> tuple[TestCase, ...]:
    """Return the test cases of files: our YAML, or the published tool's JSON, by their suffix.

    With `tags` only the cases that have one of them. The names are made unique over all files.
    Raises ConfigurationError with all problems of all files.
    """
    problems: list[Problem] = []
    cases: list[TestCase] = []
    for path in [paths] if isinstance(paths, Path) else paths:
        try:
            cases += _load(path)
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    wanted = frozenset(tags)
    return tuple(case for case in _rename_twins(cases) if not wanted or wanted & set(case.tags))


def _load(path: Path) -> list[TestCase]:
    if path.suffix.lower() not in SUFFIXES:
        message = f"is no file of test cases: they end in {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(message, str(path)))
    if path.suffix.lower() == ".json":
        return published_cases(read_json(path))
    return yaml_cases(read_document(path), path.parent)


def _rename_twins(cases: Sequence[TestCase]) -> list[TestCase]:
    """Return the cases with distinct names: the second 'Search' becomes 'Search (2)'."""
    counts: Counter[str] = Counter()
    names = {case.name for case in cases}
    distinct: list[TestCase] = []
    for case in cases:
        counts[case.name] += 1
        number = counts[case.name]
        if number == 1:
            distinct.append(case)
            continue
        while f"{case.name} ({number})" in names:
            number += 1
        name = f"{case.name} ({number})"
        names.add(name)
        note = f"the name '{case.name}' is given twice: this one is called '{name}'"
        distinct.append(case.model_copy(update={"name": name, "notes": (*case.notes, note)}))
    return distinct
