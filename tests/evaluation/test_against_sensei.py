"""Our ``compat: sensei`` counts what SENSEI's own checker counts, rule by rule.

SENSEI's code is run beside ours on its published rules and conversations, also on those that no
stored table tells of. Three environment variables name what is needed: SPARRING_SENSEI a checkout of
``sensei-chat/sensei``, SPARRING_SENSEI_EVALUATION one of the evaluation, and SPARRING_SENSEI_PYTHON an
interpreter with pydantic, PyYAML, scikit-learn and inflect. Without them the tests are skipped.
"""

import csv
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.recheck import CheckOptions, check
from sparring.interfaces.plugin import Use
from sparring.suite.model import OracleUse
from sparring_plugins.formats.sensei_conversations import read_conversations

MODEL = re.compile(
    r"\b(semantic_content|only_talks_about|responds_in_same_language|language|tone"
    r"|utterance_index)\s*\("
)
RULES = ("pizza_order", "mutation_eval/pizza", "mutation_eval/bike-shop", "kuki", "millie")
CONVERSATIONS = (
    "mutation-analysis/results_data/pizza/mutant_SwapSequenceStep_2/conversations",
    "mutation-analysis/results_data/bikeshop/original/conversations",
    "chatbots-wild-analysis/output/kuki/normal",
    "chatbots-wild-analysis/output/ada/direct",
)

pytestmark = pytest.mark.slow


def named(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set")
    return Path(value)


class Sensei:
    """SENSEI's checker in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def rows(self, rules: Path, conversations: Path) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([str(rules), str(conversations)]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return dict(answer["rows"])


@pytest.fixture(scope="module")
def sensei() -> Iterator[Sensei]:
    command = [
        str(named("SPARRING_SENSEI_PYTHON")),
        str(Path(__file__).with_name("run_sensei.py")),
        str(named("SPARRING_SENSEI").resolve()),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Sensei(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(params=RULES)
def rules(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Published rules that ask no model, all of them active."""
    folder = tmp_path / "rules"
    folder.mkdir()
    for file in sorted(Path(named("SPARRING_SENSEI"), "examples/rules", request.param).glob("*")):
        rule = yaml.safe_load(file.read_bytes())
        if not any(MODEL.search(str(rule.get(key))) for key in ("when", "if", "then", "oracle")):
            text = yaml.safe_dump({**rule, "active": True}, sort_keys=False)
            (folder / file.name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("below", CONVERSATIONS)
def test_every_row_is_senseis(sensei: Sensei, rules: Path, below: str, tmp_path: Path) -> None:
    conversations = named("SPARRING_SENSEI_EVALUATION") / below
    check(
        read_conversations(conversations),
        CheckOptions(
            oracles=(
                OracleUse(use="rules", files=[str(rules)], compat="sensei"),
                OracleUse(use="generic-failures"),
            ),
            base_dir=tmp_path,
            runs=tmp_path / "runs",
            outputs=(Use(use="csv", path="ours.csv", compat="sensei"),),
        ),
    )
    with (tmp_path / "ours.csv").open(encoding="utf-8", newline="") as file:
        ours = {row.pop("rule"): row for row in csv.DictReader(file)}
    theirs = sensei.rows(rules, conversations)
    assert ours == {
        rule: {key: str(value) for key, value in row.items()} for rule, row in theirs.items()
    }
