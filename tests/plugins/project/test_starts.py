"""Suites for an app of one's own: valid as they are written, and run where a stand-in is at hand."""

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.openai_server import OpenAIServer

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome
from sparring.store import find_run
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.project.starts import (
    fill,
    from_folder,
    read_start,
    start_files,
    start_names,
)
from sparring_plugins.rules.oracle import RulesOracle

KINDS = ("alexa", "chat-completions", "python", "rasa", "rest", "web")
SKILL = Path(__file__).parents[3] / "examples/skills/tea-corner"


def test_there_is_a_start_for_each_kind() -> None:
    assert start_names() == KINDS
    assert all(2 <= len(read_start(kind).questions) <= 4 for kind in KINDS)


def test_the_help_lists_the_names_of_the_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["init", "--help"]) == 0
    text = "".join(capsys.readouterr().out.split())  # lines are broken, also after hyphens
    for kind in KINDS:
        names = [question.name for question in read_start(kind).questions]
        listed = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
        assert f"{listed}({kind})".replace(" ", "") in text


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_valid(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SKILL, tmp_path / "my-skill")
    answer = ["--answer", "skill=my-skill"] if kind == "alexa" else []
    assert invoke(["init", "mine", "--for", kind, *answer]) == 0
    assert "now: sparring run mine" in capsys.readouterr().out
    assert invoke(["validate", "mine", "--allow-code"]) == 0, capsys.readouterr().err
    assert (tmp_path / "mine/.gitignore").read_text().startswith("runs/")


def test_a_python_suite_runs_at_once(tmp_path: Path) -> None:
    assert invoke(["init", str(tmp_path), "--for", "python"]) == 0
    assert invoke(["run", str(tmp_path)]) == 0


def test_a_suite_for_a_skill_runs_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["init", "mine", "--for", "alexa"]) == 0
    assert "is not there" not in capsys.readouterr().out
    assert invoke(["run", "mine"]) == 0
    assert "intents 8/8, slots 1/1" in capsys.readouterr().out


def test_a_stand_in_is_only_written_for_the_default_skill_and_language(tmp_path: Path) -> None:
    answers = {"skill": "skill", "locale": "de-DE"}
    assert "skill" not in {path.parts[0] for path in start_files("alexa", answers, tmp_path)}
    answers["locale"] = "en-US"
    written = start_files("alexa", answers, tmp_path)
    assert Path("skill/lambda/lambda_function.py") in written
    (tmp_path / "skill").mkdir()
    assert set(start_files("alexa", answers, tmp_path)) == set(written) - {
        path for path in written if path.parts[0] == "skill"
    }


def test_a_bot_of_ones_own_is_named_from_here_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "def reply(message):\n    return 'Traceback (most recent call last):'\n"
    (tmp_path / "shop_bot.py").write_text(code)
    assert invoke(["init", "tests", "--for", "python", "--answer", "target=shop_bot.py:reply"]) == 0
    suite = yaml.safe_load((tmp_path / "tests/suite.yaml").read_text())
    assert suite["app"]["target"] == "../shop_bot.py:reply"
    assert not (tmp_path / "tests/my_bot.py").exists()
    assert invoke(["run", "tests"]) == 1
    run = find_run("last", tmp_path / "tests/runs")
    failed = {v.check for case in run.judged() for v in case.verdicts if v.outcome == "fail"}
    assert "shows_no_insides" in failed


@pytest.mark.parametrize("init", [["--for", "python"], ["--for", "rest"], ["--template", "rest"]])
@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (["Sorry?", "Hello."], Outcome.PASS),
        # each answer twice, in a conversation of four turns
        (["Sorry?", "Hello.", "Sorry?", "Hello."], Outcome.PASS),
        (["Sorry?", "Hello.", "Sorry?", "Sorry?"], Outcome.FAIL),
    ],
)
def test_the_rule_on_repetition_fails_from_the_third_time_on(
    tmp_path: Path, init: list[str], answers: list[str], outcome: Outcome
) -> None:
    assert invoke(["init", str(tmp_path), *init]) == 0
    rules = FakeContext(base_dir=tmp_path).build(RulesOracle, files="rules/*.yaml")
    trace = trace_of([("and?", answer) for answer in answers])
    [verdict] = [
        verdict
        for verdict in asyncio.run(rules.judge(trace))
        if verdict.check in ("does_not_repeat_itself", "answers_differ")
    ]
    assert verdict.outcome is outcome
    if outcome is Outcome.FAIL:
        assert verdict.reason.startswith(("said three times or more: Sorry?", "`all("))


def test_a_model_suite_asks_the_endpoint(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        answers = [f"url={server.base_url}", "model=small"]
        given = [part for answer in answers for part in ("--answer", answer)]
        assert invoke(["init", str(tmp_path), "--for", "chat-completions", *given]) == 0
        assert invoke(["run", str(tmp_path)]) in (0, 1, 3)
        assert server.requests
    run = find_run("last", tmp_path / "runs")
    assert all(case.trace.turns[0].observation for case in run.judged())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--for", "pyton"], "Did you mean 'python'?"),
        (["--for", "rest", "--answer", "urk=x"], "Did you mean 'url'?"),
        (["--for", "rest", "--answer", "url"], "expected name=text"),
        (["--answer", "url=x"], "--answer belongs to --for"),
    ],
)
def test_bad_arguments_name_the_nearest_choice(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["init", str(tmp_path), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_without_being_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "suite.yaml").write_text("name: mine\n")
    assert invoke(["init", str(tmp_path), "--for", "rest"]) == 2
    assert "use --force" in capsys.readouterr().err
    assert (tmp_path / "suite.yaml").read_text() == "name: mine\n"


@pytest.mark.thorough
def test_a_path_where_nothing_is_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["init", "mine", "--for", "alexa", "--answer", "skill=skills"]) == 0
    assert "first: skills is not there; make it" in capsys.readouterr().out
    assert not (tmp_path / "mine/skill").exists()
    (tmp_path / "there").mkdir()
    assert invoke(["init", "yours", "--for", "alexa", "--answer", "skill=there"]) == 0
    assert "not there" not in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_the_printed_commands_work_as_printed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["init", "--for", kind]) == 0
    printed = capsys.readouterr().out
    validate = re.findall(r"^ +sparring (validate[-. \w]*?) checks", printed, re.MULTILINE)
    assert len(validate) == 1
    assert invoke(validate[0].split()) == 0, capsys.readouterr().err
    for page in re.findall(r"sparring docs (\S+)", printed):
        assert invoke(["docs", page]) == 0


def test_the_request_of_an_app_can_be_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = 'body={"utterance": "{text}", "meta": {"sid": "{session}"}}'
    assert invoke(["init", "mine", "--for", "rest", "--answer", body]) == 0
    suite = yaml.safe_load((tmp_path / "mine/suite.yaml").read_text())
    assert suite["app"]["body"] == {"utterance": "{text}", "meta": {"sid": "{session}"}}
    assert invoke(["validate", "mine"]) == 0
    for wrong in ("body=words", 'body={"a": 1}', "body={a: ", "body=[{text}]"):
        capsys.readouterr()
        assert invoke(["init", "other", "--for", "rest", "--answer", wrong]) == 2
        assert "--answer body" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_whatever_is_answered_stays_a_text(text: str) -> None:
    data: Any = yaml.safe_load(fill('a: @@x@@\nb: [@@"say {x}!"@@]', {"x": text}))
    assert data == {"a": text, "b": [f"say {text}!"]}


def test_only_paths_that_are_there_are_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").touch()
    folder = Path("tests/mine")
    assert from_folder("bot.py:answer", folder) == "../../bot.py:answer"
    assert from_folder("package.module:Bot", folder) == "package.module:Bot"
    assert from_folder(f"{tmp_path}/bot.py:answer", folder) == f"{tmp_path}/bot.py:answer"
