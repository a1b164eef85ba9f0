"""What the connector makes of Rasa's REST channel."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError
from rasa_server import serving, signed
from sparring import (
    Act,
    AppProtocolError,
    Case,
    Choice,
    ConfigurationError,
    Listen,
    Observation,
    Press,
    Say,
)
from sparring.testing import FakeContext

from sparring_rasa.config import RasaConfig
from sparring_rasa.connector import RasaConnector


def talk(url: str, *acts: Act | str, **settings: Any) -> list[Observation]:
    """What the assistant answers in one conversation."""

    async def spoken() -> list[Observation]:
        connector = FakeContext().build(RasaConnector, url=url, **settings)
        said = [Say(text=act) if isinstance(act, str) else act for act in acts]
        try:
            async with connector.open(Case.of("talk", {}, run_seed=0)) as session:
                return [await session.send(act) for act in said]
        finally:
            await connector.close()

    return asyncio.run(spoken())


def probe(url: str, **settings: Any) -> None:
    async def asked() -> None:
        connector = FakeContext().build(RasaConnector, url=url, **settings)
        try:
            await connector.probe()
        finally:
            await connector.close()

    asyncio.run(asked())


def test_a_text_is_answered(rasa: Any) -> None:
    assert talk(rasa.url, "how much is the parking?")[0].text == "Parking costs 12 euros a day."


def test_buttons_are_pressed_with_their_payload(rasa: Any) -> None:
    asked, answered = talk(
        rasa.url,
        "I want to book a room",
        Press(label="Suite", value='/inform{"room_type": "suite"}'),
    )
    assert asked.choices[2] == Choice(label="Suite", value='/inform{"room_type": "suite"}')
    assert answered.text == "How many nights will you stay?"
    assert rasa.assistant.said[1][1] == '/inform{"room_type": "suite"}'


BOOKING = ["I need a suite for 3 nights", "Friday", "yes", "Ana Diaz"]


def test_several_messages_pictures_and_custom_payloads_are_one_answer(rasa: Any) -> None:
    booked = talk(rasa.url, *BOOKING)[-1]
    assert booked.text == (
        "Done: a suite room for 3 nights from Friday, for Ana Diaz.\nYour booking number is B-4711."
    )
    assert booked.attachments[0].media_type == "image/png"
    assert booked.payload == {"booking": {"number": "B-4711"}}


def test_attachments_are_found(rasa: Any) -> None:
    (file,) = talk(rasa.url, "how much is the parking?")[0].attachments
    assert file.url == "http://localhost/map.pdf"


def test_custom_payloads_may_hold_texts_and_buttons(rasa: Any) -> None:
    custom = {"text": "$.booking.number", "choices": "$.booking.number", "ended": "$.booking"}
    booked = talk(rasa.url, *BOOKING, custom=custom)[-1]
    assert booked.text.endswith("B-4711.\nB-4711")
    assert booked.choices == (Choice(label="B-4711", value="B-4711"),)
    assert booked.ended


def test_each_conversation_has_a_sender_of_its_own(rasa: Any) -> None:
    talk(rasa.url, "hi", sender="tester-{uuid}")
    talk(rasa.url, "hi", sender="tester-{uuid}")
    senders = {sender for sender, _ in rasa.assistant.said}
    assert len(senders) == 2
    assert all(sender.startswith("tester-") for sender in senders)


def test_metadata_and_headers_go_along(rasa: Any) -> None:
    talk(rasa.url, "hi", metadata={"case": "{case}", "lang": "en"}, headers={"X-Gate": "open"})
    body = rasa.requests[-1][2]
    assert body["metadata"]["lang"] == "en"
    assert body["metadata"]["case"].startswith("talk")


def test_an_assistant_that_starts_is_made_to_greet(rasa: Any) -> None:
    greeted, _ = talk(rasa.url, Listen(), "hi", starts="app")
    assert greeted.text.startswith("Welcome to the hotel!")
    assert rasa.assistant.said[0][1] == "/session_start"


def test_another_greeting_may_be_said(rasa: Any) -> None:
    talk(rasa.url, Listen(), starts="app", greeting="/hello_there")
    assert rasa.assistant.said[0][1] == "/hello_there"


@pytest.mark.parametrize("how", ["message", "tracker"])
def test_one_sender_is_restarted_before_and_after_each_conversation(rasa: Any, how: str) -> None:
    first = talk(rasa.url, "I want to book a room", sender="me", restart=how)
    second = talk(rasa.url, "how much is the parking?", sender="me", restart=how)
    assert "Which kind of room" in first[0].text
    assert second[0].text.startswith("Parking"), "the form of the first one still asks"
    assert rasa.assistant.trackers == {}


def test_conversations_of_one_sender_take_turns(rasa: Any) -> None:
    async def both() -> list[str]:
        connector = FakeContext().build(RasaConnector, url=rasa.url, sender="me", restart="message")

        async def one(number: int) -> str:
            async with connector.open(Case.of("talk", {"n": number}, run_seed=0)) as session:
                await session.send(Say(text="I want to book a room"))
                await asyncio.sleep(0.01)
                return (await session.send(Say(text="a suite"))).text

        heard = await asyncio.gather(*(one(number) for number in range(4)))
        await connector.close()
        return heard

    assert asyncio.run(both()) == ["How many nights will you stay?"] * 4


def test_the_api_takes_a_token() -> None:
    with serving(token="t0ken-of-the-api") as rasa:
        talk(rasa.url, "hi", restart="tracker", token="t0ken-of-the-api")
        with pytest.raises(ConfigurationError, match="401") as caught:
            talk(rasa.url, "hi", restart="tracker", token="another-t0ken")
        assert "another-t0ken" not in str(caught.value)


def test_the_api_takes_a_json_web_token() -> None:
    with serving(jwt_secret="between us") as rasa:
        talk(rasa.url, "hi", restart="tracker", jwt=signed("between us"))
        with pytest.raises(ConfigurationError, match="401"):
            talk(rasa.url, "hi", restart="tracker", jwt=signed("other"))


@pytest.mark.parametrize("what", ["channel", "version", "status"])
def test_the_probe_finds_a_server_that_is_there(rasa: Any, what: str) -> None:
    probe(rasa.url, probe=what)


def test_a_probe_that_fails_says_what_to_look_for() -> None:
    with serving(api=False) as rasa:
        probe(rasa.url)
        with pytest.raises(AppProtocolError, match=r"404 .*was Rasa started with --enable-api\?"):
            probe(rasa.url, probe="version")
        with pytest.raises(AppProtocolError, match=r"is the channel named in credentials\.yml\?"):
            probe(rasa.url, channel="mychannel")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "localhost:5005"}, "must start with http"),
        ({"sender": "me"}, "is shared by all conversations"),
        ({"sender": "{uid}"}, r"unknown placeholder \{uid\}|is shared by all"),
        ({"sender": "{uuid}{x}"}, r"unknown placeholder \{x\}"),
        ({"token": "a", "jwt": "b"}, "either token or jwt"),
        ({"greeting": "/greet"}, "starts is user"),
        ({"channel": "a/b"}, "should match pattern"),
        ({"custom": {"text": "$.a[*"}}, "is not a JSONPath"),
        ({"restart": "always"}, "should be 'never', 'message' or 'tracker'"),
        ({"headers": {"X": "a\nb"}}, "has a line break"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RasaConfig.model_validate({"url": "http://localhost:5005", **settings})
