"""A plugin that is not installed yet is not left out silently."""

from pathlib import Path

import pytest

from .metadata import declared_entry_points, require_installed

HEAD = '[project]\n[project.entry-points."sparring.strategies"]\n'


def test_a_declared_plugin_that_is_not_installed_fails_with_what_to_run(tmp_path: Path) -> None:
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text(f'{HEAD}old = "a:A"\nboundary = "b:B"\n', encoding="utf-8")
    installed = {("sparring.strategies", "old", "a:A")}
    with pytest.raises(pytest.fail.Exception) as failed:
        require_installed(declared_entry_points(pyproject), installed)
    assert str(failed.value) == (
        "pyproject.toml and the installed metadata differ in sparring.strategies: boundary. "
        "Run `.venv/bin/uv pip install --no-deps --no-build-isolation -e .`, then the tests again"
    )


def test_a_plugin_that_moved_or_is_gone_fails_too() -> None:
    group = "sparring.strategies"
    with pytest.raises(pytest.fail.Exception, match=f"{group}: gone, {group}: moved"):
        require_installed(
            {(group, "moved", "b:B")}, {(group, "moved", "a:A"), (group, "gone", "c:C")}
        )


def test_what_is_installed_as_declared_passes() -> None:
    one = {("sparring.strategies", "old", "a:A")}
    require_installed(one, one)
