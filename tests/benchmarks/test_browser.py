"""What a look at a page and a click cost, beside Playwright's own."""

import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
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


def processor_s() -> float:
    """Processor seconds that this process and its descendants, driver and browser, have used."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
                used[int(folder.name)] = int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while grown := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= grown
    return sum(used[process] for process in ours if process in used) / os.sysconf("SC_CLK_TCK")


async def spent(works: Sequence[Callable[[], Awaitable[Any]]]) -> float:
    """Return the processor seconds that some work takes."""
    began = processor_s()
    for work in works:
        await work()
    return processor_s() - began


CASE = Case.of("benchmark", {}, run_seed=0)
ITEMS = 110
SHELF = "<h1>Shelf</h1><p id=log role=status></p>" + "".join(
    f"<article><h2>Item {n}</h2><p>Costs {n}.90</p><a href='#{n}'>About item {n}</a>"
    f"<button onclick='log.textContent = this.textContent'>Pack item {n}</button></article>"
    for n in range(ITEMS)
)


async def test_a_step_of_a_test_case_costs_little_more_than_playwrights_own() -> None:
    """All of a step on a page of 990 elements: finding the button, the click, the new page."""
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system does not tell what processes use")
    from sparring_connectors.browser.connector import BrowserConnector
    from sparring_connectors.browser.installation import NoBrowser, find_browser
    from sparring_plugins.web.grammar.steps import read_step
    from sparring_plugins.web.runner.algorithm import Run
    from sparring_plugins.web.runner.strict_agents import Agents, StrictNavigator, StrictReadiness

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    context = FakeContext()
    agents = Agents([context.build(StrictNavigator)], [context.build(StrictReadiness)], [])
    async with AsyncExitStack() as stack:
        site = stack.enter_context(running())
        connector = context.build(BrowserConnector, url=site.url + "/second.html")
        session: Any = await stack.enter_async_context(connector.open(CASE))
        await session.send(Listen())
        page = session.tab.page
        await page.evaluate("(html) => { document.body.innerHTML = html }", SHELF)
        views = [(await session.send(Listen())).page]

        def ours(number: int) -> Callable[[], Awaitable[None]]:
            step = read_step(f"Click on the button 'Pack item {number}'", number=1)

            async def work() -> None:
                run = Run(session, agents, [step])
                run.views.last = views[-1]
                await run.play()
                views.append(run.views.last)
                assert run.records[0].outcome == "done", run.records[0].reason

            return work

        def theirs(number: int) -> Callable[[], Awaitable[None]]:
            async def work() -> None:
                await page.get_by_role("button", name=f"Pack item {number}", exact=True).click()
                await page.locator("body").aria_snapshot()

            return work

        await spent([ours(1), theirs(2)])
        ratios: list[float] = []
        for numbers in (range(3, 11), range(11, 19), range(19, 27)):
            step_s, act_s = await spent([*map(ours, numbers)]), await spent([*map(theirs, numbers)])
            ratios.append(step_s / act_s)
            print(
                f"step {step_s / 8 * 1000:.0f} ms, click and aria snapshot {act_s / 8 * 1000:.0f}"
            )
    assert not await context.close()
    print(f"a step takes {min(ratios):.2f} times the processor time of Playwright's own")
    assert min(ratios) < MOST_TIMES
