"""Why a suite passes a fault in its app: what its assertions behind the fault look at.

The original's conversation and the faulty one are compared at the assertions that were judged after
the fault took effect.
"""

from collections.abc import Sequence

from sparring.model.page import PageEventKind, PageSnapshot
from sparring.model.talk import Trace
from sparring_plugins.mutation.model import Survival, SurvivalKind
from sparring_plugins.web.played_pages import record_of, views
from sparring_plugins.web.rehearsals import without_rehearsals
from sparring_plugins.web.runner.records import GuiRecord, StepRecord

_MOST_NAMED = 3


def explain(original: Trace, mutant: Trace) -> Survival | None:
    """Return why the assertions of a case do not notice a fault.

    Returns `None` if the fault never took effect in the case or the case has no record.
    """
    fault, before, after = _fault_turn(mutant), record_of(original), record_of(mutant)
    if fault is None or before is None or after is None:
        return None
    act = _last_act(after.steps, fault)
    behind = [step for step in after.steps[act:] if step.asserts and step.outcome != "not_reached"]
    if not behind:
        place = f"step {after.steps[act].step.number}" if after.steps else "the page"
        reason = f"no assertion comes after {place}, in which the fault took effect"
        return Survival(kind=SurvivalKind.NOT_COVERED, reason=reason)
    if _states_at(original, before, behind) == _states_at(mutant, after, behind):
        reason = "the assertions after it saw the same texts and states as without the fault"
        return Survival(kind=SurvivalKind.NO_EFFECT, reason=reason)
    numbers = {step.step.number for step in before.steps if step.vacuous is not None}
    telling = [step for step in behind if step.step.number not in numbers]
    if not telling:
        words = f"true before the last act, too: {_named(behind)}"
        return Survival(kind=SurvivalKind.VACUOUS, reason=words)
    reason = f"the assertions after it look at something else: {_named(telling)}"
    return Survival(kind=SurvivalKind.NOT_COVERED, reason=reason)


def _fault_turn(trace: Trace) -> int | None:
    """Return the turn in which the fault first took effect."""
    for number, turn in without_rehearsals(trace.turns):
        page = turn.observation.page if turn.observation is not None else None
        if page is not None and any(event.kind is PageEventKind.FAULT for event in page.events):
            return number
    return None


def _last_act(steps: Sequence[StepRecord], turn: int) -> int:
    """Return the index of the step under way in a turn: the last one that began to act by then."""
    acting = [index for index, step in enumerate(steps) if step.turns and step.turns[0] <= turn]
    return acting[-1] if acting else 0


State = frozenset[tuple[object, ...]]


def _states_at(trace: Trace, record: GuiRecord, steps: Sequence[StepRecord]) -> list[State]:
    """Return what the pages showed on which some steps were judged, and the last page of all."""
    snapshots = [view.snapshot for view in views(trace)]
    by_digest = {snapshot.digest: snapshot for snapshot in snapshots}
    numbers = {step.step.number for step in steps}
    digests = [step.digest for step in record.steps if step.step.number in numbers]
    seen = [by_digest[digest] for digest in digests if digest in by_digest]
    return [_state(snapshot) for snapshot in (*seen, *snapshots[-1:])]


def _state(snapshot: PageSnapshot) -> State:
    # Addresses, ids and places differ between runs: an app has another port in each.
    return frozenset(
        (e.role, e.name, e.text, e.value, e.checked, e.selected, e.expanded, e.disabled)
        for e in snapshot.elements
        if e.visible
    )


def _named(steps: Sequence[StepRecord]) -> str:
    names = [f"'{step.step.text}'" for step in steps[:_MOST_NAMED]]
    more = f" and {len(steps) - _MOST_NAMED} more" if len(steps) > _MOST_NAMED else ""
    return ", ".join(names) + more
