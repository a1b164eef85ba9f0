"""What stands in a suite's settings is never stored or shown, whatever it is called."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.store import StoredRun

from .conftest import Program
from .planted_secrets import (
    COMMON,
    FIRST,
    FURTHER,
    LATER,
    MODELLED,
    MODULE,
    RULES,
    STEPS,
    Plant,
    apps,
    leaks,
    parrots,
    planted,
)

INTENTS = [
    {"name": "AMAZON.HelpIntent", "samples": []},
    {"name": "Tea", "samples": ["hello", "bye"]},
]
MODEL = {
    "interactionModel": {
        "languageModel": {"invocationName": "tea parrot", "intents": INTENTS, "types": []}
    }
}
SLOW = {"websocket", "openai", "browser", "cache"}


def each(table: dict[str, list[Plant]]) -> list[Any]:
    marks = {name: [pytest.mark.thorough] if name in SLOW else [] for name in table}
    return [
        pytest.param(name, plants, id=name, marks=marks[name]) for name, plants in table.items()
    ]


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, str]]:
    with parrots() as running:
        yield running


def play_planted(
    connector: str, plants: list[Plant], folder: Path, here: Program, hosts: dict[str, str]
) -> list[str]:
    """Play, show, report and judge again a suite with secrets in it; returns what leaked."""
    suite = {"name": f"planted-{connector}", "app": apps(hosts)[connector], **deepcopy(COMMON)}
    if connector in ("openai", "cache"):
        suite.update(deepcopy(MODELLED))
    if connector == "cache":
        suite["llm"]["cache"] = "kept/answers.db"
    if connector == "browser":
        suite["app"] |= {"screenshots": "never", "trace": "always"}
        suite["agent"] = {"use": "step-runner", "tests": "cases.yaml"}
        suite["oracles"] = ["assertions", "page-health"]
        suite["strategy"] = "exhaustive"
    environment, arguments = planted(suite, plants)
    written = yaml.safe_dump(suite, allow_unicode=True)
    (folder / "suite.yaml").write_text(written.replace("<host>", hosts["HTTP"]))
    (folder / "r.yaml").write_text(RULES)
    (folder / "parrot.py").write_text(MODULE)
    (folder / "cases.yaml").write_text(STEPS)
    models = folder / "skill" / "models"
    models.mkdir(parents=True)
    (models / "en-US.json").write_text(json.dumps(MODEL))
    outputs = [
        here(*command, environment=environment).said
        for command in (
            ("validate", *arguments),
            ("run", *arguments),
            ("show", "last", "--all"),
            ("report", "-o", "out/x.html"),
            ("check",),
        )
    ]
    assert len(list(folder.glob("runs/*/log.jsonl"))) == 2, outputs
    return [leak for plant in plants for leak in leaks(plant, folder, *outputs)]


@pytest.mark.parametrize(("connector", "plants"), each(FIRST))
def test_no_planted_secret_is_stored_or_shown(
    connector: str, plants: list[Plant], tmp_path: Path, here: Program, hosts: dict[str, str]
) -> None:
    assert play_planted(connector, plants, tmp_path, here, hosts) == []


@pytest.mark.parametrize(("connector", "plants"), each(FURTHER))
def test_no_further_secret_is_stored_or_shown(
    connector: str, plants: list[Plant], tmp_path: Path, here: Program, hosts: dict[str, str]
) -> None:
    assert play_planted(connector, plants, tmp_path, here, hosts) == []


@pytest.mark.parametrize(("connector", "plants"), each(LATER))
def test_no_later_secret_is_stored_or_shown(
    connector: str, plants: list[Plant], tmp_path: Path, here: Program, hosts: dict[str, str]
) -> None:
    assert play_planted(connector, plants, tmp_path, here, hosts) == []


WORDY = """
name: wordy
app: {use: rest, url: "http://<host>/chat", body: {text: "{text}", pin: a, password: tea},
  reply: {text: $.debug.text, payload: $.debug}}
agent: {use: "sparring.testing.fakes:FakePlayer", lines: ["a cup of tea and a cake"]}
strategy: {use: "sparring.testing.fakes:FakeStrategy"}
oracles: [{use: rules, files: r.yaml}]
reporters: [console]
"""
HEARS = """
name: hears_tea
oracle: "'a cup of tea' in str(turns)"
---
name: all_hear_tea
conversations: all
oracle: "'a cup of tea' in str([c.turns for c in conv])"
"""


def test_redaction_changes_no_verdict(tmp_path: Path, here: Program, hosts: dict[str, str]) -> None:
    """A password ``tea`` and a pin ``a``: rules still read what the app said, also from the log."""
    (tmp_path / "suite.yaml").write_text(WORDY.replace("<host>", hosts["HTTP"]))
    (tmp_path / "r.yaml").write_text(HEARS)
    done = here("run")
    assert done.code == 0, done.said
    assert (
        "app.body.pin is a secret of 1 character(s), which stand in any text by chance" in done.err
    )
    run = next(path for path in (tmp_path / "runs").iterdir())
    said = next(StoredRun(run).judged()).trace.turns[0].observation
    assert said is not None
    assert said.text == "a cup of [app.body.password] and a cake"
    assert said.payload == {
        "text": "a cup of [app.body.password] and a cake",
        "pin": "[app.body.pin]",
        "password": "[app.body.password]",
    }
    assert StoredRun(run).manifest.suite["app"]["body"]["pin"] == "[app.body.pin]"
    assert here("check").code == 0
    done = here("replay", "last")
    assert done.code == 0, done.said
