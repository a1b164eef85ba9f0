"""What a screen lets the user touch is a choice, and pressing it sends the skill its event."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.talk import Choice, Observation, Press
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_connectors.alexa.touch import MOST_TOUCHABLES, RENDER, touchables_of

from .conftest import requests_of, talked, texts

MENU: dict[str, Any] = {
    "type": RENDER,
    "token": "menu",
    "document": {
        "type": "APL",
        "version": "2024.1",
        "layouts": {
            "Tile": {
                "parameters": ["caption"],
                "item": {
                    "type": "TouchWrapper",
                    "onPress": {"type": "SendEvent", "arguments": ["tile", "${caption}"]},
                    "item": {"type": "Text", "text": "<b>${caption}</b>"},
                },
            }
        },
        "mainTemplate": {
            "parameters": ["payload"],
            "items": [
                {"type": "Text", "text": "What would you like?"},
                {
                    "type": "Sequence",
                    "data": "${payload.menu.drinks}",
                    "item": {
                        "type": "TouchWrapper",
                        "id": "drink-${index}",
                        "onPress": [
                            {"type": "SetValue", "property": "opacity", "value": 0.5},
                            {"type": "SendEvent", "arguments": ["drink", "${data.name}"]},
                        ],
                        "items": [{"type": "Image"}, {"type": "Text", "text": "${data.title}"}],
                    },
                },
                {"type": "Tile", "caption": "Opening hours"},
                {
                    "type": "AlexaButton",
                    "buttonText": "Pay",
                    "primaryAction": {
                        "type": "Sequential",
                        "commands": [{"type": "SendEvent", "arguments": ["pay", 3]}],
                    },
                },
                {
                    "type": "AlexaTextList",
                    "listItems": "${payload.menu.cakes}",
                    "primaryAction": {"type": "SendEvent", "arguments": ["cake", "${ordinal}"]},
                },
            ],
        },
    },
    "datasources": {
        "menu": {
            "drinks": [{"name": "tea", "title": "Green tea"}, {"name": "cocoa", "title": "Cocoa"}],
            "cakes": [{"primaryText": "Scone"}, {"primaryText": "Tart"}],
        }
    },
}
SKILL = """
import json
MENU = json.loads({menu!r})
def lambda_handler(event, context):
    request = event["request"]
    body = {{"shouldEndSession": False}}
    if request["type"] == "LaunchRequest":
        text = "Welcome to the tea room."
        if "Alexa.Presentation.APL" in event["context"]["System"]["device"]["supportedInterfaces"]:
            body["directives"] = [MENU]
    elif request["type"] == "Alexa.Presentation.APL.UserEvent":
        text = "Touched " + " ".join(map(str, request["arguments"]))
        if request["arguments"][0] == "pay":
            raise KeyError("purse")
    else:
        text = "You can touch the menu."
    body["outputSpeech"] = {{"type": "PlainText", "text": text}}
    return {{"version": "1.0", "response": body}}
"""
MODEL = {
    "interactionModel": {
        "languageModel": {
            "invocationName": "tea room",
            "intents": [{"name": "AMAZON.HelpIntent", "samples": []}],
        }
    }
}


@pytest.fixture
def room(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    (tmp_path / "lambda_function.py").write_text(SKILL.format(menu=json.dumps(MENU)))
    return {
        "folder": str(tmp_path),
        "model": "model.json",
        "handler": "lambda_function.py",
    }


LABELS = ["Green tea", "Cocoa", "Opening hours", "Pay", "Scone", "Tart"]
SCREEN = {"profile": "screen"}


def test_what_can_be_touched_is_read_with_its_words_and_arguments() -> None:
    found = touchables_of(MENU)
    assert [one.label for one in found] == LABELS
    assert [one.arguments for one in found] == [
        ("drink", "tea"), ("drink", "cocoa"), ("tile", "Opening hours"), ("pay", 3),
        ("cake", 1), ("cake", 2),
    ]  # fmt: skip
    assert found[0].source == ("TouchWrapper", "drink-0")


def test_a_touch_reaches_the_skill_as_its_event(room: dict[str, Any]) -> None:
    welcome, cocoa, after = talked(room, None, Press(label="Cocoa"), "help", device=SCREEN)
    assert isinstance(welcome, Observation)
    assert [choice.label for choice in welcome.choices] == LABELS
    assert welcome.choices[1] == Choice(label="Cocoa", value='["drink", "cocoa"]')
    assert texts([cocoa, after]) == ["Touched drink cocoa", "You can touch the menu."]
    (envelope,) = requests_of(cocoa)
    request = envelope["request"]
    assert request["type"] == "Alexa.Presentation.APL.UserEvent"
    assert (request["token"], request["arguments"]) == ("menu", ["drink", "cocoa"])
    assert request["source"] == {"type": "TouchWrapper", "handler": "Press", "id": "drink-1"}
    assert isinstance(after, Observation)
    assert [choice.label for choice in after.choices] == LABELS, "the document is still shown"


def test_a_device_without_a_screen_has_nothing_to_touch(room: dict[str, Any]) -> None:
    welcome, pressed = talked(room, None, Press(label="Cocoa"))
    assert isinstance(welcome, Observation)
    assert welcome.choices == ()
    assert isinstance(pressed, Observation)
    payload: Any = pressed.payload
    assert (pressed.text, payload["problems"]) == ("", ["nothing on the screen reads 'Cocoa'"])


def test_a_touch_that_crashes_the_skill_is_its_crash(room: dict[str, Any]) -> None:
    _, crash = talked(room, None, Press(label="Pay"), device=SCREEN)
    assert "AppCrash" in texts([crash])[0]
    assert "purse" in texts([crash])[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12)
    | st.sampled_from(["${payload}", "${data.x}", "${payload.menu.drinks}", "SendEvent"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["type", "items", "item", "data", "onPress", "arguments", "text", "x",
                         "listItems", "primaryAction", "commands", "parameters"]),
        inner, max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(ANYTHING, ANYTHING, ANYTHING)
def test_any_document_can_be_read(template: Any, layouts: Any, sources: Any) -> None:
    document = {"mainTemplate": template, "layouts": {"x": layouts}}
    found = touchables_of({"document": document, "datasources": sources})
    assert len(found) <= MOST_TOUCHABLES
    assert all(len(one.label) <= 200 for one in found)


def test_a_layout_that_contains_itself_ends() -> None:
    document = {
        "layouts": {"loop": {"items": [{"type": "loop"}, {"type": "loop"}]}},
        "mainTemplate": {"items": [{"type": "loop"}]},
    }
    assert touchables_of({"document": document}) == ()


def test_the_explorer_touches_what_there_is_and_finds_the_crash(
    room: dict[str, Any], tmp_path: Path
) -> None:
    suite = {
        "name": "tea room",
        "app": {"use": "alexa", "skill": room, "device": SCREEN, "network": "cut",
                "failures": "speak"},
        "agent": {"use": "explorer", "medium": "voice", "turns": 14},
        "strategy": "sessions",
        "oracles": ["voice-problems"],
        "reporters": [],
    }  # fmt: skip
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    finished = conduct(load_suite(path), RunOptions())
    assert finished.folder is not None
    judged = list(StoredRun(finished.folder).judged())
    touched = {
        turn.act.label for one in judged for turn in one.trace.turns if isinstance(turn.act, Press)
    }
    assert touched >= {"Green tea", "Cocoa", "Pay"}
    reasons = [v.reason for one in judged for v in one.verdicts if v.outcome.value == "fail"]
    assert any("purse" in reason for reason in reasons)
    others = [reason for reason in reasons if "purse" not in reason]
    assert others == [], "nothing else is wrong with it"
