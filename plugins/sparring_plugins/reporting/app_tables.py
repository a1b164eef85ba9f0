"""The reporter `app-tables`: apps, categories, parts and problems of a run as tables."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import Event, RunFinished
from sparring.store import StoredRun
from sparring_plugins.reporting.apps_seen import apps_seen
from sparring_plugins.reporting.category_tables import (
    app_table,
    category_table,
    coverage_table,
    problem_table,
)
from sparring_plugins.reporting.csv_cells import safe_cell
from sparring_plugins.reporting.destination import written_whole
from sparring_plugins.reporting.run_record import RunRecord


class AppsConfig(PluginConfig):
    """Settings of the reporter `app-tables`.

    `path`: the folder for the four tables, from the suite's folder; the run's own folder where it
    is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class AppsReporter(Reporter[AppsConfig]):
    """Writes four CSV files when the run ends: apps, categories, coverage, problems.

    `apps.csv` has a row per app with what was reached of it and its problems by check,
    `categories.csv` a summary by category, `coverage.csv` a row per app and kind of parts with
    what was not reached, and `problems.csv` a row per problem with the shortest inputs to it.
    """

    Config: ClassVar[type[PluginConfig]] = AppsConfig

    def __init__(self, config: AppsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._record = RunRecord()
        self._written: list[Path] = []

    def handle(self, event: Event) -> None:
        self._record.hear(event)
        if isinstance(event, RunFinished):
            stored = self._record.stored()
            if stored is not None:
                self._write(stored)

    def written(self) -> Sequence[Path]:
        return tuple(self._written)

    async def close(self) -> None:
        self._record.close()

    def _write(self, stored: StoredRun) -> None:
        run_dir = stored.folder if self._record.is_stored else self.context.run_dir
        base = self.context.base_dir
        folder = base / self.config.path if self.config.path else run_dir or base
        apps = apps_seen(stored.judged())
        tables = {
            "apps.csv": app_table(apps),
            "categories.csv": category_table(apps),
            "coverage.csv": coverage_table(apps),
            "problems.csv": problem_table(apps, stored.confirmations()),
        }
        self._written = [_written(folder / name, rows) for name, rows in tables.items()]


def _written(path: Path, rows: Iterable[Sequence[str]]) -> Path:
    with written_whole(path) as file:
        csv.writer(file).writerows([safe_cell(cell) for cell in row] for row in rows)
    return path
