"""What the suites on real applications need: a browser, servers, and what a stored run says."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def _needs_a_browser() -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))


def named(variable: str) -> Path:
    """The path that an environment variable gives; the test is skipped where it gives none."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set")
    return Path(value)
