"""What was selected of a suite: noted in the run's manifest, said by reports, kept on resuming."""

from collections.abc import Sequence
from dataclasses import replace

from sparring.engine.conduct import RunOptions
from sparring.model.run import Run
from sparring.store import StoredRun
from sparring_plugins.language.quantities import plural

_PATTERNS, _CASES, _FAILED_IN = "patterns", "cases", "failed_in"
_MOST_NAMED = 5


def note_selection(options: RunOptions, failed_in: str = "") -> RunOptions:
    """Return the options with what they select as the manifest has it.

    `failed_in` is the id of the run in which the selected cases did not pass, if that is why.
    """
    noted = {
        _PATTERNS: options.select,
        _CASES: tuple(sorted(options.cases)),
        _FAILED_IN: (failed_in,) if failed_in else (),
    }
    return replace(options, selection={name: what for name, what in noted.items() if what})


def keep_selection(options: RunOptions, stored: StoredRun | None) -> RunOptions:
    """Return the options with the selection of the run that they resume, unless they have one.

    Without it, a resumed ``run --last-failed`` would resume with the cases that had passed.
    """
    if stored is None or options.select:
        return options
    selection = stored.manifest.selection
    return replace(
        options,
        select=selection.get(_PATTERNS, ()),
        cases=frozenset(selection.get(_CASES, ())),
        selection=selection,
    )


def selection_words(run: Run) -> str:
    """Say what was selected: ``2 cases that did not pass in NAME``; empty if nothing was."""
    selection = run.selection
    patterns, cases = selection.get(_PATTERNS, ()), selection.get(_CASES, ())
    words = [_quoted(patterns)] if patterns else []
    if cases:
        failed_in = "".join(selection.get(_FAILED_IN, ())[:1])
        which = f" that did not pass in {failed_in}" if failed_in else ""
        words.append(f"{plural(len(cases), 'case')}{which}")
    return ", ".join(words)


def _quoted(patterns: Sequence[str]) -> str:
    named = " or ".join(f"{pattern!r}" for pattern in patterns[:_MOST_NAMED])
    more = f" or {len(patterns) - _MOST_NAMED} more" if len(patterns) > _MOST_NAMED else ""
    return f"scenarios that match {named}{more}"
