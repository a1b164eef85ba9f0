"""Which skill is asked for, and what of it."""

from pathlib import Path

import pytest

from sparring_connectors.alexa.config import SkillConfig
from sparring_connectors.alexa.invocation import Invocation, find_exact_invocation, find_invocation
from sparring_connectors.alexa.skills import InstalledSkill, load_skill
from sparring_connectors.alexa.words import to_heard

SKILLS = Path(__file__).with_name("skills")


@pytest.fixture(scope="module")
def enabled() -> list[InstalledSkill]:
    named = {"island": "space facts", "corner": "space", "trouble_python": "Jo's kitchen"}
    return [
        load_skill(SkillConfig(folder=str(SKILLS / folder), invocation=name), SKILLS, None)
        for folder, name in named.items()
    ]


def asked(said: str, enabled: list[InstalledSkill]) -> Invocation | None:
    return find_invocation(to_heard(said), enabled)


@pytest.mark.parametrize(
    ("said", "name", "words"),
    [
        ("open space facts", "space facts", ""),
        ("Alexa, please launch Space Facts!", "space facts", ""),
        ("start the space facts", "space facts", ""),
        ("talk to jo's kitchen", "jo's kitchen", ""),
        ("ask space facts for a fact about mars", "space facts", "a fact about mars"),
        ("ask space facts what is new", "space facts", "what is new"),
        ("tell space that I left", "space", "i left"),
        ("open space and tell me more", "space", "tell me more"),
        ("ask space give me one", "space", "give me one"),
        ("give me a fact from space facts", "space facts", "give me a fact"),
        ("what is new using space", "space", "what is new"),
        ("öffne space facts", "space facts", ""),
        ("frag space nach dem mond", "space", "dem mond"),
        ("abre space", "space", ""),
    ],
)
def test_a_skill_is_asked_for_by_its_name(
    said: str, name: str, words: str, enabled: list[InstalledSkill]
) -> None:
    found = asked(said, enabled)
    assert found is not None
    assert found.skill is not None
    assert (found.skill.name, found.words, found.is_sure) == (name, words, True)
    behind = said.startswith(("give", "what"))  # then it may be meant for an open skill
    assert find_exact_invocation(to_heard(said), enabled) == (None if behind else found)


@pytest.mark.parametrize(
    "said",
    ["tell me about ohio", "i want a fact", "help", "", "ask", "open", "spacefacts", "in space"],
)
def test_other_words_ask_for_no_installed_skill(said: str, enabled: list[InstalledSkill]) -> None:
    assert find_exact_invocation(to_heard(said), enabled) is None


@pytest.mark.parametrize(
    ("said", "sure", "skill"),
    [
        ("open space fax", False, "space facts"),
        ("open spice facts", True, "space facts"),
        ("open the mailbox please", None, None),
        ("open timer", None, None),
    ],
)
def test_names_that_are_not_exact(
    said: str, sure: bool | None, skill: str | None, enabled: list[InstalledSkill]
) -> None:
    found = asked(said, enabled)
    assert found is not None
    assert (found.skill.name if found.skill else None) == skill
    if sure is not None:
        assert found.is_sure is sure
    assert found.reserved is (said == "open timer")
