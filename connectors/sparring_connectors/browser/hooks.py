"""Which parts drive a page that a Playwright script has opened, for ``sparring.web``."""

import sys
from typing import Any

from sparring.discovery.hookspecs import hookimpl


@hookimpl
def sparring_page_parts(page: object) -> dict[str, Any] | None:
    """The connector `browser` and the strict-first driver, for pages of Playwright's."""
    if "playwright" not in sys.modules:  # then it is none of its pages
        return None
    from playwright.async_api import Page
    from playwright.sync_api import Page as SyncPage

    if not isinstance(page, Page | SyncPage):
        return None
    # Playwright itself dismisses the dialogs that nobody answers.
    app = {"use": "browser", "url": "about:blank", "dialogs": "dismiss"}
    parts: dict[str, Any] = {"app": app, "agent": {"use": "strict-first"}}
    if isinstance(page, SyncPage):
        parts["run"] = page._sync  # pyright: ignore[reportPrivateUsage]
    return parts
