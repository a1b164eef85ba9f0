"""The study file and its runs: one per app, strategy and seed, checked before any is played."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sparring.documents.checking import checked, located, nearest
from sparring.documents.reading import Document, read_document
from sparring.engine.session import manifest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.abilities import expected_cases
from sparring.interfaces.plugin import Use, UseOf
from sparring.model.run import Run
from sparring.model.space import Space
from sparring.suite import environment
from sparring.suite.building import SuiteContext, build
from sparring.suite.model import Budget, ExecutionUse, StrategyUse
from sparring.suite.reading import LoadedSuite, check_uses, load_suite
from sparring_plugins.search.diversity import By
from sparring_plugins.search.space import CaseSpace

NAMES = ("study.yaml", "study.yml")

# "1-6" and "7"; nine digits, so that no seed leaves the range of all strategies.
_RANGE = re.compile(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*")
# "1-1000000" is a slip of the keyboard, and a cell for each would be made first.
_MOST_SEEDS = 1_000
_OF_SUITES = ("strategies", "apps", "set")


def refuse_address(results: str) -> str:
    """Return where studies are stored; raises ValueError if it is an address rather than a folder.

    Runs side by side, tables and figures are written into a study's folder again and again.
    """
    if "://" in results:
        raise ValueError(
            "a study is stored in a folder of this machine, not at an address; copy it when it is "
            "done, or name a network folder that is mounted"
        )
    return results


class StrategyChoice(StrategyUse):
    """A strategy as in a suite, with a name of its own for tables and figures."""

    name: str | None = Field(default=None, min_length=1, max_length=60)

    @property
    def label(self) -> str:
        """What tables and figures call it."""
        return self.name or self.use

    @property
    def as_used(self) -> dict[str, Any]:
        """It as a suite writes it."""
        settings = self.model_dump(exclude_unset=True, exclude={"name"}, mode="json")
        return {**settings, "use": self.use}


class AppChoice(BaseModel):
    """An app: the base suite's own, another one for the same suite, or another suite's.

    `set` replaces keys of the suite, such as ``agent.spaces``, for this app.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=60, description="for tables and figures")
    suite: str | None = Field(default=None, description="else the study's")
    app: Annotated[Use, UseOf("sparring.connectors")] | None = Field(
        default=None, description="the connector; else the suite's"
    )
    set: dict[str, Any] = Field(default={}, description="keys of the suite to replace")


class StudyPlan(BaseModel):
    """A study file. Each strategy is run on each app with each seed; paths start from its folder.

    Everything that a suite can set is set in the suite that it names; a study replaces its
    strategy, its seed, its budget, and what `set` and the apps replace.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    description: str = ""
    suite: str = Field(default="suite.yaml", description="the base suite")
    strategies: tuple[Annotated[StrategyChoice, UseOf("sparring.strategies")], ...] = Field(
        min_length=1, description="as in a suite, each with a `name` if need be"
    )
    apps: tuple[AppChoice, ...] = Field(default=(), description="if left out, the one of the suite")
    seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        min_length=1, max_length=_MOST_SEEDS, description="a list, or a range such as 1-6"
    )
    budget: Budget | None = Field(default=None, description="of each run; else the suite's")
    set: dict[str, Any] = Field(default={}, description="keys of the suite to replace, for all")
    baselines: tuple[str, ...] = Field(
        default=(), description="strategies that all others are compared with; else the first one"
    )
    jobs: int = Field(default=1, ge=1, le=256, description="runs side by side")
    execution: Annotated[ExecutionUse, UseOf("sparring.executors")] | None = Field(
        default=None, description="workers that play the runs, as in a suite"
    )
    results: str = Field(default="studies", description="the folder that studies are stored in")
    threshold: float = Field(
        default=0.8, gt=0, le=1, description="failures whose utterances are so alike are one"
    )
    likeness: By = Field(
        default="auto",
        description="what that is measured by: minilm (meaning), words, or auto",
    )
    clusters: int = Field(default=20, ge=2, le=200, description="clusters of failures, at most")
    repetitions: int = Field(default=10, ge=1, le=100, description="how often is clustered")
    strength: int = Field(
        default=2, ge=1, le=4, description="values in an interaction of features that is counted"
    )
    archive: tuple[str, ...] = Field(
        default=(), description="features whose combinations are the cells of an archive"
    )
    confidence: float = Field(default=0.95, gt=0.5, lt=1, description="of all intervals")

    @field_validator("strategies", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, (str, dict)) else value

    @field_validator("results")
    @classmethod
    def _is_a_folder(cls, value: str) -> str:
        return refuse_address(value)

    @field_validator("seeds", mode="before")
    @classmethod
    def _ranges(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return (value,)
        if not isinstance(value, str):
            return value
        match = _RANGE.fullmatch(value)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= last - first < _MOST_SEEDS:
            raise ValueError(f"expected a list of seeds, or a range such as '1-6', found {value!r}")
        return tuple(range(first, last + 1))

    @field_validator("seeds")
    @classmethod
    def _once(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        twice = sorted({seed for seed in value if value.count(seed) > 1})
        if twice:
            raise ValueError(f"the seed {twice[0]} is there twice")
        return value

    @model_validator(mode="after")
    def _names_differ(self) -> "StudyPlan":
        labels = [strategy.label for strategy in self.strategies]
        _require_different(labels, "strategies")
        _require_different([app.name for app in self.apps], "apps")
        unknown = next((name for name in self.baselines if name not in labels), None)
        if unknown is not None:
            raise ValueError(f"no strategy is called {unknown!r}.{nearest(unknown, labels)}")
        return self

    @property
    def compared_with(self) -> tuple[str, ...]:
        """The strategies that all others are compared with."""
        return self.baselines or (self.strategies[0].label,)


def slug(name: str) -> str:
    """A name as a folder's."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:60] or "unnamed"


def _require_different(names: Sequence[str], what: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(slug(name).casefold(), name)
        if names.count(name) > 1:
            raise ValueError(f"two {what} are called {name!r}; give one of them another 'name'")
        if other != name:
            raise ValueError(f"the {what} {other!r} and {name!r} would share a folder")


def find_plan(named_path: str | None) -> Path:
    """The study file that is named, or the one here; raises ConfigurationError."""
    path = Path(named_path) if named_path else Path()
    if not path.is_dir():
        return path
    for name in NAMES:
        if (path / name).is_file():
            return path / name
    where = str(path.resolve()) if named_path is None else named_path
    raise ConfigurationError(Problem(f"holds no {NAMES[0]}", where))


def load_plan(path: Path, changes: Mapping[str, Any]) -> tuple[StudyPlan, Document]:
    """Read a study file, with some keys replaced; raises ConfigurationError with all problems.

    What goes into suites has its references to the environment as they are written: each run
    expands them.
    """
    document = read_document(path)
    data: dict[str, Any] = {}
    raw: Any = document.data
    if isinstance(raw, dict):
        data = cast("dict[str, Any]", raw)
        data.update(changes)
    expansion = environment.expand(document)
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    checked(StudyPlan, document, data=expansion.data)
    problems = check_uses(StudyPlan, document, _unnamed(expansion.data))
    for number, app in enumerate(expansion.data.get("apps") or ()):
        problems += check_uses(AppChoice, document, app, ("apps", number))
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))
    written = {key: data[key] for key in _OF_SUITES if key in data}
    return checked(StudyPlan, document, data={**expansion.data, **written}), document


def _unnamed(data: dict[str, Any]) -> dict[str, Any]:
    """A study's data in which strategies are as a suite has them."""
    strategies: Any = data["strategies"]
    listed: list[Any] = [strategies] if isinstance(strategies, (str, dict)) else strategies
    return {**data, "strategies": [_bare(strategy) for strategy in listed]}


def _bare(strategy: Any) -> Any:
    if not isinstance(strategy, dict):
        return strategy
    settings = cast("dict[str, Any]", strategy)
    return {key: value for key, value in settings.items() if key != "name"}


# The runs of a study: one per app, strategy and seed, each checked before any is played.


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
    """The apps of a study; if it names none, the suite's own."""
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
    checked: dict[tuple[str, str], Checked] = {}
    problems: dict[Problem, None] = {}
    for cell in cells:
        if (cell.app, cell.strategy) in checked:
            continue
        try:
            with located(document, ()):
                checked[cell.app, cell.strategy] = asyncio.run(_check_cell(cell))
        except ConfigurationError as err:
            problems |= dict.fromkeys(err.problems)
            if cell.seed != cells[0].seed:
                break
    if problems:
        raise ConfigurationError(*problems)
    return checked


async def _check_cell(cell: Cell) -> Checked:
    loaded = load_suite(cell.suite, cell.changes)
    suite = loaded.suite
    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm)
    try:
        parts = build(suite, context, loaded.document)
        with located(loaded.document, ("agent",)):
            space = parts.space()
        with located(loaded.document, ("strategy",)):
            parts.strategy.start(space, suite.seed)
        expected = expected_cases(parts.strategy)
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
