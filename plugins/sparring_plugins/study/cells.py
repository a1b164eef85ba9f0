"""The runs of a study: one per app, strategy and seed, each checked before any is played."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.documents.checking import located
from sparring.documents.reading import Document
from sparring.engine.session import manifest
from sparring.errors import ConfigurationError, Problem
from sparring.model.run import Run
from sparring.model.space import Space
from sparring.suite.building import SuiteContext, build
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.study.plan import AppChoice, StrategyChoice, StudyPlan, slug


@dataclass(frozen=True)
class Cell:
    """One run of a study: an ordinary run of `suite` with some keys replaced, in `folder`."""

    app: str
    strategy: str
    seed: int
    suite: Path
    changes: Mapping[str, Any]
    folder: Path

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.app} / {self.strategy} / seed {self.seed}"

    @property
    def runs(self) -> Path:
        """Where its run is stored."""
        return self.folder / "runs"


@dataclass(frozen=True)
class Checked:
    """What is known of a strategy on an app before it is run.

    `run` is the manifest that a run of it would have, `cases` its spaces by scenario, `budget`
    how many cases a run may take, and `expected` how many it will.
    """

    run: Run
    cases: Mapping[str, CaseSpace]
    budget: int | None
    expected: int | None
    warnings: tuple[str, ...] = ()

    def manifest(self, seed: int) -> Run:
        """The manifest of the run with a seed."""
        return self.run.model_copy(update={"seed": seed, "suite": {**self.run.suite, "seed": seed}})


def apps_of(plan: StudyPlan, here: Path) -> tuple[AppChoice, ...]:
    """The apps of a study; where it names none, the suite's own."""
    if plan.apps:
        return plan.apps
    suite = load_suite(here / plan.suite, {**plan.set, **_common(plan, plan.strategies[0])})
    return (AppChoice(name=suite.suite.name[:60]),)


def cells_of(plan: StudyPlan, here: Path, folder: Path) -> list[Cell]:
    """All runs of a study, seed by seed, so that a study that is stopped can be compared."""
    return [
        _cell(plan, app, strategy, seed, here, folder)
        for seed in plan.seeds
        for app in apps_of(plan, here)
        for strategy in plan.strategies
    ]


def _cell(
    plan: StudyPlan, app: AppChoice, strategy: StrategyChoice, seed: int, here: Path, folder: Path
) -> Cell:
    changes = {**plan.set, **app.set, **_common(plan, strategy), "seed": seed}
    if app.app is not None:
        changes["app"] = {"use": app.app.use, **app.app.settings}
    place = folder / "cells" / slug(app.name) / slug(strategy.label) / f"seed-{seed}"
    suite = (here / (app.suite or plan.suite)).resolve()
    return Cell(app.name, strategy.label, seed, suite, changes, place)


def _common(plan: StudyPlan, strategy: StrategyChoice) -> dict[str, Any]:
    changes: dict[str, Any] = {"strategy": strategy.as_used, "reporters": []}
    if plan.budget is not None:
        changes["budget"] = plan.budget.model_dump(exclude_none=True)
    return changes


def check_cells(cells: list[Cell], document: Document) -> dict[tuple[str, str], Checked]:
    """Build the parts of each strategy on each app; raises ConfigurationError with all problems."""
    found: dict[tuple[str, str], Checked] = {}
    problems: dict[Problem, None] = {}
    for cell in cells:
        if (cell.app, cell.strategy) in found:
            continue
        try:
            with located(document, ()):
                found[cell.app, cell.strategy] = asyncio.run(_checked(cell))
        except ConfigurationError as err:
            problems |= dict.fromkeys(err.problems)
            if cell.seed != cells[0].seed:
                break
    if problems:
        raise ConfigurationError(*problems)
    return found


async def _checked(cell: Cell) -> Checked:
    loaded = load_suite(cell.suite, cell.changes)
    suite = loaded.suite
    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm)
    try:
        parts = build(suite, context, loaded.document)
        with located(loaded.document, ("agent",)):
            space = parts.space()
        with located(loaded.document, ("strategy",)):
            parts.strategy.start(space, suite.seed)
        expected = parts.strategy.expected()
        return Checked(
            run=_manifest(cell, loaded, context),
            cases=dict(_spaces(space, context)),
            budget=suite.budget.cases,
            expected=_least(expected, suite.budget.cases),
            warnings=tuple(context.warnings),
        )
    finally:
        await context.close()


def _manifest(cell: Cell, loaded: LoadedSuite, context: SuiteContext) -> Run:
    return manifest("", loaded.suite.name, context, suite=loaded.written, suite_path=cell.suite)


def _spaces(space: Space, context: SuiteContext) -> Iterator[tuple[str, CaseSpace]]:
    for scenario in space.scenarios:
        yield scenario.name, CaseSpace(scenario, context)


def _least(*numbers: int | None) -> int | None:
    return min((number for number in numbers if number is not None), default=None)
