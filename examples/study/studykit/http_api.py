"""Any of the assistants over HTTP, a thread per connection.

======  ========================  ========================================================
POST    /ask                      ``{"text": …}`` → 200 ``{text, …}``: one question, nothing
                                  is kept
GET     /health                   → 200 ``{status}``
======  ========================  ========================================================

Every error is ``{"error": text}`` with 400, 404, 405, 411, 413 or 500.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from botkit.json_api import JsonHandler, text_of
from botkit.serving import LocalServer, Refused

from studykit.answers import Assistant


class AssistantServer(LocalServer):
    """Serves an assistant; `make` opens a conversation."""

    def __init__(self, address: tuple[str, int], make: Callable[[], Assistant]) -> None:
        super().__init__(address, Handler)
        make().answer("hello")  # everything is read before anybody asks
        self.make = make


class Handler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Ask."""
        match method, path:
            case "GET", "/health":
                return HTTPStatus.OK, {"status": "ok"}
            case "POST", "/ask":
                assistant = cast("AssistantServer", self.server).make()
                return HTTPStatus.OK, assistant.answer(text_of(body)).shown()
            case _, "/health" | "/ask":
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
