"""Names of exported files and folders: safe on every file system, never used twice."""

import unicodedata
from collections import defaultdict
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, count
from pathlib import PurePosixPath

from sparring.model.talk import Trace
from sparring_plugins.sensei.formats.layout import SERIAL_FORMAT, FileName

_FORBIDDEN = frozenset('<>:"/\\|?*')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}
)
_REPORT_FOLDERS = ("__report__", "__stats_reports__", "__cost_reports__")
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
    its number where that is free. Scenarios that share a test's name get folders of their own.
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
