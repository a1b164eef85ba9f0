"""What can be said now, with what is known of it: the planner's view of the model."""

from collections import deque
from collections.abc import Iterable, Sequence

from sparring.interfaces.explorer_roles import (
    Effect,
    InputOrigin,
    KnownInput,
    KnownState,
    OutputKind,
)
from sparring_plugins.agents.exploring.planner import all_alike
from sparring_plugins.behaviour.model import BehaviourModel, Input, State
from sparring_plugins.behaviour.naming import input_key

_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_OPEN = (OutputKind.OTHER, OutputKind.INSTRUCTION)


def known_states(model: BehaviourModel) -> tuple[KnownState, ...]:
    """The states of the model in which the app said something, for an observer."""
    return tuple(
        KnownState(
            id=state.id,
            outputs=tuple(state.outputs),
            choices=tuple(state.choices),
            inputs=tuple(one.text for one in state.inputs.values() if one.origin in _OWN),
            expects=state.expects,
        )
        for state in model.states.values()
        if state.outputs or state.choices
    )


def offered(
    model: BehaviourModel, state: State, back: State | None, system: Sequence[str]
) -> tuple[KnownInput, ...]:
    """Every input that can be said in a state, with what is known of it.

    Besides the state's own inputs these are the words of the system and, where the output is open
    to anything, the phrases that the app named anywhere. In a state of confusion the inputs of the
    state before (`back`) go on.
    """
    found: dict[str, Input] = dict(state.inputs)
    for one in _borrowed(model, state, back, system):
        found.setdefault(input_key(one.text), one)
    elsewhere = _tried(model)
    far = distances(model)
    return tuple(
        KnownInput(
            text=one.text,
            origin=one.origin,
            slot=one.slot,
            count=one.count,
            elsewhere=elsewhere.get(key, 0) - one.count,
            effect=model.effect(state, one),
            target=one.last,
            distance=None if one.last is None or one.last not in far else far[one.last] + 1,
        )
        for key, one in found.items()
        if key
    )


def _borrowed(
    model: BehaviourModel, state: State, back: State | None, system: Sequence[str]
) -> Iterable[Input]:
    if state.confused and back is not None and back.id != state.id:
        for one in back.inputs.values():
            vain = model.effect(back, one) in (Effect.SAME, Effect.CONFUSED, Effect.FAILED)
            if one.origin in _OWN and not one.pressed and not vain:
                yield Input(text=one.text, origin=one.origin, slot=one.slot)
    if state.expects in _OPEN or state.confused:
        for text, origin in model.phrases.items():
            yield Input(text=text, origin=origin)
    for text in system:
        yield Input(text=text, origin=InputOrigin.SYSTEM)


def _tried(model: BehaviourModel) -> dict[str, int]:
    """How often each input was tried in all states together."""
    found: dict[str, int] = {}
    for state in model.states.values():
        for key, one in state.inputs.items():
            found[key] = found.get(key, 0) + one.count
    return found


def distances(model: BehaviourModel) -> dict[str, int]:
    """How many inputs each state is away from one with something that was never tried.

    Only what the app itself suggests counts as something to try; further values for a question that
    was answered before do not.
    """
    leads: dict[str, set[str]] = {}
    for source, _, target, _ in model.transitions():
        leads.setdefault(target, set()).add(source)
    found = {state.id: 0 for state in model.states.values() if fresh(model, state)}
    queue = deque(found)
    while queue:
        at = queue.popleft()
        for source in sorted(leads.get(at, ())):
            if source not in found:
                found[source] = found[at] + 1
                queue.append(source)
    return found


def fresh(model: BehaviourModel, state: State) -> bool:
    """Whether a state has an input of its own that was never tried."""
    answered = {
        one.slot
        for one in state.inputs.values()
        if one.slot and model.effect(state, one) in (Effect.NEW, Effect.ENDED)
    }
    own = [one for one in state.inputs.values() if one.origin in _OWN and one.count]
    if all_alike([one.last for one in own]):
        return False
    return any(
        not one.count and (one.slot is None or one.slot not in answered)
        for one in state.inputs.values()
        if one.origin in (*_OWN, InputOrigin.HELP)
    )
