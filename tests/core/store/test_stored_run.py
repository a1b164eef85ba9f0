"""A run on disk: readable while it grows, in constant memory, whatever happened to it."""

import asyncio
import os
from pathlib import Path

import pytest

from sparring.errors import StoredRunError
from sparring.model.events import CasesAsked, ProblemNoted, RunConcluded, RunFinished, RunStarted
from sparring.model.run import Run, Summary
from sparring.store import RunLog, StoredRun, find_run
from sparring.testing.conversations import (
    EPOCH,
    run_events,
    store,
    stored_run,
    trace_of,
    verdict_of,
)


def traces(count: int) -> list:  # type: ignore[type-arg]
    return [trace_of([("hi", f"hello {n}")], n=n) for n in range(count)]


def test_what_was_stored_is_what_is_read(tmp_path: Path) -> None:
    told = traces(3)
    run = stored_run(tmp_path / "r", told, lambda trace: [verdict_of(trace, "fail", reason="odd")])
    assert list(run.traces()) == told
    assert [judged.verdicts[0].reason for judged in run.judged()] == ["odd"] * 3
    assert run.case(told[1].case.id).trace == told[1]
    assert len(run.traces()) == 3
    assert run.manifest.name == "run"


def test_cases_come_in_the_order_asked_whatever_ended_first(tmp_path: Path) -> None:
    told = traces(4)
    events = run_events(told)
    judged = [event for event in events if event.kind == "case_judged"]
    others = [event for event in events if event.kind in ("run_started", "cases_asked")]
    run = store(tmp_path / "r", [*others, *reversed(judged)])
    assert run.case_ids == tuple(trace.case.id for trace in told)


def test_a_torn_last_line_is_passed_over_and_cut_off_before_more_is_written(tmp_path: Path) -> None:
    run = stored_run(tmp_path / "r", traces(2))
    with run.log.open("ab") as file:
        file.write(b'{"kind":"case_judged","at":"2024')
    assert len(StoredRun(run.folder).case_ids) == 2
    log = RunLog.reopen(run.folder)
    log.append_event(ProblemNoted(at=EPOCH, source="test", message="after"))
    log.close()
    assert [problem.message for problem in StoredRun(run.folder).problems] == ["after"]


def test_damage_in_the_middle_is_named_and_not_passed_over(tmp_path: Path) -> None:
    run = stored_run(tmp_path / "r", traces(2))
    lines = run.log.read_bytes().split(b"\n")
    lines[1] = b'{"kind":"cases_asked","at":12,"cases":"none"}'
    run.log.write_bytes(b"\n".join(lines))
    with pytest.raises(StoredRunError, match=r"log\.jsonl:2: the log is damaged: it has no number"):
        StoredRun(run.folder).case_ids  # noqa: B018


def test_a_case_judged_twice_counts_once(tmp_path: Path) -> None:
    (trace,) = traces(1)
    events = run_events([trace])
    (judged,) = [event for event in events if event.kind == "case_judged"]
    run = store(tmp_path / "r", [*events, judged])
    assert len(list(run.judged())) == 1


def test_a_new_session_supersedes_the_conclusions_of_the_last(tmp_path: Path) -> None:
    (trace,) = traces(1)
    verdict = verdict_of(trace, "fail")
    events = run_events([trace], concluded=[verdict])
    assert store(tmp_path / "a", events).concluded == (verdict,)
    again = store(tmp_path / "b", [*events, events[0]])
    assert again.concluded == ()
    assert again.summary is None
    assert again.sessions == 2


def test_the_batches_tell_what_was_judged_between_them(tmp_path: Path) -> None:
    first, second = traces(2)
    events = run_events([first])
    more = CasesAsked(at=EPOCH, cases=(second.case,), state={"position": 2})
    run = store(tmp_path / "r", [*events, more])
    assert [(batch.state, told) for batch, told in run.asked_batches()] == [
        (1, (first.case.id,)),
        ({"position": 2}, ()),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "is not a run: it has no run.json"), (b"{}", "cannot be read"), (b"\xff", "cannot be")],
)
def test_a_folder_that_is_no_run_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(StoredRunError, match=message):
        StoredRun(tmp_path).manifest  # noqa: B018


def test_a_run_of_a_newer_sparring_is_refused(tmp_path: Path) -> None:
    run = stored_run(tmp_path / "r", traces(1))
    newer = run.manifest.model_copy(update={"schema_version": 99})
    (run.folder / "run.json").write_text(newer.model_dump_json(), encoding="utf-8")
    with pytest.raises(StoredRunError, match="written by a newer sparring"):
        StoredRun(run.folder).manifest  # noqa: B018


def test_a_run_is_found_by_folder_by_id_and_as_the_last(tmp_path: Path) -> None:
    older = stored_run(tmp_path / "a-1", traces(1))
    newer = stored_run(tmp_path / "b-2", traces(1))
    os.utime(older.folder / "run.json", (1, 1))
    assert find_run(str(older.folder), tmp_path).folder == older.folder
    assert find_run("a-1", tmp_path).folder == older.folder
    assert find_run("last", tmp_path).folder == newer.folder
    with pytest.raises(StoredRunError, match=r"no run is called 'c' .* The newest there: a-1, b-2"):
        find_run("c", tmp_path)


def test_a_folder_that_holds_no_run_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    with pytest.raises(
        StoredRunError, match=r"empty is no stored run: there is no run\.json in it"
    ):
        find_run(str(tmp_path / "runs" / "empty"), tmp_path / "runs")


def test_syncs_asked_for_together_are_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    run = Run(id="r", name="r", created=EPOCH, seed=0)
    log = RunLog.create(tmp_path / "r", run)
    monkeypatch.setattr(os, "fsync", synced.append)

    async def together() -> None:
        await asyncio.gather(*(log.sync() for _ in range(50)))

    asyncio.run(together())
    assert 1 <= len(synced) <= 3
    monkeypatch.undo()
    log.close()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoredRunError, match="the run cannot be stored in"):
        RunLog.create(tmp_path / "file" / "r", Run(id="r", name="r", created=EPOCH, seed=0))


def test_a_log_can_be_read_while_it_grows(tmp_path: Path) -> None:
    events = run_events(traces(3))
    first = events[0]
    assert isinstance(first, RunStarted)
    log = RunLog.create(tmp_path / "r", first.run)
    seen: list[int] = []
    for event in events:
        log.append_event(event)
        seen.append(len(StoredRun(tmp_path / "r").case_ids))
    log.close()
    assert sorted(set(seen)) == [0, 1, 2, 3]
    assert isinstance(events[-1], RunFinished)
    assert isinstance(events[-2], RunConcluded)
    assert isinstance(StoredRun(tmp_path / "r").summary, Summary)
