"""What was reached of each app, and its problems, as tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring.model.facts import LINES
from sparring_plugins.language.quantities import duration
from sparring_plugins.language.visible import one_line
from sparring_plugins.reporting.apps_seen import AppSeen, checks_of
from sparring_plugins.reporting.category_tables import CategoryRow, categories

MOST = 500
"""Apps that a page lists."""

_MOST_MISSING = 60


@dataclass(frozen=True, slots=True)
class KindView:
    """Parts of one kind: how many of how many, the share in percent, and those never reached."""

    kind: str
    reached: int
    whole: int
    percent: int
    missing: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class AppView:
    """A row of the table of apps."""

    name: str
    title: str
    category: str
    spoke: bool
    why: str
    conversations: int
    turns: int
    took: str
    sentences: int
    kinds: tuple[KindView, ...]
    problems: tuple[int, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppsView:
    """All apps: the checks that are columns, the rows, those left out, the sums by category."""

    checks: tuple[str, ...]
    rows: tuple[AppView, ...]
    left_out: int
    categories: tuple[CategoryRow, ...]

    @property
    def several(self) -> bool:
        """Whether there is more than one app."""
        return len(self.rows) > 1

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds of parts that any app has."""
        return tuple(dict.fromkeys(kind.kind for row in self.rows for kind in row.kinds))


def apps_view(apps: Sequence[AppSeen]) -> AppsView | None:
    """The view of all apps; None where no connector told anything, of a single app."""
    if len(apps) < 2 and not any(app.kinds() for app in apps):
        return None
    checks = checks_of(apps)
    summed = tuple(categories(apps)) if len(apps) > 1 else ()
    rows = tuple(_row(app, checks) for app in apps[:MOST])
    return AppsView(tuple(checks), rows, max(0, len(apps) - MOST), summed)


def _row(app: AppSeen, checks: Sequence[str]) -> AppView:
    return AppView(
        name=one_line(app.name, 120),
        title=one_line(app.title, 120),
        category=one_line(app.category, 80),
        spoke=app.spoke,
        why="" if app.spoke else one_line(app.broken, 300),
        conversations=app.conversations,
        turns=app.turns,
        took=duration(app.seconds),
        sentences=len(app.sentences),
        kinds=tuple(_kinds(app)),
        problems=tuple(app.count(check) for check in checks),
        notes=tuple(one_line(note, 300) for note in list(app.notes)[:5]),
    )


def _kinds(app: AppSeen) -> list[KindView]:
    found: list[KindView] = []
    for kind, tally in app.kinds():
        missing = tally.missing
        shown = 10 if kind == LINES else _MOST_MISSING
        found.append(
            KindView(
                kind,
                len(tally.reached & tally.whole),
                len(tally.whole),
                round(100 * tally.share),
                tuple(one_line(name, 200) for name in missing[:shown]),
                max(0, len(missing) - shown),
            )
        )
    return found
