"""One JUnit test case: a conversation, its repeats, or a condition over several conversations."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree as ET

from sparring.engine.exit_codes import meaning
from sparring.model.confirmation import Confirmation
from sparring.model.events import CaseJudged
from sparring.model.run import Inconclusive, MeasuredJudge, Run, Summary
from sparring.model.talk import Trace, Turn, act_text
from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.language.quantities import asked, fallbacks, plural
from sparring_plugins.language.text import cut, one_line
from sparring_plugins.output.judge_words import judge_words
from sparring_plugins.reporting.commands import show_command
from sparring_plugins.reporting.findings import (
    RANK,
    brief_reason,
    described,
    description_of,
    notes_of,
    worst,
)

# XML 1.0 has no way to write most control characters: with one of them, which an app may send, no
# CI server reads the file. (Said by what is illegal: Python compiles what is legal in ten times the
# time, 5 ms with every run.)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# CI servers show the message of a failure in a list, and the text below it on a page of its own.
_REASON = 300
# Jenkins and GitLab show it on one page with all other failures.
_WHOLE_REASON = 4000
# What failed shows at the end of a conversation; the page of the run has all of it.
_TAIL_TURNS = 12
# A conversation's end shows why it failed; the report that is named beside it has all.
_TAIL_CHARACTERS = 1000
_PARAM_CHARACTERS = 300
_MOST_VERDICTS = 20
_MOST_ATTACHMENTS = 50
Judges = Mapping[str, MeasuredJudge]
_NONE: Judges = {}
_TAGS = {Outcome.FAIL: "failure", Outcome.ERROR: "error"}
RUN = "sparring / run"
"""The name of the test case that stands for the run as a whole."""

_UNDECIDED: Mapping[Inconclusive, str] = {"error": "error", "allow": "skipped", "fail": "failure"}
"""The element of a test case that could not be decided, as the gate has it."""


@dataclass(slots=True)
class Sums:
    """The counts of a test suite, as JUnit wants them."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def add(self, tag: str | None, seconds: float) -> None:
        """Count a test case by the element that says its outcome."""
        self.tests += 1
        self.seconds += seconds
        self.failures += tag == "failure"
        self.errors += tag == "error"
        self.skipped += tag == "skipped"

    def include(self, other: "Sums") -> None:
        """Add the counts of another suite."""
        self.tests += other.tests
        self.failures += other.failures
        self.errors += other.errors
        self.skipped += other.skipped
        self.seconds += other.seconds

    def attributes(self) -> dict[str, str]:
        """The attributes of a suite element."""
        return {
            "tests": str(self.tests),
            "failures": str(self.failures),
            "errors": str(self.errors),
            "skipped": str(self.skipped),
            "time": f"{self.seconds:.3f}",
        }


@dataclass(slots=True)
class TestCase:
    """What is written of one test case; `tag` is None for a pass."""

    __test__ = False  # pytest would collect the name

    name: str
    classname: str
    outcome: Outcome
    tag: str | None = None
    message: str = ""
    kind: str = ""
    body: str = ""
    seconds: float = 0.0
    file: str | None = None
    properties: dict[str, str] = field(default_factory=dict[str, str])
    attachments: list[str] = field(default_factory=list[str])

    def xml(self) -> str:
        """The element as legal XML 1.0."""
        element = ET.Element("testcase", {"name": legal(self.name)})
        element.set("classname", legal(self.classname))
        element.set("time", f"{self.seconds:.3f}")
        if self.file is not None:
            element.set("file", legal(self.file))
        self._add_properties(element)
        if self.tag is not None:
            detail = ET.SubElement(element, self.tag, {"message": legal(self.message)})
            if self.tag != "skipped":
                detail.set("type", legal(self.kind))
            detail.text = legal(self.body)
        if self.attachments:
            lines = "\n".join(f"[[ATTACHMENT|{path}]]" for path in self.attachments)
            ET.SubElement(element, "system-out").text = legal(lines)
        return ET.tostring(element, encoding="unicode")

    def _add_properties(self, element: ET.Element) -> None:
        if not self.properties:
            return
        parent = ET.SubElement(element, "properties")
        for name, value in self.properties.items():
            ET.SubElement(parent, "property", {"name": legal(name), "value": legal(value)})


def legal(text: str) -> str:
    """The text without what XML 1.0 cannot hold."""
    return _ILLEGAL.sub("", text)


def of_case(
    judged: CaseJudged,
    suite: str,
    folder: Path | None,
    *,
    inconclusive: Inconclusive = "allow",
    judges: Judges = _NONE,
    confirmations: Sequence[Confirmation] = (),
) -> TestCase:
    """The test case of one conversation; `folder` is the run's, None if it is not stored.

    `inconclusive` says what a conversation is that could not be decided, `judges` has what was
    measured of oracles' judges, by label, and `confirmations` what playing faults again brought.
    """
    trace, case = judged.trace, judged.trace.case
    source = trace.meta.get("source")
    test_case = _judged_as(judged.verdicts, worst(judged.verdicts), judges, inconclusive)
    test_case.name, test_case.classname = case.id, classname(suite, case.scenario)
    test_case.seconds = trace.duration_s
    test_case.file = _from_here(source) if isinstance(source, str) and source else None
    test_case.properties = _properties(judged)
    if test_case.tag is not None:
        command = [show_command(folder, case.id), ""] if folder else []
        again = list(_again(judged, confirmations))
        test_case.body = "\n".join([test_case.body, "", *again, *command, transcript_tail(trace)])
    test_case.attachments = _attachments(trace, folder)
    return test_case


def _again(judged: CaseJudged, confirmations: Sequence[Confirmation]) -> Iterator[str]:
    """How sure the faults of a conversation are, and the shortest conversation that shows each."""
    case_id = judged.trace.case.id
    mine = [confirmation for confirmation in confirmations if case_id in confirmation.case_ids][
        :_MOST_VERDICTS
    ]
    for one in mine:
        label = one_line(f"{one.fault.oracle} / {one.fault.check}", _REASON)
        yield f"{one.outcome}: {label}: {one_line(one.why, _WHOLE_REASON)}"
        if one.trace is not None:
            inputs = (_shorten_text(act_text(turn.act)) for turn in one.trace.turns)
            yield f"  shortest: {' > '.join(text or '(listens)' for text in inputs)}"
    if mine:
        yield ""


def of_condition(
    verdicts: Sequence[Verdict],
    suite: str,
    folder: Path | None,
    *,
    inconclusive: Inconclusive = "allow",
    judges: Judges = _NONE,
) -> TestCase:
    """The test case of one condition over several conversations, from all its verdicts."""
    test_case = _judged_as(verdicts, worst(verdicts), judges, inconclusive)
    test_case.name = condition_name(verdicts[0])
    test_case.classname = classname(suite, "several conversations")
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        counts[verdict.outcome.value] += verdict.count
    test_case.properties = {f"checks.{name}": str(counts[name]) for name in sorted(counts)}
    involved = dict.fromkeys(i for v in verdicts if _is_worse_than_pass(v) for i in v.case_ids)
    if test_case.tag is not None and folder is not None:
        commands = [show_command(folder, case_id) for case_id in list(involved)[:_MOST_VERDICTS]]
        test_case.body = "\n".join([test_case.body, "", *commands])
    return test_case


def of_run(run: Run, summary: Summary) -> TestCase:
    """The test case that says why a run is not green in which no other test case says so."""
    why = f"exit code {summary.exit_code}: {meaning(summary)}"
    case = TestCase(RUN, classname(run.name, "sparring"), Outcome.ERROR, "error")
    case.message = one_line(why, _REASON)
    case.kind = f"run.{summary.stopped.value}"
    case.body = one_line(summary.reason, _WHOLE_REASON) or case.message
    return case


def condition_name(verdict: Verdict) -> str:
    """The name of the condition that a verdict is on: ``oracle / check``."""
    return one_line(f"{verdict.oracle} / {verdict.check}", _REASON)


def classname(suite: str, scenario: str) -> str:
    """``suite.scenario``: one dot, so that tools show the suite as the package."""
    return f"{one_line(suite, 100)}.{one_line(scenario, 150).replace('.', '_')}"


def transcript_tail(trace: Trace) -> str:
    """The end of a conversation as text: twelve turns, the longest texts cut."""
    lines: list[str] = []
    hidden = len(trace.turns) - _TAIL_TURNS
    if hidden > 0:
        lines.append(f"... {plural(hidden, 'earlier turn')}")
    for index, turn in enumerate(trace.turns[-_TAIL_TURNS:], max(0, hidden) + 1):
        lines += _turn_lines(index, turn)
    lines += [f"{i.kind.value}: {one_line(i.message, _REASON)}" for i in trace.incidents[:20]]
    lines.append(f"ended: {trace.ended.value}")
    return "\n".join(lines)


def _turn_lines(number: int, turn: Turn) -> list[str]:
    user_text = act_text(turn.act)
    lines = [f"{number} user: {_shorten_text(user_text)}"] if user_text else []
    if turn.observation is None:
        return [*lines, f"{number} app: (no answer)"]
    choices = ", ".join(one_line(c.label, 60) for c in turn.observation.choices[:10])
    answer = _shorten_text(turn.observation.text)
    return [*lines, f"{number} app: {answer}" + (f" [{choices}]" if choices else "")]


def _shorten_text(text: str) -> str:
    shown, left = cut(text, _TAIL_CHARACTERS)
    return f"{shown} ... ({plural(left, 'more character')})" if left else shown


def _judged_as(
    verdicts: Sequence[Verdict], outcome: Outcome, judges: Judges, inconclusive: Inconclusive
) -> TestCase:
    """The outcome of a test case with its message and its list of verdicts."""
    failing = [v for v in verdicts if v.gating and v.outcome is outcome]
    tag = _TAGS.get(outcome)
    if outcome is Outcome.INCONCLUSIVE:
        tag = _UNDECIDED[inconclusive]
    elif outcome is Outcome.SKIPPED:
        tag = "skipped"
        return TestCase("", "", outcome, tag, "skipped: no check applied")
    case = TestCase("", "", outcome, tag)
    if tag is None or not failing:
        return case
    owner = failing[0].owner
    case.kind = f"{outcome.value}.{owner.value}" if owner else outcome.value
    case.message = _message(failing, outcome)
    case.body = "\n".join(_verdict_lines(verdicts, judges))
    return case


def _verdict_lines(verdicts: Sequence[Verdict], judges: Judges) -> Iterator[str]:
    """Every verdict that is no pass, the worst first, and how far its judges can be trusted."""
    others = sorted((v for v in verdicts if _is_worse_than_pass(v)), key=lambda v: RANK[v.outcome])
    yield from map(_verdict_line, others[:_MOST_VERDICTS])
    if len(others) > _MOST_VERDICTS:
        yield f"... and {plural(len(others) - _MOST_VERDICTS, 'more verdict')}"
    for label in dict.fromkeys(verdict.oracle for verdict in others):
        if label in judges:
            yield f"judge of {one_line(label, _REASON)}: {judge_words(judges[label])}"


def _is_worse_than_pass(verdict: Verdict) -> bool:
    return RANK[verdict.outcome] < RANK[Outcome.PASS]


def _message(said: Sequence[Verdict], outcome: Outcome) -> str:
    first = said[0]
    prefix = "inconclusive: " if outcome is Outcome.INCONCLUSIVE else ""
    reason = brief_reason(described(description_of(first), first.reason), _REASON)
    reason = reason or "no reason given"
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    return prefix + one_line(f"{first.oracle} / {first.check}", _REASON) + f": {reason}{more}"


def _verdict_line(verdict: Verdict) -> str:
    owner = f", owner: {verdict.owner.value}" if verdict.owner else ""
    gating = "" if verdict.gating else ", not gating"
    times = f" x{verdict.count}" if verdict.count > 1 else ""
    label = one_line(f"{verdict.oracle} / {verdict.check}", _REASON)
    reason = one_line(described(description_of(verdict), verdict.reason), _WHOLE_REASON)
    turns = ", ".join(str(ref.turn + 1) for ref in verdict.turns[:10])
    shown = f" (turn {turns})" if turns else ""
    return f"[{verdict.outcome.value}{times}{owner}{gating}] {label}: {reason}{shown}"


def _properties(judged: CaseJudged) -> dict[str, str]:
    trace = judged.trace
    properties = {"seed": str(trace.case.seed), "turns": str(len(trace.turns))}
    properties["ended"] = trace.ended.value
    noted = [(verdict, note) for verdict in judged.verdicts for note in notes_of(verdict)]
    for number, (verdict, note) in enumerate(noted[:_MOST_VERDICTS], 1):
        properties[f"note.{number}"] = one_line(f"{verdict.check}: {note}", _REASON)
    for name, value in trace.case.params.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        properties[one_line(f"param.{name}", 200)] = one_line(shown, _PARAM_CHARACTERS)
    counts: Counter[str] = Counter()
    for verdict in judged.verdicts:
        counts[verdict.outcome.value] += verdict.count
    properties |= {f"checks.{name}": str(counts[name]) for name in sorted(counts)}
    if trace.fallbacks:
        roles = Counter(fallback.role for fallback in trace.fallbacks)
        properties["fallbacks"] = one_line(fallbacks(roles), _REASON)
    if judged.spent is not None:
        properties["models"] = asked(judged.spent)
    return properties


def _attachments(trace: Trace, folder: Path | None) -> list[str]:
    """Paths of the artifacts inside the run's folder, as CI servers find them from here."""
    if folder is None:
        return []
    root = folder.resolve()
    paths: list[str] = []
    for artifact in trace.artifacts[:_MOST_ATTACHMENTS]:
        if "]]" in artifact.path or not artifact.path.isprintable():
            continue
        path = (root / artifact.path).resolve()
        if path.is_relative_to(root):
            paths.append(_from_here(str(path)))
    return paths


def _from_here(path: str) -> str:
    """The path relative to the working folder where it lies below, with forward slashes."""
    return _relative(path, Path.cwd())


@lru_cache(maxsize=1024)
def _relative(path: str, here: Path) -> str:
    try:
        resolved = Path(path).resolve()
    except (OSError, ValueError):
        return one_line(path, _REASON)
    shown = resolved.relative_to(here) if resolved.is_relative_to(here) else Path(path)
    return shown.as_posix()
