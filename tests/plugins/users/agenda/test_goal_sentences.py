"""The sentences that goals become, and goals that no good one says."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from sparring.errors import ConfigurationError
from sparring_plugins.project.suite_commands import validate
from sparring_plugins.users.agenda.state.goal_sentences import GoalSentences, goal_sentences
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.web.lint_command import lint

SUITE = {
    "name": "goals",
    "app": "echo",
    "agent": {"use": "user-simulator", "profiles": "profile.yaml"},
    "oracles": [{"use": "generic-failures"}],
}


def sentences_of(*goals: str) -> list[GoalSentences]:
    profile = Profile(name="p", test_name="p", source="p.yaml", shape="user", goals=goals)
    return list(goal_sentences(profile))


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def _write(*goals: Any, **user: Any) -> str:
        data = {
            "test_name": "guest",
            "user": {"language": "English", "role": "You are a guest.", "goals": list(goals)},
            "chatbot": {"is_starter": False, "fallback": "What?", "output": []},
            "conversation": {"number": 1, "goal_style": {"steps": 3}},
        }
        (tmp_path / "profile.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
        suite = {**SUITE, "agent": {**SUITE["agent"], **user}}  # type: ignore[dict-item]
        (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
        return str(tmp_path / "suite.yaml")

    return _write


@pytest.mark.parametrize(
    "goal",
    [
        "order a pizza",
        "a small pizza",
        "no drinks",
        "a pizza of size_l",
        "ask about the opening hours",
        "the user wants to cancel",
        "it needs a service",
        "is breakfast included?",
        "say yes",
        "quiero una pizza",
    ],
)
def test_goals_that_can_be_said_become_sentences(goal: str) -> None:
    (found,) = sentences_of(goal)
    assert found.problem == ""
    assert found.sentences


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        ("wants a room", "'wants' begins no thing that one asks for or about"),
        ("because you are ill", "'because' begins no thing"),
        ("not too expensive", "'not' begins no thing"),
        ("order_pizza", "'order_pizza' is no word that a person says"),
        ("<b>pizza</b>", "'<' is no word that a person says"),
        ("order.pizza()", "'a()' is no word that a person says"),
        ("4711", "it has no words"),
    ],
)
def test_goals_that_no_good_sentence_says_have_a_problem(goal: str, problem: str) -> None:
    (found,) = sentences_of(goal)
    assert found.problem.startswith(problem)


def test_lint_shows_the_sentences_and_what_is_wrong(write: Any) -> None:
    path = write("order a {{size}} pizza", {"size": {"function": "forward()", "type": "string",
                                                     "data": ["small", "large"]}})  # fmt: skip
    ran = CliRunner().invoke(lint, [path], standalone_mode=False)
    assert ran.return_value == 0
    assert "guest, goal 1: note: the user says one of these sentences [goal]" in ran.output
    assert "order a small pizza" in ran.output
    assert "1. I want to order a small pizza." in ran.output
    ran = CliRunner().invoke(lint, [write("wants a room")], standalone_mode=False)
    assert ran.return_value == 1
    assert "goal 1: error: 'wants' begins no thing" in ran.output


def test_validate_refuses_a_goal_that_no_good_sentence_says(write: Any) -> None:
    ran = CliRunner().invoke(validate, [write("wants a room")], standalone_mode=False)
    assert isinstance(ran.exception, ConfigurationError)
    (problem,) = ran.exception.problems
    assert problem.file == "profile.yaml"
    assert problem.message.startswith("guest, goal 1: 'wants a room': 'wants' begins no thing")


def test_validate_shows_the_sentences_on_demand(write: Any) -> None:
    path = write("order a pizza")
    assert "I want to order a pizza." not in CliRunner().invoke(validate, [path]).output
    shown = CliRunner().invoke(validate, [path, "--goals"]).output
    assert "goal      guest, goal 1: order a pizza\n" in shown
    assert "              I want to order a pizza.\n" in shown


def test_a_model_finds_its_own_words(write: Any, tmp_path: Path) -> None:
    path = write("wants a room", user="model")
    script = {"answers": [{"say": "hello"}]}
    (tmp_path / "script.yaml").write_text(yaml.safe_dump(script), encoding="utf-8")
    llm = "llm={use: scripted, script: script.yaml}"
    ran = CliRunner().invoke(validate, [path, "--set", llm], standalone_mode=False)
    assert ran.exception is None, ran.output
