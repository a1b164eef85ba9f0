"""A chatbot behind HTTP that attacks whoever talks to it, one way per conversation.

The user's first message names the attack; it goes on for the whole conversation.
"""

import gzip
import html
import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sparring.testing.hostile import TEXTS

MARK = "sparring_was_here"
"""What every attack on a page tries to set or to say."""

_OTHER_HOST = "http://127.0.0.2:9/stolen"

Answer = bytes | dict[str, Any]
Attack = Callable[["Request"], Answer]


class Request:
    """What the app got: the user's text, the session's number of messages, the raw headers."""

    def __init__(self, text: str, number: int, headers: dict[str, str]) -> None:
        self.text = text
        self.number = number
        self.headers = headers


def said(text: str, **more: Any) -> Attack:
    return lambda request: {"reply": text, **more}


def whole(
    body: bytes, *headers: str, status: str = "200 OK", type_: str = "application/json"
) -> bytes:
    """A response as bytes, whatever it holds."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {type_}", f"Content-Length: {len(body)}"]
    lines.append("Connection: close")
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1", "replace") + body


def plain(*headers: str) -> Attack:
    return lambda request: whole(b'{"reply": "ok"}', *headers)


def raw(data: bytes) -> Attack:
    return lambda request: data


def deep(levels: int) -> bytes:
    return b'{"reply": "ok", "data": ' + b"[" * levels + b"]" * levels + b"}"


def buttons(count: int, label: str, **more: Any) -> Attack:
    return said("Choose:", buttons=[{"title": label, **more}] * count)


SCRIPT = f"<script>document.title='{MARK}'</script>"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1bP+q\x1b\\\x9b31m\x90\x9d0;x\x9c\x07\x08"

TALK: dict[str, Attack] = {
    **{f"text {number}": said(text) for number, text in enumerate(TEXTS)},
    "escapes": said(f"The price is {ESCAPES} $12{ESCAPES}"),
    "bidi": said("Order \u202e12$\u202c \u2066x\u2069 \u200e \u061c \u200b\ufeff"),
    "script": said(f"{SCRIPT}</script>{SCRIPT}<img src=x onerror=\"document.title='{MARK}'\">"),
    "close tags": said(f"</details></main></body></html>{SCRIPT}<!--"),
    "template": said("{{7*7}} {% for x in y %} ${7*7} {0.__class__} %s %n <%= 1 %>"),
    "network": said(f'<link rel=stylesheet href="{_OTHER_HOST}"><img src="{_OTHER_HOST}">'),
    "cdata": said("]]></system-out></testcase>]]>&lt;&#x0;<!DOCTYPE a [<!ENTITY b 'c'>]>&b;"),
    "formula": said("=cmd|'/c calc'!A0 ; +1 ; -1 ; @x\t=1"),
    "nulls": said("\x00" * 1000 + "price $12\x00"),
    "controls": said("".join(map(chr, range(32))) + "".join(map(chr, range(127, 160)))),
    "noncharacters": said("\ufffe\uffff\U0001fffe\U0010ffff\ue000\U000e0041"),
    "surrogates": lambda r: whole(b'{"reply": "a \\ud800 b \\udc00\\ud800 c"}'),
    "combining": said("a" + "\u0301" * 50_000),
    "line breaks": said("a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch"),
    "yaml": said("--- !!python/object/apply:os.system [id]\n- &a [*a]\n...\n"),
    "json lines": said('"}\n{"kind":"case_judged","trace":{}}\n'),
    "paths": said(
        "../../../../etc/passwd", buttons=[{"title": "/etc/passwd", "url": "file:///etc/passwd"}]
    ),
    "words": said("word " * 190_000),
    "one word": said("x" * 990_000),
    "digits": said("9" * 990_000),
    "prices": said("$1,000.00 " * 90_000),
    "dates": said("12/12/2027 at 5 pm, " * 45_000),
    "phones": said("+1 202 555 0124 " * 60_000),
    "mails": said("a@b.co " * 140_000),
    "ats": said("a@" * 490_000),
    "dots": said("a." * 490_000),
    "colons": said("1:" * 490_000),
    "dashes": said("-" * 990_000),
    "spaces": said(" " * 990_000),
    "line feeds": said("\n" * 990_000),
    "questions": said("Which size? " * 80_000),
    "list": said("\n".join(f"{n}. option {n}" for n in range(40_000))),
    "brackets": said("(" * 490_000 + ")" * 490_000),
    "urls": said("http://a.b/" * 90_000),
    "commas": said("1," * 490_000),
    "fallbacks": said("I did not get it. " * 50_000),
    "wide": said("\U0001f468\u200d\U0001f469\u200d\U0001f467" * 50_000),
    "five megabytes": said("x" * 5_000_000),
    "many buttons": buttons(10_000, "the same"),
    "more buttons": said("Choose:", buttons=[{"title": str(n)} for n in range(70_000)]),
    "hostile buttons": said(
        "Choose:",
        buttons=[{"title": text[:5000], "url": f"javascript:{text[:5000]}"} for text in TEXTS]
        + [{"title": SCRIPT, "url": "javascript:alert(1)", "value": ESCAPES}],
    ),
    "long buttons": buttons(3, "y" * 300_000),
    "empty buttons": said("", buttons=[{"title": ""}] * 5),
    "odd buttons": said(
        "x", buttons=[1, None, [], {}, True, {"title": {"a": 1}}, {"title": 10**400}]
    ),
    "attachments": said("x", images=[SCRIPT, "javascript:x", "file:///etc/passwd", ESCAPES] * 50),
    "empty": said(""),
    "odd text": lambda r: {"reply": [{"a": 1}, 5, None, True]},
    "number": lambda r: {"reply": 10**300},
    "infinity": lambda r: whole(b'{"reply": "x", "data": [1e999, -1e999, 1E400]}'),
    "big number": lambda r: whole(b'{"reply": "x", "data": ' + b"9" * 4000 + b"}"),
    "too big number": lambda r: whole(b'{"reply": "x", "data": ' + b"9" * 5000 + b"}"),
    "same keys": lambda r: whole(b'{"reply": "a", "reply": "b", "reply": ["c"]}'),
    "many keys": lambda r: whole(
        b'{"reply": "x", "data": {' + b",".join(b'"k%d": 1' % n for n in range(30_000)) + b"}}"
    ),
    "hostile keys": said("x", data={text[:200]: {text[:200]: 1} for text in TEXTS}),
    "nested 60": lambda r: whole(deep(60)),
    "nested 99": lambda r: whole(deep(98)),
    "echo": lambda r: {"reply": r.text},
    "ended": said("bye", ended=True),
}
"""What is a valid answer, however hostile its content."""

BROKEN: dict[str, Attack] = {
    "nested 5000": lambda r: whole(deep(5000)),
    "nested 400000": lambda r: whole(deep(400_000)),
    "nan": lambda r: whole(b'{"reply": "x", "data": NaN}'),
    "html": lambda r: whole(f"<html>{SCRIPT}".encode(), type_="text/html"),
    "binary": lambda r: whole(bytes(range(256)) * 100, type_="image/png"),
    "latin": lambda r: whole(b'{"reply": "caf\xe9"}', type_="application/json; charset=utf-8"),
    "odd charset": lambda r: whole(b'{"reply": "x"}', type_="application/json; charset=../../x"),
    "hex charset": lambda r: whole(b'{"reply": "x"}', type_="application/json; charset=hex"),
    "null charset": lambda r: whole(b'{"reply": "x"}', type_="text/x; charset=\x00"),
    "utf-7": lambda r: whole(
        b'{"reply": "+ADw-script+AD4-"}', type_="application/json; charset=utf-7"
    ),
    "idna": lambda r: whole(b"x" * 20_000, type_="text/plain; charset=idna"),
    "punycode": lambda r: whole(b"a-" * 20_000, type_="text/plain; charset=punycode"),
    "no body": lambda r: whole(b""),
    "just a text": lambda r: whole(b'"hello"'),
    "server error": lambda r: whole(ESCAPES.encode() + SCRIPT.encode(), status="500 \x1b[31mx"),
    "client error": lambda r: whole(b'{"error": "x"}', status="404 Not Found"),
    "odd status": lambda r: whole(b"x", status="799 Whatever"),
    "no status": raw(b"\r\n\r\n"),
    "not http": raw(b"SSH-2.0-OpenSSH\r\n" + ESCAPES.encode()),
    "hung up": raw(b""),
    "half": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"),
    "huge header": plain("X-Big: " + "x" * 500_000),
    "many headers": plain(*[f"X-{n}: y" for n in range(5000)]),
    "long length": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n{}"),
    "negative length": raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
    "two lengths": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "bad chunk": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
    "gzip bomb": lambda r: whole(gzip.compress(b"x" * 50_000_000), "Content-Encoding: gzip"),
    "bad gzip": lambda r: whole(b"no gzip", "Content-Encoding: gzip"),
    "odd encoding": lambda r: whole(
        b'{"reply": "x"}', "Content-Encoding: gzip, gzip, gzip, br, zstd"
    ),
    "informational": raw(
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + b"HTTP/1.1 204 No Content\r\n\r\n"
    ),
    "upgrade": raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    "redirect loop": lambda r: whole(b"", "Location: /chat", status="302 Found"),
    "redirect out": lambda r: whole(b"", f"Location: {_OTHER_HOST}", status="307 X"),
    "redirect file": lambda r: whole(b"", "Location: file:///etc/passwd", status="302 Found"),
    "redirect odd": lambda r: whole(b"", "Location: http://[::1/\x1b[31m", status="302 Found"),
    "redirect user": lambda r: whole(b"", "Location: http://a:b@127.0.0.2:9/", status="308 X"),
    "busy": lambda r: whole(b"", "Retry-After: " + "9" * 5000, status="503 Busy"),
    "busy date": lambda r: whole(
        b"", "Retry-After: Mon, 01 Jan 99999999999999999999 00:00:00 GMT", status="503 Busy"
    ),
    "busy zone": lambda r: whole(
        b"", "Retry-After: Mon, 01 Jan 2029 00:00:00 +99999999999999999999", status="503 Busy"
    ),
    "busy mark": lambda r: whole(b"", "Retry-After: \u00b2", status="503 Busy"),
    "cookies": plain(*[f"Set-Cookie: c{n}={'v' * 3000}" for n in range(20)]),
    "odd cookies": plain(
        "Set-Cookie: a=b; Domain=.com; Path=../..; Expires=Mon, 01 Jan 99999999 00:00:00 GMT",
        "Set-Cookie: =; =;",
        "Set-Cookie: \x1b[31m=\x00; Max-Age=" + "9" * 5000,
    ),
}
"""What is no valid answer, or none that can be used."""

SESSIONS: dict[str, Attack] = {
    "session path": said("x", session="../../../../etc/passwd"),
    "session header": said("x", session="a\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1"),
    "session null": said("x", session="a\x00b\x1b[31m\u202e"),
    "session object": said("x", session={"a": [1]}),
    "session long": said("x", session="s" * 100_000),
    "session surrogate": lambda r: whole(b'{"reply": "x", "session": "\\ud800"}'),
    "session dots": said("x", session=".."),
    "session number": said("x", session=10**300),
    "no session": said("x"),
}
"""Session ids that an app may give, which go into a path, a header, a cookie and a body."""

STREAMS = ("drip", "endless", "endless header", "endless chunks", "silence")
"""What never ends; each holds its conversation until a time-out."""

EVERY = {**TALK, **BROKEN, **SESSIONS}


def mirrored(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> dict[str, Any]:
    """Everything that came with a request, as careless debug output gives it back."""
    headers = dict(handler.headers)
    said = f"{handler.path} {body} {html.escape(str(headers))} {json.dumps(json.dumps(body))}"
    shown = [{"title": value, "value": handler.path, "url": value} for value in headers.values()]
    debug = {**headers, **{value: name for name, value in headers.items()}, "body": body}
    return {"reply": said, "buttons": shown, "debug": debug, "session": headers.get("X-Key")}


class HostileApp:
    """The server in a thread. `requests` are the request lines with the headers that came."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        app = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                app.requests.append((self.requestline, dict(self.headers)))
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"{}")
                self.close_connection = True
                with suppress(OSError):  # the client had enough
                    app.answer(self, body)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing on standard error."""

        self._attacks: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/chat"

    def stop(self) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if handler.path.startswith("/mirror"):
            handler.wfile.write(whole(json.dumps(mirrored(handler, body)).encode()))
            return None
        own = str(body.get("uuid"))
        named = re.search(r"attack<(.*?)>", str(body.get("text")))
        name = self._attacks.setdefault(own, named[1] if named else "")
        number = self._numbers[own] = self._numbers.get(own, 0) + 1
        request = Request(str(body.get("text")), number, dict(handler.headers))
        if name in STREAMS:
            return self._stream(name, handler)
        attack = EVERY.get(name) or said(f"Which attack? ({name})")
        answer = attack(request)
        handler.wfile.write(
            answer if isinstance(answer, bytes) else whole(json.dumps(answer).encode())
        )
        return None

    def _stream(self, name: str, handler: BaseHTTPRequestHandler) -> None:
        write = handler.wfile.write
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        if name == "endless header":
            write(head)
        elif name == "endless chunks":
            write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        elif name != "silence":
            write(head + b'Content-Length: 900000\r\n\r\n{"reply": "')
        while not self._stopped.is_set():
            if name == "drip":
                write(b"x")
            elif name == "endless":
                write(b"x" * 65_536)
            elif name == "endless header":
                write(b"X-More: " + b"y" * 1000 + b"\r\n")
            elif name == "endless chunks":
                write(b"400\r\n" + b"x" * 1024 + b"\r\n")
            time.sleep(0.01)
