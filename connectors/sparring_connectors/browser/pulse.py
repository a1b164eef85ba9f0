"""Whether a page still answers while something is done on it."""

import asyncio
from typing import Any

from playwright.async_api import Page


class Pulse:
    """Asks a page for an answer again and again, so that one that hangs is noticed.

    Most questions to a page have no time limit of their own in Playwright: a page that hangs
    between two of them (``setTimeout(() => { while (true) {} }, 300)``) would be waited for until
    the whole case has timed out.
    """

    def __init__(self) -> None:
        self._page: Page | None = None
        self._question: asyncio.Task[Any] | None = None
        self._asked_at = 0.0

    def silent_s(self, page: Page | None) -> float:
        """Return for how many seconds a page has not answered; ask again if it has.

        Call it regularly. `None` stands for a page that cannot answer now, because a dialog is
        open: the time begins again afterwards.
        """
        now = asyncio.get_running_loop().time()
        if page is None or page.is_closed():
            self.end()
            return 0.0
        if self._question is None or self._question.done() or self._page is not page:
            self.end()
            self._page = page
            self._question = asyncio.ensure_future(page.main_frame.evaluate("1"))
            self._question.add_done_callback(_forget)
            self._asked_at = now
        return now - self._asked_at

    def end(self) -> None:
        """Wait for no answer any more."""
        if self._question is not None:
            self._question.cancel()
        self._page = self._question = None


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # an error is an answer, too: the document may just have gone
