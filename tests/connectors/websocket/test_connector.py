"""What is said over a WebSocket, and what of the app's messages is an answer."""

import asyncio
import json
import sys
from typing import Any

import pytest
from tests.connectors.websocket.conftest import news

from sparring.errors import ConfigurationError, MissingExtra
from sparring.model.case import Case
from sparring.model.talk import Act, Choice, GuiAction, Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.websocket.connector import WebSocketConnector

pytestmark = pytest.mark.anyio

COUNT = {"over": {"count": 1}}


async def test_an_address_is_enough(websocket: Any, app: Any, echo: Any, hear: Any) -> None:
    server = await app(echo)
    heard = await hear(websocket(url=server.url), "hello", "bye")
    assert [one.text for one in heard] == ["you said hello", "you said bye"]
    first, second = server.got
    assert first["text"] == "hello"
    assert first["session"] == second["session"]


async def test_each_session_has_a_connection_and_an_id_of_its_own(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    server = await app(echo)
    connector = websocket(url=server.url)
    await hear(connector, "a")
    await hear(connector, "b")
    assert len(server.wires) == 2
    assert len({said["session"] for said in server.got}) == 2


async def test_messages_are_sent_as_described(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script(*[[{"text": "ok"}]] * 4))
    connector = websocket(
        url=server.url,
        open=[{"type": "hello", "seed": "{seed}"}, "plain {case}"],
        body={"type": "say", "text": "{text}", "turn": "{turn}"},
        press={"type": "press", "value": "{value}", "label": "{label}"},
        close={"type": "bye"},
        over={"count": 1},
    )
    acts: list[Act] = [Press(label="Yes", value="/yes"), Say(text="so")]
    await hear(connector, *acts)
    seed = server.got[0].pop("seed")
    assert isinstance(seed, int)
    assert server.got[0] == {"type": "hello"}
    assert str(server.got[1]).startswith("plain pizza")
    assert server.got[2] == {"type": "press", "value": "/yes", "label": "Yes"}
    assert server.got[3] == {"type": "say", "text": "so", "turn": 2}


async def test_a_text_may_be_sent_as_it_is(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.connection.send((await wire.connection.recv())[::-1])

    server = await app(talk)
    connector = websocket(url=server.url, body="{text}", reply={"read_as": "text"}, **COUNT)
    assert (await hear(connector, '{"a": 1}'))[0].text == '}1 :"a"{'


async def test_nothing_a_user_says_breaks_out_of_the_message(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    server = await app(echo)
    said = '", "admin": true, "x": "{session} {{text}} \ud800 \x00'
    await hear(websocket(url=server.url), said)
    assert set(server.got[0]) == {"text", "session"}
    assert server.got[0]["text"].startswith('", "admin"')


async def test_headers_query_origin_and_subprotocol_reach_the_handshake(
    websocket: Any, app: Any, echo: Any, hear: Any, case: Case
) -> None:
    server = await app(echo, subprotocols=["chat.v2", "chat.v1"])
    connector = websocket(
        url=f"{server.url}?v=1",
        headers={"X-Case": "{case|url}", "Authorization": "Bearer abc"},
        query={"user": "{uuid}"},
        origin="https://shop.example",
        subprotocols=["chat.v1"],
    )
    await hear(connector, "hi")
    (wire,) = server.wires
    assert wire.request.headers["Authorization"] == "Bearer abc"
    assert wire.request.headers["X-Case"]
    assert wire.request.headers["Origin"] == "https://shop.example"
    assert wire.request.path.startswith("/chat?v=1&user=")
    assert wire.connection.subprotocol == "chat.v1"
    assert server.got[0]["session"] in wire.request.path


async def test_buttons_links_pictures_and_payload_are_found(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    message = {
        "say": "Which size?",
        "quick": [{"title": "Small", "payload": "/small"}, "Large"],
        "picture": "http://x.invalid/a.png",
        "order": {"id": 7},
        "over": True,
    }
    server = await app(script([message]))
    reply = {"text": "$.say", "choices": "$.quick", "images": "$.picture"}
    reply |= {"payload": "$.order", "ended": "$.over"}
    (heard,) = await hear(websocket(url=server.url, reply=reply), "pizza")
    assert heard.text == "Which size?"
    assert heard.choices == (
        Choice(label="Small", value="/small"),
        Choice(label="Large", value="Large"),
    )
    assert heard.attachments[0].media_type == "image/png"
    assert heard.payload == {"id": 7}
    assert heard.ended


NOISE = [
    {"type": "typing"},
    {"type": "presence", "users": 3},
    {"type": "message", "from": "user", "text": "hi"},
]
ANSWER = {"type": "message", "from": "bot", "text": "one"}


@pytest.mark.parametrize(
    "settings",
    [
        {"answers": {"at": "$.from", "equals": "bot"}},
        {"ignore": [{"at": "$.type", "equals": ["typing", "presence"]},
                    {"at": "$.from", "equals": "user"}]},
        {"answers": {"at": "$.type", "equals": "message"}, "ignore": {"at": "$.from", "equals": "user"}},
    ],
    ids=["answers", "ignore", "both"],
)  # fmt: skip
async def test_only_answers_are_answers(
    websocket: Any, app: Any, script: Any, hear: Any, settings: dict[str, Any]
) -> None:
    second = {**ANSWER, "text": "two"}
    server = await app(script([*NOISE, ANSWER, *NOISE, second, *NOISE]))
    (heard,) = await hear(websocket(url=server.url, over={"count": 2}, **settings), "hi")
    assert heard.text == "one\ntwo"


async def test_what_we_said_ourselves_can_be_told_from_answers(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        while True:
            said = await wire.recv()
            await wire.send(json.dumps(said, indent=1), {"text": "Welcome"})

    server = await app(talk)
    connector = websocket(url=server.url, body={"text": "{text}"}, echoes=False, **COUNT)
    heard = await hear(connector, "one", "one", "two")
    assert [one.text for one in heard] == ["Welcome"] * 3


async def test_an_answer_is_over_after_a_quiet_time(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        while True:
            await wire.recv()
            for text in ("one", "two", "three"):
                await wire.send({"text": text})
                await asyncio.sleep(0)  # on a busy machine, any real pause may be a long one

    server = await app(talk)
    connector = websocket(url=server.url, over={"quiet_s": 1})
    heard = await hear(connector, "a", "b")
    assert [one.text for one in heard] == ["one\ntwo\nthree"] * 2


async def test_an_answer_is_over_at_its_end_mark(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(
        script([{"text": "a"}, {"text": "b"}, {"type": "done"}], [{"text": "c", "type": "done"}])
    )
    connector = websocket(url=server.url, over={"end": {"at": "$.type", "equals": "done"}})
    assert [one.text for one in await hear(connector, "1", "2")] == ["a\nb", "c"]


async def test_a_plain_text_may_be_the_end_mark(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script(["a", "b", "[DONE]"], [{"text": "c"}, "[DONE]"]))
    over = {"end": {"at": "$", "equals": "[DONE]"}}
    plain = websocket(url=server.url, over=over, reply={"read_as": "text"})
    assert (await hear(plain, "1"))[0].text == "a\nb"


async def test_an_end_mark_without_an_answer_is_silence(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"type": "done"}]))
    connector = websocket(url=server.url, over={"end": {"at": "$.type", "equals": "done"}})
    assert await hear(connector, "1") == [Observation()]


async def test_typing_keeps_an_answer_open(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "one"})
        for _ in range(4):  # 4 s in all; a busy machine may stand still for 2 s
            await asyncio.sleep(0.8)
            await wire.send({"type": "typing"})
        await asyncio.sleep(0.8)
        await wire.send({"text": "two"})
        await wire.connection.wait_closed()

    server = await app(talk)
    typing = {"at": "$.type", "equals": "typing"}
    connector = websocket(url=server.url, over={"quiet_s": 3}, typing=typing)
    assert (await hear(connector, "hi"))[0].text == "one\ntwo"


async def test_what_comes_late_is_heard_before_the_next_answer(
    websocket: Any, app: Any, hear: Any, case: Case
) -> None:
    listened, arrived = asyncio.Event(), asyncio.Event()

    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "one"})
        await listened.wait()
        await wire.send({"text": "late"})
        await wire.send({"text": "later"})
        await wire.received()
        arrived.set()
        await wire.recv()
        await wire.send({"text": "two"})
        await wire.connection.wait_closed()

    server = await app(talk)
    async with websocket(url=server.url, **COUNT).open(case) as session:
        assert (await session.send(Say(text="a"))).text == "one"
        assert await session.send(Listen()) == Observation()
        listened.set()
        await arrived.wait()
        assert (await session.send(Say(text="b"))).text == "late\nlater\ntwo"


async def test_listening_takes_what_the_app_says_unasked(
    websocket: Any, app: Any, case: Case
) -> None:
    async def talk(wire: Any) -> None:
        await wire.send({"text": "news"})
        await wire.connection.wait_closed()

    server = await app(talk)
    async with websocket(url=server.url).open(case) as session:
        await news(session)
        assert (await session.send(Listen())).text == "news"
        assert await session.send(Listen()) == Observation()


async def test_a_greeting_is_waited_for(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await asyncio.sleep(0.05)
        await wire.send({"text": "Welcome!"})
        await wire.recv()
        await wire.send({"text": "ok"})
        await wire.connection.wait_closed()

    server = await app(talk)
    connector = websocket(url=server.url, starts="app", **COUNT)
    heard = await hear(connector, Listen(), "hi")
    assert [one.text for one in heard] == ["Welcome!", "ok"]
    assert (await hear(connector, "hi"))[0].text == "ok", "a greeting nobody listened to is missed"


async def test_an_app_may_have_to_be_made_to_greet(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"text": "Welcome!"}]))
    connector = websocket(url=server.url, starts="app", greeting={"say": "/start"}, **COUNT)
    assert (await hear(connector, Listen()))[0].text == "Welcome!"
    assert server.got[0]["text"] == "/start"


async def test_an_app_that_does_not_greet_is_silent(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    server = await app(echo)
    connector = websocket(url=server.url, starts="app", timeout={"greeting_s": 0.1})
    heard = await hear(connector, Listen(), "hi")
    assert [one.text for one in heard] == ["", "you said hi"]


async def test_silence_may_be_allowed(websocket: Any, app: Any, script: Any, hear: Any) -> None:
    server = await app(script([], [{"text": "ok"}]))
    connector = websocket(url=server.url, over={"count": 1, "silence_s": 0.1})
    assert [one.text for one in await hear(connector, "a", "b")] == ["", "ok"]


async def test_nothing_is_said_before_the_app_is_ready(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        hello = await wire.recv()
        await asyncio.sleep(0.1)
        await wire.send({"type": "welcome", "id": "s-1", "for": hello["user"]})
        said = await wire.recv()
        await wire.send({"text": f"{said['sid']} {said['who']}"})
        await wire.connection.wait_closed()

    server = await app(talk)
    connector = websocket(
        url=server.url,
        open={"user": "u1"},
        ready={"at": "$.type", "equals": "welcome"},
        body={"text": "{text}", "sid": "{session}", "who": "{who}"},
        reply={"session": "$.id", "remember": {"who": "$.for"}, "text": "$.text"},
        **COUNT,
    )
    assert (await hear(connector, "hi"))[0].text == "s-1 u1"


async def test_the_handshake_may_bring_the_session(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    def respond(connection: Any, request: Any, response: Any) -> None:
        response.headers["X-Session"] = "s-9"

    server = await app(script([{"text": "ok"}], [{"text": "ok"}]), process_response=respond)
    connector = websocket(url=server.url, reply={"session": {"header": "X-Session"}}, **COUNT)
    await hear(connector, "a", "b")
    assert server.got[1]["session"] == "s-9"


async def test_what_the_app_wants_answered_is_answered_at_once(
    websocket: Any, app: Any, case: Case
) -> None:
    answered = asyncio.Event()

    async def talk(wire: Any) -> None:
        await wire.send({"type": "ping", "n": 4})
        assert await wire.recv() == {"type": "pong", "n": 4}
        answered.set()
        await wire.recv()
        await wire.send({"text": "ok"})
        await wire.connection.wait_closed()

    server = await app(talk)
    back = {"to": {"at": "$.type", "equals": "ping"}, "body": {"type": "pong", "n": "{n}"}}
    connector = websocket(url=server.url, back=[back], reply={"remember": {"n": "$.n"}}, **COUNT)
    async with connector.open(case) as session:
        async with asyncio.timeout(60):
            await answered.wait()  # while the user says nothing
        assert (await session.send(Say(text="hi"))).text == "ok"


async def test_pings_of_the_protocol_are_answered_and_no_answers(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await (await wire.connection.ping(b"there?"))
        await wire.send({"text": "ok"})
        await wire.connection.wait_closed()

    server = await app(talk)
    assert (await hear(websocket(url=server.url, **COUNT), "hi"))[0].text == "ok"


async def test_binary_messages_are_read_like_others(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([json.dumps({"text": "déjà"}).encode()]))
    assert (await hear(websocket(url=server.url, **COUNT), "hi"))[0].text == "déjà"


async def test_an_app_ends_the_conversation_by_closing(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "Goodbye"})
        await wire.close(1000)

    server = await app(talk)
    heard = await hear(websocket(url=server.url), "bye", "still there?", Listen())
    assert [(one.text, one.ended) for one in heard] == [("Goodbye", True), ("", True), ("", True)]


async def test_an_app_may_close_without_a_word(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.close(4001)

    server = await app(talk)
    connector = websocket(url=server.url, end_codes=[1000, 4001])
    assert await hear(connector, "bye") == [Observation(ended=True)]


async def test_a_lost_connection_is_made_anew_where_that_is_wanted(
    websocket: Any, app: Any, case: Case
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        said = await wire.recv()
        await wire.send({"text": f"ok {said['text']}"})
        wire.drop()

    server = await app(talk)
    connector = websocket(
        url=server.url, open={"hello": "{session}"}, reconnect={"dropped": True}, **COUNT
    )
    async with connector.open(case) as session:
        texts = []
        for text in ("a", "b", "c"):
            texts.append((await session.send(Say(text=text))).text)
            await news(session)  # the drop
    assert texts == ["ok a", "ok b", "ok c"]
    assert len(server.wires) == 3
    assert len({json.dumps(wire.got[0]) for wire in server.wires}) == 1, "the session went on"


async def test_gui_actions_are_refused(websocket: Any, app: Any, echo: Any, hear: Any) -> None:
    server = await app(echo)
    with pytest.raises(ConfigurationError, match="takes texts and choices, no GUI actions"):
        await hear(websocket(url=server.url), GuiAction(action="click"))


async def test_a_path_that_never_matches_is_told_at_the_end(
    websocket: Any, app: Any, script: Any, hear: Any, context: FakeContext
) -> None:
    server = await app(script([{"msg": "hi", "buttons": ["a"]}]))
    connector = websocket(url=server.url, reply={"text": "$.text", "choices": "$.buttons"}, **COUNT)
    await hear(connector, "hi")
    await connector.close()
    assert "$.text has matched nothing in the only reply" in str(context.warnings)


async def test_many_sessions_at_once(websocket: Any, app: Any, echo: Any) -> None:
    server = await app(echo)
    connector = websocket(url=server.url, **COUNT)

    async def talk(number: int) -> str:
        async with connector.open(Case.of("many", {"n": number}, run_seed=1)) as session:
            return (await session.send(Say(text=str(number)))).text

    heard = await asyncio.gather(*(talk(number) for number in range(100)))
    assert heard == [f"you said {number}" for number in range(100)]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "websockets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sparring\[websocket\]'"):
        FakeContext().build(WebSocketConnector, url="ws://localhost:1/")
