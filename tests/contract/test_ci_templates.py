"""The GitHub action and the GitLab template do what they say: their steps are run here."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "contrib/ci/github-action/action.yml"
GITLAB = ROOT / "contrib/ci/sparring.gitlab-ci.yml"
SUITE = """\
name: ci
app: echo
agent:
  use: sparring.testing.fakes:FakePlayer
  lines: ["{line}"]
strategy: sparring.testing.fakes:FakeStrategy
oracles: [rules]
reporters: [console]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a suite whose app answers with a command of GitHub's log."""
    line = "::error title=forged::by the app"
    suite = SUITE.format(line=line).replace(
        "oracles: [rules]", "oracles:\n  - {use: rules, files: rules.yaml}"
    )
    (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
    rule = "name: polite\noracle: \"'please' in chatbot_phrases[0]\"\n"
    (tmp_path / "rules.yaml").write_text(rule, encoding="utf-8")
    return tmp_path


def environment(project: Path, **more: str) -> dict[str, str]:
    binary = str(Path(sys.executable).parent)
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PATH": f"{binary}:/usr/bin:/bin", **more}


def evaluate(text: str, values: dict[str, str]) -> str:
    """Replace ``${{ inputs.x }}`` and what steps gave, as GitHub does."""
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: values.get(match[1], ""), text)


def run_action(project: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Run the action's steps one after the other; the exit code of the last, and the log."""
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text("utf-8"))
    values = {f"inputs.{name}": item["default"] for name, item in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    output, summary = project / "output", project / "step-summary.md"
    log, code = "", 0
    for step in action["runs"]["steps"]:
        if step["name"] in ("Install", "Comment"):  # nothing is downloaded or posted here
            continue
        variables = {name: evaluate(value, values) for name, value in step.get("env", {}).items()}
        variables |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        variables["GITHUB_ACTIONS"] = "true"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=project,
            env=environment(project, **variables),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        log, code = log + done.stdout + done.stderr, done.returncode
        if step.get("id") and output.is_file():
            pairs = (line.partition("=") for line in output.read_text("utf-8").splitlines())
            values |= {f"steps.{step['id']}.outputs.{name}": value for name, _, value in pairs}
    return code, log, values


@pytest.mark.thorough
def test_the_action_runs_a_suite_and_gives_its_exit_code(project: Path) -> None:
    code, log, values = run_action(project, suite="suite.yaml")
    assert code == 1, log
    assert values["steps.run.outputs.exit-code"] == "1"
    reports = project / "sparring-reports"
    assert {path.name for path in reports.iterdir()} == {
        "junit.xml",
        "report.html",
        "results.sarif",
        "summary.md",
    }
    assert ET.parse(reports / "junit.xml").getroot().get("failures") == "1"
    assert "`rules / polite`" in (project / "step-summary.md").read_text("utf-8")
    assert "::error title=forged" in log, "the app tried"
    assert commands_heard(log) == ["error title=rules / polite,file=rules.yaml,line=2"]


def commands_heard(log: str) -> list[str]:
    """What GitHub's runner obeys of a log, between ``stop-commands`` and its token."""
    heard, token = [], ""
    for line in (line.strip() for line in log.splitlines()):
        if token:
            token = "" if line == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif line.startswith("::"):
            heard.append(line[2:].partition("::")[0])
    assert not token, "commands of later steps are heard again"
    return heard


@pytest.mark.thorough
def test_the_action_passes_baseline_and_arguments_on(project: Path) -> None:
    run_action(project, suite="suite.yaml")
    env = environment(project)
    subprocess.run(["sparring", "bless"], cwd=project, env=env, check=True, capture_output=True)
    code, log, _ = run_action(
        project, suite="suite.yaml", baseline="baseline.yaml", arguments="--seed\n7\n"
    )
    assert code == 0, log
    summary = (project / "sparring-reports/summary.md").read_text("utf-8")
    assert "nothing is worse than the baseline" in summary
    assert "Seed 7." in summary


def test_no_input_is_put_into_a_script() -> None:
    """Texts of pull requests would be run as code: inputs come by variables alone."""
    steps = yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]
    assert [step["name"] for step in steps if "${{" in step["run"]] == []


@pytest.mark.thorough
def test_the_template_for_gitlab_runs_a_suite(project: Path) -> None:
    job = yaml.safe_load(GITLAB.read_text("utf-8"))[".sparring"]
    variables = {**job["variables"], "SPARRING_SUITE": "suite.yaml", "SPARRING_INSTALL": ""}
    variables |= {"PIP_CACHE_DIR": "", "SPARRING_ARGUMENTS": "--seed 3"}
    script = "\n".join(["set -eo pipefail", *job["before_script"], *job["script"]])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=project,
        env=environment(project, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert (project / "sparring-reports/junit.xml").is_file()
    assert "::stop-commands::" not in done.stdout, "no commands outside of GitHub"
