"""Requests against the SDKs' own deserialisers, and against the shapes that Amazon publishes.

The Python SDK comes with the tests' dependencies. For the Node SDK the environment variable
SPARRING_NODE_MODULES names a folder ``node_modules`` that holds ``ask-sdk-core``.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Observation
from sparring_connectors.alexa.responses import read_response

from .conftest import requests_of, talked

#: The SDK's sources hold sequences that newer Pythons warn of when they compile them.
pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")

#: The types that Amazon's reference gives for every request (a type, or a set of values).
ENVELOPE: dict[str, Any] = {
    "version": {"1.0"},
    "session": {
        "new": bool, "sessionId": str, "application": {"applicationId": str},
        "attributes": dict, "user": {"userId": str},
    },
    "context": {
        "System": {
            "application": {"applicationId": str}, "user": {"userId": str},
            "device": {"deviceId": str, "supportedInterfaces": dict},
            "apiEndpoint": {"https://api.amazonalexa.com"}, "apiAccessToken": str,
        },
    },
    "request": {"type": str, "requestId": str, "timestamp": str, "locale": {"en-US"}},
}  # fmt: skip
INTENT = {"name": str, "confirmationStatus": {"NONE", "CONFIRMED", "DENIED"}}
RESOLUTION = {
    "authority": str,
    "status": {"code": {"ER_SUCCESS_MATCH", "ER_SUCCESS_NO_MATCH"}},
}


def fits(value: Any, shape: Any, where: str = "") -> None:
    """Compare a value with a shape; keys that the shape does not name may be there."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        for key, inner in shape.items():
            assert key in value, f"{where}.{key} is missing"
            fits(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, set):
        assert value in shape, where
    else:
        assert isinstance(value, shape), where


@pytest.fixture(scope="module")
def envelopes() -> list[dict[str, Any]]:
    """Every request of a conversation with many kinds of turns."""
    said = [
        "order a cuppa", "large", "yes", "no", "load the specials", "order a moon milk", "small",
        "yes", "yes", "open corner cafe", "add milk and cinnamon", "book a table", "tomorrow",
        "six pm", "anna", "open corner cafe", "exit",
    ]  # fmt: skip
    device = {"profile": "screen"}
    user = {"access_token": "token", "person_id": "amzn1.ask.person.X"}
    heard = talked("corner", None, *said, device=device, user=user)
    return [envelope for turn in heard for envelope in requests_of(turn)]


def test_requests_have_the_shapes_that_amazon_publishes(envelopes: list[dict[str, Any]]) -> None:
    kinds = {envelope["request"]["type"] for envelope in envelopes}
    assert kinds == {"LaunchRequest", "IntentRequest", "SessionEndedRequest"}
    for envelope in envelopes:
        fits(envelope, ENVELOPE)
        assert envelope["request"]["timestamp"].endswith("Z")
        assert envelope["session"]["sessionId"].startswith("amzn1.echo-api.session.")
        assert envelope["request"]["requestId"].startswith("amzn1.echo-api.request.")
        if envelope["request"]["type"] == "IntentRequest":
            fits(envelope["request"]["intent"], INTENT)
            for name, slot in envelope["request"]["intent"].get("slots", {}).items():
                assert slot["name"] == name
                for found in slot.get("resolutions", {}).get("resolutionsPerAuthority", []):
                    fits(found, RESOLUTION)
                    assert ("values" in found) == (found["status"]["code"] == "ER_SUCCESS_MATCH")
        if envelope["request"]["type"] == "SessionEndedRequest":
            assert envelope["request"]["reason"] == "USER_INITIATED"


def test_the_python_sdk_reads_every_request_and_nothing_is_lost(
    envelopes: list[dict[str, Any]],
) -> None:
    core = pytest.importorskip("ask_sdk_core.serialize")
    from ask_sdk_model import RequestEnvelope

    serializer = core.DefaultSerializer()
    for envelope in envelopes:
        read = serializer.deserialize(json.dumps(envelope), RequestEnvelope)
        back = serializer.serialize(read)
        for path, value in leaves(envelope):
            if _kept(path):
                assert looked_up(back, path) == value, path


def _kept(path: tuple[str, ...]) -> bool:
    """Whether the SDK has a field for it: not for interfaces and codecs, nor for times as text."""
    unknown = {"supportedInterfaces", "Viewport", "attributes", "timestamp"}
    return not (unknown | {"shouldLinkResultBeReturned", "source"}) & set(path)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list):
        return [leaf for key, item in enumerate(value) for leaf in leaves(item, (*path, key))]
    return [(path, value)]


def looked_up(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key] if isinstance(value, list) else (value or {}).get(key)
    return value


def test_what_the_python_sdk_builds_is_read() -> None:
    core = pytest.importorskip("ask_sdk_core.response_helper")
    from ask_sdk_core.serialize import DefaultSerializer
    from ask_sdk_model import Intent, ResponseEnvelope
    from ask_sdk_model.dialog import ElicitSlotDirective
    from ask_sdk_model.ui import SimpleCard

    factory = core.ResponseFactory()
    factory.speak("One and two").ask("And?").set_card(SimpleCard("A title", "Some content"))
    factory.add_directive(ElicitSlotDirective(Intent("OrderIntent"), "drink"))
    envelope = ResponseEnvelope("1.0", {"n": 1}, "agent", factory.response)
    response = read_response(DefaultSerializer().serialize(envelope))
    assert response.speech == "One and two"
    assert (response.reprompt, response.should_end) == ("And?", False)
    assert response.attributes == {"n": 1}
    assert response.card["title"] == "A title"
    assert response.dialog is not None
    assert response.problems == ()


_SDK_SKILL = """
from ask_sdk_core.skill_builder import SkillBuilder
from ask_sdk_core.utils import is_request_type, is_intent_name, get_slot_value
sb = SkillBuilder()

@sb.request_handler(can_handle_func=is_request_type("LaunchRequest"))
def launch(handler_input):
    return handler_input.response_builder.speak("Welcome, <b>you</b>!").ask("What?").response

@sb.request_handler(can_handle_func=is_intent_name("NotesIntent"))
def note(handler_input):
    said = get_slot_value(handler_input, "words")
    handler_input.attributes_manager.session_attributes["said"] = said
    return handler_input.response_builder.speak("Noted " + said).ask("More?").response

@sb.request_handler(can_handle_func=lambda handler_input: True)
def rest(handler_input):
    kept = handler_input.attributes_manager.session_attributes.get("said")
    return handler_input.response_builder.speak("Bye, " + str(kept)).response

lambda_handler = sb.lambda_handler()
"""


def test_a_skill_on_the_python_sdk_converses(tmp_path: Path, skills: Path) -> None:
    pytest.importorskip("ask_sdk_core.skill_builder")
    model = skills / "corner/skill-package/interactionModels/custom/en-US.json"
    (tmp_path / "en-US.json").write_bytes(model.read_bytes())
    code = _SDK_SKILL.replace("<b>", "").replace("</b>", "")
    (tmp_path / "lambda_function.py").write_text(code)
    heard = talked(str(tmp_path), None, "take a note buy beans", "help")
    assert [item.text for item in heard if isinstance(item, Observation)] == [
        "Welcome, you!", "Noted buy beans", "Bye, buy beans",
    ]  # fmt: skip
    assert isinstance(heard[-1], Observation)
    assert heard[-1].ended  # the SDK says nothing of the session, and the device is headless


_NODE_READS = """
const Alexa = require('ask-sdk-core');
const envelopes = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const seen = envelopes.map((e) => {
  const kind = Alexa.getRequestType(e);
  const intent = kind === 'IntentRequest';
  const slots = intent && e.request.intent.slots ? Object.keys(e.request.intent.slots) : [];
  return { kind, locale: Alexa.getLocale(e), user: Alexa.getUserId(e), device: Alexa.getDeviceId(e),
    name: intent ? Alexa.getIntentName(e) : null, isNew: Alexa.isNewSession(e),
    dialog: intent ? (Alexa.getDialogState(e) || null) : null, token: Alexa.getApiAccessToken(e),
    values: slots.map((s) => { const v = Alexa.getSlotValueV2(e, s); return v ? Alexa.getSimpleSlotValues(v).map((x) => x.value) : []; }),
    interfaces: Object.keys(Alexa.getSupportedInterfaces(e)) };
});
const built = Alexa.ResponseFactory.init().speak("One and two").reprompt('And?')
  .withSimpleCard('A title', 'Some content').addElicitSlotDirective('drink').getResponse();
console.log(JSON.stringify({ seen, built: { version: '1.0', response: built, sessionAttributes: {} } }));
"""


def test_the_node_sdk_reads_every_request_and_what_it_builds_is_read(
    envelopes: list[dict[str, Any]], node: str
) -> None:
    modules = os.environ.get("SPARRING_NODE_MODULES")
    if not modules:
        pytest.skip("SPARRING_NODE_MODULES names no folder with ask-sdk-core")
    ran = subprocess.run(
        [node, "-e", _NODE_READS],
        input=json.dumps(envelopes),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NODE_PATH": modules},
    )
    told = json.loads(ran.stdout)
    for envelope, seen in zip(envelopes, told["seen"], strict=True):
        request = envelope["request"]
        assert seen["kind"] == request["type"]
        assert (seen["locale"], seen["isNew"]) == ("en-US", envelope["session"]["new"])
        assert seen["user"] == envelope["session"]["user"]["userId"]
        assert seen["dialog"] == request.get("dialogState")
        slots = request.get("intent", {}).get("slots", {}).values()
        assert seen["values"] == [_values(slot) for slot in slots]
    response = read_response(told["built"])
    assert (response.speech, response.reprompt, response.should_end) == (
        "One and two",
        "And?",
        False,
    )


def _values(slot: dict[str, Any]) -> list[str]:
    value = slot.get("slotValue", {})
    if value.get("type") == "List":
        return [item["value"] for item in value["values"]]
    return [value["value"]] if "value" in value else []
