"""The page of `sparring view` in Chromium: harmless, accessible, usable with keys and on a phone."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.browser.test_report import ATTACKS
from tests.plugins.viewer.conftest import (  # noqa: F401 - fixtures
    Serve,
    Served,
    folder,
    judged,
    own_cache,
    serve,
    some_talks,
)

from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import ModelCalled, RunFinished
from sparring.model.talk import Artifact, Choice, Observation
from sparring.store import RunLog
from sparring.testing.conversations import (
    EPOCH,
    run_events,
    store,
    trace_of,
    verdict_of,
)
from sparring_plugins.gating.gate_result import GateResult, Rules
from sparring_plugins.voice.behaviour_model import START, BehaviourModel, Input

pytestmark = pytest.mark.browser

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478"
    "9c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def served(folder: Path, serve: Serve) -> Served:  # noqa: F811
    """Two runs, one of attacks with a picture and a prompt, and one with a behaviour model."""
    runs = folder / "runs"
    attacks = [text.encode("utf-8", "replace").decode() for text in ATTACKS]
    hostile = [
        trace_of(
            [(text[:500], Observation(text=text[:5000], choices=(Choice(label=text[:500]),)))],
            scenario=text[:60] or "nothing",
            value=text[:200],
        )
        for text in attacks
    ]
    shown = Artifact(name="the page", media_type="image/png", path="page.png")
    hostile[0] = hostile[0].model_copy(update={"artifacts": (shown,)})
    events = run_events(
        hostile,
        lambda trace: [verdict_of(trace, "fail", check="<b>x</b>", reason=str(trace.case.params))],
        name="attacks",
    )
    request = ChatRequest(
        messages=(ChatMessage(role="system", content=ATTACKS[0]),),
        asker="judge",
        case_id=hostile[0].case.id,
    )
    reply = ChatReply(text=ATTACKS[4], model="small")
    events.insert(3, ModelCalled(at=EPOCH, request=request, reply=reply))
    store(runs / "attacks", events)
    (runs / "attacks/page.png").write_bytes(PNG)
    _store_model(runs / "attacks/models/skill.model.json")
    return serve(runs)


def _store_model(path: Path) -> None:
    model = BehaviourModel(app="skill")
    states = [model.start, *(model.add_state() for _ in range(12))]
    for number, state in enumerate(states):
        state.add_output(f"Sentence {number}, {ATTACKS[number % 9][:40]}")
        for step in (1, 2, 5):
            target = states[(number * step + step) % len(states)]
            model.count_transition(state, Input(text=f"go {step} from {number}"), target)
    path.parent.mkdir()
    path.write_text(model.model_dump_json())
    assert model.states[START]


Open = Callable[..., Any]


@pytest.fixture
def view(chromium: Any, served: Served) -> Iterator[Open]:
    """Open a view in a fresh browser; at the end nothing must have gone wrong."""
    contexts: list[Any] = []
    trouble: list[str] = []

    def open_page(route: str = "", **options: Any) -> Any:
        context = chromium.new_context(**({"viewport": {"width": 1200, "height": 800}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append("dialog"), dialog.accept()))
        page.on("request", lambda request: _note_foreign(request.url, served, trouble))
        page.goto(f"{served.address}#/{route}")
        page.wait_for_selector("h1")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def _note_foreign(url: str, served: Served, trouble: list[str]) -> None:
    if not url.startswith((f"http://127.0.0.1:{served.port}/", "data:")):
        trouble.append(f"asked for {url[:200]}")


def wait_for_rows(page: Any, count: int) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#cases li")).to_have_count(count, timeout=30_000)


def first_case(served: Served, run: str, **wanted: str) -> str:
    query = "&".join(f"{name}={value}" for name, value in wanted.items())
    return str(served.get(f"/api/runs/{run}/cases?{query}")["rows"][0]["id"])


def test_the_token_leaves_the_address(view: Open) -> None:
    page = view()
    assert "token" not in page.url
    page.reload()
    assert page.locator("h1").inner_text() == "3 runs"


def test_from_a_finding_to_a_turn_by_keys_alone(view: Open) -> None:
    page = view("run/first")
    assert page.locator("h1").inner_text() == "3 of 12 conversations failed"
    page.keyboard.press("/")
    page.keyboard.type("question 5")
    wait_for_rows(page, 1)
    page.keyboard.press("Tab")  # out of the search, so that j is no letter of it
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".chat")
    assert "answer number 5." in page.locator(".chat").inner_text()
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.title() == "hours – Sparring"


def test_filters_stand_in_the_address_and_lead_from_case_to_case(view: Open) -> None:
    page = view("run/first")
    page.get_by_role("button", name="Show all of finding 1").click()
    wait_for_rows(page, 3)
    assert page.url.endswith("#/run/first?finding=1")
    page.locator("#cases a").first.click()
    page.wait_for_selector(".chat")
    page.keyboard.press("j")
    page.get_by_text("answer number 5.").wait_for()
    page.go_back()
    page.go_back()
    wait_for_rows(page, 3)


def test_attacks_of_the_app_do_nothing(view: Open, served: Served) -> None:
    """Each text stands on the page as it is; the fixture sees to it that nothing else happened."""
    from playwright.sync_api import expect

    page = view("run/attacks")
    # the list is fetched once the page is there, which takes a while on a busy machine
    page.wait_for_selector("#cases li")
    assert page.locator("#cases li").count() == len(ATTACKS)
    assert page.locator("h1").count() == 1
    page.get_by_role("link", name="script", exact=False).first.click()
    page.wait_for_selector(".chat")
    assert page.locator(".chat .app .text").inner_text() == ATTACKS[0]
    page.locator(".calls summary").click()
    assert page.locator(".calls pre").all_inner_texts() == [ATTACKS[0], ATTACKS[4]]
    page.get_by_role("button", name="Enlarge: the page").click()
    # The picture is fetched when the dialog opens: wait until it is there, or the width is still 0.
    expect(page.locator("#large img")).to_have_js_property("naturalWidth", 1, timeout=30_000)
    page.keyboard.press("Escape")
    assert not page.locator("#large").is_visible()


def test_labels_of_behaviour_models_do_not_overlap(view: Open) -> None:
    page = view("run/attacks/models")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.graph .state rect, .graph .edge-label rect')]
        .map((rect) => { const b = rect.getBBox(); return [b.x, b.y, b.width, b.height]; })"""
    )
    assert len(boxes) > 40
    overlapping = [
        (a, b)
        for number, a in enumerate(boxes)
        for b in boxes[:number]
        if min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]) > 1
        and min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]) > 1
    ]
    assert overlapping == []
    inside = page.evaluate(
        """() => [...document.querySelectorAll('.graph .edge-label')].every((group) =>
        group.querySelector('text').getBBox().width <= group.querySelector('rect').getBBox().width)"""
    )
    assert inside
    graph = page.locator(".graph")
    before = graph.get_attribute("viewBox")
    graph.focus()
    page.keyboard.press("+")
    assert graph.get_attribute("viewBox") != before
    page.locator(".graph .state").nth(1).press("Enter")
    assert "Sentence" in page.locator(".state-detail").inner_text()


def test_a_verdict_is_labelled_and_the_label_is_kept(view: Open, served: Served) -> None:
    case_id = first_case(served, "first", outcome="fail")
    page = view(f"run/first/case/{case_id}")
    page.get_by_text("Is this verdict right?").first.click()
    page.get_by_label("Note on rules/price").fill("it is right after all")
    page.get_by_role("button", name="wrong", exact=True).click()
    page.get_by_text("Kept in").wait_for()
    page.reload()
    wrong = page.get_by_role("button", name="wrong", exact=True)
    wrong.wait_for()
    assert wrong.get_attribute("aria-pressed") == "true"
    assert page.get_by_label("Note on rules/price").input_value() == "it is right after all"
    (served.runs.parent / "labels-rules-price.yaml").unlink()


def test_two_runs_stand_side_by_side(view: Open) -> None:
    page = view()
    for name in ("first", "second"):
        page.get_by_label(f"Compare {name}").check()
    page.get_by_role("button", name="Compare the two runs").click()
    page.wait_for_selector(".line.pair")
    assert "missing 2" in page.locator(".outcomes").inner_text()
    page.locator(".line.pair").first.click()
    page.wait_for_selector(".side .chat")
    sides = page.locator(".side").all_inner_texts()
    assert len(sides) == 2
    assert sum("They part at turn 2." in side for side in sides) == 1


def test_failures_that_the_gate_accepts_are_no_pass_in_the_list(view: Open, served: Served) -> None:
    *events, finished = run_events(some_talks(4), judged, name="blessed")
    assert isinstance(finished, RunFinished)
    result = GateResult(rules=Rules(), accepted=["order rules/price"], headline="1 fails as before")
    changes = {"exit_code": 0, "gate": result.model_dump(mode="json")}
    summary = finished.summary.model_copy(update=changes)
    store(served.runs / "blessed", [*events, finished.model_copy(update={"summary": summary})])
    page = view()
    card = page.locator(".run", has_text="blessed").first
    assert card.locator(".badge").all_inner_texts() == ["accepted"]
    assert "1 fails as before" in card.inner_text()
    assert "1 fail" in card.inner_text()


def test_a_running_run_grows_on_the_page(view: Open, served: Served) -> None:
    from playwright.sync_api import expect

    events = run_events(some_talks(4), judged, name="live")
    first = [event for event in events if event.kind in ("run_started", "cases_asked")]
    rest = [event for event in events if event not in first]
    with RunLog.create(served.runs / "live", events[0].run) as log:  # type: ignore[union-attr]
        for event in [*first, *rest[:4]]:
            log.append_event(event)
        page = view("run/live")
        page.get_by_text("1 of 4 judged").wait_for()
        for event in rest[4:]:
            log.append_event(event)
    wait_for_rows(page, 4)
    page.locator("progress").wait_for(state="detached")
    expect(page.locator("#said")).to_have_text("The run has ended.", timeout=30_000)


AXE = (files("sparring_connectors.browser") / "axe_core/axe.min.js").read_text(encoding="utf-8")
VIEWS = (
    "",
    "run/first",
    "run/first/case/FAILED",
    "run/first/matrix",
    "run/attacks/models",
    "run/attacks/case/ATTACKED",
    "compare/first/second",
    "compare/first/second/FAILED",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_barrier(view: Open, served: Served, scheme: str) -> None:
    """What axe-core finds: names, roles, contrast, order of headings."""
    failed = first_case(served, "first", outcome="fail")
    attacked = first_case(served, "attacks")
    page = view("", color_scheme=scheme)
    for pattern in VIEWS:
        route = pattern.replace("FAILED", failed).replace("ATTACKED", attacked)
        page.goto("about:blank")
        page.goto(f"http://127.0.0.1:{served.port}/#/{route}")
        page.wait_for_selector("h1")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(AXE)  # the page's policy lets no script in: it comes through the debugger
        results = page.evaluate("axe.run().then((found) => found.violations)")
        summary = [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in results
        ]
        assert summary == [], f"{route}: {json.dumps(summary, indent=1)}"


def test_every_view_fits_a_phone(view: Open, served: Served) -> None:
    failed = first_case(served, "first", outcome="fail")
    page = view("", viewport={"width": 390, "height": 844})
    for route in (
        "run/attacks",
        f"run/first/case/{failed}",
        "run/attacks/models",
        "run/first/matrix",
        f"compare/first/second/{failed}",
    ):
        page.goto("about:blank")
        page.goto(f"http://127.0.0.1:{served.port}/#/{route}")
        page.wait_for_selector("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, route
