"""The assistant over HTTP, a thread per connection.

======  ========================  ========================================================
POST    /ask                      ``{"text": …}`` → 200 ``{text, intent, language, query,
                                  items}``: one question, nothing is kept
POST    /sessions                 → 201 ``{session, text}``
POST    /sessions/{id}/messages   ``{"text": …}`` → 200, as ``/ask``, in a conversation
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, places}``
======  ========================  ========================================================

Every error is ``{"error": text}`` with 400, 404, 405, 411, 413 or 500.
"""

import re
import threading
from collections import OrderedDict
from http import HTTPStatus
from typing import Any, cast
from uuid import uuid4

from botkit.json_api import JsonHandler, text_of
from botkit.serving import LocalServer, Refused

from wayside.assistant import GREETING, Assistant
from wayside.places import all_places

MOST_SESSIONS = 10_000
_SESSION = re.compile(r"/sessions/([\w-]{1,40})(/messages)?")


class Sessions:
    """The conversations that are open; the oldest is forgotten where there are too many."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, tuple[Assistant, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def open(self) -> str:
        """Open one and return its name."""
        name = uuid4().hex
        with self._lock:
            self._open[name] = (Assistant(), threading.Lock())
            if len(self._open) > MOST_SESSIONS:
                self._open.popitem(last=False)
        return name

    def get(self, name: str) -> tuple[Assistant, threading.Lock]:
        """The assistant of one and its lock; raises Refused where it is not open."""
        with self._lock:
            found = self._open.get(name)
        if found is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
        return found

    def close(self, name: str) -> None:
        """Forget one; raises Refused where it is not open."""
        with self._lock:
            if self._open.pop(name, None) is None:
                raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")


class AssistantServer(LocalServer):
    """Serves the assistant."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, Handler)
        Assistant().answer("hello")  # everything is read before anybody asks
        self.sessions = Sessions()


class Handler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Ask, open a conversation, take a turn in one, close it."""
        sessions, found = cast("AssistantServer", self.server).sessions, _SESSION.fullmatch(path)
        match method:
            case "GET" if path == "/health":
                return HTTPStatus.OK, {"status": "ok", "places": len(all_places())}
            case "POST" if path == "/ask":
                return HTTPStatus.OK, Assistant().answer(text_of(body)).shown()
            case "POST" if path == "/sessions":
                return HTTPStatus.CREATED, {"session": sessions.open(), "text": GREETING}
            case "POST" if found and found[2]:
                assistant, lock = sessions.get(found[1])
                with lock:
                    return HTTPStatus.OK, assistant.answer(text_of(body)).shown()
            case "DELETE" if found and not found[2]:
                sessions.close(found[1])
                return HTTPStatus.NO_CONTENT, None
            case _ if found or path in ("/health", "/ask", "/sessions"):
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
