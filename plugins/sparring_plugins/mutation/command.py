"""``sparring mutate``."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from platform import python_version
from typing import Any

import click

import sparring
from sparring.cli.output import plain, shown
from sparring.engine.bus import now
from sparring.engine.exit_codes import ERRORS, FAILED, INTERRUPTED, NOTHING, PASSED, USAGE
from sparring.engine.session import new_place
from sparring.errors import ConfigurationError, Problem
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.model import ExecutionUse
from sparring.suite.reading import LoadedSuite, find_suite, load_suite
from sparring_plugins.execution.options import (
    execution_options,
    execution_use,
    require_known,
)
from sparring_plugins.mutation import reports, results
from sparring_plugins.mutation import reports as mutation_table
from sparring_plugins.mutation.derived_mutants import Deriver, run_operators
from sparring_plugins.mutation.model import Fate, MutantResult, MutationRun
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
    WEB_NAMES,
    AnyPlan,
    find_plan,
    find_web_plan,
    load_marked,
    load_plan,
    load_web_plan,
)
from sparring_plugins.mutation.session import Interrupted, MutationSession, OriginalFails, Tell
from sparring_plugins.mutation.trials import Trials
from sparring_plugins.output import arguments
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "measure"

# A mutation session from what the command line names: plan, mutants, storage.


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
    mutation_plan = load_plan(path, changes)
    loaded = load_suite((start or path.parent / mutation_plan.suite).resolve())
    files = read_files(mutation_plan, path.parent)
    marked = load_marked(mutation_plan, path.parent)
    drafts = all_mutants(files, operators_of(mutation_plan.operators), marked)
    picked = chosen(
        drafts,
        seed=mutation_plan.seed,
        limit=mutation_plan.limit,
        per_operator=mutation_plan.per_operator,
    )
    if select:
        picked = [draft for draft in drafts if draft.mutant.id.startswith(select)]
    return Prepared(
        mutation_plan,
        path,
        loaded,
        files,
        len(drafts),
        tuple(picked),
        tuple(unused_marks(drafts, marked)),
    )


def prepare_web(
    suite: str | None, plan: Path | None, changes: Mapping[str, Any], select: tuple[str, ...]
) -> Prepared:
    """Read everything for mutants of a web app; they are found when the original was played.

    Raises ConfigurationError or PluginError.
    """
    start = Path(suite) if suite else find_suite(Path.cwd())
    path = plan or find_web_plan(start)
    web_plan = load_web_plan(path, changes)
    if suite is None and path is not None:
        start = path.parent / web_plan.suite
    loaded = load_suite(start.resolve())
    here = (path or loaded.path).resolve().parent
    if web_plan.app is None and web_plan.beside:
        message = "needs `app`: without it, mutants share an app that is running already"
        raise ConfigurationError(Problem(message, str(path) if path else None, key="beside"))
    deriver = Deriver(
        web_plan, run_operators(web_plan.operators), load_marked(web_plan, here), select
    )
    files = read_files(web_plan, here)
    return Prepared(web_plan, path and path.resolve(), loaded, files, 0, (), deriver=deriver)


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
        mutants=tuple(draft.mutant for draft in prepared.made),
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
    """A stored run to resume; raises ConfigurationError if it is another by now."""
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
            f"{folder} cannot be resumed: {', '.join(other)} changed since. Begin a new run."
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
    execution: ExecutionUse | None = None,
) -> MutationSession:
    """What runs the mutants that a run has not been through yet."""
    mutant_ids = {mutant.id for mutant in run.mutants}
    drafts = tuple(draft for draft in prepared.made if draft.mutant.id in mutant_ids)
    deriver = prepared.deriver
    if deriver is not None:
        drafts = tuple(Made(mutant) for mutant in run.mutants)
    trials = Trials(
        plan=prepared.plan.model_copy(update={"first_kill": run.first_kill}),
        here=prepared.here,
        files=prepared.files,
        suite=prepared.suite.path,
        folder=folder.resolve(),
        recording=deriver.recording if deriver is not None else {},
    )
    shares = deriver is not None and prepared.plan.app is None
    if shares and execution is not None:
        raise ConfigurationError(
            "--executor, --workers: mutants share the app that is running; add `app` to "
            f"{WEB_NAMES[0]}, so that each worker can start its own"
        )
    return MutationSession(
        trials=trials, made=drafts, run=run, jobs=1 if shares else jobs or prepared.plan.jobs,
        tell=tell, keep=keep, deriver=deriver, execution=execution,
        suite_dir=prepared.suite.base_dir,
    )  # fmt: skip


PAGE = "report.html"


@click.command()
@click.argument("suite", required=False)
@click.option(
    "--plan", type=click.Path(path_type=Path), metavar="FILE",
    help="The mutation file (else mutation.yaml beside the suite; web-mutation.yaml for --web).",
)  # fmt: skip
@click.option(
    "--web", is_flag=True,
    help="Faults in the pages and answers of a web app, instead of a chatbot's definition.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Show the mutants; run nothing.")
@click.option("--resume", metavar="RUN", help="Resume a stored run: an id, a folder, 'last'.")
@click.option(
    "-m", "--mutant", "select", multiple=True, metavar="NAME",
    help="Only mutants whose name begins so.",
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 64), help="Mutants side by side.")
@click.option(
    "--first-kill", is_flag=True, default=None,
    help="Stop a mutant at the first conversation that fails: faster, with fewer killers named.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), help="Mutants at most.")
@click.option("--seed", type=click.IntRange(min=0), help="Replace the mutation file's seed.")
@click.option("--keep", is_flag=True, help="Keep the conversations of killed mutants, too.")
@click.option(
    "--min-score", type=click.FloatRange(0, 100), metavar="PERCENT",
    help="Exit with 1 if the score is lower.",
)  # fmt: skip
@execution_options
@arguments.runs_option
@may_be_untrusted
def mutate(
    suite: str | None,
    plan: Path | None,
    web: bool,
    listing: bool,
    resume: str | None,
    select: tuple[str, ...],
    jobs: int | None,
    keep: bool,
    min_score: float | None,
    runs: Path | None,
    executor: str | None,
    workers: int | None,
    **changes: Any,
) -> int:
    """Put faults into an app, and see which of them a suite finds.

    The mutation file says what is changed, how the app is started, and by which operators. The
    suite is first run against the original: only if that passes, a score is given. Then each
    mutant is started in a process of its own. Commands of the mutation file are run as they are.
    With --web the faults are put between the app and the browser: no mutation file is needed, and
    no source of the app; they are derived from what the suite does on the original.
    """
    chosen_changes = {key: value for key, value in changes.items() if value is not None}
    prepared = (prepare_web if web else prepare)(suite, plan, chosen_changes, select)
    if listing and not web:
        return _list(prepared)
    if not prepared.made and not web:
        click.echo("sparring: the operators find nothing to change", err=True)
        return NOTHING
    folder, run = _store_run(prepared, resume, runs)
    conducted = session(
        prepared, folder, run, jobs=jobs, keep=keep, tell=_tell,
        execution=_execution(prepared.suite, executor, workers),
    )  # fmt: skip
    _begin(prepared, run)
    try:
        if web and not run.mutants:
            run = conducted.conduct(only_original=True)
            if not run.mutants:
                click.echo("sparring: the operators find nothing to change", err=True)
                return NOTHING
            click.echo(f"{len(run.mutants)} mutants of {run.found}")
        if listing:
            return _list_derived(folder, run)
        run = conducted.conduct()
    except OriginalFails as err:
        click.echo(f"sparring: {plain(Redactor().message(str(err)))}", err=True)
        click.echo(f"run   {shown(folder)}")
        return USAGE if err.broken else FAILED
    except Interrupted:
        return _interrupted(folder)
    return _finish(folder, run, min_score)


def _execution(
    suite: LoadedSuite, executor: str | None, workers: int | None
) -> ExecutionUse | None:
    """Who plays the mutants, if an option says so; else each plays as the suite says."""
    if executor is None and workers is None:
        return None
    execution = execution_use(executor, workers, suite.suite.execution)
    require_known(execution)
    return execution


def _begin(prepared: Prepared, run: MutationRun) -> None:
    if prepared.deriver is None or run.mutants:
        number_found = run.found if prepared.deriver else prepared.found
        click.echo(f"{len(run.mutants)} mutants of {number_found}; the original first ...")
    else:
        click.echo("the original first, to see what the suite does ...")


def _list_derived(folder: Path, run: MutationRun) -> int:
    for mutant in run.mutants:
        for line in mutation_table.listed(mutant):
            click.echo(line)
    _warn(run.warnings)
    click.echo(f"play them with: sparring mutate --web --resume {shown(folder)}")
    return PASSED if run.mutants else NOTHING


def _list(prepared: Prepared) -> int:
    for draft in prepared.made:
        for line in mutation_table.listed(draft.mutant):
            click.echo(line)
        click.echo("")
    _warn(prepared.warnings)
    click.echo(f"{len(prepared.made)} mutants of {prepared.found}")
    return PASSED if prepared.made else NOTHING


def _store_run(
    prepared: Prepared, resume: str | None, runs: Path | None
) -> tuple[Path, MutationRun]:
    if resume is None:
        return begin(prepared, runs)
    suite = prepared.suite
    folder = results.find(resume, runs or suite.base_dir / suite.suite.runs)
    run = resumed(prepared, folder)
    left = {mutant.id for mutant in run.mutants} - {draft.mutant.id for draft in prepared.made}
    if left and prepared.deriver is None:
        raise ConfigurationError(
            f"{folder} has mutants that are not chosen now, such as {min(left)}; give the same "
            "--seed, --limit and --mutant as before"
        )
    return folder, run


def _tell(result: MutantResult, done: int, of: int) -> None:
    click.echo(Redactor().message(mutation_table.progress(result, done, of)))


def _interrupted(folder: Path) -> int:
    run = results.read(folder)
    _write(folder, run)
    web = "--web " if reports.of_running(run) else ""
    click.echo(
        f"interrupted: {len(run.results)} of {len(run.mutants)} mutants are done; resume with: "
        f"sparring mutate {web}--resume {shown(folder)}",
        err=True,
    )
    return INTERRUPTED


def _finish(folder: Path, run: MutationRun, min_score: float | None) -> int:
    run = run.model_copy(update={"warnings": (*run.warnings, *reports.wrongly_marked(run))})
    written = _write(folder, run)
    for line in mutation_table.report(run):
        click.echo(Redactor().message(line))
    _warn(run.warnings)
    for path in written:
        click.echo(f"wrote {shown(path)}")
    click.echo(f"run   {shown(folder)}")
    code, why = _ending(run, min_score)
    if code != PASSED:
        click.echo(f"sparring: {plain(why)} (exit code {code})", err=True)
    return code


def _ending(run: MutationRun, min_score: float | None) -> tuple[int, str]:
    """The exit code, and why it is not 0."""
    if min_score is not None and (run.score is None or 100 * run.score < min_score):
        return FAILED, f"the score is below {min_score:g} %"
    broken = len(reports.of_fate(run, Fate.ERROR))
    if broken:
        return ERRORS, f"the suite could not judge {broken} of {len(run.results)} mutants"
    if run.score is None:
        return NOTHING, "there is no score: no mutant counts"
    return PASSED, ""


def _write(folder: Path, run: MutationRun) -> list[Path]:
    """Write the reports: data for programs, and a page for people."""
    from sparring_plugins.mutation.reports import page

    clean = Redactor()
    written = [folder / results.REPORT, folder / PAGE]
    results.write_whole(written[0], clean.text(run.model_dump_json(indent=1)) + "\n")
    results.write_whole(written[1], clean.text(page(run, folder)))
    return written


def _warn(warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        click.echo(f"warning: {plain(warning)}", err=True)
