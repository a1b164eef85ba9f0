"""What can be said now, with what is known of it: the planner's view of the model."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparring_plugins.voice.agents.rules_generator import WORDS
from sparring_plugins.voice.agents.rules_planner import all_alike
from sparring_plugins.voice.behaviour.model import START, BehaviourModel, Input, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.outputs.plausible_answers import UNKNOWN
from sparring_plugins.voice.roles.explorer import (
    Effect,
    InputOrigin,
    KnownInput,
    KnownState,
    OutputKind,
)

_TWICE = 2
_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED)
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
    known = _elsewhere(model)
    far = distances(model)
    return tuple(
        _known(model, state, one, known.get(key, _NOWHERE), far)
        for key, one in found.items()
        if key
    )


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """What is known of an input in all states together; `target` is where it led to last."""

    count: int = 0
    vain: int = 0
    target: str | None = None


_NOWHERE = _Elsewhere()


def _known(
    model: BehaviourModel, state: State, one: Input, known: _Elsewhere, far: Mapping[str, int]
) -> KnownInput:
    effect = model.effect(state, one)
    suggested = input_key(one.text) in state.inputs and one.origin in _OWN and one.slot != WORDS
    vain = 0 if suggested else known.vain - (one.count if effect in _VAIN else 0)
    expected = one.last if one.count else known.target if _is_open(state) else None
    return KnownInput(
        text=one.text,
        origin=one.origin,
        slot=one.slot,
        count=one.count,
        elsewhere=known.count - one.count,
        in_vain=vain,  # what the app itself suggests here is worth a try, whatever it did elsewhere
        effect=effect,
        news=one.news,
        target=one.last,
        distance=None if expected is None or expected not in far else far[expected] + 1,
    )


def _borrowed(
    model: BehaviourModel, state: State, back: State | None, system: Sequence[str]
) -> Iterable[Input]:
    if state.confused and back is not None and back.id != state.id:
        vain = [one for one in back.inputs.values() if model.effect(back, one) in _VAIN]
        slots = [one.slot for one in vain]
        for one in back.inputs.values():
            hopeless = one in vain or (one.slot is not None and slots.count(one.slot) >= _TWICE)
            if one.origin in _OWN and not one.pressed and not hopeless:
                yield Input(text=one.text, origin=one.origin, slot=one.slot)
    if _is_open(state) and (state.id != START or system):
        for text, origin in model.phrases.items():
            yield Input(text=text, origin=origin)
    for text in system:
        yield Input(text=text, origin=InputOrigin.SYSTEM)


def _elsewhere(model: BehaviourModel) -> dict[str, _Elsewhere]:
    """What each input did in all states together."""
    found: dict[str, _Elsewhere] = {}
    for state in model.states.values():
        for key, one in state.inputs.items():
            if one.count:
                before = found.get(key, _NOWHERE)
                vain = model.effect(state, one) in _VAIN
                found[key] = _Elsewhere(
                    before.count + one.count,
                    before.vain + (one.count if vain else 0),
                    before.target if vain else one.last,
                )
    return found


def _is_open(state: State) -> bool:
    """Whether anything may be said in a state, so that the phrases of other states go on."""
    return state.expects in _OPEN or state.confused


def distances(model: BehaviourModel) -> dict[str, int]:
    """How many inputs each state is away from one with something that was never tried.

    A phrase that the app named is taken to lead, from every state that is open to anything, to
    where it led before. Only what the app itself suggests counts as something to try; further
    values for a question that was answered before do not.
    """
    leads: dict[str, set[str]] = {}
    for source, _, target, _ in model.transitions():
        leads.setdefault(target, set()).add(source)
    known = _elsewhere(model)
    opened = {one.id for one in model.states.values() if _is_open(one) and not one.final}
    for text in model.phrases:
        led_to = known.get(input_key(text), _NOWHERE).target
        if led_to is not None:
            leads.setdefault(led_to, set()).update(opened - {START})
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
    vain = [one.slot for one in state.inputs.values() if model.effect(state, one) in _VAIN]
    answered |= {slot for slot in vain if slot and vain.count(slot) >= _TWICE}
    own = [one for one in state.inputs.values() if one.origin in _OWN and one.count]
    if all_alike([one.last for one in own]):
        return False
    return any(
        not one.count
        and one.slot not in (UNKNOWN, WORDS)
        and (one.slot is None or one.slot not in answered)
        for one in state.inputs.values()
        if one.origin in (*_OWN, InputOrigin.HELP)
    )
