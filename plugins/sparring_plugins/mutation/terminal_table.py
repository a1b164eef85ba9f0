"""A mutation run on a terminal."""

from collections.abc import Iterator

from sparring.cli.terminal import plain, plain_lines
from sparring_plugins.mutation import figures
from sparring_plugins.mutation.model import Fate, Mutant, MutantResult, MutationRun

_TARGET = 90
_WHY = 110
_DIFF_LINES = 24
_SHOWN = (
    Fate.KILLED, Fate.NOTICED, Fate.LIVE, Fate.EQUIVALENT, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR,
)  # fmt: skip


def progress(result: MutantResult, done: int, of: int) -> str:
    """One line for a mutant that is through."""
    by = ", ".join(figures.check_name(one) for one in result.killers[:3])
    more = f" and {len(result.killers) - 3} more" if len(result.killers) > 3 else ""
    width = len(str(of))
    said = plain(f"{by}{more}" if by else result.reason, _WHY)
    shown = "LIVE" if result.fate is Fate.LIVE else result.fate.value
    return f"[{done:{width}}/{of}] {shown:10} {plain(result.id)}  {said}".rstrip()


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
    live = figures.of_fate(run, Fate.LIVE)
    if live:
        yield from ("", "live mutants:")
        for mutant, _ in live:
            yield from ("", *listed(mutant))
    for mutant, result in figures.of_fate(run, Fate.NOTICED):
        yield f"noticed  {plain(mutant.id)}  {plain(mutant.target, _TARGET)}"
        yield f"         {plain(result.reason, _WHY)}"
    for mutant, result in figures.of_fate(run, Fate.INVALID, Fate.TIMEOUT, Fate.ERROR):
        yield f"{result.fate.value:8} {plain(mutant.id)}  {plain(mutant.target, _TARGET)}"
        yield f"         {plain(result.reason, _WHY)}"
    yield from ("", *_operators(run), "", *_checks(run), "", *_vacuous(run), *_sums(run))


def _operators(run: MutationRun) -> Iterator[str]:
    rows = figures.operator_rows(run)
    width = max([8, *(len(row.operator) for row in rows)])
    fates = [fate for fate in _SHOWN if fate in figures.shown_fates(run)]
    heads = "".join(f"{fate.value:>11}" for fate in fates)
    detected = f"{'detected':>11}" if figures.of_running(run) else ""
    yield f"{'operator':{width}} {'mutants':>8}{heads}{detected}{'score':>10}"
    for row in rows:
        counts = "".join(f"{row.fates[fate] or '.':>11}" for fate in fates)
        counts += f"{f'{row.detected}/{row.counted}':>11}" if detected else ""
        shown = figures.percent(row.score)
        yield f"{plain(row.operator):{width}} {row.mutants:8}{counts}{shown:>10}"


def _checks(run: MutationRun) -> Iterator[str]:
    rows = figures.check_rows(run)
    width = max([5, *(len(row.check) for row in rows)])
    yield f"{'check':{width}} {'killed':>8}{'alone':>8}"
    for row in rows:
        yield f"{plain(row.check):{width}} {row.kills or '.':>8}{row.alone or '.':>8}"


def _vacuous(run: MutationRun) -> Iterator[str]:
    found = run.original.vacuous if run.original is not None else ()
    if not found:
        return
    yield "assertions that say little, since they were true before anything was done:"
    for one in found:
        yield f"  {one.why:10} {plain(one.check, _TARGET)}  ({plain(', '.join(one.case_ids[:3]))})"
    yield ""


def _sums(run: MutationRun) -> Iterator[str]:
    fates = figures.fates(run.results)
    parts = [f"{fates[fate]} {fate.value}" for fate in _SHOWN if fates[fate]]
    yield f"mutants  {len(run.results)} of {run.found} offered: {', '.join(parts) or 'none'}"
    if run.original is not None and run.original.failing:
        known = ", ".join(figures.check_name(one) for one in run.original.failing)
        yield f"known    {plain(known)}"
    if not run.complete:
        yield f"         {len(run.mutants) - len(run.results)} mutants are left to run"
    yield f"score    {figures.percent(run.score)}"
