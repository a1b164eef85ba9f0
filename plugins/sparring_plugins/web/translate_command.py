"""``sparring translate``."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import click

from sparring.cli.output import plain, shown
from sparring.documents.reading import read_document
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import FAILED, NOTHING, PASSED
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError, Problem
from sparring.model.run import Stop
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext
from sparring.suite.reading import LoadedSuite, find_suite, load_suite
from sparring_plugins.language.text import one_line
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.trust.options import may_be_untrusted
from sparring_plugins.web.suites.case import TestCase

HELP_SECTION = "write"

_SUITE_KEYS = frozenset({"app", "agent", "oracles", "strategy"})
#: Seconds that a case may take: a person thinks about a sentence for minutes, a slow model, too.
_THINKING_S = 86_400.0
_PLAYER = "step-translator"
_TWICE = 2
#: How a sentence is read, from the surest to the least sure.
_HOW = ("translated", "exact", "weak", "unread")


@click.command()
@click.argument("path", required=False, metavar="[SUITE|FILE]")
@click.option(
    "--by", type=click.Choice(["model", "person", "rules"]),
    help="Who translates: the suite's model (if it has one), you at the terminal, or the rules.",
)  # fmt: skip
@click.option(
    "--changed", is_flag=True,
    help="Also play what is translated, and translate again what cannot be carried out any more.",
)  # fmt: skip
@click.option("--again", is_flag=True, help="Translate all sentences again that were translated.")
@click.option(
    "--check", "checking", is_flag=True,
    help="Play nothing: exit with 1 if a sentence is untranslated or its translation is stale.",
)  # fmt: skip
@click.option("-k", "select", multiple=True, metavar="PATTERN", help="Only cases whose name fits.")
@arguments.set_option
@arguments.runs_option
@may_be_untrusted
def translate(
    path: str | None,
    by: str | None,
    changed: bool,
    again: bool,
    checking: bool,
    select: tuple[str, ...],
    settings: tuple[str, ...],
    runs: Path | None,
) -> int:
    """Write beside each sentence of test cases the canonical steps that it means.

    Plays the cases once against their app. Sentences that the grammar reads exactly stay as they
    are; of the others a model, you or the weak readings say what they mean. Look the changes of
    the files over; from then on the cases are played without a model. Takes a suite, or a file of
    test cases of the suite beside it. Exits with 1 if a sentence has no translation at the end.
    """
    changes = arguments.overrides(settings)
    loaded = _load(path, changes)
    if checking:
        return _check(loaded)
    who = by or ("model" if loaded.suite.llm is not None else None)
    if who is None and not sys.stdin.isatty():
        raise ConfigurationError(
            "the suite names no model to translate with: add for example `llm: {use: openai, "
            "model: gpt-4o-mini}`, or choose --by person or --by rules"
        )
    who = who or "person"
    if who == "model" and loaded.suite.llm is None:
        raise ConfigurationError("--by model: the suite names no model; add `llm`")
    scope = "all" if again else "changed" if changed else "new"
    return _translate(_Translation(path, changes, who, scope, select, runs, loaded))


class _Translation:
    """What the command line asks for."""

    def __init__(
        self,
        path: str | None,
        changes: dict[str, Any],
        by: str,
        scope: str,
        select: tuple[str, ...],
        runs: Path | None,
        loaded: LoadedSuite,
    ) -> None:
        self.path, self.changes, self.by, self.scope = path, changes, by, scope
        self.select, self.runs, self.loaded = select, runs, loaded

    def load(self, again: Sequence[str]) -> LoadedSuite:
        """Return the suite with the player that translates in the place of its own."""
        changes = {
            **self.changes,
            "agent.use": _PLAYER,
            "agent.by": self.by,
            "agent.called": self._name_command(),
            "agent.scope": "new" if again else self.scope,
            "agent.again": list(again),
            "agent.frozen": "use",
            "case_timeout": max(self.loaded.suite.case_timeout, _THINKING_S),
            "strategy": "exhaustive",
            "reporters": [],
        }
        if self.by == "person":
            changes["concurrency"] = 1
        return _load(self.path, changes)

    def _name_command(self) -> str:
        llm = self.loaded.suite.llm
        if self.by != "model" or llm is None:
            return {"person": "a person"}.get(self.by, self.by)
        return str(llm.settings.get("model") or llm.use)


def _translate(asked: _Translation) -> int:
    """Play the cases; a second time those with a translation that could not be carried out."""
    from sparring_plugins.web.translation.player import chosen_cases

    again: tuple[str, ...] = ()
    problems: list[str] = []
    untranslated: dict[str, bool] = {}
    for _ in range(_TWICE):
        loaded = asked.load(again)
        if not dict(chosen_cases(_test_cases(loaded), "new" if again else asked.scope, again)):
            click.echo("nothing needs translation")
            break
        result = conduct(loaded, RunOptions(select=asked.select, runs=asked.runs))
        traces = list(_meta_of(result))
        for sentence in (s for trace in traces for s in trace["sentences"]):
            untranslated[sentence["place"]] = not sentence["means"]
        problems += [*result.problems, *result.warnings]
        if result.summary.stopped is not Stop.COMPLETE or not traces:
            reason = result.summary.reason or "no test case was played to its end"
            return finish(
                exit_code=result.exit_code or NOTHING, reason=reason, folder=result.folder,
                written=[], warnings=problems, problems=[], exit_zero=False,
            )  # fmt: skip
        again = tuple(place for trace in traces for place in trace["lost"])
        if not again:
            break
        click.echo(f"translating again what could not be carried out: {len(again)}")
    return _end(sum(untranslated.values()), problems)


def _end(untranslated: int, problems: Sequence[str]) -> int:
    for problem in dict.fromkeys(problems):
        click.echo(f"warning: {plain(problem)}", err=True)
    if not untranslated:
        return PASSED
    sentences = "1 sentence has" if untranslated == 1 else f"{untranslated} sentences have"
    click.echo(f"sparring: {sentences} no translation (exit code 1)", err=True)
    return FAILED


def _test_cases(loaded: LoadedSuite) -> dict[str, TestCase]:
    """Return the test cases of a suite of the step runner, by name."""
    from sparring_plugins.web.suites.loading import load_test_cases

    tests = loaded.suite.agent.settings.get("tests")
    if tests is None:
        message = "names no test cases in plain language: `sparring translate` needs `agent.tests`"
        raise ConfigurationError(Problem(message, shown(loaded.path)))
    context = SuiteContext(loaded.base_dir)
    paths = [p for p in context.files(tests) if not p.name.endswith(".frozen.json")]
    tags = loaded.suite.agent.settings.get("tags") or ()
    return {case.name: case for case in load_test_cases(paths, tags=tags) if not case.skip}


def _check(loaded: LoadedSuite) -> int:
    """Print how each sentence is read that no plain rule reads exactly."""
    from sparring_plugins.web.suites.translations import how_read
    from sparring_plugins.web.translation.player import needs_translation

    counts = Counter[str]()
    open_ = 0
    seen: set[tuple[object, ...]] = set()
    for case in _test_cases(loaded).values():
        for place in case.places:
            if (case.file, place.at) in seen:
                continue
            seen.add((case.file, place.at))
            how = "translated" if place.is_translated else worst(map(how_read, place.own))
            counts[how] += 1
            if not needs_translation(place):
                continue
            open_ += 1
            line = place.own[0].line or case.line
            state = "its translation is stale" if place.is_stale else f"untranslated, read: {how}"
            click.echo(f"{shown(Path(str(case.file)))}:{line}: {state}")
            click.echo(f"    {plain(one_line(place.text, 200))}")
    click.echo(", ".join(f"{counts[how]} {how}" for how in _HOW if counts[how]) or "no sentences")
    return FAILED if open_ else PASSED


def worst(hows: Iterable[str]) -> str:
    """Return the least sure of several ways in which steps are read."""
    return max(hows, key=_HOW.index)


def _meta_of(result: RunResult) -> Iterator[dict[str, Any]]:
    from sparring_plugins.web.translation.player import TRANSLATED

    if result.folder is None:
        return
    for judged in StoredRun(result.folder).judged():
        data = judged.trace.meta.get(TRANSLATED)
        if isinstance(data, dict):
            yield cast("dict[str, Any]", data)


def _load(path: str | None, changes: dict[str, Any]) -> LoadedSuite:
    """Load a suite, or the suite beside a file of test cases with that file alone."""
    if path is not None and Path(path).is_file() and not _is_suite(Path(path)):
        file = Path(path).resolve()
        return load_suite(find_suite(file.parent), {**changes, "agent.tests": str(file)})
    return load_suite(arguments.suite_path(path), changes)


def _is_suite(path: Path) -> bool:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    data: Any = read_document(path).data
    return isinstance(data, dict) and bool(_SUITE_KEYS & set(cast("dict[str, Any]", data)))
