"""A Chromium for tests of pages; they are skipped where there is none."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge",
)
QUIET = (
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A running Chromium: that of SPARRING_CHROMIUM, Playwright's own, or the first on PATH.

    Not for the whole session: while Playwright runs, its event loop is the thread's, and no other
    test could run one.
    """
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    api.expect.set_options(timeout=60_000)  # 5 seconds are too few on a busy machine
    with api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        named = os.environ.get("SPARRING_CHROMIUM")
        found = named or (
            str(own) if own.exists() else next(filter(None, map(_which, NAMES)), None)
        )
        if found is None:
            pytest.skip(
                "no Chromium: install one (apt install chromium, or python -m playwright install "
                "chromium), or name it in SPARRING_CHROMIUM"
            )
        browser = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        yield browser
        browser.close()


def _which(name: str) -> str | None:
    return shutil.which(name)
