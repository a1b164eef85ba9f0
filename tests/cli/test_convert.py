"""``sparring convert``: what is written, what is passed over, and what is never overwritten."""

from pathlib import Path
from typing import Any

import pytest
import yaml

OLD = "test_name: t\nuser:\n  ask_about: [to eat]\nconversations: {number: 2}\n"
RULE = "name: r\nthen: len(price) > 1\n"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    (folder / "eval").mkdir(parents=True)
    (folder / "eval" / "one.yml").write_text(OLD)
    (folder / "r.yaml").write_text(RULE)
    (folder / "run.yml").write_text("project_folder: x\n")
    return folder


def test_a_folder_is_written_with_its_folders(program: Any, old: Path, tmp_path: Path) -> None:
    ran = program("convert", old, "-o", "new")
    assert ran.code == 0
    assert ran.out.splitlines() == ["wrote new/eval/one.yml", "wrote new/r.yaml"]
    assert ran.err.splitlines() == [
        "old/eval/one.yml: profile, nested with ask_about",
        "old/r.yaml: rules",
    ]
    data = yaml.safe_load((tmp_path / "new" / "eval" / "one.yml").read_text())
    assert data["user"] == {"goals": ["to eat"]}
    assert data["conversation"] == {"number": 2}
    assert (old / "eval" / "one.yml").read_text() == OLD


def test_without_an_output_the_file_is_printed(program: Any, old: Path) -> None:
    ran = program("convert", old / "r.yaml")
    assert ran.out == "name: r\noracle: len(price) > 1\n"


def test_nothing_is_overwritten_unless_forced(program: Any, old: Path) -> None:
    program("convert", old, "-o", "new")
    again = program("convert", old, "-o", "new")
    assert again.code == 2
    assert "there already is new/eval/one.yml, new/r.yaml; use --force" in again.err
    assert program("convert", old, "-o", "new", "--force").code == 0


def test_two_files_for_one_place_are_refused(program: Any, old: Path) -> None:
    (old / "one.yml").write_text(OLD.replace("eat", "drink"))
    ran = program("convert", old / "one.yml", old / "eval" / "one.yml", "-o", "new")
    assert ran.code == 2
    assert "old/one.yml and old/eval/one.yml would both be written to one.yml" in ran.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.yml", "project_folder: x\n", "is none of what can be converted"),
        ("x.yml", "[", "is none of what can be converted"),
        ("x.yml", "user: {goals: [{a: {function: forwards(), data: [1]}}, '{{a}}']}", "forwards"),
        ("x.yml", "user: {goals: [a], goal: 1}", "unknown key"),
    ],
)
def test_what_cannot_be_converted_is_said(
    program: Any, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    ran = program("convert", name)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_an_empty_folder_has_nothing(program: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "there is nothing to convert" in program("convert", "empty").err
    assert "there is no such file or folder" in program("convert", "nowhere").err
