"""Echo buttons: a skill waits for presses by its recognizers, and hears of the events they meet."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.talk import Observation, Press
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_connectors.alexa.buttons import START, InputHandler, Lights

from .conftest import requests_of, talked, texts

DOWN = {"action": "down"}
ANY = {"type": "match", "anchor": "end", "pattern": [DOWN]}
"""The recognizer that most games use: somebody pressed."""


def handler(recognizers: dict[str, Any], events: dict[str, Any], **more: Any) -> InputHandler:
    directive = {"type": START, "recognizers": recognizers, "events": events, **more}
    return InputHandler(directive, "request-1")


def pressed(handler: InputHandler, *gadgets: str, color: str = "000000") -> list[list[str]]:
    """The names of the events that each press meets."""
    moment = "2026-06-15T10:00:00.000Z"
    return [[one.name for one in handler.press(gadget, color, moment)] for gadget in gadgets]


def test_a_press_is_an_event_each_time() -> None:
    waiting = handler({"any": ANY}, {"pressed": {"meets": ["any"], "reports": "matches"}})
    assert pressed(waiting, "left", "right", "left") == [["pressed"]] * 3


def test_events_report_what_they_say() -> None:
    reports = {
        kind: {"meets": ["any"], "reports": kind} for kind in ("matches", "history", "nothing")
    }
    waiting = handler({"any": ANY}, reports)
    waiting.press("left", "ff0000", "t1")
    met = {one.name: one.to_json() for one in waiting.press("right", "00ff00", "t2")}
    assert [one["gadgetId"] for one in met["history"]["inputEvents"]] == ["left", "left", "right"]
    assert met["matches"]["inputEvents"] == [
        {
            "gadgetId": "right",
            "timestamp": "t2",
            "action": "down",
            "color": "00ff00",
            "feature": "press",
        }
    ]
    assert met["nothing"]["inputEvents"] == []


@pytest.mark.parametrize(
    ("recognizer", "presses", "met"),
    [
        ({"anchor": "start", "pattern": [{**DOWN, "gadgetIds": ["b"]}]}, ["a", "b"], False),
        ({"anchor": "anywhere", "pattern": [{**DOWN, "gadgetIds": ["b"]}]}, ["a", "b", "a"], True),
        ({"anchor": "end", "pattern": [{**DOWN, "gadgetIds": ["b"]}]}, ["b", "a"], True),
        ({"anchor": "start", "fuzzy": True, "pattern": [{**DOWN, "gadgetIds": [one]} for one in "ab"]},
         ["a", "c", "b"], True),
        ({"anchor": "start", "pattern": [{**DOWN, "gadgetIds": [one]} for one in "ab"]},
         ["a", "c", "b"], False),
        ({"gadgetIds": ["a"], "pattern": [{**DOWN, "repeat": 3}]}, ["a", "b", "a", "a"], True),
        ({"pattern": [{**DOWN, "repeat": 3}]}, ["a", "b"], False),
        ({"pattern": [{**DOWN, "colors": ["FF0000"]}]}, ["a"], True),
        ({"pattern": [{**DOWN, "colors": ["0000FF"]}]}, ["a"], False),
        ({"pattern": []}, ["a"], False),
    ],
)  # fmt: skip
def test_patterns(recognizer: dict[str, Any], presses: list[str], met: bool) -> None:
    waiting = handler({"it": {"type": "match", **recognizer}}, {"met": {"meets": ["it"]}})
    assert any(pressed(waiting, *presses, color="ff0000")) is met


def test_a_proxy_stands_for_the_button_that_is_pressed_first() -> None:
    roll_call = {"type": "match", "fuzzy": True, "pattern": [
        {**DOWN, "gadgetIds": [proxy]} for proxy in ("first", "second")
    ]}  # fmt: skip
    events = {"all here": {"meets": ["roll call"], "shouldEndInputHandler": True}}
    waiting = handler({"roll call": roll_call}, events, proxies=["first", "second"])
    assert pressed(waiting, "x", "x", "y") == [[], [], ["all here"]]


def test_deviation_and_progress() -> None:
    order = {"type": "match", "anchor": "start", "pattern": [
        {**DOWN, "gadgetIds": [one]} for one in "abc"
    ]}  # fmt: skip
    recognizers = {
        "order": order,
        "wrong": {"type": "deviation", "recognizer": "order"},
        "half": {"type": "progress", "recognizer": "order", "completion": 60},
    }
    events = {name: {"meets": [name]} for name in recognizers}
    assert pressed(handler(recognizers, events), "a", "b", "c") == [[], ["half"], ["order"]]
    assert pressed(handler(recognizers, events), "a", "c") == [[], ["wrong"]]


def test_events_that_fail_are_used_up_or_over_are_not_sent() -> None:
    twice = {"type": "match", "anchor": "anywhere", "pattern": [{**DOWN, "repeat": 2}]}
    events = {
        "one": {"meets": ["any"], "fails": ["twice"]},
        "few": {"meets": ["any"], "maximumInvocations": 1},
        "late": {"meets": ["timed out"], "shouldEndInputHandler": True},
    }
    waiting = handler({"any": ANY, "twice": twice}, events)
    assert pressed(waiting, "a", "a", "a") == [["one", "few"], [], []]
    assert [one.name for one in waiting.time_out()] == ["late"]


def test_a_light_is_the_colour_of_the_next_press() -> None:
    lights = Lights()
    animation = {"sequence": [{"color": "FF0000"}, {"color": "00FF00"}]}
    lights.set({"parameters": {"triggerEvent": "none", "animations": [animation]}}, ["a", "b"])
    lights.set({"targetGadgets": ["b"], "parameters": {"animations": [{"sequence": [{"color": "0000FF"}]}]}},
               ["a", "b"])  # fmt: skip
    pressing = {"triggerEvent": "buttonDown", "animations": [animation]}
    lights.set({"parameters": pressing}, ["b"])
    assert (lights.of("a"), lights.of("b"), lights.of("c")) == ("00ff00", "0000ff", "000000")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 600) | st.sampled_from(["match", "a", "it", "down"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "pattern", "recognizer", "gadgetIds", "repeat", "meets", "anchor",
                         "it", "completion", "colors", "action"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(recognizers=_JSON, events=_JSON, proxies=_JSON)
def test_whatever_a_skill_sends_can_be_waited_for(
    recognizers: Any, events: Any, proxies: Any
) -> None:
    waiting = InputHandler({"recognizers": recognizers, "events": events, "proxies": proxies}, "")
    for gadget in ("a", "b", "a"):
        waiting.press(gadget, "ff0000", "")
    waiting.time_out()


SKILL = """
def lambda_handler(event, context):
    request = event["request"]
    body = {}
    if request["type"] == "LaunchRequest":
        text = "Press the button that you like."
        body["directives"] = [{"type": "GameEngine.StartInputHandler", "timeout": 10000, "proxies": [],
            "recognizers": {"any": {"type": "match", "anchor": "end", "pattern": [{"action": "down"}]}},
            "events": {"pressed": {"meets": ["any"], "reports": "matches", "shouldEndInputHandler": True},
                       "late": {"meets": ["timed out"], "shouldEndInputHandler": True}}}]
    elif request["type"] == "GameEngine.InputHandlerEvent":
        met = request["events"][0]
        if met["name"] == "late":
            text = "You are too late. Goodbye!"
        else:
            seen = event["session"].get("attributes", {}).get("seen", [])
            gadget = met["inputEvents"][0]["gadgetId"]
            if len(seen) > 1:
                raise KeyError("third round")
            text = "That was button %d. Press again." % (len(seen) + 1)
            body["directives"] = [{"type": "GameEngine.StartInputHandler", "timeout": 10000,
                "recognizers": {"any": {"type": "match", "anchor": "end", "pattern": [{"action": "down"}]}},
                "events": {"pressed": {"meets": ["any"], "reports": "matches"}}}]
            return {"version": "1.0", "sessionAttributes": {"seen": seen + [gadget]}, "response": {
                "outputSpeech": {"type": "PlainText", "text": text}, **body}}
    elif request["type"] == "IntentRequest":
        text, body["shouldEndSession"] = "Goodbye!", True
    else:
        return {"version": "1.0", "response": {}}
    return {"version": "1.0", "response": {"outputSpeech": {"type": "PlainText", "text": text}, **body}}
"""


@pytest.fixture
def buzzer(tmp_path: Path) -> dict[str, Any]:
    intents = [{"name": "AMAZON.StopIntent", "samples": []}]
    language = {"invocationName": "quick buzzer", "intents": intents}
    model = {"interactionModel": {"languageModel": language}}
    (tmp_path / "model.json").write_text(json.dumps(model))
    (tmp_path / "lambda_function.py").write_text(SKILL)
    return {"folder": str(tmp_path), "model": "model.json", "handler": "lambda_function.py"}


BUTTONS = {"buttons": 2}


def test_a_pressed_button_reaches_the_skill(buzzer: dict[str, Any]) -> None:
    welcome, first, gone = talked(
        buzzer, None, Press(label="button 2"), Press(label="button 9"), device=BUTTONS
    )
    assert isinstance(welcome, Observation)
    assert [one.label for one in welcome.choices] == ["button 1", "button 2"]
    assert welcome.ended is False, "the session goes on while the skill waits for buttons"
    assert texts([first]) == ["That was button 1. Press again."]
    (launch,) = requests_of(welcome)
    (envelope,) = requests_of(first)
    request = envelope["request"]
    assert request["type"] == "GameEngine.InputHandlerEvent"
    assert request["originatingRequestId"] == launch["request"]["requestId"]
    (event,) = request["events"]
    assert event["name"] == "pressed"
    assert event["inputEvents"][0]["gadgetId"] == welcome.choices[1].value
    assert isinstance(gone, Observation)
    assert "nothing on the screen reads 'button 9'" in str(gone.payload)


def test_silence_is_too_late(buzzer: dict[str, Any]) -> None:
    heard = talked(buzzer, None, None, device=BUTTONS)
    assert texts(heard)[1] == "You are too late. Goodbye!"


def test_without_buttons_the_session_is_over(buzzer: dict[str, Any]) -> None:
    (welcome,) = talked(buzzer, None)
    assert isinstance(welcome, Observation)
    assert welcome.ended
    assert not welcome.choices


def test_the_explorer_presses_buttons_and_finds_the_crash_behind_them(
    buzzer: dict[str, Any], tmp_path: Path
) -> None:
    suite = {
        "name": "buzzer",
        "app": {"use": "alexa", "skill": buzzer, "device": BUTTONS, "failures": "speak"},
        "agent": {"use": "explorer", "medium": "voice", "turns": 16},
        "strategy": "sessions",
        "oracles": ["voice-problems"],
        "reporters": [],
    }
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    finished = conduct(load_suite(path), RunOptions())
    assert finished.folder is not None
    verdicts = [v for one in StoredRun(finished.folder).judged() for v in one.verdicts]
    failed = {(v.check, "third round" in v.reason) for v in verdicts if v.outcome.value == "fail"}
    assert failed == {("unexpected_exit", True)}
