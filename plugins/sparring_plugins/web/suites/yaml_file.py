"""Files of test cases in YAML: their model, tables of data, and the test cases made of them.

The reference page docs/reference/gui-test-cases.md is made from the descriptions of the model.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TextIO, cast
from urllib.parse import urljoin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from sparring.documents.checking import at_path, checked
from sparring.documents.reading import MAX_BYTES, Document, Key
from sparring.errors import ConfigurationError, Problem
from sparring.suite.environment import expand
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.step import Step
from sparring_plugins.web.suites.case import (
    Indexing,
    SentencePlace,
    TestCase,
    align_expected,
    fill_text,
)
from sparring_plugins.web.suites.translations import (
    ReadSentence,
    Translated,
    Translation,
    read_sentence,
)

_NAME = r"^\w[\w.-]{0,79}$"


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _as_steps(value: Any) -> Any:
    """A text of several lines is a step per line; ``#`` begins a comment."""
    if isinstance(value, str):
        lines = [line.strip() for line in value.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]
    return value


def _as_expected(value: Any) -> Any:
    words = {"pass": True, "fail": False, "true": True, "false": False, 1: True, 0: False}
    if isinstance(value, str):
        return words.get(value.casefold(), value)
    return words[value] if value in (0, 1) else value


Text = Annotated[str, BeforeValidator(_as_text)]
Tags = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]
Steps = Annotated[tuple["StepEntry", ...], BeforeValidator(_as_steps)]
Expected = Annotated[bool, BeforeValidator(_as_expected)]
Names = Annotated[str, Field(pattern=_NAME)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]


class StepEntry(BaseModel):
    """A step: a sentence, or `step` with what belongs to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str = Field(min_length=1, description="the sentence")
    expected: Expected | None = Field(
        default=None, description="pass or fail: what an assertion is expected to say"
    )
    means: Annotated[tuple[Text, ...], BeforeValidator(_as_list)] = Field(
        default=(), description="the canonical steps that the sentence means, which are played"
    )
    translated: Translated | None = Field(
        default=None,
        description="who translated the sentence (`by`) and a digest of what it was translated"
        " from (`of`); a translation by hand has none",
    )
    review: str = Field(
        default="", description="what a person should look at; remove it when that is done"
    )

    @property
    def translation(self) -> Translation:
        """What stands beside the sentence."""
        by, of = (self.translated.by, self.translated.of) if self.translated else ("", "")
        return Translation(self.means, by, of, self.review)

    @model_validator(mode="before")
    @classmethod
    def _sentence(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"step": value}
        keys: Any = cast("dict[str, Any]", value) if isinstance(value, dict) else {"step": value}
        if "step" not in keys:
            raise ValueError(
                "expected a sentence; one with a colon must stand in quotes as a whole,"
                " or below `steps: |`"
            )
        return keys


class CaseEntry(BaseModel):
    """A test case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text = Field(min_length=1, max_length=200)
    description: str = ""
    tags: Tags = Field(default=(), description="added to those of the file")
    start: str | None = Field(
        default=None, description="the address to begin at; a path is below the file's `start`"
    )
    variables: dict[Names, Text] = Field(default={}, description="added to those of the file")
    steps: Steps = Field(min_length=1, description="a list of steps, or a text with one per line")
    expected: tuple[Expected, ...] | None = Field(
        default=None,
        description="pass or fail for each assertion, or for each step: told apart by how many",
    )
    repeat: int = Field(default=1, ge=1, le=1000, description="how often the case is played")
    data: tuple[dict[Names, Text], ...] | str | None = Field(
        default=None,
        description="a table: the case is played once per row, with the row's values as variables;"
        " rows, or a CSV file with a heading",
    )
    vary: dict[Names, Texts] = Field(
        default={},
        description="variables with the values that a strategy may choose: which of them are played"
        " together is up to the strategy of the suite",
    )
    where: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="conditions that the values of `vary` satisfy, in the language of rules:"
        " all values are texts",
    )
    skip: str | bool | None = Field(default=None, description="why it is not played")


class CaseFile(BaseModel):
    """A file of test cases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text = ""
    description: str = ""
    start: str | None = Field(default=None, description="the address where each case begins")
    tags: Tags = Field(default=(), description="of all cases")
    variables: dict[Names, Text] = Field(
        default={}, description="values for `%name%` in steps and in `start`"
    )
    secrets: Annotated[tuple[Names, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="names that stand as `%name%` until the connector fills them in: their values"
        " are given in the suite, below `app.secrets`",
    )
    setup: Steps = Field(default=(), description="steps before those of each case")
    teardown: Steps = Field(default=(), description="steps after those of each case, also failed")
    repeat: int = Field(default=1, ge=1, le=1000, description="of cases that say nothing else")
    tests: tuple[CaseEntry, ...] = Field(min_length=1)

    @field_validator("tests", mode="before")
    @classmethod
    def _is_a_list(cls, value: Any) -> Any:
        if isinstance(value, dict):
            raise ValueError("expected a list: write '- name: ...' for each test case")
        return value


MAX_ROWS = 10_000
_COLUMN_NAME = re.compile(r"\w[\w.-]{0,79}")


def read_rows(
    data: "Sequence[Mapping[str, str]] | str", folder: Path
) -> Sequence[Mapping[str, str]]:
    """Return the rows of a table: those in `data`, or in the CSV file of that name.

    Raises ConfigurationError if there are none, or if they differ in their columns.
    """
    rows = _read_csv(folder / data, data) if isinstance(data, str) else data
    if not rows:
        raise ConfigurationError("has no rows")
    columns = set(rows[0])
    for number, row in enumerate(rows, 1):
        if set(row) != columns:
            different = sorted(columns ^ set(row))
            raise ConfigurationError(f"row {number} differs from row 1 in {different[0]!r}")
    return rows


def _read_csv(path: Path, shown: str) -> list[dict[str, str]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", shown))
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _parse_csv(file, shown)
    except UnicodeDecodeError as err:
        raise ConfigurationError(Problem("is not UTF-8 text", shown)) from err
    except csv.Error as err:
        raise ConfigurationError(Problem(f"is not a table: {err}", shown)) from err
    except (OSError, ValueError) as err:
        cause = getattr(err, "strerror", None) or err
        raise ConfigurationError(Problem(f"cannot be read: {cause}", shown)) from err


def _parse_csv(file: TextIO, shown: str) -> list[dict[str, str]]:
    reader = csv.reader(file)
    heading = [name.strip() for name in next(reader, list[str]())]
    for name in heading:
        if not _COLUMN_NAME.fullmatch(name):
            raise ConfigurationError(Problem(f"{name!r} is no name of a variable", shown, 1))
    if len(set(heading)) < len(heading):
        raise ConfigurationError(Problem("has two columns of one name", shown, 1))
    rows: list[dict[str, str]] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(heading):
            message = f"has {len(cells)} cells, the heading {len(heading)}"
            raise ConfigurationError(Problem(message, shown, reader.line_num))
        rows.append(dict(zip(heading, cells, strict=True)))
        if len(rows) > MAX_ROWS:
            raise ConfigurationError(Problem(f"has more than {MAX_ROWS:,} rows", shown))
    return rows


def yaml_cases(document: Document, folder: Path) -> list[TestCase]:
    """Return the test cases of a document, one for each row of a table.

    Raises ConfigurationError with all problems of the document.
    """
    expansion = expand(document)
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    file = checked(CaseFile, document, data=expansion.data)
    problems: list[Problem] = []
    cases: list[TestCase] = []
    for index, entry in enumerate(file.tests):
        reader = _EntryReader(document, folder, file, entry, ("tests", index), problems)
        cases += reader.cases()
    if problems:
        raise ConfigurationError(*problems)
    return cases


class _EntryReader:
    """Makes the test cases of one entry of a file; what is wrong is added to `problems`."""

    def __init__(
        self, document: Document, folder: Path, file: CaseFile, entry: CaseEntry,
        at: tuple[Key, ...], problems: list[Problem],
    ) -> None:  # fmt: skip
        self._document, self._folder, self._file = document, folder, file
        self._entry, self._at, self._problems = entry, at, problems

    def cases(self) -> list[TestCase]:
        """Return one case, or one per row of the entry's table."""
        self._check_vary()
        if self._entry.data is None:
            return [self._case({}, "")]
        try:
            rows = read_rows(self._entry.data, self._folder)
        except ConfigurationError as err:
            at = (*self._at, "data")
            self._problems += [p if p.file else self._problem(p.message, at) for p in err.problems]
            return []
        names = [_row_name(row, number) for number, row in enumerate(rows, 1)]
        return [self._case(row, f" [{name}]") for row, name in zip(rows, names, strict=True)]

    def _check_vary(self) -> None:
        """Check that what varies is in no table and no list of secrets, and has values, once."""
        entry, at = self._entry, (*self._at, "vary")
        rows = entry.data if isinstance(entry.data, tuple) else ()
        other_names = {*self._file.secrets, *(name for row in rows for name in row)}
        for name, values in entry.vary.items():
            if name in other_names:
                self._problems.append(self._problem("is given elsewhere, too", (*at, name)))
            if not values:
                self._problems.append(self._problem("has no values", (*at, name)))
            if len(set(values)) < len(values):
                self._problems.append(self._problem("has a value twice", (*at, name)))
        if entry.where and not entry.vary:
            message = "is about what varies, and nothing does: add `vary`"
            self._problems.append(self._problem(message, (*self._at, "where")))

    def _problem(self, message: str, at: Sequence[Key]) -> Problem:
        return self._document.problem(message, at)

    def _case(self, row: Mapping[str, str], suffix: str) -> TestCase:
        entry, file = self._entry, self._file
        values = {**file.variables, **entry.variables, **row}
        values = {name: value for name, value in values.items() if name not in entry.vary}
        starts = [as_written(self._document, at, "") for at in (("start",), (*self._at, "start"))]
        sentences = self._read(entry.steps, (*self._at, "steps"), values, starts)
        before = self._read(file.setup, ("setup",), values, starts[:1])
        after = self._read(file.teardown, ("teardown",), values, starts[:1])
        expected, indexing = self._read_expectations(entry.steps, sentences)
        skip = entry.skip if isinstance(entry.skip, str) else "skipped" if entry.skip else None
        return TestCase(
            name=" ".join((entry.name + suffix).split()), title=entry.name,
            description=entry.description,
            tags=tuple(dict.fromkeys((*file.tags, *entry.tags))), start=self._start(values),
            setup=_list_played_steps(before),
            steps=_list_played_steps(sentences),
            teardown=_list_played_steps(after),
            places=(
                *_places(before, ("setup",), starts[:1]),
                *_places(sentences, (*self._at, "steps"), starts),
                *_places(after, ("teardown",), starts[:1]),
            ),
            expected=expected, indexing=indexing, variables=values, secrets=file.secrets,
            vary=entry.vary, where=entry.where,
            repeat=entry.repeat if "repeat" in entry.model_fields_set else file.repeat,
            skip=skip, file=self._document.file, line=self._document.line(self._at),
        )  # fmt: skip

    def _start(self, values: Mapping[str, str]) -> str | None:
        starts = (self._file.start, self._entry.start)
        parts = [fill_text(start, values) for start in starts if start]
        try:
            return urljoin(parts[0], parts[1]) if len(parts) == 2 else next(iter(parts), None)
        except ValueError as err:
            self._problems.append(self._problem(f"is no address: {err}", (*self._at, "start")))
            return None

    def _read(
        self, entries: Sequence[StepEntry], at: tuple[Key, ...], values: Mapping[str, str],
        starts: Sequence[str | None],
    ) -> tuple[ReadSentence, ...]:  # fmt: skip
        """Read the sentences of a list; a sentence may give several steps."""
        lines = _step_lines(self._document, at, len(entries))
        written = sentences_as_written(self._document, at, entries)
        sentences: list[ReadSentence] = []
        number = 1
        for index, (entry, line) in enumerate(zip(entries, lines, strict=True)):
            meant = _as_list(as_written(self._document, (*at, index, "means"), ()))
            translation = replace(entry.translation, written=tuple(map(str, meant)))
            is_fresh = translation.is_fresh(written[index], starts)
            sentence = read_sentence(
                entry.step, translation, values, number=number, line=line, is_fresh=is_fresh
            )
            sentence = replace(
                sentence, text=written[index], translation=translation, is_stale=not is_fresh
            )
            for place, fault in sentence.faults:
                where = (*at, index, "means", place)
                self._problems.append(self._problem(fault, where))
            sentences.append(sentence)
            number += len(sentence.played)
        return tuple(sentences)

    def _read_expectations(
        self, entries: Sequence[StepEntry], sentences: Sequence[ReadSentence]
    ) -> tuple[tuple[bool | None, ...], Indexing | None]:
        case_values = self._entry.expected
        pairs = list(zip(entries, sentences, strict=True))
        if case_values is None:
            # The value beside a sentence is that of its last step.
            return _spread([(s, [*[None] * (len(s.own) - 1), e.expected]) for e, s in pairs]), None
        at = (*self._at, "expected")
        if any(entry.expected is not None for entry in entries):
            self._problems.append(self._problem("is given for the case and for a step", at))
            return _spread([(s, [None] * len(s.own)) for s in sentences]), None
        own = tuple(step for sentence in sentences for step in sentence.own)
        expected = align_expected(case_values, own)
        if expected is None:
            assertions = sum(is_assertion(step) for step in own)
            message = (
                f"has {len(case_values)} values, which fits neither the {len(own)} steps "
                f"nor the {assertions} assertions"
            )
            self._problems.append(self._problem(message, at))
            return _spread([(s, [None] * len(s.own)) for s in sentences]), None
        rest = iter(expected[0])
        return _spread([(s, [next(rest) for _ in s.own]) for s in sentences]), expected[1]


def _list_played_steps(sentences: Sequence[ReadSentence]) -> tuple[Step, ...]:
    return tuple(step for sentence in sentences for step in sentence.played)


def _places(
    sentences: Sequence[ReadSentence], at: tuple[Key, ...], starts: Sequence[str | None]
) -> Iterator[SentencePlace]:
    for index, sentence in enumerate(sentences):
        yield sentence.place((*at, index), starts)


def _spread(
    pairs: Sequence[tuple[ReadSentence, Sequence[bool | None]]],
) -> tuple[bool | None, ...]:
    """Return what each step that is played is expected to say.

    If a sentence was translated, its last value is that of all its checks.
    """
    spread: list[bool | None] = []
    for sentence, own in pairs:
        last = next((value for value in reversed(own) if value is not None), None)
        is_own = not any(step.by for step in sentence.played)
        for index, step in enumerate(sentence.played):
            value = own[index] if is_own else last if is_assertion(step) else None
            spread.append(value if value is not None else True if is_assertion(step) else None)
    return tuple(spread)


def as_written(document: Document, at: Sequence[Key], otherwise: Any) -> Any:
    """Return what stands at a place before environment variables are filled in."""
    try:
        return at_path(document.data, at)
    except (LookupError, TypeError):
        return otherwise


def sentences_as_written(
    document: Document, at: Sequence[Key], entries: Sequence[StepEntry]
) -> list[str]:
    """Return the sentences of a list before environment variables are filled in."""
    listed = _as_steps(as_written(document, at, [entry.step for entry in entries]))
    maps = (cast("dict[str, Any]", i) if isinstance(i, dict) else {"step": i} for i in listed)
    return [str(item.get("step")) for item in maps]


def _step_lines(document: Document, at: tuple[Key, ...], number: int) -> list[int | None]:
    """Return the line of each step: of its item, or within a text of several lines."""
    data = as_written(document, at, None)
    if data is None:
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


def _row_name(row: Mapping[str, str], number: int) -> str:
    """Return the row's ``name``, else its values if they are short, else its number."""
    if row.get("name"):
        return row["name"]
    values = ", ".join(value for value in row.values() if value)
    return values if 0 < len(values) <= 60 else f"row {number}"
