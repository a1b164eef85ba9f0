"""The problems of many apps: each app with the problems that it has, and where they show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.model.confirmation import Confirmation
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.app_tables import again_of, path_of
from sparring_plugins.reporting.apps_seen import AppSeen, Problem, checks_of
from sparring_plugins.reporting.commands import run_name

MOST_LISTED = 500
"""Problems that a page lists."""

# A portfolio may have hundreds of skills; the HTML report has all of them.
_MOST_APPS = 60
_WIDEST_NAME = 32


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem in the page's list: of which app, and the conversations that show it.

    `app_number` is the app's place in the table of apps if this is the first of its problems, else
    None; `again` is what playing it again brought, `path` the fewest inputs that show it.
    """

    app: str
    app_number: int | None
    check: str
    reason: str
    certainty: str
    again: str
    path: tuple[str, ...]
    case_ids: tuple[str, ...]
    more: int


def problem_views(
    apps: Sequence[AppSeen], confirmations: Sequence[Confirmation]
) -> tuple[list[ProblemView], int]:
    """Return the problems of all apps, app by app, and how many more there are."""
    views = [
        _view(app, number, place, problem, confirmations)
        for number, app in enumerate(apps)
        for place, problem in enumerate(app.problems)
    ]
    return views[:MOST_LISTED], max(0, len(views) - MOST_LISTED)


def _view(
    app: AppSeen, number: int, place: int, problem: Problem, confirmations: Sequence[Confirmation]
) -> ProblemView:
    again = again_of(problem, confirmations)
    return ProblemView(
        app=one_line(app.name or app.title, 120),
        app_number=None if place else number,
        check=problem.fault.check,
        reason=one_line(problem.fault.reason, 400),
        certainty=problem.fault.certainty,
        again=again.outcome if again else "",
        path=tuple(path_of(again)[:40]) if again else (),
        case_ids=tuple(problem.cases[:3]),
        more=max(0, len(problem.cases) - 3),
    )


def problem_lines(apps: Sequence[AppSeen], folder: Path | None) -> Iterator[str]:
    """Yield a table for the console: apps with problems, the most first, and a case that shows one.

    Nothing for a single app, and nothing if no app has a problem.
    """
    faulty = [app for app in apps if app.problems]
    if len(apps) < 2 or not faulty:
        return
    faulty.sort(key=lambda app: -len(app.problems))
    checks = checks_of(apps)
    shown = "sparring show RUN CASE" if folder is None else f"sparring show {run_name(folder)}"
    head = ["app", *(check.replace("_", " ") for check in checks), shown]
    table = [head, *(_cells(app, checks) for app in faulty[:_MOST_APPS])]
    widths = [max(len(line[place]) for line in table) for place in range(len(head))]
    for line in table:
        numbers = (cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:-1], strict=True))
        yield "  ".join([line[0].ljust(widths[0]), *numbers, line[-1]]).rstrip()
    if len(faulty) > _MOST_APPS:
        yield f"and {len(faulty) - _MOST_APPS} more; the reporter app-tables writes all of them"


def _cells(app: AppSeen, checks: Sequence[str]) -> list[str]:
    counts = (app.count(check) for check in checks)
    name = one_line(app.name or app.title, _WIDEST_NAME)
    return [name, *(f"{count:,}" if count else "-" for count in counts), app.problems[0].cases[0]]
