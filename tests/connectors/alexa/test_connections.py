"""A skill asks for a permission, an account or a purchase: Alexa asks the user, no silent exit."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Observation
from sparring_connectors.alexa.config import ServicesConfig
from sparring_connectors.alexa.consents import UserConsent

from .conftest import Heard, requests_of, talked, texts

REMINDERS = "alexa::alerts:reminders:skill:readwrite"
ASK_V1 = {
    "type": "Connections.SendRequest",
    "name": "AskFor",
    "payload": {
        "@type": "AskForPermissionsConsentRequest", "@version": "1", "permissionScope": REMINDERS,
    },
    "token": "again",
}  # fmt: skip
ASK_V2 = {
    "type": "Connections.StartConnection",
    "uri": "connection://AMAZON.AskForPermissionsConsent/2",
    "input": {
        "@type": "AskForPermissionsConsentRequest",
        "@version": "2",
        "permissionScopes": [
            {"permissionScope": REMINDERS, "consentLevel": "ACCOUNT"},
            {"permissionScope": "alexa::profile:email:read", "consentLevel": "ACCOUNT"},
        ],
    },
    "token": "again",
}
BUY = {
    "type": "Connections.SendRequest",
    "name": "Buy",
    "payload": {"InSkillProduct": {"productId": "leaf"}},
    "token": "bought",
}
SKILL = """
import http.client, json
DIRECTIVE = json.loads({directive!r})
CARD = json.loads({card!r})
def api(event, path):
    token = event["context"]["System"]["apiAccessToken"]
    connection = http.client.HTTPSConnection("api.amazonalexa.com")
    connection.request("GET", path, headers={{"Authorization": "Bearer " + token}})
    return connection.getresponse().status
def lambda_handler(event, context):
    request, user = event["request"], event["context"]["System"]["user"]
    body = {{"shouldEndSession": False}}
    attributes = event["session"].get("attributes") or {{}}
    if request["type"] == "LaunchRequest":
        text = "Welcome."
    elif request["type"] == "IntentRequest":
        text = "I need that."
        attributes = {{"step": 2}}
        if CARD:
            body["card"] = CARD
        if DIRECTIVE:
            body["directives"] = [DIRECTIVE]
            del body["shouldEndSession"]
        if request["intent"]["name"] == "WhoIntent":
            body = {{"shouldEndSession": False}}
            text = "status %s, token %s, permissions %s" % (
                api(event, "/v1/alerts/reminders"), user.get("accessToken"),
                sorted(user.get("permissions", {{}}).get("scopes", {{}})))
    else:
        result = request.get("payload") or request.get("cause") or {{}}
        text = json.dumps([request["type"], result, request.get("status"), attributes], sort_keys=True)
    body["outputSpeech"] = {{"type": "PlainText", "text": text}}
    return {{"version": "1.0", "sessionAttributes": attributes, "response": body}}
"""


def skill_in(
    folder: Path, directive: object = None, card: object = None, declared: list[str] | None = None
) -> dict[str, Any]:
    intents = [
        {"name": "RemindIntent", "samples": ["remind me", "set a reminder"]},
        {"name": "WhoIntent", "samples": ["who am i", "tell me who i am"]},
        {"name": "AMAZON.StopIntent", "samples": []},
        {"name": "AMAZON.NoIntent", "samples": []},
    ]
    language = {"invocationName": "tea corner", "intents": intents, "types": []}
    model = {"interactionModel": {"languageModel": language}}
    (folder / "en-US.json").write_text(json.dumps(model))
    source = SKILL.format(directive=json.dumps(directive), card=json.dumps(card))
    (folder / "lambda_function.py").write_text(source)
    if declared is not None:
        manifest = {"manifest": {"permissions": [{"name": scope} for scope in declared]}}
        (folder / "skill.json").write_text(json.dumps(manifest))
    return {"folder": str(folder), "model": "en-US.json"}


def payload(heard: Heard) -> dict[str, Any]:
    assert isinstance(heard, Observation), texts([heard])
    assert isinstance(heard.payload, dict)
    return heard.payload


def told(heard: Heard) -> list[Any]:
    """What the skill got of the outcome: type, result, status, session attributes."""
    assert isinstance(heard, Observation), texts([heard])
    told: list[Any] = json.loads(heard.text.splitlines()[-1])
    return told


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [("I approve", "ACCEPTED", 200), ("yes", "ACCEPTED", 200), ("no", "DENIED", 401)],
)
def test_a_permission_is_asked_for_by_voice(
    tmp_path: Path, answer: str, status: str, code: int
) -> None:
    heard = talked(skill_in(tmp_path, ASK_V1), None, "remind me", answer, "who am I")
    asked = payload(heard[1])
    assert texts(heard)[1] == (
        "I need that.\nDo you give tea corner permission to access your reminders? "
        "You can say 'I approve' or 'no'."
    )
    assert (asked["asked"], asked["session"], asked["ended_by"]) == ("permission", "open", None)
    kind, result, ok, attributes = told(heard[2])
    assert kind == "Connections.Response"
    assert result == {"permissionScope": REMINDERS, "status": status, "isCardThrown": False}
    assert ok == {"code": "200", "message": "OK"}
    assert attributes == {"step": 2}
    assert requests_of(heard[2])[0]["request"]["token"] == "again"
    scopes = [REMINDERS] if status == "ACCEPTED" else []
    assert texts(heard)[3] == f"status {code}, token None, permissions {scopes}"


def test_a_session_is_resumed_with_the_outcome(tmp_path: Path) -> None:
    heard = talked(skill_in(tmp_path, ASK_V2), None, "remind me", "approve")
    assert "access your reminders and your email address?" in texts(heard)[1]
    kind, cause, _, _ = told(heard[2])
    assert kind == "SessionResumedRequest"
    assert cause["type"] == "ConnectionCompleted"
    assert cause["token"] == "again"
    assert cause["result"]["status"] == "ACCEPTED"
    assert cause["result"]["permissionScopes"] == ASK_V2["input"]["permissionScopes"]  # type: ignore[index]


@pytest.mark.parametrize("said", ["purple elephants", None])
def test_what_is_no_answer_is_asked_for_once_more(tmp_path: Path, said: str | None) -> None:
    heard = talked(skill_in(tmp_path, ASK_V1), None, "remind me", said, said)
    assert texts(heard)[2].startswith("Do you give tea corner permission")
    assert told(heard[3])[1]["status"] == "NOT_ANSWERED"


@pytest.mark.parametrize("granted", [["all"], "all", ["reminders"], [REMINDERS]])
def test_what_is_granted_is_not_asked_for(tmp_path: Path, granted: Any) -> None:
    skill = skill_in(tmp_path, ASK_V1, declared=[REMINDERS])
    services = {"granted": granted}
    heard = talked(skill, None, "remind me", "who am I", services=services)
    assert payload(heard[1])["asked"] is None
    assert told(heard[1])[1]["status"] == "ACCEPTED"
    assert texts(heard)[2] == f"status 200, token None, permissions ['{REMINDERS}']"


def test_an_undeclared_permission_is_refused_and_named(tmp_path: Path) -> None:
    heard = talked(skill_in(tmp_path, ASK_V1, declared=[]), None, "remind me")
    assert told(heard[1])[2] == {"code": "400", "message": "Bad Request"}
    assert payload(heard[1])["problems"] == [
        f"skill.json does not declare the permission {REMINDERS}"
    ]


def test_consents_of_one_conversation_are_not_those_of_the_next(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, ASK_V1)
    talked(skill, None, "remind me", "yes", case=1, process="run")
    heard = talked(skill, None, "who am I", case=2, process="run")
    assert texts(heard)[1] == "status 401, token None, permissions []"


@pytest.mark.parametrize(
    ("card", "before", "after"),
    [
        (
            {"type": "AskForPermissionsConsent", "permissions": [REMINDERS]},
            "status 401, token None, permissions []",
            f"status 200, token None, permissions ['{REMINDERS}']",
        ),
        (
            {"type": "LinkAccount"},
            "status 401, token None, permissions []",
            "status 401, token linked-account, permissions []",
        ),
    ],
)
def test_a_card_is_ignored_or_accepted(
    tmp_path: Path, card: dict[str, Any], before: str, after: str
) -> None:
    skill = skill_in(tmp_path, card=card)
    said = (None, "remind me", "who am I")
    assert texts(talked(skill, *said))[2] == before
    assert texts(talked(skill, *said, services={"cards": "accept"}))[2] == after


@pytest.mark.parametrize(
    ("entitled", "said", "result"),
    [
        ("NOT_ENTITLED", ["yes"], "ACCEPTED"),
        ("NOT_ENTITLED", ["no"], "DECLINED"),
        ("ENTITLED", [], "ALREADY_PURCHASED"),
    ],
)
def test_a_purchase_is_asked_for_and_kept(
    tmp_path: Path, entitled: str, said: list[str], result: str
) -> None:
    product = {"productId": "leaf", "name": "Golden Leaf", "entitled": entitled}
    services = {"products": [product]}
    heard = talked(skill_in(tmp_path, BUY), None, "remind me", *said, services=services)
    if said:
        assert "Golden Leaf is available. Would you like to buy it?" in texts(heard)[1]
    kind, outcome, _, attributes = told(heard[-1])
    assert kind == "Connections.Response"
    assert outcome == {"purchaseResult": result, "productId": "leaf", "message": ""}
    assert attributes == {}  # a new session


def test_a_purchase_is_found_by_the_service() -> None:
    product = {"productId": "leaf", "entitled": "NOT_ENTITLED"}
    consent = UserConsent(ServicesConfig.model_validate({"products": [product]}))
    consent.products["leaf"] = True
    assert consent.all_products()[0]["entitled"] == "ENTITLED"
    assert product["entitled"] == "NOT_ENTITLED"


@pytest.mark.parametrize(
    "directive",
    [
        {"type": "Connections.StartConnection", "uri": "connection://AMAZON.PrintPDF/1"},
        {"type": "Connections.SendRequest", "name": "AskFor", "payload": {"permissionScope": 3}},
        {"type": "Connections.SendRequest", "name": "AskFor", "payload": "none"},
        {"type": "Connections.SendRequest"},
    ],
)
def test_an_unknown_task_ends_the_session_for_the_platform(
    tmp_path: Path, directive: dict[str, Any]
) -> None:
    heard = talked(skill_in(tmp_path, directive), None, "remind me")
    ended = payload(heard[1])
    assert (ended["session"], ended["ended_by"]) == ("none", "platform")
    assert "the simulator does not know the task" in ended["problems"][0]


def test_exit_leaves_alexas_question_too(tmp_path: Path) -> None:
    heard = talked(skill_in(tmp_path, ASK_V1), None, "remind me", "exit")
    assert payload(heard[2])["ended_by"] == "user"
