"""The envelope of Socket.IO, byte by byte as a server of version 5 sends it."""

import asyncio
import json
from typing import Any

import pytest

from sparring.errors import AppCrash, AppProtocolError
from sparring.model.talk import Say
from sparring_connectors.websocket.plan import parse_packet, wrap_event

OPENING = '0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'

SETTINGS = {
    "envelope": "socket.io",
    "open": ["session_request", {"session_id": "{uuid}"}],
    "ready": {"at": "$[0]", "equals": "session_confirm"},
    "body": ["user_uttered", {"message": "{text}", "session_id": "{uuid}"}],
    "answers": {"at": "$[0]", "equals": "bot_uttered"},
    "reply": {"text": "$[1].text", "choices": "$[1].quick_replies"},
    "over": {"count": 1},
}


async def server(wire: Any) -> None:
    await wire.send(OPENING)
    assert await wire.connection.recv() == "40"
    await wire.send('40{"sid":"y"}')
    while True:
        packet = await wire.connection.recv()
        if packet == "3":
            wire.got.append("pong")
            continue
        event, data = json.loads(packet.removeprefix("42"))
        wire.got.append(event)
        if event == "session_request":
            await wire.send("42" + json.dumps(["session_confirm", data["session_id"]]))
            await wire.send("2")
        else:
            buttons = [{"title": "Yes", "payload": "/affirm"}]
            await wire.send("42" + json.dumps(["other", {}]))
            answer = {"text": f"you said {data['message']}", "quick_replies": buttons}
            await wire.send("42" + json.dumps(["bot_uttered", answer]))


@pytest.mark.anyio
async def test_events_go_both_ways(websocket: Any, app: Any, hear: Any) -> None:
    made = await app(server)
    heard = await hear(websocket(url=made.url, **SETTINGS), "hello", "bye")
    assert [one.text for one in heard] == ["you said hello", "you said bye"]
    assert heard[0].choices[0].value == "/affirm"
    assert "pong" in made.got


@pytest.mark.anyio
async def test_a_refused_connection_is_a_protocol_error(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.send(OPENING)
        await wire.connection.recv()
        await wire.send('44{"message":"who are you?"}')
        await wire.connection.wait_closed()

    made = await app(talk)
    with pytest.raises(AppProtocolError, match=r"the app refuses to connect: .*who are you"):
        await hear(websocket(url=made.url, **SETTINGS), "hello")


@pytest.mark.anyio
async def test_a_disconnection_before_the_conversation_is_a_crash(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.send(OPENING, "41")
        await wire.connection.wait_closed()

    made = await app(talk)
    with pytest.raises(AppCrash, match="before the conversation"):
        await hear(websocket(url=made.url, **SETTINGS), "hello")


@pytest.mark.anyio
async def test_a_disconnection_ends_the_conversation(websocket: Any, app: Any, case: Any) -> None:
    async def talk(wire: Any) -> None:
        task = asyncio.create_task(server(wire))
        while "user_uttered" not in wire.got:
            await asyncio.sleep(0.01)
        await wire.send("41")
        await wire.connection.wait_closed()
        task.cancel()

    made = await app(talk)
    connector = websocket(url=made.url, **{**SETTINGS, "over": {"quiet_s": 2}})
    async with connector.open(case) as session:
        assert (await session.send(Say(text="bye"))).ended


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (OPENING, "nothing"),
        ("2", "nothing"),
        ("2probe", "nothing"),
        ("6", "nothing"),
        ("40", "ready"),
        ("41", "ended"),
        ("1", "ended"),
        ('42["a",{}]', "event"),
        ('4217["a",{}]', "event"),
        ('42/admin,["a",{}]', "odd"),
        ("431[]", "nothing"),
        ("44{}", "refused"),
        ('451-["a",{"_placeholder":true}]', "odd"),
        ("", "odd"),
        ("hello", "odd"),
    ],
)
def test_every_packet_is_known_for_what_it_is(message: str, kind: str) -> None:
    assert parse_packet(message).kind == kind


def test_an_event_comes_out_as_it_went_in() -> None:
    assert parse_packet(wrap_event('["a",[1]]')).text == '["a",[1]]'
    assert parse_packet('4217["a",{}]').text == '["a",{}]'


def test_pings_are_answered_with_what_they_hold() -> None:
    assert parse_packet("2").back == "3"
    assert parse_packet("2probe").back == "3probe"
