"""The copier template begins with the same packages as `sparring new plugin`."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment

from sparring_plugins.project.new_command import plugin_files, plugin_kinds

ROOT = Path(__file__).parents[3]
TEMPLATE = ROOT / "contrib" / "plugin-template"


def _script() -> Any:
    spec = importlib.util.spec_from_file_location(
        "plugin_template", ROOT / "site/plugin_template.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rendered(kind: str, name: str) -> dict[str, str]:
    """Fill the template in as copier does: the questions in their order, then paths and texts."""
    questions = yaml.safe_load((TEMPLATE / "copier.yml").read_text(encoding="utf-8"))
    environment = Environment(**questions["_envops"])
    answers = {"KIND": kind, "NAME": name}
    for question, about in questions.items():
        if not question.startswith("_") and question not in answers:
            answers[question] = environment.from_string(about["default"]).render(answers)
    below = TEMPLATE / questions["_subdirectory"]
    files = (path for path in below.rglob("*.jinja"))
    return {
        environment.from_string(path.relative_to(below).as_posix().removesuffix(".jinja")).render(
            answers
        ): environment.from_string(path.read_text(encoding="utf-8")).render(answers)
        for path in files
    }


@pytest.mark.parametrize("kind", sorted(plugin_kinds()))
def test_both_ways_write_the_same_package(kind: str) -> None:
    assert rendered(kind, f"my-{kind}") == plugin_files(kind, f"my-{kind}")


def test_the_template_is_up_to_date() -> None:
    there = {
        path.relative_to(TEMPLATE).as_posix(): path.read_text(encoding="utf-8")
        for path in TEMPLATE.rglob("*")
        if path.is_file()
    }
    assert there == _script().template_files(), "run .venv/bin/python site/plugin_template.py"
