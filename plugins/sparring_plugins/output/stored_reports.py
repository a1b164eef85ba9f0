"""Reports of stored runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sparring.engine.budget import Tally
from sparring.engine.bus import now
from sparring.interfaces.reporter import Reporter
from sparring.model.events import RunFinished, RunStarted
from sparring.model.run import Stop, Summary, Usage
from sparring.store import StoredRun


def report(stored: StoredRun, reporters: Sequence[Reporter[Any]]) -> list[Path]:
    """Make reports of a stored run, also of one that was never finished."""
    summary = stored.summary or _unfinished(stored)
    for reporter in reporters:
        reporter.handle(
            RunStarted(
                at=stored.manifest.created,
                run=stored.manifest,
                session=max(1, stored.sessions),
                folder=str(stored.folder),
            )
        )
        reporter.handle(RunFinished(at=now(), summary=summary))
    return [path for reporter in reporters for path in reporter.written()]


def _unfinished(stored: StoredRun) -> Summary:
    tally = Tally()
    for judged in stored.judged():
        tally.add_case(judged.verdicts)
    usage = Usage(cases=len(stored.cases))
    return tally.summary(Stop.INTERRUPTED, usage, reason="the run was not finished")
