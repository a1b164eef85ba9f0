"""Examining the states of a page with axe-core, for the oracle ``accessibility``."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from pydantic import JsonValue

from sparring.model.page import PageEventKind, PageSnapshot
from sparring_connectors.browser.axe_core import FINISH, FRAME, HAS, PARTIAL, VERSION, source
from sparring_connectors.browser.config import AccessibilityConfig
from sparring_connectors.browser.failures import first_line
from sparring_connectors.browser.page_events import PageEventLog

# A table whose thousand cells lack a header is one fault; five of them show it.
_MOST_NODES = 5
_TEXT = 400
# A page of advertisements has dozens of frames, each of which is examined for itself.
_MOST_FRAMES = 50


class AccessibilityExaminer:
    """Examines each state of a session's pages once, and records an event about it.

    A state is what a snapshot's digest stands for: an opened menu is another state than the page
    before, and a page that is shown again is not examined again.
    """

    def __init__(self, config: AccessibilityConfig, events: PageEventLog) -> None:
        self._config = config
        self._events = events
        self._examined: set[str] = set()

    async def examine(self, page: Page, snapshot: PageSnapshot) -> None:
        """Examine the page if its state is new; what goes wrong is in the event."""
        if snapshot.digest in self._examined:
            return
        self._examined.add(snapshot.digest)
        limit = self._config.timeout_s
        try:
            async with asyncio.timeout(limit):
                answer = await self._run(page.main_frame)
        except TimeoutError:
            self._record_failure(f"it took longer than {limit:g} s (accessibility.timeout_s)")
        except PlaywrightError as err:
            self._record_failure(first_line(err))
        else:
            self._record(answer)

    async def _run(self, frame: Frame) -> Mapping[str, Any]:
        context: dict[str, Any] = {"include": [["html"]]}
        if self._config.exclude:
            context["exclude"] = [[selector] for selector in self._config.exclude]
        partials = await self._partials(frame, context)
        argument = {
            "partials": partials,
            "options": self._options(),
            "most": _MOST_NODES,
            "text": _TEXT,
        }
        answer: dict[str, Any] = json.loads(await frame.evaluate(FINISH, argument))
        return answer

    async def _partials(self, frame: Frame, context: object) -> list[str]:
        """Return what axe-core says of a frame and of those in it, each as JSON.

        No frame is sent messages: an app may listen to these, and fail.
        """
        if not await frame.evaluate(HAS):
            await frame.evaluate(source())
        argument = {"context": context, "options": self._options()}
        answer = json.loads(await frame.evaluate(PARTIAL, argument))
        partials = [json.dumps(answer["partial"])]
        for inner in answer["frames"][:_MOST_FRAMES]:
            try:
                child = await _find_frame(frame, inner["selector"])
                partials += await self._partials(child, inner["context"]) if child else ["null"]
            except PlaywrightError:  # it has gone, or shows no document
                partials.append("null")
        return partials

    def _options(self) -> dict[str, Any]:
        return {
            "runOnly": {"type": "tag", "values": list(self._config.tags)},
            "resultTypes": ["violations", "incomplete"],
        }

    def _record(self, answer: Mapping[str, Any]) -> None:
        violations: list[JsonValue] = answer["violations"]
        rules = ", ".join(str(rule["id"]) for rule in answer["violations"]) or "no rule violated"
        unclear = int(answer["unclear"])
        self._events.add(
            PageEventKind.EXAMINED, rules, violations=violations, unclear=unclear, axe=VERSION
        )

    def _record_failure(self, reason: str) -> None:
        self._events.add(PageEventKind.EXAMINED, "not examined", error=reason[:_TEXT])


async def _find_frame(frame: Frame, selector: object) -> Frame | None:
    handle = (await frame.evaluate_handle(FRAME, selector)).as_element()
    return await handle.content_frame() if handle is not None else None
