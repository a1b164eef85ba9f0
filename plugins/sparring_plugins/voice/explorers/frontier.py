"""The frontier of exploration: the inputs of a state, and the distance to an untried one."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from sparring_plugins.voice.behaviour_model import START, BehaviourModel, Input, State
from sparring_plugins.voice.explorers.definition import (
    definition_inputs,
    is_probe,
    is_unreached,
    parts_untried_deeper,
)
from sparring_plugins.voice.outputs.suggested_inputs import UNKNOWN, UNUSUAL
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import Effect, InputOrigin, KnownInput, KnownState, OutputKind
from sparring_plugins.voice.rules_agents import (
    MAX_FAILURES_OF_SLOT,
    OWN_ORIGINS,
    USELESS_EFFECTS,
    WORDS,
    all_alike,
)

_LAUNCH = "launch"
"""What stands for an intent in the state that an app greets with."""

_NO_VALUES = (UNKNOWN, UNUSUAL, WORDS)

_OPEN_KINDS = (OutputKind.OTHER, OutputKind.INSTRUCTION)


def known_states(model: BehaviourModel) -> tuple[KnownState, ...]:
    """Return the states with an output or choices, for an observer."""
    parts: dict[str, dict[str, None]] = {}
    for source, by, target, _ in model.transitions():
        part = _LAUNCH if source == START and not by.text else by.part
        if part:
            parts.setdefault(target, {})[part] = None
    return tuple(
        KnownState(
            id=state.id,
            outputs=tuple(state.outputs),
            choices=tuple(state.choices),
            inputs=tuple(one.text for one in own_inputs(state)),
            expects=state.expects,
            parts=tuple(parts.get(state.id, ())),
        )
        for state in model.states.values()
        if state.outputs or state.choices
    )


def own_inputs(state: State) -> list[Input]:
    """Return the inputs that the outputs of a state themselves suggest."""
    return [one for one in state.inputs.values() if one.origin in OWN_ORIGINS]


def available_inputs(
    model: BehaviourModel,
    state: State,
    understood: State | None,
    system: Sequence[str],
    again: Set[str] = frozenset(),
) -> tuple[KnownInput, ...]:
    """Return the possible inputs of a state, with what is known of each.

    Besides the state's own inputs these are the words of the system and, if the output is open to
    anything, the phrases that the app named anywhere. In a state of confusion these are also the
    inputs of the last state that understood (`understood`). Intents of the definition that are to
    be tried `again` count as if they never had been.
    """
    inputs = dict(state.inputs)
    for one in _borrowed_inputs(model, state, understood, system):
        inputs.setdefault(input_key(one.text), one)
    totals = _totals(model)
    if system or state.id != START:
        for one in definition_inputs(
            model, state, {key: uses.count for key, uses in totals.items()}
        ):
            inputs.setdefault(input_key(one.text), one)
    for key, (part, words) in model.utterances.items() if state.id != START else ():
        if part in again:
            inputs.setdefault(key, Input(text=words, origin=InputOrigin.SAMPLE))
    far, deeper = distances(model), parts_untried_deeper(model, state)
    known: list[KnownInput] = []
    for key, by in inputs.items():
        if key:
            candidate = _known_input(model, state, by, totals.get(key, _NO_USES), far)
            part = model.utterances.get(key, ("", ""))[0]
            if part in deeper:
                candidate = candidate.model_copy(update={"probe": True})
            known.append(_as_new(candidate) if part in again else candidate)
    return tuple(_with_ways_of_values(known))


def _with_ways_of_values(inputs: Sequence[KnownInput]) -> Iterator[KnownInput]:
    """Give values of a slot that were never tried the distance of one that was and led on.

    On the way through a form "Rome" does as well as "Paris", and may show what "Paris" did not.
    """
    ways = {
        one.slot: one.distance
        for one in inputs
        if one.slot and one.count and one.effect is Effect.NEW and one.distance is not None
    }
    for one in inputs:
        is_value = one.origin in OWN_ORIGINS and not one.count and one.slot not in _NO_VALUES
        if is_value and one.slot in ways:
            yield one.model_copy(update={"distance": ways[one.slot]})
        else:
            yield one


def _as_new(one: KnownInput) -> KnownInput:
    """Return an input as if it never had been tried."""
    return one.model_copy(
        update={"count": 0, "elsewhere": 0, "without_effect": 0, "effect": Effect.UNKNOWN}
        | {"unreached": True, "origin": InputOrigin.SAMPLE}
    )


@dataclass(frozen=True, slots=True)
class _Uses:
    """The uses of an input in all states, with the states that it led to if not in vain.

    `target` is the last of these.
    """

    count: int = 0
    useless: int = 0
    target: str | None = None
    targets: frozenset[str] = frozenset()


_NO_USES = _Uses()


def _totals(model: BehaviourModel) -> dict[str, _Uses]:
    """Return the uses of each input in all states together, by its key."""
    totals: dict[str, _Uses] = {}
    for state in model.states.values():
        for key, one in state.inputs.items():
            if one.count:
                before = totals.get(key, _NO_USES)
                useless = _is_useless(model, state, one)
                totals[key] = _Uses(
                    before.count + one.count,
                    before.useless + (one.count if useless else 0),
                    before.target if useless else one.last,
                    before.targets | (frozenset[str]() if useless else frozenset(one.targets)),
                )
    return totals


def _is_useless(model: BehaviourModel, state: State, one: Input) -> bool:
    return model.effect(state, one) in USELESS_EFFECTS


def _known_input(
    model: BehaviourModel, state: State, one: Input, uses: _Uses, far: Mapping[str, int]
) -> KnownInput:
    suggested = (
        input_key(one.text) in state.inputs and one.origin in OWN_ORIGINS and one.slot != WORDS
    )
    useless_here = one.count if _is_useless(model, state, one) else 0
    target = one.last if one.count else uses.target if _is_open(state) else None
    return KnownInput(
        text=one.text,
        origin=one.origin,
        slot=one.slot,
        unreached=is_unreached(model, one.text),
        probe=not uses.count and is_probe(model, one.text),
        varies=len(uses.targets) > 1,
        count=one.count,
        elsewhere=uses.count - one.count,
        # what the app itself suggests here is worth a try, whatever it did elsewhere
        without_effect=0 if suggested else uses.useless - useless_here,
        effect=model.effect(state, one),
        news=one.news,
        target=one.last,
        distance=None if target is None or target not in far else far[target] + 1,
    )


def _borrowed_inputs(
    model: BehaviourModel, state: State, understood: State | None, system: Sequence[str]
) -> Iterator[Input]:
    """Yield the inputs that a state takes over from others, and words of the system."""
    if state.confused and understood is not None and understood.id != state.id:
        yield from _remaining_inputs(model, understood)
    if _is_open(state) and (state.id != START or system):
        for text, origin in model.phrases.items():
            yield Input(text=text, origin=origin)
    for text in system:
        yield Input(text=text, origin=InputOrigin.SYSTEM)


def _remaining_inputs(model: BehaviourModel, state: State) -> Iterator[Input]:
    """Yield the own inputs of a state that may still be useful after the app did not understand."""
    useless = [one for one in state.inputs.values() if _is_useless(model, state, one)]
    failed = _failed_slots(useless)
    for one in own_inputs(state):
        if not one.pressed and one not in useless and one.slot not in failed:
            yield Input(text=one.text, origin=one.origin, slot=one.slot)


def _failed_slots(useless: Sequence[Input]) -> set[str]:
    """Return the slots of which several values were useless."""
    slots = [one.slot for one in useless if one.slot is not None]
    return {slot for slot in slots if slots.count(slot) >= MAX_FAILURES_OF_SLOT}


def _is_open(state: State) -> bool:
    """Return whether a state is open to any input, also the phrases of other states."""
    return state.expects in _OPEN_KINDS or state.confused


def distances(model: BehaviourModel) -> dict[str, int]:
    """Return how many inputs each state is away from one with something that was never tried.

    A phrase that the app named is taken to lead, from every state that is open to anything, to
    where it led before. Only what the app itself suggests counts as something to try; further
    values for a question that was answered before do not.
    """
    sources: dict[str, set[str]] = {}
    for source, _, target, _ in model.transitions():
        sources.setdefault(target, set()).add(source)
    totals = _totals(model)
    open_states = {one.id for one in model.states.values() if _is_open(one) and not one.final}
    for text in model.phrases:
        target_of_phrase = totals.get(input_key(text), _NO_USES).target
        if target_of_phrase is not None:
            sources.setdefault(target_of_phrase, set()).update(open_states - {START})
    far = {state.id: 0 for state in model.states.values() if has_untried_input(model, state)}
    queue = deque(far)
    while queue:
        target = queue.popleft()
        for source in sorted(sources.get(target, ())):
            if source not in far:
                far[source] = far[target] + 1
                queue.append(source)
    return far


def has_untried_input(model: BehaviourModel, state: State) -> bool:
    """Return whether a state has an input of its own that was never tried and may be useful."""
    if all_alike([one.last for one in own_inputs(state) if one.count]):
        return False
    inputs = list(state.inputs.values())
    closed = _failed_slots([one for one in inputs if _is_useless(model, state, one)])
    closed |= {
        one.slot
        for one in inputs
        if one.slot and model.effect(state, one) in (Effect.NEW, Effect.ENDED)
    }
    closed |= {UNKNOWN, WORDS}
    origins = (*OWN_ORIGINS, InputOrigin.HELP)
    return any(not one.count and one.origin in origins and one.slot not in closed for one in inputs)
