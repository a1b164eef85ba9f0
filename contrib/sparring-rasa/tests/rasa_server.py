"""A Rasa server as its testers meet it: the REST channel and the API, over a project's own files.

It speaks the protocol as Rasa 3.6 does (paths, statuses, bodies, credentials, sessions by sender,
commands such as /restart) and plays rules, stories and forms. What it lacks is learning: an intent
is the one with the example that shares most words with what was said.
"""

import base64
import hashlib
import hmac
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from sparring_rasa.flows import Flow
from sparring_rasa.project import Project, read_project

HOTEL = Path(__file__).with_name("hotel")


@dataclass
class Tracker:
    """One conversation."""

    slots: dict[str, Any] = field(default_factory=dict)
    form: str | None = None
    asked: str | None = None
    intents: list[str] = field(default_factory=list)


class Assistant:
    """What the project's files make of what is said."""

    def __init__(self, folder: Path) -> None:
        self.project: Project = read_project(folder)
        self.responses = yaml.safe_load((folder / "domain.yml").read_text())["responses"]
        self.trackers: dict[str, Tracker] = {}
        self.said: list[tuple[str, str]] = []
        self.lock = threading.Lock()

    def answer(self, sender: str, message: str) -> list[dict[str, Any]]:
        with self.lock:
            self.said.append((sender, message))
            if message == "/restart":
                self.trackers.pop(sender, None)
                return []
            tracker = self.trackers.setdefault(sender, Tracker())
            names = self._actions(tracker, message)
            return [
                {"recipient_id": sender, **part}
                for name in names
                for part in self._utter(name, tracker)
            ]

    def _actions(self, tracker: Tracker, message: str) -> list[str]:
        if message == "/session_start":
            return ["utter_greet"]
        intent, entities = self._parse_message(message)
        if tracker.form:
            return self._fill_slots(tracker, message, intent, entities)
        tracker.intents.append(intent)
        for flow in self.project.flows:
            names = self._following(flow, tracker.intents)
            if names and names[0] in self.project.forms:
                tracker.form, tracker.slots = names[0], {}
                return self._fill_slots(tracker, "", intent, entities)
            if names:
                return [f"utter_{intent}" if name == "utter_faq" else name for name in names]
        return ["utter_default"]

    def _following(self, flow: Flow, intents: list[str]) -> list[str]:
        """The actions after the intents that a flow has, if those were the last ones."""
        for place, step in enumerate(flow.steps):
            before = tuple(s.name for s in flow.steps[: place + 1] if s.kind == "intent")
            said = tuple(intent.partition("/")[0] for intent in intents[-len(before) :])
            if step.kind == "intent" and before == said:
                names: list[str] = []
                for after in flow.steps[place + 1 :]:
                    if after.kind == "intent":
                        break
                    names.append(after.name)
                return names
        return []

    def _fill_slots(
        self, tracker: Tracker, message: str, intent: str, entities: dict[str, Any]
    ) -> list[str]:
        form = tracker.form
        assert form is not None
        for name in self.project.forms[form]:
            for rule in self.project.slots[name].mappings:
                if rule["type"] == "from_entity" and rule["entity"] in entities:
                    tracker.slots.setdefault(name, entities[rule["entity"]])
                elif (
                    rule["type"] == "from_intent"
                    and rule["intent"] == intent
                    and tracker.asked == name
                ):
                    tracker.slots[name] = rule["value"]
                elif rule["type"] == "from_text" and tracker.asked == name and message:
                    tracker.slots[name] = message
        for name in self.project.forms[form]:
            if name not in tracker.slots:
                tracker.asked = name
                return [f"utter_ask_{name}"]
        tracker.form = tracker.asked = None
        tracker.slots["booking_number"] = "B-4711"
        return ["utter_booked", "utter_number"]

    def _parse_message(self, message: str) -> tuple[str, dict[str, Any]]:
        if command := re.fullmatch(r"/(\w+)(\{.*\})?", message):
            return command[1], json.loads(command[2] or "{}")
        words = set(re.findall(r"\w+", message.lower()))
        best, score = "nlu_fallback", 0.34
        for intent, examples in self.project.training.examples.items():
            for example in examples:
                known = set(re.findall(r"\w+", example.text.lower()))
                shared = len(words & known) / max(1, len(words | known))
                if shared > score:
                    best, score = intent, shared
        entities: dict[str, Any] = {}
        for mention in self.project.training.mentions():
            if re.search(rf"\b{re.escape(mention.text.lower())}\b", message.lower()):
                entities[mention.entity] = mention.value
        for entity, values in self.project.training.lookups.items():
            found = [value for value in values if value.lower() in message.lower()]
            entities |= {entity: found[0]} if found else {}
        if number := re.search(r"\b\d+\b", message):
            entities["number"] = int(number[0])
        kinds = self.project.slots["room_type"].values
        for kind in kinds:
            if kind in message.lower():
                entities["room_type"] = kind
        return best, entities

    def _utter(self, name: str, tracker: Tracker) -> Iterator[dict[str, Any]]:
        """Messages as Rasa's collecting channel makes them: one for each kind of content."""
        for response in self.responses.get(name, [])[:1]:
            filled = json.loads(
                re.sub(r"\{(\w+)\}", lambda m: str(tracker.slots.get(m[1])), json.dumps(response))
                if "{" in str(response.get("text")) + str(response.get("custom"))
                else json.dumps(response)
            )
            if "buttons" in filled:
                yield {"text": filled["text"], "buttons": filled["buttons"]}
            elif "text" in filled:
                yield {"text": filled["text"]}
            for kind in ("custom", "image", "attachment"):
                if kind in filled:
                    yield {kind: filled[kind]}


class RasaServer:
    """The server; `api` says whether it was started with --enable-api."""

    def __init__(
        self,
        folder: Path = HOTEL,
        *,
        api: bool = True,
        token: str | None = None,
        jwt_secret: str = "",
    ) -> None:
        self.assistant = Assistant(folder)
        self.api, self.token, self.jwt_secret = api, token, jwt_secret
        self.requests: list[tuple[str, str, Any]] = []
        server = self

        class Handler(_Handler):
            rasa = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def may(self, query: dict[str, list[str]], bearer: str) -> bool:
        """Whether the API takes the credentials."""
        if self.token is None and not self.jwt_secret:
            return True
        if self.token is not None and query.get("token") == [self.token]:
            return True
        return bool(self.jwt_secret) and bearer == f"Bearer {signed(self.jwt_secret)}"


def signed(secret: str) -> str:
    """A JSON Web Token of an administrator (HS256)."""

    def encoded(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    claims = {"user": {"username": "tester", "role": "admin"}}
    head = encoded(b'{"alg":"HS256","typ":"JWT"}') + "." + encoded(json.dumps(claims).encode())
    digest = hmac.new(secret.encode(), head.encode(), hashlib.sha256).digest()
    return f"{head}.{encoded(digest)}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    rasa: RasaServer

    def do_GET(self) -> None:
        self._route(None)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._route(json.loads(raw or b"null"))

    def _route(self, body: Any) -> None:
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        self.rasa.requests.append((self.command, self.path, body))
        allowed = self.rasa.may(query, self.headers.get("Authorization", ""))
        if path == "/webhooks/rest/":
            self._json(200, {"status": "ok"})
        elif path == "/webhooks/rest/webhook" and body:
            self._json(200, self.rasa.assistant.answer(str(body["sender"]), str(body["message"])))
        elif self.rasa.api and path == "/version":
            self._json(200, {"version": "3.6.21", "minimum_compatible_version": "3.6.21"})
        elif self.rasa.api and not allowed:
            self._json(401, {"status": "failure", "reason": "NotAuthenticated", "code": 401})
        elif self.rasa.api and path == "/status":
            self._json(200, {"model_file": "hotel.tar.gz", "num_active_training_jobs": 0})
        elif self.rasa.api and (found := re.fullmatch(r"/conversations/(.+)/tracker/events", path)):
            if body == {"event": "restart"}:
                self.rasa.assistant.trackers.pop(found[1], None)
            self._json(200, {"sender_id": found[1], "slots": {}, "events": [body]})
        else:
            self._json(404, {"description": "Not Found", "status": 404})

    def _json(self, status: int, data: Any) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(**options: Any) -> Iterator[RasaServer]:
    """A server for a while."""
    server = RasaServer(**options)
    try:
        yield server
    finally:
        server.stop()
