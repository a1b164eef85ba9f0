"""Replaces a damaged log by its lines that are whole, so that the run can go on (``--salvage``)."""

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from sparring.engine.bus import now
from sparring.errors import StoredRunError
from sparring.model.events import CasesAsked, CaseStarted, Event, ProblemNoted
from sparring.store import RunLog, StoredRun
from sparring.store.log import LOG, not_stored, seal

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def repair_log(stored: StoredRun) -> StoredRun:
    """Write the log of a run again without its damaged lines, and return the run as it is then.

    The damaged log is kept beside the new one, as ``log.jsonl.damaged``, and the new one ends with
    a note of what was left out. A case whose verdicts are lost counts as not judged. Nothing is
    written if nothing is left out. Raises StoredRunError if the state of the strategy is lost, if
    another process writes the run, or if it cannot be written.
    """
    if not stored.left_out:
        return stored
    log = RunLog.reopen(stored.folder)  # nobody else may write it meanwhile
    try:
        fresh = stored.folder / f"{LOG}.new"
        with fresh.open("wb") as file:
            for number, line in enumerate(_lines(stored), 1):
                file.write(seal(line, number))
            file.flush()
            os.fsync(file.fileno())
        stored.log.replace(_unused(stored.folder / f"{LOG}.damaged"))
        fresh.replace(stored.log)
    except OSError as err:
        raise not_stored(f"{stored.log} cannot be repaired", err) from err
    finally:
        log.close()
    return StoredRun(stored.folder)


def _unused(path: Path) -> Path:
    """The path, or the first with a number behind it that no file has."""
    numbered = path
    count = 1
    while numbered.exists():
        count += 1
        numbered = path.with_name(f"{path.name}-{count}")
    return numbered


def _lines(stored: StoredRun) -> Iterator[bytes]:
    """The lines of the new log.

    A case that was begun although no proposal has it was proposed in a lost line: a proposal of
    that case alone, which changes nothing in the strategy's state, takes its place.
    """
    case_ids: set[str] = set()
    before, is_known, restorable = 0, False, True
    for number, line in zip(sorted(stored.intact), stored.lines(), strict=True):
        # A lost proposal may have changed the state: what is stored as a change of it fits no more.
        is_known = is_known and number == before + 1
        before = number
        event = _EVENT.validate_json(line)
        if isinstance(event, CasesAsked):
            is_known = restorable = is_known or event.change is None
            case_ids.update(case.id for case in event.cases)
        elif isinstance(event, CaseStarted) and event.case.id not in case_ids:
            restorable = restorable and bool(case_ids) and not stored.manifest.learns
            case_ids.add(event.case.id)
            yield _json(CasesAsked(at=event.at, cases=(event.case,), change={}))
        yield line
    if not restorable:
        raise StoredRunError(
            f"{stored.folder} cannot be resumed: {stored.left_out}, and with them what its "
            "strategy knew; check or report it with --salvage, and start a new run"
        )
    yield _json(ProblemNoted(at=now(), source="log", message=stored.left_out))


def _json(event: Event) -> bytes:
    return event.model_dump_json().encode()
