"""The schema says of a suite what the program says of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from sparring_plugins.project.suite_schema import suite_schema

ROOT = Path(__file__).parents[3]
SUITES = [
    *sorted((ROOT / "examples").rglob("suite*.yaml")),
    *sorted((ROOT / "plugins/sparring_plugins/project/templates").rglob("suite.yaml")),
]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema, problems = suite_schema()
    assert problems == []
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_good_suite_satisfies_the_schema(validator: Draft202012Validator, path: Path) -> None:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [error.message for error in validator.iter_errors(data)] == []


def _suite(**changes: Any) -> dict[str, Any]:
    return {
        "name": "x",
        "app": "echo",
        "agent": {"use": "user-simulator", "profiles": "p"},
        **changes,
    }


BAD: dict[str, dict[str, Any]] = {
    "an unknown key": _suite(concurency=1),
    "an unknown plugin": _suite(app="ecko"),
    "an unknown setting": _suite(app={"use": "echo", "prefiks": "x"}),
    "a setting that is missing": _suite(agent="user-simulator"),
    "a nested plugin of the wrong role": _suite(
        agent={"use": "user-simulator", "profiles": "p", "user": "patterns"}
    ),
    "no app": {"name": "x", "agent": "a:B"},
    "a wrong type": _suite(seed="one"),
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_bad_suite_does_not(validator: Draft202012Validator, data: dict[str, Any]) -> None:
    assert list(validator.iter_errors(data))


GOOD = {
    "plain": _suite(),
    "import paths": _suite(oracles=["my.module:Oracle", {"use": "my:O", "whatever": 1}]),
    "nested": _suite(agent={"use": "user-simulator", "profiles": "p", "user": {"use": "agenda"}}),
    "labels": _suite(oracles=[{"use": "rules", "files": "r", "name": "mine", "gating": False}]),
}


@pytest.mark.parametrize("data", GOOD.values(), ids=GOOD)
def test_what_a_suite_may_say_is_allowed(
    validator: Draft202012Validator, data: dict[str, Any]
) -> None:
    assert [error.message for error in validator.iter_errors(data)] == []


def _references(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        if isinstance(body.get("$ref"), str):
            yield body["$ref"]
        for value in body.values():
            yield from _references(value)
    elif isinstance(body, list):
        for value in body:
            yield from _references(value)


def test_every_reference_leads_somewhere() -> None:
    schema, _ = suite_schema()
    for reference in _references(schema):
        assert reference.removeprefix("#/$defs/") in schema["$defs"]
