"""Settings: what they do to a session, and what is said of wrong ones."""

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from sparring.errors import AppUnreachable, ConfigurationError, EnvironmentFailure
from sparring.model.page import PageEventKind
from sparring.testing.fakes import FakeContext

from .conftest import CASE, Visit, Visitor

pytestmark = pytest.mark.anyio

SECRET = "s3cr&t pa+ss/wörd"


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", SECRET)


def everything_in(folder: Path) -> bytes:
    """All that was written, archives unpacked."""
    data = b""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".zip":
            with ZipFile(path) as packed:
                data += b"".join(packed.read(name) for name in packed.namelist())
        elif path.is_file():
            data += path.read_bytes()
    return data


@pytest.mark.thorough
@pytest.mark.usefixtures("secret")
async def test_secrets_are_typed_and_never_told(visit: Visit, tmp_path: Path) -> None:
    from sparring_connectors.browser.connector import BrowserConnector

    context = FakeContext(base_dir=tmp_path, run_dir=tmp_path / "run")
    page = await visit("/names.html")
    connector = context.build(
        BrowserConnector,
        url=page.site.url + "/names.html",
        secrets={"password": "SHOP_PASSWORD"},
        variables={"user": "Ann"},
        trace=True,
        screenshots="every",
    )
    said = ""
    async with connector.open(CASE) as session:
        visitor = Visitor(session, page.site)
        await visitor.look()
        await visitor.do("fill", visitor.the("textbox", "Password"), "%password%")
        assert visitor.the("textbox", "Password").value == "%password%"
        await visitor.do("fill", visitor.by("first"), "%user% and %nobody%, 100%")
        assert visitor.by("first").value == "%user% and %nobody%, 100%"
        real = await session.tab.page.evaluate(
            "() => [document.querySelector('#secret').value, document.querySelector('#first').value]"
        )
        assert real == [SECRET, "Ann and %nobody%, 100%"]
        said += str(visitor.view)
        await visitor.do("open", value="/echo?text=%password%")
        assert visitor.page.url.endswith("/echo?text=%password%")
        assert visitor.page.title == "%password%"
        assert "You said %password%." in visitor.texts
        said += str(visitor.view)
        await visitor.do("open", value="/status/404?%password%")
        said += str(visitor.view) + str(visitor.event(PageEventKind.HTTP_ERROR))
        await visitor.do("select", visitor.the("heading", "Status 404"), "%password%")
        said += str(visitor.view)
        with pytest.raises(AppUnreachable) as failure:
            await visitor.do("open", value="http://nobody.invalid/%password%")
        said += str(failure.value)
    assert not await context.close()
    for form in (SECRET, "s3cr%26t", "s3cr&amp;t", "pa%2Bss", "pa+ss/w"):
        assert form not in said
        assert form.encode() not in everything_in(tmp_path / "run")
    assert list((tmp_path / "run").rglob("trace.zip"))


@pytest.mark.thorough
async def test_pictures_are_taken_when_the_suite_wants_them(visit: Visit, tmp_path: Path) -> None:
    page = await visit("/actions.html", screenshots="every")
    view = page.view = await page.do("click", await first(page, "b"))
    assert view.screenshot is not None
    assert (tmp_path / "run" / view.screenshot).read_bytes().startswith(b"\x89PNG")

    page = await visit("/actions.html", screenshots="failures")
    assert (await page.do("click", await first(page, "b"))).screenshot is None
    assert (await page.do("click", page.by("never"))).screenshot is not None
    assert (await page.do("screenshot")).screenshot is not None

    page = await visit("/actions.html", screenshots="never")
    await page.look()
    assert (await page.do("click", page.by("never"))).screenshot is None


async def first(page: Visitor, identifier: str) -> Any:
    await page.look()
    return page.by(identifier)


@pytest.mark.thorough
@pytest.mark.parametrize(("action", "kept"), [("reload", False), ("dance", True)])
async def test_traces_are_kept_on_failure(
    site: Any, tmp_path: Path, action: str, kept: bool
) -> None:
    from sparring_connectors.browser.connector import BrowserConnector

    context = FakeContext(base_dir=tmp_path, run_dir=tmp_path / "run")
    connector = context.build(BrowserConnector, url=site.url + "/second.html", trace="on-failure")
    async with connector.open(CASE) as session:
        await Visitor(session, site).do(action)
    assert not await context.close()
    assert bool(list(tmp_path.rglob("trace.zip"))) is kept


async def test_a_context_is_as_the_suite_describes_it(visit: Visit, tmp_path: Path) -> None:
    state = {
        "cookies": [
            {"name": "who", "value": "ann", "domain": "127.0.0.1", "path": "/", "expires": -1,
             "httpOnly": False, "secure": False, "sameSite": "Lax"}
        ],
        "origins": [],
    }  # fmt: skip
    (tmp_path / "state.json").write_text(json.dumps(state))
    page = await visit(
        "/headers", viewport={"width": 500, "height": 400}, locale="de-DE",
        timezone="Asia/Tokyo", color_scheme="dark", user_agent="Tester/1",
        headers={"X-Mine": "yes"}, storage_state="state.json",
        credentials={"username": "ann", "password": "opensesame"},
    )  # fmt: skip
    shown = await page.look()
    told = json.loads(next(one for one in page.texts))
    assert (told["user-agent"], told["x-mine"]) == ("Tester/1", "yes")
    assert told["accept-language"].startswith("de-DE")
    assert told["cookie"] == "who=ann"
    assert shown.viewport_height == 400
    seen = await page.session.tab.page.evaluate(
        "() => [Intl.DateTimeFormat().resolvedOptions().timeZone, "
        "matchMedia('(prefers-color-scheme: dark)').matches, innerWidth]"
    )
    assert seen == ["Asia/Tokyo", True, 500]
    await page.open("/private")
    assert page.the("heading", "Private")


async def test_cases_share_nothing_in_the_browser(shared: Any, site: Any) -> None:
    async with shared.open(CASE) as one, shared.open(CASE) as other:
        first, second = Visitor(one, site), Visitor(other, site)
        await first.look()
        await second.look()
        await one.tab.page.evaluate("() => { document.cookie = 'a=1'; localStorage.b = 2 }")
        assert (
            await other.tab.page.evaluate("() => document.cookie + localStorage.b") == "undefined"
        )


async def test_data_is_put_back_before_each_case(visit: Visit, tmp_path: Path) -> None:
    script = "import os; open('reset.txt', 'a').write(os.environ['SPARRING_CASE'] + '\\n')"
    command = [sys.executable, "-c", script]
    page = await visit("/data", reset=[{"url": "/reset"}, {"command": command}])
    page.site.data = "spoilt"
    assert (await page.look()).title == ""
    again = await visit("/data", reset=[{"url": "/reset", "body": {"to": 1}}])
    await again.look()
    assert again.texts == ["fresh"]
    assert ("POST", "/reset", b'{"to":1}') in again.site.seen
    assert (tmp_path / "reset.txt").read_text() == f"{CASE.id}\n"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"url": "/status/500"}, "answered 500"),
        ({"url": "http://127.0.0.1:9/"}, "the reset before the case failed"),
        ({"command": [sys.executable, "-c", "raise SystemExit('no data')"]}, "no data"),
        ({"command": [sys.executable, "-c", "while True: pass"], "timeout_s": 0.3}, r"0\.3 s"),
    ],
)
async def test_a_reset_that_fails_stops_the_case(
    visit: Visit, step: dict[str, Any], message: str
) -> None:
    with pytest.raises(AppUnreachable, match=message):
        await visit("/data", reset=[step])


async def test_a_reset_whose_program_is_missing_is_a_matter_of_the_machine(visit: Visit) -> None:
    with pytest.raises(EnvironmentFailure, match=r"cannot be run.*No such file"):
        await visit("/data", reset=[{"command": "no-such-program-here"}])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"url"),
        ({"url": "shop.example"}, r"with http://"),
        ({"url": "http://"}, r"names no host"),
        ({"url": "http://x", "engine": "opera"}, r"chromium"),
        ({"url": "http://x", "secrets": {"p": "NO_SUCH_VARIABLE"}}, r"not set.*NO_SUCH_VARIABLE"),
        ({"url": "http://x", "variables": {"a b": "x"}}, r"no name of a variable"),
        (
            {"url": "http://x", "variables": {"p": "x"}, "secrets": {"p": "PATH"}},
            r"both a variable",
        ),
        ({"url": "http://x", "reset": [{}]}, r"either `url` or `command`"),
        ({"url": "http://x", "reset": [{"command": ""}]}, r"command is empty"),
        ({"url": "http://x", "viewport": {"width": 0}}, r"greater than or equal to 1"),
        ({"url": "http://x", "screenshot": "every"}, r"screenshots"),
        ({"url": "http://x", "storage_state": "nowhere.json"}, r"no file matches 'nowhere\.json'"),
        ({"url": "http://x", "chat": {"input": " "}}, r"selector of CSS is empty"),
        ({"url": "http://x", "settle": {"cap_s": 0}}, r"greater than 0"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    from sparring_connectors.browser.connector import BrowserConnector

    with pytest.raises(ConfigurationError, match=message):
        FakeContext().build(BrowserConnector, **settings)
