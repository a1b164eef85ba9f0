"""Reporters that break the interface, each in one way; `fails` are the tests that notice."""

import itertools
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged, Event, RunFinished, RunStarted
from sparring.store import StoredRun
from sparring.testing.conformance.reporter import ReporterKit
from sparring.testing.fakes import FakeReporter

NUMBERS = itertools.count()


class Given(ReporterKit):
    wrong: ClassVar[type[Reporter[Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Reporter[Any]]:
        return self.wrong


class TestRight(Given):
    wrong = FakeReporter
    fails: ClassVar[set[str]] = set()

    @pytest.fixture
    def settings(self) -> dict[str, str]:
        return {"file": "end.txt"}


class Writing(FakeReporter):
    """Writes `content` into a file called `name` at the end of a run that has a folder."""

    name = "report.txt"

    def handle(self, event: Event) -> None:
        super().handle(event)
        if isinstance(event, RunFinished) and self._folder and self._folder.exists():
            path = self._folder / self.name
            path.write_text(self.content(), encoding="utf-8", newline="")
            self._written = [path]

    def content(self) -> str:
        return "nothing"

    def said(self) -> list[str]:
        judged = StoredRun(self._folder or Path()).judged()
        turns = [turn for event in judged for turn in event.trace.turns]
        return [turn.observation.text for turn in turns if turn.observation]


class WritesMarkup(Writing):
    name = "report.html"

    def content(self) -> str:
        return "<br>".join(text.replace("\x00", "") for text in self.said())


class TestWritesMarkup(Given):
    wrong = WritesMarkup
    fails: ClassVar[set[str]] = {"test_what_it_writes_is_well_formed"}


class WritesIllegalXml(Writing):
    name = "report.xml"

    def content(self) -> str:
        return f"<said>{'&#27;'}</said>"


class TestWritesIllegalXml(Given):
    wrong = WritesIllegalXml
    fails: ClassVar[set[str]] = {"test_what_it_writes_is_well_formed"}


class WritesFormulas(Writing):
    name = "report.csv"

    def content(self) -> str:
        return 'case,said\r\n1,"=HYPERLINK(""http://x.invalid"")"\r\n'


class TestWritesFormulas(Given):
    wrong = WritesFormulas
    fails: ClassVar[set[str]] = {"test_what_it_writes_is_well_formed"}


class WritesWhatItCounts(Writing):
    def content(self) -> str:
        return f"report {next(NUMBERS)}"


class TestWritesWhatItCounts(Given):
    wrong = WritesWhatItCounts
    fails: ClassVar[set[str]] = {
        "test_equal_runs_give_equal_bytes",
        "test_from_the_store_comes_the_same_report",
    }


class WritesOnlyWhatItHeard(Writing):
    def content(self) -> str:
        return str(sum(isinstance(event, CaseJudged) for event in self.events))


class TestWritesOnlyWhatItHeard(Given):
    wrong = WritesOnlyWhatItHeard
    fails: ClassVar[set[str]] = {"test_from_the_store_comes_the_same_report"}


class PrintsWhatTheAppSays(FakeReporter):
    def handle(self, event: Event) -> None:
        super().handle(event)
        if isinstance(event, CaseJudged):
            for turn in event.trace.turns:
                print(turn.observation.text if turn.observation else "")  # noqa: T201


class TestPrintsWhatTheAppSays(Given):
    wrong = PrintsWhatTheAppSays
    fails: ClassVar[set[str]] = {"test_what_it_prints_cannot_steer_a_terminal"}


class NeedsAnAnswer(FakeReporter):
    def handle(self, event: Event) -> None:
        super().handle(event)
        if isinstance(event, CaseJudged):
            for turn in event.trace.turns:
                assert turn.observation is not None


class TestNeedsAnAnswer(Given):
    wrong = NeedsAnAnswer
    fails: ClassVar[set[str]] = {
        "test_no_event_makes_it_fail",
        "test_events_may_come_in_any_order",
        "test_what_it_says_it_wrote_is_there",
        "test_it_writes_nothing_but_what_it_says",
        "test_equal_runs_give_equal_bytes",
        "test_from_the_store_comes_the_same_report",
        "test_what_it_writes_is_well_formed",
        "test_what_it_prints_cannot_steer_a_terminal",
    }


class NeedsABeginning(FakeReporter):
    run: Any = None

    def handle(self, event: Event) -> None:
        super().handle(event)
        if isinstance(event, RunStarted):
            self.run = event.run
        elif self.run.name is None:
            raise ValueError


class TestNeedsABeginning(Given):
    wrong = NeedsABeginning
    fails: ClassVar[set[str]] = {"test_events_may_come_in_any_order"}


class PromisesAFile(FakeReporter):
    def written(self) -> list[Path]:
        return [(self._folder or Path()) / "report.txt"]


class TestPromisesAFile(Given):
    wrong = PromisesAFile
    fails: ClassVar[set[str]] = {"test_what_it_says_it_wrote_is_there"}


class WritesInSecret(Writing):
    def written(self) -> list[Path]:
        return []


class TestWritesInSecret(Given):
    wrong = WritesInSecret
    fails: ClassVar[set[str]] = {"test_it_writes_nothing_but_what_it_says"}
