"""The end of a run on the console: what was found, what was spent, what to do next."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparring.engine.exit_codes import FAILED, PASSED, meaning, passes
from sparring.model.confirmation import Confirmation, Confirmed
from sparring.model.run import Run, Stop, Summary
from sparring.model.verdict import Finding, Outcome, Owner
from sparring_plugins.execution.selection import selection_words
from sparring_plugins.gating.gate_result import gate_of
from sparring_plugins.language import quantities
from sparring_plugins.language.text import one_line
from sparring_plugins.output.judge_words import judge_words
from sparring_plugins.reporting import causes
from sparring_plugins.reporting.app_problems import problem_lines
from sparring_plugins.reporting.app_tables import CategoryRow, categories, path_of
from sparring_plugins.reporting.apps_seen import AppSeen, checks_of, of_fault
from sparring_plugins.reporting.causes import cause_lines
from sparring_plugins.reporting.commands import resume_command, retry_command, show_command
from sparring_plugins.reporting.console_medium import Medium, Span
from sparring_plugins.reporting.console_progress import STYLES
from sparring_plugins.reporting.finding_words import FLAKY, TONES, Labels, extent
from sparring_plugins.reporting.findings import Fault, brief_reason
from sparring_plugins.reporting.gate_lines import gate_headline, gate_lines
from sparring_plugins.search.failure_classes import FailureClass

# The end of a run on the console: what was reached of the apps, what was played again.

# Three shortest ways show a fault; the report lists all.
_MOST_WAYS = 3
_MOST_CATEGORIES = 30
_ORDER: tuple[Confirmed, ...] = ("confirmed", "unsteady", "not confirmed", "not played")
_UNDECIDED = (Outcome.ERROR, Outcome.INCONCLUSIVE)
_WORDS = {"unsteady": "now and then"}


def ways(
    finding: Finding, confirmations: Sequence[Confirmation], room: int, indent: int
) -> Iterator[list[Span]]:
    """How the faults behind a finding are shown the shortest way, and how sure they are."""
    attempts = of_fault(confirmations, finding.oracle, finding.check, finding.case_ids)
    attempts.sort(key=lambda attempt: _ORDER.index(attempt.outcome))
    for attempt in attempts[:_MOST_WAYS]:
        app = f"{one_line(attempt.app, 40)}: " if attempt.app else ""
        style = "bold" if attempt.outcome == "confirmed" else "dim"
        yield [(" " * indent, ""), (_WORDS.get(attempt.outcome, attempt.outcome), style),
               (one_line(f": {app}{attempt.why}", room - 14), "dim")]  # fmt: skip
        path = path_of(attempt)
        if path:
            yield [(" " * (indent + 2) + one_line("> " + " > ".join(path), room - 2), "")]
    if len(attempts) > _MOST_WAYS:
        yield [(f"{' ' * indent}... and {len(attempts) - _MOST_WAYS} more ways to it", "dim")]


def again_words(confirmations: Sequence[Confirmation]) -> str:
    """``3 confirmed, 1 now and then``; empty if nothing was played again."""
    counts = Counter(confirmation.outcome for confirmation in confirmations)
    return ", ".join(f"{counts[o]} {_WORDS.get(o, o)}" for o in _ORDER if counts[o])


def reached_words(apps: Sequence[AppSeen]) -> str:
    """``intents 12/30, lines 210/300`` over all apps; empty if no connector tells."""
    sums: dict[str, tuple[int, int]] = {}
    for app in apps:
        for kind, tally in app.kinds():
            reached, whole = sums.get(kind, (0, 0))
            sums[kind] = reached + len(tally.reached & tally.whole), whole + len(tally.whole)
    return ", ".join(f"{one_line(kind, 30)} {n:,}/{of:,}" for kind, (n, of) in sums.items())


def app_lines(apps: Sequence[AppSeen]) -> Iterator[str]:
    """The summary by category, as a table; nothing for a single app."""
    if len(apps) < 2:
        return
    rows = categories(apps)
    if len(rows) == 2:
        rows = rows[1:]
    checks = checks_of(apps)
    head = ["", "apps", "spoke", "with problems", *(check.replace("_", " ") for check in checks)]
    table = [head, *(_cells(row) for row in [*rows[:-1][:_MOST_CATEGORIES], rows[-1]])]
    widths = [max(len(line[place]) for line in table) for place in range(len(head))]
    for line in table:
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join([line[0].ljust(widths[0]), *cells]).rstrip()


def _cells(row: CategoryRow) -> list[str]:
    numbers = (row.apps, row.spoke, row.with_problems, *row.problems)
    return [one_line(row.name, 40), *(f"{number:,}" for number in numbers)]


# The width of "FAIL  ", so that reasons stand below names.
_INDENT = 6
# A pipe says nothing of its width, and a terminal of ten columns is a mistake of the machine.
_NARROWEST = 40
# On a very wide screen an eye does not find the next line.
_WIDEST = 200


def summary_lines(
    run: Run,
    summary: Summary,
    faults: Sequence[Fault],
    folder: Path | None,
    *,
    expected: int | None,
    medium: Medium,
    max_failures: int,
    confirmations: Sequence[Confirmation] = (),
    apps: Sequence[AppSeen] = (),
    kinds: Counter[FailureClass] | None = None,
    notes: Counter[str] | None = None,
    unexercised: str = "",
    noun: str = "conversation",
) -> Iterator[list[Span]]:
    """The lines that end a run.

    `folder` is None if the run is not stored, `expected` unless a run was stopped of which
    it is known how many cases it would have had. `kinds` counts failed cases by their kinds, and
    `notes` the notes on passed checks by theirs. `unexercised` is what no conversation exercised,
    and `noun` what a case is called.
    """
    room = max(_NARROWEST, min(medium.width, _WIDEST) - _INDENT - 1)
    yield []
    yield _headline(run, summary, expected, room, noun)
    labels = Labels(summary)
    for fault in faults[:max_failures]:
        yield []
        yield from _fault(fault, labels.of(fault), folder, room, noun)
        judge = run.judges.get(fault.finding.oracle)
        if judge is not None:
            yield [(f"{' ' * _INDENT}judge: {judge_words(judge, ascii_only=True)}", "dim")]
        yield from ways(fault.finding, confirmations, room, _INDENT)
    if len(faults) > max_failures:
        hidden = quantities.plural(len(faults) - max_failures, "more finding")
        yield []
        yield [(f"... and {hidden}; the reports and the run log have all of them", "dim")]
    yield from cause_lines(folder, room, max_failures)
    yield []
    yield from gate_lines(summary, room)
    yield from _apps(apps, folder)
    if selected := selection_words(run):
        yield _row("only", one_line(selected, room))
    yield from _sums(summary, kinds or Counter())
    if notes:
        yield _row("notes", f"{_note_words(notes)} (sparring show CASE)")
    again, reached = again_words(confirmations), reached_words(apps)
    if again:
        yield _row("faults", again)
    if reached:
        yield _row("reached", reached)
    if unexercised:
        yield _row(
            "coverage", one_line(f"never exercised: {unexercised} (sparring coverage)", room)
        )
    yield from _judges(run)
    is_retried = not run.learns and any(map(_is_environment_error, faults))
    yield from _end(summary, folder, room, is_retried=is_retried)


def _note_words(notes: Counter[str]) -> str:
    """``2 passed checks may show little: 1 vacuous, 1 weaker match``."""
    counted = ", ".join(f"{count:,} {one_line(kind, 40)}" for kind, count in notes.most_common(5))
    # a translation takes nothing from what it shows, if nobody noted anything else
    doubtful = sum(count for kind, count in notes.items() if kind != "translated")
    if not doubtful:
        return f"passed: {counted}"
    return f"{quantities.plural(doubtful, 'passed check')} may show little: {counted}"


def _headline(run: Run, summary: Summary, expected: int | None, room: int, noun: str) -> list[Span]:
    total = sum(summary.cases.values())
    failed = summary.cases.get(Outcome.FAIL, 0)
    name = one_line(run.name, room // 2) or "run"
    if summary.stopped is not Stop.COMPLETE or not total:
        return [(f"{name}: ", "bold"), (_partly(summary, total, expected, noun), "bold")]
    decided = gate_headline(summary)
    if decided:
        return [(f"{name}: ", "bold"), (decided, _style(summary))]
    what = quantities.plural(total, noun)
    if failed:
        return [(f"{name}: ", "bold"), (f"{failed:,} of {what} failed", STYLES[Outcome.FAIL])]
    counts = f"{what}, {quantities.outcomes(summary.cases)}"
    broken = summary.gating.get(Outcome.FAIL, 0)
    if summary.exit_code == FAILED and broken:
        counts += f", but {quantities.plural(broken, 'check')} over several {noun}s failed"
    elif summary.exit_code == FAILED:
        counts += ", which counts as failed"
    elif summary.exit_code != PASSED and not any(map(summary.cases.get, _UNDECIDED)):
        # Each conversation passed, and a rule over all of them could not be evaluated.
        undecided = sum(summary.gating.get(outcome, 0) for outcome in _UNDECIDED)
        what = quantities.plural(undecided, "check")
        counts += f", but {what} could not be decided" if undecided else ""
    return [(f"{name}: ", "bold"), (counts, _style(summary))]


def _style(summary: Summary) -> str:
    """Green only for a run that ended with 0 because something passed, as its end says."""
    if summary.exit_code == FAILED:  # by a condition over several conversations
        return STYLES[Outcome.FAIL]
    return "bold green" if summary.exit_code == PASSED and passes(summary) else "bold"


def _partly(summary: Summary, total: int, expected: int | None, noun: str) -> str:
    """How far a run came that has not played everything."""
    if summary.stopped is Stop.COMPLETE:
        return f"no {noun}s were judged"
    played = quantities.played(total, expected, noun)
    return f"{played}: {quantities.outcomes(summary.cases)}" if total else played


def _fault(
    fault: Fault, label: str, folder: Path | None, room: int, noun: str
) -> Iterator[list[Span]]:
    finding = fault.finding
    # In capitals is what decides, or would without the repeats.
    is_loud = finding.gating and label in (Outcome.FAIL.value, FLAKY)
    yield [
        (f"{label.upper() if is_loud else label:<5} ", STYLES[Outcome(TONES.get(label, label))]),
        (one_line(f"{finding.oracle} / {finding.check}", room), "bold"),
        (f"  {_extent(fault, noun)}", "dim"),
    ]
    if fault.description:
        yield [(" " * _INDENT + brief_reason(fault.description, room), "")]
    reason = brief_reason(finding.reason, room)
    if reason or not fault.description:
        style = "dim" if fault.description else ""
        yield [(" " * _INDENT + (reason or "(no reason given)"), style)]
    for case_id in fault.example[:2]:
        shown = show_command(folder, case_id) if folder else f"case {one_line(case_id, room)}"
        yield [(" " * _INDENT + shown, "cyan")]


def _extent(fault: Fault, noun: str) -> str:
    finding = fault.finding
    parts = [extent(fault, noun), f"owner: {finding.owner.value}"]
    if not finding.gating:
        parts.append("not gating")
    return ", ".join(parts)


def _sums(summary: Summary, kinds: Counter[FailureClass]) -> Iterator[list[Span]]:
    gate = gate_of(summary)
    # of repeated cases the headline counts cases, and these are plays
    played = "plays" if gate is not None and gate.repeated else "cases"
    yield _row(played, quantities.outcomes(summary.cases))
    if kinds:
        yield _row("kinds", f"{len(kinds):,} {causes.kinds(kinds)}")
    yield _row("checks", quantities.checks(summary))
    owners = [f"{owner.value} {n:,}" for owner, n in sorted(summary.owners.items()) if n]
    if owners:
        yield _row("owners", ", ".join(owners))
    yield _row("spent", quantities.spend(summary.usage))
    if summary.usage.fallbacks:
        yield _row("fallbacks", quantities.fallbacks(summary.usage.fallbacks))
    by_role = summary.usage.by_role
    if len(by_role) > 1:
        for role, spent in by_role.items():
            yield _row("", f"{one_line(role, 40) or 'unnamed'}: {quantities.asked(spent)}")


def _apps(apps: Sequence[AppSeen], folder: Path | None) -> Iterator[list[Span]]:
    for table in (app_lines(apps), problem_lines(apps, folder)):
        lines = list(table)
        yield from ([(line, "bold" if number == 0 else "")] for number, line in enumerate(lines))
        if lines:
            yield []


def _judges(run: Run) -> Iterator[list[Span]]:
    """What was measured of the judges, also of those that found nothing."""
    for number, (label, judge) in enumerate(run.judges.items()):
        words = judge_words(judge, ascii_only=True)
        yield _row("" if number else "judges", f"{one_line(label, 40)}: {words}")


def _end(
    summary: Summary, folder: Path | None, room: int, *, is_retried: bool
) -> Iterator[list[Span]]:
    reason = one_line(summary.reason, room)
    if summary.stopped is not Stop.COMPLETE:
        how = summary.stopped.value
        yield _row("stopped", f"{how}: {reason}" if reason not in ("", how) else how)
        if folder is not None:
            yield [*_row("go on", ""), (resume_command(folder), "cyan")]
    elif reason:
        yield _row("note", reason)
    if folder is not None and is_retried:
        yield [*_row("again", ""), (retry_command(folder), "cyan")]
    yield _row("exit", f"{summary.exit_code}: {one_line(meaning(summary), room)}")


def _is_environment_error(fault: Fault) -> bool:
    """Whether cases have to be played again because the environment failed."""
    finding = fault.finding
    undecided = finding.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
    broken = undecided and finding.owner is Owner.ENVIRONMENT
    return broken and fault.cases > 0


def _row(name: str, text: str) -> list[Span]:
    return [(f"{name:<8} ", "dim"), (text, "")]
