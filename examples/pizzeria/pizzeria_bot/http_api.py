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

import time
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from botkit.sessions import Session, Sessions
from botkit.talking import TalkHandler, TalkServer

from pizzeria_bot import menu
from pizzeria_bot.dialogue import Conversation
from pizzeria_bot.weak_spots import WeakSpot


class PizzeriaServer(TalkServer):
    """The server; `slow_ms` is added to every turn, for tests of testing tools."""

    def __init__(
        self, address: tuple[str, int], *, weak: AbstractSet[WeakSpot], slow_ms: int = 0
    ) -> None:
        super().__init__(address, TalkHandler)
        self.sessions = Sessions(lambda customer: Conversation(customer, weak))
        self.slow_ms = slow_ms

    def pages(self) -> Mapping[str, Any]:
        """The menu, too."""
        return {**super().pages(), "/menu": menu.page()}

    def greeting(self, session: Session[Any]) -> dict[str, Any]:
        """One text, and no messages."""
        return {"greeting": session.conversation.greet()}

    def before_turn(self) -> None:
        """Be slow."""
        time.sleep(self.slow_ms / 1000)
