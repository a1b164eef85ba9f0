"""``sparring translate``: a scripted model or a person translates, then no model is asked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.web.assertion_oracle import record_of

from .conftest import Site

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea room</title>
<link rel="icon" href="data:,"></head><body><h1>Tea room</h1><p>{before}</p>
<button id="b" onclick="document.querySelector('p').textContent = '3 cups are hot'">{label}</button>
</body></html>"""
CASES = """\
tests:
  - name: brew   # our favourite
    steps:
      - Get the kettle going for %guest%   # loudly
      - Three cups should be steaming
      - {step: The whole room should be on fire, expected: fail}
      - Assert that 'Tea room' is displayed
    variables: {guest: Ada}
"""


def suite(folder: Path, site: Site, **more: Any) -> Path:
    site.pages["tea"] = PAGE.format(before="The cups are cold", label="Light the stove")
    (folder / "cases.yaml").write_text(CASES)
    data = {
        "name": "tea", "app": {"use": "browser", "url": f"{site.url}/tea", "screenshots": "never"},
        "agent": {"use": "step-runner", "tests": "cases.yaml", "patience_s": 0.4},
        "strategy": "exhaustive", "oracles": ["assertions"], "reporters": [], "seed": 1, **more,
    }  # fmt: skip
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def translate(folder: Path, *options: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sparring", "translate", *options]
    return subprocess.run(
        command, cwd=folder, input=stdin, capture_output=True, text=True, timeout=90, check=False
    )


PERSON = "Click on the button 'Light the stove'\n'3 cups are hot' is displayed\ny\n"
PERSON += "'Fire' is displayed or 'Fire' is not displayed\n'Fire' is displayed\ny\n"


@pytest.mark.thorough
def test_what_a_person_translates_is_written_and_played_without_anyone(
    site: Site, tmp_path: Path
) -> None:
    path = suite(tmp_path, site)
    before = translate(tmp_path, "--check")
    assert before.returncode == 1
    assert "cases.yaml:4: untranslated, read: " in before.stdout

    done = translate(tmp_path, "cases.yaml", "--by", "person", stdin=PERSON)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused: it holds on every page" in done.stdout
    text = (tmp_path / "cases.yaml").read_text()
    assert "brew   # our favourite" in text
    assert "- step: Get the kettle going for %guest%   # loudly" in text
    steps = yaml.safe_load(text)["tests"][0]["steps"]
    assert steps[0]["means"] == ["Click on the 'Light the stove' button"]
    assert steps[1]["means"] == ["Assert that '3 cups are hot' is displayed"]
    assert steps[2]["review"].startswith("was false on the app when it was translated")
    assert steps[3] == "Assert that 'Tea room' is displayed"
    frozen = json.loads((tmp_path / "cases.frozen.json").read_text())
    assert frozen["tests"]["brew"]["1"]["by"] == "a person"
    assert translate(tmp_path, "--check").returncode == 0

    site.pages["tea"] = PAGE.format(before="The cups are cold", label="Light the small stove")
    result = conduct(load_suite(path), RunOptions(runs=tmp_path / "runs"))
    assert result.folder is not None
    judged = next(iter(StoredRun(result.folder).judged()))
    record = record_of(judged.trace)
    assert record is not None
    assert [step.outcome for step in record.steps if step.phase == "test"] == [
        "done", "true", "false", "true",
    ]  # fmt: skip
    assert "healed" in [step.frozen for step in record.steps]
    checks = {verdict.check: verdict for verdict in judged.verdicts}
    assert checks["The whole room should be on fire"].outcome.value == "pass"
    assert checks["Three cups should be steaming"].details["translated"] == (
        "by a person: Assert that '3 cups are hot' is displayed"
    )


@pytest.mark.thorough
def test_a_case_that_fails_keeps_what_is_certain_and_marks_the_rest(
    site: Site, tmp_path: Path
) -> None:
    suite(tmp_path, site)
    lines = "Click on the button 'Light the stove'\n\n'Fire' is displayed\ny\n"
    done = translate(tmp_path, "--by", "person", stdin=lines)
    assert done.returncode == 1
    steps = yaml.safe_load((tmp_path / "cases.yaml").read_text())["tests"][0]["steps"]
    assert "means" in steps[0]
    assert steps[1]["review"] == "not translated: nobody said what it means"
    assert "means" not in steps[1]


def test_without_a_model_or_a_person_the_choices_are_named(site: Site, tmp_path: Path) -> None:
    suite(tmp_path, site)
    done = translate(tmp_path)
    assert done.returncode == 2
    assert "--by person or --by rules" in done.stderr


@pytest.mark.thorough
def test_only_a_changed_sentence_is_translated_again(site: Site, tmp_path: Path) -> None:
    suite(tmp_path, site)
    assert translate(tmp_path, "--by", "person", stdin=PERSON).returncode == 0
    assert translate(tmp_path, "--check").returncode == 0
    cases = tmp_path / "cases.yaml"
    before = cases.read_text()
    cases.write_text(before.replace("Three cups should be steaming", "All cups should steam"))
    stale = translate(tmp_path, "--check")
    assert stale.returncode == 1
    assert stale.stdout.count("its translation is stale") == 1
    done = translate(tmp_path, "--by", "person", "--changed", stdin="'3 cups' is displayed\ny\n")
    assert done.returncode == 0, done.stdout + done.stderr
    changed = yaml.safe_load(cases.read_text())["tests"][0]["steps"]
    old = yaml.safe_load(before)["tests"][0]["steps"]
    assert changed[1]["means"] == ["Assert that '3 cups' is displayed"]
    assert [changed[0], *changed[2:]] == [old[0], *old[2:]]


@pytest.mark.thorough
def test_what_was_translated_before_a_kill_is_kept_and_not_asked_again(
    site: Site, tmp_path: Path
) -> None:
    suite(tmp_path, site)
    cases = tmp_path / "cases.yaml"
    second = CASES.split("\n", 1)[1].replace("brew", "brew again")
    cases.write_text(CASES + second)
    command = [sys.executable, "-m", "sparring", "translate", "--by", "person"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(PERSON)
        process.stdin.flush()
        for line in process.stdout:
            if "sentences translated" in line:
                break
        process.kill()
    kept = yaml.safe_load(cases.read_text())["tests"]
    assert (
        sum("means" in step for case in kept for step in case["steps"] if isinstance(step, dict))
        == 3
    )
    done = translate(tmp_path, "--by", "person", stdin=PERSON)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("sentences translated") == 1
    assert translate(tmp_path, "--check").returncode == 0
