"""The open conversations of a server, each on its own."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

MOST_OPEN = 10_000
"""Beyond this many the conversation that was opened first is given up."""


class Talk(Protocol):
    """A conversation with a bot."""

    @property
    def ended(self) -> bool:
        """Whether nothing more is said."""
        ...

    def greet(self) -> Any:
        """What the bot says first."""
        ...

    def answer(self, text: str) -> Any:
        """What the bot says to a text."""
        ...


TalkT = TypeVar("TalkT", bound=Talk)


@dataclass
class Session(Generic[TalkT]):
    """A conversation and the lock that keeps its turns in order."""

    id: str
    conversation: TalkT
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions(Generic[TalkT]):
    """All open conversations; safe to use from several threads.

    `begin` makes a conversation with a customer, of whom it gets the name.
    """

    def __init__(self, begin: Callable[[str], TalkT]) -> None:
        self._begin = begin
        self._open: OrderedDict[str, Session[TalkT]] = OrderedDict()
        self._opened = 0
        self._lock = threading.Lock()

    def open(self, customer: str | None = None) -> Session[TalkT]:
        """Begin a conversation; `customer` is whatever the caller wants to be known by."""
        with self._lock:
            self._opened += 1
            name = f"s{self._opened:05d}"
            session = self._open[name] = Session(name, self._begin(customer or name))
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return session

    def get(self, name: str) -> Session[TalkT] | None:
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
