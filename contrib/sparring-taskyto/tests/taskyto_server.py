"""Taskyto's server as its testers meet it, over a chatbot's own modules, without a model.

Paths, bodies and statuses are those of the published server. Instead of asking a model, it takes
the question or menu item that shares most words with what was said, and asks for data one by one.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

from sparring_taskyto.modules import Chatbot, Module, read_chatbot

CINEMA = Path(__file__).with_name("cinema")


@dataclass
class Talk:
    """One conversation: the modules still to be gone through, and what was told."""

    steps: list[Module] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    asked: str | None = None


class Engine:
    """What the modules make of what is said."""

    def __init__(self, folder: Path) -> None:
        self.chatbot: Chatbot = read_chatbot(folder)

    def answer(self, talk: Talk, message: str) -> str:
        if message == "crash":
            raise RuntimeError("no model")
        if not talk.steps:
            answer = self._begun(talk, message)
            if answer is not None:
                return answer
        return self._gather_value(talk, message)

    def _begun(self, talk: Talk, message: str) -> str | None:
        choices: list[tuple[str, str | list[Module]]] = []
        for module in self.chatbot.modules.values():
            choices += list(module.questions)
            for item in module.items:
                steps = [self.chatbot.modules[name] for name in item.references]
                if steps and not steps[0].data:
                    continue  # a menu or questions, which are looked at themselves
                choices.append((item.title, item.answer or steps))
        words = _words(message)
        best = max(choices, key=lambda choice: len(words & _words(choice[0])))
        if not words & _words(best[0]):
            return self.chatbot.tops[0].fallback
        if isinstance(best[1], str):
            return best[1]
        talk.steps, talk.told, talk.asked = list(best[1]), {}, None
        return None

    def _gather_value(self, talk: Talk, message: str) -> str:
        said: list[str] = []
        while talk.steps:
            step = talk.steps[0]
            missing = [data for data in step.data if not self._tell(talk, data, message)]
            if missing:
                talk.asked = missing[0].name
                options = f" ({', '.join(missing[0].values)})" if missing[0].values else ""
                name = missing[0].name.replace("_", " ").replace("num ", "number of ")
                return "\n".join([*said, f"Please tell me the {name}{options}."])
            talk.steps.pop(0)
            said.append(_fill(step.response, talk.told))
        return "\n".join(said)

    def _tell(self, talk: Talk, data: Any, message: str) -> bool:
        """Whether it is known what was asked for, from this message or an earlier one."""
        found = next((value for value in data.values if value.lower() in message.lower()), None)
        if found is None and data.type == "integer":
            number = re.search(r"(?<![:\d])\b\d+\b(?!:)", message)
            found = number[0] if number else None
        if found is None and data.type == "time":
            time = re.search(r"\b\d{1,2}:\d{2}\b", message)
            found = time[0] if time else None
        if found is None and talk.asked == data.name and not data.values:
            found = message if data.type == "string" else None
        if found is not None and data.name not in talk.told:
            talk.told[data.name] = found
        return data.name in talk.told


class TaskytoServer:
    """The server; `greets` is how an older one answered a new conversation."""

    def __init__(self, folder: Path = CINEMA, *, greets: str | None = None) -> None:
        self.engine = Engine(folder)
        self.greets = greets
        self.talks: dict[str, Talk] = {}
        self.said: list[str] = []
        server = self

        class Handler(_Handler):
            taskyto = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def new(self) -> tuple[int, dict[str, str]]:
        name = str(uuid4())
        self.talks[name] = Talk()
        return 200, {"id": name, **({"message": self.greets} if self.greets else {})}

    def user_message(self, body: Any) -> tuple[int, dict[str, str]]:
        if not body or "id" not in body or "message" not in body:
            return 400, {"error": "400 Bad Request: Missing 'id' or 'message' in request"}
        if body["id"] not in self.talks:
            return 404, {"error": f"404 Not Found: Conversation with id {body['id']} not found"}
        self.said.append(body["message"])
        try:
            answer = self.engine.answer(self.talks[body["id"]], body["message"])
        except Exception as err:
            return 500, {"error": f"500 Internal Server Error: Error executing the engine: {err}"}
        return 200, {"id": body["id"], "type": "chatbot_response", "message": answer}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    taskyto: TaskytoServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/conversation/new":
            self._json(*self.taskyto.new())
        elif self.path == "/conversation/user_message":
            self._json(*self.taskyto.user_message(json.loads(raw or b"null")))
        else:
            self._json(404, {"error": "404 Not Found"})

    def _json(self, status: int, data: Any) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _fill(response: str, told: dict[str, str]) -> str:
    known = {**told, "result": "The price is 7 euros."}
    return re.sub(r"\{+(\w+)\}+", lambda found: known.get(found[1], ""), response)


def _words(text: str) -> set[str]:
    small = {"a", "an", "the", "to", "i", "is", "of", "can", "you", "me", "my", "do", "for", "how"}
    return {word.rstrip("s") for word in re.findall(r"\w+", text.lower())} - small


@contextmanager
def serving(**options: Any) -> Iterator[TaskytoServer]:
    """A server for a while."""
    server = TaskytoServer(**options)
    try:
        yield server
    finally:
        server.stop()
