"""``sparring lint``: findings with their places and readings, exit codes, both formats."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Program

CLEAN = (
    "tests:\n  - name: a\n    steps: |\n      Click on 'x'\n      Assert that 'y' is displayed\n"
)
DOUBTFUL = CLEAN.replace("Click on 'x'", "Press 'enter'")
WRONG = CLEAN.replace("Click on 'x'", "Frobnicate 'x'")


def written(folder: Path, text: str, name: str = "cases.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_a_clean_file_exits_with_0(program: Program, tmp_path: Path) -> None:
    ran = program("lint", written(tmp_path, CLEAN))
    assert (ran.code, ran.out) == (0, "nothing is doubtful\n")


def test_an_ambiguity_is_shown_with_its_readings_and_counts_when_strict(
    program: Program, tmp_path: Path
) -> None:
    name = written(tmp_path, DOUBTFUL)
    ran = program("lint", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "cases.yaml:4: a, step 1: warning: can be read in 2 ways [two-readings]\n"
        "    Press 'enter'\n"
        "      1. Press the key 'Enter'\n"
        "      2. Click on 'enter'\n"
        "1 warning\n"
    )
    assert program("lint", name, "--strict").code == 1


def test_a_step_that_is_not_understood_exits_with_1(program: Program, tmp_path: Path) -> None:
    ran = program("lint", written(tmp_path, WRONG))
    assert ran.code == 1
    assert "cases.yaml:4: a, step 1: error: is not understood" in ran.out


def test_json_has_every_finding(program: Program, tmp_path: Path) -> None:
    suite = [{"name": "a", "actions": ["Press 'enter'", "Assert that 'x' is displayed"]}]
    ran = program("lint", written(tmp_path, json.dumps(suite), "s.json"), "--format", "json")
    report = json.loads(ran.out)
    assert (report["errors"], report["warnings"], report["notes"]) == (0, 1, 1)
    assert [one["kind"] for one in report["findings"]] == ["expected-indexing", "two-readings"]
    assert report["findings"][1]["readings"] == ["Press the key 'Enter'", "Click on 'enter'"]


def test_notes_can_be_left_out(program: Program, tmp_path: Path) -> None:
    name = written(tmp_path, CLEAN.replace("'x'", "'%who%'"))
    assert "unknown-variable" in program("lint", name).out
    assert program("lint", name, "--no-notes").out == "nothing is doubtful\n"


def test_several_files_are_looked_at_together(program: Program, tmp_path: Path) -> None:
    names = [written(tmp_path, CLEAN, name) for name in ("a.yaml", "b.yaml")]
    assert "[duplicate-name]" in program("lint", *names).out


def test_a_suite_is_asked_for_the_cases_of_its_player(
    program: Program, tmp_path: Path, install: object
) -> None:
    code = (
        "from sparring.interfaces.agent import Player\n"
        "from sparring.interfaces.plugin import PluginConfig\n"
        "from sparring_plugins.output.lint_findings import LintFinding\n"
        "from sparring.model.space import Space\n"
        "class Config(PluginConfig):\n    pass\n"
        "class Mine(Player[Config]):\n"
        "    Config = Config\n"
        "    def space(self):\n        return Space(scenarios=())\n"
        "    async def act(self, task):\n        raise NotImplementedError\n"
        "    def lint(self):\n"
        "        return [LintFinding(kind='empty', severity='error', message='is \\x1b[31mred')]\n"
    )
    install("mine", "sparring.agents", "mine = mine_player:Mine", code)  # type: ignore[operator]
    (tmp_path / "suite.yaml").write_text(
        "name: s\napp: {use: echo}\nagent: {use: mine}\n", encoding="utf-8"
    )
    for arguments in ((), ("suite.yaml",), (".",)):
        ran = program("lint", *arguments)
        assert ran.code == 1, ran.err
        assert "error: is " in ran.out
        assert "\x1b" not in ran.out


WRONG_ARGUMENTS = {
    "no such file": (["no.yaml"], "no.yaml: does not exist"),
    "of another kind": (["x.txt"], "nothing installed reads test cases from x.txt"),
    "broken": (["bad.yaml"], "bad.yaml: tests: missing"),
}


@pytest.mark.parametrize(
    ("arguments", "message"), WRONG_ARGUMENTS.values(), ids=list(WRONG_ARGUMENTS)
)
def test_wrong_arguments_exit_with_2(
    program: Program, tmp_path: Path, arguments: list[str], message: str
) -> None:
    written(tmp_path, "", "x.txt")
    written(tmp_path, "name: x", "bad.yaml")
    ran = program("lint", *arguments)
    assert ran.code == 2
    assert message in ran.err.replace("bad.yaml:1:", "bad.yaml:")
