"""The presets, against servers that speak the protocols as their documentation says."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import AppCrash, ConfigurationError
from sparring.model.case import Case
from sparring.model.talk import Attachment, Choice, Listen, Observation, Press, Say
from sparring_connectors.rest import config
from sparring_connectors.rest.config import RestConfig

pytestmark = pytest.mark.anyio


class RasaLike:
    """Rasa's REST channel: a tracker per sender, a list of messages as the answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.trackers: dict[str, list[str]] = {}

    def __call__(self, request: Any) -> Any:
        if request.method == "GET":
            return self.answer(b"Hello from Rasa: 3.6.20", content_type="text/html")
        if request.path != "/webhooks/rest/webhook":
            failure = {"status": "failure", "reason": "NotFound", "code": 404}
            return self.answer(failure, status=404)
        tracker = self.trackers.setdefault(request.json["sender"], [])
        tracker.append(request.json["message"])
        return [{"recipient_id": request.json["sender"], **part} for part in self.parts(tracker)]

    def parts(self, tracker: list[str]) -> list[dict[str, Any]]:
        buttons = [{"title": "Yes", "payload": "/affirm"}, {"title": "No", "payload": "/deny"}]
        match tracker[-1]:
            case "hello":
                return [
                    {"text": "Hi!"},
                    {"text": "Is it you?", "buttons": buttons},
                    {"image": "https://x.example/cat.jpg"},
                    {"attachment": {"type": "video", "payload": {"src": "https://x.example/v"}}},
                    {"custom": {"form": {"name": "order"}}},
                ]
            case "/affirm":
                return [{"text": f"You said {len(tracker)} things."}]
            case _:
                return []


async def test_rasa(rest: Any, serve: Any, case: Case, answer: Any) -> None:
    bot = RasaLike(answer)
    server = serve(bot)
    connector = rest(preset="rasa", url=server.url)
    await connector.probe()
    async with connector.open(case) as session, connector.open(case) as other:
        greeting = await session.send(Say(text="hello"))
        assert (await other.send(Press(label="Yes", value="/affirm"))).text == "You said 1 things."
        chosen = greeting.choices[0]
        pressed = await session.send(Press(label=chosen.label, value=chosen.value))
        silence = await session.send(Say(text="nothing to say to that"))
    assert greeting == Observation(
        text="Hi!\nIs it you?",
        choices=(Choice(label="Yes", value="/affirm"), Choice(label="No", value="/deny")),
        attachments=(
            Attachment(media_type="image/jpeg", url="https://x.example/cat.jpg"),
            Attachment(media_type="video", url="https://x.example/v"),
        ),
        payload={"form": {"name": "order"}},
    )
    assert pressed.text == "You said 2 things."
    assert silence == Observation()
    assert sorted(len(tracker) for tracker in bot.trackers.values()) == [1, 3]


async def test_a_rasa_server_without_the_channel_is_told(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(RasaLike(answer))
    connector = rest(preset="rasa", url=server.url, path="/webhooks/rset/webhook")
    with pytest.raises(ConfigurationError, match=r"404 .*NotFound.*check url and path"):
        async with connector.open(case) as session:
            await session.send(Say(text="hello"))


class TaskytoLike:
    """Taskyto's server: a conversation is made first, its id goes with every message."""

    def __init__(self, answer: Any, *, greets: bool) -> None:
        self.answer = answer
        self.greets = greets
        self.said: dict[str, list[str]] = {}

    def __call__(self, request: Any) -> Any:
        if request.path == "/conversation/new":
            made = f"6c0d-{len(self.said)}"
            self.said[made] = []
            return {"id": made, **({"message": "Welcome to the shop"} if self.greets else {})}
        made, message = request.json["id"], request.json["message"]
        if made not in self.said:
            return self.answer({"error": f"Conversation with id {made} not found"}, status=404)
        if message == "crash":
            return self.answer({"error": "Error executing the engine"}, status=500)
        self.said[made].append(message)
        number = len(self.said[made])
        return {"id": made, "type": "chatbot_response", "message": f"{number}: {message}"}


@pytest.mark.parametrize("greets", [True, False])
async def test_taskyto(rest: Any, serve: Any, case: Case, answer: Any, greets: bool) -> None:
    server = serve(TaskytoLike(answer, greets=greets))
    connector = rest(preset="taskyto", url=server.url, starts="app")
    async with connector.open(case) as one, connector.open(case) as two:
        greeting = await one.send(Listen())
        said = [(await s.send(Say(text="hi"))).text for s in (one, two, two)]
        with pytest.raises(AppCrash, match=r"500.*Error executing the engine"):
            await one.send(Say(text="crash"))
    assert greeting.text == ("Welcome to the shop" if greets else "")
    assert said == ["1: hi", "1: hi", "2: hi"]
    assert server.requests[0].body == b""


def test_a_preset_is_nothing_but_a_description() -> None:
    files = sorted(Path(config.__file__).with_name("presets").iterdir())
    names = ["dialogflow-cx", "dialogflow-es", "lex", "rasa", "taskyto"]
    assert [file.stem for file in files] == names
    for file in files:
        described = yaml.safe_load(file.read_text())
        assert RestConfig.model_validate({"url": "http://bot", **described})
