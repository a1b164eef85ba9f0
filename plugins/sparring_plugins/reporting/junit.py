"""The reporter `junit`: the run as JUnit XML, for CI servers."""

import json
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from html import escape
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, ClassVar, TextIO

from pydantic import Field

from sparring.engine.exit_codes import PASSED
from sparring.interfaces.plugin import PluginConfig
from sparring.model.events import CaseJudged
from sparring.model.run import Inconclusive, Run, Summary
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.execution.selection import selection_words
from sparring_plugins.gating.gate_result import GateResult, gate_of, rate
from sparring_plugins.gating.records import CaseRecord, Play, add_play, case_key, gating_outcomes
from sparring_plugins.language import quantities
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import report_file
from sparring_plugins.output.judge_words import judge_words
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.reporting.findings import RANK
from sparring_plugins.reporting.junit_testcase import (
    RUN,
    Sums,
    TestCase,
    condition_name,
    legal,
    of_case,
    of_condition,
    of_run,
)

# Repeats of one case become one test case, with counts.


@dataclass(slots=True)
class _Open:
    """The repeats of a case so far; `shown` is the first of the worst."""

    scenario: str
    missing: int
    outcomes: Counter[Outcome]
    seconds: float
    shown: TestCase
    record: CaseRecord = field(default_factory=CaseRecord)


class Repeats:
    """Holds back the test cases of repeated cases until the last repeat has come.

    With a `gate`, the rates of their checks decide what they are.

    Memory: one test case for each repeated case that is not complete.
    """

    def __init__(self, case_ids: Collection[str], gate: GateResult | None = None) -> None:
        self._gate = gate
        self._sizes: Counter[str] = Counter()
        # Most runs repeat nothing: the others of a million ids are not kept.
        for case_id in case_ids:
            base, _, number = case_id.rpartition(".")
            if base and number.isdigit():
                self._sizes[base] += 1
        for case_id in case_ids if self._sizes else ():
            if case_id in self._sizes:
                self._sizes[case_id] += 1
        self._open: dict[str, _Open] = {}

    def complete(self, judged: CaseJudged, test_case: TestCase) -> TestCase | None:
        """The test case to write now: `test_case` itself, that of all repeats, or None yet."""
        case = judged.trace.case
        base = case.id if case.repeat == 1 else case.id.removesuffix(f".{case.repeat}")
        if self._sizes[base] < 2:
            return test_case
        group = self._open.get(base)
        if group is None:
            group = self._open[base] = _Open(
                case.scenario, self._sizes[base], Counter(), 0.0, test_case
            )
        group.missing -= 1
        group.seconds += test_case.seconds
        group.outcomes[test_case.outcome] += 1
        if self._gate is not None:
            add_play({base: group.record}, Play.of(judged))
        if RANK[test_case.outcome] < RANK[group.shown.outcome]:
            group.shown = test_case
        return self._merge(base, self._open.pop(base)) if group.missing == 0 else None

    def rest(self) -> Iterator[tuple[str, TestCase]]:
        """What is still held back, with its scenario: ids that only looked like repeats."""
        for base, group in self._open.items():
            yield group.scenario, self._merge(base, group)
        self._open.clear()

    def _merge(self, base: str, group: _Open) -> TestCase:
        test_case = _merge(base, group)
        if self._gate is not None and self._gate.repeated:
            gate_repeats(test_case, group.record, self._gate)
        return test_case


def _merge(base: str, group: _Open) -> TestCase:
    test_case, total = group.shown, group.outcomes.total()
    shown_id, test_case.name, test_case.seconds = test_case.name, base, group.seconds
    counts = {f"repeats.{o.value}": str(group.outcomes[o]) for o in RANK if group.outcomes[o]}
    test_case.properties |= {"repeats": str(total), "repeats.shown": shown_id, **counts}
    if test_case.tag is not None:
        same = group.outcomes[test_case.outcome]
        test_case.message = f"{same} of {total} repeats: {test_case.message}"
    return test_case


_SEVERAL = "conditions over several conversations"
_COPIED = 1 << 20


class JUnitConfig(PluginConfig):
    """Settings of the reporter `junit`.

    `path`: the file to write, from the suite's folder, or ``-`` for standard output;
    ``junit.xml`` in the run's folder if it is left out. `strict`: an inconclusive
    conversation is a failure, whatever the suite's `gate.inconclusive` says.
    """

    path: str | None = Field(default=None, min_length=1)
    strict: bool = False


class JUnitReporter(FileReporter[JUnitConfig]):
    """Writes one suite per scenario and one test case per conversation.

    A conversation that failed a gating check is a `failure`, one with errors only an
    `error`, whoever owns it (`type` says that); an inconclusive one is what the suite's
    `gate.inconclusive` says: an `error`, a `failure`, or `skipped` if it is allowed. One that no
    check applied to is `skipped`. If the run's exit code is not 0 and no test case says why, a
    test case ``sparring / run`` does, as an `error`: a run in which nothing was judged, or that was
    broken off, never looks green. Repeats of a case are one test case with counts. Memory does
    not grow with the texts of a run.
    """

    Config: ClassVar[type[PluginConfig]] = JUnitConfig
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        run, summary, stored = finished.run, finished.summary, finished.stored
        inconclusive: Inconclusive = (
            "fail" if self.config.strict or summary.strict else summary.inconclusive
        )
        place = (self.config.path, "junit.xml", self.context.base_dir, finished.run_dir)
        with report_file(*place) as (file, written), TemporaryFile("w+b") as spool:
            scenarios = _Scenarios(spool)
            gate = gate_of(summary)
            _add_cases(scenarios, run, stored, finished.folder, inconclusive, gate)
            _add_conditions(scenarios, run, stored.concluded, finished.folder, inconclusive, gate)
            if summary.exit_code != PASSED and not scenarios.has_trouble:
                scenarios.add(RUN, of_run(run, summary))
            scenarios.write(file, run, summary)
        return written


def _add_cases(
    scenarios: "_Scenarios",
    run: Run,
    stored: StoredRun,
    folder: Path | None,
    inconclusive: Inconclusive,
    gate: GateResult | None,
) -> None:
    repeats = Repeats(stored.cases, gate)
    accepted = frozenset(gate.accepted if gate else ())
    again = stored.confirmations()
    for judged in stored.judged():
        test_case = of_case(
            judged,
            run.name,
            folder,
            inconclusive=inconclusive,
            judges=run.judges,
            confirmations=again,
        )
        whole = repeats.complete(judged, test_case)
        if whole is not None:
            if gate is not None and gate.baseline is not None:
                accept(whole, case_key(judged.trace.case), judged.verdicts, accepted)
            scenarios.add(judged.trace.case.scenario, whole)
    for scenario, whole in repeats.rest():
        scenarios.add(scenario, whole)


def _add_conditions(
    scenarios: "_Scenarios",
    run: Run,
    verdicts: Sequence[Verdict],
    folder: Path | None,
    inconclusive: Inconclusive,
    gate: GateResult | None,
) -> None:
    accepted = frozenset(gate.accepted if gate else ())
    conditions: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        conditions.setdefault(condition_name(verdict), []).append(verdict)
    for several in conditions.values():
        test_case = of_condition(
            several, run.name, folder, inconclusive=inconclusive, judges=run.judges
        )
        if gate is not None and gate.baseline is not None:
            accept(test_case, "", several, accepted)
        scenarios.add(_SEVERAL, test_case)


class _Scenarios:
    """Test cases by scenario: their XML in a file, of each only the place in memory.

    Cases of different scenarios come mixed, but a suite's element has to hold its cases
    together and to say how many there are before the first.
    """

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self._end = 0
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._sums: dict[str, Sums] = {}

    def add(self, scenario: str, case: TestCase) -> None:
        """Take in a test case."""
        data = case.xml().encode("utf-8", "replace") + b"\n"
        self._spool.write(data)
        places = self._places.setdefault(scenario, [])
        self._sums.setdefault(scenario, Sums()).add(case.tag, case.seconds)
        if places and places[-1][1] == self._end:
            places[-1] = (places[-1][0], self._end + len(data))
        else:
            places.append((self._end, self._end + len(data)))
        self._end += len(data)

    @property
    def has_trouble(self) -> bool:
        """Whether a test case is a failure or an error."""
        return any(sums.failures or sums.errors for sums in self._sums.values())

    def write(self, file: TextIO, run: Run, summary: Summary) -> None:
        """Write the whole document."""
        total = Sums()
        for sums in self._sums.values():
            total.include(sums)
        stamp = run.created.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(_opening("testsuites", {"name": run.name} | total.attributes()))
        for scenario, places in self._places.items():
            counts = self._sums[scenario].attributes()
            named = {"name": scenario, "timestamp": stamp}
            file.write(_opening("testsuite", named | counts))
            file.write(_run_properties(run, summary))
            self._copy(places, file)
            file.write("</testsuite>\n")
        file.write("</testsuites>\n")

    def _copy(self, places: Sequence[tuple[int, int]], file: TextIO) -> None:
        decoder = getincrementaldecoder("utf-8")()
        for start, end in places:
            self._spool.seek(start)
            while start < end:
                data = self._spool.read(min(_COPIED, end - start))
                file.write(decoder.decode(data))
                start += len(data)


def _run_properties(run: Run, summary: Summary) -> str:
    properties = {"run": run.id, "seed": str(run.seed), "stopped": summary.stopped.value}
    properties |= {f"version.{name}": version for name, version in sorted(run.versions.items())}
    if selected := selection_words(run):
        properties["selected"] = selected
    if summary.usage.model_calls:
        cost = summary.usage.cost_usd
        properties["cost_usd"] = "unknown" if cost is None else json.dumps(round(cost, 6))
        properties["tokens"] = str(summary.usage.tokens)
        for role, spent in summary.usage.by_role.items():
            properties[f"models.{role}"] = quantities.asked(spent)
    for role, count in summary.usage.fallbacks.items():
        properties[f"fallbacks.{role}"] = str(count)
    properties |= {f"judge.{label}": judge_words(judge) for label, judge in run.judges.items()}
    lines = [f"<property{_attributes({'name': n, 'value': v})} />" for n, v in properties.items()]
    return "\n".join(["<properties>", *lines, "</properties>", ""])


def _opening(tag: str, attributes: dict[str, str]) -> str:
    return f"<{tag}{_attributes(attributes)}>\n"


def _attributes(attributes: dict[str, str]) -> str:
    shown = {name: one_line(legal(value), 300) for name, value in attributes.items()}
    return "".join(f' {name}="{escape(value)}"' for name, value in shown.items())


# --- What a gate makes of test cases: rates of repeats, failures that a baseline accepts


_BAD = ("fail", "error", "inconclusive")
_ORDER = ("fail", "flaky", "undecided", "skipped", "pass")


def gate_repeats(test_case: TestCase, record: CaseRecord, gate: GateResult) -> None:
    """Make the test case of all plays what their rates say: a flaky one passes if it may."""
    rates = {
        label: rate("", label, counts, gate.rules)
        for label, counts in record.checks.items()
        if counts.state != "pass"
    }
    for label, each in rates.items():
        test_case.properties[f"rate.{label}"] = f"{each.decision}: {each.words} {each.plays}"
    decisions = {each.decision for each in rates.values()}
    if "flaky" in decisions:
        test_case.properties["flaky"] = "true"
    if test_case.tag != "failure":
        return
    worst_first = sorted(rates.items(), key=lambda item: _ORDER.index(item[1].decision))
    words = "; ".join(f"{label}: {each.decision}, {each.words}" for label, each in worst_first)
    if "fail" in decisions or gate.rules.flaky == "fail":
        test_case.message = f"{words}: {test_case.message}"
    elif "undecided" in decisions:
        test_case.tag = "error"
    else:
        _clear(test_case)


def accept(
    test_case: TestCase, case_id: str, verdicts: Sequence[Verdict], accepted: Collection[str]
) -> None:
    """Skip a test case whose checks fail as they did in the baseline.

    `accepted` are ``case oracle/check``; of a repeated case, `verdicts` are those of its last play,
    and every check that ever failed is named in its properties.
    """
    if test_case.tag is None or test_case.tag == "skipped":
        return
    bad = {
        label for label, (outcome, _) in gating_outcomes(verdicts).items() if outcome.value in _BAD
    }
    bad |= {name.removeprefix("rate.") for name in test_case.properties if name.startswith("rate.")}
    if bad and all(f"{case_id} {label}".strip() in accepted for label in bad):
        test_case.tag = "skipped"
        test_case.message = f"accepted by the baseline: {test_case.message}"


def _clear(test_case: TestCase) -> None:
    test_case.tag, test_case.message, test_case.body = None, "", ""
