"""Conversations over HTTP, as botkit's bots and the pizzeria's serve them.

======  ========================  ==========================================================
POST    /sessions                 ``{"customer": text?}`` → 201 ``{session, …}``
POST    /sessions/{id}/messages   ``{"text": …}`` or ``{"choice": …}`` →
                                  200 ``{messages: [{text, buttons, …}], ended}``
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, sessions, …}``
======  ========================  ==========================================================

Every error is ``{"error": text}`` with 400 (not understood), 404, 405, 409 (the conversation is
over), 411, 413 or 500.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

from botkit.json_api import JsonHandler, customer_of, said
from botkit.serving import LocalServer, Refused
from botkit.sessions import Session, Sessions

_SESSION = re.compile(r"/sessions/([\w-]{1,40})(/messages)?")


class TalkServer(LocalServer):
    """Serves conversations; a subclass has `sessions`, and may say more in the other three."""

    sessions: Sessions[Any]

    def pages(self) -> Mapping[str, Any]:
        """What there is to be read, by path."""
        return {"/health": {"status": "ok", "sessions": len(self.sessions)}}

    def greeting(self, session: Session[Any]) -> dict[str, Any]:
        """What is answered when a conversation is opened, beside its name."""
        return shown(session.conversation.greet())

    def before_turn(self) -> None:
        """What comes before each answer, while other turns of the conversation wait."""


class TalkHandler(JsonHandler):
    """One connection."""

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """Open a conversation, take a turn in it, close it; or a page to be read."""
        server, found = cast("TalkServer", self.server), _SESSION.fullmatch(path)
        pages = server.pages()
        match method:
            case "GET" if path in pages:
                return HTTPStatus.OK, pages[path]
            case "POST" if path == "/sessions":
                session = server.sessions.open(customer_of(body))
                return HTTPStatus.CREATED, {"session": session.id, **server.greeting(session)}
            case "POST" if found and found[2]:
                return HTTPStatus.OK, _turn(server, found[1], said(body))
            case "DELETE" if found and not found[2]:
                if not server.sessions.close(found[1]):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
                return HTTPStatus.NO_CONTENT, None
            case _ if found or path in pages or path == "/sessions":
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")


def _turn(server: TalkServer, name: str, text: str) -> dict[str, Any]:
    session = server.sessions.get(name)
    if session is None:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
    with session.lock:
        if session.conversation.ended:
            raise Refused(HTTPStatus.CONFLICT, "this conversation is over")
        server.before_turn()
        return shown(session.conversation.answer(text))


def shown(reply: Any) -> dict[str, Any]:
    """A reply as data."""
    return {"messages": [asdict(message) for message in reply.messages], "ended": reply.ended}
