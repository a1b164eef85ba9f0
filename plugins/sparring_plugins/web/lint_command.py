"""``sparring lint``."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.documents.checking import located
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Player
from sparring_plugins.output import arguments
from sparring_plugins.output.lint_findings import ChecksCases, LintFinding
from sparring_plugins.trust.options import may_be_untrusted
from sparring_plugins.web.suites.kinds import is_suite

HELP_SECTION = "write"


@hookspec(firstresult=True)
def sparring_lint_files(paths: list[Path]) -> Iterable[LintFinding] | None:
    """What is doubtful about files of test cases, for ``sparring lint``.

    Raises ConfigurationError for files that are wrong; None where they are of no kind that the
    listener knows.
    """


@click.command()
@click.argument("paths", nargs=-1, metavar="[SUITE|FILE]...")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--notes/--no-notes", default=True, help="Also what is merely worth knowing.")
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@arguments.set_option
@arguments.no_plugin_option
@may_be_untrusted
def lint(
    paths: tuple[str, ...],
    form: str,
    notes: bool,
    strict: bool,
    settings: tuple[str, ...],
    disabled: tuple[str, ...],
) -> int:
    """Say which steps of test cases are doubtful, and how goals are said; nothing is run.

    Takes a suite, or files of test cases; without either, the nearest suite.yaml from here
    upwards. Of steps it shows the ways to read them; of a suite with simulated users, the
    sentences that their goals become (notes). Exits with 0 where nothing is wrong, with 1 where a
    step is not understood or no good sentence says a goal (errors) and, with --strict, where there
    is any warning: an unclosed quote, a target without quotes, two ways to read a step, a bare
    number, a test case that asserts nothing.
    """
    findings = [
        finding
        for finding in _findings(paths, settings, disabled)
        if notes or finding.severity != "note"
    ]
    counts = Counter[str](finding.severity for finding in findings)
    if form == "json":
        _print_json(findings, counts)
    else:
        _print_text(findings, counts)
    return 1 if counts["error"] or (strict and counts["warning"]) else 0


def _findings(
    paths: Sequence[str], settings: tuple[str, ...], disabled: tuple[str, ...]
) -> list[LintFinding]:
    suites = [path for path in paths if is_suite(Path(path))]
    files = [Path(path) for path in paths if path not in suites]
    findings: list[LintFinding] = []
    nearest: list[str | None] = [] if files else [None]
    for path in suites or nearest:
        findings += _lint_suite(path, settings)
    if files:
        findings += _lint_files(files, disabled)
    return findings


def _lint_suite(path: str | None, settings: tuple[str, ...]) -> Sequence[LintFinding]:
    from sparring.suite.building import SuiteContext, build_judges, oracle_errors
    from sparring.suite.reading import load_suite

    loaded = load_suite(arguments.suite_path(path), arguments.overrides(settings))
    suite, document = loaded.suite, loaded.document
    # Nothing is asked of a model: one whose key is missing here is no error.
    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm, recorded=True)
    with located(document, ("agent",)):
        player = context.part(Player[Any], suite.agent, role="player")
        findings = player.lint() if isinstance(player, ChecksCases) else ()
        space = player.space()
    wrong = oracle_errors(build_judges(suite.oracles, context, document), space, document)
    if wrong:
        raise ConfigurationError(*wrong)
    return findings


def _lint_files(files: list[Path], disabled: tuple[str, ...]) -> list[LintFinding]:
    listeners = hooks.load(frozenset(disabled), [sparring_lint_files])
    findings = listeners.first("sparring_lint_files", paths=files)
    if findings is None:
        paths = ", ".join(str(path) for path in files)
        raise ConfigurationError(f"nothing installed reads test cases from {paths}")
    return list(findings)


def _print_json(findings: list[LintFinding], counts: Counter[str]) -> None:
    report = {
        "findings": [finding.model_dump(mode="json") for finding in findings],
        "errors": counts["error"],
        "warnings": counts["warning"],
        "notes": counts["note"],
    }
    click.echo(json.dumps(report, indent=2, ensure_ascii=True))


def _print_text(findings: list[LintFinding], counts: Counter[str]) -> None:
    for finding in findings:
        click.echo(
            f"{_place(finding)}: {finding.severity}: {plain(finding.message)} [{finding.kind}]"
        )
        if finding.text:
            click.echo(f"    {plain(finding.text, 200)}")
        for number, reading in enumerate(finding.readings, 1):
            click.echo(f"      {number}. {plain(reading, 200)}")
    parts = [
        _count_noun(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind]
    ]
    click.echo(", ".join(parts) if parts else "nothing is doubtful")


def _place(finding: LintFinding) -> str:
    parts = [shown(Path(finding.file)) if finding.file else ""]
    if finding.file and finding.line is not None:
        parts[0] += f":{finding.line}"
    parts.append(plain(finding.case, 100))
    if finding.step is not None:
        parts[-1] += f", step {finding.step}" if parts[-1] else f"step {finding.step}"
    return ": ".join(part for part in parts if part)


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
