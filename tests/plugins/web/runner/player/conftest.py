"""A site of our own, and suites that are run against it as the command line does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.model.events import CaseJudged
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.runner.records import GuiRecord

SITE = Path(__file__).parent / "site"


@pytest.fixture(scope="session", autouse=True)
def _needs_a_browser() -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))


class Site(ThreadingHTTPServer):
    """Serves the files of `site`, and `pages` that a test makes; `posts` are what was sent.

    What is asked for as ``/never`` is not answered until the server is `over`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, str] = {}
        self.posts: list[str] = []
        self.over = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser hangs up when it likes."""


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        name = self.path.split("?")[0].lstrip("/")
        if name == "never":
            self.server.over.wait(60)
            return
        page = self.server.pages.get(name)
        file = SITE / name
        if page is None and file.is_file():
            page = file.read_text(encoding="utf-8")
        self._answer(200 if page else 404, page or "<h1>Not found</h1>")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.posts.append(self.path)
        self._answer(200, f"<h1>Sent to {self.path}</h1>")

    def _answer(self, status: int, page: str) -> None:
        data = page.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()
    thread = Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        site.shutdown()
        thread.join()
        site.server_close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@dataclass
class Done:
    """A run: what was recorded of each test case."""

    conducted: RunResult
    cases: dict[str, list[CaseJudged]] = field(default_factory=dict)
    concluded: tuple[Verdict, ...] = ()

    def record(self, name: str) -> GuiRecord:
        found = record_of(self.cases[name][0].trace)
        assert found is not None
        return found

    def outcomes(self, name: str) -> list[str]:
        return [one.outcome for one in self.record(name).steps]

    def verdict(self, name: str) -> str:
        """The worst outcome of a test case's verdicts."""
        order = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE, Outcome.PASS)
        found = {one.outcome for one in self.cases[name][0].verdicts}
        return next(one.value for one in order if one in found)

    @property
    def folder(self) -> Path:
        assert self.conducted.folder is not None
        return self.conducted.folder


Play = Callable[..., Done]


def play(folder: Path, tests: Any, url: str, **suite: Any) -> Done:
    """Write a suite and a file of test cases, and run them."""
    written = tests if isinstance(tests, dict) else {"tests": tests}
    (folder / "cases.yaml").write_text(yaml.safe_dump(written, allow_unicode=True))
    app: dict[str, Any] = {"use": "browser", "url": url, "block": "outside", "screenshots": "never"}
    app["timeout"] = {"action_s": 15}
    agent = {"use": "step-runner", "tests": "cases.yaml", "patience_s": 0.4}
    data = {
        "name": "player", "app": {**app, **suite.pop("app", {})},
        "agent": {**agent, **suite.pop("agent", {})}, "strategy": "exhaustive",
        "oracles": ["assertions", "consistency"], "reporters": [], "seed": 1, **suite,
    }  # fmt: skip
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(data, allow_unicode=True))
    done = _run(path, folder)
    for _ in range(2):  # a machine that gives no processor time for seconds leaves nothing decided
        cases = [judged for repeats in done.cases.values() for judged in repeats]
        if not any(v.owner is Owner.ENVIRONMENT for judged in cases for v in judged.verdicts):
            break
        done = _run(path, folder)
    return done


def _run(suite: Path, folder: Path) -> Done:
    conducted = conduct(load_suite(suite), RunOptions(runs=folder / "runs"))
    assert conducted.folder is not None, conducted.summary
    run = StoredRun(conducted.folder)
    done = Done(conducted, concluded=run.concluded)
    for judged in run.judged():
        done.cases.setdefault(judged.trace.case.scenario, []).append(judged)
    return done
