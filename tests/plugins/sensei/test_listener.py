"""The listener `sensei`: finds conversations, and the oracles that judge by rule files."""

import subprocess
import sys
from pathlib import Path

import pytest

from sparring.discovery import hooks
from sparring.errors import Problem
from sparring.model.talk import Trace
from sparring.testing.conversations import trace_of
from sparring_plugins.sensei import listener as sensei
from sparring_plugins.sensei.conversations import conversation_text

NAME = "0_talk_2024-01-01-12-00-00.yml"


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    folder = tmp_path / "talk" / "2024-01-01-12-00-00"
    folder.mkdir(parents=True)
    (folder / NAME).write_text(conversation_text(trace_of([("hi", "hello")])), encoding="utf-8")
    (folder / "1_talk_2024-01-01-12-00-00.yml").write_text("serial: [", encoding="utf-8")
    return tmp_path


def test_the_installed_listener_reads_a_folder_of_conversations(conversations: Path) -> None:
    found = list(hooks.load().first("sparring_read_traces", path=conversations))
    assert [type(item) for item in found] == [Trace, Problem]
    assert found[0].turns[0].observation.text == "hello"


def test_it_reads_one_file(conversations: Path) -> None:
    file = conversations / "talk" / "2024-01-01-12-00-00" / NAME
    (trace,) = sensei.sparring_read_traces(file) or ()
    assert isinstance(trace, Trace)
    assert trace.meta["source"] == NAME


@pytest.mark.parametrize("name", ["missing", "empty", "notes.txt", "rules.yaml"])
def test_a_path_without_conversations_is_left_to_others(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("serial: 1", encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("name: a\noracle: 'True'\n", encoding="utf-8")
    assert sensei.sparring_read_traces(tmp_path / name) is None


def test_rule_files_are_judged_by_the_rules_oracle_and_generic_failures(tmp_path: Path) -> None:
    paths = [tmp_path, tmp_path / "rule.yaml", tmp_path / "other.YML"]
    assert sensei.sparring_oracles_for_rules(paths, None) == [
        {"use": "rules", "files": [str(path) for path in paths]},
        {"use": "generic-failures"},
    ]


def test_the_tool_to_be_compatible_with_is_passed_on(tmp_path: Path) -> None:
    found = sensei.sparring_oracles_for_rules([tmp_path], "sensei")
    assert found is not None
    assert found[0] == {"use": "rules", "files": [str(tmp_path)], "compat": "sensei"}


@pytest.mark.parametrize("name", ["rules.json", "rules", "rules.yaml.bak"])
def test_files_that_are_no_yaml_are_left_to_others(tmp_path: Path, name: str) -> None:
    assert sensei.sparring_oracles_for_rules([tmp_path, tmp_path / name], None) is None


def test_no_rules_name_no_oracle() -> None:
    assert sensei.sparring_oracles_for_rules([], None) is None


def test_the_listener_imports_nothing_heavy() -> None:
    code = (
        "import sys, sparring.discovery.hookspecs; before = set(sys.modules)\n"
        "import sparring_plugins.sensei.listener\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "sparring_plugins",
        "sparring_plugins.sensei",
        "sparring_plugins.sensei.listener",
    ]
