"""What SENSEI calls things in its files: keys, error codes, file names, the time report."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from sparring.model.talk import IncidentKind

METADATA = frozenset(
    {"serial", "language", "context", "ask_about", "conversation", "data_output", "errors"}
)
COST = "total_cost($)"
"""Newer conversations have it among their meta-data: what their models' answers cost."""

TIMES = frozenset({"conversation time", "assistant response time", "response time report"})
TALK = frozenset({"interaction"})

SERIAL_FORMAT = "%Y-%m-%d-%H-%M-%S"

CODES: dict[IncidentKind, int] = {
    IncidentKind.GOAL_NOT_REACHED: 1001,
    IncidentKind.CRASH: 500,
    IncidentKind.TIMEOUT: 504,
    IncidentKind.LOOP: 1000,
}
"""SENSEI's code for each kind of failure that it knows."""

GENERIC_ROWS = {
    "goal_not_completed": 1001,
    "no_response": 500,
    "timeout": 504,
    "exceeded_loop_limit": 1000,
}
"""The rows that SENSEI's checker adds after the rules, in its order, with their codes."""

_FILE = re.compile(r"(\d+)_(.+)_(\d{4}(?:-\d\d){5})")
_SERIAL = re.compile(r"\d{4}(?:-\d\d){5}")


_LONGEST = 1e12
"""Seconds; longer ones were never measured, and their sum fits no number of SENSEI's."""


class FileName(NamedTuple):
    """What the name ``<number>_<test_name>_<serial>.yml`` says; a renamed file has no number."""

    number: int | None
    test_name: str

    @classmethod
    def of(cls, path: str) -> "FileName":
        """Take a path with slashes apart; the test is also the folder above the serial's."""
        *folders, name = path.split("/")
        stem = name.rpartition(".")[0] or name
        match = _FILE.fullmatch(stem)
        if match:
            return cls(int(match[1][-9:]), match[2])
        if len(folders) > 1 and _SERIAL.fullmatch(folders[-1]):
            return cls(None, folders[-2])
        return cls(None, stem)


class ResponseTimes:
    """Average, max and min of response times, cut to microseconds as SENSEI's data frames do."""

    def __init__(self) -> None:
        self._count = self._sum = self._max = 0
        self._min: int | None = None

    def add(self, seconds: Sequence[float]) -> None:
        """Take in response times in seconds."""
        for value in seconds:
            if not abs(value) < _LONGEST:  # nor is not-a-number
                continue
            whole = int(value)
            nanoseconds = whole * 1_000_000_000 + int(round(value - whole, 9) * 1e9)
            self._count += 1
            self._sum += nanoseconds
            self._max = nanoseconds if self._count == 1 else max(self._max, nanoseconds)
            self._min = nanoseconds if self._min is None else min(self._min, nanoseconds)

    def report(self) -> dict[str, float]:
        """The three figures in seconds; not-a-number where nothing was answered."""
        if self._min is None:
            return {"average": math.nan, "max": math.nan, "min": math.nan}
        average = self._sum // self._count
        figures = {"average": average, "max": self._max, "min": self._min}
        return {name: nanoseconds // 1000 / 1e6 for name, nanoseconds in figures.items()}


def response_report(seconds: Sequence[float]) -> dict[str, float]:
    """The report on the response times of one conversation."""
    times = ResponseTimes()
    times.add(seconds)
    return times.report()
