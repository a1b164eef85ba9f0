"""Slots that a skill's own code never names."""

from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Observation
from sparring_connectors.alexa.interaction_model import InteractionModel, build_model
from sparring_connectors.alexa.skill_folder import Handler
from sparring_connectors.alexa.source_reading import unread_slots

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
    found = unread_slots(handler, tmp_path, model(CLAIM))
    assert found == ({"ClaimIntent": unread} if unread else {})


def test_a_slot_that_the_dialog_asks_for_is_the_subject_of_its_intent(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("speak('Done')")
    handler = Handler(tmp_path / "index.js", "handler", "node")
    intent = {**CLAIM, "samples": ["a claim"]}
    slots = [{"name": "cause", "elicitationRequired": True}]
    asks = {"intents": [{"name": "ClaimIntent", "slots": slots}]}
    assert unread_slots(handler, tmp_path, model(intent)) == {}
    assert unread_slots(handler, tmp_path, model(intent, asks)) == {"ClaimIntent": ("cause",)}


def test_another_file_of_the_skill_may_name_it(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("require('./claims')")
    (tmp_path / "claims.js").write_text("exports.cause = 1")
    handler = Handler(tmp_path / "index.js", "handler", "node")
    assert unread_slots(handler, tmp_path, model(CLAIM)) == {}
    assert unread_slots(None, tmp_path, model(CLAIM)) == {}


def test_a_turn_names_the_answers_to_an_open_question_and_what_runs_the_skill() -> None:
    heard = talked("corner", "order a tea", "how do you do")
    payloads: list[Any] = [one.payload for one in heard if isinstance(one, Observation)]
    assert payloads[0]["expects"]
    assert payloads[0]["unread"] == []
    assert payloads[0]["runtime"] == "python"
