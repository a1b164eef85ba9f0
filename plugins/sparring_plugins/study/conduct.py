"""A study from its file to its tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.documents.checking import nearest
from sparring.documents.reading import Document
from sparring.errors import ConfigurationError, StoredRunError
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.search.diversity.embedded_texts import likeness, require_sklearn
from sparring_plugins.study.cells import Cell, Checked, cells_of, check_cells
from sparring_plugins.study.files import write_all, write_whole
from sparring_plugins.study.measures import AppMeasured, Embedded, measure_app
from sparring_plugins.study.outcomes import RunOutcome, outcome_of
from sparring_plugins.study.page import page
from sparring_plugins.study.plan import StudyPlan, find_plan, load_plan, slug
from sparring_plugins.study.result import StudyResult
from sparring_plugins.study.series import is_over, require_unchanged, stored_run
from sparring_plugins.study.statistics.scipy_access import scipy_stats
from sparring_plugins.study.summary import summed

PAGE = "report.html"
_VECTORS = "vectors.npz"


@dataclass(frozen=True)
class Prepared:
    """A study whose file and whose runs are known to be right."""

    plan: StudyPlan
    document: Document
    folder: Path
    cells: Sequence[Cell]
    checked: Mapping[tuple[str, str], Checked]

    def of(self, cell: Cell) -> Checked:
        """What is known of a cell's strategy on its app."""
        return self.checked[cell.app, cell.strategy]

    def is_over(self, cell: Cell) -> bool:
        """Whether a cell is played to its end."""
        return is_over(cell)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What parts warned of while they were built."""
        found = (warning for one in self.checked.values() for warning in one.warnings)
        return tuple(dict.fromkeys(found))


def prepare(given: str | None, changes: Mapping[str, Any], results: Path | None) -> Prepared:
    """Read a study and check all its runs; nothing is played.

    Raises ConfigurationError, PluginError; also where what is stored was made by another study.
    """
    path = find_plan(given)
    plan, document = load_plan(path, changes)
    here = path.absolute().parent
    folder = (results.absolute() if results else here / plan.results) / slug(plan.name)
    cells = cells_of(plan, here, folder)
    checked = check_cells(cells, document)
    for cell in cells:
        require_unchanged(cell, checked[cell.app, cell.strategy].manifest(cell.seed))
    _require_features(plan, document, checked)
    scipy_stats()
    require_sklearn()
    likeness(plan.likeness)
    return Prepared(plan, document, folder, cells, checked)


def _require_features(
    plan: StudyPlan, document: Document, checked: Mapping[tuple[str, str], Checked]
) -> None:
    """Refuse an archive over what is no feature of any app; raises ConfigurationError."""
    spaces = [space for one in checked.values() for space in one.cases.values()]
    known = sorted({name for space in spaces for name in space.names})
    problems = [
        document.problem(f"no app has a feature {name!r}.{nearest(name, known)}", ("archive", at))
        for at, name in enumerate(plan.archive)
        if name not in known
    ]
    if problems:
        raise ConfigurationError(*problems)


def results_of(
    prepared: Prepared, failed: Mapping[str, str], note: Callable[[str], None]
) -> StudyResult:
    """Measure the runs that are over, and compare their strategies; raises MissingExtra."""
    plan = prepared.plan
    how = likeness(plan.likeness)
    embedded = Embedded(how, prepared.folder / f"{slug(how.name)}-{_VECTORS}")
    missing = [f"{name}: {why}" for name, why in failed.items()]
    apps: dict[str, AppMeasured] = {}
    for app in dict.fromkeys(cell.app for cell in prepared.cells):
        cells = [cell for cell in prepared.cells if cell.app == app]
        outcomes: list[RunOutcome] = []
        for cell in cells:
            found = _outcome(cell, prepared.of(cell))
            if isinstance(found, RunOutcome):
                outcomes.append(found)
            elif cell.name not in failed:
                missing.append(found)
        failures = sum(len(one.failures) for one in outcomes)
        note(f"measuring {app}: {failures:,} failures, {how.name} ...")
        spaces = prepared.of(cells[0]).cases
        apps[app] = measure_app(outcomes, spaces, embedded, plan)
    embedded.store()
    clean = Redactor()
    return summed(
        plan,
        apps,
        likeness=how.name,
        missing=[clean.message(one) for one in missing],
        warnings=[clean.message(one) for one in prepared.warnings],
    )


def _outcome(cell: Cell, checked: Checked) -> RunOutcome | str:
    """A run that is over; why there is none else."""
    run: StoredRun | None = stored_run(cell)
    if run is None:
        return f"{cell.name}: not played"
    if not is_over(cell):
        return f"{cell.name}: not played to its end"
    try:
        return outcome_of(cell, run, checked.cases, checked.budget)
    except StoredRunError as err:
        return f"{cell.name}: {err}"


def write(result: StudyResult, folder: Path) -> list[Path]:
    """Write the page and all tables; the files written."""
    drawn = write_whole(folder / PAGE, Redactor().text(page(result)))
    return [drawn, *write_all(result, folder)]
