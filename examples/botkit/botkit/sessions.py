"""The open conversations of a server, each on its own."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from botkit.definition import Bot
from botkit.dialogue import Conversation
from botkit.matching import Matcher

MOST_OPEN = 10_000
"""Beyond this many the conversation that was opened first is given up."""


@dataclass
class Session:
    """A conversation and the lock that keeps its turns in order."""

    id: str
    conversation: Conversation
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions:
    """All open conversations with one bot; safe to use from several threads."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._matcher = Matcher(bot)
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._opened = 0
        self._lock = threading.Lock()

    def open(self, customer: str | None = None) -> Session:
        """Begin a conversation; `customer` is whatever the caller wants to be known by."""
        with self._lock:
            self._opened += 1
            name = f"s{self._opened:05d}"
            talk = Conversation(self._bot, self._matcher, customer or name)
            session = self._open[name] = Session(name, talk)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return session

    def get(self, name: str) -> Session | None:
        """The open conversation of that name."""
        with self._lock:
            return self._open.get(name)

    def close(self, name: str) -> bool:
        """Forget a conversation; whether there was one."""
        with self._lock:
            return self._open.pop(name, None) is not None

    def __len__(self) -> int:
        with self._lock:
            return len(self._open)
