"""The search over one scenario, whatever its method: proposals, evaluations, saved state.

A state is stored after every batch, so rows are packed into short texts. The text of more rows
begins with the text of fewer: in a state that lists every case so far, only the end is new.
"""

from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from math import prod
from random import Random
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.search.failure_classes import app_failures, failure_class_of
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling import Permutation, ValidCases, repetitions

OUTCOME = "outcome"
"""The objective if no verdict has a score: 1 for a case that passed, 0 for one that failed.

Of a case that is played several times (`repeats`) it is the share of plays that passed."""

_UNKNOWN = 1.0
"""The value of an objective that no verdict reports: nothing to search for."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a case did.

    `objectives` are in [0, 1] and minimised (1 is the best that the app can do), in the order of
    the search's objectives. `failed` is true if a gating verdict owned by the app failed. `kind` is
    the failure class, sorted; empty for a case that did not fail.
    """

    objectives: tuple[float, ...]
    failed: bool
    failure_class: tuple[str, ...] = ()


class Objectives:
    """The objectives of a search, by the names of checks (``check`` or ``oracle/check``).

    Without names, all checks that have a score in the first verdicts; if there is none, whether the
    case failed.
    """

    def __init__(self, named: Sequence[str] | None) -> None:
        self.named = named
        self.names: tuple[str, ...] | None = tuple(named) if named else None

    def settle(self, batch: Iterable[Sequence[Verdict]]) -> list[str]:
        """Determine the objectives from the first verdicts; return named ones that none has."""
        names = {
            name
            for verdicts in batch
            for verdict in verdicts
            if self.named or _score(verdict) is not None
            for name in (verdict.check, f"{verdict.oracle}/{verdict.check}")
        }
        if self.names is not None:
            return [name for name in self.names if name not in names] if names else []
        self.names = tuple(sorted(name for name in names if "/" in name)) or (OUTCOME,)
        return []

    def evaluated(self, verdicts: Sequence[Verdict]) -> Evaluation:
        """Return the evaluation of a case by its verdicts, once the objectives are settled."""
        failures = app_failures(verdicts)
        scores = _scores(verdicts)
        scores[OUTCOME] = min(map(_share_passed, failures), default=1.0)
        values = tuple(scores.get(name, _UNKNOWN) for name in self.names or (OUTCOME,))
        return Evaluation(values, bool(failures), failure_class_of(verdicts))


def _share_passed(failure: Verdict) -> float:
    """Return the share of plays of a repeated case in which a check passed; 0 if played once."""
    rate = failure.details.get("pass_rate")
    return rate if isinstance(rate, float) and 0 <= rate <= 1 else 0.0


def _score(verdict: Verdict) -> float | None:
    if verdict.outcome in (Outcome.ERROR, Outcome.SKIPPED):
        return None
    return verdict.score


def _scores(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return the worst score of each check, under both of its names; its outcome if it has none."""
    scores: dict[str, float] = {}
    by_outcome = {Outcome.PASS: 1.0, Outcome.FAIL: 0.0}
    for verdict in verdicts:
        score = _score(verdict)
        value = by_outcome.get(verdict.outcome) if score is None else score
        if value is not None:
            for name in (verdict.check, f"{verdict.oracle}/{verdict.check}"):
                scores[name] = min(value, scores.get(name, 1.0))
    return scores


def dump_evaluation(evaluation: Evaluation) -> JsonValue:
    """Return an evaluation as plain data."""
    return [list(evaluation.objectives), evaluation.failed, list(evaluation.failure_class)]


def load_evaluation(data: Any) -> Evaluation:
    """Return an evaluation from plain data; raises ValueError, TypeError."""
    objectives, failed, failure_class = data
    return Evaluation(tuple(map(float, objectives)), bool(failed), tuple(map(str, failure_class)))


_TRIED = 20_000
"""Numbers in a row that stand for no new case before there is none."""


class UnseenCases:
    """Iterates over the valid cases of a space in a random order.

    If constraints are too large to enumerate and valid cases are rare, random cases are repaired.
    `position` is all the state there is. Raises ConfigurationError if no case is valid.
    """

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        self._cases = cases
        self._valid = ValidCases(cases)
        self._numbered = self._valid.among()
        self._order = Permutation(self._numbered.size, seed, cases.scenario.name, "fresh")
        self._seed = seed
        self.position = 0

    def draw(self, *seen: Container[Indices]) -> Indices | None:
        """Return a case that is not among those seen; None if there is none, or hardly any."""
        new = (row for row in self._rows() if not any(row in rows for rows in seen))
        return next(new, None)

    def _rows(self) -> Iterator[Indices]:
        end = self.position + _TRIED
        while self.position < min(end, self._numbered.size):
            row = self._valid.case(self._numbered[self._order[self.position]])
            self.position += 1
            if row is not None:
                yield row
        # constraints too large to enumerate may leave one valid case in a million: repair some
        if not self._valid.exact:
            draw = Random(f"{self._seed}/{self.position}")
            for _ in range(_TRIED // 10):
                drawn = tuple(draw.randrange(size) for size in self._cases.sizes)
                yield self._cases.repaired_indices(drawn)


ItemT = TypeVar("ItemT")


class GrowingText(Generic[ItemT]):
    """The text of a collection that only grows; what was written once is not written again."""

    def __init__(self, written: Callable[[Sequence[ItemT]], str]) -> None:
        self._written = written
        self._text = ""
        self._count = 0

    def of(self, items: list[ItemT] | dict[ItemT, Any]) -> str:
        """Return the text of items, or of a map's keys; the first are those of the last call."""
        new = list(islice(reversed(items), len(items) - self._count))
        self._text += self._written(new[::-1])
        self._count = len(items)
        return self._text


def growing_rows(sizes: Sequence[int]) -> GrowingText[Indices]:
    """Return a growing text for rows of variables of these sizes."""

    def written(rows: Sequence[Indices]) -> str:
        return pack_rows(rows, sizes)

    return GrowingText(written)


def pack(numbers: Iterable[int]) -> str:
    """Return numbers as a text."""
    return "".join(f"{number} " for number in numbers)


def unpack(text: object) -> list[int]:
    """Return the numbers of a text; raises ValueError for another text."""
    if not isinstance(text, str):
        raise ValueError("packed numbers are a text")
    return [int(number) for number in text.split()]


def pack_rows(rows: Iterable[Sequence[int]], sizes: Sequence[int]) -> str:
    """Return rows of variables of these sizes as a text: the number of each row among all rows."""
    width = _width(sizes)
    return b64encode(b"".join(_number(row, sizes).to_bytes(width, "big") for row in rows)).decode()


def unpack_rows(text: object, sizes: Sequence[int]) -> list[Indices]:
    """Return the rows of a text; raises ValueError if it has rows of other sizes."""
    if not isinstance(text, str):
        raise ValueError("packed rows are a text")
    data, width = b64decode(text, validate=True), _width(sizes)
    if len(data) % width:
        raise ValueError("the packed text has half a row")
    return [
        _row(int.from_bytes(data[at : at + width], "big"), sizes)
        for at in range(0, len(data), width)
    ]


def _width(sizes: Sequence[int]) -> int:
    """Return the bytes of a row: a multiple of three, which base 64 encodes without padding."""
    # padding in the middle would change the text that is already stored when a row is added
    return max(1, -(-(prod(sizes) - 1).bit_length() // 24)) * 3


def _number(row: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for at, size in zip(row, sizes, strict=True):
        number = number * size + at
    return number


def _row(number: int, sizes: Sequence[int]) -> Indices:
    row: list[int] = []
    for size in reversed(sizes):
        number, at = divmod(number, size)
        row.append(at)
    if number:
        raise ValueError("a packed number stands for no value")
    return tuple(reversed(row))


Evaluated = tuple[Indices, Evaluation]


class ScenarioSearch(ABC):
    """Proposes cases of one scenario, as indices, and learns from their evaluations.

    `seen` are all cases that were proposed, whether they were played or refused, in order.
    Randomness comes from `draw`, seeded anew for each round, so no generator has to be saved.
    """

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        self.cases = cases
        digest = sha256(f"{seed}/{cases.scenario.name}".encode("utf-8", "surrogatepass")).digest()
        self.seed = int.from_bytes(digest[:6], "big")
        self.seen: dict[Indices, None] = {}
        self._seen_text = growing_rows(self.cases.sizes)
        self.round = 0
        self.exhausted = False
        self.immigrants = 0
        self.fresh = UnseenCases(cases, self.seed)

    @property
    @abstractmethod
    def batch(self) -> int:
        """The number of cases for the next round."""

    @abstractmethod
    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        """Return up to `number` valid cases, none of `seen`, in order of preference."""

    @abstractmethod
    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        """Learn from cases that were played, in the order in which they were proposed."""

    def refused(self, row: Indices) -> None:  # noqa: B027 - many need not hear it
        """Hear that a proposed case is not played."""

    def propose(self, number: int) -> list[Indices]:
        """Return the cases of this round; random new ones if the method has too few."""
        draw = Random(f"{self.seed}/{self.round}")
        self.round += 1
        rows: list[Indices] = []
        for row in self.proposed(number, draw):
            if row not in self.seen and len(rows) < number:
                self.seen[row] = None
                rows.append(row)
        while len(rows) < number and (stranger := self.stranger()) is not None:
            self.immigrants += 1
            rows.append(stranger)
        return rows

    def stranger(self) -> Indices | None:
        """Return a random case that was not proposed before; None if there is none."""
        row = self.fresh.draw(self.seen)
        if row is None:
            self.exhausted = True
        else:
            self.seen[row] = None
        return row

    def state(self) -> dict[str, JsonValue]:
        """Return all that `restore` needs."""
        return {
            "seen": self._seen_text.of(self.seen),
            "round": self.round,
            "fresh": self.fresh.position,
            "immigrants": self.immigrants,
            "exhausted": self.exhausted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a state; raises ValueError, KeyError, TypeError for another one."""
        self.seen = dict.fromkeys(unpack_rows(state["seen"], self.cases.sizes))
        self._seen_text = growing_rows(self.cases.sizes)
        self.round, self.immigrants = int(state["round"]), int(state["immigrants"])
        self.fresh.position = int(state["fresh"])
        self.exhausted = bool(state["exhausted"])


class Repeated(ScenarioSearch):
    """A scenario without variables: its one case, as often as its author asks for."""

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        super().__init__(cases, seed)
        self._left = repetitions(cases.scenario)

    @property
    def batch(self) -> int:
        return self._left

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        return ()

    def propose(self, number: int) -> list[Indices]:
        taken = min(number, self._left)
        self._left -= taken
        self.exhausted = not self._left
        return [()] * taken

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        pass

    def state(self) -> dict[str, JsonValue]:
        return {"left": self._left}

    def restore(self, state: dict[str, Any]) -> None:
        self._left = int(state["left"])
        self.exhausted = not self._left
