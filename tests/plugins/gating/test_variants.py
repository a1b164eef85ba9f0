"""``run --vary``: every variant is a run of its own, and all of them stand side by side."""

from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring.engine.exit_codes import FAILED, PASSED, USAGE
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring_plugins.gating.matrix import Variant, matrix_of
from sparring_plugins.gating.records import CaseRecord, CheckCounts, RunRecord
from sparring_plugins.project.variants import variant_name, variants_of

from .conftest import WriteSuite

Output = pytest.CaptureFixture[str]


def runs() -> list[StoredRun]:
    return [StoredRun(folder) for folder in sorted(Path("runs").glob("unsteady-*"))]


def table(out: str) -> dict[str, str]:
    """The rows of the printed matrix: the cells by the case."""
    rows = out.rpartition("\ncase ")[2].partition("\nwrote ")[0].splitlines()[1:]
    return {name: " ".join(cells) for name, *cells in map(str.split, rows)}


def test_the_matrix_shows_in_what_the_variants_differ(unsteady: WriteSuite, capfd: Output) -> None:
    suite = unsteady({2: 1.0})
    args = ["run", str(suite), "--vary", "app.rates.3=0.0,1.0", "-o", "variants.html"]
    assert invoke(args) == FAILED
    out = capfd.readouterr().out
    assert "2 variants of 3 cases: they differ in 1\n[1] app.rates.3=0.0\n" in out
    assert sorted(table(out).values()) == ["FAIL FAIL", "pass FAIL", "pass pass"]
    assert next(iter(table(out).values())) == "pass FAIL"  # what differs comes first
    assert "2 of 3 cases pass (21% to 94%)" in out
    assert "1 of 3 cases pass (6% to 79%)" in out
    page = Path("variants.html").read_text("utf-8")
    assert page.count('<tr class="differs">') == 1
    first, second = runs()
    assert first.manifest.overrides == {"app.rates.3": 0.0}
    assert second.manifest.overrides == {"app.rates.3": 1.0}


def test_the_exit_code_is_the_worst(unsteady: WriteSuite) -> None:
    suite = str(unsteady())
    assert invoke(["run", suite, "--vary", "app.rates.1=1.0,0.0"]) == FAILED
    assert invoke(["run", suite, "--vary", "app.rates.1=1.0,0.0", "--exit-zero"]) == PASSED
    assert invoke(["run", suite, "--vary", "seed=1,2"]) == PASSED


def test_plays_of_a_repeated_case_are_counted(unsteady: WriteSuite, capfd: Output) -> None:
    suite = unsteady({1: 1.0}, [1, 2], repeats=4)
    assert invoke(["run", str(suite), "--vary", "seed=1,2"]) == FAILED
    assert sorted(table(capfd.readouterr().out).values()) == [
        "FAIL 0/4 FAIL 0/4",
        "pass 4/4 pass 4/4",
    ]


def test_what_was_not_decided_counts_as_nothing() -> None:
    passed, undecided = CheckCounts(passed=1), CheckCounts(undecided=1)
    cases = {"a": CaseRecord({"o/c": passed}), "b": CaseRecord({"o/c": undecided})}
    record = RunRecord("suite", "run", 0, cases)
    assert Variant("x", record).rate == "1 of 1 case pass (21% to 100%), 1 undecided"
    del cases["a"]
    assert Variant("x", record).rate == "no case decided, 1 undecided"


def test_a_case_that_fails_everywhere_names_the_checks_in_which_variants_differ() -> None:
    def record(run: str, *failing: str) -> RunRecord:
        checks = {label: CheckCounts(failed=1) for label in failing}
        return RunRecord(
            "suite", run, 0, {"a": CaseRecord({"o/fine": CheckCounts(1)} | checks, plays=1)}
        )

    one, both = record("1", "o/price"), record("2", "o/hours", "o/price")
    matrix = matrix_of([Variant("x", one), Variant("y", both)])
    assert matrix.rows[0].cells == ("FAIL", "FAIL o/hours")
    assert matrix.headline.endswith("they differ in 1")
    assert matrix_of([Variant("x", one), Variant("y", one)]).headline.endswith("they do not differ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--vary", "seed"], "expected key=value"),
        (["--vary", "seed=1", "--vary", "seed=2"], "varied already"),
        (["--vary", "seed=[]"], "expected a list"),
        (["--vary", "sed=1,2"], "seed"),
        (["--vary", "seed=1,2", "--resume", "last"], "not with --resume"),
        (["--vary", "seed=1,2", "--shard", "1/2"], "not with --shard"),
        (["--vary", "seed=1,2", "-o", "out.xml"], "sparring report"),
        (["--vary", "concurrency=1,none"], "concurrency"),
    ],
)
def test_what_cannot_be_varied_is_told_before_anything_is_played(
    unsteady: WriteSuite, capfd: Output, arguments: list[str], words: str
) -> None:
    assert invoke(["run", str(unsteady()), *arguments]) == USAGE
    assert words in capfd.readouterr().err
    assert runs() == []


def test_values_are_named_as_a_suite_has_them() -> None:
    variant = {"app.args": {"good": True, "note": None}, "llm.model": "small", "seed": 1}
    assert variant_name(variant) == 'app.args={"good": true, "note": null} llm.model=small seed=1'


def test_variants_are_all_combinations_of_typed_values(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: s\n", encoding="utf-8")
    assert variants_of(suite, ["a.b=1,x", "c=[[1, 2], y]"], {}) == [
        {"a.b": 1, "c": [1, 2]},
        {"a.b": 1, "c": "y"},
        {"a.b": "x", "c": [1, 2]},
        {"a.b": "x", "c": "y"},
    ]
    with pytest.raises(ConfigurationError, match="121 variants"):
        variants_of(suite, [f"{key}={','.join('abcdefghijk')}" for key in "xy"], {})
