"""Apps that give back all that they are sent, and suites with secrets planted in them.

A secret is planted in a setting of a connector, as a literal, from the environment by a name that
does not say that it is secret, or by ``--set``. It leaks if any form of it is in what a command
prints, or in any file of the run.
"""

import html
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus
from zipfile import ZipFile, is_zipfile

from websockets.sync.server import ServerConnection, serve


def given_back(sent: list[str]) -> str:
    """What was sent, plain and in the encodings in which programs write it."""
    texts = [*sent, *(quote(text, safe="") for text in sent), *map(quote_plus, sent)]
    texts += [b64encode(text.encode()).decode() for text in sent]
    texts += [html.escape(text) for text in sent]
    texts += [json.dumps(text) for text in sent]
    return " | ".join([*texts, json.dumps(json.dumps(sent))])


_PAGE = """<!DOCTYPE html><title>Parrot</title><h1>Parrot</h1><form action="/page">
<label>Name <input name="name"></label><button>Send</button></form><p>{}</p>
<script>console.error(document.querySelector('p').textContent)</script>"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        try:
            data = json.loads(body) if body else None
        except ValueError:
            data = body
        sent = [self.path, *self.headers.values(), *texts_in(data)]
        answer, status = self._reply(given_back(sent), data)
        raw, kind = json.dumps(answer).encode(), "application/json"
        if "/page" in self.path:
            raw, kind = _PAGE.format(html.escape(given_back(sent))).encode(), "text/html"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("X-Session", self.headers.get("X-Session-Key", "none"))
        self.end_headers()
        self.wfile.write(raw)

    def _reply(self, said: str, data: Any) -> tuple[Any, int]:
        if isinstance(data, dict) and "version" in data and "request" in data:
            speech = {"type": "PlainText", "text": said}
            return {"version": "1.0", "response": {"outputSpeech": speech}}, 200
        if "/auth/" in self.path:
            token = {"access_token": "t", "refresh_token": "t", "expires_in": 3600}
            return {**token, "token_type": "bearer", "scope": said}, 200
        if "/chat/completions" in self.path and "refused" not in self.path:
            message = {"role": "assistant", "content": said}
            return {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"}, 200
        status = 400 if "refused" in self.path or "/v2/" in self.path else 200
        return {
            "reply": said,
            "message": said,
            "debug": data,
            "error": said,
            "error_description": said,
        }, status

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


def texts_in(data: Any) -> Iterator[str]:
    """Every key and value of plain data, as text."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from texts_in(value)
    elif isinstance(data, list):
        for item in data:
            yield from texts_in(item)
    elif data is not None:
        yield str(data)


def _talk(connection: ServerConnection) -> None:
    request = connection.request
    assert request is not None
    for message in connection:
        said = given_back([request.path, *request.headers.values(), *texts_in(json.loads(message))])
        connection.send(json.dumps({"reply": said, "debug": json.loads(message)}))


@contextmanager
def parrots() -> Iterator[dict[str, str]]:
    """An app behind HTTP and one behind a WebSocket; gives their hosts with ports."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    sockets = serve(_talk, "127.0.0.1", 0)
    threads = [
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}),
        threading.Thread(target=sockets.serve_forever),
    ]
    for thread in threads:
        thread.start()
    try:
        yield {
            "HTTP": f"127.0.0.1:{http.server_port}",
            "WS": f"127.0.0.1:{sockets.socket.getsockname()[1]}",
        }
    finally:
        http.shutdown()
        http.server_close()
        sockets.shutdown()
        for thread in threads:
            thread.join()


@dataclass(frozen=True)
class Plant:
    """A secret: what is planted, under which key of the suite, and how the key is written.

    `text` is the setting's value, in which ``@`` stands for the secret and ``<at>`` for an at sign. `by` is ``literal``,
    ``set``, or the name of an environment variable. `also` are forms of the secret beyond the
    usual ones that would give it away.
    """

    id: str
    key: str
    secret: str
    by: str = "literal"
    text: str = "@"
    also: tuple[str, ...] = ()

    def forms(self) -> set[str]:
        """In what forms somebody could read it."""
        secret = self.secret
        forms = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), *self.also}
        forms |= {html.escape(secret), json.dumps(secret)[1:-1]}
        forms |= {json.dumps(json.dumps(secret)[1:-1])[1:-1]}
        if len(secret) >= 9:
            forms |= {b64encode(b"x" * n + secret.encode()).decode()[4:16] for n in range(3)}
        return forms


def planted(suite: dict[str, Any], plants: list[Plant]) -> tuple[dict[str, str], list[str]]:
    """Put the secrets into a suite's data; returns the environment and further arguments."""
    environment: dict[str, str] = {}
    arguments: list[str] = []
    for plant in plants:
        inner = plant.secret
        if plant.by not in ("literal", "set"):
            environment[plant.by] = plant.secret
            inner = "${" + plant.by + "}"
        value = plant.text.replace("@", inner).replace("<at>", "@")
        if plant.by == "set":
            arguments += ["--set", f"{plant.key}={value}"]
            continue
        place: Any = suite
        *keys, last = plant.key.split(".")
        for key in keys:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        place[int(last) if isinstance(place, list) else last] = value
    return environment, arguments


def leaks(plant: Plant, folder: Path, *outputs: str) -> list[str]:
    """Where the secret can be read, and in which form."""
    texts = {f"output {number}": output for number, output in enumerate(outputs)}
    for path in folder.rglob("*"):
        if path.is_file() and path.parent != folder and path.parent.name != "__pycache__":
            place = path.relative_to(folder).as_posix()
            texts[place] = path.read_bytes().decode("latin-1")
            texts[place + " (name)"] = path.name
            if is_zipfile(path):
                with ZipFile(path) as archive:
                    for name in archive.namelist():
                        texts[f"{place}: {name}"] = archive.read(name).decode("latin-1")
    return [
        f"{plant.id}: {form!r} in {where}"
        for where, text in texts.items()
        for form in sorted(plant.forms())
        if form in text or form.encode().decode("latin-1") in text
    ]


COMMON: dict[str, Any] = {
    "agent": {"use": "sparring.testing.fakes:FakePlayer", "lines": ["hello", "bye"]},
    "strategy": {"use": "sparring.testing.fakes:FakeStrategy"},
    "oracles": ["generic-failures", {"use": "rules", "files": "r.yaml"}],
    "reporters": ["console", "html", "junit", "jsonl", "csv"],
}
RULES = """
name: quotes_it
oracle: 1 == 2
yields: str(turns)
---
name: quotes_all
conversations: all
oracle: str([c.turns for c in conv])
"""
"""Rules that fail, and quote the whole conversation."""


MODELLED = {
    "llm": {"use": "openai", "model": "m", "base_url": "http://<host>/v1"},
    "oracles": [
        {
            "use": "fitness",
            "values": {"safe": {"use": "safety-model", "policy": ["It harms nobody."]}},
            "thresholds": {"safe": 0.5},
        }
    ],
}
"""What a suite adds whose answers a model judges."""


def apps(hosts: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Settings of a connector each, in which nothing is secret yet."""
    http, socket = hosts["HTTP"], hosts["WS"]
    reply = {"text": "$.reply", "payload": "$"}
    rest = {"use": "rest", "url": f"http://{http}/chat", "body": {"text": "{text}"}, "reply": reply}
    return {
        "rest": rest,
        "rest-refused": {**rest, "url": f"http://{http}/refused"},
        "websocket": {
            "use": "websocket",
            "url": f"ws://{socket}/",
            "body": {"text": "{text}"},
            "reply": reply,
        },
        "alexa": {
            "use": "alexa",
            "skill": {"folder": "skill", "endpoint": f"http://{http}/skill"},
        },
        "alexa-smapi": {
            "use": "alexa-smapi",
            "skill_id": "amzn1.ask.skill.1",
            "name": "counter",
            "client_id": "me",
            "client_secret": "x",
            "refresh_token": "x",
            "endpoint": f"http://{http}",
            "auth_endpoint": f"http://{http}",
        },
        "browser": {"use": "browser", "url": f"http://{http}/page", "reset": [{}]},
        "python": {"use": "python", "target": "parrot.py:reply"},
        "python-class": {"use": "python", "target": "parrot.py:Broken"},
        "chat-completions": {"use": "chat-completions", "url": f"http://{http}/v1", "model": "m"},
        "chat-refused": {
            "use": "chat-completions",
            "url": f"http://{http}/refused",
            "model": "m",
        },
        "cache": rest,
        "echo": {"use": "echo", "choices": ["x"]},
        "openai": {"use": "echo"},
    }


FIRST: dict[str, list[Plant]] = {
    "rest": [
        Plant("header-literal", "app.headers.Authorization", "kx-81aa0c-Zu", text="Bearer @"),
        Plant("header-by-place", "app.headers.X-Tenant", "tenant-eu-9931", "TENANT_NO"),
        Plant("cookie-literal", "app.cookies.sid", "s3ss10n-cook!e"),
        Plant("query-literal", "app.query.api_key", "q-lit/key+77="),
        Plant("query-by-place", "app.query.ticket", "tick et&4411", "TICKET"),
        Plant("body-nested", "app.body.auth.password", 'pa"ss\\word-1'),
        Plant("body-by-place", "app.body.ref", "ref-Ü-552871", "ORDER_REF"),
        Plant("short-literal", "app.body.pin", "47x1"),  # "4711" stands in ids by chance
        Plant("short-environment", "app.headers.X-Short", "q7z", "SHOP_KEY"),
        Plant("by-set", "app.headers.X-Api-Key", "set-on-line-31", "set"),
        Plant("open-request", "app.open.headers.X-Token", "open-tok-6620"),
    ],
    "rest-refused": [
        Plant(
            "user-in-url", "app.url", "Pa55-in-url", text="http://ada:@<at><host>/refused",
            also=(b64encode(b"ada:Pa55-in-url").decode(),),
        ),
    ],
    "websocket": [
        Plant("handshake-header", "app.headers.X-Auth", "ws-header-90x"),
        Plant("handshake-query", "app.query.room", "room-5n2-kappa", "ROOM"),
        Plant("message-body", "app.body.access_token", "ws-tok-5518-b"),
    ],
    "alexa": [
        Plant("endpoint-header", "app.skill.headers.X-Api-Key", "skill-key-4470"),
        Plant("linked-account", "app.user.access_token", "acct-0987-link"),
    ],
    "alexa-smapi": [
        Plant("client-secret", "app.client_secret", "amz-cl-secr-1"),
        Plant("refresh-token", "app.refresh_token", "Atzr|Iq-77-ref", "REFRESHER"),
    ],
}  # fmt: skip
"""The 19 of the first measurement."""

LONG = "long-" + "Zx9qW7" * 40
PEM = "-----BEGIN KEY-----\nMIIBVwIBADANBgkq\n-----END KEY-----"

FURTHER: dict[str, list[Plant]] = {
    "rest": [
        Plant("basic-header", "app.headers.Authorization", "wolke:Sieben-77",
              text="Basic " + b64encode(b"wolke:Sieben-77").decode(), also=("Sieben-77",)),
        Plant("proxy-header", "app.headers.Proxy-Authorization", "prx-0x55aa", text="Negotiate @"),
        Plant("signature", "app.query.sig", "c2ln+bmF0/dXJl=="),
        Plant("query-password", "app.query.password", "mot de passe é&1"),
        Plant("five-by-place", "app.query.shop", "x8k2p", "SHOP_NO"),
        Plant("three-cookie", "app.cookies.session", "j4§".replace("§", "v")),
        Plant("list-in-body", "app.body.logins.0.token", "li-tok-3391"),
        Plant("jwt-in-body", "app.body.jwt", "eyJhbGci.eyJzdWIi.c2lnbmF0"),
        Plant("passphrase", "app.body.passphrase", "first line\nsecond \"line\""),
        Plant("key-file-text", "app.body.private_key", PEM),
        Plant("numeric-pin", "app.body.pin", "482913"),
        Plant("credential-camel", "app.body.clientSecret", "camel-cs-71"),
        Plant("kebab-name", "app.body.x-api-key", "kebab-key-72"),
        Plant("long-by-place", "app.headers.X-Blob", LONG, "BLOB"),
        Plant("default-in-suite", "app.headers.X-Api-Token", "fall-back-9", text="${NOT_SET:-@}"),
        Plant("half-a-header", "app.headers.X-Both", "right-half-8", "HALF", text="left-@"),
        Plant("path-by-place", "app.path", "hook-T0099-zz", "HOOK", text="/in/@/post"),
        Plant("open-body", "app.open.body.password", "open-pw-<&>-1"),
        Plant("open-query", "app.open.query.code", "open-code-17", "OPEN_CODE"),
        Plant("open-cookie", "app.open.cookies.auth", "open-cook-18"),
        Plant("open-path", "app.open.path", "open-path-19", text="/login?secret=@"),
        Plant("close-header", "app.close.headers.X-Secret", "close-hdr-20"),
        Plant("close-body", "app.close.body.otp", "991-288"),
        Plant("set-in-body", "app.body.client_secret", "set-body-21", "set"),
        Plant("set-short", "app.query.token", "k2k9", "set"),
        Plant("set-cookie", "app.cookies.sid", "set-cook-23", "set"),
    ],
    "rest-refused": [
        Plant("token-in-url", "app.url", "url-tok-24", text="http://<host>/refused?access_token=@"),
        Plant("refused-header", "app.headers.X-Password", "refused-25"),
        Plant("refused-by-place", "app.headers.X-Where", "place-ref-26", "WHERE_TO"),
    ],
    "websocket": [
        Plant("ws-origin", "app.origin", "front-27.example", "FRONT", text="https://@"),
        Plant("ws-header-cookie", "app.headers.Cookie", "crumb-28", text="lang=en; sid=@"),
        Plant("ws-set-header", "app.headers.X-Key", "ws-set-29", "set"),
        Plant("ws-greeting", "app.open.0.token", "ws-open-30"),
        Plant("ws-body-by-place", "app.body.who", 'q"uo\\te-31', "WHO_ELSE"),
        Plant("ws-query-password", "app.query.pwd", "ws pwd+32"),
        Plant("ws-query-short", "app.query.key", "w33"),
    ],
    "alexa": [
        Plant("stored-attribute", "app.user.attributes.password", "attr-pw-34"),
        Plant("skill-environment", "app.skill.environment.DB_PASSWORD", "db-pw-35"),
        Plant("device-by-place", "app.device.id", "device-36-xyz", "DEVICE"),
        Plant("application", "app.skill.application_id", "amzn1.app.37", "WHICH_SKILL"),
        Plant("skill-url", "app.skill.endpoint", "skill-38-tok", text="http://<host>/s?key=@"),
        Plant("api-header", "app.skill.headers.Authorization", "Tok39-qq", text="Token @"),
    ],
    "alexa-smapi": [
        Plant("smapi-client", "app.client_id", "client-40-id", "CLIENT"),
        Plant("smapi-skill", "app.skill_id", "amzn1.skill.41", "SKILL_NO"),
        Plant("smapi-secret", "app.client_secret", "se/cr+et=42", "SMAPI_DOOR"),
    ],
    "echo": [
        Plant("echo-greeting", "app.greeting", "welcome-43-code", "WELCOME", text="Code @ ok"),
        Plant("echo-choice", "app.choices.0", "choice-44-code", "CHOICE"),
    ],
    "openai": [
        Plant("model-url", "llm.base_url", "llm-pw-45", text="http://ada:@<at><host>/refused"),
        Plant("model-extra", "llm.extra.api_key", "llm-extra-46"),
        Plant("model-environment", "llm.api_key_env", "llm-door-47", "MODEL_DOOR", text="MODEL_DOOR"),
    ],
}  # fmt: skip
"""Written down before anything was mended."""


MODULE = """
def reply(text, history=()):
    return text + " " + __import__("os").environ.get("SHOP_DOOR", "")


class Broken:
    def __init__(self, **settings):
        self.settings = settings

    def reply(self, text):
        raise RuntimeError(f"cannot log in with {self.settings!r}")
"""
"""Apps of one's own code; the second one's error has all its settings in it."""

STEPS = """
secrets: [door]
tests:
  - name: send
    steps:
      - "Type '%door%' in the field 'Name'"
      - "Click on 'Send'"
      - "Assert that 'Parrots of the world' is displayed"
"""

LATER: dict[str, list[Plant]] = {
    "browser": [
        Plant("page-header", "app.headers.X-Api-Key", "pg-key-101"),
        Plant("page-header-by-place", "app.headers.X-Tenant", "pg-ten-102", "PAGE_TENANT"),
        Plant("page-url", "app.url", "pg-url-103", text="http://<host>/page?token=@"),
        Plant("page-password", "app.credentials.password", "pg-cred-104"),
        Plant("page-user-by-place", "app.credentials.username", "pg-user-105", "PAGE_USER"),
        Plant("page-typed", "app.secrets.door", "pg typed&106", "PAGE_DOOR", text="PAGE_DOOR"),
        Plant("reset-header", "app.reset.0.headers.X-Admin-Token", "pg-reset-107"),
        Plant("reset-body", "app.reset.0.body.password", 'pg"reset-108'),
        Plant("reset-url", "app.reset.0.url", "pg-reset-109", text="/in?key=@"),
        Plant("agent-by-place", "app.user_agent", "pg-agent-110", "PAGE_AGENT"),
    ],
    "python": [
        Plant("greeting-by-place", "app.greeting", "py-greet-111", "PY_GREETING"),
    ],
    "python-class": [
        Plant("argument-password", "app.args.password", "py-pass-112"),
        Plant("argument-by-place", "app.args.shop", "py-shop-113", "PY_SHOP"),
        Plant("argument-nested", "app.args.login.api_key", "py-key'114"),
        Plant("argument-set", "app.args.token", "py-set-115", "set"),
        Plant("argument-quoted", "app.args.client_secret", "py\\sec\"116"),
        Plant("argument-short", "app.args.pin", "7q1"),
    ],
    "chat-completions": [
        Plant("completions-key", "app.api_key", "cc-key-117"),
        Plant("completions-header", "app.headers.X-Auth", "cc-head-118"),
        Plant("completions-by-place", "app.parameters.user", "cc-user-119", "CC_USER"),
        Plant("completions-system", "app.system", "cc-sys-120", "CC_SYSTEM", text="Door code @."),
        Plant("completions-set", "app.headers.X-Api-Key", "cc-set-121", "set"),
    ],
    "chat-refused": [
        Plant("completions-refused-key", "app.api_key", "cc-refused-122", "CC_DOOR"),
        Plant("completions-refused-header", "app.headers.X-Token", "cc-head-123"),
    ],
    "cache": [
        Plant("cached-header", "app.headers.X-Token", "ca-head-124"),
        Plant("cached-body", "app.body.password", "ca-body-125"),
        Plant("cached-key", "llm.extra.api_key", "ca-extra-126"),
        Plant("cached-by-place", "app.query.shop", "ca-place-127", "CACHED_SHOP"),
    ],
}  # fmt: skip
"""Written down when the browser, one's own code and the cache of answers were looked at."""
