"""The templates for CI servers do what they say: their steps are run here."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import click
import pytest
import yaml

import sparring.cli.app as app
from sparring import Scenario, Space, Variable

ROOT = Path(__file__).parents[2]
CI = ROOT / "contrib/ci"
ACTION = CI / "github-action/action.yml"
GITLAB = CI / "sparring.gitlab-ci.yml"
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


@pytest.fixture
def varied(project: Path) -> Path:
    """The project with three cases, of which the second fails: each of two parts has one."""
    words = Variable(name="word", domain=("please", "now", "please!"))
    space = Space(scenarios=(Scenario(name="talk", variables=(words,)),))
    suite = yaml.safe_load((project / "suite.yaml").read_text("utf-8"))
    suite["agent"] |= {"lines": ["{word}"], "space": space.model_dump(mode="json")}
    suite["strategy"] = "exhaustive"
    (project / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    return project


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


def gitlab_job(name: str) -> dict[str, Any]:
    """A job of the template, with what it extends."""
    jobs = yaml.safe_load(GITLAB.read_text("utf-8"))
    return {**jobs[".sparring-base"], **jobs[name]}


@pytest.mark.thorough
def test_the_template_for_gitlab_runs_a_suite(project: Path) -> None:
    job = gitlab_job(".sparring")
    variables = {**job["variables"], "SPARRING_SUITE": "suite.yaml", "SPARRING_INSTALL": ""}
    variables |= {"XDG_CACHE_HOME": str(project), "SPARRING_ARGUMENTS": "--seed 3"}
    code, log = run_script(project, [*job["before_script"], *job["script"]], variables)
    assert code == 1, log
    assert (project / "sparring-reports/junit.xml").is_file()
    assert "::stop-commands::" not in log, "no commands outside of GitHub"


def run_script(project: Path, lines: list[str], variables: dict[str, str]) -> tuple[int, str]:
    """Run the lines of a job in one shell; its exit code and its log. Nothing is installed."""
    script = "\n".join(["set -eo pipefail", *(_without_installation(line) for line in lines)])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=project,
        env=environment(project, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def _without_installation(line: str) -> str:
    lines = re.sub(r"^.*( pip install | -m venv ).*$", "true", line, flags=re.MULTILINE)
    return lines.replace(".venv/bin/sparring", "sparring")


@dataclass(frozen=True)
class Recipe:
    """What a template does on a CI server: the lines of two jobs that play, and of one that merges.

    Each has the variables that the server gives it. `found` is where a part lies below ``shards``
    when it is merged.
    """

    play: list[str]
    shards: list[dict[str, str]]
    merge: list[str]
    reports: str
    found: str = "{}"


def gitlab() -> Recipe:
    play, merge = gitlab_job(".sparring-shard"), gitlab_job(".sparring-merge")
    given = {**play["variables"], "SPARRING_SUITE": "suite.yaml", "SPARRING_INSTALL": ""}
    exported = [f"export {name}='{value}'" for name, value in given.items()]
    return Recipe(
        play=[*exported, *play["before_script"], *play["script"]],
        shards=[{"CI_NODE_INDEX": k, "CI_NODE_TOTAL": "2"} for k in "12"],
        merge=[*exported, *merge["before_script"], *merge["script"]],
        reports="sparring-reports",
    )


def jenkins() -> Recipe:
    text = (CI / "Jenkinsfile").read_text("utf-8")
    play, merge = (
        textwrap.dedent(block) for block in re.findall(r"sh '''\n(.*?)'''", text, re.DOTALL)
    )
    first = re.findall(r"(?<!\w)sh '([^']+)'\n", text)
    assert first == ["rm -rf shards sparring-reports"]
    return Recipe(
        play=["export SUITE=suite.yaml SHARDS=2", play],
        shards=[{"SHARD": k} for k in "12"],
        merge=["export SUITE=suite.yaml", merge],
        reports="sparring-reports",
    )


def azure() -> Recipe:
    jobs = yaml.safe_load((CI / "azure-pipelines.yml").read_text("utf-8"))["jobs"]
    play, merge = ([step["script"] for step in job["steps"] if "script" in step] for job in jobs)
    return Recipe(
        play=["export SUITE=suite.yaml", *play],
        shards=[{"SYSTEM_JOBPOSITIONINPHASE": k, "SYSTEM_TOTALJOBSINPHASE": "2"} for k in "12"],
        merge=["export SUITE=suite.yaml", *merge],
        reports="sparring-reports",
        found="shard-{0}/{0}",  # of a download without a name, each artifact has a folder
    )


def circleci() -> Recipe:
    jobs = yaml.safe_load((CI / "circleci.yml").read_text("utf-8"))["jobs"]

    def commands(job: str) -> list[str]:
        steps = [step["run"] for step in jobs[job]["steps"] if "run" in step]
        return [step if isinstance(step, str) else step["command"] for step in steps]

    return Recipe(
        play=["export SUITE=suite.yaml; mkdir -p tests", *commands("play")],
        shards=[
            {"CIRCLE_NODE_INDEX": k, "CIRCLE_NODE_TOTAL": "2", "BASH_ENV": os.devnull} for k in "01"
        ],
        merge=["export SUITE=suite.yaml", *commands("report")],
        reports="sparring-reports",
    )


def bitbucket() -> Recipe:
    pipeline = yaml.safe_load((CI / "bitbucket-pipelines.yml").read_text("utf-8"))
    parallel, report = pipeline["pipelines"]["default"]
    steps = [step["step"]["script"] for step in parallel["parallel"]["steps"]]
    assert steps[0] == steps[1]
    suite = [line.replace("tests/suite.yaml", "suite.yaml") for line in steps[0]]
    merge = [line.replace("tests/suite.yaml", "suite.yaml") for line in report["step"]["script"]]
    variables = {"BITBUCKET_PARALLEL_STEP_COUNT": "2", "BITBUCKET_CLONE_DIR": "."}
    return Recipe(
        play=suite,
        shards=[{"BITBUCKET_PARALLEL_STEP": k, **variables} for k in "01"],
        merge=merge,
        reports="test-results",
    )


def shell() -> Recipe:
    script = shlex.quote(str(CI / "sparring-ci.sh"))
    return Recipe(
        play=[f"SUITE=suite.yaml INSTALL= {script} $K/2"],
        shards=[{"K": k} for k in "12"],
        merge=[f"SUITE=suite.yaml INSTALL= {script} merge"],
        reports="sparring-reports",
    )


RECIPES = (gitlab, jenkins, azure, circleci, bitbucket, shell)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.__name__)
def test_parts_are_played_and_merged_into_one_report(recipe: Any, varied: Path) -> None:
    found = recipe()
    handed = varied / "handed-over"
    for number, variables in enumerate(found.shards, 1):
        code, log = run_script(varied, found.play, variables)
        assert code == 0, log
        shutil.copytree(varied / f"shards/{number}", handed / found.found.format(number))
        shutil.rmtree(varied / "shards")
    handed.rename(varied / "shards")
    code, log = run_script(varied, found.merge, {})
    assert code == 1, log
    suite = ET.parse(varied / found.reports / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert (varied / found.reports / "report.html").is_file()


def test_the_shell_script_runs_a_whole_suite_and_refuses_other_words(project: Path) -> None:
    script = shlex.quote(str(CI / "sparring-ci.sh"))
    code, log = run_script(
        project, [f"SUITE=suite.yaml INSTALL= {script}"], {"ARGUMENTS": "--seed 3"}
    )
    assert code == 1, log
    assert (project / "sparring-reports/junit.xml").is_file()
    code, log = run_script(project, [f"INSTALL= {script} half"], {})
    assert code == 2
    assert "expected nothing, K/N or merge, and not 'half'" in log


TEMPLATES = sorted(path for path in CI.rglob("*") if path.is_file())
PAGES = [ROOT / "docs/how-to/in-ci.md", ROOT / "docs/how-to/many-cores-and-machines.md"]


@pytest.mark.parametrize("path", [*TEMPLATES, *PAGES], ids=lambda path: path.name)
def test_every_command_and_option_exists(path: Path) -> None:
    """Of a template, a line continued by a backslash is one line."""
    text = path.read_text("utf-8").replace("\\\n", " ")
    lines = re.findall(
        r"(?:^|[ /`$])sparring ((?:run|merge|bless|replay|validate|doctor)\b[^`#\n]*)", text
    )
    assert lines or path.suffix == ".md", "it plays something"
    for line in lines:
        name, *words = re.split(r"[\s=]+", line.strip())
        command = app.sparring.get_command(click.Context(app.sparring), name)
        assert command is not None, line
        options = {option for parameter in command.params for option in parameter.opts}
        used = {word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)}
        assert used <= options, f"{path.name}: {line}"


def test_the_template_for_jenkins_is_balanced() -> None:
    """There is no parser of Groovy here; what is open is closed, and the steps are the known ones."""
    text = re.sub(
        r"'''.*?'''|//[^\n]*|'[^'\n]*'|\"[^\"\n]*\"",
        "",
        (CI / "Jenkinsfile").read_text("utf-8"),
        flags=re.DOTALL,
    )
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    known = {
        "pipeline",
        "options",
        "environment",
        "stages",
        "stage",
        "matrix",
        "axes",
        "axis",
        "steps",
        "post",
        "always",
    }
    assert set(re.findall(r"(\w+)(?:\(\))? *\{", text)) <= known
    assert {"junit", "archiveArtifacts", "stash", "unstash"} <= set(
        re.findall(r"^ +(\w+) ", text, re.MULTILINE)
    )


def test_the_template_for_azure_uses_inputs_of_its_tasks() -> None:
    pipeline = yaml.safe_load((CI / "azure-pipelines.yml").read_text("utf-8"))
    known = {
        "UsePythonVersion@0": {"versionSpec"},
        "Cache@2": {"key", "path", "restoreKeys", "cacheHitVar"},
        "PublishPipelineArtifact@1": {"targetPath", "artifact"},
        "DownloadPipelineArtifact@2": {"artifact", "patterns", "path"},
        "PublishTestResults@2": {"testResultsFormat", "testResultsFiles", "testRunTitle"},
    }
    tasks = [step for job in pipeline["jobs"] for step in job["steps"] if "task" in step]
    assert {task["task"] for task in tasks} == known.keys()
    for task in tasks:
        assert set(task["inputs"]) <= known[task["task"]], task["task"]
