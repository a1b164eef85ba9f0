"""JSON over HTTP, as the examples' servers speak it.

Every error is ``{"error": text}`` with the status of `Refused`, 400, 411, 413 or 500.
"""

import json
import traceback
from http import HTTPStatus
from typing import Any, cast

from botkit.serving import LocalHandler, Refused


class JsonHandler(LocalHandler):
    """One connection; override `route`."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """The status and the data to answer with; raises Refused.

        A text is answered as plain text, anything else as JSON, and None with nothing.
        """
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer by `route`."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Answer by `route`."""
        self._answer("POST")

    def do_DELETE(self) -> None:
        """Answer by `route`."""
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        try:
            status, answer = self.route(method, self.path.split("?")[0], self.body())
        except Refused as refused:
            status, answer = refused.status, {"error": str(refused)}
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - a crash of the app is one customer's error 500
            traceback.print_exc()
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "internal error"}
        self._send(status, answer)

    def _send(self, status: HTTPStatus, answer: Any) -> None:
        kind = "text/plain" if isinstance(answer, str) else "application/json"
        content = answer if isinstance(answer, str) else json.dumps(answer)
        body = b"" if answer is None else content.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def fields(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; nothing counts as an empty one. Raises Refused."""
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError) as err:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON") from err
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
    return cast("dict[str, Any]", found)


def text_of(body: bytes) -> str:
    """The text of a body ``{"text": ...}``; raises Refused."""
    text = fields(body).get("text")
    if not isinstance(text, str):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object with a text as 'text'")
    return text


def said(body: bytes) -> str:
    """The text of a body ``{"text": ...}`` or ``{"choice": ...}``; raises Refused."""
    given = fields(body)
    found = [given[key] for key in ("text", "choice") if given.get(key) is not None]
    if len(found) != 1 or not isinstance(found[0], str):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a text as 'text' or as 'choice'")
    return found[0]


def customer_of(body: bytes) -> str | None:
    """Who opens a conversation, by a body ``{"customer": ...}``; raises Refused."""
    customer = fields(body).get("customer")
    if customer is not None and not isinstance(customer, str):
        raise Refused(HTTPStatus.BAD_REQUEST, "'customer' must be a text")
    return customer
