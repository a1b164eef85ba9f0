"""The figures of a mutation report: sums per operator, and what each check killed."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path

from sparring.cli.output import plain, plain_lines
from sparring_plugins.mutation.model import (
    Fate,
    Killer,
    Mutant,
    MutantResult,
    MutationRun,
    SurvivalKind,
)
from sparring_plugins.mutation.results import score
from sparring_plugins.mutation.session import named
from sparring_plugins.output.html_page import render_page


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """The mutants of one operator, counted by fate."""

    operator: str
    fates: dict[Fate, int]
    score: float | None

    @property
    def mutants(self) -> int:
        """How many are through."""
        return sum(self.fates.values())

    @property
    def detected(self) -> int:
        """How many the suite did not pass on: killed or noticed."""
        return self.fates[Fate.KILLED] + self.fates[Fate.NOTICED]

    @property
    def counted(self) -> int:
        """How many the suite could have detected."""
        return self.detected + self.fates[Fate.LIVE]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """What one check killed; `alone` counts mutants that no other check killed."""

    check: str
    kills: int
    alone: int
    by_operator: dict[str, int]


def operator_rows(run: MutationRun) -> list[OperatorRow]:
    """A row per operator, in the order in which they come."""
    by_operator: dict[str, list[MutantResult]] = {}
    for mutant, result in pairs(run):
        by_operator.setdefault(mutant.operator, []).append(result)
    return [
        OperatorRow(name, count_fates(results), score(results))
        for name, results in by_operator.items()
    ]


def count_fates(results: Sequence[MutantResult]) -> dict[Fate, int]:
    """How many mutants met each fate."""
    return {fate: sum(result.fate is fate for result in results) for fate in Fate}


def shown_fates(run: MutationRun) -> list[Fate]:
    """The fates that a table has a column for: `noticed` only for running apps."""
    return [fate for fate in Fate if fate is not Fate.NOTICED or of_running(run)]


def of_running(run: MutationRun) -> bool:
    """Whether the faults are put into a running app."""
    return any(mutant.settings for mutant in run.mutants)


def idle(run: MutationRun) -> list[str]:
    """The checks that killed nothing."""
    return [row.check for row in check_rows(run) if not row.kills]


def pairs(run: MutationRun) -> list[tuple[Mutant, MutantResult]]:
    """The mutants that are through, with their results."""
    mutants = {mutant.id: mutant for mutant in run.mutants}
    return [(mutants[result.id], result) for result in run.results]


def of_fate(run: MutationRun, *wanted: Fate) -> list[tuple[Mutant, MutantResult]]:
    """The mutants that met one of some fates."""
    return [(mutant, result) for mutant, result in pairs(run) if result.fate in wanted]


def check_rows(run: MutationRun) -> list[CheckRow]:
    """A row per check, those that killed most first; checks that killed nothing are there, too."""
    killed: dict[str, list[tuple[Mutant, bool]]] = {name: [] for name in run.checks}
    for mutant, result in of_fate(run, Fate.KILLED):
        for killer in result.killers:
            row = killed.setdefault(check_name(killer), [])
            # A check that killed nothing alone may be left out without any mutant surviving.
            row.append((mutant, len(result.killers) == 1))
    rows = [
        CheckRow(name, len(killings), sum(alone for _, alone in killings), _by_operator(killings))
        for name, killings in killed.items()
    ]
    return sorted(rows, key=lambda row: (-row.kills, row.check))


def _by_operator(killings: Sequence[tuple[Mutant, bool]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for mutant, _ in killings:
        counts[mutant.operator] = counts.get(mutant.operator, 0) + 1
    return counts


def check_name(killer: Killer) -> str:
    """A check as people write it."""
    return named((killer.oracle, killer.check))


def percent(value: float | None) -> str:
    """A share as people read it; a dash if there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def wrongly_marked(run: MutationRun) -> list[str]:
    """Warnings of mutants that are marked as equivalent and were killed."""
    return [
        f"{mutant.id} is marked as equivalent, and was killed by {check_name(result.killers[0])}"
        for mutant, result in of_fate(run, Fate.KILLED)
        if mutant.marked is not None
    ]


# A mutation run as one page that needs nothing but a browser.

FILES = Path(__file__).with_name("page")


def page(run: MutationRun, folder: Path | None = None) -> str:
    """The page; everything in it that is not ours is text, never markup.

    Pictures are put into it from the run's folder.
    """
    values = {
        "run": run,
        "created": run.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "percent": percent,
        "check_name": check_name,
        "fates": count_fates(run.results),
        "Fate": Fate,
        "operators": operator_rows(run),
        "checks": check_rows(run),
        "live": of_fate(run, Fate.LIVE),
        "others": of_fate(run, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR, Fate.EQUIVALENT),
        "killed": of_fate(run, Fate.KILLED),
        "line_class": line_class,
        "running": of_running(run),
        "shown_fates": shown_fates(run),
        "noticed": of_fate(run, Fate.NOTICED),
        "vacuous": run.original.vacuous if run.original is not None else (),
        "survivals": survivals(run),
        "picture": partial(picture, folder),
    }
    return render_page(FILES, "page.html.jinja", values)


def picture(folder: Path | None, name: str | None) -> str | None:
    """A picture of the run's folder as an address that holds it, or None if there is none."""
    if folder is None or name is None:
        return None
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    return f"data:image/png;base64,{b64encode(path.read_bytes()).decode()}"


def line_class(line: str) -> str:
    """How a line of a diff is shown."""
    if line.startswith(("+++", "---", "@@")):
        return "place"
    return "added" if line.startswith("+") else "gone" if line.startswith("-") else ""


# A mutation run on a terminal.

# Ids and files come first in a line; what is mutated may be a whole paragraph.
_TARGET = 90
_WHY = 110
# A list of fifty mutants is skimmed; a mutated file of many changes would fill it alone.
_DIFF_LINES = 24
_SHOWN = (
    Fate.KILLED, Fate.NOTICED, Fate.LIVE, Fate.EQUIVALENT, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR,
)  # fmt: skip


def progress(result: MutantResult, done: int, of: int) -> str:
    """One line for a mutant that is through."""
    # A fault in the greeting is killed by every check: three say which ones.
    by = ", ".join(check_name(killer) for killer in result.killers[:3])
    more = f" and {len(result.killers) - 3} more" if len(result.killers) > 3 else ""
    width = len(str(of))
    summary = plain(f"{by}{more}" if by else result.reason, _WHY)
    shown = "LIVE" if result.fate is Fate.LIVE else result.fate.value
    return f"[{done:{width}}/{of}] {shown:10} {plain(result.id)}  {summary}".rstrip()


def listed(mutant: Mutant) -> Iterator[str]:
    """A mutant with its diff."""
    marked = f"  (equivalent: {plain(mutant.marked)})" if mutant.marked else ""
    yield f"{plain(mutant.id)}  {plain(mutant.target, _TARGET)}{marked}"
    if mutant.settings:
        yield f"    {plain(mutant.file, _TARGET)}"
        return
    lines = plain_lines(mutant.diff)
    yield from (f"    {line}" for line in lines[:_DIFF_LINES])
    if len(lines) > _DIFF_LINES:
        yield f"    ... and {len(lines) - _DIFF_LINES} lines more"


def report(run: MutationRun) -> Iterator[str]:
    """The whole report: live mutants, what could not be counted, tables, the score."""
    live = of_fate(run, Fate.LIVE)
    if live:
        yield from ("", "live mutants:")
        for mutant, result in live:
            yield from ("", *listed(mutant), *_survival(result))
    for mutant, result in of_fate(run, Fate.NOTICED):
        yield f"noticed  {plain(mutant.id)}  {plain(mutant.target, _TARGET)}"
        yield f"         {plain(result.reason, _WHY)}"
    for mutant, result in of_fate(run, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR):
        yield f"{result.fate.value:8} {plain(mutant.id)}  {plain(mutant.target, _TARGET)}"
        yield f"         {plain(result.reason, _WHY)}"
    yield from ("", *_operators(run), "", *_checks(run), "", *_vacuous(run), *_sums(run))


def _survival(result: MutantResult) -> Iterator[str]:
    if result.survival is not None:
        yield f"    {result.survival.kind.value}: {plain(result.survival.reason, _WHY)}"


def survivals(run: MutationRun) -> dict[SurvivalKind, int]:
    """How many live mutants there are of each kind of survival, without kinds of which none is."""
    live = [result.survival for _, result in of_fate(run, Fate.LIVE)]
    counts = {kind: sum(s is not None and s.kind is kind for s in live) for kind in SurvivalKind}
    return {kind: count for kind, count in counts.items() if count}


def _operators(run: MutationRun) -> Iterator[str]:
    rows = operator_rows(run)
    width = max([8, *(len(row.operator) for row in rows)])
    fates = [fate for fate in _SHOWN if fate in shown_fates(run)]
    heads = "".join(f"{fate.value:>11}" for fate in fates)
    detected = f"{'detected':>11}" if of_running(run) else ""
    yield f"{'operator':{width}} {'mutants':>8}{heads}{detected}{'score':>10}"
    for row in rows:
        counts = "".join(f"{row.fates[fate] or '.':>11}" for fate in fates)
        counts += f"{f'{row.detected}/{row.counted}':>11}" if detected else ""
        shown = percent(row.score)
        yield f"{plain(row.operator):{width}} {row.mutants:8}{counts}{shown:>10}"


def _checks(run: MutationRun) -> Iterator[str]:
    rows = check_rows(run)
    width = max([5, *(len(row.check) for row in rows)])
    yield f"{'check':{width}} {'killed':>8}{'alone':>8}"
    for row in rows:
        yield f"{plain(row.check):{width}} {row.kills or '.':>8}{row.alone or '.':>8}"


def _vacuous(run: MutationRun) -> Iterator[str]:
    checks = run.original.vacuous if run.original is not None else ()
    if not checks:
        return
    yield "assertions that say little, since they were true before anything was done:"
    for check in checks:
        cases = plain(", ".join(check.case_ids[:3]))
        yield f"  {check.why:10} {plain(check.check, _TARGET)}  ({cases})"
    yield ""


def _sums(run: MutationRun) -> Iterator[str]:
    fates = count_fates(run.results)
    parts = [f"{fates[fate]} {fate.value}" for fate in _SHOWN if fates[fate]]
    yield f"mutants  {len(run.results)} of {run.found} offered: {', '.join(parts) or 'none'}"
    if kinds := survivals(run):
        yield f"live     {', '.join(f'{count} {kind.value}' for kind, count in kinds.items())}"
    if run.original is not None and run.original.failing:
        failing = ", ".join(check_name(killer) for killer in run.original.failing)
        yield f"known    {plain(failing)}"
    if not run.complete:
        yield f"         {len(run.mutants) - len(run.results)} mutants are left to run"
    yield f"score    {percent(run.score)}"
