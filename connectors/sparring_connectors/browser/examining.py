"""What this machine has for web pages, for ``sparring doctor``."""

from collections.abc import Iterable
from importlib.util import find_spec

from sparring.discovery.hookspecs import hookimpl


@hookimpl
def sparring_examine() -> Iterable[tuple[str, str, str]]:
    """Whether Playwright and a browser are there; suites without web pages need neither."""
    if find_spec("playwright") is None:
        yield "note", "web pages", "need the library playwright: pip install 'sparring[web]'"
        return
    from sparring_connectors.browser import installation

    try:
        own = installation.playwright_path("chromium")
        program = installation.find_browser("chromium", own)
    except Exception as err:  # noqa: BLE001 - a broken Playwright is a finding too
        yield "note", "web pages", str(err)
    else:
        yield "ok", "web pages", f"{program.path or own} ({program.source})"
