"""A suite played once for all items of pytest that need it, also in the workers of pytest-xdist."""

import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.errors import SparringError
from sparring.format_error import describe_error
from sparring.model.base import Value
from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring.model.run import Summary
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.execution.known_cases import Condition
from sparring_plugins.gating.records import case_key, label_of


class SuiteNotPlayed(Exception):
    """A suite could not be played: another worker says why."""


class PlayedSuite(Value):
    """What items need of a run; as JSON it goes from the worker that played to all others."""

    summary: Summary = Summary()
    exit_code: int = 0
    folder: Path | None = None
    written: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    error: str = ""

    @classmethod
    def of(cls, done: RunResult) -> "PlayedSuite":
        """Return what is kept of a run."""
        return cls(
            summary=done.summary,
            exit_code=done.exit_code,
            folder=done.folder and done.folder.resolve(),
            written=tuple(path.resolve() for path in done.written),
            problems=tuple(done.problems),
        )


class Results:
    """The verdicts of a run, by case, scenario and condition; cases are read when they are needed.

    What the suite's gate says goes before single verdicts: a check of a repeated case that passes
    often enough is no failure, nor is one that its baseline accepts.
    """

    _TOLERATED: ClassVar[dict[str, tuple[str, ...]]] = {
        "warn": ("pass", "flaky"),
        "fail": ("pass",),
    }

    def __init__(self, done: PlayedSuite, conditions: tuple[Condition, ...] = ()) -> None:
        self.done = done
        self.conditions = conditions
        self.run = StoredRun(done.folder) if done.folder is not None else None
        gate: Any = done.summary.gate
        self._accepted = frozenset[str](gate.get("accepted", ()))
        tolerated = self._TOLERATED[gate.get("rules", {}).get("flaky", "warn")]
        rates: list[Any] = gate.get("rates", []) if gate.get("repeated") else []
        self._tolerated = {
            f"{rate['case_id']} {rate['check']}" for rate in rates if rate["decision"] in tolerated
        }

    @cached_property
    def _played(self) -> list[Case]:
        """The cases that were judged."""
        if self.run is None:
            return []
        judged = frozenset(self.run.case_ids)
        asked = (case for event, _ in self.run.asked_batches() for case in event.cases)
        return [case for case in asked if case.id in judged]

    @cached_property
    def _ids_by_case(self) -> Mapping[str, list[str]]:
        """The ids of all plays by the id without the number of a repeat: items ask one by one."""
        ids: dict[str, list[str]] = defaultdict(list)
        for case in self._played:
            ids[case_key(case)].append(case.id)
        return ids

    @cached_property
    def refused(self) -> dict[str, str]:
        """Why cases were not played, by their ids without repeats: duplicates, nothing to say."""
        if self.run is None:
            return {}
        return {
            case_key(refusal.case): f"{refusal.reason}: it would say {refusal.text[:200]!r}"
            + (f", as {refusal.like} does" if refusal.like else "")
            for event, _ in self.run.asked_batches()
            for refusal in event.refused
        }

    def has_case(self, name: str) -> bool:
        """Whether a case was played at least once."""
        return name in self._ids_by_case

    def of_case(self, name: str) -> list[CaseJudged]:
        """Return all plays of a case."""
        return self._read(self._ids_by_case.get(name, []))

    def has_scenario(self, name: str) -> bool:
        """Whether a case of a scenario was played."""
        return any(case.scenario == name for case in self._played)

    def of_scenario(self, name: str) -> list[CaseJudged]:
        """Return all plays of all cases of a scenario."""
        return self._read([case.id for case in self._played if case.scenario == name])

    def _read(self, ids: Sequence[str]) -> list[CaseJudged]:
        return [self.run.case(each) for each in ids] if self.run is not None else []

    @cached_property
    def concluded(self) -> tuple[Verdict, ...]:
        """The verdicts over several conversations."""
        return self.run.concluded if self.run is not None else ()

    @cached_property
    def unclaimed(self) -> list[Verdict]:
        """Verdicts over several conversations that no condition has an item for.

        For example a rule with a name that no conversation has: that is found out at the end.
        """
        return [
            verdict
            for verdict in self.concluded
            if not any(condition.covers(verdict) for condition in self.conditions)
        ]

    def is_accepted(self, judged: CaseJudged | None, verdict: Verdict) -> bool:
        """Whether the baseline has this failure, too."""
        return self._key(judged, verdict) in self._accepted

    def is_tolerated(self, judged: CaseJudged | None, verdict: Verdict) -> bool:
        """Whether the check passes often enough, in all plays of a repeated case."""
        return judged is not None and self._key(judged, verdict) in self._tolerated

    def _key(self, judged: CaseJudged | None, verdict: Verdict) -> str:
        case = case_key(judged.trace.case) if judged is not None else ""
        return f"{case} {label_of(verdict)}".strip()


def play_once(path: Path, options: RunOptions, config: pytest.Config) -> PlayedSuite:
    """Play what is selected of a suite; raises SparringError or SuiteNotPlayed.

    Each worker of pytest-xdist would play it anew: the first one plays for all, and the others on
    the same machine wait for its result.
    """
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None:
        return _play(path, options, config)
    name = sha256(f"{worker['testrunuid']} {path.resolve()}".encode()).hexdigest()[:32]
    shared = _shared_folder(config) / f"sparring-{name}.json"
    with _locked(shared.with_suffix(".lock")):
        if (done := _read(shared)) is None:
            try:
                done = _play(path, options, config)
            except Exception as err:
                text = str(err) if isinstance(err, SparringError) else describe_error(err)
                _write(shared, PlayedSuite(error=f"{type(err).__name__}: {text}"))
                raise
            _write(shared, done)
    if done.error:
        raise SuiteNotPlayed(done.error)
    return done


def _play(path: Path, options: RunOptions, config: pytest.Config) -> PlayedSuite:
    most = int(config.getoption("maxfail", 0) or 0)
    loaded = load_suite(path, {"budget.failures": most} if most else {})
    with redirect_stdout(StringIO()):  # pytest reports each case itself
        return PlayedSuite.of(conduct(loaded, options))


def _shared_folder(config: pytest.Config) -> Path:
    """The folder of this session that all workers see; pytest removes it after some sessions."""
    factory: Any = getattr(config, "_tmp_path_factory", None)
    return Path(factory.getbasetemp()).parent if factory else Path(tempfile.gettempdir())


def _read(path: Path) -> PlayedSuite | None:
    try:
        return PlayedSuite.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(path: Path, done: PlayedSuite) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(done.model_dump_json())


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Hold a lock of this machine; it ends with the process, so that no killed worker keeps it.

    Without ``fcntl``, on Windows, nothing is held: workers may then play a suite once each.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
