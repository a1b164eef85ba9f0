"""The end of a run on the console: what was reached of the apps, what was played again."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sparring.model.faults import Confirmation, Confirmed
from sparring.model.verdict import Finding
from sparring_plugins.language.visible import one_line
from sparring_plugins.reporting.apps_seen import AppSeen, checks_of, of_fault
from sparring_plugins.reporting.category_tables import CategoryRow, categories, path_of
from sparring_plugins.reporting.console_medium import Span

_MOST_WAYS = 3
_MOST_CATEGORIES = 30
_ORDER: tuple[Confirmed, ...] = ("confirmed", "unsteady", "not confirmed", "not played")
_WORDS = {"unsteady": "now and then"}


def ways(
    finding: Finding, confirmations: Sequence[Confirmation], room: int, indent: int
) -> Iterator[list[Span]]:
    """How the faults behind a finding are shown the shortest way, and how sure they are."""
    found = of_fault(confirmations, finding.oracle, finding.check, finding.case_ids)
    found.sort(key=lambda one: _ORDER.index(one.outcome))
    for one in found[:_MOST_WAYS]:
        app = f"{one_line(one.app, 40)}: " if one.app else ""
        style = "bold" if one.outcome == "confirmed" else "dim"
        yield [(" " * indent, ""), (_WORDS.get(one.outcome, one.outcome), style),
               (one_line(f": {app}{one.why}", room - 14), "dim")]  # fmt: skip
        said = path_of(one)
        if said:
            yield [(" " * (indent + 2) + one_line("> " + " > ".join(said), room - 2), "")]
    if len(found) > _MOST_WAYS:
        yield [(f"{' ' * indent}... and {len(found) - _MOST_WAYS} more ways to it", "dim")]


def again_words(confirmations: Sequence[Confirmation]) -> str:
    """``3 confirmed, 1 now and then``; empty where nothing was played again."""
    counts = Counter(one.outcome for one in confirmations)
    return ", ".join(f"{counts[o]} {_WORDS.get(o, o)}" for o in _ORDER if counts[o])


def reached_words(apps: Sequence[AppSeen]) -> str:
    """``intents 12/30, lines 210/300`` over all apps; empty where no connector tells."""
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
