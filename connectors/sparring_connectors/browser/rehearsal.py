"""Copies of a session for trials: the act `rehearse` opens a fresh context, and leaves it again."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from pydantic import JsonValue

from sparring.model.page import PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import Act, GuiAction, Observation


class Copy(Protocol):
    """A session of its own, as far as trials need it."""

    latest: PageSnapshot | None

    async def send(self, act: Act) -> Observation:
        """Do an act in the copy."""
        ...

    async def finish(self, *, failed: bool) -> None:
        """Close the copy."""
        ...


Open = Callable[[], Awaitable[Copy]]
_BLANK = PageSnapshot(url="about:blank")


class Rehearsal:
    """The copy of a session in which acts are tried, while there is one.

    `rehearse` takes `begin` (a copy with no page yet), `afresh` (the same, after the app's data
    were put back), `end` (back to the session, as it was) and `stay` (the copy takes its place).
    """

    def __init__(self, open_copy: Open, reset: Callable[[], Awaitable[bool]]) -> None:
        self._open_copy = open_copy
        self._reset = reset
        self._copy: Copy | None = None
        self._stays = False

    async def send(self, act: Act, shown: PageSnapshot | None) -> Observation | None:
        """Return the answer of the copy, or None if an act is for the session itself.

        `shown` is the page that the session showed last.
        """
        if isinstance(act, GuiAction) and act.action == "rehearse":
            return await self._rehearse(act, shown or _BLANK)
        return None if self._copy is None else await self._copy.send(act)

    async def _rehearse(self, act: GuiAction, shown: PageSnapshot) -> Observation:
        copy = self._copy
        match act.value:
            case "begin" | "afresh" if copy is None or self._stays:
                if act.value == "afresh" and not await self._reset():
                    return _refuse("rehearse afresh: this app has no `reset`")
                await self.close()
                self._copy = await self._open_copy()
                return _show_page(_BLANK)
            case "end" if copy is not None and not self._stays:
                await self.close()
                return _show_page(shown)
            case "stay" if copy is not None:
                self._stays = True
                return _show_page(copy.latest or _BLANK)
            case _:
                return _refuse(f"rehearse {act.value}: no such act now")

    async def close(self) -> None:
        """Close the copy if there is one."""
        copy, self._copy, self._stays = self._copy, None, False
        if copy is not None:
            await copy.finish(failed=False)


def _show_page(page: PageSnapshot) -> Observation:
    return Observation(page=PageView(snapshot=page))


def _refuse(reason: str) -> Observation:
    details: dict[str, JsonValue] = {"why": "invalid", "action": "rehearse"}
    event = PageEvent(kind=PageEventKind.REFUSED, at_s=0.0, text=reason, details=details)
    return Observation(page=PageView(snapshot=_BLANK, events=(event,), hit=False))
