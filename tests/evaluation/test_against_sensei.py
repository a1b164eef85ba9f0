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
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.interfaces.plugin import Use
from sparring.suite.model import OracleUse
from sparring.suite.reading import load_suite
from sparring_plugins.judging.check_options import CheckOptions
from sparring_plugins.judging.recheck import check
from sparring_plugins.sensei.conversations import read_conversations

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
    theirs = sensei.rows(rules, conversations)
    assert our_rows(rules, conversations, tmp_path) == {
        rule: {key: str(value) for key, value in row.items()} for rule, row in theirs.items()
    }


def our_rows(rules: Path, conversations: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    """What ``sparring check --compat sensei`` counts."""
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
        return {row.pop("rule"): row for row in csv.DictReader(file)}


class Shop(BaseHTTPRequestHandler):
    """A chatbot that tells a price, and breaks at one word."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        broken = "crash" in asked
        said = "The price is $5." if "price" in asked else f"Noted, {len(asked)}."
        body = json.dumps({"text": said}).encode()
        self.send_response(500 if broken else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def shop() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_senseis_checker_reads_what_we_write(sensei: Sensei, tmp_path: Path, shop: str) -> None:
    """A run of ours, with a crash and missing outputs, has the same rows when SENSEI judges it."""
    (tmp_path / "p.yml").write_text(
        "test_name: order\nuser:\n  goals:\n    - a {{size}} pizza\n    - the price\n"
        "    - size: {function: forward(), type: string, data: [small, big, crash]}\n"
        "chatbot:\n  output:\n    - price: {type: money, description: the price}\n"
        "    - id: {type: str, description: the order id}\n"
        "conversation: {number: all_combinations, goal_style: {steps: 3}}\n"
    )
    (tmp_path / "suite.yaml").write_text(
        "name: ours\nagent: {use: user-simulator, profiles: p.yml, starts: user}\n"
        f"app: {{use: rest, url: '{shop}'}}\n"
        "reporters: [{use: sensei, path: stored}]\n"
    )
    conduct(load_suite(tmp_path / "suite.yaml", {}), RunOptions())
    rules = tmp_path / "rules"
    rules.mkdir()
    for name, oracle in (("cheap", "extract_float(price) < 9"), ("slots", "data_collected()")):
        (rules / f"{name}.yaml").write_text(
            yaml.safe_dump({"name": name, "description": name, "oracle": oracle})
        )
    stored = tmp_path / "stored"
    theirs = sensei.rows(rules, stored)
    ours = our_rows(rules, stored, tmp_path)
    assert ours == {
        rule: {key: str(value) for key, value in row.items()} for rule, row in theirs.items()
    }
    assert theirs["no_response"]["fail"] == 1
    assert theirs["goal_not_completed"]["fail"] == 3
    assert theirs["cheap"]["pass"] == 2
