"""Dialogs of JavaScript: alert, confirm, prompt, and whether a page may be left."""

import asyncio
from typing import Any

from playwright.async_api import Dialog
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring_connectors.browser.acting import Refused
from sparring_connectors.browser.happenings import Happenings
from sparring_connectors.browser.tabs import Tab

_YES = frozenset({"accept", "ok", "okay", "yes", "confirm", "true"})
_NO = frozenset({"dismiss", "cancel", "no", "false"})


class Dialogs:
    """Answers dialogs: with what was said for the next one, else by the suite's setting."""

    def __init__(self, happenings: Happenings, policy: str) -> None:
        self._happenings = happenings
        self._policy = policy
        self._prepared: list[tuple[bool, str | None]] = []
        self._open: tuple[Dialog, Tab | None] | None = None
        self.appeared = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether a dialog waits for an answer."""
        return self._open is not None

    async def asked(self, dialog: Dialog, tab: Tab | None) -> None:
        """A page shows a dialog."""
        if self._prepared:
            accepted, text = self._prepared.pop(0)
        elif self._policy == "ask" and dialog.type != "beforeunload":
            self._open = (dialog, tab)
            if tab is not None:
                tab.dialog = dialog
            self._note(dialog, None)
            self.appeared.set()
            return
        else:
            accepted, text = self._policy != "dismiss" or dialog.type == "beforeunload", None
        self._note(dialog, accepted)
        await _answered(dialog, accepted, text)

    async def answer(self, value: Any) -> None:
        """Answer the open dialog, or remember the answer for the next one."""
        accepted, text = _reading(value)
        if self._open is None:
            self._prepared.append((accepted, text))
            return
        dialog, tab = self._open
        self._open = None
        self.appeared.clear()
        if tab is not None:
            tab.dialog = None
        self._note(dialog, accepted)
        await _answered(dialog, accepted, text)

    async def give_up(self) -> None:
        """Dismiss what is open, so that the page can be closed."""
        if self._open is not None:
            dialog, self._open = self._open[0], None
            await _answered(dialog, False, None)

    def _note(self, dialog: Dialog, accepted: bool | None) -> None:
        answer = None if accepted is None else "accept" if accepted else "dismiss"
        self._happenings.add(
            PageEventKind.DIALOG, dialog.message, type=dialog.type, answer=answer,
            default=dialog.default_value[:200],
        )  # fmt: skip


async def _answered(dialog: Dialog, accepted: bool, text: str | None) -> None:
    try:
        if not accepted:
            await dialog.dismiss()
        elif dialog.type == "prompt":
            await dialog.accept(dialog.default_value if text is None else text)
        else:
            await dialog.accept()
    except PlaywrightError:  # its page has gone
        return


def _reading(value: Any) -> tuple[bool, str | None]:
    """Whether a dialog is accepted, and the text for a prompt; raises Refused."""
    if value is None or isinstance(value, bool):
        return value is not False, None
    if isinstance(value, dict):
        text: Any = value.get("text")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return value.get("accept", True) is not False, None if text is None else str(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if not isinstance(value, str):
        raise Refused("invalid", "answer_dialog takes accept, dismiss, or the text for a prompt")
    word = value.strip().casefold()
    if word in _YES or word in _NO:
        return word in _YES, None
    return True, value
