"""Many skills in one suite: each on its own, and one broken skill harms no other."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.model.talk import IncidentKind
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_connectors.alexa.skills import read_skill_list
from sparring_plugins.reporting.apps_seen import apps_seen

GREETING = """
import json, os, sys, time

def lambda_handler(event, context):
    kind = event["request"]["type"]
    if kind == "LaunchRequest":
        return told("Welcome. You can say hello. What would you like?", False)
    if kind == "SessionEndedRequest":
        return {"version": "1.0", "response": {}}
    BODY

def told(text, end):
    speech = {"type": "PlainText", "text": text}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": end}}
"""
#: What a skill does when it is told something, and which check notices, if any.
MANNERS = {
    "good": ('return told("Hello yourself. Goodbye!", True)', None),
    "raises": ('raise LookupError("no such drawer")', "unexpected_exit"),
    "bad-json": ("return {1, 2}", "unexpected_exit"),
    "prints": (
        ('print(json.dumps({"id": 2, "response": {"version": "1.0"}}), "\\x1e0 {}", flush=True)\n'
        '    sys.stderr.write("x" * 100_000)\n    return told("Hello. Goodbye!", True)'),
        None,
    ),
    "never": ("time.sleep(600)", "unexpected_exit"),
    "spins": ("while True: pass", "unexpected_exit"),
    "exits": ("os._exit(7)", "unexpected_exit"),
    "no-speech": ('return {"version": "1.0", "response": {"shouldEndSession": True}}',
                  "unexpected_exit"),
}  # fmt: skip
MODEL: dict[str, Any] = {
    "interactionModel": {
        "languageModel": {
            "invocationName": "odd one",
            "intents": [
                {"name": "HelloIntent", "samples": ["hello", "say hello"], "slots": []},
                {"name": "AMAZON.StopIntent", "samples": []},
                {"name": "AMAZON.HelpIntent", "samples": []},
                {"name": "AMAZON.CancelIntent", "samples": []},
            ],
        }
    }
}


def written(folder: Path, source: str, model: Any = MODEL) -> Path:
    (folder / "models").mkdir(parents=True)
    (folder / "models" / "en-US.json").write_text(json.dumps(model), encoding="utf-8")
    (folder / "lambda_function.py").write_text(source, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run over skills that misbehave in every way, and three that cannot even be read."""
    base = tmp_path_factory.mktemp("many")
    for name, (body, _) in MANNERS.items():
        written(base / "skills" / name, GREETING.replace("BODY", body))
    written(base / "skills" / "no-syntax", "def lambda_handler(event, context):\n  return )")
    (base / "skills" / "empty").mkdir()
    written(base / "skills" / "no-model", "def lambda_handler(e, c): pass", {"intents": {}})
    data = {
        "name": "many",
        "app": {"use": "alexa", "skills": "skills", "failures": "speak", "timeout_s": 4},
        "agent": {"use": "explorer", "medium": "voice", "turns": 3, "session_turns": 3},
        "strategy": "sessions",
        "oracles": ["voice-problems"],
        "reporters": [],
        "concurrency": 6,
    }
    (base / "suite.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    done = conduct(load_suite(base / "suite.yaml"), RunOptions())
    assert done.folder
    assert {line.split("'")[1] for line in done.warnings} == {"empty", "no-model"}
    return StoredRun(done.folder)


def test_every_skill_ends_as_a_verdict(played: StoredRun) -> None:
    checks: dict[str, set[str]] = {}
    busy: set[str] = set()
    for judged in played.judged():
        name = str(judged.trace.case.params["app"])
        if any(one.kind is IncidentKind.MACHINE_BUSY for one in judged.trace.incidents):
            # a time limit that ran out while this machine had no time for the skill blames nobody
            assert {v.outcome for v in judged.verdicts} == {Outcome.INCONCLUSIVE}, name
            busy.add(name)
        failed = {v.check for v in judged.verdicts if v.outcome is Outcome.FAIL}
        checks.setdefault(name, set()).update(failed)
        assert judged.verdicts
    assert set(checks) == {*MANNERS, "no-syntax", "empty", "no-model"}
    for name, (_, expected) in MANNERS.items():
        if name not in busy or checks[name]:
            assert checks[name] == ({expected} if expected else set()), name
    assert busy <= {"never", "spins"}, "only what never answers runs into the limit"
    assert checks["no-syntax"], "a skill that cannot be loaded is a fault of the skill"
    assert checks["empty"] == set(), "what cannot be read is an error of the test"


def test_those_that_cannot_be_read_say_why_and_the_others_speak(played: StoredRun) -> None:
    apps = {app.name: app for app in apps_seen(played.judged())}
    assert [name for name, app in apps.items() if not app.spoke] == [
        "empty", "no-model", "no-syntax",
    ]  # fmt: skip
    assert "holds no interaction model" in apps["empty"].broken
    assert apps["good"].parts["intents"].reached >= {"HelloIntent"}
    assert played.summary is not None
    assert played.summary.stopped == "complete"


def table(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_list_names_folders_from_where_it_lies(tmp_path: Path) -> None:
    path = table(
        tmp_path / "skills.csv",
        {"Name": "one", "folder": "a", "Category": "Games", "rating": "4", "application id": "x"},
        {"Name": "", "folder": "b/two", "Category": "", "rating": "", "application id": ""},
    )
    one, two = read_skill_list(path)
    assert (one.name, one.category, one.config.application_id) == ("one", "Games", "x")
    assert (one.config.folder, one.row) == (str(tmp_path / "a"), 2)
    assert (two.name, two.config.folder) == ("two", str(tmp_path / "b" / "two"))


def test_semicolons_and_tabs_separate_as_well(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("folder;name\na;1\n\nb;2\n", encoding="utf-8")
    assert [one.name for one in read_skill_list(tmp_path / "s.csv")] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,path\na,b\n", "skills.csv:1: its first line names no column 'folder'"),
        ("", "names no column 'folder'"),
        ("folder\n", "lists no skill"),
        ("name,folder\na,\n", "skills.csv:2: folder: names no folder"),
        ("name,folder\na,x\na,y\n", "skills.csv:3: name: two skills are called 'a'"),
        ("folder,endpoint\nx,ftp://here\n", "skills.csv:2: endpoint: Value error, an endpoint"),
        (b"folder\n\xff\xfe\n", "is no UTF-8 text"),
        ('folder\n"' + "x" * 200_000, "is no CSV: field larger than field limit"),
    ],
)
def test_a_wrong_list_is_refused_where_it_is_wrong(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    path = tmp_path / "skills.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError) as refused:
        read_skill_list(path)
    assert message in str(refused.value)


def test_one_skill_or_many_and_not_both(tmp_path: Path) -> None:
    from sparring_connectors.alexa.config import AlexaConfig

    for given in ({}, {"skill": "a", "skills": "b"}):
        with pytest.raises(ValueError, match="give either 'skill', or 'skills'"):
            AlexaConfig.model_validate(given)
    with pytest.raises(ConfigurationError, match="there is no such folder or CSV"):
        read_skill_list(tmp_path / "nowhere")
