"""Deeds that take several acts on several views, carried out one after the other.

What a deed changes on its way is told from the views: a menu of a row that opens, the page of a
thing, a dialog. All of it is a weak reading, so that nothing behind it is blamed on the app.
"""

from collections.abc import Sequence

from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.deed_parts import Deed, read_deed
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.pages.weak.acts.deeds import DeedPlanner, DeedState
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.runner.model_steps import rest_of_sentence, with_navigation
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import Hands, goes_on_with_form, may_be_weak
from sparring_plugins.web.runner.whole_steps import act_by_whole_sentence, is_settled
from sparring_plugins.web.step import Step

_MOST_ROUNDS = 5


async def act_on_record(base: StepRecord, hands: Hands) -> tuple[StepRecord, Sequence[Step]] | None:
    """Carry out a deed on a row or card that the sentence names, before looking elsewhere.

    "Confirm the booking of Rosa" is in the menu of her row, and not the filter *Confirmed*. Returns
    None if the row has nothing of that name; a menu that was opened in vain is closed.
    """
    deed, group = _read(base.step, hands)
    if deed is None or not may_be_weak(base.step):
        return None
    entry = DeedPlanner(hands.task(), deed, DeedState()).enter_here()
    if entry.acts:
        navigation = Navigation(acts=entry.acts, reason=entry.reason)
        return await hands.carry_out(with_navigation(base, navigation), navigation), group[1:]
    if not deed.verbs or deed.verbs[0] in FREE.plain_verbs:
        return None
    if not DeedPlanner(hands.task(), deed, DeedState()).is_sure():
        return None
    record, state = await _play(base, deed, group, hands)
    if record.outcome == "done":
        return record, group[1:]
    if state.carrier is None and state.menus and not state.visited:
        close = GuiAction(action="press", value="Escape")
        await hands.carry_out(base, Navigation(acts=(close,), reason="the menu has nothing of it"))
        return None
    opened = state.carrier is not None and record.turns and not state.visited
    return None if opened else ((record, ()) if record.turns else None)


async def act_unread(base: StepRecord, hands: Hands) -> tuple[StepRecord, Sequence[Step]]:
    """Carry out a step that no reading could: by its whole sentence, else as a deed."""
    other: StepRecord = base
    covered: Sequence[Step] = ()
    if not base.turns:
        other, covered = await act_by_whole_sentence(base, hands)
    if is_finished(other):
        return other, covered
    return await act_by_deed(other, hands)


async def act_by_deed(base: StepRecord, hands: Hands) -> tuple[StepRecord, Sequence[Step]]:
    """Carry out a step that nothing else could: as a deed on what it names, or on the page.

    A form that was opened in vain, as not all values had a field that is called so, is filled in.
    """
    deed, group = _read(base.step, hands)
    if deed is None or not deed.parts or not (may_be_weak(base.step) or len(group) > 1):
        return base, ()
    state = DeedState()
    if base.turns:
        if not (base.observed and base.observed.truth):
            return base, ()
        state.opened = base.target
    record, _ = await _play(base, deed, group, hands, state)
    return record, (group[1:] if record.outcome == "done" else ())


def is_finished(record: StepRecord) -> bool:
    """Return whether nothing else may be done for a step, not even in a form that it opened."""
    return is_settled(record) and not _may_go_on(record)


def _may_go_on(record: StepRecord) -> bool:
    """Return whether a step only got as far as to open the form that its values belong into."""
    observed = record.observed
    was_seen = observed is not None and observed.truth is True and bool(record.turns)
    return record.outcome == "inconclusive" and was_seen and may_be_weak(record.step)


def _read(step: Step, hands: Hands) -> tuple[Deed | None, list[Step]]:
    """Return the deed of a step's sentence, and the steps that are parts of it."""
    group = rest_of_sentence(step, hands.following)
    parted = step.sentence not in ("", step.text)
    around = (*hands.task().done, *hands.following[len(group) - 1 :])
    begins = not any(s.sentence == step.sentence and s.line == step.line for s in around)
    if parted and begins and len(group) > 1:
        return read_deed(step.sentence), group
    return read_deed(step.text, step.sentence if parted else ""), [step]


async def _play(
    base: StepRecord,
    deed: Deed,
    group: Sequence[Step],
    hands: Hands,
    state: DeedState | None = None,
) -> tuple[StepRecord, DeedState]:
    state, record = state or DeedState(), base
    sends = not goes_on_with_form(hands.following[len(group) - 1 :])
    turns: list[int] = [*base.turns]
    targets: list[str] = [base.target] if base.target else []
    for _ in range(_MOST_ROUNDS):
        plan = await _await_plan(deed, state, hands, sends=sends, waits=bool(turns))
        if not plan.acts:
            break
        navigation = Navigation(acts=plan.acts, reason=plan.reason, facts=(plan.reason,))
        record = await hands.carry_out(with_navigation(base, navigation), navigation)
        turns += record.turns
        targets += [record.target] if record.target else []
        update = {"turns": tuple(turns), "target": ", ".join(targets)}
        record = record.model_copy(update=update)
        if record.outcome != "done" or state.done:
            return record, state
    else:
        plan = WeakPlan(reason=f"not done after {_MOST_ROUNDS} rounds")
    if state.done and turns:
        return record, state
    reason = f"{base.reason}; {plan.reason}" if base.reason else plan.reason
    update = {"outcome": "inconclusive", "reason": reason}
    return record.model_copy(update=update), state


async def _await_plan(
    deed: Deed, state: DeedState, hands: Hands, *, sends: bool, waits: bool
) -> WeakPlan:
    patience = hands.patience()
    while True:
        plan = DeedPlanner(hands.task(), deed, state).next_acts(sends=sends)
        if plan.acts or state.done or not waits or patience.is_over():
            return plan
        await hands.wait(patience)
