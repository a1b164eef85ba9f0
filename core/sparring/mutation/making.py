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
from sparring.errors import ConfigurationError
from sparring.model.mutation import MutationRun
from sparring.mutation import results
from sparring.mutation.mutants import (
    Files,
    Made,
    all_mutants,
    chosen,
    operators_of,
    read_files,
    unused_marks,
)
from sparring.mutation.plan import MutationPlan, find_plan, load_marked, load_plan
from sparring.mutation.running import MutationSession, Tell
from sparring.mutation.trials import Trials
from sparring.store import StoredRun
from sparring.suite.reading import LoadedSuite, find_suite, load_suite


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan with its suite, the files it changes, and the mutants chosen."""

    plan: MutationPlan
    path: Path
    suite: LoadedSuite
    files: Files
    found: int
    made: tuple[Made, ...]
    warnings: tuple[str, ...]

    @property
    def here(self) -> Path:
        """The folder of the mutation file."""
        return self.path.parent


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
        plan_path=str(prepared.path),
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
    named = {
        prepared.path.name: sha256(prepared.path.read_bytes()).hexdigest(),
        f"suite {prepared.suite.path.name}": sha256(prepared.suite.path.read_bytes()).hexdigest(),
    }
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
    trials = Trials(
        plan=prepared.plan.model_copy(update={"first_kill": run.first_kill}),
        here=prepared.here,
        files=prepared.files,
        suite=prepared.suite.path,
        folder=folder.resolve(),
    )
    return MutationSession(
        trials=trials, made=made, run=run, jobs=jobs or prepared.plan.jobs, tell=tell, keep=keep
    )
