"""A bot over HTTP, a thread per connection; the requests are those of the pizzeria.

======  ========================  ==========================================================
POST    /sessions                 ``{"customer": text?}`` → 201 ``{session, messages}``
POST    /sessions/{id}/messages   ``{"text": …}`` or ``{"choice": …}`` →
                                  200 ``{messages: [{text, buttons}], ended}``
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, name, sessions}``
======  ========================  ==========================================================

Every error is ``{"error": text}`` with 400, 404, 405, 409 (the conversation is over), 411, 413 or
500.
"""

import re
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

from botkit.definition import Bot
from botkit.json_api import JsonHandler, customer_of, said
from botkit.replies import Reply
from botkit.serving import LocalServer, Refused
from botkit.sessions import Sessions

_SESSION = re.compile(r"/sessions/([\w-]{1,40})(/messages)?")


class BotServer(LocalServer):
    """Serves one bot."""

    def __init__(self, address: tuple[str, int], bot: Bot) -> None:
        super().__init__(address, Handler)
        self.bot = bot
        self.sessions = Sessions(bot)


class Handler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Open a conversation, take a turn in it, close it."""
        server, found = cast("BotServer", self.server), _SESSION.fullmatch(path)
        match method:
            case "GET" if path == "/health":
                known = {"name": server.bot.name, "sessions": len(server.sessions)}
                return HTTPStatus.OK, {"status": "ok", **known}
            case "POST" if path == "/sessions":
                return HTTPStatus.CREATED, self._open(server, customer_of(body))
            case "POST" if found and found[2]:
                return HTTPStatus.OK, self._turn(server, found[1], said(body))
            case "DELETE" if found and not found[2]:
                if not server.sessions.close(found[1]):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
                return HTTPStatus.NO_CONTENT, None
            case _ if found or path in ("/health", "/sessions"):
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _open(self, server: BotServer, customer: str | None) -> dict[str, Any]:
        session = server.sessions.open(customer)
        return {"session": session.id, **_shown(session.conversation.greet())}

    def _turn(self, server: BotServer, name: str, text: str) -> dict[str, Any]:
        session = server.sessions.get(name)
        if session is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
        with session.lock:
            if session.conversation.ended:
                raise Refused(HTTPStatus.CONFLICT, "this conversation is over")
            return _shown(session.conversation.answer(text))


def _shown(reply: Reply) -> dict[str, Any]:
    return {"messages": [asdict(message) for message in reply.messages], "ended": reply.ended}
