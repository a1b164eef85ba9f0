"""``sparring mutate --web`` on a small site, with a real browser."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring_plugins.mutation.model import Fate, MutationRun, SurvivalKind

from .conftest import Program

PAGE = """<!doctype html><title>Notes</title><h1>Notes</h1>
<form action="saved.html"><label>Title <input name="title"></label><button>Save</button></form>
<p>There are 3 memos</p>
"""
SAVED = """<!doctype html><title>Saved</title><h1>Saved</h1><p id="told"></p>
<script>told.textContent = new URLSearchParams(location.search).get('title')</script>
"""
SUITE: dict[str, Any] = {
    "name": "notes",
    "app": {"use": "browser", "url": "${NOTES_URL:-http://127.0.0.1:9/}"},
    "agent": {"use": "step-runner", "tests": "tests.yaml", "patience_s": 0.5},
    "strategy": "exhaustive",
    "oracles": ["assertions"],
}
TESTS = """name: Notes
tests:
  - name: save
    steps: |
      Fill the field 'Title' with 'Milk'
      Assert that 'Notes' is displayed
      Click on 'Save'
      Assert that 'Milk' is displayed
"""
SERVER = ["{python}", "-m", "http.server", "{port}", "--bind", "127.0.0.1"]
PLAN: dict[str, Any] = {
    "app": {
        "command": [*SERVER, "--directory", "{folder}/site"],
        "env": {"NOTES_URL": "http://127.0.0.1:{port}/site/index.html"},
    },
    "beside": "site/*.html",
    "jobs": 2,
    "operators": [
        {"use": "pages", "only": ["AlteredValue", "DroppedSubmit", "OtherNumber", "EmptyAnswer"]}
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the suite, its site and its mutation file."""
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE)
    (tmp_path / "site" / "saved.html").write_text(SAVED)
    (tmp_path / "tests.yaml").write_text(TESTS)
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(SUITE))
    plan = {**PLAN, "app": {**PLAN["app"], "command": [*SERVER, "--directory", "{folder}"]}}
    (tmp_path / "web-mutation.yaml").write_text(yaml.safe_dump(plan))
    return tmp_path


def stored(folder: Path) -> MutationRun:
    (report,) = folder.glob("runs/*/report.json")
    return MutationRun.model_validate_json(report.read_text())


@pytest.mark.thorough
def test_faults_are_killed_noticed_or_live_and_the_report_says_by_what(
    folder: Path, program: Program
) -> None:
    ran = program("mutate", "--web", "--list")
    assert ran.code == 0, ran.err
    assert "'There are 3 memos', which no assertion names, reads 'There are 4 memos'" in ran.out
    ran = program("mutate", "--web", "--resume", "last", "--min-score", "90")
    assert ran.code == 1, ran.err
    run = stored(folder)
    targets = {mutant.id: mutant for mutant in run.mutants}
    fates = {targets[one.id].operator: one.fate for one in run.results}
    assert fates["AlteredValue"] is Fate.KILLED
    assert fates["DroppedSubmit"] is Fate.KILLED  # what the case typed proves nothing
    assert fates["OtherNumber"] is Fate.LIVE
    killed = next(one for one in run.results if targets[one.id].operator == "AlteredValue")
    assert [one.check for one in killed.killers] == ["Assert that 'Milk' is displayed"]
    live = next(one for one in run.results if one.fate is Fate.LIVE)
    assert live.survival is not None
    assert live.survival.kind is SurvivalKind.NOT_COVERED
    assert "not covered: the assertions after it look at something else" in ran.out
    assert "live     1 not covered" in ran.out
    (place,) = folder.glob("runs/*/report.json")
    assert live.before is not None
    assert live.after is not None
    before, after = (place.parent / name for name in (live.before, live.after))
    assert before.read_bytes() != after.read_bytes()
    assert run.original is not None
    assert {one.check for one in run.original.vacuous} == {
        "assertions/Assert that 'Notes' is displayed"
    }
    page = place.with_suffix(".html").read_text()
    assert "What the suite can detect at all" in page
    assert "<td>not covered</td>" in page
    assert page.count("data:image/png;base64,") >= 2


@pytest.mark.thorough
def test_a_suite_that_fails_on_the_original_is_given_no_score(
    folder: Path, program: Program
) -> None:
    (folder / "tests.yaml").write_text(TESTS.replace("'Milk' is", "'Bread' is"))
    ran = program("mutate", "--web")
    assert ran.code == 1
    assert "the original does not pass, so no score can be given" in ran.err


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"beside": "site/*"}, "`app`"),
        ({"operators": [{"use": "pages", "only": ["DeadClicks"]}]}, "Did you mean 'DeadClick'?"),
        ({"operators": ["pagse"]}, "pages"),
        ({"definition": "bot.yaml"}, "definition"),
    ],
)
def test_a_wrong_mutation_file_is_said_so_before_anything_runs(
    folder: Path, program: Program, plan: dict[str, Any], message: str
) -> None:
    (folder / "web-mutation.yaml").write_text(yaml.safe_dump(plan))
    ran = program("mutate", "--web")
    assert ran.code == 2
    assert message in ran.err
    assert not list(folder.glob("runs/*"))
