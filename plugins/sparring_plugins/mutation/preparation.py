"""A mutation session from what the command line names: plan, mutants, storage."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from platform import python_version
from typing import Any

import sparring
from sparring.engine.bus import now
from sparring.engine.session import new_place
from sparring.errors import ConfigurationError, Problem
from sparring.store import StoredRun
from sparring.suite.reading import LoadedSuite, find_suite, load_suite
from sparring_plugins.mutation import results
from sparring_plugins.mutation.derived_mutants import Deriver, run_operators
from sparring_plugins.mutation.model import MutationRun
from sparring_plugins.mutation.mutants import (
    Files,
    Made,
    all_mutants,
    chosen,
    operators_of,
    read_files,
    unused_marks,
)
from sparring_plugins.mutation.plan import (
    AnyPlan,
    find_plan,
    find_web_plan,
    load_marked,
    load_plan,
    load_web_plan,
)
from sparring_plugins.mutation.session import MutationSession, Tell
from sparring_plugins.mutation.trials import Trials


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan with its suite, the files it changes, and the mutants chosen."""

    plan: AnyPlan
    path: Path | None
    suite: LoadedSuite
    files: Files
    found: int
    made: tuple[Made, ...]
    warnings: tuple[str, ...] = ()
    deriver: Deriver | None = None

    @property
    def here(self) -> Path:
        """The folder of the mutation file; without one, that of the suite."""
        return (self.path or self.suite.path).parent


def prepare(
    suite: str | None, plan: Path | None, changes: Mapping[str, Any], select: tuple[str, ...]
) -> Prepared:
    """Read everything, and choose the mutants; raises ConfigurationError or PluginError.

    `select` are beginnings of mutants' names; without any, all are meant.
    """
    start = Path(suite) if suite else None
    path = (plan or find_plan(start or _nearest())).resolve()
    found = load_plan(path, changes)
    loaded = load_suite((start or path.parent / found.suite).resolve())
    files = read_files(found, path.parent)
    marked = load_marked(found, path.parent)
    made = all_mutants(files, operators_of(found.operators), marked)
    picked = chosen(made, seed=found.seed, limit=found.limit, per_operator=found.per_operator)
    if select:
        picked = [one for one in made if one.mutant.id.startswith(select)]
    return Prepared(
        found, path, loaded, files, len(made), tuple(picked), tuple(unused_marks(made, marked))
    )


def prepare_web(
    suite: str | None, plan: Path | None, changes: Mapping[str, Any], select: tuple[str, ...]
) -> Prepared:
    """Read everything for mutants of a web app; they are found when the original was played.

    Raises ConfigurationError or PluginError.
    """
    start = Path(suite) if suite else find_suite(Path.cwd())
    path = plan or find_web_plan(start)
    found = load_web_plan(path, changes)
    if suite is None and path is not None:
        start = path.parent / found.suite
    loaded = load_suite(start.resolve())
    here = (path or loaded.path).resolve().parent
    if found.app is None and found.beside:
        message = "needs `app`: without it, mutants share an app that is running already"
        raise ConfigurationError(Problem(message, str(path) if path else None, key="beside"))
    deriver = Deriver(found, run_operators(found.operators), load_marked(found, here), select)
    files = read_files(found, here)
    return Prepared(found, path and path.resolve(), loaded, files, 0, (), deriver=deriver)


def _nearest() -> Path:
    """The folder to look for a mutation file in: this one, else that of the nearest suite."""
    try:
        return find_plan(Path.cwd()).parent
    except ConfigurationError:
        return find_suite(Path.cwd())


def begin(prepared: Prepared, runs: Path | None) -> tuple[Path, MutationRun]:
    """Make the folder of a new run; raises StoredRunError."""
    suite = prepared.suite
    place = runs or suite.base_dir / suite.suite.runs
    name, folder = new_place(place, f"{suite.suite.name}-mutation")
    run = MutationRun(
        id=name,
        name=suite.suite.name,
        created=now(),
        seed=prepared.plan.seed,
        suite_path=str(suite.path),
        plan_path=str(prepared.path or ""),
        inputs=_inputs(prepared),
        versions={"sparring": sparring.__version__, "python": python_version()},
        found=prepared.found,
        mutants=tuple(one.mutant for one in prepared.made),
        first_kill=prepared.plan.first_kill,
        warnings=prepared.warnings,
    )
    results.create(folder, run)
    return folder, run


def _inputs(prepared: Prepared) -> dict[str, str]:
    """The SHA-256 of the definition, the mutation file and the suite."""
    suite = prepared.suite.path
    named = {f"suite {suite.name}": sha256(suite.read_bytes()).hexdigest()}
    if prepared.path is not None:
        named = {prepared.path.name: sha256(prepared.path.read_bytes()).hexdigest(), **named}
    return {**named, **prepared.files.digests}


def resumed(prepared: Prepared, folder: Path) -> MutationRun:
    """A stored run to go on with; raises ConfigurationError where it is another by now."""
    run = results.read(folder)
    now_ = _inputs(prepared)
    other = sorted(
        name for name in {**run.inputs, **now_} if run.inputs.get(name) != now_.get(name)
    )
    original = sorted((folder / "runs" / results.ORIGINAL).glob("*"))
    if not other and run.original is not None and original:
        changed = results.changed_since(StoredRun(original[0]), prepared.suite.base_dir)
        other = [changed] if changed else []
    if other:
        raise ConfigurationError(
            f"{folder} cannot be gone on with: {', '.join(other)} changed since. Begin a new run."
        )
    return run


def session(
    prepared: Prepared,
    folder: Path,
    run: MutationRun,
    *,
    jobs: int | None,
    keep: bool,
    tell: Tell,
) -> MutationSession:
    """What runs the mutants that a run has not been through yet."""
    wanted = {mutant.id for mutant in run.mutants}
    made = tuple(one for one in prepared.made if one.mutant.id in wanted)
    deriver = prepared.deriver
    if deriver is not None:
        made = tuple(Made(mutant) for mutant in run.mutants)
    trials = Trials(
        plan=prepared.plan.model_copy(update={"first_kill": run.first_kill}),
        here=prepared.here,
        files=prepared.files,
        suite=prepared.suite.path,
        folder=folder.resolve(),
        recording=deriver.recording if deriver is not None else {},
    )
    shares = deriver is not None and prepared.plan.app is None
    return MutationSession(
        trials=trials, made=made, run=run, jobs=1 if shares else jobs or prepared.plan.jobs,
        tell=tell, keep=keep, deriver=deriver,
    )  # fmt: skip
