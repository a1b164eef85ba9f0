"""``sparring explore``: what it takes, and what it says where it cannot go on."""

from pathlib import Path

import pytest
import yaml
from tests.cli.conftest import Program

SUITE = {
    "name": "shop",
    "app": {
        "use": "sparring.testing.fakes:FakeConnector",
        "greeting": "Welcome. You can ask about prices, or say order.",
        "replies": {
            "tell me about prices": "A pizza is $12.50.",
            "order": "Which size would you like, small or large?",
            "small": "Your order is placed. Your order number is K123.",
            "large": "Your order is placed. Your order number is K777.",
            "*": "Sorry, I did not understand that.",
        },
    },
    "agent": {"use": "user-simulator", "profiles": "profiles/*.yml"},
    "strategy": "selectors",
    "oracles": ["generic-failures"],
    "reporters": ["console"],
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(SUITE), encoding="utf-8")
    return path


def test_of_a_suite_the_app_counts_and_nothing_else(program: Program, suite: Path) -> None:
    ran = program("explore", "--turns", "20")
    assert ran.code == 0, ran.err
    order = yaml.safe_load(Path("explored/profiles/order.yml").read_text("utf-8"))
    assert {"size": {"function": "another()", "type": "string", "data": ["small", "large"]}} in (
        order["user"]["goals"]
    )
    assert "order_number" in order["chatbot"]["output"][0]
    assert order["chatbot"]["fallback"] == ["Sorry, I did not understand that."]
    assert program("validate", "explored/suite.yaml").code == 0


def test_a_connector_is_explored_by_its_name(program: Program) -> None:
    ran = program("explore", "echo", "--turns", "5", "--to", "out")
    assert ran.code == 0, ran.err


def test_an_app_that_was_never_heard_is_an_error(program: Program, suite: Path) -> None:
    ran = program("explore", "--turns", "5", "--set", "app.fails_to_open=unreachable")
    assert ran.code == 3
    assert "the app was never heard: the fake app was told not to open" in ran.err
    assert not Path("explored").exists()


def test_an_exploration_that_finds_nothing_to_play_says_so(program: Program, suite: Path) -> None:
    ran = program(
        "explore", "--turns", "3", "--set", "app.greeting=''", "--set", "app.replies=['']"
    )
    assert ran.code == 5
    assert "nothing was found that makes a profile" in ran.err


def test_files_that_are_there_are_replaced_by_force_alone(program: Program, suite: Path) -> None:
    assert program("explore", "--turns", "20").code == 0
    again = program("explore", "--turns", "20")
    assert again.code == 2
    assert "use --force to replace them" in again.err
    assert program("explore", "--turns", "20", "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "'nosuch' is no suite and no connector"),
        (["rset"], "Did you mean 'rest'?"),
        (["echo", "--turns", "0"], "0 is not in the range"),
        (["echo", "--set", "app.colour=red"], "colour"),
    ],
)
def test_bad_arguments_are_refused(program: Program, arguments: list[str], words: str) -> None:
    ran = program("explore", *arguments)
    assert ran.code == 2
    assert words in ran.err
