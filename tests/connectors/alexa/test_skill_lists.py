"""A list says for each skill how it is opened, what it may know, and what its services answer."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError, EnvironmentFailure, SparringError
from sparring.model.case import Case
from sparring.model.talk import Listen, Observation
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.skills import SkillSettings, read_skill_list

SKILL = """
import urllib.request
def lambda_handler(event, context):
    user = event["context"]["System"]["user"]
    try:
        leaf = urllib.request.urlopen("https://tea.example/").read().decode()
    except Exception:
        leaf = "nothing"
    text = "%s, %s, %s" % (event["request"].get("intent", {}).get("name", "launch"),
                           sorted(user.get("permissions", {}).get("scopes", {})), leaf)
    return {"version": "1.0", "response": {"outputSpeech": {"type": "PlainText", "text": text},
                                           "shouldEndSession": False}}
"""
YAML = """
- {name: one, folder: one, opening: "ask {name} to say hello", granted: [email], answers: one.yaml}
- {name: two, folder: two, answers: two.yaml}
- {name: three, folder: three}
"""
CSV = """name;folder;opening;granted;answers
one;one;ask {name} to say hello;email;one.yaml
two;two;;;two.yaml
three;three;;;
"""


@pytest.fixture
def portfolio(tmp_path: Path) -> Path:
    """Three skills of one source, and what the services of two of them answer."""
    intents = [{"name": "HelloIntent", "samples": ["say hello"]}]
    for name in ("one", "two", "three"):
        folder = tmp_path / name
        folder.mkdir()
        language = {"invocationName": f"tea {name}", "intents": intents}
        model = {"interactionModel": {"languageModel": language}}
        (folder / "en-US.json").write_text(json.dumps(model))
        (folder / "lambda_function.py").write_text(SKILL)
        (tmp_path / f"{name}.yaml").write_text(f"- {{url: 'https://tea.example', body: {name}}}")
    (tmp_path / "skills.yaml").write_text(YAML)
    (tmp_path / "skills.csv").write_text(CSV)
    return tmp_path


def greetings(folder: Path, **settings: Any) -> dict[str, Observation | SparringError]:
    """What each skill says first."""

    async def talk() -> dict[str, Observation | SparringError]:
        context = FakeContext(base_dir=folder)
        connector = context.build(AlexaConnector, **settings)
        heard: dict[str, Observation | SparringError] = {}
        try:
            for name in connector.apps():
                async with connector.open(Case.of("app", {"app": name}, run_seed=1)) as session:
                    try:
                        heard[name] = await session.send(Listen())
                    except SparringError as err:
                        heard[name] = err
        finally:
            await context.close()
        return heard

    return asyncio.run(talk())


@pytest.mark.parametrize("listed", ["skills.yaml", "skills.csv"])
def test_each_skill_has_its_own_settings(portfolio: Path, listed: str) -> None:
    heard = greetings(portfolio, skills=listed, network="cut")
    one, two, three = (heard[name] for name in ("one", "two", "three"))
    assert isinstance(one, Observation)
    assert one.text == "HelloIntent, ['alexa::profile:email:read'], one"
    assert isinstance(two, Observation)
    assert two.text == "launch, [], two"
    assert isinstance(three, Observation)
    assert three.text == "launch, [], nothing"


def test_a_skill_without_answers_is_not_to_blame_if_all_are_stubbed(portfolio: Path) -> None:
    heard = greetings(portfolio, skills="skills.yaml", network="replay")
    assert isinstance(heard["two"], Observation)
    assert isinstance(heard["three"], EnvironmentFailure)
    assert "has nothing for GET tea.example/" in str(heard["three"])


def test_a_recording_needs_a_place(portfolio: Path) -> None:
    heard = greetings(portfolio, skills="skills.yaml", network="record")
    assert isinstance(heard["one"], Observation)
    assert "names no `answers` to record into" in str(heard["three"])


def test_settings_of_a_list_are_read(portfolio: Path) -> None:
    own = SkillSettings("ask {name} to say hello", ("email",), str(portfolio / "one.yaml"))
    for listed in ("skills.yaml", "skills.csv"):
        entries = read_skill_list(portfolio / listed)
        assert [entry.settings == own for entry in entries] == [True, False, False]
        assert entries[2].settings == SkillSettings()


def test_a_program_beside_the_list_is_a_path_without_detours(portfolio: Path) -> None:
    """An isolated handler sees the interpreter's folder, not the one that the list lies in."""
    (portfolio / "lists").mkdir()
    (portfolio / "venv" / "bin").mkdir(parents=True)
    (portfolio / "venv" / "bin" / "python").symlink_to(sys.executable)
    listed = portfolio / "lists" / "skills.yaml"
    listed.write_text("- {name: one, folder: ../one, python: ../venv/bin/python}")
    (entry,) = read_skill_list(listed)
    assert entry.config.python == str(portfolio.resolve() / "venv" / "bin" / "python")
    heard = greetings(portfolio / "lists", skills="skills.yaml", network="cut")
    assert isinstance(heard["one"], Observation)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("folder: one", "skills.yaml:1: expected a list of skills"),
        ("- {folder: one}\n- one", "skills.yaml:2: a skill is a map"),
        ("- {folder: one}\n- {folder: two, opening_words: hi}", "skills.yaml:2: opening_words: no key"),
        ("- {name: one}", "skills.yaml:1: folder: names no folder"),
        ("[]", "lists no skill"),
    ],
)  # fmt: skip
def test_a_wrong_yaml_list_is_refused_where_it_is_wrong(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "skills.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_skill_list(path)


def test_a_list_has_variables_of_each_skill(portfolio: Path) -> None:
    wanted = {"STAGE": "test", "BUCKET": "my bucket"}
    (portfolio / "own.yaml").write_text(
        "- {name: one, folder: one, environment: {STAGE: test, BUCKET: my bucket}}"
    )
    (portfolio / "own.csv").write_text("folder;environment\none;STAGE=test BUCKET='my bucket'\n")
    for listed in ("own.yaml", "own.csv"):
        (entry,) = read_skill_list(portfolio / listed)
        assert entry.config.environment == wanted


@pytest.mark.parametrize(
    ("cell", "message"), [("STAGE", "expected NAME=value, got 'STAGE'"), ("A='b", "No closing")]
)
def test_a_bad_variable_of_a_list_is_named(portfolio: Path, cell: str, message: str) -> None:
    (portfolio / "own.csv").write_text(f"folder;environment\none;{cell}\n")
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_skill_list(portfolio / "own.csv")
    assert (caught.value.problems[0].line, caught.value.problems[0].key) == (2, "environment")
