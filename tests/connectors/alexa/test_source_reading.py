"""Unread slots, unsupported values and shared variables of a skill's own code."""

from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Observation
from sparring_connectors.alexa.config import SkillConfig
from sparring_connectors.alexa.interaction_model import InteractionModel, build_model
from sparring_connectors.alexa.skill_folder import Handler
from sparring_connectors.alexa.skills import load_skill
from sparring_connectors.alexa.source_reading import SourceFacts, read_source

from .conftest import talked

CLAIM: dict[str, Any] = {
    "name": "ClaimIntent",
    "slots": [{"name": "cause", "type": "CAUSE"}, {"name": "article", "type": "ARTICLE"}],
    "samples": ["it was {cause}", "it was {article} {cause}"],
}


def model(intent: dict[str, Any], dialog: dict[str, Any] | None = None) -> InteractionModel:
    language = {"invocationName": "claims desk", "intents": [intent], "types": []}
    return build_model(language, {"dialog": dialog or {}}, "en-US")


@pytest.mark.parametrize(
    ("file", "source", "unread"),
    [
        ("index.js", "speak('A letter is on its way')", ("cause",)),
        ("index.js", "speak(intent.slots.cause.value)", ()),
        ("index.js", "speak(intent.slots['Cause'].value)", ()),
        ("index.js", "Object.keys(intent.slots).forEach(read)", None),
        ("index.js", "getSlotValue(envelope, NAME)", None),
        ("lambda_function.py", "def handler(event, context): return speak('Done')", ("cause",)),
        ("lambda_function.py", "value = slots['cause']", ()),
        ("lambda_function.py", "for name, slot in slots.items(): read(slot)", None),
        ("lambda_function.py", "for slot in intent.slots: read(slot)", None),
        ("lambda_function.py", "value = slots[wanted]", None),
    ],
)
def test_a_slot_is_unread_if_no_code_names_it(
    tmp_path: Path, file: str, source: str, unread: tuple[str, ...] | None
) -> None:
    """The article may stand for words that make no difference: it is in some samples alone."""
    (tmp_path / file).write_text(source)
    handler = Handler(tmp_path / file, "handler", "node")
    found = read_source(handler, tmp_path, model(CLAIM)).unread
    assert found == ({"ClaimIntent": unread} if unread else {})


def test_a_slot_that_the_dialog_asks_for_is_the_subject_of_its_intent(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("speak('Done')")
    handler = Handler(tmp_path / "index.js", "handler", "node")
    intent = {**CLAIM, "samples": ["a claim"]}
    slots = [{"name": "cause", "elicitationRequired": True}]
    asks = {"intents": [{"name": "ClaimIntent", "slots": slots}]}
    assert read_source(handler, tmp_path, model(intent)).unread == {}
    assert read_source(handler, tmp_path, model(intent, asks)).unread == {"ClaimIntent": ("cause",)}


def test_another_file_of_the_skill_may_name_it(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("require('./claims')")
    (tmp_path / "claims.js").write_text("exports.cause = 1")
    handler = Handler(tmp_path / "index.js", "handler", "node")
    assert read_source(handler, tmp_path, model(CLAIM)).unread == {}
    assert read_source(None, tmp_path, model(CLAIM)).unread == {}


def test_a_turn_names_the_answers_to_an_open_question_and_what_runs_the_skill() -> None:
    heard = talked("corner", "order a tea", "how do you do")
    payloads: list[Any] = [one.payload for one in heard if isinstance(one, Observation)]
    assert payloads[0]["expects"]
    assert set(payloads[0]["unusual"]) <= set(payloads[0]["expects"])
    intent, _, slot = payloads[0]["elicits"].partition(".")
    assert intent == "OrderIntent"
    assert slot
    assert "source" not in payloads[0]
    assert payloads[0]["runtime"] == "python"


def typed(*values: str) -> InteractionModel:
    listed = [{"name": {"value": value, "synonyms": []}} for value in values]
    types = [{"name": "CAUSE", "values": listed}]
    language = {"invocationName": "claims desk", "intents": [CLAIM], "types": types}
    return build_model(language, {}, "en-US")


@pytest.mark.parametrize(
    ("values", "source", "left_out"),
    [
        (("Fire", "Flood", "Burst pipe"), "if (cause === 'FIRE' || cause === 'FLOOD') {}", {"burst pipe"}),
        (("Fire", "Flood", "Burst pipe"), "speak('fire, flood or burst-pipe')", set[str]()),
        (("Fire", "Flood", "Storm"), "speak('fire')", set[str]()),
        (("Fire", "Flood", "a"), "speak('fire, flood')", set[str]()),
    ],
)  # fmt: skip
def test_a_listed_value_that_the_code_leaves_out_is_unsupported(
    tmp_path: Path, values: tuple[str, ...], source: str, left_out: set[str]
) -> None:
    """Code that names one value, or single letters, does not go by the list."""
    (tmp_path / "index.js").write_text(source)
    handler = Handler(tmp_path / "index.js", "handler", "node")
    found = read_source(handler, tmp_path, typed(*values)).unsupported
    assert found == ({"CAUSE": frozenset(left_out)} if left_out else {})


@pytest.mark.parametrize(
    ("file", "source", "shared"),
    [
        ("index.js", "let sum = 0;\nfunction h() {\n  sum += 3;\n}", ("sum",)),
        ("index.js", "var name;\nfunction h() {\n  name = slots.name.value;\n}", ("name",)),
        ("index.js", "let sum = 0;\nfunction h() {\n  let sum = 1;\n  sum += 3;\n}", ()),
        ("index.js", "let sum = 0;\nfunction h() {\n  if (sum == 3) {}\n}", ()),
        ("index.js", "const sum = 0;\nfunction h() {\n  speak(sum);\n}", ()),
        ("index.js", "let sum = 0;\nfunction h() {\n  sum += Math.random();\n}", ()),
        ("index.js", "// see persistence\nlet sum = 0;\nfunction h() {\n  sum += 3;\n}", ("sum",)),
        ("a.py", "sum = 0\ndef h():\n    global sum\n    sum += 3", ("sum",)),
        ("a.py", "sum = 0\ndef h():\n    sum = 3", ()),
    ],
)
def test_a_variable_that_a_function_changes_outlives_a_session(
    tmp_path: Path, file: str, source: str, shared: tuple[str, ...]
) -> None:
    """Where code uses chance, two sessions may differ for that."""
    (tmp_path / file).write_text(source)
    handler = Handler(tmp_path / file, "handler", "node")
    assert read_source(handler, tmp_path, typed("Fire")).shared == shared


def test_a_turn_has_the_facts_of_its_intent_and_its_values_alone() -> None:
    values = {"cause": ["Storm"]}
    intent = typed("Fire").intents["ClaimIntent"]
    facts = SourceFacts({"ClaimIntent": ("article",)}, {"CAUSE": frozenset({"storm"})}, ("sum",))
    assert facts.of_turn(intent, values) == {
        "unread": ["ClaimIntent.article"],
        "unsupported": ["cause"],
        "shared": ["sum"],
    }
    assert facts.of_turn(intent, {"cause": ["Fire"]}).keys() == {"unread", "shared"}
    assert facts.of_turn(None, {}) == {"shared": ["sum"]}
    assert SourceFacts().of_turn(intent, values) == {}


def test_source_and_answers_are_worked_out_once_and_only_if_they_are_needed(
    skills: Path,
) -> None:
    """Commands that only list the skills of a portfolio read no source."""
    skill = load_skill(SkillConfig(folder="corner"), skills, None)
    assert "source" not in vars(skill)
    assert skill.source is skill.source
    intent = next(iter(skill.model.intents))
    assert skill.answers(intent, "") is skill.answers(intent, "")
