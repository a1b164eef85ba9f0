"""Every hook that the core calls: what many may answer.

A listener is active because it is installed: its module is an entry point of the group
``sparring.hooks`` and marks functions with ``sparring.discovery.hookspecs.hookimpl``.
Notifications run on the event loop's thread and must return at once; a listener that raises is
reported once per event and stops nobody. A hook takes one frozen object, so new fields break
nobody; an implementation may ask for fewer arguments.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pluggy

from sparring.errors import Problem
from sparring.model.calibration import LabelledAnswer
from sparring.model.drafts import Drafts, ProfileSource, RuleDraft, RuleListing
from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    FaultConfirmed,
    ModelCalled,
    ProblemNoted,
    RunConcluded,
    RunFinished,
    RunStarted,
    TurnTaken,
)
from sparring.model.lint import LintFinding
from sparring.model.talk import Trace

hookspec = pluggy.HookspecMarker("sparring")
hookimpl = pluggy.HookimplMarker("sparring")


@hookspec
def sparring_run_started(event: RunStarted) -> None:
    """A run began or was taken up again."""


@hookspec
def sparring_cases_asked(event: CasesAsked) -> None:
    """The strategy proposed cases."""


@hookspec
def sparring_case_started(event: CaseStarted) -> None:
    """A case is about to be played."""


@hookspec
def sparring_turn_taken(event: TurnTaken) -> None:
    """A turn is over."""


@hookspec
def sparring_model_called(event: ModelCalled) -> None:
    """A language model was asked."""


@hookspec
def sparring_verdict_reached(event: CaseJudged) -> None:
    """A case was played and judged; the event has the trace and its verdicts."""


@hookspec
def sparring_run_concluded(event: RunConcluded) -> None:
    """The conditions over several or all conversations were judged."""


@hookspec
def sparring_fault_confirmed(event: FaultConfirmed) -> None:
    """A fault was played again from fresh sessions."""


@hookspec
def sparring_run_finished(event: RunFinished) -> None:
    """The run is over."""


@hookspec
def sparring_problem_noted(event: ProblemNoted) -> None:
    """Something went wrong in a part without stopping the run."""


@hookspec(firstresult=True)
def sparring_read_traces(path: Path) -> Iterable[Trace | Problem] | None:
    """Read conversations stored in another tool's format; None where the path is not in it.

    A reader goes through folders, in a sorted order, and yields a trace per conversation or, for
    a file of its format that cannot be read, a problem: one bad file stops nobody.
    """


@hookspec(firstresult=True)
def sparring_oracles_for_rules(
    paths: list[Path], compat: str | None
) -> list[dict[str, Any]] | None:
    """Which oracles judge by these rule files: the entries of a suite's ``oracles``.

    `compat` names the tool whose accounting is to be reproduced. None where the files are not
    known to the listener. This is how ``sparring check --rules`` finds its oracle.
    """


@hookspec
def sparring_profile_sources() -> Iterable[ProfileSource] | None:
    """What this listener can propose user profiles from, for ``sparring profiles new``.

    It is asked whenever that command runs: import what reads the files in the source's `read`.
    """


@hookspec
def sparring_rule_proposals(profiles: list[Path]) -> Iterable[RuleDraft] | None:
    """Which rules the inputs and outputs of these profiles suggest, for ``sparring rules new``.

    Raises ConfigurationError for profiles that are wrong; None where the listener knows no such
    profiles.
    """


@hookspec
def sparring_rule_libraries() -> Iterable[RuleListing] | None:
    """The general rules that suites may switch on by name, for ``sparring rules libraries``."""


@hookspec(firstresult=True)
def sparring_lint_files(paths: list[Path]) -> Iterable[LintFinding] | None:
    """What is doubtful about files of test cases, for ``sparring lint``.

    Raises ConfigurationError for files that are wrong; None where they are of no kind that the
    listener knows.
    """


@hookspec
def sparring_examine() -> Iterable[tuple[str, str, str]] | None:
    """What this machine has of what the listener's package needs, for ``sparring doctor``.

    Each finding is a state (``ok``, ``note`` or ``bad``), its subject, and what is so, with what to
    do where something is missing. What only some suites need is a note.
    """


@hookspec(firstresult=True)
def sparring_page_parts(page: object) -> dict[str, Any] | None:
    """Which parts drive a page that a script has opened: ``app`` and ``agent``.

    `app` names the connector that attaches to the page, `agent` the driver (role ``driver``), each
    as in a suite. `run` runs a coroutine to its end on the page's own loop, and is left out where
    the page is asynchronous. None where the listener does not know such pages: ``sparring.web``.
    """


@hookspec
def sparring_labelled_answers(trace: Trace) -> Iterable[LabelledAnswer] | None:
    """What agents said in a conversation whose right answers are known, for ``sparring calibrate``.

    None where the listener knows of no such agents in this conversation.
    """


@hookspec
def sparring_converters() -> Iterable[Any] | None:
    """What this listener can write in the current form, for ``sparring convert``.

    It is asked whenever that command runs: import what reads the files in the converter.
    """


@hookspec(firstresult=True)
def sparring_exploration(turns: int, minutes: float | None) -> dict[str, Any] | None:
    """Which parts of a suite explore an unknown app: its ``agent`` and ``strategy``.

    `turns` and `minutes` are what the exploration may take, for ``sparring explore``.
    """


@hookspec(firstresult=True)
def sparring_explored(folder: Path) -> Drafts | None:
    """Which profiles the run of an exploration stored in `folder` suggests.

    Raises ConfigurationError where nothing was explored in it; None where the listener does not
    know that kind of exploration.
    """


@hookspec(firstresult=True)
def sparring_exploration_files(folder: Path) -> Iterable[Path] | None:
    """Write what was learnt of the app in other forms into the run's folder; the files written."""
