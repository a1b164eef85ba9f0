"""What the connector makes of Taskyto's server."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError
from sparring import (
    Act,
    AppCrash,
    AppProtocolError,
    Case,
    ConfigurationError,
    Listen,
    Observation,
    Say,
)
from sparring.testing import FakeContext
from taskyto_server import serving

from sparring_taskyto.connector import TaskytoConfig, TaskytoConnector


def talk(url: str, *acts: Act | str, **settings: Any) -> list[Observation]:
    """What the chatbot answers in one conversation."""

    async def spoken() -> list[Observation]:
        connector = FakeContext().build(TaskytoConnector, url=url, **settings)
        said = [Say(text=act) if isinstance(act, str) else act for act in acts]
        try:
            async with connector.open(Case.of("talk", {}, run_seed=0)) as session:
                return [await session.send(act) for act in said]
        finally:
            await connector.close()

    return asyncio.run(spoken())


def test_a_text_is_answered_in_a_conversation_of_its_own(taskyto: Any) -> None:
    assert talk(taskyto.url, "How much is a ticket?")[0].text == "9 euros"
    talk(taskyto.url, "Can I bring my own food?")
    assert len(taskyto.talks) == 2


def test_data_are_gathered_over_several_turns(taskyto: Any) -> None:
    heard = talk(taskyto.url, "book tickets for Nosferatu", "2", "20:30", "Ana Diaz")
    assert [one.text for one in heard[:2]] == [
        "Please tell me the seats.",
        "Please tell me the show time.",
    ]
    assert heard[-1].text.startswith("Your tickets are booked: Nosferatu at 20:30 for Ana Diaz")


def test_a_greeting_in_the_answer_to_a_new_conversation_is_heard() -> None:
    with serving(greets="Welcome!") as taskyto:
        assert talk(taskyto.url, Listen(), starts="app")[0].text == "Welcome!"


def test_a_server_that_says_nothing_is_made_to_greet(taskyto: Any) -> None:
    greeted = talk(taskyto.url, Listen(), starts="app", greeting="Say welcome")[0]
    assert greeted.text == "Welcome to our cinema!"


def test_an_app_that_starts_and_says_nothing_is_silent(taskyto: Any) -> None:
    assert talk(taskyto.url, Listen(), starts="app") == [Observation()]


def test_an_error_of_the_engine_is_a_crash(taskyto: Any) -> None:
    with pytest.raises(AppCrash, match=r"500 Internal Server Error: .*Error executing"):
        talk(taskyto.url, "crash")


def test_a_conversation_that_was_never_known_is_a_matter_of_the_settings(taskyto: Any) -> None:
    class Forgetful(dict[str, Any]):
        def __contains__(self, key: object) -> bool:
            return False

    taskyto.talks = Forgetful()
    with pytest.raises(ConfigurationError, match=r"404 Not Found: .*Conversation with id"):
        talk(taskyto.url, "hello")


def test_the_probe_makes_a_conversation(taskyto: Any) -> None:
    async def asked(url: str) -> None:
        connector = FakeContext().build(TaskytoConnector, url=url)
        try:
            await connector.probe()
        finally:
            await connector.close()

    asyncio.run(asked(taskyto.url))
    assert taskyto.said == []
    with pytest.raises(AppProtocolError, match=r"is it Taskyto's server\?"):
        asyncio.run(asked(taskyto.url + "/elsewhere"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "localhost:5000"}, "must start with http"),
        ({"greeting": "hi"}, "starts is user"),
        ({"headers": {"X": "a\nb"}}, "has a line break"),
        ({"sender": "me"}, "Extra inputs are not permitted"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TaskytoConfig.model_validate({"url": "http://localhost:5000", **settings})
