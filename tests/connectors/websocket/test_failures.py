"""Every way in which an app behind a WebSocket can fail, told apart, with no secret in a message."""

import asyncio
import base64
import hashlib
import json
import time
from typing import Any

import pytest
from tests.connectors.websocket.conftest import news

from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout, AppUnreachable
from sparring.model.case import Case
from sparring.model.talk import Say
from sparring.testing import hostile

pytestmark = pytest.mark.anyio

COUNT = {"over": {"count": 1}}


async def test_nobody_listening_is_unreachable(websocket: Any, nobody: str, hear: Any) -> None:
    with pytest.raises(
        AppUnreachable, match=r"^ws://127\.0\.0\.1:\d+/chat: no connection: refused"
    ):
        await hear(websocket(url=nobody), "hi")


async def test_a_refused_connection_is_tried_again(websocket: Any, nobody: str, hear: Any) -> None:
    began = time.monotonic()
    with pytest.raises(AppUnreachable):
        await hear(websocket(url=nobody, reconnect={"attempts": 3, "wait_s": 0.1}), "hi")
    assert time.monotonic() - began >= 0.3


async def test_connecting_is_not_the_apps_time(websocket: Any, nobody: str, hear: Any) -> None:
    again = {"attempts": 3, "wait_s": 0.1}
    with pytest.raises(AppUnreachable, match="refused"):
        await hear(websocket(url=nobody, reconnect=again, timeout={"turn_s": 0.05}), "hi")


async def test_waiting_for_silence_is_not_the_apps_time(
    websocket: Any, app: Any, script: Any, case: Case
) -> None:
    server = await app(script([{"text": "one"}, {"text": "two"}]))
    connector = websocket(url=server.url, over={"quiet_s": 0.5})
    async with connector.open(case) as session:
        began = time.monotonic()
        said = await session.send(Say(text="hi"))
        took_s = time.monotonic() - began
    assert said.text == "one\ntwo"
    assert took_s - session.latency_s >= 0.5


async def test_a_connection_that_is_made_anew_has_a_time_of_its_own(
    websocket: Any, app: Any, case: Case
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "hello"})
        wire.drop()

    server = await app(talk)
    connector = websocket(
        url=server.url, over={"count": 1}, reconnect={"dropped": True}, timeout={"turn_s": 30}
    )
    async with connector.open(case) as session:
        await session.send(Say(text="hi"))
        await news(session)  # the drop
        assert (await session.send(Say(text="hi"))).text == "hello"
    assert len(server.wires) == 2


async def test_an_unknown_host_is_unreachable(websocket: Any, hear: Any) -> None:
    with pytest.raises(AppUnreachable, match="Name or service not known"):
        await hear(websocket(url="ws://bot.invalid/chat"), "hi")


async def test_a_server_that_never_shakes_hands_is_unreachable(
    websocket: Any, tcp_app: Any, hear: Any
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    url = await tcp_app(talk)
    with pytest.raises(AppUnreachable, match=r"no connection within 0\.1 s"):
        await hear(websocket(url=url, timeout={"connect_s": 0.1}), "hi")


STATUSES = {
    "404 Not Found": (
        AppProtocolError,
        r"404 Not Found instead of opening a WebSocket: gone \(check",
    ),
    "401 Unauthorized": (AppProtocolError, "check the credentials"),
    "200 OK": (AppProtocolError, "answered 200 OK instead of opening a WebSocket: gone"),
    "429 Too Many Requests": (AppUnreachable, "its rate limit"),
    "500 Internal Server Error": (AppCrash, "500 Internal Server Error"),
    "503 Service Unavailable": (AppCrash, "503 Service Unavailable"),
}


@pytest.mark.parametrize("status", STATUSES)
async def test_a_handshake_that_is_refused_says_how(
    websocket: Any, raw_app: Any, hear: Any, status: str
) -> None:
    url = await raw_app(f"HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\ngone".encode())
    error, words = STATUSES[status]
    with pytest.raises(error, match=words):
        await hear(websocket(url=url), "hi")


async def test_a_redirect_is_not_followed(websocket: Any, raw_app: Any, hear: Any) -> None:
    answer = (
        b"HTTP/1.1 302 Found\r\nLocation: ws://other.invalid/x?token=y\r\nContent-Length: 0\r\n\r\n"
    )
    url = await raw_app(answer)
    with pytest.raises(AppProtocolError, match=r"redirects to ws://other\.invalid/x\?…: if that"):
        await hear(websocket(url=url), "hi")


async def test_a_redirect_to_nowhere_is_told(websocket: Any, raw_app: Any, hear: Any) -> None:
    url = await raw_app(b"HTTP/1.1 302 Found\r\nLocation: ws://[bad\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(AppProtocolError, match="302 Found"):
        await hear(websocket(url=url), "hi")


GARBAGE = {
    "no HTTP": b"\x00\x01\x02 what?\r\n\r\n",
    "nothing": b"",
    "half a head": b"HTTP/1.1 101 Switch",
    "a wrong key": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
    "endless headers": b"HTTP/1.1 101 Switching\r\n" + b"X: y\r\n" * 5_000,
}


@pytest.mark.parametrize("raw", GARBAGE.values(), ids=GARBAGE.keys())
async def test_a_handshake_that_is_none_is_an_app_error(
    websocket: Any, raw_app: Any, hear: Any, raw: bytes
) -> None:
    with pytest.raises((AppProtocolError, AppCrash)):
        await hear(websocket(url=await raw_app(raw)), "hi")


async def test_a_subprotocol_that_was_not_offered_is_refused(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    def respond(connection: Any, request: Any, response: Any) -> None:
        response.headers["Sec-WebSocket-Protocol"] = "other"

    server = await app(echo, process_response=respond)
    with pytest.raises(AppProtocolError, match="no subprotocol is agreed on"):
        await hear(websocket(url=server.url, subprotocols=["chat"]), "hi")


async def test_a_connection_that_drops_instead_of_an_answer_is_a_crash(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        wire.drop()

    server = await app(talk)
    connector = websocket(url=server.url, reconnect={"dropped": True})
    with pytest.raises(AppCrash, match="the connection was dropped"):
        await hear(connector, "hi")
    assert len(server.got) == 1, "a message that the app may have taken is never sent twice"


async def test_a_connection_that_drops_inside_an_answer_is_a_crash(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "half of"})
        wire.drop()

    server = await app(talk)
    with pytest.raises(AppCrash, match="the connection was dropped"):
        await hear(websocket(url=server.url), "hi")


async def test_a_connection_that_was_dropped_before_is_a_crash(
    websocket: Any, app: Any, hear: Any, case: Case
) -> None:
    async def talk(wire: Any) -> None:
        wire.drop()

    server = await app(talk)
    async with websocket(url=server.url).open(case) as session:
        await news(session)
        with pytest.raises(AppCrash, match="dropped"):
            await session.send(Say(text="hi"))


CODES = {
    1011: (AppCrash, "the app closed the connection with 1011: why not"),
    1013: (AppCrash, "1013: why not"),
    1002: (AppProtocolError, "1002: why not"),
    1008: (AppProtocolError, "1008: why not"),
    4000: (AppCrash, "4000: why not"),
}


@pytest.mark.parametrize("code", CODES)
async def test_a_close_code_says_what_went_wrong(
    websocket: Any, app: Any, hear: Any, code: int
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.close(code, "why not")

    server = await app(talk)
    error, words = CODES[code]
    with pytest.raises(error, match=words):
        await hear(websocket(url=server.url), "hi")


async def test_closing_before_the_conversation_is_a_crash(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.close(1000)

    server = await app(talk)
    with pytest.raises(AppCrash, match="before the conversation"):
        await hear(websocket(url=server.url, ready="$.ready"), "hi")


async def test_an_answer_that_never_comes_is_a_timeout(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"type": "typing"}]))
    ignore = {"at": "$.type", "equals": "typing"}
    connector = websocket(url=server.url, ignore=ignore, timeout={"idle_s": 0.2, "close_s": 0.2})
    with pytest.raises(AppTimeout, match=r"no answer: nothing came for 0\.2 s"):
        await hear(connector, "hi")


async def test_an_answer_that_never_ends_is_a_timeout(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        while True:
            await wire.send({"text": "and"})
            await asyncio.sleep(0.02)

    server = await app(talk)
    connector = websocket(url=server.url, timeout={"turn_s": 0.4, "close_s": 0.2})
    with pytest.raises(AppTimeout, match=r"no complete answer within 0\.4 s"):
        await hear(connector, "hi")


async def test_an_end_mark_that_never_comes_is_a_timeout(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"text": "one"}]))
    connector = websocket(
        url=server.url, over={"end": "$.done"}, timeout={"idle_s": 0.2, "close_s": 0.2}
    )
    with pytest.raises(AppTimeout, match=r"nothing came for 0\.2 s"):
        await hear(connector, "hi")


async def test_an_app_that_is_never_ready_is_a_timeout(
    websocket: Any, app: Any, echo: Any, hear: Any
) -> None:
    server = await app(echo)
    connector = websocket(url=server.url, ready="$.ready", timeout={"idle_s": 0.2})
    with pytest.raises(AppTimeout, match=r"not ready: nothing came for 0\.2 s"):
        await hear(connector, "hi")


async def test_a_flood_is_a_protocol_error(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        while True:
            await wire.send({"text": "and"})
            await asyncio.sleep(0)

    server = await app(talk)
    connector = websocket(url=server.url, max_messages=50)
    with pytest.raises(AppProtocolError, match="more than 50 messages came and the answer was not"):
        await hear(connector, "hi")


async def test_a_flood_between_two_messages_takes_no_memory(
    websocket: Any, app: Any, case: Case
) -> None:
    sent = 0

    async def talk(wire: Any) -> None:
        nonlocal sent
        while True:
            await wire.send({"text": "x" * 10_000})
            sent += 10_000
            await asyncio.sleep(0)

    server = await app(talk, compression=None)
    async with websocket(url=server.url, max_messages=10).open(case):
        await asyncio.sleep(0.5)
    assert sent < 20_000_000, "the app was read without bounds"


async def test_a_huge_message_is_a_protocol_error(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"text": "x" * 200_000}]))
    with pytest.raises(AppProtocolError, match=r"larger than 100,000 bytes \(max_bytes\)"):
        await hear(websocket(url=server.url, max_bytes=100_000), "hi")


async def test_a_message_that_unpacks_to_something_huge_is_a_protocol_error(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([json.dumps({"text": "0" * 50_000_000})]), compression="deflate")
    with pytest.raises(AppProtocolError, match="larger than"):
        await hear(websocket(url=server.url), "hi")


async def test_many_messages_that_are_huge_together_are_a_protocol_error(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"text": "x" * 60_000}, {"text": "y" * 60_000}]))
    with pytest.raises(AppProtocolError, match="the answer is larger than 100,000 bytes"):
        await hear(websocket(url=server.url, max_bytes=100_000), "hi")


NOT_MESSAGES = {
    "not JSON": ("hello <b>", "the reply is not JSON"),
    "binary garbage": (b"\xff\xfe\x00\x01", "the reply is not utf-8 text"),
    "not a number": ('{"text": NaN}', "NaN is not JSON"),
    "nested": ("[" * 5_000 + "]" * 5_000, "nested deeper than 100 levels"),
    "deeply nested": ("[" * 200_000 + "]" * 200_000, "nested deeper than 100 levels"),
    "another shape": ({"msg": {"a": 1}}, "nothing is at text, reply, message"),
    "an object for a text": ({"reply": 1, "text": {"a": 1}}, "nothing is at|an object is at"),
}


@pytest.mark.parametrize("sort", NOT_MESSAGES)
async def test_what_makes_no_sense_is_a_protocol_error(
    websocket: Any, app: Any, script: Any, hear: Any, sort: str
) -> None:
    sent, words = NOT_MESSAGES[sort]
    reply = {"text": "$.text"} if sort == "an object for a text" else {}
    server = await app(script([sent]))
    with pytest.raises(AppProtocolError, match=words):
        await hear(websocket(url=server.url, reply=reply, **COUNT), "hi")


async def test_a_frame_that_breaks_the_protocol_is_a_protocol_error(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        wire.connection.transport.write(b"\xff\xff\xff\xff garbage")
        await wire.connection.wait_closed()

    server = await app(talk)
    with pytest.raises(AppProtocolError, match="what came is no WebSocket message"):
        await hear(websocket(url=server.url), "hi")


async def test_text_frames_that_are_not_utf8_are_a_protocol_error(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.connection.send(b"\xff\xfe", text=True)
        await wire.connection.wait_closed()

    server = await app(talk)
    with pytest.raises(AppProtocolError):
        await hear(websocket(url=server.url), "hi")


async def test_an_error_that_the_app_reports_is_a_crash(
    websocket: Any, app: Any, script: Any, hear: Any
) -> None:
    server = await app(script([{"type": "oops", "error": {"why": "no database"}}]))
    connector = websocket(
        url=server.url, answers={"at": "$.type", "equals": "say"}, reply={"error": "$.error"}
    )
    with pytest.raises(AppCrash, match=r"the app reports an error: .*no database"):
        await hear(connector, "hi")


async def test_an_app_that_answers_no_ping_is_a_timeout(
    websocket: Any, tcp_app: Any, hear: Any
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        (key,) = (line[19:] for line in head.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
        magic = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(magic.encode()).digest()).decode()
        writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )
        await reader.read()  # and never a word

    url = await tcp_app(talk)
    ping = {"every_s": 0.1, "timeout_s": 0.1}
    with pytest.raises(AppTimeout, match="no answer to a ping"):
        await hear(websocket(url=url, ping=ping), "hi")


async def test_an_app_that_does_not_close_is_left_in_time(
    websocket: Any, app: Any, case: Case
) -> None:
    left = asyncio.Event()

    async def talk(wire: Any) -> None:
        wire.connection.transport.pause_reading()
        await left.wait()  # for ever, if the connector waits for the app

    server = await app(talk, close_timeout=0.1)
    async with websocket(url=server.url, timeout={"close_s": 0.3}).open(case):
        pass
    left.set()


async def test_hostile_texts_arrive_as_they_are_or_are_refused(
    websocket: Any, app: Any, hear: Any
) -> None:
    async def talk(wire: Any) -> None:
        for text in hostile.TEXTS:
            await wire.recv()
            await wire.send({"text": text, "buttons": [{"title": text, "payload": text}, text]})
        await wire.connection.wait_closed()

    server = await app(talk)
    connector = websocket(
        url=server.url,
        reply={"text": "$.text", "choices": "$.buttons"},
        max_bytes=10_000_000,
        **COUNT,
    )
    heard = await hear(connector, *["hi"] * len(hostile.TEXTS))
    assert [one.text for one in heard] == [hostile.storable(text) for text in hostile.TEXTS]


SECRET = "s3cr3t-value-of-mine"


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "/chat?api_key=" + SECRET},
        {"url": "/chat", "headers": {"Authorization": f"Bearer {SECRET}"}},
        {"url": "/chat", "query": {"token": SECRET}},
        {"url": "/chat", "open": {"auth": {"token": SECRET}}},
    ],
    ids=["url", "header", "query", "body"],
)
async def test_no_message_shows_a_secret(
    websocket: Any, app: Any, hear: Any, settings: dict[str, Any]
) -> None:
    async def talk(wire: Any) -> None:
        await wire.send(f"who is {SECRET}?")
        await wire.connection.wait_closed()

    server = await app(talk)
    settings = {**settings, "url": server.url.removesuffix("/chat") + settings["url"]}
    with pytest.raises(AppError) as caught:
        await hear(websocket(**settings), "hi")
    assert SECRET not in str(caught.value)
    assert "***" in str(caught.value)


async def test_the_probe_finds_an_app_that_is_there(
    websocket: Any, app: Any, echo: Any, nobody: str
) -> None:
    server = await app(echo)
    await websocket(url=server.url).probe()
    with pytest.raises(AppUnreachable):
        await websocket(url=nobody).probe()
    with pytest.raises(AppTimeout, match="not ready"):
        await websocket(url=server.url, ready="$.ready", timeout={"idle_s": 0.1}).probe()


async def _accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Shake hands, and read nothing more."""
    head = await reader.readuntil(b"\r\n\r\n")
    key = next(
        line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")
    )
    magic = key.partition(b":")[2].strip() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(magic).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )


FLOODS = {
    "pings": (b"\x89\x7d" + b"x" * 125, "more than 1,000 pings in 10 s"),
    "pongs": (b"\x8a\x00", "more than 1,000 pings in 10 s"),
    "empty fragments": (b"\x00\x00", "larger than 1,000,000 bytes"),
}


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_flood_of_small_frames_ends_the_connection(
    websocket: Any, tcp_app: Any, hear: Any, kind: str
) -> None:
    frame, words = FLOODS[kind]
    sent = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await _accept(reader, writer)
        writer.write(b"\x01\x00" if kind == "empty fragments" else b"")
        while True:
            writer.write(frame * 1_000)
            sent += 1_000
            await writer.drain()

    url = await tcp_app(talk)
    with pytest.raises(AppProtocolError, match=words):
        await hear(websocket(url=url), "hi")
    assert sent * len(frame) < 20_000_000, "the app was read without bounds"


async def test_a_ping_now_and_then_is_no_flood(websocket: Any, app: Any, hear: Any) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        for _ in range(200):
            await wire.connection.ping()
        await wire.send({"text": "hello"})
        await wire.connection.wait_closed()

    server = await app(talk)
    [answer] = await hear(websocket(url=server.url, **COUNT), "hi")
    assert answer.text == "hello"


async def test_messages_that_come_unasked_are_not_kept_without_bounds(
    websocket: Any, app: Any, case: Case
) -> None:
    async def talk(wire: Any) -> None:
        await wire.recv()
        await wire.send({"text": "hello"})
        for _ in range(100):
            await wire.send({"text": "x" * 90_000})
        await wire.connection.wait_closed()

    server = await app(talk)
    connector = websocket(url=server.url, max_bytes=100_000, **COUNT)
    async with connector.open(case) as session:
        assert (await session.send(Say(text="hi"))).text == "hello"
        await asyncio.sleep(0.2)
        with pytest.raises(AppProtocolError, match="came unasked"):
            await session.send(Say(text="and now?"))
