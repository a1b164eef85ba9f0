"""The page of the reporter `html` in Chromium: harmless, searchable, keyboard usable."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Attachment, Choice, Observation, Trace
from sparring.model.verdict import TurnRef, Verdict
from sparring.testing import hostile
from sparring.testing.conversations import stored_run, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.html.reporter import HtmlReporter

pytestmark = pytest.mark.browser

ATTACKS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!-- <script>",
    "</details></main></body><h1>gone",
    '"><img src=x onerror=alert(3)>',
    "' onmouseover='alert(4)",
    "<svg onload=alert(5)>",
    "<style>*{display:none}</style>",
    "{{7*7}} ${7*7} {% raw %}",
    "javascript:alert(6)",
    "\x00\x1b[31mred\x1b[0m\x07",
    "\u202eright to left\u202c \u2066isolated\u2069",
    "line\u2028separator\u2029paragraph",
    "lone \ud800 surrogate \udfff",
    "&lt;b&gt; &amp; &#0;",
    "x" * 1_000_000,
    "word " * 200_000,
    "",
)


@dataclass
class Opened:
    """A page in the browser, and everything that it did besides showing itself."""

    page: Any
    requests: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def shown(self) -> list[str]:
        """The numbers of the conversations that the filter leaves."""
        cases = self.page.locator("details.case:not([hidden])")
        return [case.get_attribute("id") for case in cases.all()]

    def open_cases(self) -> list[str]:
        return [case.get_attribute("id") for case in self.page.locator("details.case[open]").all()]

    def focused(self) -> str:
        script = "() => document.activeElement.closest('[id]').id"
        return str(self.page.evaluate(script))


Open = Callable[..., Opened]


@pytest.fixture
def view(chromium: Any) -> Iterator[Open]:
    """Open a file in a fresh browser context; at the end nothing must have gone wrong."""
    contexts: list[Any] = []
    views: list[Opened] = []

    def open_page(path: Path, fragment: str = "", **options: Any) -> Opened:
        context = chromium.new_context(**({"viewport": {"width": 1200, "height": 800}} | options))
        contexts.append(context)
        opened = Opened(context.new_page())
        views.append(opened)
        opened.page.on("request", lambda request: opened.requests.append(request.url[:200]))
        opened.page.on("console", lambda message: opened.trouble.append(message.text))
        opened.page.on("pageerror", lambda error: opened.trouble.append(str(error)))
        opened.page.on("dialog", lambda dialog: (opened.trouble.append("dialog"), dialog.accept()))
        opened.page.goto(path.as_uri() + fragment)
        return opened

    yield open_page
    for opened in views:
        outside = [url for url in opened.requests if not url.startswith(("file:", "data:,"))]
        assert not outside, f"the page asked for {outside}"
        assert sum(url.startswith("file:") for url in opened.requests) == 1
        assert not opened.trouble, f"the page said {opened.trouble}"
    for context in contexts:
        context.close()


def report(folder: Path, traces: list[Trace], verdicts: Any, **config: Any) -> Path:
    concluded = config.pop("concluded", ())
    stored = stored_run(folder / "run", traces, verdicts, concluded=concluded, name="pizzeria")
    reporter = FakeContext(base_dir=folder).build(HtmlReporter, **config)
    for event in stored.events():
        reporter.handle(event)
    (path,) = reporter.written()
    return path


def judged(trace: Trace) -> list[Verdict]:
    number = trace.case.params["nr"]
    assert isinstance(number, int)
    if number % 4 == 1:
        turns = (TurnRef(case_id=trace.case.id, turn=1),)
        bad = verdict_of(trace, "fail", check="price", reason=f"the price {number} is wrong")
        return [bad.model_copy(update={"turns": turns})]
    if number % 6 == 2:
        return [verdict_of(trace, "error", oracle="judge", check="polite", reason="no JSON")]
    return [verdict_of(trace)]


def some_talks(count: int = 12) -> list[Trace]:
    names = ("order", "hours")
    return [
        trace_of(
            [("hi", "Welcome!"), (f"question {n}", f"answer number {n}.")],
            scenario=names[n % 3 == 0],
            latencies=[0.1 + n / 100, 0.3],
            nr=n,
        )
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def page_of_twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(tmp_path_factory.mktemp("twelve"), some_talks(), judged)


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def attacked(number: int, text: str) -> Trace:
        clean = hostile.storable(text)
        seen = Observation(
            text=text,
            choices=(Choice(label=text[:5000], url=text[:5000]),),
            attachments=(Attachment(media_type=clean[:500], description=text[:5000]),),
            payload={"said": text[:5000]},
        )
        turns = [(clean, text), ("and?", seen)]
        return trace_of(turns, scenario=f"attack {clean[:200]}", nr=number, **{clean[:99]: clean})

    traces = [attacked(number, text) for number, text in enumerate(ATTACKS)] + hostile.traces()

    def judge(trace: Trace) -> list[Verdict]:
        texts = [hostile.storable(text) for text in ATTACKS]
        return [verdict_of(trace, "fail", oracle=t[:90], check=t[:90], reason=t) for t in texts]

    folder = tmp_path_factory.mktemp("hostile")
    return report(folder, traces, judge, concluded=judge(traces[0]))


def test_nothing_that_an_app_says_runs_or_loads(view: Open, hostile_page: Path) -> None:
    opened = view(hostile_page)
    total = len(ATTACKS) + len(hostile.traces())
    assert opened.page.locator("h1").inner_text() == f"{total} of {total} conversations failed"
    opened.page.locator("#fold").click()
    assert len(opened.open_cases()) == total
    assert opened.page.locator("script").count() == 1
    assert opened.page.locator("main img, main svg [onload], main style").count() == 0
    text = opened.page.locator("main").inner_text()
    assert "<script>alert(1)</script>" in text
    assert "{{7*7}}" in text
    assert "\\x1b[31mred" in text
    assert "\\u202eright to left" in text
    opened.page.mouse.move(600, 300)
    opened.page.keyboard.press("j")


def test_the_policy_stops_what_the_escaping_would_miss(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    script = """() => new Promise((resolve) => {
        addEventListener("securitypolicyviolation", () => resolve("stopped"));
        const broken = "<img src='data:,' onerror='window.hit = 1'>";
        document.body.insertAdjacentHTML("beforeend", broken);
    })"""
    assert opened.page.evaluate(script) == "stopped"
    assert opened.page.evaluate("() => window.hit") is None
    opened.trouble.clear()  # the browser's own word on the violation


def test_search_finds_what_was_said(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    count = opened.page.locator("#count")
    assert count.inner_text() == "12 shown"
    opened.page.locator("#search").fill("NUMBER 7. answer")
    count.and_(opened.page.get_by_text("1 of 12 shown")).wait_for()
    assert len(opened.shown()) == 1
    opened.page.locator("#search").fill("never said")
    opened.page.locator("#nothing").wait_for()
    assert opened.shown() == []
    opened.page.locator("#clear").click()
    assert count.inner_text() == "12 shown"
    assert opened.focused() == "search"


def test_filters_combine(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    fail = opened.page.get_by_role("button", name="fail 3")
    fail.click()
    assert fail.get_attribute("aria-pressed") == "true"
    assert len(opened.shown()) == 3
    opened.page.get_by_role("button", name="error 2").click()
    assert len(opened.shown()) == 5
    opened.page.get_by_role("combobox", name="Scenario").select_option("order")
    assert len(opened.shown()) == 4
    opened.page.locator("#clear").click()
    opened.page.get_by_label("Oracle").select_option("judge")
    assert len(opened.shown()) == 2


def test_a_finding_shows_its_conversations(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    opened.page.get_by_role("button", name="Show all 3").click()
    assert len(opened.shown()) == 3
    assert opened.page.locator("#fault").inner_text() == "finding 1 ✕"
    assert opened.focused() == opened.shown()[0]
    opened.page.locator("#fault").click()
    assert len(opened.shown()) == 12


def test_a_link_opens_its_conversation_even_when_it_is_filtered_out(
    view: Open, page_of_twelve: Path
) -> None:
    opened = view(page_of_twelve)
    opened.page.get_by_role("button", name="pass 7").click()
    link = opened.page.locator("#findings a[href^='#case-']").first
    target = (link.get_attribute("href") or "")[1:]
    link.click()
    # the page follows its address in a task of its own, after the click is over
    opened.page.locator(f"details.case[open][id='{target}']").wait_for()
    assert opened.open_cases() == [target]
    assert opened.focused() == target
    box = opened.page.locator(f"[id='{target}']").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800


def test_an_address_with_a_conversation_opens_it(view: Open, page_of_twelve: Path) -> None:
    case_id = some_talks()[5].case.id
    opened = view(page_of_twelve, f"#case-{case_id}")
    assert opened.open_cases() == [f"case-{case_id}"]


def test_the_keyboard_goes_through_what_did_not_pass(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    failing = [f"case-{some_talks()[n].case.id}" for n in (1, 5, 9, 2, 8)]
    seen: list[str] = []
    for _ in range(6):
        opened.page.keyboard.press("j")
        seen.append(opened.focused())
    assert seen == [*failing, failing[-1]]
    opened.page.keyboard.press("k")
    assert opened.focused() == failing[-2]
    assert set(opened.open_cases()) == set(failing)


def test_arrows_go_from_conversation_to_conversation(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    ids = opened.shown()
    opened.page.locator("details.case > summary").first.focus()
    opened.page.keyboard.press("ArrowDown")
    assert opened.focused() == ids[1]
    opened.page.keyboard.press("Enter")
    assert opened.open_cases() == [ids[1]]
    opened.page.keyboard.press("ArrowUp")
    assert opened.focused() == ids[0]


def test_slash_searches_and_escape_leaves(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    opened.page.keyboard.press("/")
    assert opened.focused() == "search"
    opened.page.keyboard.type("j/t")
    assert opened.page.locator("#search").input_value() == "j/t"
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#search").input_value() == ""
    assert len(opened.shown()) == 12


def test_the_first_tab_offers_to_skip_and_focus_can_be_seen(
    view: Open, page_of_twelve: Path
) -> None:
    opened = view(page_of_twelve)
    opened.page.keyboard.press("Tab")
    skip = opened.page.locator("a.skip")
    box = skip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    opened.page.keyboard.press("Tab")
    style = "() => getComputedStyle(document.activeElement).outlineStyle"
    assert opened.page.evaluate(style) == "solid"


def background(opened: Opened) -> str:
    return str(opened.page.evaluate("() => getComputedStyle(document.body).backgroundColor"))


def test_dark_and_light_follow_the_system_and_the_switch(view: Open, page_of_twelve: Path) -> None:
    light, dark = view(page_of_twelve), view(page_of_twelve, color_scheme="dark")
    assert background(light) == "rgb(247, 246, 243)"
    assert background(dark) == "rgb(19, 21, 25)"
    light.page.get_by_role("button", name="Switch between dark and light").click()
    dark.page.keyboard.press("t")
    assert background(light) == "rgb(19, 21, 25)"
    assert background(dark) == "rgb(247, 246, 243)"


def test_without_scripts_everything_is_there(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve, java_script_enabled=False)
    assert opened.page.locator("form.tools").is_hidden()
    assert opened.page.locator("noscript").inner_text().startswith("Searching needs JavaScript")
    case = opened.page.locator("details.case").first
    case.locator("> summary").click()
    assert case.locator(".chat").is_visible()
    assert "answer number 1." in case.inner_text()


@pytest.mark.parametrize(
    "width", [320, *(pytest.param(width, marks=pytest.mark.thorough) for width in (400, 700, 1000))]
)
def test_a_narrow_screen_never_scrolls_sideways(
    view: Open, hostile_page: Path, page_of_twelve: Path, width: int
) -> None:
    for path in (page_of_twelve, hostile_page):
        opened = view(path, viewport={"width": width, "height": 700})
        opened.page.locator("#fold").click()
        wide = opened.page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= width


def test_printing_shows_what_failed_and_no_controls(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    opened.page.emulate_media(media="print")
    opened.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert len(opened.open_cases()) == 5
    assert opened.page.locator("form.tools").is_hidden()
    opened.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert opened.open_cases() == []
    assert opened.page.pdf().startswith(b"%PDF")


def test_assistive_technology_finds_its_way(view: Open, page_of_twelve: Path) -> None:
    opened = view(page_of_twelve)
    assert opened.page.get_by_role("main").count() == 1
    assert opened.page.get_by_role("search", name="Filter the conversations").is_visible()
    titles = [node.inner_text() for node in opened.page.get_by_role("heading", level=2).all()]
    sections = ["Findings", "Scenarios", "Coverage", "Timings", "Conversations", "About this run"]
    assert titles == sections
    charts = opened.page.locator("svg[role=group]").all()  # an image could have no links inside
    names = [str(chart.get_attribute("aria-label")).partition(":")[0] for chart in charts]
    assert names == ["Response times", "Turn by turn", "Timeline"]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [1500, 5000])
def test_the_second_search_in_thousands_of_conversations_is_quicker(
    view: Open, tmp_path: Path, number: int
) -> None:
    path = report(tmp_path, some_talks(number), judged, max_conversations=number)
    opened = view(path)
    script = """(words) => {
        const began = performance.now();
        document.getElementById("search").value = words;
        document.querySelector("form.tools").requestSubmit();
        return performance.now() - began;
    }"""
    first = opened.page.evaluate(script, "number 1321.")
    assert opened.page.locator("#count").inner_text() == f"1 of {number:,} shown"
    again = min(opened.page.evaluate(script, f"number 132{digit}") for digit in "0123")
    # The first search indexes the texts; the others use the index, on whatever machine.
    assert again < first / 2, f"a search took {again:.0f} ms, the first {first:.0f} ms"


@pytest.mark.thorough
def test_of_many_conversations_the_first_500_open_at_once(view: Open, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    opened = view(report(tmp_path, some_talks(600), judged, max_conversations=600))
    fold = opened.page.locator("#fold")
    assert fold.inner_text() == "Open the first 500"
    fold.click()
    assert opened.page.evaluate("document.querySelectorAll('details.case[open]').length") == 500
    expect(opened.page.locator("#fold")).to_have_text("Close all", timeout=30_000)
    fold.click()
    assert opened.page.evaluate("document.querySelectorAll('details.case[open]').length") == 0


@pytest.mark.thorough
def test_the_page_of_twenty_thousand_conversations_opens(view: Open, tmp_path: Path) -> None:
    """A thousand whole and the rest in a line each: not more than a browser opens in seconds."""
    path = report(tmp_path, some_talks(20_000), judged)
    assert path.stat().st_size < 20_000_000
    opened = view(path)
    assert opened.page.locator("#count").inner_text() == "1,000 shown"
    assert opened.page.evaluate("document.querySelectorAll('*').length") < 300_000
