"""Suites as items of pytest: a scenario each, played together, reported one by one."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import FAILED, INCOMPLETE, INTERNAL, INTERRUPTED, MEANINGS
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError, SparringError
from sparring.format_error import describe_error
from sparring.model.events import CaseJudged
from sparring.model.run import Inconclusive, Stop
from sparring.model.space import Scenario
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext, build
from sparring.suite.reading import LoadedSuite, load_suite

_MOST_SHOWN = 20
_LONGEST = 2000
_GATES: Mapping[str, Inconclusive] = {
    "error": "error",
    "fail": "fail",
    "allow": "allow",
    "skip": "allow",
}


class CaseFailed(Exception):
    """A case did not pass; the message is for whoever reads pytest's report."""


class SuiteFile(pytest.File):
    """A suite file. Its selected scenarios are played in one run when the first one is due."""

    _results: "Results | None" = None
    _error: Exception | None = None

    def collect(self) -> Iterable["ScenarioItem"]:
        """An item per scenario; a faulty suite is an error of collection, told in its own words."""
        try:
            scenarios = _scenarios(load_suite(self.path))
        except SparringError as err:
            raise self.CollectError(f"{err}") from None
        except SystemExit as err:  # pytest would end with the code of whatever part raised it
            raise self.CollectError(f"internal error: {describe_error(err)}") from None
        if not scenarios:
            raise self.CollectError("the suite has no scenario: there is nothing to play")
        for scenario in scenarios:
            made = cast("Any", ScenarioItem).from_parent(  # pytest types its keywords loosely
                self, name=scenario.name, scenario=scenario
            )
            yield cast("ScenarioItem", made)

    def results(self, item: "ScenarioItem") -> "Results":
        """What was played; of `item` alone where pytest-xdist deals the items out."""
        if hasattr(self.config, "workerinput"):
            return self._play([item.name])
        if self._error is not None:
            raise self._error
        if self._results is None:
            items = (one for one in self.session.items if one.parent is self)
            try:
                self._results = self._play([one.name for one in items])
            except Exception as err:
                self._error = err  # it would be the same for every item
                raise
        return self._results

    def _play(self, names: list[str]) -> "Results":
        most = int(self.config.getoption("maxfail", 0) or 0)
        changes = {"budget.failures": most} if most else {}
        loaded = load_suite(self.path, changes)
        with redirect_stdout(StringIO()):  # pytest tells of each case itself
            done = conduct(loaded, RunOptions(scenarios=tuple(names)))
        return Results(done)


def _scenarios(loaded: LoadedSuite) -> tuple[Scenario, ...]:
    suite = loaded.suite
    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm)
    try:
        return build(suite, context, loaded.document).player.space().scenarios
    finally:
        asyncio.run(context.close())


class Results:
    """The cases of a run, by scenario."""

    def __init__(self, done: RunResult) -> None:
        self.done = done
        self.cases: dict[str, list[CaseJudged]] = {}
        self.concluded: tuple[Verdict, ...] = ()
        if done.folder is not None:
            run = StoredRun(done.folder)
            self.concluded = run.concluded
            for judged in run.judged():
                self.cases.setdefault(judged.trace.case.scenario, []).append(judged)

    def verdicts(self, scenario: str) -> list[tuple[CaseJudged, Verdict]]:
        """All that was said of a scenario: of each of its cases, and of several together."""
        cases = self.cases.get(scenario, [])
        own = [(one, verdict) for one in cases for verdict in one.verdicts]
        for one in cases:
            about = (v for v in self.concluded if v.case_ids[:1] == (one.trace.case.id,))
            own += [(one, verdict) for verdict in about]
        return own


class ScenarioItem(pytest.Item):
    """A scenario of a suite: passes if a check of it passed, and nothing else is to be said.

    What decides is what decides the exit code of ``sparring run``: an item of a run that broke, was
    interrupted or was cut off by its budget never passes.
    """

    parent: SuiteFile

    def __init__(self, *, scenario: Scenario, **arguments: Any) -> None:
        super().__init__(**arguments)  # pyright: ignore[reportUnknownMemberType]
        self.scenario = scenario
        self.extra_keyword_matches.update(scenario.tags)

    def runtest(self) -> None:
        """Play; raise CaseFailed if something did not pass, and skip if nothing was judged."""
        results = self.parent.results(self)
        done = results.done
        self.user_properties.append(("sparring_run", str(done.folder)))
        gating = [row for row in results.verdicts(self.name) if row[1].gating]
        bad = _with_outcome(gating, Outcome.FAIL, Outcome.ERROR)
        undecided = _with_outcome(gating, Outcome.INCONCLUSIVE)
        if bad or (undecided and self._gate(done) != "allow"):
            raise CaseFailed("\n".join(_report(bad or undecided, done)))
        _require_whole(done)
        if self.name not in results.cases:
            _not_played(done)
        if undecided:
            pytest.skip(f"inconclusive: {undecided[0][1].reason[:_LONGEST]}")
        if not gating:
            pytest.skip("nothing was judged: no check of this scenario gates")
        if len(_with_outcome(gating, Outcome.SKIPPED)) == len(gating):
            pytest.skip(gating[0][1].reason[:_LONGEST] or "nothing applied")

    def _gate(self, done: RunResult) -> Inconclusive:
        """What an undecided check is: pytest's own setting, else the suite's `gate`."""
        given: str = self.config.getini("sparring_inconclusive")
        if not given:
            return done.summary.inconclusive
        if given not in _GATES:
            known = ", ".join(_GATES)
            raise ConfigurationError(f"sparring_inconclusive is {given!r}; expected one of {known}")
        return _GATES[given]

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The report of a failed case; faults of the tool as pytest shows them."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        if isinstance(excinfo.value, SparringError):
            return f"{type(excinfo.value).__name__}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the scenario is written, as far as its source says."""
        source, _, line = (self.scenario.source or "").rpartition(":")
        number = int(line) - 1 if line.isdecimal() and source else None
        return self.path, number, self.name


def _with_outcome(
    rows: list[tuple[CaseJudged, Verdict]], *outcomes: Outcome
) -> list[tuple[CaseJudged, Verdict]]:
    """The verdicts that have one of the outcomes, each with its case."""
    return [row for row in rows if row[1].outcome in outcomes]


def _require_whole(done: RunResult) -> None:
    """Raise CaseFailed if the run did not come to its end, so that a pass says too little.

    A run with failures is stopped early by ``--maxfail``, too: there those say enough.
    """
    code = done.exit_code
    if code not in (INCOMPLETE, INTERNAL, INTERRUPTED):
        return
    why = done.summary.reason or "; ".join(done.problems)
    raise CaseFailed(_plain(f"{MEANINGS[code]}: {why}" if why else MEANINGS[code]))


def _not_played(done: RunResult) -> None:
    """Skip a scenario of which no case was played as planned; raise CaseFailed for any other.

    Planned are the budget of a search without an end, and the end after so many failures.
    """
    summary = done.summary
    planned = summary.stopped is Stop.COMPLETE and "(budget." in summary.reason
    if planned or (summary.stopped is Stop.BUDGET and done.exit_code == FAILED):
        pytest.skip(f"not played: {summary.reason}")
    raise CaseFailed(_plain(f"not played: {summary.reason or 'no case of it was asked for'}"))


def _report(bad: list[tuple[CaseJudged, Verdict]], done: RunResult) -> Iterator[str]:
    for judged, verdict in bad[:_MOST_SHOWN]:
        yield from _describe_failure(judged, verdict, done.folder)
        yield ""
    if len(bad) > _MOST_SHOWN:
        yield f"and {len(bad) - _MOST_SHOWN} more"
    for path in done.written:
        if path.suffix == ".html":
            yield f"report: {path}"
    yield f"more:   sparring show {done.folder} {bad[0][0].trace.case.id}"


def _describe_failure(judged: CaseJudged, verdict: Verdict, folder: Path | None) -> Iterator[str]:
    owner = f"  (to act: {verdict.owner.value})" if verdict.owner else ""
    yield _plain(f"{verdict.outcome.value.upper()}  {verdict.oracle} / {verdict.check}{owner}")
    yield _plain(f"  {verdict.reason}")
    for incident in judged.trace.incidents[:3]:
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
            yield _plain(f"  {word}: {folder / str(value)}")
        elif value not in (None, "", {}):
            yield _plain(f"  {word}: {value}")


def _plain(text: str) -> str:
    """On one line, of bounded length, without what steers a terminal."""
    flat = "".join(c if c.isprintable() else " " for c in text[: 2 * _LONGEST])
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 3] + "..."
