"""Whose a failure is: pages that hang and crash, browsers that die, and what is missing."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppTimeout,
    ConfigurationError,
    EnvironmentFailure,
    MachineBusy,
    PartError,
)
from sparring.model.talk import GuiAction
from sparring.testing.fakes import FakeContext

from .conftest import CASE, Visit, Visitor

pytestmark = [pytest.mark.anyio, pytest.mark.thorough]

HASTY: dict[str, Any] = {
    "timeout": {"action_s": 2, "wait_s": 3, "navigation_s": 3},
    "settle": {"cap_s": 0.5},
}


@pytest.fixture
def any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that runs the tests may be as slow as it likes to show a blank page."""
    monkeypatch.setattr("sparring_connectors.browser.failures._LEAST_S", 120.0)


async def ill(visit: Visit, **more: Any) -> Visitor:
    page = await visit("/ill.html", **{**HASTY, **more})
    await page.look()
    return page


# The app's


@pytest.mark.parametrize("name", ["Hang", "Hang later", "Alert for ever"])
@pytest.mark.usefixtures("any_machine")
async def test_a_page_that_hangs_after_a_click_is_a_time_out_of_the_app(
    visit: Visit, name: str
) -> None:
    page = await ill(visit)
    with pytest.raises(AppTimeout, match=r"ill\.html has hung for 3 s"):
        await page.do("click", page.the("button", name))


@pytest.mark.usefixtures("any_machine")
async def test_a_page_that_hangs_while_something_is_typed_is_not_waited_for_for_ever(
    visit: Visit,
) -> None:
    page = await ill(visit)
    with pytest.raises(AppTimeout, match="has hung"):
        await page.do("fill", page.by("field"), "Ada")


@pytest.mark.usefixtures("any_machine")
async def test_a_server_that_never_answers_is_named(visit: Visit) -> None:
    page = await ill(visit)
    with pytest.raises(AppTimeout, match=r"it waits for http://127\.0\.0\.1:\d+/never"):
        await page.do("click", page.the("button", "Leave for ever"))


@pytest.mark.usefixtures("any_machine")
async def test_a_tab_that_the_app_closes_is_the_apps(visit: Visit) -> None:
    page = await ill(visit)
    await page.session.tab.page.close()
    with pytest.raises(AppCrash, match="the app closed its last tab"):
        await page.look()


@pytest.mark.usefixtures("any_machine")
async def test_a_page_whose_process_dies_is_the_apps(visit: Visit) -> None:
    page = await ill(visit)
    with pytest.raises(AppCrash, match="crashed"):
        await page.do("open", value="chrome://crash")
    with pytest.raises(AppCrash, match="crashed"):
        await page.look()


async def test_a_server_that_sends_in_circles_gives_no_page(visitor: Visitor) -> None:
    with pytest.raises(AppProtocolError, match=r"is no page.*REDIRECT"):
        await visitor.open("/circle")


# The test's


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/", "http://[/"])
async def test_an_address_that_is_none_is_the_tests_fault(visit: Visit, address: str) -> None:
    page = await visit("/second.html")
    with pytest.raises(ConfigurationError, match="no browser opens such an address"):
        await page.do("open", value=address)


# Sparring's own


async def test_a_page_that_our_script_fails_on_is_our_fault(visit: Visit) -> None:
    page = await ill(visit)
    with pytest.raises(PartError, match="cannot be read") as failure:
        await page.do("click", page.the("button", "Break the language"))
    assert failure.value.group == "connector"


async def test_what_a_frame_shows_that_our_script_fails_on_is_not_said_to_be_missing(
    visit: Visit,
) -> None:
    page = await visit("/oddframe.html")
    await page.look()
    assert "Outside" in page.texts
    assert "Inside" not in page.texts
    assert page.page.truncated == 1


# The machine's


async def process_of(page: Visitor) -> int:
    """The process id of a session's browser."""
    asked = await page.session.context.browser.new_browser_cdp_session()
    listed = (await asked.send("SystemInfo.getProcessInfo"))["processInfo"]
    return next(int(one["id"]) for one in listed if one["type"] == "browser")


async def test_a_browser_that_is_killed_is_the_machines_and_the_next_case_has_another(
    visit: Visit,
) -> None:
    page = await ill(visit, own=True)
    os.kill(await process_of(page), signal.SIGKILL)
    with pytest.raises(EnvironmentFailure, match="ended in the middle of the case"):
        await page.do("click", page.the("button", "Hang later"))
    again = await visit("/second.html", own=True)
    assert (await again.look()).title == "Second"


async def test_a_browser_that_is_stopped_is_the_machines(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring_connectors.browser.failures._ALIVE_S", 0.5)
    page = await ill(visit, own=True)
    process = await process_of(page)
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(EnvironmentFailure, match="the browser itself has not answered"):
            await page.look()
    finally:
        os.kill(process, signal.SIGCONT)


def drivers() -> set[int]:
    """The process ids of the drivers of Playwright that this process has started."""
    found: set[int] = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            command = (place / "cmdline").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        if parent == os.getpid() and b"run-driver" in command:
            found.add(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
async def test_a_driver_that_is_killed_is_the_machines_and_is_started_again(
    tmp_path: Path, site: Any
) -> None:
    from sparring_connectors.browser.config import BrowserConfig
    from sparring_connectors.browser.connector import BrowserConnector

    config = BrowserConfig(url=site.url + "/second.html")
    connector = BrowserConnector(config, FakeContext(base_dir=tmp_path))
    before = drivers()
    try:
        async with connector.open(CASE) as session:
            page = Visitor(session, site)
            await page.look()
            (driver,) = drivers() - before
            os.kill(driver, signal.SIGKILL)
            with pytest.raises(EnvironmentFailure, match="ended in the middle of the case"):
                await page.look()
        async with connector.open(CASE) as session:
            assert (await Visitor(session, site).look()).title == "Second"
    finally:
        await connector.close()


async def test_a_machine_on_which_no_blank_page_answers_either_is_too_busy(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(browser: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("sparring_connectors.browser.failures._LEAST_S", 0.1)
    monkeypatch.setattr("sparring_connectors.browser.failures._SHARE", 0.0)
    monkeypatch.setattr("sparring_connectors.browser.failures._open_blank_page", never)
    page = await ill(visit)
    with pytest.raises(MachineBusy, match="neither did a blank one"):
        await page.do("click", page.the("button", "Hang"))


async def test_a_browser_that_can_show_no_blank_page_is_the_machines(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(browser: object) -> None:
        raise OSError("Cannot allocate memory")

    monkeypatch.setattr("sparring_connectors.browser.failures._open_blank_page", fails)
    page = await ill(visit)
    await page.session.tab.page.close()
    with pytest.raises(EnvironmentFailure, match="blank page: Cannot allocate memory"):
        await page.look()


# What is missing

Tool = Callable[[str], str]


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Makes a program of a shell script."""

    def make(script: str) -> str:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return make


async def refused(**settings: Any) -> str:
    """Why the machine gives no context for a page."""
    from sparring_connectors.browser.browser_process import RunningBrowser
    from sparring_connectors.browser.config import BrowserConfig

    running = RunningBrowser(BrowserConfig(url="about:blank", **settings))
    try:
        with pytest.raises(EnvironmentFailure) as failure:
            await running.context({})
    finally:
        await running.aclose()
    return str(failure.value)


async def test_a_browser_that_ends_at_once_says_what_it_wrote(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "libfoo.so.1: cannot open shared object file"
    monkeypatch.setenv("SPARRING_CHROMIUM", tool(f"echo '{words}' >&2; exit 127"))
    message = await refused()
    assert f"cannot be started: {words};" in message
    assert "sparring browser install" in message


async def test_a_browser_that_never_is_ready_is_the_machines(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_CHROMIUM", tool("exec cat"))
    assert "cannot be started" in await refused(timeout={"start_s": 0.5})


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
async def test_another_engine_that_is_not_installed_says_how_to_get_it(
    engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert f"sparring browser install {engine}" in await refused(engine=engine)


async def test_a_program_that_is_not_there_says_what_to_do() -> None:
    message = await refused(executable="no-such-browser")
    assert "'no-such-browser', which is no program here: name one that is" in message


@pytest.mark.parametrize("script", ["exit 1", "exec cat > /dev/null"])
async def test_a_driver_that_does_not_start_says_what_to_do(
    script: str, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", tool(script))
    message = await refused(timeout={"start_s": 0.5})
    assert "Playwright's driver cannot be started" in message
    assert "pip install --force-reinstall playwright" in message


async def test_a_playwright_that_cannot_be_imported_is_the_machines(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str) -> None:
        raise ImportError("greenlet: undefined symbol")

    monkeypatch.setattr("sparring_connectors.browser.connector.import_module", broken)
    with pytest.raises(EnvironmentFailure, match=r"greenlet: undefined symbol.*pip install"):
        await visit("/second.html")


async def test_a_browser_that_opens_no_page_in_time_is_the_machines(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparring_connectors.browser.browser_process import RunningBrowser
    from sparring_connectors.browser.config import BrowserConfig

    running = RunningBrowser(BrowserConfig(url="about:blank"))
    try:
        await (await running.context({})).close()
        started = running._starting
        assert started is not None

        async def never(**options: Any) -> None:
            await asyncio.Event().wait()

        monkeypatch.setattr(started.result(), "new_context", never)
        hasty = running._config.timeout.model_copy(update={"start_s": 0.3})
        monkeypatch.setattr(
            running, "_config", running._config.model_copy(update={"timeout": hasty})
        )
        with pytest.raises(EnvironmentFailure, match=r"no page within 0\.3 s"):
            await running.context({})
        assert running._starting is None  # the next case starts another one
    finally:
        for waiting in running._opening:
            waiting.cancel()
        await running.aclose()


async def test_an_act_on_an_unhurried_page_is_not_taken_for_a_hang(visit: Visit) -> None:
    page = await visit("/second.html", timeout={"navigation_s": 1})
    await page.look()
    await page.session.send(GuiAction(action="wait", value="2.5 s"))
