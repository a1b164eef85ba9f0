"""What `sparring new plugin` writes: packages whose plugins pass the kits of their kinds."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from sparring.cli.app import invoke
from sparring_plugins.project.docs_command import find_page
from sparring_plugins.project.new_command import agent_roles, plugin_files, plugin_kinds

KINDS = ("agent", "connector", "function", "oracle", "reporter", "strategy")


def test_there_is_a_template_for_each_kind() -> None:
    assert tuple(sorted(plugin_kinds())) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_package_names_the_page_of_its_kind(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["new", "plugin", kind, f"my-{kind}", str(tmp_path / "package")]) == 0
    (page,) = re.findall(r"sparring docs (\S+)$", capsys.readouterr().out, re.MULTILINE)
    assert find_page(page).is_file()
    readme = (tmp_path / "package/README.md").read_text(encoding="utf-8")
    assert f"`sparring docs {page}`" in readme


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_is_whole(kind: str) -> None:
    files = plugin_files(kind, f"my-{kind}")
    assert set(files) == {
        "README.md",
        "pyproject.toml",
        f"sparring_my_{kind}.py",
        f"tests/test_my_{kind}.py",
    }
    assert not [path for path, text in files.items() if "@@" in text]
    project = tomllib.loads(files["pyproject.toml"])["project"]
    ((group, points),) = project["entry-points"].items()
    assert group == plugin_kinds()[kind].group
    module, _, name = next(iter(points.values())).partition(":")
    code = compile(files[f"{module}.py"], module, "exec")
    assert name in code.co_names


@pytest.mark.parametrize(
    "kind",
    [
        kind if kind == "function" else pytest.param(kind, marks=pytest.mark.thorough)
        for kind in KINDS
    ],
)
def test_a_new_plugin_passes_its_kit(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    assert invoke(["new", "plugin", kind, f"my-{kind}", str(folder)]) == 0
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


ROLES = ("judge", "user", "goal_checker", "extractor", "writer", "perturbation", "fitness")


def test_there_is_a_template_for_each_role() -> None:
    assert tuple(agent_roles()) == ROLES


@pytest.mark.parametrize(
    "role",
    [role if role == "user" else pytest.param(role, marks=pytest.mark.thorough) for role in ROLES],
)
def test_a_new_agent_passes_the_kit_of_its_role(role: str, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    assert invoke(["new", "plugin", "agent", "my-own", str(folder), "--role", role]) == 0
    points = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["entry-points"]
    assert points == {"sparring.agents": {f"{role}.my-own": "sparring_my_own:MyOwn"}}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_judge_of_the_template_finds_nothing_wrong_in_a_polite_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke(["new", "plugin", "agent", "polite", str(tmp_path / "package")]) == 0
    monkeypatch.syspath_prepend(tmp_path / "package")
    assert invoke(["init", str(tmp_path / "first")]) == 0
    suite = tmp_path / "first/suite.yaml"
    data = yaml.safe_load(suite.read_text())
    judge = {
        "use": "judge",
        "question": "Was the app polite?",
        "judges": ["sparring_polite:Polite"],
    }
    suite.write_text(yaml.safe_dump({**data, "oracles": [judge]}))
    assert invoke(["run", str(suite)]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agent", "mine", "--role", "judg"], "Did you mean 'judge'?"),
        (["oracle", "mine", "--role", "judge"], "not to the kind oracle"),
        (["oracle", "consistency"], "sparring has the oracle 'consistency' already"),
        (["agent", "typos", "--role", "perturbation"], "'perturbation.typos' already"),
        (["function", "chatbot-returns"], "'chatbot_returns' already"),
        (["orakle", "mine"], "Did you mean 'oracle'?"),
        (["oracle", "My Oracle"], "expected lower case and hyphens"),
        (["oracle", "../mine"], "expected lower case and hyphens"),
        (["oracle", "class"], "expected lower case and hyphens"),
    ],
)
def test_bad_arguments_write_nothing(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["new", "plugin", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").touch()
    assert invoke(["new", "plugin", "oracle", "mine", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "is not empty: name another folder" in message
    assert "add its line to the entry points in pyproject.toml" in message
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_function_with_a_hyphen_is_told_by_its_name_in_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["new", "plugin", "function", "longest-answer", str(tmp_path / "one")]) == 0
    assert "rules call it longest_answer" in capsys.readouterr().out
    assert invoke(["new", "plugin", "oracle", "longest-answer", str(tmp_path / "two")]) == 0
    assert "rules call it" not in capsys.readouterr().out
