"""What `sparring new plugin` writes: packages whose plugins pass the kits of their kinds."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring_plugins.project.new_command import plugin_files, plugin_kinds

KINDS = ("agent", "connector", "function", "oracle", "reporter", "strategy")


def test_there_is_a_template_for_each_kind() -> None:
    assert tuple(sorted(plugin_kinds())) == KINDS


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
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
