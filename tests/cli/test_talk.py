"""``sparring talk``: a conversation by hand, also through a pipe, and saved as a case."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from sparring.cli.app import sparring
from sparring.model.talk import Observation
from sparring_plugins.project.typed_player import notes_of

SUITE = "name: by hand\napp: {use: echo}\noracles: [generic-failures]\n"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


def talk(*arguments: str, typed: str) -> Result:
    return CliRunner().invoke(sparring, ["talk", *arguments], input=typed, standalone_mode=False)


def test_each_line_is_a_turn_and_the_end_of_the_input_ends_it(suite: Path) -> None:
    result = talk(typed="good morning\ntea, please\n")
    assert result.exception is None
    assert "good morning" in result.output
    assert "tea, please" in result.output
    assert result.return_value == 0


def test_a_saved_conversation_is_a_suite_that_says_the_same(suite: Path) -> None:
    assert talk("--save", "again.yaml", typed="tea\n\ncoffee\n").return_value == 0
    saved = yaml.safe_load((suite.parent / "again.yaml").read_text(encoding="utf-8"))
    assert saved["agent"] == {"use": "typed", "lines": ["tea", "", "coffee"], "silent": True}
    assert saved["oracles"] == ["generic-failures"]
    result = CliRunner().invoke(sparring, ["run", "again.yaml"], standalone_mode=False)
    assert result.return_value == 0, result.output


def test_a_file_that_is_there_is_not_replaced(suite: Path) -> None:
    (suite.parent / "again.yaml").write_text("mine")
    result = talk("--save", "again.yaml", typed="tea\n")
    assert "is there already" in str(result.exception)
    assert (suite.parent / "again.yaml").read_text() == "mine"


def test_a_saved_case_lies_beside_its_suite(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    result = talk("--save", "below/again.yaml", typed="tea\n")
    assert "has to lie beside" in str(result.exception)


def test_what_a_connector_tells_stands_beside_the_answer() -> None:
    payload = {
        "nlu": {"intent": "Brew", "how": "sample", "slots": {"tea": ["white"]}},
        "session": "none", "ended_by": "platform", "failure": "KeyError: 'white'",
        "exchanges": [{"response": {"sessionAttributes": {"step": 2}}, "log": "a\nb\n",
                       "caught": [{"error": "TypeError: x"}]}, "odd"],
    }  # fmt: skip
    assert [" ".join(note.split()) for note in notes_of(Observation(text="", payload=payload))] == [
        "understood Brew (sample) tea=white",
        "session none, ended by platform",
        "failure KeyError: 'white'",
        "state {'step': 2}",
        "caught TypeError: x",
        "log a",
        "log b",
    ]
    assert list(notes_of(Observation(text="hello"))) == []


def test_a_folder_names_a_suite_and_a_conversation_of_it_can_be_saved(suite: Path) -> None:
    (suite.parent / "rules.yaml").write_text("name: paid\nthen: price > 1\n", encoding="utf-8")
    suite.write_text(SUITE.replace("failures]", "failures, {use: rules, files: rules.yaml}]"))
    result = talk(".", "--save", "again.yaml", typed="tea\n")
    assert result.return_value == 0, result.output
    # The rule speaks of an output of profiles: here it does not apply.
    run = CliRunner().invoke(sparring, ["run", "again.yaml"], standalone_mode=False)
    assert run.return_value == 0, run.output


def test_an_app_that_breaks_off_has_failed(suite: Path) -> None:
    (suite.parent / "bot.py").write_text("def answer(message):\n    return {}[message]\n")
    suite.write_text(SUITE.replace("{use: echo}", "{use: python, target: 'bot.py:answer'}"))
    result = talk(typed="tea\n")
    assert result.return_value == 1
    assert "the app broke off: " in result.output
