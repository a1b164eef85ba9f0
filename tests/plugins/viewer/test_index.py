"""The index finds what the log has, also while it grows, and never changes the run."""

from contextlib import closing
from pathlib import Path
from threading import Event, Timer

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugins.viewer.conftest import judged, some_talks

from sparring.model.verdict import TurnRef
from sparring.store import StoredRun
from sparring.testing.conversations import run_events, stored_run, trace_of, verdict_of
from sparring_plugins.output.view_cache import forget_view_index, view_index_path
from sparring_plugins.viewer.index import RunIndex
from sparring_plugins.viewer.queries import (
    Filter,
    compare_cases,
    find_cases,
    match_expression,
    matrix,
    neighbours,
    overview,
)


@pytest.fixture
def index(tmp_path: Path) -> RunIndex:
    stored_run(tmp_path / "run", some_talks(), judged)
    made = RunIndex(tmp_path / "run", tmp_path / "index.sqlite")
    made.refresh()
    return made


def found(index: RunIndex, wanted: Filter) -> list[str]:
    with closing(index.connect()) as connection:
        return [row["id"] for row in find_cases(connection, wanted, 0, 100)["rows"]]


def test_all_cases_stand_in_the_order_asked(index: RunIndex) -> None:
    assert tuple(found(index, Filter())) == index.stored.case_ids


def test_filters_agree_with_the_verdicts(index: RunIndex) -> None:
    failed = [
        case.trace.case.id
        for case in index.stored.judged()
        if any(verdict.outcome == "fail" for verdict in case.verdicts)
    ]
    assert failed
    assert found(index, Filter(outcomes=("fail",))) == failed
    assert found(index, Filter(finding=1)) == failed
    assert found(index, Filter(oracle="rules")) == failed
    assert not set(found(index, Filter(scenario="order"))) & set(
        found(index, Filter(scenario="hours"))
    )


def test_words_are_found_wherever_they_stand(index: RunIndex) -> None:
    assert len(found(index, Filter(words="welc"))) == 12
    assert len(found(index, Filter(words='"question 7"'))) == 1
    assert len(found(index, Filter(words="price wrong"))) == 3
    assert found(index, Filter(words="nowhere")) == []


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_no_text_is_a_mistake_of_the_search(text: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (talk)")
        query = "SELECT count(*) FROM words WHERE words MATCH ?"
        expression = match_expression(text.encode("utf-8", "replace").decode())
        assert connection.execute(query, (expression,)).fetchone() == (0,)


def test_an_index_grows_with_the_log_and_is_kept(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    stored_run(whole, some_talks(), judged)
    lines = (whole / "log.jsonl").read_bytes().splitlines(keepends=True)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_bytes((whole / "run.json").read_bytes())
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(lines[:9]) + lines[9][:20])  # torn: being written
    index = RunIndex(folder, tmp_path / "index.sqlite")
    assert index.refresh()
    with closing(index.connect()) as connection:
        before = overview(connection)
    assert (sum(before["counts"].values()), before["asked"], before["summary"]) == (1, 12, None)
    log.write_bytes(b"".join(lines))
    assert index.refresh()
    assert not index.refresh()
    with closing(index.connect()) as connection:
        grown = overview(connection)
    fresh = RunIndex(whole, tmp_path / "fresh.sqlite")
    fresh.refresh()
    with closing(fresh.connect()) as connection:
        assert overview(connection) == grown
    again = RunIndex(folder, tmp_path / "index.sqlite")
    assert again.refresh()
    with closing(again.connect()) as connection:
        assert overview(connection) == grown


def test_only_who_starts_the_reading_of_a_log_waits_for_it(
    index: RunIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = Event()
    monkeypatch.setattr(index, "refresh", may_end.wait)
    assert not index.refresh_within(0.01)
    # Whoever waited would see the reader end, and get True.
    ends_it = Timer(5, may_end.set)
    ends_it.start()
    assert not index.refresh_within(60)
    assert index.is_busy
    ends_it.cancel()
    may_end.set()


def test_cases_that_are_played_again_are_judged_anew(tmp_path: Path) -> None:
    talks = some_talks(4)
    stored = stored_run(tmp_path / "run", talks, judged)
    from sparring.model.events import CaseJudged, RunStarted
    from sparring.store import RunLog

    failed = next(case for case in stored.judged() if case.verdicts[0].outcome == "fail")
    event = next(e for e in run_events(talks) if isinstance(e, RunStarted))
    case_id = failed.trace.case.id
    with RunLog.reopen(stored.folder) as log:
        log.append_event(event.model_copy(update={"session": 2, "again": (case_id,)}))
        verdicts = (verdict_of(failed.trace),)
        log.append_event(CaseJudged(at=event.at, trace=failed.trace, verdicts=verdicts))
    index = RunIndex(stored.folder, tmp_path / "index.sqlite")
    index.refresh()
    with closing(index.connect()) as connection:
        seen = overview(connection)
    assert seen["counts"] == {"pass": 3, "inconclusive": 1}
    assert [finding["outcome"] for finding in seen["findings"]] == ["inconclusive"]


def test_findings_over_several_conversations_lead_to_all_of_them(tmp_path: Path) -> None:
    talks = some_talks(3)
    ids = tuple(talk.case.id for talk in talks[:2])
    verdict = verdict_of(talks[0], "fail", check="alike", reason="two differ")
    refs = (TurnRef(case_id=ids[0], turn=0),)
    over = verdict.model_copy(update={"case_ids": ids, "turns": refs})
    passes = lambda trace: [verdict_of(trace)]  # noqa: E731
    stored_run(tmp_path / "run", talks, passes, concluded=[over])
    index = RunIndex(tmp_path / "run", tmp_path / "index.sqlite")
    index.refresh()
    assert found(index, Filter(finding=1)) == list(ids)


def test_damaged_lines_are_counted_and_left_out(tmp_path: Path) -> None:
    stored = stored_run(tmp_path / "run", some_talks(), judged)
    text = stored.log.read_bytes()
    stored.log.write_bytes(text.replace(b"answer number 3.", b"answer number 4."))
    index = RunIndex(stored.folder, tmp_path / "index.sqlite")
    index.refresh()
    with closing(index.connect()) as connection:
        seen = overview(connection)
    assert (seen["damaged"], sum(seen["counts"].values())) == (1, 11)


def test_a_matrix_has_a_column_for_each_value_of_an_input(tmp_path: Path) -> None:
    talks = [
        trace_of([("hi", "hello")], city=city, model=model)
        for city in ("Oviedo", "Paris")
        for model in ("small", "large", "huge")
    ]
    verdicts = [
        [verdict_of(talk, "fail" if talk.case.params["model"] == "small" else "pass")]
        for talk in talks
    ]
    stored_run(tmp_path / "run", talks, verdicts)
    index = RunIndex(tmp_path / "run", tmp_path / "index.sqlite")
    index.refresh()
    with closing(index.connect()) as connection:
        table = matrix(connection, "model", Filter())
    assert table["columns"] == ["huge", "large", "small"]
    assert [row["rest"] for row in table["rows"]] == ["city Oviedo", "city Paris"]
    cells = [[outcome for cell in row["cells"] for _, outcome in cell] for row in table["rows"]]
    assert cells == [["pass", "pass", "fail"]] * 2
    assert table["sums"][2] == {"fail": 2}


def test_two_runs_are_compared_case_by_case(tmp_path: Path) -> None:
    stored_run(tmp_path / "a", some_talks(6), judged)
    later = [talk for talk in some_talks(7) if talk.case.params["nr"] != 0]
    stored_run(tmp_path / "b", later, lambda trace: [verdict_of(trace)])
    a, b = (RunIndex(tmp_path / name, tmp_path / f"{name}.sqlite") for name in "ab")
    a.refresh()
    b.refresh()
    with closing(b.connect()) as connection:
        answer = compare_cases(connection, a.path.as_uri() + "?mode=ro", "", 0, 100)
    assert answer["counts"] == {
        "fail to pass": 2,
        "inconclusive to pass": 1,
        "missing": 1,
        "new": 1,
        "same pass": 2,
    }
    assert answer["total"] == len(answer["rows"]) == 5


def test_neighbours_are_those_that_the_filter_leaves(index: RunIndex) -> None:
    failed = found(index, Filter(outcomes=("fail",)))
    with closing(index.connect()) as connection:
        beside = neighbours(connection, Filter(outcomes=("fail",)), failed[1])
        alone = neighbours(connection, Filter(), "nobody")
    assert (beside, alone) == ([failed[0], failed[2]], [None, None])


def test_an_index_lies_in_the_cache_and_can_be_forgotten(tmp_path: Path) -> None:
    stored = stored_run(tmp_path / "run", some_talks(2))
    before = {path.name: path.read_bytes() for path in stored.folder.iterdir()}
    RunIndex(stored.folder).refresh()
    path = view_index_path(stored.folder)
    assert path.stat().st_mode & 0o077 == 0
    forget_view_index(stored.folder)
    assert not path.exists()
    assert {path.name: path.read_bytes() for path in stored.folder.iterdir()} == before


def test_scrubbing_a_run_forgets_its_index(tmp_path: Path) -> None:
    from sparring.cli.app import invoke

    stored = stored_run(tmp_path / "run", some_talks(2))
    RunIndex(stored.folder).refresh()
    assert invoke(["scrub", str(stored.folder)]) == 0
    assert not view_index_path(stored.folder).exists()
    assert StoredRun(stored.folder).case_ids
