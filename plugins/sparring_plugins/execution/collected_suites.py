"""Suites as items of pytest: a case each, played together, reported one by one."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from sparring.cli.output import shown
from sparring.engine.conduct import RunOptions
from sparring.engine.exit_codes import FAILED, INCOMPLETE, INTERNAL, INTERRUPTED, MEANINGS
from sparring.errors import ConfigurationError, SparringError
from sparring.format_error import describe_error
from sparring.model.events import CaseJudged
from sparring.model.run import Inconclusive, Stop
from sparring.model.space import Scenario
from sparring.model.verdict import Outcome, Verdict
from sparring.suite.reading import load_suite
from sparring_plugins.execution.known_cases import Condition, KnownCase, SuitePlan, plan_suite
from sparring_plugins.execution.played_suites import PlayedSuite, Results, SuiteNotPlayed, play_once
from sparring_plugins.execution.selection import note_selection

_MOST_SHOWN = 20
_LONGEST = 2000
_LONGEST_KEYWORD = 60
_GATES: Mapping[str, Inconclusive] = {
    "error": "error",
    "fail": "fail",
    "allow": "allow",
    "skip": "allow",
}

Rows = Sequence[tuple[CaseJudged | None, Verdict]]
"""Verdicts, each with the conversation that it is on; `None` if it is on several."""


class CaseFailed(Exception):
    """A case did not pass; the message is for whoever reads pytest's report."""


class SuiteFile(pytest.File):
    """A suite file. All its selected items are played in one run when the first one is due."""

    _plan: SuitePlan
    _results: Results | None = None
    _error: Exception | None = None

    def collect(self) -> Iterable["SuiteItem"]:
        """Yield an item per case and one per condition over several conversations.

        If only playing shows which cases there are, as in a search, an item per scenario. A suite
        that cannot be read is an error of collection, in its own words.
        """
        try:
            self._plan = plan = plan_suite(load_suite(self.path))
        except SparringError as err:
            raise self.CollectError(f"{err}") from None
        except SystemExit as err:  # pytest would end with the code of whatever part raised it
            raise self.CollectError(f"internal error: {describe_error(err)}") from None
        if not plan.scenarios:
            raise self.CollectError("the suite has no scenario: there is nothing to play")
        if plan.cases is not None:
            for case in plan.cases:
                yield self._item(CaseItem, case.name, case=case)
        else:
            for scenario in plan.scenarios:
                yield self._item(ScenarioItem, scenario.name, scenario=scenario)
        for condition in plan.conditions:
            yield self._item(ConditionItem, condition.name, condition=condition)

    def _item(self, kind: type["SuiteItem"], name: str, **arguments: Any) -> "SuiteItem":
        # pytest types its keywords loosely
        made = cast("Any", kind).from_parent(self, name=name, **arguments)
        return cast("SuiteItem", made)

    def results(self) -> Results:
        """Return what was played; plays all selected items at the first call."""
        if self._error is not None:
            raise self._error
        if self._results is None:
            try:
                done = play_once(self.path, self._options(), self.config)
            except Exception as err:
                self._error = err  # it would be the same for every item
                raise
            self._results = Results(done, self._plan.conditions)
        return self._results

    def _options(self) -> RunOptions:
        """What is played: the selected cases; all of them if a condition over them is selected."""
        items = [one for one in self.session.items if one.parent is self]
        whole = any(isinstance(one, ConditionItem) for one in items)
        if self._plan.cases is None:
            return RunOptions(scenarios=() if whole else tuple(one.name for one in items))
        cases = (
            self._plan.cases if whole else [one.case for one in items if isinstance(one, CaseItem)]
        )
        options = RunOptions(cases=frozenset(case_id for case in cases for case_id in case.ids))
        return options if len(cases) == len(self._plan.cases) else note_selection(options)


class SuiteItem(pytest.Item):
    """An item of a suite: passes if a check of it passed, and nothing else is to be said.

    What decides is what decides the exit code of ``sparring run``: an item of a run that broke or
    was interrupted never passes.
    """

    parent: SuiteFile
    #: Whether it cannot pass in a run that a budget ended before all cases were played.
    needs_whole_run = True

    def runtest(self) -> None:
        """Play; raise CaseFailed if something did not pass, and skip if nothing was judged."""
        results = self.parent.results()
        done = results.done
        self.user_properties.append(("sparring_run", str(done.folder)))
        rows = self.rows(results)
        undecided = self._require_no_fault(rows, results)
        if done.exit_code in (INTERNAL, INTERRUPTED):
            raise CaseFailed(_broken(done))  # a pass of such a run says too little
        if done.exit_code == INCOMPLETE and (self.needs_whole_run or not rows):
            raise CaseFailed(_broken(done))
        if not self.was_played(results):
            self.report_not_played(results)
        self._require_judged([row for row in rows if row[1].gating], undecided)

    def _require_no_fault(self, rows: Rows, results: Results) -> Rows:
        """Raise CaseFailed for failures that are not accepted; returns what stayed undecided."""
        gating = [row for row in rows if row[1].gating and not results.is_tolerated(*row)]
        undecided = _with_outcome(gating, Outcome.INCONCLUSIVE)
        faults = _with_outcome(gating, Outcome.FAIL, Outcome.ERROR)
        if not faults and self._gate(results.done) != "allow":
            faults = undecided
        new = [row for row in faults if not results.is_accepted(*row)]
        if new:
            raise CaseFailed("\n".join(_report(new, results.done)))
        if faults:
            pytest.skip(f"accepted by the baseline: {faults[0][1].reason[:_LONGEST]}")
        return undecided

    def _require_judged(self, gating: Rows, undecided: Rows) -> None:
        """Skip an item of which nothing was decided."""
        if undecided:
            pytest.skip(f"inconclusive: {undecided[0][1].reason[:_LONGEST]}")
        if not gating:
            pytest.skip("nothing was judged: no check of this gates")
        if len(_with_outcome(gating, Outcome.SKIPPED)) == len(gating):
            pytest.skip(gating[0][1].reason[:_LONGEST] or "nothing applied")

    @abstractmethod
    def rows(self, results: Results) -> Rows:
        """Return the verdicts of which the item consists."""

    @abstractmethod
    def was_played(self, results: Results) -> bool:
        """Whether the run has what the item is about."""

    def report_not_played(self, results: Results) -> None:
        """Skip if that was planned, else raise CaseFailed."""
        _report_not_played(results.done)

    def _gate(self, done: PlayedSuite) -> Inconclusive:
        """What an undecided check is: pytest's own setting, else the suite's `gate`."""
        setting: str = self.config.getini("sparring_inconclusive")
        if not setting:
            return done.summary.inconclusive
        if setting not in _GATES:
            choices = ", ".join(_GATES)
            raise ConfigurationError(
                f"sparring_inconclusive is {setting!r}; expected one of {choices}"
            )
        return _GATES[setting]

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The report of a failed case; faults of the tool as pytest shows them."""
        if isinstance(excinfo.value, CaseFailed | SuiteNotPlayed):
            return str(excinfo.value)
        if isinstance(excinfo.value, SparringError):
            return f"{type(excinfo.value).__name__}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is written."""
        return self.path, None, self.name

    def _place(self, scenario: Scenario) -> tuple[Path, int | None, str]:
        """Where a scenario is written, as far as its source says."""
        source, _, line = (scenario.source or "").rpartition(":")
        number = int(line) - 1 if line.isdecimal() and source else None
        return self.path, number, self.name


class CaseItem(SuiteItem):
    """A case with all its repeats; ``-k`` finds it by id, scenario, tag and value, too."""

    needs_whole_run = False

    def __init__(self, *, case: KnownCase, **arguments: Any) -> None:
        super().__init__(**arguments)  # pyright: ignore[reportUnknownMemberType]
        self.case = case
        values = [str(value) for value in case.params.values()]
        short = [value for value in values if len(value) <= _LONGEST_KEYWORD]
        self.extra_keyword_matches.update((case.scenario.name, *case.scenario.tags, *short))

    def rows(self, results: Results) -> Rows:
        """Return the verdicts of each play, and those of the run that no other item has."""
        return _rows(results.of_case(self.name), results)

    def was_played(self, results: Results) -> bool:
        """Whether the case was played at least once."""
        return results.has_case(self.name)

    def report_not_played(self, results: Results) -> None:
        """Skip a case that was refused, and say why; else as other items."""
        if why := results.refused.get(self.name):
            pytest.skip(_plain(f"not played: {why}"))
        super().report_not_played(results)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where its scenario is written."""
        return self._place(self.case.scenario)


class ScenarioItem(SuiteItem):
    """A scenario of which only playing shows the cases: all that were found count."""

    def __init__(self, *, scenario: Scenario, **arguments: Any) -> None:
        super().__init__(**arguments)  # pyright: ignore[reportUnknownMemberType]
        self.scenario = scenario
        self.extra_keyword_matches.update(scenario.tags)

    def rows(self, results: Results) -> Rows:
        """Return the verdicts of all cases of the scenario."""
        return _rows(results.of_scenario(self.name), results)

    def was_played(self, results: Results) -> bool:
        """Whether a case of it was played."""
        return results.has_scenario(self.name)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the scenario is written."""
        return self._place(self.scenario)


class ConditionItem(SuiteItem):
    """A condition over several conversations; if it is selected, all cases are played."""

    def __init__(self, *, condition: Condition, **arguments: Any) -> None:
        super().__init__(**arguments)  # pyright: ignore[reportUnknownMemberType]
        self.condition = condition

    def rows(self, results: Results) -> Rows:
        """Return its verdicts."""
        return [(None, one) for one in results.concluded if self.condition.covers(one)]

    def was_played(self, results: Results) -> bool:
        """Whether it was judged, over all conversations that there should be."""
        whole = results.done.summary.stopped is Stop.COMPLETE
        return whole and bool(self.rows(results))

    def report_not_played(self, results: Results) -> None:
        """Skip if no conversation is of the kind that it compares, or failures ended the run."""
        if results.done.summary.stopped is Stop.COMPLETE:
            pytest.skip("nothing was judged: no conversations to compare")
        super().report_not_played(results)


def _rows(played: Sequence[CaseJudged], results: Results) -> Rows:
    rows: list[tuple[CaseJudged | None, Verdict]] = []
    for judged in played:
        rows += [(judged, verdict) for verdict in judged.verdicts]
    ids = {judged.trace.case.id for judged in played}
    rows += [
        (None, verdict)
        for verdict in results.unclaimed
        if not verdict.case_ids or not ids.isdisjoint(verdict.case_ids)
    ]
    return rows


def _with_outcome(rows: Rows, *outcomes: Outcome) -> list[tuple[CaseJudged | None, Verdict]]:
    """The verdicts that have one of the outcomes, each with its case."""
    return [row for row in rows if row[1].outcome in outcomes]


def _broken(done: PlayedSuite) -> str:
    why = done.summary.reason or "; ".join(done.problems)
    meaning = MEANINGS[done.exit_code]
    return _plain(f"{meaning}: {why}" if why else meaning)


def _report_not_played(done: PlayedSuite) -> None:
    """Skip what was not played as planned; raise CaseFailed for any other.

    Planned are the budget of a search without an end, and the end after this many failures.
    """
    summary = done.summary
    planned = summary.stopped is Stop.COMPLETE and "(budget." in summary.reason
    if planned or (summary.stopped is Stop.BUDGET and done.exit_code == FAILED):
        pytest.skip(f"not played: {summary.reason}")
    raise CaseFailed(_plain(f"not played: {summary.reason or 'no case of it was asked for'}"))


def _report(bad: Rows, done: PlayedSuite) -> Iterator[str]:
    for judged, verdict in bad[:_MOST_SHOWN]:
        yield from _describe_failure(judged, verdict, done.folder)
        yield ""
    if len(bad) > _MOST_SHOWN:
        yield f"and {len(bad) - _MOST_SHOWN} more"
    for path in done.written:
        if path.suffix == ".html":
            yield f"report: {shown(path)}"
    judged, verdict = bad[0]
    involved = [judged.trace.case.id] if judged is not None else list(verdict.case_ids)
    for case_id in involved[:_MOST_SHOWN]:
        folder = shown(done.folder) if done.folder is not None else ""
        yield f"more:   sparring show {folder} {case_id}"


def _describe_failure(
    judged: CaseJudged | None, verdict: Verdict, folder: Path | None
) -> Iterator[str]:
    owner = f"  (owner: {verdict.owner.value})" if verdict.owner else ""
    yield _plain(f"{verdict.outcome.value.upper()}  {verdict.oracle} / {verdict.check}{owner}")
    yield _plain(f"  {verdict.reason}")
    for incident in judged.trace.incidents[:3] if judged is not None else ():
        yield _plain(f"  incident: {incident.kind.value}: {incident.message}")
    yield from _details(verdict.details, folder)
    for ref in verdict.turns[:3]:
        yield _plain(f"  turn {ref.turn + 1} of {ref.case_id}")


def _details(details: Mapping[str, Any], folder: Path | None) -> Iterator[str]:
    for name, value in details.items():
        word = name.replace("_", " ")
        if isinstance(value, list):
            yield f"  {word}:"
            for item in cast("list[Any]", value)[:200]:
                yield _plain(f"    {item}")
        elif name == "screenshot" and folder is not None:
            yield _plain(f"  {word}: {shown(folder / str(value))}")
        elif value not in (None, "", {}):
            yield _plain(f"  {word}: {value}")


def _plain(text: str) -> str:
    """On one line, of bounded length, without what steers a terminal."""
    flat = "".join(c if c.isprintable() else " " for c in text[: 2 * _LONGEST])
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 3] + "..."
