"""Which lines of a Python skill ran, counted by coverage.py in the skill's own process.

It stands alone, as `python_runner.py` does: the skill's Python may be another one than ours.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, ClassVar


class Covering:
    """Keeps count of the lines of the skill's own files that ran, with coverage.py."""

    watch: ClassVar[Any] = None
    folder: ClassVar[str] = ""
    notes: ClassVar[list[str]] = []
    ran: ClassVar[dict[str, Any]] = {}

    @classmethod
    def begin(cls, folder: Any) -> Any:
        """Begin to count, before anything of the skill is imported."""
        try:
            import coverage
        except ImportError:
            cls.notes.append(
                "no lines are counted: the skill's Python has no coverage.py "
                f"({sys.executable} -m pip install coverage)"
            )
            return
        cls.folder = os.path.realpath(folder)
        cls.watch = coverage.Coverage(
            data_file=None, config_file=False, include=[cls.folder + "/*"], omit=cls.foreign()
        )
        cls.watch.start()

    @classmethod
    def foreign(cls) -> Any:
        """Patterns of what in the folder is not the skill's own: installed packages."""
        found = ["*/site-packages/*", "*/node_modules/*", "*/tests/*"]
        for record in Path(cls.folder).glob("*.dist-info/RECORD"):
            try:
                lines = record.read_text("utf-8", "replace").splitlines()
            except OSError:
                continue
            names = {line.split(",")[0].split("/")[0] for line in lines}
            found += [f"{cls.folder}/{name}*" for name in sorted(names) if name and name != ".."]
        return found

    @classmethod
    def taken(cls) -> Any:
        """What ran since this was asked last; the lines that can run with a file's first time."""
        if cls.watch is None:
            return {"notes": cls.notes} if cls.notes else None
        try:
            return {"files": cls.fresh(), "notes": cls.notes}
        except Exception as err:  # noqa: BLE001 - counting must not harm the skill
            return {"notes": [f"lines could not be counted: {type(err).__name__}: {err}"]}

    @classmethod
    def fresh(cls) -> Any:
        """The files of which more is known than the last time."""
        data = cls.watch.get_data()
        found: dict[str, Any] = {}
        for file in data.measured_files():
            lines = set(data.lines(file) or ())
            first = file not in cls.ran
            more = lines - cls.ran.setdefault(file, set())
            if more or first:
                cls.ran[file] |= lines
                told = found[os.path.relpath(file, cls.folder)] = {"ran": sorted(more)}
                if first:
                    told["whole"] = list(cls.watch.analysis2(file)[1])
        return found
