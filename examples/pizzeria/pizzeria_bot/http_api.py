"""The bot over HTTP, a thread per connection.

======  ========================  ===========================================================
POST    /sessions                 ``{"customer": text?}`` → 201 ``{session, greeting}``
POST    /sessions/{id}/messages   ``{"text": …}`` or ``{"choice": …}`` →
                                  200 ``{messages: [{text, buttons, link}], ended}``
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, sessions}``
GET     /menu                     → 200, the menu as plain text
======  ========================  ===========================================================

Every error is ``{"error": text}`` with 400 (not understood), 404, 405, 409 (the conversation is
over), 411, 413 or 500.
"""

import re
import time
from collections.abc import Set as AbstractSet
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

from botkit.json_api import JsonHandler, customer_of, said
from botkit.serving import LocalServer, Refused

from pizzeria_bot import menu
from pizzeria_bot.replies import Reply
from pizzeria_bot.sessions import Sessions
from pizzeria_bot.weak_spots import WeakSpot

_SESSION = re.compile(r"/sessions/([\w-]{1,40})(/messages)?")


class PizzeriaServer(LocalServer):
    """The server; `slow_ms` is added to every turn, for tests of testing tools."""

    def __init__(
        self, address: tuple[str, int], *, weak: AbstractSet[WeakSpot], slow_ms: int = 0
    ) -> None:
        super().__init__(address, Handler)
        self.sessions = Sessions(weak)
        self.slow_ms = slow_ms


class Handler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Open a conversation, take a turn in it, close it; health and menu."""
        shop, found = cast("PizzeriaServer", self.server), _SESSION.fullmatch(path)
        match method:
            case "GET" if path == "/health":
                return HTTPStatus.OK, {"status": "ok", "sessions": len(shop.sessions)}
            case "GET" if path == "/menu":
                return HTTPStatus.OK, menu.page()
            case "POST" if path == "/sessions":
                return HTTPStatus.CREATED, _opened(shop, customer_of(body))
            case "POST" if found and found[2]:
                return HTTPStatus.OK, _turn(shop, found[1], said(body))
            case "DELETE" if found and not found[2]:
                if not shop.sessions.close(found[1]):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
                return HTTPStatus.NO_CONTENT, None
            case _ if found or path in ("/health", "/menu", "/sessions"):
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")


def _opened(shop: PizzeriaServer, customer: str | None) -> dict[str, Any]:
    session = shop.sessions.open(customer)
    return {"session": session.id, "greeting": session.conversation.greet()}


def _turn(shop: PizzeriaServer, name: str, text: str) -> dict[str, Any]:
    session = shop.sessions.get(name)
    if session is None:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
    with session.lock:
        if session.conversation.ended:
            raise Refused(HTTPStatus.CONFLICT, "this conversation is over")
        time.sleep(shop.slow_ms / 1000)
        return _shown(session.conversation.answer(text))


def _shown(reply: Reply) -> dict[str, Any]:
    return {"messages": [asdict(message) for message in reply.messages], "ended": reply.ended}
