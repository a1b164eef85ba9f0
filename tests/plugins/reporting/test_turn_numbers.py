"""A turn has the same number, from 1, wherever a person reads it."""

import re
from pathlib import Path

import pytest

from sparring.model.talk import Trace
from sparring.model.verdict import TurnRef, Verdict
from sparring.testing.conversations import run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.console import ConsoleReporter
from sparring_plugins.reporting.html.reporter import HtmlReporter
from sparring_plugins.reporting.junit import JUnitReporter


def judged_at(trace: Trace) -> list[Verdict]:
    """A failure that shows at the fourth turn."""
    ref = TurnRef(case_id=trace.case.id, turn=3)
    return [verdict_of(trace, "fail").model_copy(update={"turns": (ref,)})]


def test_greetings_and_silent_turns_count_in_every_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = trace_of([(None, "welcome"), ("hi", "hello"), (None, None), ("pay", "how?")])
    events = run_events([trace], judged_at, folder=tmp_path / "run")
    store(tmp_path / "run", events)
    context = FakeContext(base_dir=tmp_path, run_dir=tmp_path)
    html, junit = context.build(HtmlReporter), context.build(JUnitReporter)
    for reporter in (html, junit, context.build(ConsoleReporter, verbosity="verbose")):
        for event in events:
            reporter.handle(event)
    page, document = (one.written()[0].read_text("utf-8") for one in (html, junit))
    numbers = re.findall(r'<span class="nr">(\d+)', page)
    assert numbers == ["1", "2", "3", "4"]
    noted = re.search(r'<li class="turn noted">\s*<span class="nr">(\d+)', page)
    assert noted is not None
    assert noted[1] == "4"
    assert "because of the test (turn 4)" in document
    assert re.findall(r"^(\d+) (?:user|app): (.*)$", document, re.M) == [
        ("1", "welcome"),
        ("2", "hi"),
        ("2", "hello"),
        ("3", "(no answer)"),
        ("4", "pay"),
        ("4", "how?"),
    ]
    assert re.search(r"\b4 user pay$", capsys.readouterr().out, re.M)
