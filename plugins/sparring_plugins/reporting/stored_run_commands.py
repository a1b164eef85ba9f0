"""``sparring show``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from pydantic import ValidationError

from sparring import event_loop
from sparring.cli.output import plain, plain_lines, shown
from sparring.engine.budget import worst
from sparring.engine.exit_codes import NOTHING, PASSED, meaning
from sparring.engine.resume import is_retried
from sparring.errors import ConfigurationError, nearest_hint
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged
from sparring.model.page import PageEventKind, PageView
from sparring.model.run import Spent, Stop, Summary
from sparring.model.talk import Trace, Turn, act_text
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext
from sparring_plugins.gating.case_ids import old_id
from sparring_plugins.language.quantities import fallbacks, plural
from sparring_plugins.language.text import one_line
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.output.stored_reports import report as make
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.reporting.exercised import Exercised, add_run
from sparring_plugins.reporting.findings import brief_reason_of, described, description_of, notes_of
from sparring_plugins.reporting.prompt_lines import calls_of, prompt_lines
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.runner.records import META, StepRecord

HELP_SECTION = "look"

# Of ten thousand cases those are listed that somebody has to look at.
_QUIET = (Outcome.PASS, Outcome.SKIPPED)


@click.command()
@arguments.run_argument
@click.argument("case", required=False, shell_complete=arguments.case_names)
@click.option("--all", "everything", is_flag=True, help="List the passed cases and verdicts too.")
@click.option(
    "--prompts",
    is_flag=True,
    help="Print what language models were asked for CASE and answered, with tokens per part.",
)
@arguments.salvage_option
@arguments.runs_option
def show(run: str, case: str | None, everything: bool, prompts: bool, runs: Path | None) -> int:
    """Show a stored run, or one conversation of it with its verdicts.

    RUN is an id, a folder or 'last'; CASE a case's id or the beginning of one. Of a test case in
    plain language the steps are shown, with --all also the turns that they took.
    """
    stored = find_run(run, runs or Path("runs"))
    if prompts and case is None:
        raise ConfigurationError(
            "--prompts shows those of one case: name it, as in `sparring show last CASE --prompts` "
            "(`sparring show last --all` lists all)"
        )
    if case is None:
        _show_run(stored, everything)
        return 0
    case_id = find_case(stored, case)
    if prompts:
        for line in prompt_lines(list(calls_of(stored, case_id))):
            click.echo(line)
    else:
        _show_case(stored.case(case_id), stored, everything)
    return 0


def find_case(stored: StoredRun, prefix: str) -> str:
    """Return the id of the case that begins so; raises ConfigurationError if not one does."""
    if prefix in stored.cases:
        return prefix
    begun = [case_id for case_id in stored.cases if case_id.startswith(prefix)]
    begun = begun or [case_id for case_id in stored.cases if old_id(case_id) == prefix]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise ConfigurationError(f"{prefix!r} begins several cases: {', '.join(begun[:10])}")
    # Ids end in a digest: a name alone is like its id by less than half.
    hint = nearest_hint(prefix, stored.cases, least=0.3)
    raise ConfigurationError(f"the run {stored.manifest.id} has no case {prefix!r}.{hint}")


def _show_run(stored: StoredRun, everything: bool) -> None:
    manifest = stored.manifest
    click.echo(f"{plain(manifest.name)}  {plain(manifest.id)}")
    click.echo(f"folder {shown(stored.folder)}, seed {manifest.seed}, begun {manifest.created:%c}")
    if stored.left_out:
        click.echo(plain(stored.left_out))
    exercised = Exercised()
    for judged in stored.judged():
        exercised.add_case(judged)
        outcome = worst(judged.verdicts)
        if everything or outcome not in _QUIET:
            bad = next((each for each in judged.verdicts if each.outcome is outcome), None)
            reason = plain(brief_reason_of(bad, 100), 100) if bad is not None else ""
            click.echo(f"{outcome.value:12} {plain(judged.trace.case.id)}  {reason}")
    for verdict in stored.concluded:
        if everything or verdict.outcome not in _QUIET:
            click.echo(_verdict_line(verdict))
    add_run(exercised, stored)
    if exercised.brief:
        click.echo(f"never exercised: {exercised.brief}; list them with: sparring coverage")
    summary = stored.summary
    if summary is None:
        click.echo(
            f"the run was not finished, {stored.unjudged} cases that were asked are not judged; "
            f"resume with: sparring run --resume {plain(str(shown(stored.folder)))}"
        )
        return
    _show_sums(stored, summary)


def _show_sums(stored: StoredRun, summary: Summary) -> None:
    """The counts, what was spent, and how to go on."""
    counts = ", ".join(f"{count} {outcome.value}" for outcome, count in summary.cases.items())
    cases = plural(sum(summary.cases.values()), "case")
    click.echo(f"{cases}: {counts or 'none'}; {summary.stopped.value}")
    if stored.manifest.kind != "calibration":
        click.echo(f"exit code {summary.exit_code}: {plain(meaning(summary))}")
    usage = summary.usage
    if usage.models.calls or usage.models.reused:
        cost = "price unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
        by_model = usage.models
        lenient = f", {by_model.lenient} read leniently" if by_model.lenient else ""
        click.echo(
            f"spent {cost}: {by_model.calls} model calls, {by_model.tokens} tokens, "
            f"{by_model.reused} reused{lenient}"
        )
    if usage.fallbacks:
        click.echo(f"fallbacks: {plain(fallbacks(usage.fallbacks))}")
    go_on = f"sparring run --resume {plain(str(shown(stored.folder)))}"
    if summary.stopped is not Stop.COMPLETE:
        click.echo(f"{plain(summary.reason, 200) or 'stopped'}; go on with: {go_on}")
    run = stored.manifest
    if run.kind == "run" and not run.learns and any(map(is_retried, stored.judged())):
        click.echo(f"play again what the environment or a model broke: {go_on} --retry-errors")


def _show_case(judged: CaseJudged, stored: StoredRun, everything: bool) -> None:
    trace = judged.trace
    click.echo(
        f"{plain(trace.case.id)}  (run {plain(stored.manifest.id)}, ended: {trace.ended.value})"
    )
    for name, value in trace.case.params.items():
        click.echo(f"  {plain(name)} = {plain(str(value))}")
    steps = list(step_lines(trace))
    if steps and not everything:
        # Each step looks, acts and waits: 25 sentences are 134 turns, most of them "wait 0.25".
        click.echo(f"({plural(len(trace.turns), 'turn')} on the page; --all lists them)")
    else:
        for number, turn in enumerate(trace.turns, 1):
            _show_turn(number, turn)
    for line in steps:
        click.echo(line)
    for incident in trace.incidents:
        click.echo(f"! {incident.kind.value}: {plain(incident.message)}")
    _show_fallbacks(trace)
    for output in trace.outputs:
        click.echo(f"= {plain(output.name)}: {plain(str(output.value))}")
    if judged.spent is not None:
        _show_spent(judged.spent)
    _show_verdicts(judged, stored, everything)


def _show_fallbacks(trace: Trace) -> None:
    for fallback in trace.fallbacks:
        shown_turn = "" if fallback.turn is None else f" at turn {fallback.turn + 1}"
        instead = f"{plain(fallback.instead)} answered for the {plain(fallback.role)}{shown_turn}"
        click.echo(f"~ {instead}: {plain(fallback.reason)}")


def _show_spent(spent: Spent) -> None:
    cost = "price unknown" if spent.unpriced else f"${spent.cost_usd:.4f}"
    click.echo(f"$ {spent.calls} model calls, {spent.tokens} tokens, {cost}, {spent.reused} reused")


def _show_verdicts(judged: CaseJudged, stored: StoredRun, everything: bool) -> None:
    """Show the verdicts of a case, and those of the run that are about it."""
    case_id = judged.trace.case.id
    for verdict in judged.verdicts:
        if everything or verdict.outcome not in _QUIET or verdict.measures:
            click.echo(_verdict_line(verdict))
        for note in notes_of(verdict):
            click.echo(plain(f"note {verdict.oracle}/{verdict.check}: {note}"))
    for verdict in stored.concluded:
        if case_id in verdict.case_ids and (everything or verdict.outcome not in _QUIET):
            click.echo(_verdict_line(verdict))


def _show_turn(number: int, turn: Turn) -> None:
    user_text = act_text(turn.act)
    if user_text:
        click.echo(f"{number:>3} > {plain(user_text)}")
    if turn.observation is None:
        click.echo(f"{number:>3} < (no answer, {turn.latency_s:.2f} s)")
        return
    page = page_line(turn.observation.page) if turn.observation.page is not None else "(nothing)"
    for line in plain_lines(turn.observation.text) or [page]:
        click.echo(f"{number:>3} < {line}")
    if turn.observation.choices:
        labels = " ".join(f"[{plain(choice.label)}]" for choice in turn.observation.choices)
        click.echo(f"      {labels}")


def _verdict_line(verdict: Verdict) -> str:
    owner = f" ({verdict.owner.value})" if verdict.owner else ""
    turns = ", ".join(str(ref.turn + 1) for ref in verdict.turns[:10])
    at = f" at turn {turns}" if turns else ""
    count = f" x{verdict.count}" if verdict.count > 1 else ""
    cases = f" [{', '.join(verdict.case_ids[:4])}]" if len(verdict.case_ids) > 1 else ""
    how = "" if verdict.score is None else f" {verdict.score:.2f}"
    outcome = "measured" if verdict.measures else f"{verdict.outcome.value}{owner}"
    line = f"{outcome}{count} {verdict.oracle}/{verdict.check}{how}{at}{cases}"
    reason = described(description_of(verdict), verdict.reason)
    return plain(f"{line}: {reason}" if reason else line)


# ``sparring report``.


@click.command()
@arguments.run_argument
@click.option("--use", "name", metavar="REPORTER", help="The reporter, as in a suite.")
@click.option(
    "-o", "--output", "output", metavar="PATH",
    help="The file or folder to write; without --use its ending names the reporter.",
)  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A reporter's setting.")
@arguments.salvage_option
@arguments.runs_option
def report(
    run: str, name: str | None, output: str | None, settings: tuple[str, ...], runs: Path | None
) -> int:
    """Make a report of a stored run.

    RUN is an id, a folder or 'last'. Every report is made from the run's log. The exit code is 0 if
    the report is made, whatever the verdicts are, and 5 if the run has no judged case.
    """
    stored = find_run(run, runs or Path("runs"))
    if name is None and output is None:
        raise ConfigurationError("say which report: --use REPORTER or -o FILE")
    use = _use(name, output, arguments.overrides(settings))
    context = SuiteContext(Path.cwd(), seed=stored.manifest.seed, run_dir=stored.folder)
    written = make(stored, [context.part(Reporter[Any], use)])
    problems = event_loop.run(context.close())
    return finish(
        exit_code=PASSED if stored.cases else NOTHING,
        reason="the report is empty: the run has no judged case",
        folder=None,
        written=written,
        warnings=context.warnings,
        problems=[*problems, *([stored.left_out] if stored.left_out else [])],
        exit_zero=False,
    )


def _use(name: str | None, output: str | None, settings: dict[str, Any]) -> Use:
    if "use" in settings:
        raise ConfigurationError("--set use: name the reporter with --use")
    if name is None:
        (use,) = arguments.outputs([output or ""])
        return Use(use=use.use, **{**use.settings, **settings})
    if output is not None:
        settings["path"] = str(Path(output).absolute()) if output != "-" else "-"
    return Use(use=name, **settings)


# --- What is printed of a page, and of the steps of a test case in plain language


# As wide as the console's lines.
_WIDTH = 160
# Every page asks for things and changes its address; beside "error" and "download" that says
# nothing.
_QUIET_EVENTS = frozenset({PageEventKind.REQUEST, PageEventKind.URL, PageEventKind.NOT_SETTLED})


def page_line(view: PageView) -> str:
    """Return a page in one line: its title and path, and what happened on it."""
    parts = urlsplit(view.snapshot.url)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    events = [
        f"{event.kind.value.replace('_', ' ')} '{one_line(event.text, 60)}'"
        for event in view.events
        if event.kind not in _QUIET_EVENTS
    ]
    more = f"; and {len(events) - 4} more" if len(events) > 4 else ""
    happened = f"; {'; '.join(events[:4])}{more}" if events else ""
    return plain(f"page '{one_line(view.snapshot.title, 60)}' {one_line(path, 80)}{happened}")


def step_lines(trace: Trace) -> Iterator[str]:
    """Yield what each step of a test case did and saw; nothing for other conversations."""
    if META not in trace.meta:
        return
    try:
        record = record_of(trace)
    except ValidationError:
        return
    for step in record.steps if record is not None else ():
        text = plain(one_line(step.step.text, _WIDTH))
        yield f"{step.step.number:>3} {step.outcome:<12} {text}"
        yield from (f"      {plain(one_line(line, _WIDTH))}" for line in _details(step))


def _details(step: StepRecord) -> Iterator[str]:
    if step.target:
        yield f"{'shown by' if step.asserts else 'on'} {step.target}"
    if step.step.by:
        yield f"translated by {step.step.by} from '{step.step.sentence}'"
    if step.reason:
        yield step.reason
    if step.observed is not None and step.observed.facts:
        yield f"saw {'; '.join(step.observed.facts[:4])}"
    for judged in (step.navigation, step.assertion):
        if judged is not None and judged.weak:
            yield f"weaker match: {judged.weak}"
