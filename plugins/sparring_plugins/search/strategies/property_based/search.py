"""Hypothesis asks the cases of one scenario, and shrinks what fails."""

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.packed_rows import (
    GrowingText,
    growing_rows,
    packed,
    unpacked,
    unpacked_rows,
)
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch, Told

_IDLE = 3
"""Rounds without a new case after which random new cases take their places."""

_FAR = 3**27
"""Where numbers begin. Hypothesis likes to draw numbers that it finds in the code of this process,
and what code is loaded must not change what is drawn: none has numbers of this size."""

Kind = tuple[str, ...]


class _Unknown(BaseException):
    """Hypothesis wants to know of a case that was not played yet."""

    def __init__(self, row: Indices) -> None:
        super().__init__()
        self.row = row


class PropertySearch(ScenarioSearch):
    """Rounds of Hypothesis, each up to its first failures and their smallest forms.

    Hypothesis calls a test and wants the answer at once, while a case takes long. So each round is
    repeated from its seed with the answers known by now, up to the first case that is not known:
    that is the next one. A kind of failure that was shrunk counts as passed in later rounds, so
    that these find others. `shrunk` has the smallest case of each kind.
    """

    def __init__(self, cases: CaseSpace, own_seed: int, examples: int) -> None:
        super().__init__(cases, own_seed)
        self.examples = examples
        self._forget()
        self.shrunk: dict[Kind, Indices] = {}
        self.rounds = 0
        self._idle = 0
        self._failures: dict[Kind, type[Exception]] = {}

    @property
    def batch(self) -> int:
        return 1

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        while self._idle < _IDLE:
            row = self._next()
            if row is not None:
                self._idle = 0
                return [row]
            self.rounds += 1
            self._idle += 1
        return ()

    def refused(self, row: Indices) -> None:
        self._answer(row, None)

    def learn(self, told: Sequence[Told]) -> None:
        for row, one in told:
            self._answer(row, (one.kind or ("failed",)) if one.failed else None)

    def _forget(self) -> None:
        self.answers: dict[Indices, Kind | None] = {}
        self._kinds: dict[Kind, int] = {}
        self._told: list[int] = []
        self._rows_text, self._told_text = growing_rows(self.cases.sizes), GrowingText[int](packed)

    def _answer(self, row: Indices, kind: Kind | None) -> None:
        """Keep how a case did, with the number of its kind (0 where it did not fail)."""
        if row in self.answers:
            return
        self.answers[row] = kind
        number = 0 if kind is None else self._kinds.setdefault(kind, len(self._kinds) + 1)
        self._told.append(number)

    def _next(self) -> Indices | None:
        """The case that this round waits for; None where the round is over."""
        smallest: dict[Kind, Indices] = {}
        try:
            self._round(smallest)
        except _Unknown as wanted:
            return wanted.row
        except Exception:  # noqa: BLE001 - what it found, one exception or a group of them
            self.shrunk |= smallest
        return None

    def _round(self, smallest: dict[Kind, Indices]) -> None:
        values = st.tuples(*(st.integers(_FAR, _FAR + size - 1) for size in self.cases.sizes))

        def fails(drawn: Indices) -> None:
            try:
                row = self.cases.repaired_indices(tuple(value - _FAR for value in drawn))
            except TooHard:
                return
            if row not in self.answers and row not in self.seen:
                raise _Unknown(row)
            kind = self.answers.get(row)
            if kind is not None and kind not in self.shrunk:
                smallest[kind] = row  # the last time that it is tried is the smallest
                raise self._failure(kind)

        test: Any = given(values)(fails)
        seeded: Any = seed(self.seed + self.rounds)(test)
        checks: Any = list(HealthCheck)
        settings(
            database=None,
            deadline=None,
            max_examples=self.examples,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=checks,
            verbosity=Verbosity.quiet,
            print_blob=False,
        )(seeded)()

    def _failure(self, kind: Kind) -> Exception:
        """An exception of the kind's own class: Hypothesis shrinks each class for itself."""
        if kind not in self._failures:
            self._failures[kind] = type("Failure", (Exception,), {})
        return self._failures[kind](*kind)

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "answers": self._rows_text.of(self.answers),
            "told": self._told_text.of(self._told),
            "kinds": [list(kind) for kind in self._kinds],
            "shrunk": [[list(kind), list(row)] for kind, row in self.shrunk.items()],
            "rounds": self.rounds,
            "idle": self._idle,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        rows = unpacked_rows(state["answers"], self.cases.sizes)
        kinds: list[Kind | None] = [None, *(tuple(map(str, kind)) for kind in state["kinds"])]
        told = [kinds[at] for at in unpacked(state["told"])]
        self._forget()
        for row, kind in zip(rows, told, strict=True):
            self._answer(row, kind)
        self.shrunk = {tuple(map(str, kind)): tuple(row) for kind, row in state["shrunk"]}
        self.rounds, self._idle = int(state["rounds"]), int(state["idle"])
