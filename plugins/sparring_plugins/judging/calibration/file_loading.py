"""A calibration file, read and checked, with its examples as they are written."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from sparring.discovery import catalog
from sparring.discovery.drivers import load_function
from sparring.discovery.groups import FUNCTIONS
from sparring.documents import reading
from sparring.documents.checking import checked, located, nearest, shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, PluginError, Problem
from sparring.interfaces.plugin import UseOf
from sparring.suite import environment
from sparring.suite.reading import check_uses, load_part, override
from sparring_plugins.judging.calibration.functions import prepared
from sparring_plugins.judging.calibration.model import CalibrationFile, JudgeUse
from sparring_plugins.judging.calibration.roles import ROLES

# Files of labelled examples: YAML, JSON, JSON Lines, CSV; each example with its place.

ENDINGS = (".yaml", ".yml", ".json", ".jsonl", ".csv")
# 100 MB are 100,000 long examples, each of which is asked for money; what is larger is another
# file.
MAX_BYTES = 100_000_000
MOST = 1_000_000
"""How many examples a file may have."""


@dataclass(frozen=True, slots=True)
class Written:
    """An example as written: its data, and where it stands."""

    data: dict[str, Any]
    document: Document
    at: tuple[Key, ...] = ()

    def problem(self, message: str, *inside: Key) -> Problem:
        """A problem at a key of the example."""
        return self.document.problem(message, (*self.at, *inside))


def read_examples(path: Path, name: str) -> list[Written]:
    """The examples of a file, which messages call `name`; raises ConfigurationError."""
    ending = path.suffix.lower()
    if ending == ".jsonl":
        return list(_json_lines(_text(path, name), name))
    if ending == ".csv":
        return list(_table(_text(path, name), name))
    if ending in ENDINGS:
        return listed(reading.read_document(path, shown=name), ())
    hint = nearest(ending, ENDINGS)
    raise ConfigurationError(Problem(f"examples are read from files of known endings.{hint}", name))


def listed(document: Document, at: tuple[Key, ...]) -> list[Written]:
    """The examples in the list at a path of a document; raises ConfigurationError."""
    data: Any = document.data
    for key in at:
        data = data[key]
    if isinstance(data, dict) and not at and set(cast("dict[Any, Any]", data)) == {"examples"}:
        return listed(document, ("examples",))
    if not isinstance(data, list):
        shown_value = "nothing" if data is None else shown(data)
        message = f"expected a list of examples, found {shown_value}"
        raise ConfigurationError(document.problem(message, at))
    written_items: list[Written] = []
    for index, item in enumerate(cast("list[Any]", data)):
        if not isinstance(item, dict):
            message = f"expected an example: keys such as task and expected, found {shown(item)}"
            raise ConfigurationError(document.problem(message, (*at, index)))
        written_items.append(Written(cast("dict[str, Any]", item), document, (*at, index)))
    return written_items


def _text(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror or err}", name)) from err
    if len(raw) > MAX_BYTES:
        raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", name))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw[: err.start].count(b"\n") + 1
        raise ConfigurationError(Problem("is not UTF-8 text", name, line)) from err


def _json_lines(text: str, name: str) -> Iterator[Written]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        _check_bounds(number, name)
        try:
            data: Any = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError) as err:
            message = f"is not valid JSON: {err}"
            raise ConfigurationError(Problem(message, name, number)) from err
        if not isinstance(data, dict):
            message = f"expected an example in braces, found {shown(data)}"
            raise ConfigurationError(Problem(message, name, number))
        row = cast("dict[str, Any]", data)
        yield Written(row, Document(row, name, {(): number}))


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _check_bounds(number: int, name: str) -> None:
    if number > MOST:
        raise ConfigurationError(Problem(f"holds more than {MOST:,} examples", name, number))


def _table(text: str, name: str) -> Iterator[Written]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = [column.strip() for column in next(reader, list[str]())]
        _check_columns(columns, name)
        before = reader.line_num
        for number, row in enumerate(reader, 1):
            _check_bounds(number, name)
            if any(cell.strip() for cell in row):
                yield _row(columns, row, name, before + 1)
            before = reader.line_num
    except csv.Error as err:
        raise ConfigurationError(
            Problem(f"is not valid CSV: {err}", name, reader.line_num)
        ) from err


def _check_columns(columns: list[str], name: str) -> None:
    if not columns:
        raise ConfigurationError(Problem("is empty; its first line names the columns", name))
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice or "" in columns:
        what = f"the column {twice[0]!r} is there twice" if twice else "a column has no name"
        raise ConfigurationError(Problem(what, name, 1))


def _row(columns: list[str], row: list[str], name: str, line: int) -> Written:
    if len(row) > len(columns):
        message = f"has {len(row)} cells, but there are {len(columns)} columns"
        raise ConfigurationError(Problem(message, name, line))
    data: dict[str, Any] = {}
    for column, cell in zip(columns, row, strict=False):
        if cell.strip():
            try:
                _put(data, column.split("."), cell)
            except ValueError as err:
                raise ConfigurationError(Problem(str(err), name, line, column)) from err
    checked_row = cast("dict[str, Any]", _with_lists(data))
    return Written(checked_row, Document(checked_row, name, {(): line}))


def _put(data: dict[str, Any], keys: list[str], cell: str) -> None:
    *outer, last = keys
    for key in outer:
        data = data.setdefault(key, {})
        if not isinstance(data, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"{key!r} is a column of its own already")
    if isinstance(data.get(last), dict):
        raise ValueError("other columns go deeper here")
    data[last] = cell


def _with_lists(value: Any) -> Any:
    """Maps whose keys are 0, 1, 2 … as lists."""
    if not isinstance(value, dict):
        return value
    items = {key: _with_lists(item) for key, item in cast("dict[str, Any]", value).items()}
    if items and set(items) == {str(number) for number in range(len(items))}:
        return [items[str(number)] for number in range(len(items))]
    return items


VERDICTS = ("pass", "fail")
"""The answers of an oracle that decides."""


@dataclass(frozen=True, slots=True)
class LoadedCalibration:
    """A valid calibration file, and what is written in it and in the file of its examples."""

    file: CalibrationFile
    path: Path
    written: dict[str, Any]
    document: Document
    examples: tuple[Written, ...]

    @property
    def base_dir(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent


def load_calibration(path: Path, overrides: Mapping[str, Any] | None = None) -> LoadedCalibration:
    """Read and check a calibration file; raises ConfigurationError with all problems found.

    `overrides` maps dotted keys (``llm.model``) to values that replace the file's.
    """
    document = reading.read_document(path)
    raw: Any = document.data
    if not isinstance(raw, dict):
        what = "is empty" if raw is None else f"holds {shown(raw)}"
        raise ConfigurationError(
            document.problem(f"{what}; expected a calibration: keys name, judges and examples")
        )
    data = cast("dict[str, Any]", raw)
    for key, value in (overrides or {}).items():
        override(data, key, value)
    inline = isinstance(data.get("examples"), list)  # they are data, which refers to nothing
    written = {key: data[key] for key in data if not (inline and key == "examples")}
    expansion = environment.expand(Document(written, document.file, document.lines))
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    settings = cast("dict[str, Any]", expansion.data)
    file = checked(
        CalibrationFile, document, data={**settings, "examples": []} if inline else settings
    )
    problems = [
        *check_uses(CalibrationFile, document, settings),
        *_judges(document, settings, file),
    ]
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))
    return LoadedCalibration(file, path, written, document, _examples(file, path, document))


def _examples(file: CalibrationFile, path: Path, document: Document) -> tuple[Written, ...]:
    if isinstance(file.examples, str):
        return tuple(read_examples(path.parent / file.examples, file.examples))
    return tuple(listed(document, ("examples",)))


def _judges(document: Document, data: Any, file: CalibrationFile) -> list[Problem]:
    """What is wrong with the judges: their names, settings and models."""
    problems: list[Problem] = []
    for index, judge in enumerate(file.judges):
        at: tuple[Key, ...] = ("judges", index)
        problems += check_uses(JudgeUse, document, data["judges"][index], at)
        try:
            problems += _part(document, at, judge)
        except PluginError as err:
            key = "use" if judge.role is not None else "oracle"
            problems.append(document.problem(str(err), (*at, key)))
        except ConfigurationError as err:
            problems += err.problems
    return problems


def _part(document: Document, at: tuple[Key, ...], judge: JudgeUse) -> list[Problem]:
    if judge.function is not None:
        return _function(document, at, judge)
    if judge.role is not None and judge.role not in ROLES:
        message = f"no role {judge.role!r} can be measured.{nearest(judge.role, list(ROLES))}"
        return [document.problem(message, (*at, "role"))]
    wrong = [name for name in judge.labels if judge.oracle and name not in VERDICTS]
    if wrong:
        message = f"an oracle never answers {wrong[0]!r}.{nearest(wrong[0], VERDICTS)}"
        return [document.problem(message, (*at, "labels", wrong[0]))]
    group = "sparring.oracles" if judge.oracle is not None else "sparring.agents"
    part = load_part(UseOf(group, judge.role), judge.oracle or judge.use or "")
    checked(part.Config, document, at, data=judge.settings)
    return check_uses(part.Config, document, judge.settings, at)


def _function(document: Document, at: tuple[Key, ...], judge: JudgeUse) -> list[Problem]:
    names = catalog.names(FUNCTIONS)
    if judge.function not in names:
        plain = [name for name in names if "." not in name]
        hint = nearest(judge.function or "", plain)
        message = f"no function is called {judge.function!r}.{hint}"
        return [document.problem(message, (*at, "function"))]
    name = function_name(judge)
    if name not in names:
        prefix = f"{judge.function}."
        variants = [
            name_of_function.removeprefix(prefix)
            for name_of_function in names
            if name_of_function.startswith(prefix)
        ]
        hint = nearest(judge.variant or "", variants)
        message = f"the function {judge.function!r} has no variant {judge.variant!r}.{hint}"
        return [document.problem(message, (*at, "variant"))]
    with located(document, at):
        prepared(load_function(name), judge.settings)
    return []


def function_name(judge: JudgeUse) -> str:
    """The entry point of a function, or of a variant of it.

    The variant ``model`` of a function that has no such one is the function itself, as in rules.
    """
    plain = judge.function or ""
    full = f"{plain}.{judge.variant}"
    if judge.variant is None or (judge.variant == "model" and full not in catalog.names(FUNCTIONS)):
        return plain
    return full
