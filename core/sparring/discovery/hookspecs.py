"""The hooks that the core calls: the events of a run.

A listener is active because it is installed: its module is an entry point of the group
``sparring.hooks`` and marks functions with ``sparring.discovery.hookspecs.hookimpl``.
Notifications run on the event loop's thread and must return at once; a listener that raises is
reported once per event and stops nobody. A hook takes one frozen object, so new fields break
nobody; an implementation may ask for fewer arguments.

A plugin may call hooks of its own: it marks a function with `hookspec`, declares it as an entry
point of the group ``sparring.hookspecs`` under the hook's name, and loads its listeners with
``hooks.load(specs=[...])``.
"""

import pluggy

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
