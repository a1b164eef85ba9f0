"""What reports say of a run and its exit code: they agree, and only what passed is green."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.engine.exit_codes import FAILED, MEANINGS, PASSED, meaning
from sparring.model.case import Case
from sparring.model.events import RunFinished
from sparring.model.run import Inconclusive, Stop, Summary
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.suite.model import Gate
from sparring.testing.conversations import EPOCH, run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.gating.gate import decided
from sparring_plugins.gating.records import read_record
from sparring_plugins.reporting.console import ConsoleReporter
from sparring_plugins.reporting.html.reporter import HtmlReporter
from sparring_plugins.reporting.junit import JUnitReporter

GREEN = "\x1b[1;32m"
ALL: tuple[Outcome | str, ...] = ("pass", "fail", "error", "inconclusive", "skipped")


def reports(folder: Path, events: Sequence[Any], capsys: pytest.CaptureFixture[str]) -> Any:
    """What console, page and JUnit make of a run: their texts."""
    context = FakeContext(base_dir=folder, run_dir=folder)
    parts = [context.build(kind) for kind in (ConsoleReporter, HtmlReporter, JUnitReporter)]
    for event in events:
        for part in parts:
            part.handle(event)
    for part in parts:
        asyncio.run(part.close())
    page, junit = folder / "report.html", folder / "junit.xml"
    return capsys.readouterr().out, page.read_text("utf-8"), ET.fromstring(junit.read_bytes())


def rows() -> list[Any]:
    """Outcomes of two conversations and a condition over both, by gate, and how the run ended."""
    found: list[Any] = []
    for gate in ("error", "allow", "fail"):
        found += [((one, "pass"), (), gate, Stop.COMPLETE) for one in ALL]
        found.append((("inconclusive", "inconclusive"), (), gate, Stop.COMPLETE))
    found += [(("pass", "pass"), (one,), "error", Stop.COMPLETE) for one in ALL[1:]]
    found += [(("pass", "pass"), (), "error", stop) for stop in Stop]
    found += [(("skipped", "skipped"), (), "error", Stop.COMPLETE), ((), (), "error", Stop.BROKEN)]
    return found


@pytest.mark.parametrize(("outcomes", "concluded", "gate", "stop"), rows())
def test_reports_agree_with_the_exit_code(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    outcomes: tuple[str, ...],
    concluded: tuple[str, ...],
    gate: Inconclusive,
    stop: Stop,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(len(outcomes))]
    events = run_events(
        traces,
        [_verdicts(trace, outcome) for trace, outcome in zip(traces, outcomes, strict=True)],
        concluded=[verdict_of(traces[0], one, check="over all") for one in concluded],
        inconclusive=gate,
    )
    code = {Stop.BUDGET: 4, Stop.INTERRUPTED: 130, Stop.BROKEN: 6}.get(stop)
    summary: Summary = events[-1].summary  # type: ignore[union-attr]
    changes = {"stopped": stop, "reason": "because of the test"}
    if code is not None:
        summary = summary.model_copy(update={**changes, "exit_code": code})
    events[-1] = RunFinished(at=EPOCH, summary=summary)
    console, page, junit = reports(tmp_path, events, capsys)

    said = f"{summary.exit_code}: {meaning(summary)}"
    assert said in console
    assert said in page
    for text in (console, page):
        assert ("because of the test" in text) is (code is not None or bool(summary.owners))
    headline = next(line for line in console.splitlines() if "run: " in line)
    assert (GREEN in headline) is (summary.exit_code == PASSED)
    undecided = summary.gating.get(Outcome.INCONCLUSIVE, 0)  # yellow, also where it is allowed
    green = summary.exit_code == PASSED and not undecided
    assert ('<body class="mood-pass">' in page) is green
    red = int(junit.attrib["failures"]) + int(junit.attrib["errors"])
    assert bool(red) is (summary.exit_code != PASSED)
    if summary.exit_code == FAILED:
        assert int(junit.attrib["failures"]) > 0
        assert '<body class="mood-fail">' in page


@pytest.mark.parametrize("outcome", ["error", "inconclusive"])
def test_the_headline_counts_a_condition_over_all_that_could_not_be_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], outcome: str
) -> None:
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(2)]
    over = verdict_of(traces[0], outcome, check="over all")
    events = run_events(traces, [_verdicts(each, "pass") for each in traces], concluded=[over])
    console, page, _ = reports(tmp_path, events, capsys)
    assert "run: 2 conversations, 2 pass, but 1 check could not be decided\n" in console
    title = re.search("<h1>.*?</h1>", page)
    assert title
    assert "check over several conversations could not be decided" in title[0]


OUTCOMES = st.sampled_from(ALL)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    plays=st.lists(
        st.lists(st.tuples(OUTCOMES, st.booleans()), max_size=3), min_size=1, max_size=5
    ),
    over=st.lists(OUTCOMES, max_size=3),
    gate=st.sampled_from(["error", "allow", "fail"]),
    gated_by=st.sampled_from(["", "repeats", "baseline"]),
)
def test_no_wording_of_success_stands_beside_a_failed_run(
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    plays: list[list[tuple[str, bool]]],
    over: list[str],
    gate: Inconclusive,
    gated_by: str,
) -> None:
    """Of any run: headlines, findings and test cases agree with the exit code, and in number."""
    folder = tmp_path_factory.mktemp("run")
    cases = [Case.of("talk", {}, run_seed=0, repeat=number) for number in range(1, len(plays) + 1)]
    traces = [trace_of([("hi", "hello")], case=case) for case in cases]
    verdicts = [
        [
            verdict_of(trace, outcome, check=f"check {number}", gating=gating)
            for number, (outcome, gating) in enumerate(checks)
        ]
        for trace, checks in zip(traces, plays, strict=True)
    ]
    several = [
        verdict_of(trace_of([]), outcome, check=f"over {number}")
        for number, outcome in enumerate(over)
    ]
    events = run_events(traces, verdicts, concluded=several, inconclusive=gate)
    summary: Summary = events[-1].summary  # type: ignore[union-attr]
    if gated_by:
        stored = store(folder / "stored", events)
        known = (Path("blessed.yaml"), read_record(stored)) if gated_by == "baseline" else None
        summary = decided(stored, summary, Gate(inconclusive=gate), known)
        events[-1] = RunFinished(at=EPOCH, summary=summary)
    console, page, junit = reports(folder, events, capsys)

    headline = next(line for line in console.splitlines() if line.startswith("run: "))
    title = re.search("<h1>(.*?)</h1>", page, re.DOTALL)
    assert title
    if summary.exit_code == FAILED:
        for text in (headline, title[1]):
            assert re.search("fail|flaky|undecided|could not be|error", text), text
            assert not re.search(r"\bAll\b|everything|success", text), text
        assert '<body class="mood-fail">' in page
    assert ('<body class="mood-pass">' not in page) or summary.exit_code == PASSED
    bad = {
        (verdict.check, verdict.outcome, verdict.gating)
        for verdict in [*(v for each in verdicts for v in each), *several]
        if verdict.owner is not None
    }
    heads = re.findall(
        r"^(FAIL|FLAKY|fail|flaky|accepted|error|inconclusive) +rules / ", console, re.MULTILINE
    )
    assert len(heads) == min(20, len(bad)), "each finding is listed once"
    if summary.exit_code == PASSED:
        assert "FAIL" not in heads, "what makes no run fail is not headed so"
        for finding in re.findall(r'<li class="finding edge-fail".*?</li>', page, re.DOTALL):
            assert "does not gate" in finding
    counted = re.search(r"^(?:cases|plays) +(.*)$", console, re.MULTILINE)
    assert counted
    assert sum(int(number) for number in re.findall(r"\d+", counted[1])) == len(plays)
    red = int(junit.attrib["failures"]) + int(junit.attrib["errors"])
    if summary.exit_code != PASSED:
        assert red > 0


def _verdicts(trace: Trace, outcome: str) -> list[Verdict]:
    return [verdict_of(trace, outcome)]


@pytest.mark.parametrize("code", [code for code in MEANINGS if code != PASSED])
@pytest.mark.parametrize("outcome", [None, *Outcome])
def test_a_run_that_is_not_green_never_says_that_it_passed(
    code: int, outcome: Outcome | None
) -> None:
    counts = {outcome: 2} if outcome else {}
    for cases in ({}, counts):
        summary = Summary(exit_code=code, cases=cases, gating=counts, outcomes=counts)
        assert "passed" not in meaning(summary).replace("nothing passed", "")


def test_an_old_run_in_which_all_was_skipped_is_not_green(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs before 0.2 ended with 0 then, and their reports can still be made."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    trace = trace_of([("hi", "hello")])
    events = run_events([trace], [[verdict_of(trace, "skipped")]])
    old = Summary(exit_code=0, cases={Outcome.SKIPPED: 1}, outcomes={Outcome.SKIPPED: 1})
    events[-1] = RunFinished(at=EPOCH, summary=old)
    console, page, _ = reports(tmp_path, events, capsys)
    assert "no check failed, and none passed: nothing was judged" in console
    assert GREEN not in console
    assert "mood-pass" not in page.split("<body")[1]
