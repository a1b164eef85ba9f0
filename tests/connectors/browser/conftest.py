"""One browser and one site for all tests of the connector; a fresh context for each test."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from sparring.model.case import Case
from sparring.model.page import Element, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import GuiAction, Listen, Observation
from sparring.testing.fakes import FakeContext

from .server import Site, running

CASE = Case.of("a page", {}, run_seed=0)
QUICK = {"action_s": 2, "wait_s": 3, "navigation_s": 30}


@pytest.fixture(scope="session", autouse=True)
def _needs_a_browser() -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with running() as site:
        yield site


class Visitor:
    """A session, with shorter words for tests."""

    def __init__(self, session: Any, site: Site) -> None:
        self.session = session
        self.site = site
        self.view: PageView | None = None
        self.observation: Observation | None = None

    async def look(self) -> PageSnapshot:
        await self._send(Listen())
        return self.page

    async def open(self, path: str) -> PageSnapshot:
        await self.do("open", value=self.site.url + path)
        return self.page

    @property
    def page(self) -> PageSnapshot:
        assert self.view is not None
        return self.view.snapshot

    async def do(
        self, action: str, target: Element | str | None = None, value: Any = None,
        destination: Element | None = None,
    ) -> PageView:  # fmt: skip
        identifier = target.id if isinstance(target, Element) else target
        return await self._send(
            GuiAction(
                action=action,
                target=identifier,
                value=value,
                destination=destination.id if destination else None,
            )
        )

    async def _send(self, act: Any) -> PageView:
        self.observation = await self.session.send(act)
        assert self.observation is not None
        assert self.observation.page is not None
        self.view = self.observation.page
        return self.view

    def the(self, role: str, name: str = "", **fields: Any) -> Element:
        found = [
            one for one in self.page.elements
            if one.role == role and (not name or name in (one.name, one.text))
            and all(getattr(one, key) == value for key, value in fields.items())
        ]  # fmt: skip
        assert found, (
            f"no {role} {name!r} {fields} in {[(e.role, e.name) for e in self.page.elements]}"
        )
        return found[0]

    def by(self, identifier: str) -> Element:
        """The element with an id attribute."""
        found = [e for e in self.page.elements if e.attributes.get("id") == identifier]
        assert found, f"no element has the id {identifier!r}"
        return found[0]

    @property
    def texts(self) -> list[str]:
        return [e.text for e in self.page.elements if e.role == "text" and e.visible]

    @property
    def log(self) -> str:
        return self.by("log").text

    def kinds(self) -> list[PageEventKind]:
        assert self.view is not None
        return [event.kind for event in self.view.events]

    def event(self, kind: PageEventKind) -> Any:
        assert self.view is not None
        found = [event for event in self.view.events if event.kind == kind]
        assert found, f"no {kind} among {self.view.events}"
        return found[0]


@pytest.fixture(scope="session")
async def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="session")
async def browser(anyio_backend: str) -> AsyncIterator[Any]:
    """A browser that runs as long as the tests do."""
    from sparring_connectors.browser.browser_process import RunningBrowser
    from sparring_connectors.browser.config import BrowserConfig

    running = RunningBrowser(BrowserConfig(url="about:blank"))
    yield running
    await running.aclose()


@pytest.fixture(scope="session")
async def shared(browser: Any, site: Site, run_folder: Path) -> Any:
    """The connector of most tests."""
    from sparring_connectors.browser.config import BrowserConfig
    from sparring_connectors.browser.connector import BrowserConnector

    context = FakeContext(base_dir=Path(__file__).parent, run_dir=run_folder)
    settings: dict[str, Any] = {"url": site.url + "/second.html", "timeout": QUICK}
    return BrowserConnector(BrowserConfig(**settings), context, browser)


@pytest.fixture
async def visitor(shared: Any, site: Site) -> AsyncIterator[Visitor]:
    async with shared.open(CASE) as session:
        yield Visitor(session, site)


@pytest.fixture(scope="module")
async def shared_page(shared: Any, site: Site) -> AsyncIterator[Visitor]:
    """One page of acts for tests that do not change it."""
    async with shared.open(CASE) as session:
        visitor = Visitor(session, site)
        await visitor.open("/actions.html")
        yield visitor


Visit = Callable[..., Awaitable[Visitor]]


@pytest.fixture
async def visit(browser: Any, site: Site, tmp_path: Path) -> AsyncIterator[Visit]:
    """Visit with settings of one's own; with ``own=True`` in a browser of one's own."""
    from sparring_connectors.browser.config import BrowserConfig
    from sparring_connectors.browser.connector import BrowserConnector

    context = FakeContext(base_dir=tmp_path, run_dir=tmp_path / "run")
    async with AsyncExitStack() as stack:

        async def start(path: str = "/second.html", *, own: bool = False, **more: Any) -> Visitor:
            settings: dict[str, Any] = {"url": site.url + path, "timeout": QUICK, **more}
            config = BrowserConfig(**settings)
            connector = BrowserConnector(config, context, None if own else browser)
            stack.push_async_callback(connector.close)
            return Visitor(await stack.enter_async_context(connector.open(CASE)), site)

        yield start
