"""Shells complete commands, runs and cases; every bundled command stands in the help."""

import tomllib
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from sparring.cli.app import invoke, sparring
from sparring.testing.conversations import stored_run, trace_of

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def completed(words: list[str], begun: str) -> list[str]:
    shell = ShellComplete(sparring, {}, "sparring", "_SPARRING_COMPLETE")
    return [item.value for item in shell.get_completions(words, begun)]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("shop-1", "shop-2", "clinic-1"):
        stored_run(tmp_path / "runs" / name, [trace_of([("hi", "hello")], scenario=name)])


def test_commands_are_completed() -> None:
    assert completed([], "va") == ["validate"]


@pytest.mark.usefixtures("runs")
def test_a_shell_is_shown_nothing_but_completions(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Click ends a completion by `SystemExit`; what stands on stderr lands in the user's line."""
    monkeypatch.setenv("_SPARRING_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "sparring show clin")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert invoke() == 0
    captured = capfd.readouterr()
    assert captured.out == "plain,clinic-1\n"
    assert captured.err == ""


RUN_COMMANDS: list[list[str]] = [
    [name]
    for name in (
        "show", "report", "replay", "scrub", "confirm", "bless", "bless-pictures", "causes", "check",
        "compare", "compare-testers", "coverage", "merge",
    )
]  # fmt: skip
RUN_COMMANDS += [["compare", "last"], ["merge", "last"], ["export", "parquet"], ["run", "--resume"]]


@pytest.mark.parametrize("words", RUN_COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("runs")
def test_runs_are_completed(words: list[str]) -> None:
    assert completed(words, "shop") == ["shop-2", "shop-1"]
    assert completed(words, "la") == ["last"]


def test_names_of_executors_and_of_kinds_of_apps_are_completed() -> None:
    assert completed(["run", "--executor"], "pro") == ["processes"]
    assert completed(["init", "--for"], "r") == ["rasa", "rest"]


@pytest.mark.usefixtures("runs")
def test_cases_of_the_run_are_completed() -> None:
    (case_id,) = completed(["show", "clinic-1"], "")
    assert case_id.startswith("clinic-1-")
    assert completed(["show", "nothing"], "") == []


def test_runs_are_found_from_above_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_run(tmp_path / "mine/runs/shop-1", [trace_of([("hi", "hello")])])
    monkeypatch.chdir(tmp_path)
    assert completed(["show"], "mine") == ["mine/runs/shop-1"]


def test_every_command_stands_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]
    assert invoke(["--help"]) == 0
    shown = capsys.readouterr().out
    listed = {line.split()[0] for line in shown.splitlines() if line.strip()}
    assert set(groups["sparring.commands"]) <= listed
    assert "Other:" not in shown, "a command without a section or a docstring of its own"
