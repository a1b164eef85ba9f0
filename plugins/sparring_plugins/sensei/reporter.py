"""The reporter `sensei`: a run's conversations as SENSEI stores them, its report, goal tables."""

import csv
import io
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, TypeGuard, cast

from pydantic import Field, JsonValue

from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Trace
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import destination, written_whole
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.sensei.conversations import documents_of
from sparring_plugins.sensei.documents import (
    COST,
    SERIAL_FORMAT,
    FileName,
    ResponseTimes,
    dump_documents,
    is_map,
)

# Names of exported files and folders: safe on every file system, never used twice.

_FORBIDDEN = frozenset('<>:"/\\|?*')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}
)
_REPORT_FOLDERS = ("__report__", "__stats_reports__", "__cost_reports__")
# File systems end at 255 bytes, and time and number are added; a cut name gets a digest to stay
# unique.
_MOST_BYTES = 80


def safe_name(name: str) -> str:
    """A name as one path component that Linux, macOS and Windows accept.

    Separators, reserved and invisible characters become underscores; device names, names of
    SENSEI's report folders (which its checker passes over), leading dots and dashes are
    changed; a long name is cut and told apart by a hash.
    """
    text = "".join(
        char if char.isprintable() and char not in _FORBIDDEN else "_"
        for char in unicodedata.normalize("NFC", name)
    )
    for folder in _REPORT_FOLDERS:
        text = text.replace(folder, folder.strip("_"))
    text = text.strip(" ").rstrip(". ")
    if text.startswith((".", "-", "~")):
        text = "_" + text[1:]
    if text.split(".", 1)[0].strip(" ").lower() in _DEVICES:
        text = f"_{text}"
    data = text.encode()
    if len(data) > _MOST_BYTES:
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        text = data[: _MOST_BYTES - 9].decode("utf-8", "ignore") + f"-{digest}"
    return text or "test"


class ExportNames:
    """Gives each conversation of a run its place: ``<test>/<serial>/<number>_<test>_<serial>``.

    `serial` is the run's; a conversation that was read from a file keeps its own serial, and
    its number if that is free. Scenarios that share a test's name get folders of their own.
    """

    def __init__(self, serial: str) -> None:
        self.serial = serial
        self._tests: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._numbers: defaultdict[str, set[int]] = defaultdict(set)
        self._next: defaultdict[str, int] = defaultdict(int)

    def test(self, trace: Trace) -> str:
        """The folder of the trace's test."""
        named = trace.meta.get("profile")
        profile = named if isinstance(named, str) and named else trace.case.scenario
        key = (trace.case.scenario, profile)
        if key not in self._tests:
            self._tests[key] = self._unused(safe_name(profile), safe_name(trace.case.scenario))
        return self._tests[key]

    def place(self, trace: Trace) -> PurePosixPath:
        """The file of a trace, relative to the folder of the export."""
        test = self.test(trace)
        own = trace.meta.get("serial")
        serial = safe_name(own) if isinstance(own, str) and own else self.serial
        folder = PurePosixPath(test, serial)
        number = self._number(str(folder).casefold(), _wished_number(trace))
        return folder / f"{number}_{test}_{serial}.yml"

    def _unused(self, *wished: str) -> str:
        numbered = (f"{wished[0]}-{number}" for number in count(2))
        names = chain(wished, numbered)
        unused = next(name for name in names if name.casefold() not in self._taken)
        self._taken.add(unused.casefold())
        return unused

    def _number(self, folder: str, wished: int | None) -> int:
        used = self._numbers[folder]
        number = wished
        if number is None or number in used:
            number = self._next[folder]
            while number in used:
                number += 1
            self._next[folder] = number + 1
        used.add(number)
        return number


def serial_of_run(created: datetime) -> str:
    """The serial of a run: when it began, in UTC."""
    return created.astimezone(UTC).strftime(SERIAL_FORMAT)


def _wished_number(trace: Trace) -> int | None:
    source = trace.meta.get("source")
    return FileName.of(source).number if isinstance(source, str) else None


# SENSEI's report on a run: response times and errors, over all and per test.


class _Part:
    """What is reported of one test, or of all."""

    def __init__(self) -> None:
        self.times = ResponseTimes()
        self.errors: dict[Any, list[str]] = {}
        self.cost: float | None = None

    def add(
        self, file_name: str, codes: Sequence[Any], seconds: Sequence[float], cost: float | None
    ) -> None:
        self.times.add(seconds)
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost
        for code in codes:
            self.errors.setdefault(code, []).append(file_name)

    def document(self) -> dict[str, Any]:
        times = self.times.report()
        return {
            "Average assistant response time": times["average"],
            "Maximum assistant response time": times["max"],
            "Mínimum assistant response time": times["min"],
            **({} if self.cost is None else {"Total Cost": round(self.cost, 6)}),
            "Errors": [
                {"error": code, "count": len(names), "conversations": names}
                for code, names in self.errors.items()
            ],
        }


class SenseiReport:
    """Collects conversations as they are written; each counts once."""

    def __init__(self) -> None:
        self._all = _Part()
        self._tests: dict[str, _Part] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there was no conversation."""
        return not self._tests

    def add(self, test: str, file_name: str, documents: Sequence[Any]) -> None:
        """Take in a conversation's documents, as they are stored under a file name."""
        errors = _list(documents[0].get("errors"))
        codes = [code for error in errors if is_map(error) for code in error]
        timed = _list(documents[1].get("assistant response time"))
        seconds = [value for value in timed if isinstance(value, float)]
        cost = documents[0].get(COST)
        is_known = isinstance(cost, float) and math.isfinite(cost)
        for part in (self._all, self._tests.setdefault(test, _Part())):
            part.add(file_name, codes, seconds, cost if is_known else None)

    def documents(self) -> list[Any]:
        """The documents of the report's file."""
        tests = [{"Test name": test, **part.document()} for test, part in self._tests.items()]
        return [{"Global report": self._all.document()}, *tests]


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


# SENSEI's table of goals: which were met in a conversation, and the words that show it.

_LONGEST = 2_000
# A goal is a template, as in "a {{size}} pizza": its row has the values of the case.
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_FORMULA = ("=", "+", "-", "@", "\t", "＝", "＋", "－", "＠")  # noqa: RUF001


def goal_table(trace: Trace) -> str | None:
    """The table as the text of a CSV file; None if it is not asked for, or nothing is known.

    It is asked for by ``all_answered: {export: true}`` in the profile. A row has the goal with
    underscores for blanks, True or False, and what the chatbot said. Without a goal checker the
    user's own word counts, which quotes nobody.
    """
    if not _is_wanted(trace):
        return None
    checks = trace.meta.get("goal_checks")
    rows = list(_iterate_checks(checks) if _is_list(checks) else _iterate_believed_goals(trace))
    if not rows:
        return None
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(("", "verification", "data"))
    for goal, met, shown in rows:
        writer.writerow((_safe(goal.replace(" ", "_")), str(met), _safe(shown)))
    return text.getvalue()


def _iterate_checks(checks: list[JsonValue]) -> Iterator[tuple[str, bool, str]]:
    """Goal, verdict and quotation of each check."""
    for check in checks:
        if isinstance(check, dict):
            goal, shown = str(check.get("goal") or ""), str(check.get("quotation") or "")
            yield goal, check.get("met") is True, shown


def _iterate_believed_goals(trace: Trace) -> Iterator[tuple[str, bool, str]]:
    """The goals with their values in them, and which of them the user said were met."""
    goals, met = trace.meta.get("goals"), trace.meta.get("goals_met")
    if _is_list(goals) and _is_list(met):
        for index, goal in enumerate(goals):
            yield _VARIABLE.sub(lambda m: _value(trace, m), str(goal)), index in met, ""


def _value(trace: Trace, variable: re.Match[str]) -> str:
    value = trace.inputs.get(variable[1].strip(), variable[0])
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _is_wanted(trace: Trace) -> bool:
    blocks = trace.meta.get("conversation")
    answered = (_entry(block, "all_answered") for block in blocks) if _is_list(blocks) else ()
    return any(_entry(entry, "export") is True for entry in answered)


def _is_list(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list)


def _entry(value: JsonValue, key: str) -> JsonValue:
    return value.get(key) if isinstance(value, dict) else None


def _safe(text: str) -> str:
    """A cell on one line that no spreadsheet takes for a formula."""
    shown = one_line(text, _LONGEST)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


class SenseiConfig(PluginConfig):
    """Settings of the reporter `sensei`.

    `path`: the folder to write to, from the suite's folder; ``sensei`` in the run's folder if
    it is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class SenseiReporter(FileReporter[SenseiConfig]):
    """Writes ``<test>/<serial>/<number>_<test>_<serial>.yml`` and ``__report__/``.

    SENSEI's checker reads them. Beside a conversation stands its table of goals, where they were
    checked and the profile asks for it (``export: true``). Conversations that were read from such
    files come out as they went in. Nothing is written over: a file of that name with another
    content keeps its name, and the new one gets the next number.
    """

    Config: ClassVar[type[PluginConfig]] = SenseiConfig

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        stored, serial = finished.stored, serial_of_run(finished.run.created)
        folder = destination(self.config.path, "sensei", self.context.base_dir, finished.run_dir)
        names, report = ExportNames(serial), SenseiReport()
        for judged in stored.judged():
            documents = documents_of(judged.trace, serial=serial)
            text = dump_documents(documents)
            place = names.place(judged.trace)
            while _is_taken(folder / place, text):
                place = names.place(judged.trace)
            with written_whole(folder / place) as file:
                file.write(text)
            _write_goals(folder / place.with_suffix(".csv"), judged.trace)
            report.add(names.test(judged.trace), place.name, documents)
        return _write_report(folder, report, serial)


def _write_goals(path: Path, trace: Trace) -> None:
    table = goal_table(trace)
    if table is not None and not path.exists():
        with written_whole(path) as file:
            file.write(table)


def _write_report(folder: Path, report: SenseiReport, serial: str) -> Sequence[Path]:
    """Write SENSEI's report and return the folder, or nothing if no conversation was written."""
    if report.is_empty:
        return ()
    documents: list[Any] = report.documents()
    with written_whole(folder / "__report__" / f"report_{serial}.yml") as file:
        file.write(dump_documents(documents))
    return (folder,)


def _is_taken(path: Path, text: str) -> bool:
    """Whether another conversation has the place."""
    try:
        return path.read_bytes() != text.encode()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # a folder, or not ours to read
