"""Compiled templates are stored beside the templates, and never trusted more than their source."""

import sys
from pathlib import Path

import pytest

from sparring_plugins.output.html_page import page_environment


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.html.jinja").write_text("Hello {{ name }}", encoding="utf-8")
    return tmp_path


def rendered(folder: Path) -> str:
    return page_environment(folder).get_template("page.html.jinja").render(name="<you>")


def stored(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("*"))


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(folder) == "Hello &lt;you&gt;"
    (file,) = stored(folder)
    assert sys.implementation.cache_tag in file.name
    assert ".jinja-" in file.name
    again = page_environment(folder)
    monkeypatch.setattr(type(again), "_parse", None)
    assert again.get_template("page.html.jinja").render(name="<you>") == "Hello &lt;you&gt;"


def test_a_changed_template_is_compiled_again(folder: Path) -> None:
    rendered(folder)
    (folder / "page.html.jinja").write_text("Bye {{ name }}", encoding="utf-8")
    assert rendered(folder) == "Bye &lt;you&gt;"
    assert rendered(folder) == "Bye &lt;you&gt;"


@pytest.mark.parametrize("part", [0, 10, 30, 60])
def test_a_damaged_file_is_compiled_again(folder: Path, part: int) -> None:
    rendered(folder)
    (file,) = stored(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[:part] + b"\x80garbage")
    assert rendered(folder) == "Hello &lt;you&gt;"
    assert file.read_bytes() == whole


def test_no_file_is_written_if_python_writes_no_bytecode(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(folder) == "Hello &lt;you&gt;"
    assert stored(folder) == []


def test_bytecode_that_is_kept_elsewhere_keeps_templates_there(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "elsewhere"))
    rendered(folder)
    assert stored(folder) == []
    assert len(list((tmp_path / "elsewhere").rglob("page.html.*"))) == 1


def test_a_folder_that_cannot_be_written_to_is_no_failure(folder: Path) -> None:
    (folder / "__pycache__").write_text("in the way", encoding="utf-8")
    assert rendered(folder) == "Hello &lt;you&gt;"
