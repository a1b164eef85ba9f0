"""The reporter `html`: what the page holds, and that nothing of the app's becomes markup."""

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.errors import SparringError
from sparring.model.case import Case
from sparring.model.events import Event, RunFinished, RunStarted
from sparring.model.run import Stop, Summary
from sparring.model.talk import (
    Artifact,
    Attachment,
    Choice,
    Ended,
    GuiAction,
    Incident,
    IncidentKind,
    Observation,
    Output,
    Press,
    Trace,
)
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.testing import hostile
from sparring.testing.conversations import (
    EPOCH,
    run_events,
    store,
    stored_run,
    trace_of,
    verdict_of,
)
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.findings import reason_parts
from sparring_plugins.reporting.html.charts import charts
from sparring_plugins.reporting.html.messages import brief
from sparring_plugins.reporting.html.overview import Overview
from sparring_plugins.reporting.html.reporter import PAGE, HtmlReporter
from sparring_plugins.reporting.html.timings import MOST_TIMELINE_BARS, Durations, Timings

VOID = {"meta", "link", "input", "br", "img", "hr"}
ELEMENTS = {
    *("html", "head", "meta", "title", "link", "style", "script", "body", "main", "header"),
    *("footer", "nav", "section", "aside", "a", "p", "h1", "h2", "h3", "h4", "b", "strong", "span"),
    *("small", "code", "pre", "kbd", "ol", "ul", "li", "dl", "dt", "dd", "div", "details"),
    *("summary", "figure", "figcaption", "svg", "rect", "line", "polyline", "polygon", "text"),
    *("table", "thead", "tbody", "tr", "th", "td", "form", "label", "input", "button", "select"),
    *("option", "output", "noscript"),
}


@dataclass
class Node:
    """An element of the page."""

    tag: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)

    def said(self) -> str:
        return " ".join("".join(self.text).split())


class Page(HTMLParser):
    """Reads a page: every element with all text inside, and that tags are balanced."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.nodes: list[Node] = []
        self._open: list[Node] = []
        self.feed(source)
        self.close()
        assert not self._open, f"never closed: {[node.tag for node in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.nodes.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for node in self._open:
            node.text.append(data)

    def all(self, tag: str, **attributes: str) -> list[Node]:
        """The elements of a tag with such attributes; `class_` means one of its classes."""
        wanted = attributes.pop("class_", None)
        return [
            node
            for node in self.nodes
            if node.tag == tag
            and (wanted is None or wanted in node.attributes.get("class", "").split())
            and attributes.items() <= node.attributes.items()
        ]

    def one(self, tag: str, **attributes: str) -> Node:
        (node,) = self.all(tag, **attributes)
        return node

    def text(self) -> str:
        return self.one("main").said()


def written(events: Iterable[Event], folder: Path, **config: Any) -> Page:
    reporter = FakeContext(base_dir=folder, run_dir=folder).build(HtmlReporter, **config)
    for event in events:
        reporter.handle(event)
    (path,) = reporter.written()
    return Page(path.read_text("utf-8"))


def reported(
    folder: Path,
    traces: Sequence[Trace],
    verdicts: Any = (),
    concluded: Sequence[Verdict] = (),
    **config: Any,
) -> Page:
    stored = stored_run(folder / "run", traces, verdicts, concluded=concluded, name="pizzeria")
    return written(stored.events(), folder, **config)


def talks(count: int) -> list[Trace]:
    return [trace_of([("hi", "hello")], nr=number) for number in range(count)]


def nth_fails(number: int) -> Any:
    def judge(trace: Trace) -> list[Verdict]:
        index = trace.case.params["nr"]
        assert isinstance(index, int)
        return [verdict_of(trace, "fail" if index % number == 0 else "pass", reason="bad")]

    return judge


def test_the_first_words_say_what_came_out(tmp_path: Path) -> None:
    page = reported(tmp_path, talks(10), nth_fails(4))
    assert page.one("h1").said() == "3 of 10 conversations failed"
    assert page.one("title").said() == "3 of 10 conversations failed \u2013 pizzeria"
    assert page.one("p", class_="cause").said() == "Findings: 1 fail"
    assert "mood-fail" in page.one("body").attributes["class"]
    legend = page.one("ul", class_="legend")
    assert legend.said() == "10 conversations: 7 pass 3 fail"


@pytest.mark.parametrize(
    ("outcomes", "words", "mood"),
    [
        (["pass", "pass"], "All 2 conversations passed", "pass"),
        (["pass"], "The one conversation passed", "pass"),
        (["error", "pass"], "1 of 2 conversations ended in errors", "error"),
        (["inconclusive"], "1 of 1 conversation could not be judged", "inconclusive"),
        (["fail", "error"], "1 of 2 conversations failed", "fail"),
        (["skipped", "pass"], "1 of 2 conversations passed; to the rest no check applied", "pass"),
        ([], "No conversations were judged", "skipped"),
    ],
)
def test_the_headline_fits_the_outcome(
    tmp_path: Path, outcomes: list[str], words: str, mood: str
) -> None:
    traces = talks(len(outcomes))
    verdicts = [[verdict_of(t, o)] for t, o in zip(traces, outcomes, strict=True)]
    page = reported(tmp_path, traces, verdicts)
    assert page.one("h1").said() == words
    assert f"mood-{mood}" in page.one("body").attributes["class"]


def test_findings_link_their_shortest_conversation_which_is_there(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")] * (5 - n), nr=n) for n in range(4)]
    verdicts = [[verdict_of(t, "fail", reason=f"price {n}")] for n, t in enumerate(traces)]
    page = reported(tmp_path, traces, verdicts)
    finding = page.one("li", class_="finding")
    assert "polite rules 1 price 3 4 conversations owner: app shortest" in finding.said()
    assert page.one("button", **{"data-fault": "1"}).said() == "Show all 4"
    anchor = f"case-{traces[3].case.id}"
    assert page.all("a", href=f"#{anchor}")
    assert page.one("details", id=anchor)


def test_a_conversation_is_a_chat_with_verdicts_at_the_turns_that_show_them(
    tmp_path: Path,
) -> None:
    trace = trace_of(
        [
            (None, Observation(text="Welcome", choices=(Choice(label="Order"),))),
            (Press(label="Order", value="/order"), "Which size?"),
            (GuiAction(action="click", target="#pay"), "Paid"),
            ("bye", None),
        ],
        latencies=[0.25, 1.5],
        outputs=[Output(name="price", value="12.50", type="money"), Output(name="day")],
        incidents=[
            Incident(kind=IncidentKind.TIMEOUT, message="10 s", owner=Owner.APP, turn=3),
            Incident(kind=IncidentKind.LOOP, message="no turn", owner=Owner.APP),
        ],
        size="big",
    )
    refs = tuple(TurnRef(case_id=trace.case.id, turn=n) for n in (0, 2))
    shown = verdict_of(trace, "fail", check="price", reason="wrong").model_copy(
        update={"turns": refs}
    )
    page = reported(tmp_path, [trace], [[shown, verdict_of(trace, "error", check="loose")]])
    turns = [node.said() for node in page.all("li", class_="turn")]
    assert turns[0] == "1 250 ms App: Welcome Order rules / price see turn 3 finding 1"
    assert turns[1] == "2 1.5 s User: pressed Order App: Which size?"
    assert turns[2] == "3 User: on the page click #pay App: Paid rules / price finding 1 wrong"
    assert turns[3] == "4 User: bye (no answer) timeout 10 s"
    talk = page.one("div", class_="talk").said()
    assert talk.startswith("loop no turn rules / loose finding 2 because of the test")
    aside = page.one("aside").said()
    assert "Inputs size big Outputs price 12.50 day not found" in aside
    assert aside.endswith(f"sparring show {(tmp_path / 'run').as_posix()} {trace.case.id}")


def test_the_outputs_buttons_links_and_attachments_of_an_app_are_text(tmp_path: Path) -> None:
    seen = Observation(
        text="look",
        choices=(Choice(label="menu", url="javascript:alert(1)"),),
        attachments=(Attachment(media_type="image/png", url="http://x.invalid/a.png"),),
        payload={"url": "http://x.invalid/b.png"},
        ended=True,
    )
    page = reported(tmp_path, [trace_of([("hi", seen)], ended=Ended.APP_ENDED)])
    assert page.one("ul", class_="choices").said() == "menu javascript:alert(1)"
    assert page.one("ul", class_="attached").said() == "image/png http://x.invalid/a.png"
    assert "http://x.invalid/b.png" in page.one("details", class_="payload").said()
    assert "the app ended the conversation" in page.text()
    assert not [n for n in page.nodes if n.attributes.get("href", "").startswith(("http", "java"))]


def test_files_of_a_run_are_linked_only_inside_its_folder(tmp_path: Path) -> None:
    paths = ["a b/1.png", "../../x", "/etc/passwd", "javascript:alert(1)"]
    files = [Artifact(name=f"file {n}", media_type="x/y", path=p) for n, p in enumerate(paths)]
    trace = trace_of([("hi", "hello")]).model_copy(update={"artifacts": tuple(files)})
    page = reported(tmp_path, [trace])
    found = [n.attributes["href"] for n in page.all("a", rel="noreferrer")]
    assert found == ["./a%20b/1.png", "./javascript%3Aalert%281%29"]


def test_conditions_over_several_conversations_link_them(tmp_path: Path) -> None:
    traces = talks(3)
    ids = [trace.case.id for trace in traces]
    bad = verdict_of(traces[0], "fail", check="unique", reason="twice 417").model_copy(
        update={"case_ids": (ids[0], ids[2])}
    )
    good = verdict_of(traces[0], check="unique").model_copy(update={"count": 1224})
    page = reported(tmp_path, traces, concluded=[good, bad])
    section = page.one("section", id="conditions").said()
    assert "fail unique rules 1,224 pass, 1 fail twice 417" in section
    notes = [n.said() for n in page.all("div", class_="note")]
    assert notes == [
        f"rules / unique finding 1 twice 417 with {ids[2]}",
        f"rules / unique finding 1 twice 417 with {ids[0]}",
    ]


def test_each_scenario_has_its_outcomes_response_times_and_what_went_wrong(tmp_path: Path) -> None:
    loop = Incident(kind=IncidentKind.LOOP, message="again", owner=Owner.APP)
    talk = [(None, "welcome"), ("hi", "hello"), ("bye", None)]
    traces = [
        trace_of(talk, scenario="order", latencies=[9.0, 0.25, 30.0], incidents=[loop] * 2),
        trace_of([("hi", "yes")], scenario="order", nr=2, latencies=[0.75], meta={"cost_usd": 0.5}),
        trace_of([("hi", None)], scenario="<ask>", meta={"cost_usd": "much"}),
    ]
    verdicts = [[verdict_of(trace, one)] for trace, one in zip(traces, ("fail", "pass", "pass"),
                                                               strict=True)]  # fmt: skip
    page = reported(tmp_path, traces, verdicts)
    table = page.one("section", id="scenarios")
    assert [row.said() for row in page.all("tr") if row.said() in table.said()][1:4] == [
        "<ask> 1 1 pass 1.0 –",
        "order 2 1 pass 1 fail 2.0 500 ms 250 ms 750 ms 2 loop $0.5000",
        "all 3 2 pass 1 fail 1.7 500 ms 250 ms 750 ms 2 loop $0.5000",
    ]
    alone = reported(tmp_path / "alone", traces[2:])
    assert "all" not in alone.one("section", id="scenarios").said().split()


def test_a_run_stopped_by_its_budget_says_how_to_go_on(tmp_path: Path) -> None:
    events = run_events(talks(1), folder=tmp_path / "run")
    stored = stored_run(tmp_path / "run", talks(1))
    summary = Summary(stopped=Stop.BUDGET, exit_code=4, reason="30 minutes are over")
    assert stored.case_ids
    page = written([events[0], RunFinished(at=EPOCH, summary=summary)], tmp_path)
    notice = page.one("div", class_="notice").said()
    assert notice.startswith("Stopped by the budget: 30 minutes are over. The run is not complete")
    assert f"sparring run --resume {(tmp_path / 'run').as_posix()}" in notice


@pytest.mark.parametrize(
    ("count", "expected", "said"),
    [
        (4, 15, "4 conversations of 15 were played: 4 fail"),
        (1, None, "1 conversation was played: 1 fail"),
        (0, 15, "No conversation of 15 was played"),
    ],
)
def test_an_interrupted_run_says_how_far_it_came(
    tmp_path: Path, count: int, expected: int | None, said: str
) -> None:
    traces = talks(count)
    events = run_events(traces, lambda t: [verdict_of(t, "fail")], folder=tmp_path / "run")
    begun = events[0].model_copy(update={"expected": expected})
    summary = Summary(stopped=Stop.INTERRUPTED, exit_code=130, reason="interrupted")
    last = RunFinished(at=EPOCH, summary=summary)
    store(tmp_path / "run", [begun, *events[1:-1], last])
    later = begun.model_copy(update={"expected": None})  # as `sparring report` tells it
    page = written([later, last], tmp_path)
    assert page.one("h1").said() == said
    assert page.one("div", class_="notice").said().startswith("Interrupted. The run is not")


def test_a_long_reason_begins_with_its_message_and_is_whole_in_the_conversation(
    tmp_path: Path,
) -> None:
    reason = "too dear (`" + "price == 1 and " * 60 + "True` is false: price is 2)"
    page = reported(tmp_path, talks(1), lambda t: [verdict_of(t, "fail", reason=reason)])
    assert page.one("li", class_="finding").said().count("too dear 1 conversation") == 1
    assert page.one("span", class_="why").said() == "rules / polite: too dear"
    note = page.one("div", class_="note").said()
    assert [part for part in reason_parts(reason) if part.replace("`", "") not in note] == []


def test_what_the_author_says_of_a_check_comes_before_its_condition(tmp_path: Path) -> None:
    details = {"description": "Nobody pays more than the menu says"}
    page = reported(
        tmp_path,
        talks(1),
        lambda t: [
            verdict_of(t, "fail", reason="`a > 1` is false").model_copy(update={"details": details})
        ],
    )
    for place in (page.one("li", class_="finding"), page.one("div", class_="note")):
        assert "Nobody pays more than the menu says condition a > 1 is false" in place.said()
    why = "rules / polite: Nobody pays more than the menu says"
    assert page.one("span", class_="why").said() == why


def test_test_cases_in_plain_language_are_called_so(tmp_path: Path) -> None:
    record = {"steps": [{}, {}, {}]}
    traces = [trace_of([("go", "page")] * 9, nr=n, meta={"gui": record}) for n in range(3)]
    page = reported(tmp_path, traces, lambda t: [verdict_of(t, "fail")])
    assert page.one("h1").said() == "3 of 3 test cases failed"
    assert "conversation" not in page.one("li", class_="finding").said()
    assert page.all("span", class_="length")[0].said().startswith("3 steps")


def test_an_event_that_a_verdict_tells_has_one_box(tmp_path: Path) -> None:
    down = Incident(
        kind=IncidentKind.UNREACHABLE, message="nobody answers", owner=Owner.ENVIRONMENT
    )
    trace = trace_of([("hi", None)], incidents=[down])
    verdict = verdict_of(trace, "error", check="unreachable", reason="nobody answers")
    page = reported(tmp_path, [trace], [[verdict]])
    assert len([n for n in page.all("div") if "note" in n.attributes.get("class", "")]) == 1


def test_nothing_is_loaded_and_the_policy_forbids_it(tmp_path: Path) -> None:
    page = reported(tmp_path, talks(1))
    meta = page.one("meta", **{"http-equiv": "Content-Security-Policy"})
    policy = meta.attributes["content"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    for name in ("src", "srcset", "action", "data", "poster", "style"):
        assert not [n for n in page.nodes if name in n.attributes], name
    assert not [n for n in page.nodes if any(a.startswith("on") for a in n.attributes)]
    links = {n.attributes["href"] for n in page.nodes if "href" in n.attributes}
    assert all(href.startswith(("#", "./", "data:,")) for href in links)
    assert "url(" not in (PAGE / "report.css").read_text("utf-8")
    assert "innerHTML" not in (PAGE / "report.js").read_text("utf-8")
    assert "|safe" not in (PAGE / "parts.html.jinja").read_text("utf-8")


def test_the_folders_above_the_suite_are_not_shown(tmp_path: Path) -> None:
    start, *rest = run_events(talks(1), folder=tmp_path / "run")
    assert isinstance(start, RunStarted)
    written_down = {
        "app": {"url": "http://localhost", "path": "/srv/chat"},
        "gate": {"baseline": "/srv/secret-client/bot/kept/baseline.yaml"},
    }
    path = "/srv/secret-client/bot/suite.yaml"
    run = start.run.model_copy(update={"suite_path": path, "suite": written_down})
    reporter = FakeContext(base_dir=tmp_path).build(HtmlReporter, path="report.html")
    store(tmp_path / "run", [start.model_copy(update={"run": run}), *rest])
    for event in [start.model_copy(update={"run": run}), *rest]:
        reporter.handle(event)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<code>bot/suite.yaml</code>" in page
    assert "secret-client" not in page
    assert "kept/baseline.yaml" in page
    assert "/srv/chat" in page, "a path of the app's"


def test_live_and_afterwards_give_the_same_page(tmp_path: Path) -> None:
    stored = stored_run(tmp_path / "run", talks(6), nth_fails(2))
    events = list(stored.events())
    live = written(events, tmp_path)
    later = written([events[0], events[-1]], tmp_path)
    assert live.source == later.source


def test_a_run_that_is_not_stored_is_reported_from_its_events(tmp_path: Path) -> None:
    page = written(run_events(talks(4), nth_fails(2)), tmp_path)
    assert page.one("h1").said() == "2 of 4 conversations failed"
    assert not page.all("code", class_="command")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def judged_hostile(trace: Trace) -> list[Verdict]:
    reasons = [hostile.storable(text) for text in hostile.TEXTS]
    outcomes = ("fail", "error", "inconclusive", "pass", "skipped")
    return [
        verdict_of(trace, outcomes[n % 5], oracle=text[:90], check=text[:90], reason=text)
        for n, text in enumerate(reasons)
    ]


def test_hostile_conversations_stay_text(tmp_path: Path) -> None:
    traces = hostile.traces()
    page = reported(tmp_path, traces, judged_hostile, judged_hostile(traces[0]))
    assert {node.tag for node in page.nodes} <= ELEMENTS
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not [n for n in page.nodes if any(a.startswith("on") for a in n.attributes)]
    assert hostile.MARK in page.text()
    assert hostile.MARK not in page.source
    assert "\\x1b]0;owned" in page.text()
    assert not set(page.source) & set("\x00\x1b\u202e\u2028\u200b\ufeff")


@given(text=st.text(st.characters(exclude_categories=("Cs",))))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_stays_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("run")
    plain = Page(_page_of(folder / "plain", "x").source)
    page = _page_of(folder / "other", text)
    assert [n.tag for n in page.all("script")] == ["script"]
    assert {n.tag for n in page.nodes} <= ELEMENTS
    assert len(page.all("details", class_="case")) == len(plain.all("details", class_="case"))


def _page_of(folder: Path, text: str) -> Page:
    case = Case(id=f"id {text}", scenario=text, params={text: text})
    seen = Observation(
        text=text, choices=(Choice(label=text, url=text),), payload=text, attachments=()
    )
    trace = trace_of([(text, seen)], case=case, meta={text: text, "source": text})
    verdict = verdict_of(trace, "fail", oracle=text, check=text, reason=text)
    return reported(folder, [trace], [[verdict]], [verdict])


@pytest.mark.thorough
def test_a_huge_answer_is_cut_and_says_so(tmp_path: Path) -> None:
    trace = trace_of([("hi", "x" * 1_000_000), ("and?", "y" * 1_000_000)] * 40)
    page = reported(tmp_path, [trace])
    assert len(page.source) < 500_000
    assert page.all("p", class_="cut")[0].said() == "980,000 more characters are in the run log"


def test_a_long_conversation_keeps_its_ends_and_its_remarks(tmp_path: Path) -> None:
    trace = trace_of([(f"q{n}.", f"a{n}.") for n in range(3000)])
    shown = verdict_of(trace, "fail", reason="here").model_copy(
        update={"turns": (TurnRef(case_id=trace.case.id, turn=1500),)}
    )
    page = reported(tmp_path, [trace], [[shown]])
    numbers = [int(n.said().split()[0]) for n in page.all("li", class_="turn")]
    assert len(numbers) == 301
    assert numbers[:2] == [1, 2]
    assert numbers[-1] == 3000
    assert 1501 in numbers
    gaps = [n.said() for n in page.all("li", class_="gap")]
    assert gaps == [
        "1,400 turns without remarks left out",
        "1,299 turns without remarks left out",
    ]


@pytest.mark.parametrize(
    ("reason", "codes"),
    [
        ("wrong (`a < b` is false: `c`)", ["a < b", "c"]),
        ("one ` alone", []),
        ("`a` and ` alone", ["a"]),
        ("`<b>` & ``", ["<b>", ""]),
        ("`", []),
    ],
)
def test_code_in_reasons_is_shown_as_code(tmp_path: Path, reason: str, codes: list[str]) -> None:
    trace = trace_of([("hi", "hello")])
    page = reported(tmp_path, [trace], [[verdict_of(trace, "fail", reason=reason)]])
    finding = page.one("li", class_="finding")
    parts = [part.replace("`", "") for part in reason_parts(reason) if part]
    assert [part for part in parts if part not in finding.said().replace("`", "")] == []
    shown = [node.said() for node in page.all("code")]
    assert [code for code in codes if code not in shown] == []
    assert finding.said().count("`") == reason.count("`") - 2 * len(codes)


def test_turns_that_are_not_there_are_borne(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    refs = tuple(TurnRef(case_id=trace.case.id, turn=n) for n in (-1, 1, 99))
    verdict = verdict_of(trace, "fail", reason="where?").model_copy(update={"turns": refs})
    page = reported(tmp_path, [trace], [[verdict]])
    assert page.one("div", class_="talk").said().startswith("rules / polite finding 1 where?")


# --- large runs -----------------------------------------------------------------------------


def test_a_large_run_shows_all_that_failed_and_a_stated_sample(tmp_path: Path) -> None:
    page = reported(tmp_path, talks(60), nth_fails(10), max_conversations=16)
    shown = page.all("details", class_="case")
    outcomes = [node.attributes["data-outcome"] for node in shown]
    assert outcomes == ["fail"] * 6 + ["pass"] * 10
    said = page.one("p", class_="sample").said()
    assert said == (
        "This page shows 16 of 60 conversations whole: all that did not pass and 10 of the 54 "
        "others, taken evenly over the run. The run log has all of them."
    )


def test_more_failures_than_room_are_listed_in_a_line_each(tmp_path: Path) -> None:
    page = reported(tmp_path, talks(40), nth_fails(2), max_conversations=5)
    assert len(page.all("details", class_="case")) == 5
    brief = page.one("ul", class_="briefly")
    assert brief.said().count("rules / polite: bad") == 15
    assert "the first of those that did not pass, the other 15 of them" in page.text()


def test_what_findings_point_to_is_always_shown_whole(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")] * (1 if n == 35 else 2), nr=n) for n in range(40)]
    page = reported(tmp_path, traces, nth_fails(1), max_conversations=3)
    assert page.one("details", id=f"case-{traces[35].case.id}")


def test_a_sample_is_even_and_complete_when_there_is_room(tmp_path: Path) -> None:
    stored = stored_run(tmp_path / "run", talks(100), nth_fails(1000))
    overview = Overview(stored)
    assert overview.selection(100).is_complete
    ids = stored.case_ids
    sampled = overview.selection(11)
    assert [ids.index(i) for i in sampled.whole[1:]] == [1 + n * 99 // 10 for n in range(10)]


# --- charts ---------------------------------------------------------------------------------


@given(st.lists(st.floats(1e-4, 1e4), min_size=1, max_size=300), st.floats(0, 1))
def test_quantiles_are_as_exact_as_promised(values: list[float], share: float) -> None:
    durations = Durations()
    for value in values:
        durations.add(value)
    found = durations.quantile(share)
    below = sum(value <= found * 1.05 for value in values)
    above = sum(value >= found / 1.05 for value in values)
    assert below >= share * len(values) - 1e-6
    assert above >= (1 - share) * len(values) - 1e-6


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=50))
def test_any_latencies_can_be_drawn(latencies: list[float]) -> None:
    timings = Timings()
    for number, latency in enumerate(latencies):
        trace = trace_of([("hi", "hello")] * 2, latencies=[latency, 0.1], nr=number)
        later = EPOCH + timedelta(hours=number % 3)
        timings.add(trace.model_copy(update={"started": later}), Outcome.PASS)
    for chart in charts(timings):
        for bar in chart.bars:
            assert 0 <= bar.x <= 360
            assert 0 <= bar.y <= 206
            assert bar.width > 0
            assert bar.height > 0
        assert "nan" not in chart.summary


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 10)), min_size=1, max_size=30))
def test_the_timeline_counts_what_goes_on_at_once(spans: list[tuple[int, int]]) -> None:
    timings = Timings()
    for number, (start, length) in enumerate(spans):
        trace = trace_of([("hi", "hello")], nr=number)
        started = EPOCH + timedelta(seconds=start)
        times = {"started": started, "duration_s": float(length)}
        timings.add(trace.model_copy(update=times), Outcome.PASS)
    at_once = max(
        sum(start <= moment < start + length for start, length in spans) for moment, _ in spans
    )
    together = f"up to {at_once} side by side" if at_once > 1 else "one after the other"
    assert together in charts(timings)[-1].summary


def test_large_runs_keep_few_names_of_cases() -> None:
    timings = Timings()
    trace = trace_of([("hi", "hello")]).model_copy(update={"duration_s": 0.5})
    for number in range(MOST_TIMELINE_BARS + 50):
        started = EPOCH + timedelta(seconds=number)
        timings.add(trace.model_copy(update={"started": started}), Outcome.FAIL)
    assert len(timings.case_ids) == MOST_TIMELINE_BARS
    assert sum("fail" in bar.title for bar in charts(timings)[-1].bars) > 1


def test_a_histogram_counts_every_answer() -> None:
    durations = Durations()
    values = [0.1, 0.2, 0.2, 0.4, 3.0]
    for value in values:
        durations.add(value)
    edges, counts = durations.columns(24)
    assert sum(counts) == len(values)
    assert len(edges) == len(counts) + 1 <= 25
    assert edges[0] <= 0.1
    assert edges[-1] >= 3.0


def test_pauses_between_sessions_are_left_out_of_the_timeline(tmp_path: Path) -> None:
    traces = [
        trace_of([("hi", "hello")], latencies=[2.0], nr=n).model_copy(
            update={"started": EPOCH + timedelta(days=n // 2, seconds=2 * (n % 2))}
        )
        for n in range(4)
    ]
    page = reported(tmp_path, traces)
    (caption,) = [n.said() for n in page.all("figcaption") if "Timeline" in n.said()]
    assert caption == "Timeline 4 conversations in 8.0 s, one after the other"


def test_a_turn_without_an_answer_has_no_response_time(tmp_path: Path) -> None:
    page = reported(tmp_path, [trace_of([("a", "b"), ("c", None)], latencies=[0.1, 30.0])])
    (caption,) = [n.said() for n in page.all("figcaption") if "Response" in n.said()]
    assert "1 answer: half within 100 ms" in caption
    assert caption.endswith("slowest 100 ms; 1 turn without an answer")


def test_without_timings_there_are_no_charts(tmp_path: Path) -> None:
    assert not reported(tmp_path, talks(3)).all("figure")


# --- accessibility that needs no browser ----------------------------------------------------


def test_ids_are_unique_and_links_inside_the_page_arrive(tmp_path: Path) -> None:
    traces = hostile.traces()
    page = reported(tmp_path, traces, judged_hostile, judged_hostile(traces[0]))
    ids = [node.attributes["id"] for node in page.nodes if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    inside = {n.attributes["href"][1:] for n in page.all("a") if n.attributes["href"][0] == "#"}
    assert inside <= set(ids)


def test_controls_have_names(tmp_path: Path) -> None:
    page = reported(tmp_path, talks(4), nth_fails(2))
    assert page.one("html").attributes["lang"] == "en"
    for button in page.all("button"):
        named = button.said() or button.attributes.get("aria-label")
        assert named or button.attributes["id"] == "fault"
    assert all(node.attributes.get("aria-label") for node in page.all("svg", role="img"))
    headings = [node.tag for node in page.nodes if re.fullmatch("h[1-6]", node.tag)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(colour: str, ground: str, share: float) -> str:
    """A ground tinted with a share of a colour, as the page's badges are."""
    pairs = [(int(colour[n : n + 2], 16), int(ground[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_text_can_be_read(theme: str) -> None:
    """WCAG 2.2, contrast (minimum): 4.5 to 1."""
    blocks = re.findall(r"\{([^{}]*--paper[^{}]*)\}", (PAGE / "report.css").read_text("utf-8"))
    light, *darks = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    darks = [dark for dark in darks if "ink" in dark]
    assert len(darks) == 2
    assert darks[0] == darks[1]
    colours = light if theme == "light" else darks[0]
    grounds = [colours[name] for name in ("paper", "surface", "sunken")]
    names = ("ink", "soft", "accent", "pass", "fail", "error", "inconclusive")
    pairs = [(colours[name], ground) for name in names for ground in grounds]
    pairs.append((colours["said-ink"], colours["said"]))
    badges = ("pass", "fail", "error", "inconclusive", "skipped")
    pairs += [(colours[n], _mixed(colours[n], colours["surface"], 0.13)) for n in badges]
    for text, ground in pairs:
        dark, bright = sorted((_luminance(text), _luminance(ground)))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"path": ""}, "path: string should have at least 1 character"),
        ({"max_conversations": 0}, "max_conversations: input should be greater than or equal to 1"),
        ({"max_message": 10}, "max_message: input should be greater than or equal to 100"),
        ({"max_conversation": 3}, "Did you mean 'max_conversations'?"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    with pytest.raises(SparringError) as caught:
        FakeContext(base_dir=tmp_path).build(HtmlReporter, **config)
    assert message in str(caught.value)


def test_a_row_tells_the_values_that_were_given_numbers_with_their_names() -> None:
    params = {"slang": "none", "rating": 3.5, "sizes": ["big"], "date": None, "drink": "tea"}
    assert brief(params) == "rating 3.5 · big · tea"
    assert brief({}) == ""


COMPILE = """
import sys
from sparring_plugins.reporting.html.reporter import compile_page
sys.dont_write_bytecode, sys.pycache_prefix = False, sys.argv[1]
compile_page()
"""


def test_the_page_is_compiled_for_installations_whose_runs_write_no_bytecode(
    tmp_path: Path,
) -> None:
    # in a process of its own: a template that was used is compiled no more
    subprocess.run([sys.executable, "-c", COMPILE, str(tmp_path)], check=True)
    compiled = {path.name.partition(".")[0] for path in tmp_path.rglob("*.jinja-*")}
    assert compiled == {path.name.partition(".")[0] for path in PAGE.glob("*.jinja")}
