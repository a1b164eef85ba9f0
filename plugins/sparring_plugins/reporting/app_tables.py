"""The reporter `app-tables`: apps, categories, parts and problems of a run as tables."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring.model.confirmation import Confirmation
from sparring.model.talk import act_text
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import safe_cell, written_whole
from sparring_plugins.reporting.apps_seen import (
    KIND_ORDER,
    AppSeen,
    Problem,
    apps_seen,
    checks_of,
    of_fault,
)
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun

# Many apps as tables: a row for each, and a summary by category (as Elevate's Table 6).

NONE = "(none)"
"""What apps without a category are listed under."""


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """The apps of one category: how many, how many ever spoke, how many have problems.

    `problems` has the different problems by check, in the order of the table's columns.
    """

    name: str
    apps: int
    spoke: int
    with_problems: int
    problems: tuple[int, ...]
    conversations: int
    turns: int
    seconds: float

    @property
    def total(self) -> int:
        """All problems."""
        return sum(self.problems)


def categories(apps: Sequence[AppSeen]) -> list[CategoryRow]:
    """A row per category, the largest first, and last the sum of all."""
    checks = checks_of(apps)
    groups: dict[str, list[AppSeen]] = {}
    for app in apps:
        groups.setdefault(app.category or NONE, []).append(app)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [*(_row(name, each, checks) for name, each in ordered), _row("all", apps, checks)]


def _row(name: str, apps: Sequence[AppSeen], checks: Sequence[str]) -> CategoryRow:
    return CategoryRow(
        name=name,
        apps=len(apps),
        spoke=sum(app.spoke for app in apps),
        with_problems=sum(bool(app.problems) for app in apps),
        problems=tuple(sum(app.count(check) for app in apps) for check in checks),
        conversations=sum(app.conversations for app in apps),
        turns=sum(app.turns for app in apps),
        seconds=sum(app.seconds for app in apps),
    )


def app_table(apps: Sequence[AppSeen]) -> Iterator[list[str]]:
    """The table of apps as cells, its head first."""
    checks = checks_of(apps)
    yield [
        *("app", "name", "category", "spoke", "conversations", "turns", "seconds", "sentences"),
        *(f"{kind}_{what}" for kind in KIND_ORDER for what in ("reached", "all")),
        *checks,
        *("problems", "why_not"),
    ]
    for app in apps:
        yield [
            *(app.name, app.title, app.category, "yes" if app.spoke else "no"),
            *(str(app.conversations), str(app.turns), f"{app.seconds:.1f}"),
            str(len(app.sentences)),
            *_parts(app),
            *(str(app.count(check)) for check in checks),
            *(str(len(app.problems)), "" if app.spoke else one_line(app.broken, 300)),
        ]


def _parts(app: AppSeen) -> Iterator[str]:
    for kind in KIND_ORDER:
        tally = app.parts.get(kind)
        is_known = tally is not None and bool(tally.whole)
        yield str(len(tally.reached & tally.whole)) if tally and is_known else ""
        yield str(len(tally.whole)) if tally and is_known else ""


def category_table(apps: Sequence[AppSeen]) -> Iterator[list[str]]:
    """The summary by category as cells, its head first."""
    checks = checks_of(apps)
    yield [
        *("category", "apps", "spoke", "with_problems"),
        *checks,
        *("problems", "conversations", "turns", "seconds"),
    ]
    for row in categories(apps):
        yield [
            *(row.name, str(row.apps), str(row.spoke), str(row.with_problems)),
            *(str(number) for number in row.problems),
            *(str(row.total), str(row.conversations), str(row.turns), f"{row.seconds:.1f}"),
        ]


def coverage_table(apps: Sequence[AppSeen]) -> Iterator[list[str]]:
    """What was reached of each kind of parts of each app, and what not, as cells."""
    yield ["app", "kind", "reached", "all", "share", "not_reached"]
    for app in apps:
        for kind, tally in app.kinds():
            reached = len(tally.reached & tally.whole)
            missing = "; ".join(tally.missing[:500])
            yield [
                *(app.name, kind, str(reached), str(len(tally.whole))),
                *(f"{tally.share:.4f}", missing[:20_000]),
            ]
        yield [app.name, "sentences", str(len(app.sentences)), "", "", ""]


def problem_table(
    apps: Sequence[AppSeen], confirmations: Sequence[Confirmation]
) -> Iterator[list[str]]:
    """Every problem once, with what playing it again brought and the shortest inputs, as cells."""
    yield [
        *("app", "category", "oracle", "check", "reason", "certainty", "conversations"),
        *("first_turn", "confirmed", "why", "inputs", "path"),
    ]
    for app in apps:
        for problem in app.problems:
            fault = problem.fault
            again = again_of(problem, confirmations)
            path = path_of(again) if again else []
            yield [
                *(app.name, app.category, fault.oracle, fault.check, one_line(fault.reason, 500)),
                *(fault.certainty, str(len(problem.cases)), str(problem.turn)),
                *(again.outcome if again else "", one_line(again.why, 300) if again else ""),
                *(str(again.inputs) if again and again.trace else "", " > ".join(path)),
            ]


def again_of(problem: Problem, confirmations: Sequence[Confirmation]) -> Confirmation | None:
    """What playing a problem again brought, if it was played again."""
    fault = problem.fault
    attempts = of_fault(confirmations, fault.oracle, fault.check, problem.cases)
    return next((each for each in attempts if problem.is_same(each.fault)), None)


def path_of(confirmation: Confirmation) -> list[str]:
    """What the user says in the shortest conversation; nothing if there is none."""
    turns = confirmation.trace.turns if confirmation.trace else ()
    inputs = (one_line(act_text(turn.act), 120) for turn in turns)
    return [text for text in inputs if text]


class AppsConfig(PluginConfig):
    """Settings of the reporter `app-tables`.

    `path`: the folder for the four tables, from the suite's folder; the run's own folder if it
    is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class AppsReporter(FileReporter[AppsConfig]):
    """Writes four CSV files when the run ends: apps, categories, coverage, problems.

    `apps.csv` has a row per app with what was reached of it and its problems by check,
    `categories.csv` a summary by category, `coverage.csv` a row per app and kind of parts with
    what was not reached, and `problems.csv` a row per problem with the shortest inputs to it.
    """

    Config: ClassVar[type[PluginConfig]] = AppsConfig

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        stored, base = finished.stored, self.context.base_dir
        folder = base / self.config.path if self.config.path else finished.run_dir or base
        apps = apps_seen(stored.judged())
        tables = {
            "apps.csv": app_table(apps),
            "categories.csv": category_table(apps),
            "coverage.csv": coverage_table(apps),
            "problems.csv": problem_table(apps, stored.confirmations()),
        }
        return [_write_table(folder / name, rows) for name, rows in tables.items()]


def _write_table(path: Path, rows: Iterable[Sequence[str]]) -> Path:
    with written_whole(path) as file:
        csv.writer(file).writerows([safe_cell(cell) for cell in row] for row in rows)
    return path
