"""What was reached of each app, and its problems, as tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from sparring.errors import ConfigurationError
from sparring.model.confirmation import Confirmation
from sparring.model.talk import LINES
from sparring_plugins.language.quantities import duration
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.app_problems import ProblemView, problem_views
from sparring_plugins.reporting.app_tables import CategoryRow, categories
from sparring_plugins.reporting.apps_seen import AppSeen, checks_of
from sparring_plugins.reporting.exercised import KINDS, Exercised, Item

if TYPE_CHECKING:
    from sparring_plugins.voice.behaviour_model import BehaviourModel

MOST_ROWS = 500
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
    """All apps: the checks that are columns, the rows, those left out, the sums by category.

    `problems` lists the problems of several apps, `unlisted` is how many more there are.
    """

    checks: tuple[str, ...]
    rows: tuple[AppView, ...]
    left_out: int
    categories: tuple[CategoryRow, ...]
    problems: tuple[ProblemView, ...] = ()
    unlisted: int = 0

    @property
    def several(self) -> bool:
        """Whether there is more than one app."""
        return len(self.rows) > 1

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds of parts that any app has."""
        return tuple(dict.fromkeys(kind.kind for row in self.rows for kind in row.kinds))


def apps_view(
    apps: Sequence[AppSeen], confirmations: Sequence[Confirmation] = ()
) -> AppsView | None:
    """The view of all apps, or None if no connector told anything, of a single app."""
    if len(apps) < 2 and not any(app.kinds() for app in apps):
        return None
    checks = checks_of(apps)
    summed = tuple(categories(apps)) if len(apps) > 1 else ()
    rows = tuple(_row(app, checks) for app in apps[:MOST_ROWS])
    listed, unlisted = problem_views(apps, confirmations) if len(apps) > 1 else ([], 0)
    left_out = max(0, len(apps) - MOST_ROWS)
    return AppsView(tuple(checks), rows, left_out, summed, tuple(listed), unlisted)


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
    views: list[KindView] = []
    for kind, tally in app.kinds():
        missing = tally.missing
        shown = 10 if kind == LINES else _MOST_MISSING
        views.append(
            KindView(
                kind,
                len(tally.reached & tally.whole),
                len(tally.whole),
                round(100 * tally.share),
                tuple(one_line(name, 200) for name in missing[:shown]),
                max(0, len(missing) - shown),
            )
        )
    return views


# The behaviour models that explorers left in the run's folder, as pictures for the page.

MOST_PICTURES = 12
"""Models that are drawn in one page."""

# A model's picture of 20 MB makes the whole page slow to open.
_LARGEST = 20_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A model: the app's name, its numbers, and the drawing; `cut` if states are left out."""

    app: str
    states: int
    inputs: int
    turns: int
    sessions: int
    cut: bool
    svg: Markup


def pictures(folder: Path | None) -> list[Picture]:
    """The models of a run that can be read, in the order of their names."""
    taken_pictures: list[Picture] = []
    models = sorted((folder / "models").glob("*.model.json"))[:MOST_PICTURES] if folder else []
    if not models:
        return []
    from sparring_plugins.voice.behaviour_model import BehaviourModel  # only explorers make any

    for path in models:
        try:
            if path.stat().st_size <= _LARGEST:
                model = BehaviourModel.from_json(path.read_text(encoding="utf-8"), str(path))
                taken_pictures.append(_picture(model))
        except (OSError, ValueError, ConfigurationError):
            continue  # the report shows what there is
    return taken_pictures


def _picture(model: "BehaviourModel") -> Picture:
    from sparring_plugins.voice.behaviour_exports import MOST_STATES, as_svg

    return Picture(
        app=model.app,
        states=len(model.states),
        inputs=len(model.alphabet()),
        turns=model.turns,
        sessions=model.sessions,
        cut=len(model.states) > MOST_STATES,
        svg=Markup(as_svg(model)),  # escaped where it is drawn
    )


# What the run exercised, for the page.

_MOST_UNEXERCISED = 200


@dataclass(frozen=True, slots=True)
class CoverageView:
    """A kind of things: how many were exercised, and those that never were."""

    several: str
    verb: str
    part: int
    whole: int
    length: int
    missing: tuple[Item, ...]
    more: int


def coverage_view(exercised: Exercised) -> list[CoverageView]:
    """The kinds that the run has; the length of a bar is in thousandths."""
    left = exercised.unexercised()
    views: list[CoverageView] = []
    for kind, part, whole in exercised.counts():
        missing = [item for item in left if item.kind == kind]
        shown = tuple(missing[:_MOST_UNEXERCISED])
        names = KINDS[kind]
        more = len(missing) - len(shown)
        views.append(CoverageView(*names, part, whole, 1000 * part // whole, shown, more))
    return views
