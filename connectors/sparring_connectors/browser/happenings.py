"""What happens on the pages of a session, as it happens."""

import time
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from sparring.model.page import PageEvent, PageEventKind
from sparring_connectors.browser.variables import Variables

_MOST = 1000
_LONGEST = 2000


class Happenings:
    """Collects events and messages, without secrets and within bounds."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._began = time.monotonic()
        self._began_at = time.time()
        self._events: list[PageEvent] = []
        self._messages: list[PageEvent] = []
        self._known: dict[tuple[str, int], int] = {}

    def now_s(self) -> float:
        """Seconds since the session began."""
        return round(time.monotonic() - self._began, 3)

    def add(self, kind: PageEventKind, text: str = "", **details: JsonValue) -> None:
        """Something happened now."""
        if len(self._events) < _MOST:
            self._events.append(
                PageEvent(
                    kind=kind,
                    text=self._variables.hidden(text[:_LONGEST]),
                    at_s=self.now_s(),
                    details=self._variables.hidden_in(details),
                )
            )

    def note(self, told: Any) -> None:
        """A document tells of a message that is shown, or is gone; anything may call this."""
        try:
            key = (str(told["token"]), int(told["message"]))
            if "gone" in told:
                self._gone(key, float(told["gone"]))
            elif key not in self._known and len(self._messages) < _MOST:
                self._shown(key, str(told["text"]), float(told["at"]), str(told.get("source", "")))
        except (ValueError, TypeError, KeyError, OverflowError):
            return

    def taken(self) -> tuple[PageEvent, ...]:
        """The events since this was last asked."""
        events, self._events = self._events, []
        return tuple(events)

    @property
    def messages(self) -> Sequence[PageEvent]:
        """All messages since the session began."""
        return self._messages

    def _shown(self, key: tuple[str, int], text: str, at: float, source: str) -> None:
        shown = PageEvent(
            kind=PageEventKind.MESSAGE,
            text=self._variables.hidden(text[:_LONGEST]),
            at_s=self._since(at),
            details={"source": source},
        )
        self._known[key] = len(self._messages)
        self._messages.append(shown)
        self._events.append(shown)

    def _gone(self, key: tuple[str, int], at: float) -> None:
        index = self._known.get(key)
        if index is None or self._messages[index].gone_s is not None:
            return
        before = self._messages[index]
        gone = before.model_copy(update={"gone_s": max(self._since(at), before.at_s)})
        self._messages[index] = gone
        self._events = [gone if event is before else event for event in self._events]

    def _since(self, milliseconds: float) -> float:
        """Seconds since the session began, from a document's clock."""
        return round(min(max(milliseconds / 1000 - self._began_at, 0.0), self.now_s()), 3)
