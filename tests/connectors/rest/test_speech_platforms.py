"""Dialogflow ES and CX, Lex V2, Rasa: their presets, and the explorer, against stand-ins.

The stand-ins speak the wire formats as the services' references describe them. Behind all of them is
one bot, a flower shop, with three planted faults: it asks for a card number, it cannot tell of its
vases, and it closes right after a question where the platform lets a bot close.
"""

import hashlib
import hmac
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.talk import Press, Say
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

pytestmark = pytest.mark.anyio

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG"


class Shop:
    """What the bot says in each conversation: texts, buttons, and whether it closes."""

    def __init__(self) -> None:
        self.sessions: dict[str, str] = {}

    def say(self, session: str, said: str) -> tuple[list[str], list[str], str, bool]:
        bare = said.casefold()
        before, self.sessions[session] = self.sessions.get(session, ""), ""
        if before == "flowers":
            self.sessions[session] = "card"
            return ["Good choice.", "What is your credit card number?"], [], "Order", False
        if before == "card":
            return ["Your flowers are on their way. Goodbye!"], [], "Paid", True
        if "hours" in bare:
            return ["We are open from nine to six. Would you like to come by?"], [], "Hours", True
        if "order" in bare:
            self.sessions[session] = "flowers"
            return ["Which flowers would you like?"], ["Roses", "Tulips"], "Order", False
        if "vases" in bare:
            return ["Sorry, something went wrong."], [], "Vases", False
        known = "You can say order flowers, say opening hours, or say show me vases."
        return [f"Welcome to the flower shop. {known}"], [], "Welcome", False


class DialogflowEs:
    """`projects.agent.sessions.detectIntent` of version 2."""

    path = re.compile(r"/v2/projects/shop/agent/sessions/([\w-]{1,36}):detectIntent")
    settings: dict[str, Any] = {
        "preset": "dialogflow-es",
        "headers": {"Authorization": "Bearer token-1"},
    }
    base = "/v2/projects/shop/agent"

    def __init__(self, answer: Any) -> None:
        self.shop, self.answer = Shop(), answer

    def __call__(self, request: Any) -> Any:
        match = self.path.fullmatch(request.path)
        if match is None or request.method != "POST":
            return self.answer({"error": {"code": 404, "status": "NOT_FOUND"}}, status=404)
        if request.headers.get("authorization") != "Bearer token-1":
            error = {"code": 401, "message": "no credentials", "status": "UNAUTHENTICATED"}
            return self.answer({"error": error}, status=401)
        text = request.json["queryInput"]["text"]
        assert text["languageCode"] == "en"
        texts, buttons, intent, ended = self.shop.say(match[1], text["text"])
        messages: list[Any] = [{"text": {"text": [one]}} for one in texts]
        if buttons:
            messages.append({"quickReplies": {"quickReplies": buttons}})
        return {
            "responseId": "r-1",
            "queryResult": {
                "queryText": text["text"],
                "parameters": {},
                "fulfillmentText": texts[0],
                "fulfillmentMessages": messages,
                "intent": {"name": f"projects/shop/agent/intents/{intent}", "displayName": intent},
                "intentDetectionConfidence": 0.9,
                **({"diagnosticInfo": {"end_conversation": True}} if ended else {}),
            },
        }


class DialogflowCx:
    """`projects.locations.agents.sessions.detectIntent` of version 3."""

    base = "/v3/projects/shop/locations/europe-west2/agents/a-1"
    path = re.compile(rf"{base}/sessions/([\w-]{{1,36}}):detectIntent")
    settings: dict[str, Any] = {"preset": "dialogflow-cx"}

    def __init__(self, answer: Any) -> None:
        self.shop, self.answer = Shop(), answer

    def __call__(self, request: Any) -> Any:
        match = self.path.fullmatch(request.path)
        if match is None:
            return self.answer({"error": {"code": 404, "status": "NOT_FOUND"}}, status=404)
        query = request.json["queryInput"]
        assert query["languageCode"] == "en"
        texts, buttons, intent, ended = self.shop.say(match[1], query["text"]["text"])
        messages: list[Any] = [{"text": {"text": texts}}]
        if buttons:
            chips = {"type": "chips", "options": [{"text": label} for label in buttons]}
            messages.append({"payload": {"richContent": [[chips]]}})
        if ended:
            messages.append({"endInteraction": {}})
        return {
            "responseId": "r-1",
            "queryResult": {
                "text": query["text"]["text"],
                "languageCode": "en",
                "responseMessages": messages,
                "match": {"matchType": "INTENT", "intent": {"displayName": intent}},
                "currentPage": {"displayName": "Start Page"},
            },
        }


class LexV2:
    """`RecognizeText` of the runtime, version 2, which takes nothing that is not signed."""

    base = "/bots/BOT/botAliases/TSTALIASID/botLocales/en_GB"
    path = re.compile(rf"{base}/sessions/([0-9a-zA-Z._:-]{{2,100}})/text")
    settings: dict[str, Any] = {
        "preset": "lex",
        "sign": {"region": "eu-west-1"},
    }

    def __init__(self, answer: Any) -> None:
        self.shop, self.answer = Shop(), answer

    def __call__(self, request: Any) -> Any:
        match = self.path.fullmatch(request.path)
        if match is None:
            return self.answer({"message": "not found"}, status=404)
        if request.headers.get("authorization") != signature(request):
            return self.answer({"message": "The request signature does not match"}, status=403)
        texts, buttons, intent, _ = self.shop.say(match[1], request.json["text"])
        messages: list[Any] = [{"content": one, "contentType": "PlainText"} for one in texts]
        if buttons:
            options = [{"text": label, "value": label.lower()} for label in buttons]
            card = {"title": "Flowers", "buttons": options}
            messages.append({"contentType": "ImageResponseCard", "imageResponseCard": card})
        return {
            "messages": messages,
            "sessionState": {
                "dialogAction": {"type": "ElicitIntent"},
                "intent": {"name": intent, "slots": {}, "state": "InProgress"},
            },
            "sessionId": match[1],
        }


class Rasa:
    """The channel `rest` of Rasa: messages by sender, and no word of an end."""

    base = ""
    settings: dict[str, Any] = {"preset": "rasa"}

    def __init__(self, answer: Any) -> None:
        self.shop, self.answer = Shop(), answer

    def __call__(self, request: Any) -> Any:
        if request.method != "POST" or request.path != "/webhooks/rest/webhook":
            return self.answer({"status": "failure", "code": 404}, status=404)
        sender, message = request.json["sender"], request.json["message"]
        texts, buttons, _, _ = self.shop.say(sender, message.removeprefix("/choose_"))
        messages: list[Any] = [{"recipient_id": sender, "text": one} for one in texts]
        if buttons:
            messages[-1]["buttons"] = [
                {"title": label, "payload": f"/choose_{label.lower()}"} for label in buttons
            ]
        return self.answer(messages)


def signature(request: Any) -> str:
    """What the header must be, computed anew as AWS's guide to signature version 4 says."""
    date, scope = request.headers["x-amz-date"], "eu-west-1/lex/aws4_request"
    names = re.findall(r"SignedHeaders=([^,]+)", request.headers["authorization"])[0].split(";")
    assert {"host", "x-amz-date"} <= set(names)
    lines = "".join(f"{name}:{request.headers[name]}\n" for name in names)
    payload = hashlib.sha256(request.body).hexdigest()
    path = quote(request.path, safe="/~")
    canonical = f"{request.method}\n{path}\n\n{lines}\n{';'.join(names)}\n{payload}"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = f"AWS4-HMAC-SHA256\n{date}\n{date[:8]}/{scope}\n{digest}"
    key = f"AWS4{SECRET}".encode()
    for part in (date[:8], *scope.split("/")):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    made = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    credential = f"{KEY}/{date[:8]}/{scope}"
    return f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={';'.join(names)}, Signature={made}"


signs = pytest.mark.skipif(find_spec("botocore") is None, reason="the extra lex is not installed")
PLATFORMS = [DialogflowEs, DialogflowCx, pytest.param(LexV2, marks=signs), Rasa]
CANNOT_END = (LexV2, Rasa)
"""Platforms whose answers do not say that a conversation is over."""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_texts_buttons_and_sessions(
    platform: Any, rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(platform(answer))
    connector = rest(url=server.url + platform.base, **platform.settings)
    async with connector.open(case) as session, connector.open(case) as other:
        asked = await session.send(Say(text="order flowers"))
        assert (await other.send(Say(text="hi"))).text.startswith("Welcome")
        roses = asked.choices[0]
        chosen = await session.send(Press(label=roses.label, value=roses.value))
        said = await session.send(Say(text='12 "Ü" {text}'))
    assert asked.text == "Which flowers would you like?"
    assert [choice.label for choice in asked.choices] == ["Roses", "Tulips"]
    assert chosen.text == "Good choice.\nWhat is your credit card number?"
    assert said.text == "Your flowers are on their way. Goodbye!"
    assert said.ended is (platform not in CANNOT_END)
    if platform is not Rasa:  # which tells nothing of what it understood
        assert isinstance(asked.payload, dict), "what was understood is kept"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_explorer_finds_the_planted_faults(
    platform: Any, serve: Any, answer: Any, tmp_path: Path
) -> None:
    server = serve(platform(answer))
    suite = {
        "name": "flowers",
        "app": {"use": "rest", "url": server.url + platform.base, **platform.settings},
        "agent": {"use": "explorer", "turns": 24},
        "strategy": "sessions",
        "oracles": ["voice-problems"],
        "reporters": [],
    }
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    finished = conduct(load_suite(path), RunOptions())
    assert finished.folder is not None
    verdicts = [v for one in StoredRun(finished.folder).judged() for v in one.verdicts]
    failed = {(v.check, v.reason.split(":")[0]) for v in verdicts if v.outcome.value == "fail"}
    expected = {("privacy_violation", "payment card"), ("caught_error", "apology")}
    if platform not in CANNOT_END:
        expected.add(("unexpected_exit", "dead question"))
    assert failed == expected


@signs
async def test_without_a_key_nothing_is_asked(rest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ConfigurationError, match=r"no key to sign with: set AWS_ACCESS_KEY_ID"):
        rest(url="http://localhost:1/bots", **LexV2.settings)


@signs
async def test_an_address_that_names_no_region_needs_one(rest: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"names no region of AWS: give one"):
        rest(url="http://localhost:1/bots", preset="lex")
    rest(url="https://runtime-v2-lex.eu-west-1.amazonaws.com/bots/B", preset="lex")


@signs
async def test_a_profile_that_is_not_there_is_told(rest: Any) -> None:
    with pytest.raises(ConfigurationError, match="nobody"):
        rest(url="http://localhost:1/bots", preset="lex",
             sign={"region": "eu-west-1", "profile": "nobody"})  # fmt: skip
