"""What the page is given: runs, conversations, files, labels that `calibrate` reads, replays."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.plugins.viewer.conftest import Serve, Served

from sparring.cli.app import invoke
from sparring.store import StoredRun, find_run
from sparring.testing.conversations import stored_run, trace_of, verdict_of


@pytest.fixture(scope="module")
def served(serve: Serve, folder: Path) -> Served:
    return serve(folder / "runs")


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory, serve: Serve) -> Served:
    """A run of the suite that `init` makes."""
    base = tmp_path_factory.mktemp("first")
    assert invoke(["init", str(base)]) == 0
    assert invoke(["run", str(base)]) in (0, 1)
    return serve(base / "runs")


def test_runs_are_listed_newest_first(served: Served) -> None:
    runs = served.get("/api/runs")["runs"]
    assert {run["name"] for run in runs} == {"first", "second"}
    first = next(run for run in runs if run["name"] == "first")
    assert first["cases"] == {"fail": 3, "inconclusive": 2, "pass": 7}
    assert (first["state"], first["exit_code"]) == ("finished", 1)


def test_repeats_and_a_baseline_decide_the_headline(
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the exit code is 0, nothing says that conversations failed."""
    (tmp_path / "bot.py").write_text("def answer(message):\n    return '{name}'\n", "utf-8")
    base = tmp_path / "suite"
    invoke(["init", str(base), "--for", "python", "--answer", f"target={tmp_path}/bot.py:answer"])
    runs = base / "runs"
    assert invoke(["run", str(base), "--repeats", "3"]) == 1
    baseline = tmp_path / "kept.yaml"
    assert invoke(["bless", "last", "--runs", str(runs), "-o", str(baseline)]) == 0
    assert invoke(["run", str(base), "--repeats", "3", "--baseline", str(baseline)]) == 0
    assert "2 cases in 6 plays: 2 failed" in capsys.readouterr().out
    served = serve(runs)
    compared, played = served.get("/api/runs")["runs"]
    assert played["headline"] == "2 cases in 6 plays: 2 failed"
    assert (played["exit_code"], played["unit"]) == (1, "play")
    assert compared["headline"].startswith("nothing is worse in 2 cases that both have")
    assert compared["meaning"].startswith("nothing is worse than the baseline kept.yaml")
    whole = served.get(f"/api/runs/{played['name']}")
    plays = [rate["plays"] for rate in whole["rates"] if rate["check"] == "rules/shows_no_insides"]
    assert plays == ["xxx", "xxx"]
    whole = served.get(f"/api/runs/{compared['name']}")
    assert whole["baseline"] == "kept.yaml"
    assert "still failing" in {change["kind"] for change in whole["changes"]}
    assert "rates" not in compared, "the list of runs stays small"


def test_a_conversation_is_whole(served: Served, first: StoredRun) -> None:
    case_id = first.case_ids[1]
    view = served.get(f"/api/runs/first/case?id={case_id}")
    assert [turn["heard"]["text"] for turn in view["turns"]] == ["Welcome!", "answer number 1."]
    assert view["verdicts"][0]["reason"] == "the price 1 is wrong"
    assert view["neighbours"] == [first.case_ids[0], first.case_ids[2]]


@pytest.mark.parametrize(
    "path",
    [
        "/api/runs/none",
        "/api/runs/..",
        "/api/runs/%2e%2e/cases",
        "/api/runs/first/case?id=none",
        "/api/runs/first/files/../second/run.json",
        "/api/runs/first/files/%2e%2e/second/run.json",
        "/api/runs/first/files//etc/passwd",
        "/api/runs/first/files/none.png",
        "/static/../guard.py",
        "/static/%2e%2e/guard.py",
        "/api/compare?a=first&b=none",
    ],
)
def test_what_is_not_there_is_said_so(served: Served, path: str) -> None:
    status, text, headers = served.request(path)
    assert status == 404
    assert b"Traceback" not in text
    assert not headers["content-type"].startswith("text/html")


def test_files_of_a_run_are_pictures_or_saved(served: Served) -> None:
    run = served.runs / "first"
    (run / "page.png").write_bytes(b"\x89PNG\r\n\x1a\n and so on")
    (run / "script.png").write_bytes(b"<script>alert(1)</script>")
    (run / "page.html").write_bytes(b"<script>alert(1)</script>")
    (run / "outside.png").symlink_to("/etc/hostname")
    headers = {
        name: served.request(f"/api/runs/first/files/{name}")[2]
        for name in ("page.png", "script.png", "page.html")
    }
    assert headers["page.png"]["content-type"] == "image/png"
    for name in ("script.png", "page.html"):
        assert headers[name]["content-type"] == "application/octet-stream"
        assert headers[name]["content-disposition"].startswith("attachment")
    assert served.request("/api/runs/first/files/outside.png")[0] == 404


def test_the_report_can_be_saved(served: Served) -> None:
    status, page, headers = served.request("/api/runs/first/report")
    assert status == 200
    assert page.startswith(b"<!doctype html>")
    assert headers["content-disposition"] == 'attachment; filename="report.html"'


def test_progress_ends_with_the_run(served: Served) -> None:
    status, text, headers = served.request("/api/runs/first/progress")
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    told, ended = text.decode().strip().split("\n\n")
    assert json.loads(told.removeprefix("data: "))["counts"]["fail"] == 3
    assert ended.startswith("event: end")


def test_a_label_is_written_for_calibrate_and_read_by_it(
    echo: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict that is right agrees with the judge, one that is wrong does not."""
    stored = find_run("last", echo.runs)
    judged = next(case for case in stored.judged() if case.verdicts)
    verdict = next(v for v in judged.verdicts if v.oracle == "rules" and v.outcome == "pass")
    name = stored.folder.name
    label: dict[str, Any] = {"case": judged.trace.case.id, "oracle": verdict.oracle}
    label |= {"check": verdict.check, "expected": "fail", "note": "it should have said no"}
    status, text, _ = echo.request(f"/api/runs/{name}/labels", "POST", label)
    assert status == 200, text
    path = Path(json.loads(text)["file"])
    assert path.parent == echo.runs.parent
    (example,) = yaml.safe_load(path.read_text(encoding="utf-8"))["examples"]
    assert (example["expected"], example["note"]) == ("fail", "it should have said no")
    case = label["case"]
    view = echo.get(f"/api/runs/{name}/case?id={case}")
    key = f"{verdict.oracle}/{verdict.check}"
    assert view["labels"] == {key: ["fail", "it should have said no"]}

    capsys.readouterr()
    assert invoke(["calibrate", str(path)]) == 0
    assert "0.000" in capsys.readouterr().out
    for expected, accuracy in (("pass", "1.000"), (None, "")):
        again = label | {"expected": expected}
        assert echo.request(f"/api/runs/{name}/labels", "POST", again)[0] == 200
        if accuracy:
            assert invoke(["calibrate", str(path)]) == 0
            assert accuracy in capsys.readouterr().out
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["examples"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"check": "no such check"},
        {"expected": "maybe"},
        {"case": "none"},
        {"note": ["a list"]},
        {"case": 7},
    ],
)
def test_a_wrong_label_writes_nothing(served: Served, first: StoredRun, change: Any) -> None:
    label = {"case": first.case_ids[1], "oracle": "rules", "check": "price", "expected": "fail"}
    before = sorted(served.runs.parent.rglob("*"))
    status, _, _ = served.request("/api/runs/first/labels", "POST", label | change)
    assert status in (400, 404)
    assert sorted(served.runs.parent.rglob("*")) == before


def test_a_strange_run_names_no_folder_to_write_to(tmp_path: Path, serve: Serve) -> None:
    """The manifest of a run from elsewhere says that its suite lies in somebody's home."""
    trace = trace_of([("hi", "hello")])
    stored = stored_run(tmp_path / "runs/strange", [trace], [[verdict_of(trace, check="../../x")]])
    manifest = json.loads((stored.folder / "run.json").read_text())
    (tmp_path / "home").mkdir()
    manifest["suite_path"] = str(tmp_path / "home/suite.yaml")
    (stored.folder / "run.json").write_text(json.dumps(manifest))
    served = serve(tmp_path / "runs")
    label = {"case": trace.case.id, "oracle": "rules", "check": "../../x", "expected": "fail"}
    status, text, _ = served.request("/api/runs/strange/labels", "POST", label)
    assert status == 200
    assert Path(json.loads(text)["file"]) == tmp_path / "labels-rules-x.yaml"
    assert list((tmp_path / "home").iterdir()) == []


def test_a_file_of_something_else_is_left_alone(served: Served, first: StoredRun) -> None:
    path = served.runs.parent / "labels-rules-price.yaml"
    path.write_text("name: mine\n")
    label = {"case": first.case_ids[1], "oracle": "rules", "check": "price", "expected": "fail"}
    status, text, _ = served.request("/api/runs/first/labels", "POST", label)
    assert (status, path.read_text()) == (400, "name: mine\n")
    assert b"move it away" in text
    path.unlink()


def test_a_case_is_replayed_alone(echo: Served) -> None:
    stored = find_run("last", echo.runs, played=True)
    case_id = stored.case_ids[1]
    path = f"/api/runs/{stored.folder.name}/replay"
    status, text, _ = echo.request(path, "POST", {"case": case_id})
    done = json.loads(text)
    assert (status, done["code"]) == (200, 0), done
    assert "same verdicts" in done["output"]
    replayed = [run for run in echo.get("/api/runs")["runs"] if run["kind"] == "replay"]
    assert [run["cases"] for run in replayed] == [{"pass": 1}]


def test_replay_knows_the_cases_of_the_run(
    echo: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = find_run("last", echo.runs, played=True)
    case_id = stored.case_ids[0]
    assert invoke(["replay", str(stored.folder), "--case", case_id[:-1]]) == 2
    assert f"Did you mean {case_id!r}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "there is no folder none"),
        (["--port", "70000"], "70000"),
    ],
)
def test_bad_arguments_are_told(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["view", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    (tmp_path / "runs").mkdir()
    assert invoke(["view", str(tmp_path / "runs")]) == 2
    assert "pip install 'sparring[view]'" in capsys.readouterr().err
