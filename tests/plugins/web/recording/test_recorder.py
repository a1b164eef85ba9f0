"""What a person does in a real browser becomes sentences that do the same again."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.errors import ConfigurationError
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.interfaces.plugin import Use
from sparring.model.case import Case
from sparring.model.page import PageView
from sparring.model.talk import Act, Observation
from sparring.suite.building import SuiteContext
from sparring_plugins.web.recording.recorded_file import RecordedFile
from sparring_plugins.web.recording.recorder import RecordedStep, Recorder, Recording
from sparring_plugins.web.runner.frozen_steps import FrozenAct, FrozenFiles, FrozenStep
from sparring_plugins.web.suites.loading import load_test_cases

PAGE = """<!doctype html><title>Orders</title><h1>Orders</h1>
<label>Customer <input id=customer></label>
<label>Password <input id=password type=password></label>
<label>Size <select id=size><option>Small<option>Large</select></label>
<label><input type=checkbox id=gift> Gift</label>
<table><tr><td>Tea</td><td><button id=tea>Add</button></td></tr>
<tr><td>Cake</td><td><button id=cake>Add</button></td></tr></table>
<form onsubmit="note.textContent = 'Found'; return false"><label>Search <input id=search></label>
<button>Go</button></form><p id=note>Nothing yet</p>
<script>cake.onclick = () => setTimeout(() => {
  note.innerHTML = '<button id=undo>Undo</button>'; }, 30);</script>"""


@pytest.fixture
def page_url(tmp_path: Path) -> str:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    (tmp_path / "orders.html").write_text(PAGE, encoding="utf-8")
    return (tmp_path / "orders.html").as_uri()


def record(url: str, folder: Path, person: Callable[[Any], Awaitable[None]]) -> Recording:
    """Record what `person` does with Playwright's page."""

    async def play() -> Recording:
        context = SuiteContext(folder)
        use = Use.model_validate({"use": "browser", "url": url})
        connector = context.part(AppConnector[Any], use)
        try:
            async with connector.open(Case.of("record", {}, run_seed=0)) as session:
                page: Any = session.tabs.all[0].page  # type: ignore[attr-defined]
                steps = asyncio.Event()
                recorder = Recorder(session, lambda _: steps.set())
                work = asyncio.ensure_future(recorder.record())
                await page.wait_for_selector("#customer")
                await page.wait_for_function("window.__sparringRecorder")
                while not recorder.recording.start:
                    await asyncio.sleep(0.01)
                await person(page)
                await page.close()
                return await asyncio.wait_for(work, 120)
        finally:
            await context.close()

    return asyncio.run(play())


@pytest.mark.browser
@pytest.mark.slow
def test_acts_become_the_shortest_sentences_that_mean_them(tmp_path: Path, page_url: str) -> None:
    async def person(page: Any) -> None:
        await page.fill("#customer", "")
        await page.click("#customer")
        await page.keyboard.type("Ada")
        await page.click("#password")
        await page.keyboard.type("s3cret")
        await page.focus("#size")
        await page.keyboard.press("L")
        await page.click("text=Gift")
        await page.click("#cake")
        await page.click("#undo")
        await page.click("#search")
        await page.keyboard.type("tea")
        await page.keyboard.press("Enter")
        await page.click("#note", modifiers=["Alt"])

    recording = record(page_url, tmp_path, person)
    assert [step.text for step in recording.steps] == [
        "Fill the 'Customer' textbox with 'Ada'",
        "Fill the 'Password' textbox with '%password%'",
        "Select 'Large' from the 'Size' combobox",
        "Check the 'Gift' checkbox",
        "Click on the 'Add' button in the row of 'Cake'",
        "Click on the 'Undo' button",
        "Fill the 'Search' textbox with 'tea'",
        "Press the key 'Enter' in the 'Search' textbox",
        "Assert that 'Found' is displayed",
    ]
    assert not any(step.doubt for step in recording.steps)
    assert recording.secrets == ["password"]
    assert recording.start == page_url


def some_recording() -> Recording:
    steps = [
        RecordedStep("Click on the 'Add' button"),
        RecordedStep("Assert that 'x' is displayed"),
    ]
    return Recording(start="http://app.test/", steps=steps, secrets=["password"])


def test_a_recording_is_a_file_of_test_cases_and_takes_further_ones(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    RecordedFile(path, "first", append=False).write(some_recording())
    path.write_text("# ours\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    RecordedFile(path, "second", append=True).write(some_recording())
    assert path.read_text(encoding="utf-8").startswith("# ours\n")
    cases = load_test_cases(path)
    assert [case.name for case in cases] == ["first", "second"]
    assert [step.text for step in cases[1].steps] == [
        "Click on the 'Add' button", "Assert that 'x' is displayed",
    ]  # fmt: skip
    assert all(step.readings for case in cases for step in case.steps)


@pytest.mark.parametrize(
    ("text", "name", "append", "message"),
    [
        ("tests: []\n", "x", False, "is there already"),
        ("tests:\n  - name: x\n    steps: [a]\n", "x", True, "has a test case 'x' already"),
        ("tests:\n  - name: y\n    steps: [a]\nname: z\n", "x", True, "does not end with"),
        ("name: z\n", "x", True, "has no list of tests"),
    ],
)
def test_a_file_is_never_spoilt(
    tmp_path: Path, text: str, name: str, append: bool, message: str
) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        RecordedFile(path, name, append=append)
    assert path.read_text(encoding="utf-8") == text


def test_recorded_steps_are_frozen_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    frozen = FrozenStep(text="Click on 'Add'", acts=(FrozenAct(action="click"),))
    recording = Recording(start="http://app.test/")
    recording.steps.append(RecordedStep("Click on 'Add'", frozen=frozen))
    RecordedFile(path, "a", append=False).write(recording)
    assert FrozenFiles().of(path, "a") == {1: frozen}


class Looks(AppSession):
    """Shows one page after the other, the last one again and again."""

    def __init__(self, *views: PageView) -> None:
        self.views = list(views)

    async def send(self, act: Act) -> Observation:
        return Observation(page=self.views.pop(0) if len(self.views) > 1 else self.views[0])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "later", "text"),
    [
        ("Undo", True, "Click on the 'Undo' button"),
        ("Undo", False, "Click on 'Undo'"),
        ("", False, "Act on what had appeared for a moment (click): write down what it is called"),
    ],
)
async def test_a_click_on_what_had_just_appeared_is_named(
    name: str, later: bool, text: str
) -> None:
    before, undo = page(element("button", "Add", id="1")), element("button", "Undo", id="2")
    recorder = Recorder(Looks(page(undo) if later else before), lambda _: None)
    recorder._hear("2", "click", name, secret=False)
    await recorder._next(before)
    assert [step.text for step in recorder.recording.steps] == [text]
    assert bool(recorder.recording.steps[0].doubt) is not later
