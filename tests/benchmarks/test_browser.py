"""What a look at a page and a click cost, beside Playwright's own."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.connectors.browser.server import running

from sparring.model.case import Case
from sparring.model.talk import GuiAction, Listen
from sparring.testing.fakes import FakeContext

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

ROUNDS = 7
MOST_TIMES = 3


async def fastest(work: Callable[[], Awaitable[Any]]) -> float:
    """The shortest of some runs, in seconds: what the machine does beside it only adds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await work()
        best = min(best, time.perf_counter() - began)
    return best


async def test_a_step_costs_little_more_than_playwrights_own() -> None:
    """A snapshot costs a small multiple of an aria snapshot, a click step well under a second."""
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.connector import BrowserConnector
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    context = FakeContext()
    with running() as site:
        connector = context.build(BrowserConnector, url=site.url + "/names.html")
        async with connector.open(Case.of("benchmark", {}, run_seed=0)) as opened:
            session: Any = opened
            await session.send(Listen())
            body = session.tab.page.locator("body")
            ours, theirs = await fastest(session.snapshot), await fastest(body.aria_snapshot)

            await session.send(GuiAction(action="open", value="/actions.html"))
            button = next(one for one in session.latest.elements if one.name == "Button")
            act = GuiAction(action="click", target=button.id)
            step = await fastest(lambda: session.send(act))
            click = await fastest(session.tab.page.locator("#b").click)
            look = await fastest(body.aria_snapshot)
            quiet = session.config.settle.quiet_ms / 1000
    assert not await context.close()
    ratio = step / (click + look)
    print(f"snapshot {ours * 1000:.1f} ms, aria snapshot {theirs * 1000:.1f} ms, ", end="")
    print(f"click step {step * 1000:.0f} ms, Playwright's click {click * 1000:.0f} ms and ", end="")
    print(f"aria snapshot {look * 1000:.1f} ms: {ratio:.1f} times, quiet {quiet * 1000:.0f} ms")
    assert ours < theirs * 6 + 0.01
    # The step waits until the page is quiet, which Playwright's own click does not.
    assert step - quiet < (click + look) * MOST_TIMES
