"""A whole study: played, stopped, gone on with, measured, and shown."""

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.search_shop import write_shop

from sparring.cli.app import invoke
from sparring.errors import ConfigurationError
from sparring_plugins.study import command
from sparring_plugins.study.conduct import prepare
from sparring_plugins.study.figures import write_figures
from sparring_plugins.study.page import axis_marks
from sparring_plugins.study.result import MEASURES, StudyResult
from sparring_plugins.study.series import only_one

STUDY = {
    "name": "a & b",
    "suite": "suite.yaml",
    "strategies": [
        {"use": "random", "name": "<b>=1+1"},
        {"use": "t-wise", "strength": 2, "name": "pairs"},
    ],
    "seeds": "1-2",
    "budget": {"cases": 12},
    "baselines": ["<b>=1+1"],
    "archive": ["item", "size"],
    "repetitions": 2,
    "likeness": "words",
    "jobs": 2,
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the shop and a study of it, played once."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.chdir(folder)
        write_shop(folder)
        (folder / "study.yaml").write_text(yaml.safe_dump(STUDY))
        assert invoke(["study"]) == 0
        yield folder


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    text = (folder / "studies" / "a-b" / name).read_text()
    return list(csv.DictReader(text.splitlines()))


def test_every_run_is_measured_and_its_numbers_agree(shop: Path) -> None:
    runs = rows(shop, "runs.csv")
    assert [(run["strategy"], run["seed"]) for run in runs] == [
        ("<b>=1+1", "1"), ("pairs", "1"), ("<b>=1+1", "2"), ("pairs", "2"),
    ]  # fmt: skip
    for run in runs:
        failures, tests = int(run["failures"]), int(run["tests"])
        assert 0 < failures <= tests <= 12
        assert int(run["distinct"]) <= failures
        assert float(run["failure_ratio"]) == pytest.approx(failures / tests, abs=1e-5)
        assert 1 <= float(run["effective_kinds"]) <= int(run["kinds"])
        assert 0 < float(run["failing_interactions"]) <= float(run["interactions"]) <= 1
        assert 0 < float(run["archive"]) <= 1
        assert 1 <= int(run["first_failure"]) <= tests
        assert float(run["seconds"]) > 0
        assert float(run["cost"]) == 0  # no model was asked
    pairs = [run for run in runs if run["strategy"] == "pairs"]
    assert all(float(run["interactions"]) > 0.9 for run in pairs)


def test_curves_end_where_the_tables_are(shop: Path) -> None:
    summary = {(r["strategy"], r["measure"]): r for r in rows(shop, "summary.csv")}
    curves = rows(shop, "convergence.csv")
    for strategy in ("<b>=1+1", "pairs"):
        for measure in ("distinct", "failures"):
            points = [r for r in curves if (r["strategy"], r["measure"]) == (strategy, measure)]
            means = [float(point["mean"]) for point in points]
            assert means == sorted(means)
            assert means[-1] == float(summary[strategy, measure]["mean"])
    compared = {r["measure"]: r for r in rows(shop, "comparisons.csv")}
    ratio = float(summary["pairs", "distinct"]["mean"]) / float(
        summary["<b>=1+1", "distinct"]["mean"]
    )
    assert float(compared["distinct"]["ratio"]) == pytest.approx(ratio, abs=1e-5)
    classes = {r["class"] for r in rows(shop, "classes.csv")}
    assert classes <= {"size lost", "tea refused", "number lost"}


def test_two_runs_have_no_effect_size(shop: Path) -> None:
    compared = rows(shop, "comparisons.csv")
    assert {(row["a12"], row["effect"]) for row in compared} == {("", "")}
    assert "A12" not in (shop / "studies" / "a-b" / "report.html").read_text().split("<table>")[2]


def test_each_table_for_papers_has_a_label(shop: Path) -> None:
    text = (shop / "studies" / "a-b" / "tables.tex").read_text()
    labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
    assert len(labels) == text.count("\\begin{table}") == len(set(labels))
    assert "tab:shop-measures" in labels


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_a_line_for_each_measure_and_a_column_for_each_strategy(shop: Path) -> None:
    text = (shop / "studies" / "a-b" / "report.html").read_text()
    first = text[text.index("<table>") : text.index("</table>")]
    assert first.count("<tr>") == 1 + len(MEASURES)
    assert first[: first.index("<tbody>")].count("<th") == 1 + 2 + 1  # thead is one of them
    assert "Different kinds of failures" in first


@pytest.mark.thorough
def test_figures_are_files_of_both_kinds_and_always_the_same(shop: Path, tmp_path: Path) -> None:
    stored = (shop / "studies" / "a-b" / "study.json").read_text()
    result = StudyResult.model_validate_json(stored)
    written = write_figures(result, tmp_path)
    names = {path.name for path in written}
    assert {"shop-distinct-growth.svg", "shop-distinct-growth.pdf", "shop-coverage.pdf"} <= names
    for path in written:
        before = (shop / "studies" / "a-b" / "figures" / path.name).read_bytes()
        assert path.read_bytes() == before
        assert before.startswith(b"%PDF" if path.suffix == ".pdf" else b"<?xml")
    text = (tmp_path / "figures" / "shop-distinct-growth.svg").read_text()
    assert "<script" not in text


@pytest.mark.thorough
def test_a_name_with_dollar_signs_is_no_formula(shop: Path, tmp_path: Path) -> None:
    stored = (shop / "studies" / "a-b" / "study.json").read_text()
    result = StudyResult.model_validate_json(stored.replace("pairs", r"$\\frac{$ < & $"))
    assert write_figures(result, tmp_path)


def test_tables_are_written_while_a_study_plays(shop: Path, monkeypatch: Any) -> None:
    """From the runs that are over, as soon as each strategy has one."""
    prepared = prepare(str(shop / "study.yaml"), {}, None)
    written: list[int] = []

    def count_runs(result: StudyResult, folder: Path) -> list[Path]:
        written.append(len(result.runs))
        return []

    monkeypatch.setattr(command, "write", count_runs)
    tables = command.RunningTables(prepared)
    for over, cell in enumerate(prepared.cells, 1):
        tables.tell(cell, "played before", over, len(prepared.cells))
    assert written == [4], "not again at once, nor at the end, where they are written anyway"


@pytest.mark.parametrize("top", [2, 3, 4, 5, 6, 8, 10, 15, 60, 1_000, 1_500, 8_000])
def test_the_marks_of_an_axis_of_counts_are_whole(top: int) -> None:
    marks = axis_marks(float(top))
    assert marks[0] == 0
    assert marks[-1] == top
    assert 3 <= len(marks) <= 6
    assert all(mark.is_integer() for mark in marks)


@pytest.mark.thorough
def test_the_terminal_says_what_the_numbers_are_and_that_two_seeds_are_few(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["study", "--no-play"]) == 0
    out = capsys.readouterr().out
    assert "distinct: failures with no two utterances alike\n(words, 0.8)" in out
    assert "With 2 seeds no difference can be significant at 0.01; it takes 5 at least." in out


def test_the_page_and_the_tables_show_hostile_names_as_text(shop: Path) -> None:
    folder = shop / "studies" / "a-b"
    page = Page((folder / "report.html").read_text())
    assert page.text.count("<b>=1+1") > 5
    assert page.tags.count("polyline") == 4
    assert page.tags.count("circle") == 3 * 4
    assert "script" not in page.tags
    tex = (folder / "tables.tex").read_text()
    assert r"\textless{}b\textgreater{}=1+1" in tex
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 3
    assert r"with \&" not in tex
    assert json.loads((folder / "study.json").read_text())["likeness"] == "words"


@pytest.mark.thorough
def test_a_run_that_was_cut_off_is_gone_on_with_and_ends_as_it_would_have(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = [{**run, "seconds": ""} for run in rows(shop, "runs.csv")]
    cell = shop / "studies" / "a-b" / "cells" / "shop" / "pairs" / "seed-2"
    (log,) = cell.glob("runs/*/log.jsonl")
    text = log.read_bytes()
    log.write_bytes(text[: len(text) // 2])
    (cell / "done.json").unlink()
    assert invoke(["study", "--no-play"]) == 0
    assert "shop / pairs / seed 2: not played to its end" in capfd.readouterr().err
    assert invoke(["study"]) == 0
    out = capfd.readouterr().out
    assert "3 of 4 runs are over" in out
    assert re.findall(r"^\[\d/4\] (.*): \d+ cases", out, re.MULTILINE) == ["shop / pairs / seed 2"]
    assert [{**run, "seconds": ""} for run in rows(shop, "runs.csv")] == before
    assert invoke(["study"]) == 0
    assert "[" not in capfd.readouterr().out.split("measuring")[0]


@pytest.mark.thorough
def test_fewer_cases_are_a_cut_of_what_was_played(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["study", "--cases", "5"]) == 0
    assert "4 of 4 runs are over" in capfd.readouterr().out
    assert {run["tests"] for run in rows(shop, "runs.csv")} == {"5"}


def test_a_study_that_changed_is_refused_and_a_file_that_changed_too(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    study, space = shop / "study.yaml", shop / "space.yaml"
    was, old = study.read_text(), space.read_text()
    study.write_text(was.replace("strength: 2", "strength: 1"))
    assert invoke(["study"]) == 2
    told = capfd.readouterr().err.replace("\n", " ")
    assert "shop / pairs / seed 1: the suite's strategy changed since the run" in told
    study.write_text(was)
    space.write_text(old + "# one more line\n")
    assert invoke(["study"]) == 2
    assert "space.yaml changed since the run" in capfd.readouterr().err.replace("\n", " ")
    space.write_text(old)


@pytest.mark.thorough
def test_a_run_that_cannot_be_played_is_named_and_the_others_count(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(shop / "studies" / "a-b" / "cells" / "shop" / "pairs" / "seed-2")
    app = shop / "shop_to_search.py"
    was = app.read_text()
    app.write_text("raise SystemExit(7)\n")  # this process has the old one
    try:
        assert invoke(["study"]) == 3
    finally:
        app.write_text(was)
    captured = capfd.readouterr()
    assert "shop / pairs / seed 2: not played: 'sparring run' ended with exit code" in captured.err
    assert "pairs" in captured.out
    assert len(rows(shop, "runs.csv")) == 3


FAKE = "sparring.testing.fakes:FakeConnector"


def apps_study(folder: Path, *apps: Mapping[str, object]) -> None:
    """A study of some apps instead of the shop, in a folder of its own."""
    write_shop(folder)
    # An oracle that asks for nothing that only the shop has.
    suite = yaml.safe_load((folder / "suite.yaml").read_text())
    (folder / "suite.yaml").write_text(yaml.safe_dump({**suite, "oracles": ["generic-failures"]}))
    study = {
        **STUDY,
        "strategies": ["random"],
        "baselines": [],
        "seeds": "1",
        "apps": [dict(one) for one in apps],
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study))


@pytest.mark.thorough
def test_an_app_that_is_not_there_is_said_at_once_and_the_others_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    down = {"name": "down", "app": {"use": FAKE, "fails_to_open": "unreachable"}}
    breaks = {"name": "breaks", "app": {"use": FAKE, "raises": {"0": "unreachable"}}}
    apps_study(tmp_path, down)
    assert invoke(["study"]) == 3
    captured = capfd.readouterr()
    assert captured.err.startswith("sparring: down cannot be reached, 1 run of it not played: ")
    assert "nothing was played, so that there is nothing to compare" in captured.err
    assert not list(tmp_path.glob("studies/*/report.html"))

    apps_study(tmp_path, down, breaks, {"name": "up", "app": {"use": "echo"}})
    assert invoke(["study"]) == 3
    told = capfd.readouterr().err
    assert "breaks / random / seed 1: not played: 12 of its 12 cases ended in errors of the" in told
    assert "down / random / seed 1: its app cannot be reached" in told
    assert [run["app"] for run in rows(tmp_path, "runs.csv")] == ["up"]
    (aside,) = tmp_path.glob("studies/a-b/cells/breaks/random/seed-1/aside/*")
    assert (aside / "log.jsonl").is_file()

    apps_study(tmp_path, {**breaks, "app": {"use": FAKE}})  # mended: it is played anew
    shutil.rmtree(tmp_path / "studies" / "a-b" / "cells" / "up")
    assert invoke(["study"]) == 0
    assert [run["app"] for run in rows(tmp_path, "runs.csv")] == ["breaks"]


def test_a_study_of_which_nothing_is_played_compares_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    apps_study(tmp_path, {"name": "up", "app": {"use": "echo"}})
    monkeypatch.chdir(tmp_path)
    assert invoke(["study", "--no-play"]) == 5
    assert "nothing was played, so that there is nothing to compare" in capfd.readouterr().err


def test_two_processes_do_not_play_one_study(tmp_path: Path) -> None:
    with (
        only_one(tmp_path),
        pytest.raises(ConfigurationError, match="is being played by another process"),
        only_one(tmp_path),
    ):
        pass
    with only_one(tmp_path):
        pass


@pytest.mark.thorough
def test_a_study_killed_at_any_moment_goes_on_and_ends_as_one_that_was_not(
    shop: Path, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    command = [sys.executable, "-m", "sparring", "study"]
    for seconds in (4, 7, 10):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(seconds)  # whatever it is doing then
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    assert invoke(["study", str(shop)]) == 0
    drop = re.compile(r",[^,]*$", re.MULTILINE)
    ours, theirs = (
        drop.sub("", (one / "studies" / "a-b" / "runs.csv").read_text()) for one in (tmp_path, shop)
    )
    assert ours == theirs
