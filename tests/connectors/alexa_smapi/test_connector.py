"""The connector alexa-smapi, through the official SDK, against a server that behaves as the API."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.servers.smapi_server import SmapiServer

from sparring.errors import (
    AppCrash,
    AppUnreachable,
    ConfigurationError,
    EnvironmentFailure,
)
from sparring.model.case import Case
from sparring.model.talk import Listen, Say
from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring.testing.fakes import FakeContext

pytest.importorskip("ask_smapi_sdk")

from sparring_connectors.alexa_smapi.connector import SmapiConnector

CASE = Case.of("smapi", {}, run_seed=1)


@pytest.fixture
def server() -> Iterator[SmapiServer]:
    with SmapiServer() as running:
        yield running


def talked(server: SmapiServer, *said: str | None, **settings: Any) -> list[Any]:
    """What is heard to each text; None listens."""

    async def talk() -> list[Any]:
        context = FakeContext()
        connector = context.build(SmapiConnector, **{**server.settings, **settings})
        try:
            async with connector.open(CASE) as session:
                return [await session.send(Say(text=t) if t else Listen()) for t in said]
        finally:
            await context.close()

    return asyncio.run(talk())


def test_a_conversation_begins_anew_and_goes_on_until_the_skill_ends_it(
    server: SmapiServer,
) -> None:
    heard = talked(server, None, "hello there", "stop")
    assert [item.text for item in heard] == ["Welcome.", "1: hello there", "Goodbye."]
    assert [item.ended for item in heard] == [False, False, True]
    modes = [body["session"]["mode"] for verb, _, body in server.requests if verb == "POST"]
    assert modes == ["FORCE_NEW_SESSION", "DEFAULT", "DEFAULT"]
    assert heard[1].payload["exchanges"][0]["response"]["response"]["outputSpeech"]
    assert heard[1].payload["nlu"]["considered"][0]["name"] == "CountIntent"
    assert server.tokens == 1


def test_an_open_session_is_left_at_the_end(server: SmapiServer) -> None:
    talked(server, None, "hello")
    said = [body["input"]["content"] for verb, _, body in server.requests if verb == "POST"]
    assert said == ["open word counter", "hello", "exit"]


def test_words_that_no_intent_takes_are_the_platforms(server: SmapiServer) -> None:
    (first, second) = talked(server, None, "nonsense")
    assert not first.ended
    assert second.ended
    assert second.payload["speaker"] == "platform"


def test_another_simulation_in_progress_is_waited_for(server: SmapiServer) -> None:
    server.busy = 3
    assert talked(server, None)[0].text == "Welcome."
    assert sum(verb == "POST" for verb, *_ in server.requests) == 3 + 1 + 1  # and "exit"


@pytest.mark.parametrize(
    ("prepare", "error", "message"),
    [
        (lambda s: setattr(s, "faults", [400]), ConfigurationError, "input is wrong"),
        (lambda s: setattr(s, "faults", [403]), AppUnreachable, "403"),
        (lambda s: setattr(s, "faults", [500]), AppUnreachable, "refused with 500"),
        (lambda s: setattr(s, "faults", [503]), AppUnreachable, "503"),
        (lambda s: setattr(s, "faults", [429] * 999), AppUnreachable, "429"),
        (lambda s: setattr(s, "busy", 10**6), AppUnreachable, "Simulation in progress"),
        (
            lambda s: setattr(s, "failure", "An unexpected error occurred."),
            AppUnreachable,
            "unexp",
        ),
        (lambda s: setattr(s, "failure", "The endpoint broke."), AppCrash, "The endpoint broke"),
        (lambda s: setattr(s, "expires", True), EnvironmentFailure, "ten minutes"),
        (lambda s: setattr(s, "polls", 10**6), AppUnreachable, "not over within"),
    ],
)
def test_what_goes_wrong_is_told_by_its_kind(
    server: SmapiServer, prepare: Callable[[SmapiServer], None], error: Any, message: str
) -> None:
    prepare(server)
    with pytest.raises(error, match=message):
        talked(server, None, busy_s=0.1, timeout_s=0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"refresh_token": "stolen"}, "400|invalid_grant|Call to service failed"),
        ({"skill_id": "amzn1.ask.skill.other"}, "Skill not found"),
    ],
)
def test_a_login_or_a_skill_that_is_not_there_is_unreachable(
    server: SmapiServer, settings: dict[str, str], message: str
) -> None:
    with pytest.raises((AppUnreachable, ConfigurationError), match=message):
        talked(server, None, **settings)


def test_two_conversations_wait_for_each_other(server: SmapiServer) -> None:
    async def both() -> list[list[str]]:
        context = FakeContext()
        connector = context.build(SmapiConnector, **server.settings)

        async def one(word: str) -> list[str]:
            async with connector.open(CASE) as session:
                acts = (Listen(), Say(text=word), Say(text=word), Say(text="stop"))
                return [(await session.send(act)).text for act in acts]

        try:
            return list(await asyncio.gather(one("ham"), one("egg")))
        finally:
            await context.close()

    assert asyncio.run(both()) == [
        ["Welcome.", f"1: {word}", f"2: {word}", "Goodbye."] for word in ("ham", "egg")
    ]
    starts = [verb for verb, *_ in server.requests if verb == "POST"]
    assert len(starts) == 8  # no start was refused


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"endpoint": "http://example.org"}, "https://"),
        ({"client_secret": " "}, "must not be empty"),
        ({"stage": "beta"}, "development"),
    ],
)
def test_wrong_settings_are_refused(setting: dict[str, str], message: str) -> None:
    right = {"skill_id": "s", "name": "n", "client_id": "c", "client_secret": "x"}
    with pytest.raises(ConfigurationError, match=message):
        FakeContext().build(SmapiConnector, **{**right, "refresh_token": "r", **setting})


class TestSmapiConnector(AppConnectorKit):
    deterministic = False  # an account has one session: two conversations cannot take turns

    @pytest.fixture
    def server(self) -> Iterator[SmapiServer]:
        with SmapiServer(polls=0) as running:
            yield running

    @pytest.fixture
    def plugin(self) -> type[SmapiConnector]:
        return SmapiConnector

    @pytest.fixture
    def settings(self, server: SmapiServer) -> dict[str, Any]:
        return server.settings

    @pytest.fixture
    def unreachable_settings(self, server: SmapiServer, nobody_there: str) -> dict[str, Any]:
        gone = nobody_there.removesuffix("/chat")
        return {**server.settings, "endpoint": gone, "auth_endpoint": gone}


def test_words_that_no_intent_takes_are_no_crash_of_the_skill(server: SmapiServer) -> None:
    (_, second) = talked(server, None, "nonsense")
    assert "failure" not in second.payload
    assert "did not resolve" in second.payload["unresolved"]
