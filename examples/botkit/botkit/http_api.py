"""A bot over HTTP, a thread per connection; the requests are those of `talking`."""

from collections.abc import Mapping
from typing import Any

from botkit.definition import Bot
from botkit.dialogue import Conversation
from botkit.matching import Matcher
from botkit.sessions import Sessions
from botkit.talking import TalkHandler, TalkServer


class BotServer(TalkServer):
    """Serves one bot."""

    def __init__(self, address: tuple[str, int], bot: Bot) -> None:
        super().__init__(address, TalkHandler)
        self.bot = bot
        matcher = Matcher(bot)
        self.sessions = Sessions(lambda customer: Conversation(bot, matcher, customer))

    def pages(self) -> Mapping[str, Any]:
        """The bot's name is that of its file."""
        health = {"status": "ok", "name": self.bot.name, "sessions": len(self.sessions)}
        return {"/health": health}
