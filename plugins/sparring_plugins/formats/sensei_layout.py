"""What SENSEI calls things in its files: keys, error codes, file names, the time report."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from sparring.model.talk import IncidentKind

METADATA = frozenset(
    {"serial", "language", "context", "ask_about", "conversation", "data_output", "errors"}
)
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


class FileName(NamedTuple):
    """What the name ``<number>_<test_name>_<serial>.yml`` says; a renamed file has no number."""

    number: int | None
    test_name: str

    @classmethod
    def of(cls, path: PurePath) -> "FileName":
        """Take a path apart; the test's name is also the folder's above the serial's."""
        match = _FILE.fullmatch(path.stem)
        if match:
            return cls(int(match[1][-9:]), match[2])
        if _SERIAL.fullmatch(path.parent.name) and path.parent.parent.name:
            return cls(None, path.parent.parent.name)
        return cls(None, path.stem)


def response_report(seconds: Sequence[float]) -> dict[str, float]:
    """Average, max and min in seconds, cut to microseconds as SENSEI's data frames do."""
    if not seconds:
        return {"average": float("nan"), "max": float("nan"), "min": float("nan")}
    nanoseconds = [_nanoseconds(value) for value in seconds]
    return {
        "average": _cut(sum(nanoseconds) // len(nanoseconds)),
        "max": _cut(max(nanoseconds)),
        "min": _cut(min(nanoseconds)),
    }


def _nanoseconds(seconds: float) -> int:
    whole = int(seconds)
    return whole * 1_000_000_000 + int(round(seconds - whole, 9) * 1e9)


def _cut(nanoseconds: int) -> float:
    return nanoseconds // 1000 / 1e6
