"""The suite's key ``vary``: variants that the suite itself names, gone on with and looked at."""

import re
from pathlib import Path

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.engine.exit_codes import FAILED, PASSED, USAGE
from sparring.store import StoredRun
from sparring_plugins.gating.stored_matrix import MATRIX, read_matrix, write_matrix
from sparring_plugins.viewer.variants import matrix_cards, matrix_view

from .conftest import WriteSuite

Output = pytest.CaptureFixture[str]


def matrix_folder() -> Path:
    (path,) = Path("runs").glob(f"*/{MATRIX}")
    return path.parent


def run_folders() -> list[Path]:
    return [path.parent for path in sorted(Path("runs").glob("*/run.json"))]


def test_each_variant_of_the_suite_is_a_run_and_all_stand_in_a_matrix(
    unsteady: WriteSuite, capfd: Output
) -> None:
    suite = unsteady({2: 1.0}, vary={"app.rates.3": [0.0, 1.0]})
    assert invoke(["run", str(suite)]) == FAILED
    assert "2 variants of 3 cases: they differ in 1\n[1] app.rates.3=0.0" in capfd.readouterr().out

    matrix = read_matrix(matrix_folder())
    assert [each.changes for each in matrix.variants] == [
        {"app.rates.3": 0.0},
        {"app.rates.3": 1.0},
    ]
    assert {each.run for each in matrix.variants} == {folder.name for folder in run_folders()}
    view = matrix_view(Path("runs"), matrix_folder().name)
    assert view is not None
    assert view["waiting"] == []
    assert [cell[0] for cell in view["rows"][0]["cells"]] == ["pass", "FAIL"]
    assert [row["differs"] for row in view["rows"]] == [True, False, False]
    (card,) = matrix_cards(Path("runs"))
    assert (card["variants"], card["played"]) == (2, 2)


def test_cells_of_the_page_lead_to_the_conversations_in_the_reports(unsteady: WriteSuite) -> None:
    suite = unsteady({2: 1.0}, vary={"seed": [1, 2]}, reporters=["html"])
    invoke(["run", str(suite)])
    page = (matrix_folder() / "matrix.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(\.\./[^"#]*)#([^"]*)"', page)
    assert len(links) == 6
    for address, anchor in links:
        report = (matrix_folder() / address).read_text(encoding="utf-8")
        assert f'id="{anchor}"' in report


def test_the_command_line_replaces_and_pins_what_the_suite_varies(
    unsteady: WriteSuite, capfd: Output
) -> None:
    suite = str(unsteady(vary={"seed": [1, 2, 3]}))
    assert invoke(["run", suite, "--set", "seed=4"]) == PASSED
    assert "variant" not in capfd.readouterr().out
    assert invoke(["run", suite, "--vary", "seed=5,6"]) == PASSED
    assert "[1] seed=5" in capfd.readouterr().out
    assert invoke(["run", suite, "--vary", "concurrency=1,2"]) == PASSED
    assert "6 variants of 3 cases" in capfd.readouterr().out


def test_a_suite_may_leave_out_what_each_variant_sets(unsteady: WriteSuite, capfd: Output) -> None:
    suite = unsteady(vary={"app.use": ["unsteady_app:Unsteady", "echo"]})
    data = yaml.safe_load(suite.read_text())
    del data["app"]
    suite.write_text(yaml.safe_dump(data))
    assert invoke(["validate", str(suite), "--allow-code"]) == PASSED
    out = capfd.readouterr().out
    assert "variant 2 of 2: app.use=echo" in out
    assert out.endswith("valid\n")
    assert invoke(["run", str(suite)]) == PASSED


@pytest.mark.parametrize("lost", ["run", "note"])
def test_variants_that_were_interrupted_are_gone_on_with(
    unsteady: WriteSuite, capfd: Output, lost: str
) -> None:
    suite = unsteady({3: 1.0}, vary={"seed": [1, 2]})
    assert invoke(["run", str(suite)]) == FAILED
    folder = matrix_folder()
    matrix = read_matrix(folder)
    first, second = matrix.variants
    run = folder.parent / str(second.run)
    if lost == "run":  # it was never begun
        for path in run.iterdir():
            path.unlink()
        run.rmdir()
    second.run = None  # killed before it was noted: the run is there, and not finished
    write_matrix(folder, matrix)
    if lost == "note":
        log = (run / "log.jsonl").read_bytes().splitlines(keepends=True)
        cut = next(at for at, line in enumerate(log) if b'"kind":"case_judged"' in line)
        (run / "log.jsonl").write_bytes(b"".join(log[: cut + 1]))
    judged_before = len(StoredRun(run).case_ids) if lost == "note" else 0
    capfd.readouterr()

    assert invoke(["run", "--resume", str(folder)]) == FAILED

    out = capfd.readouterr().out
    assert f"played to its end: runs/{first.run}" in out
    assert "2 variants of 3 cases" in out
    assert judged_before == (lost == "note")
    assert len(run_folders()) == 2
    resumed = read_matrix(folder).variants[1].run
    assert resumed is not None
    stored = StoredRun(folder.parent / resumed)
    assert len(stored.case_ids) == 3
    assert stored.sessions == 1 + (lost == "note")


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        (["seed"], "expected keys with lists of values"),
        ({"seed": 3}, "expected a list of values"),
        ({"seed": []}, "expected a list of values"),
        ({"runs": ["a", "b"]}, "cannot be varied"),
        ({"sed": [1, 2]}, "seed"),
        ({"seed": list(range(101))}, "101 variants; at most 100"),
    ],
    ids=str,
)
def test_what_cannot_be_varied_names_file_and_line(
    unsteady: WriteSuite, capfd: Output, vary: object, words: str
) -> None:
    suite = unsteady(vary=vary)
    for command in (["run", str(suite)], ["validate", str(suite), "--allow-code"]):
        assert invoke(command) == USAGE
        assert words in capfd.readouterr().err
    assert not Path("runs").exists()


def test_lists_of_variants_that_are_damaged_are_left_out(unsteady: WriteSuite) -> None:
    assert invoke(["run", str(unsteady(vary={"seed": [1, 2]}))]) == PASSED
    folder = matrix_folder()
    (folder / MATRIX).write_text("{}")
    assert matrix_cards(Path("runs")) == []
    assert matrix_view(Path("runs"), folder.name) is None
    assert invoke(["run", "--resume", str(folder)]) not in (PASSED, FAILED)
