"""SENSEI's report on a run: response times and errors, over all and per test."""

import math
from collections.abc import Sequence
from typing import Any, cast

from sparring_plugins.sensei.formats.forms import is_map
from sparring_plugins.sensei.formats.layout import COST, ResponseTimes


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
        known = isinstance(cost, float) and math.isfinite(cost)
        for part in (self._all, self._tests.setdefault(test, _Part())):
            part.add(file_name, codes, seconds, cost if known else None)

    def documents(self) -> list[Any]:
        """The documents of the report's file."""
        tests = [{"Test name": test, **part.document()} for test, part in self._tests.items()]
        return [{"Global report": self._all.document()}, *tests]


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
