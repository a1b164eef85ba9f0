"""The assistant over HTTP, a thread per connection.

======  ========================  ========================================================
POST    /ask                      ``{"text": …}`` → 200 ``{text, topic, skill, refused}``
GET     /health                   → 200 ``{status}``
======  ========================  ========================================================

Every error is ``{"error": text}`` with 400, 404, 405, 411, 413 or 500.
"""

from http import HTTPStatus
from typing import Any

from botkit.json_api import JsonHandler, text_of
from botkit.serving import LocalServer, Refused

from linnet.assistant import Assistant


class AssistantServer(LocalServer):
    """Serves the assistant."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, Handler)
        Assistant().answer("hello")  # everything is read before anybody asks


class Handler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Ask."""
        match method, path:
            case "GET", "/health":
                return HTTPStatus.OK, {"status": "ok"}
            case "POST", "/ask":
                return HTTPStatus.OK, Assistant().answer(text_of(body)).shown()
            case _, "/health" | "/ask":
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
