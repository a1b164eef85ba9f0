"""Every way in which an app can fail, told apart, with messages that help and hold no secret."""

import asyncio
import gzip
import json
import socket
import sys
import threading
import time
import zlib
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import brotli
import pytest

from sparring.errors import (
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    ConfigurationError,
)
from sparring.model.case import Case
from sparring.model.talk import GuiAction, Observation, Say

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = pytest.mark.anyio

NO_RETRY = {"attempts": 1}


async def hear(connector: Any, case: Case, *texts: str) -> Observation:
    async with connector.open(case) as session:
        for text in texts[:-1]:
            await session.send(Say(text=text))
        return await session.send(Say(text=texts[-1] if texts else "hello"))


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
async def test_a_server_error_is_a_crash(
    rest: Any, serve: Any, case: Case, answer: Any, status: int
) -> None:
    server = serve(lambda request: answer(b"Traceback (most recent call last)", status=status))
    with pytest.raises(AppCrash) as caught:
        await hear(rest(url=server.url + "/chat"), case)
    message = str(caught.value)
    assert message.startswith(f"POST {server.url}/chat: answered {status}")
    assert "Traceback" in message
    assert len(server.requests) == 1


DROPS = {
    "no byte": b"",
    "inside the head": b"HTTP/1.1 200 OK\r\nContent-Ty",
    "inside the body": b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"text": "h',
    "inside a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nabc",
}


@pytest.mark.parametrize("raw", DROPS.values(), ids=DROPS.keys())
async def test_a_dropped_connection_is_a_crash_and_the_message_is_not_repeated(
    rest: Any, serve: Any, case: Case, answer: Any, raw: bytes
) -> None:
    server = serve(lambda request: answer(raw=raw))
    with pytest.raises(AppCrash, match="the connection was dropped"):
        await hear(rest(url=server.url), case)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "limits"),
    [("silence", {"read_s": 0.2}), ("silence", {"turn_s": 0.2}), ("drip", {"turn_s": 0.2})],
)
async def test_an_answer_that_does_not_come_in_time_is_a_timeout(
    rest: Any, serve: Any, case: Case, answer: Any, kind: str, limits: dict[str, float]
) -> None:
    late = answer(hang=True) if kind == "silence" else answer(endless=b" ")
    server = serve(lambda request: late)
    with pytest.raises(AppTimeout, match=rf"^POST {server.url}: n.* 0\.2 s"):
        await hear(rest(url=server.url, timeout=limits), case)
    # on a busy machine the time may be over before the request has come
    assert len(server.requests) <= 1, "the message was sent again"


async def test_a_refused_connection_is_tried_again_and_then_unreachable(
    rest: Any, case: Case, closed_port: int
) -> None:
    connector = rest(url=f"http://127.0.0.1:{closed_port}/chat", retry={"wait_s": 0.01})
    with pytest.raises(
        AppUnreachable, match=rf"POST http://127.0.0.1:{closed_port}/chat: no connection: refused"
    ):
        await hear(connector, case)
    with pytest.raises(AppUnreachable, match="no connection"):
        await connector.probe()


async def test_a_server_that_comes_up_in_the_meantime_is_reached(
    rest: Any, serve: Any, case: Case, closed_port: int
) -> None:
    async def late() -> Any:
        await asyncio.sleep(0.05)

        async def talk(reader: Any, writer: Any) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + b'{"text": "here"}')
            writer.close()

        return await asyncio.start_server(talk, "127.0.0.1", closed_port)

    starting = asyncio.create_task(late())
    connector = rest(
        url=f"http://127.0.0.1:{closed_port}", retry={"attempts": 50, "max_wait_s": 0.05}
    )
    assert (await hear(connector, case)).text == "here"
    (await starting).close()


async def test_an_unknown_host_is_unreachable(rest: Any, case: Case) -> None:
    with pytest.raises(AppUnreachable, match=r"POST http://bot\.invalid/: no connection: .*known"):
        await hear(rest(url="http://bot.invalid/", retry=NO_RETRY), case)


async def test_plain_http_behind_https_is_unreachable_and_said_so(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"text": "x"})
    connector = rest(url=server.url.replace("http:", "https:"), retry=NO_RETRY)
    with pytest.raises(AppUnreachable, match=r"no secure connection.*does it speak https"):
        await hear(connector, case)


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "check the body"),
        (401, "check the credentials"),
        (403, "check the credentials"),
        (404, "check url and path"),
        (405, "check the method"),
        (415, "check body_as"),
        (418, "418"),
        (422, "check the body's keys"),
        (304, "304 Not Modified"),
    ],
)
async def test_a_refusal_says_what_to_check_and_whose_it_is(
    rest: Any, serve: Any, case: Case, answer: Any, status: int, hint: str
) -> None:
    server = serve(lambda request: answer(b"" if status == 304 else b"no way", status=status))
    settings = status in (401, 403, 404, 405, 415)
    with pytest.raises(ConfigurationError if settings else AppProtocolError, match=hint):
        await hear(rest(url=server.url), case)


async def test_an_address_that_is_gone_in_the_middle_is_the_apps_fault(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    statuses = iter([200, 404])
    server = serve(lambda request: answer(b'{"text": "x"}', status=next(statuses)))
    async with rest(url=server.url).open(case) as session:
        await session.send(Say(text="hello"))
        with pytest.raises(AppProtocolError, match="check url and path"):
            await session.send(Say(text="hello again"))


async def test_a_rate_limit_is_no_fault_of_the_app(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(lambda request: answer(b"slow down", status=429))
    with pytest.raises(AppUnreachable, match=r"429.*slow down.*lower the concurrency"):
        await hear(rest(url=server.url, retry=NO_RETRY), case)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("wait", "attempts"), [("0", 3), ("99", 1), ("date", 3), ("rubbish", 3), (None, 3)]
)
async def test_what_the_suite_declares_safe_is_sent_again(
    rest: Any, serve: Any, case: Case, answer: Any, wait: str | None, attempts: int
) -> None:
    past = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    headers = [("Retry-After", past if wait == "date" else wait)] if wait else []

    def bot(request: Any) -> Any:
        return {"text": "ok"} if len(server.requests) == 3 else answer(status=429, headers=headers)

    server = serve(bot)
    connector = rest(
        url=server.url, retry={"on": [429, 503], "attempts": 3, "wait_s": 0.01, "max_wait_s": 30}
    )
    if attempts == 3:
        assert (await hear(connector, case)).text == "ok"
    else:
        with pytest.raises(AppUnreachable, match="429"):
            await hear(connector, case)
    assert len(server.requests) == attempts


@pytest.mark.parametrize(("method", "sent"), [("GET", 3), ("POST", 1)])
async def test_without_a_declaration_only_reading_requests_are_sent_again(
    rest: Any, serve: Any, case: Case, answer: Any, method: str, sent: int
) -> None:
    server = serve(lambda request: answer(status=503, headers=[("Retry-After", "0")]))
    connector = rest(url=server.url, method=method, query={"q": "{text}"}, retry={"wait_s": 0.01})
    with pytest.raises(AppCrash, match="503"):
        await hear(connector, case)
    assert len(server.requests) == sent


async def test_a_dropped_message_is_sent_again_only_where_the_suite_says_so(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    def bot(request: Any) -> Any:
        return {"text": "ok"} if len(server.requests) == 2 else answer(raw=b"")

    server = serve(bot)
    connector = rest(url=server.url, retry={"dropped": True, "wait_s": 0.01})
    assert (await hear(connector, case)).text == "ok"


def zip_bomb() -> bytes:
    """300 MB: after a full flush equal blocks have equal codes, so one is made and repeated."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, again = (
        squeezer.compress(b" " * 1_000_000) + squeezer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    return first + again * 299


def brotli_bomb() -> bytes:
    """300 MB, in two kilobytes."""
    packer = brotli.Compressor(quality=2)  # the best one takes four seconds
    return b"".join(packer.process(b" " * 1_000_000) for _ in range(300)) + packer.finish()


def zstd_bomb() -> bytes:
    """300 MB, with the largest window that a decoder takes by default."""
    window = {zstd.CompressionParameter.window_log: 27}
    packer = zstd.ZstdCompressor(options=window)
    return b"".join(packer.compress(b" " * 1_000_000) for _ in range(300)) + packer.flush()


def many_layers() -> bytes:
    packed = b"x" * 1_000_000
    for _ in range(20):
        packed = gzip.compress(packed)
    return packed


HOSTILE: dict[str, tuple[bytes, list[tuple[str, str]], str]] = {
    "ten megabytes": (b'{"text": "' + b"x" * 10_000_000 + b'"}', [], "larger than 1,000,000 bytes"),
    "a gzip bomb": (zip_bomb(), [("Content-Encoding", "gzip")], "larger than 1,000,000 bytes"),
    "a brotli bomb": (brotli_bomb(), [("Content-Encoding", "br")], "larger than 1,000,000 bytes"),
    "a zstd bomb": (zstd_bomb(), [("Content-Encoding", "zstd")], "larger than 1,000,000 bytes"),
    "packed twenty times": (
        many_layers(),
        [("Content-Encoding", ", ".join(["gzip"] * 20))],
        "cannot be decompressed",
    ),
    "not really brotli": (b"\xff" * 20, [("Content-Encoding", "br")], "cannot be decompressed"),
    "not really zstd": (b"abc", [("Content-Encoding", "zstd")], "cannot be decompressed"),
    "a slow encoding": (
        b"a" * 500_000 + b"-" + b"a0" * 200_000,
        [("Content-Type", "text/plain; charset=punycode")],
        "not JSON",
    ),
    "not really gzip": (b"abc", [("Content-Encoding", "gzip")], "cannot be decompressed"),
    "brackets without end": (b"[" * 100_000, [], "nested deeper than 100 levels"),
    "closed brackets": (b"[" * 100_000 + b"]" * 100_000, [], "nested deeper than 100 levels"),
    "deep objects": (b'{"text":' * 500 + b"1" + b"}" * 500, [], "nested deeper than 100 levels"),
    "invalid UTF-8": (b'{"text": "\xff\xfe"}', [], r"not utf-8 text \(byte 11\)"),
    "NaN": (b'{"text": NaN}', [], "NaN is not JSON"),
    "a web page": (b"<html>\x1b[31m oops", [("Content-Type", "text/html")], r"text/html\): <html>"),
    "cut JSON": (b'{"text": "a', [], "not JSON"),
    "a number of 5000 digits": (b'{"text": ' + b"9" * 5000 + b"}", [], "not JSON"),
    "other keys": (b'{"antwort": "Hallo", "id": 1}', [], "has the keys antwort, id"),
    "a number": (b"42", [], "which has a number"),
    "an object as text": (b'{"text": {"a": 1}}', [], r"an object is at \$\.text"),
    "a foreign encoding": (b"\xff", [("Content-Type", "a; charset=utf-16")], "not utf-16 text"),
}


@pytest.mark.parametrize(("body", "headers", "said"), HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_hostile_reply_is_a_protocol_error(
    rest: Any, serve: Any, case: Case, answer: Any, body: bytes, headers: Any, said: str
) -> None:
    server = serve(lambda request: answer(body, headers=headers))
    connector = rest(url=server.url, reply={"text": "$.text"})
    with pytest.raises(AppProtocolError, match=said) as caught:
        await hear(connector, case)
    message = str(caught.value)
    assert message.startswith(f"POST {server.url}: ")
    assert message.isprintable(), "control characters reach the terminal"
    assert len(message) < 600


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"text": "\\u001b[2J\\u0000 \\ud800 <script>"}', "\x1b[2J\x00 ? <script>"),
        (b'{"text": "first", "text": "last"}', "last"),
        (b'\xef\xbb\xbf{"text": "after a mark"}', "after a mark"),
        (b'{"text": 1e999}', "Infinity"),
        (b'{"text": 3.50}', "3.5"),
        (b'{"text": ["a", null, "b", true]}', "a\nb\ntrue"),
    ],
)
async def test_odd_replies_that_are_legal_are_taken(
    rest: Any, serve: Any, case: Case, body: bytes, text: str
) -> None:
    server = serve(lambda request: body)
    connector = rest(url=server.url, reply={"text": "$.text", "payload": "$"})
    seen = await hear(connector, case)
    assert seen.text == text
    assert json.loads(seen.model_dump_json())


@pytest.mark.parametrize(
    ("name", "pack"),
    [("gzip", gzip.compress), ("br", brotli.compress), ("zstd", zstd.compress)],
    ids=["gzip", "br", "zstd"],
)
async def test_compressed_replies_are_asked_for_and_read(
    rest: Any, serve: Any, case: Case, answer: Any, name: str, pack: Any
) -> None:
    body = pack(b'{"text": "small"}')
    server = serve(lambda request: answer(body, headers=[("Content-Encoding", name)]))
    assert (await hear(rest(url=server.url), case)).text == "small"
    assert name in server.requests[0].headers["accept-encoding"].split(", ")


async def test_a_reply_without_end_is_cut_off(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(lambda request: answer(endless=b"x" * 60_000))
    with pytest.raises(AppProtocolError, match="larger than 100,000 bytes"):
        await hear(rest(url=server.url, max_bytes=100_000), case)


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\xff: \x00\r\n\r\n",
    ],
)
async def test_what_is_not_http_is_a_protocol_error(
    rest: Any, serve: Any, case: Case, answer: Any, raw: bytes
) -> None:
    server = serve(lambda request: answer(raw=raw))
    with pytest.raises(AppProtocolError, match="the reply is not HTTP"):
        await hear(rest(url=server.url), case)


async def test_an_error_reported_with_a_good_status_is_a_crash(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"error": "no model\x1b[31m"})
    with pytest.raises(AppCrash, match=r"the app reports an error: no model\\x1b\[31m"):
        await hear(rest(url=server.url, reply={"text": "$.text", "error": "$.error"}), case)


@pytest.mark.parametrize("good", [None, False, "", {}, []])
async def test_an_empty_error_is_none(rest: Any, serve: Any, case: Case, good: Any) -> None:
    server = serve(lambda request: {"text": "ok", "error": good})
    connector = rest(url=server.url, reply={"text": "$.text", "error": "$.error"})
    assert (await hear(connector, case)).text == "ok"


async def test_an_unexpected_shape_may_be_declared_silence(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"status": "ok"})
    connector = rest(url=server.url, reply={"text": "$.text", "strict": False})
    assert await hear(connector, case) == Observation()


SESSIONS = {
    "missing": ({"text": "x"}, r"no session id at \$\.id"),
    "an object": ({"text": "x", "id": {"a": 1}}, "the session id in the reply is an object"),
    "endless": ({"text": "x", "id": "i" * 9000}, "9,000 characters"),
}


@pytest.mark.parametrize(("reply", "said"), SESSIONS.values(), ids=SESSIONS.keys())
async def test_an_unfit_session_id_is_a_protocol_error(
    rest: Any, serve: Any, case: Case, reply: Any, said: str
) -> None:
    server = serve(lambda request: reply)
    opened = {"path": "/new", "reply": {"session": "$.id"}}
    for settings in ({"open": opened}, {"reply": {"text": "$.text", "session": "$.id"}}):
        with pytest.raises(AppProtocolError, match=said):
            await hear(rest(url=server.url, **settings), case)


async def test_a_session_id_cannot_smuggle_headers_or_paths(
    rest: Any, serve: Any, case: Case
) -> None:
    ids = iter(["a\r\nX-Evil: 1", "../../admin", "é"])
    server = serve(lambda r: {"id": next(ids)} if r.path == "/new" else {"text": r.target})
    opened = {"path": "/new", "reply": {"session": "$.id"}}
    with pytest.raises(AppProtocolError, match=r"'X-S' cannot be sent in a header"):
        await hear(rest(url=server.url, open=opened, headers={"X-S": "{session}"}), case)
    connector = rest(url=server.url, open=opened, path="/s/{session}/say")
    assert (await hear(connector, case)).text == "/s/..%2F..%2Fadmin/say"
    assert (await hear(connector, case)).text == "/s/%C3%A9/say"


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://evil.invalid/steal", "redirects to http://evil.invalid/steal, which is another"),
        ("https://127.0.0.1/x", "which is another server"),
        ("/loop", "no more than 2 redirects"),
        ("http://x:port/", "no address"),
    ],
)
async def test_a_redirect_elsewhere_is_not_followed(
    rest: Any, serve: Any, case: Case, answer: Any, location: str, said: str
) -> None:
    server = serve(lambda request: answer(status=308, headers=[("Location", location)]))
    connector = rest(url=server.url, redirects=2, headers={"Authorization": "Bearer abcdef"})
    with pytest.raises(AppProtocolError, match=said):
        await hear(connector, case)


SECRETS = ["sk-header-1234", "q-key-5678", "c00kie-value", "hunter2pw", "path-token-9999"]
SECRETS.append(b64encode(f"user:{SECRETS[3]}".encode()).decode())


async def test_no_message_holds_a_secret(
    rest: Any, serve: Any, case: Case, answer: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("MY_BOT_TOKEN", SECRETS[4])
    replies = [
        answer((" ".join(SECRETS)).encode(), status=status) for status in (401, 403, 500, 429, 302)
    ] + [answer(b"not json " + " ".join(SECRETS).encode()), answer(raw=b""), answer(hang=True)]
    replies[4].headers.append(("Location", f"http://evil.invalid/{SECRETS[4]}?k={SECRETS[1]}"))
    left = iter(replies)
    server = serve(lambda request: next(left))
    connector = rest(
        url=f"http://user:{SECRETS[3]}@127.0.0.1:{server.port}/bot/{SECRETS[4]}/say",
        headers={"X-Authorization": f"Bearer {SECRETS[0]}"},
        query={"api_key": SECRETS[1]},
        cookies={"consent": SECRETS[2]},
        timeout={"read_s": 0.1},
        retry={"attempts": 1},
    )
    for _ in replies:
        with pytest.raises((AppError, ConfigurationError)) as caught:
            await hear(connector, case)
        chain = repr(caught.value), str(caught.value), repr(caught.value.__cause__)
        assert not [secret for secret in SECRETS for text in chain if secret in text]
        assert f"POST http://127.0.0.1:{server.port}/bot/***/say" in str(caught.value)
    headers = server.requests[0].headers
    assert headers["x-authorization"] == f"Bearer {SECRETS[0]}"
    assert headers["authorization"] == f"Basic {SECRETS[5]}"


async def test_a_failing_probe_says_what_is_wrong(rest: Any, serve: Any, answer: Any) -> None:
    server = serve(lambda request: answer(status=500 if request.path == "/" else 404))
    with pytest.raises(AppCrash, match=f"GET {server.url}/?: answered 500"):
        await rest(url=server.url + "/").probe()
    with pytest.raises(AppProtocolError, match="answered 404"):
        await rest(url=server.url, probe={"path": "/health"}).probe()


async def test_page_actions_are_refused(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"text": "x"})
    async with rest(url=server.url).open(case) as session:
        with pytest.raises(ConfigurationError, match="texts and choices"):
            await session.send(GuiAction(action="click"))


async def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(
    rest: Any, serve: Any, case: Case, monkeypatch: Any
) -> None:
    proxy = serve(lambda request: {"text": "through the proxy"})
    server = serve(lambda request: {"text": "direct"})
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    assert (await hear(rest(url=server.url), case)).text == "direct"
    assert (await hear(rest(url="http://bot.invalid/"), case)).text == "through the proxy"
    with pytest.raises(AppUnreachable):
        await hear(rest(url="http://bot.invalid/", proxies=False, retry=NO_RETRY), case)


async def test_a_proxy_that_cannot_be_used_is_told_before_the_run(
    rest: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://me:hunter2@proxy.invalid:1")
    with pytest.raises(
        ConfigurationError, match=r"the proxy .* cannot be used .* proxies: false"
    ) as e:
        rest(url="http://bot.invalid/")
    assert "hunter2" not in str(e.value)
    assert rest(url="http://bot.invalid/", proxies=False)


async def test_a_certificate_file_that_is_none_is_told_before_the_run(
    rest: Any, tmp_path: Any
) -> None:
    bad = tmp_path / "ca.pem"
    bad.write_text("not a certificate")
    with pytest.raises(ConfigurationError, match="a certificate cannot be used"):
        rest(url="https://127.0.0.1:1/", tls={"ca_file": str(bad)})


async def test_a_message_that_was_refused_for_its_rate_is_sent_again(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    """The app says with 429 that it has not taken the message, so that a POST is safe, too."""
    headers = [("Retry-After", "0")]

    def bot(request: Any) -> Any:
        return {"text": "ok"} if len(server.requests) == 3 else answer(status=429, headers=headers)

    server = serve(bot)
    connector = rest(url=server.url, retry={"wait_s": 0.01})
    assert (await hear(connector, case)).text == "ok"
    assert len(server.requests) == 3
    server.requests.clear()
    with pytest.raises(AppUnreachable, match="429"):
        await hear(rest(url=server.url, retry={"on": [503], "wait_s": 0.01}), case)
    assert len(server.requests) == 1, "a suite that names statuses means these"


@pytest.mark.thorough  # windows of 0.3 s: a busy machine overdraws some
async def test_the_quota_that_an_app_announces_is_not_overdrawn(
    rest: Any, serve: Any, answer: Any
) -> None:
    left, renewed_at, lock = [10], [0.0], threading.Lock()

    def bot(request: Any) -> Any:
        with lock:
            if time.monotonic() > renewed_at[0]:
                left[0], renewed_at[0] = 10, time.monotonic() + 0.3
            left[0] -= 1
            if left[0] < 0:
                return answer(status=429)
            reset_s = max(0.0, renewed_at[0] - time.monotonic())
            headers = [("RateLimit-Remaining", f"{left[0]}"), ("RateLimit-Reset", f"{reset_s:.3f}")]
            return answer({"text": "ok"}, headers=headers)

    server = serve(bot)
    connector = rest(url=server.url, retry={"wait_s": 0.01, "attempts": 10})
    case = Case.of("many", {}, run_seed=0)
    await hear(connector, case)  # the first answer says how many requests are left
    heard = await asyncio.gather(*(hear(connector, case) for _ in range(39)))
    assert all(observation.text == "ok" for observation in heard)
    assert len(server.requests) <= 46  # 41 as a rule; without its quota the app refuses 9 to 15


async def test_many_sessions_find_out_together_what_an_app_takes_at_once(
    rest: Any, serve: Any, answer: Any
) -> None:
    lock, now = threading.Lock(), [0, 0]

    def bot(request: Any) -> Any:
        with lock:
            now[0] += 1
            refused = now[0] > 3
            now[1] += refused
        time.sleep(0 if refused else 0.02)
        with lock:
            now[0] -= 1
        return answer(status=429) if refused else {"text": "ok"}

    server = serve(bot)
    connector = rest(url=server.url, retry={"wait_s": 0.01, "attempts": 10})
    cases = [Case.of("many", {"n": number}, run_seed=0) for number in range(20)]
    heard = await asyncio.gather(*(hear(connector, case) for case in cases for _ in range(6)))
    assert all(observation.text == "ok" for observation in heard)
    assert now[1] <= 0.05 * len(server.requests)
