"""Explored conversations as steps through the states of the behaviour model."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.model.talk import Trace
from sparring_plugins.voice.behaviour.model import BehaviourModel, Input, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.outputs.dialogue_acts import gist_of
from sparring_plugins.voice.roles.explorer import Effect, InputOrigin, OutputKind

_ACCEPTED = (Effect.NEW, Effect.ENDED)
_WAYS = (OutputKind.SELECTION, OutputKind.MIXED, OutputKind.INSTRUCTION)


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: what was said in a state, the state that it led to, and what was answered."""

    source: State
    text: str
    target: State
    answer: str
    ended: bool


def steps_of(traces: Iterable[Trace], model: BehaviourModel) -> list[list[Step]]:
    """The turns of each trace as steps; turns of which the model knows nothing end theirs."""
    found: list[list[Step]] = []
    for trace in traces:
        path: list[Step] = []
        at = model.start
        noted = trace.meta.get("steps")
        turns = list(trace.turns)
        steps = noted if isinstance(noted, list) else []
        offset = len(turns) - len(steps)  # silence that was listened to is a turn without a step
        for step, turn in zip(steps, turns[max(offset, 0) :], strict=False):
            target = model.states.get(str(step.get("state"))) if isinstance(step, dict) else None
            if target is None or turn.observation is None or not isinstance(step, dict):
                break
            said = str(step.get("input"))
            path.append(Step(at, said, target, turn.observation.text, turn.observation.ended))
            at = target
        found.append(path)
    return found


class Reader:
    """What kind of place each state is, from all that is known of it."""

    def __init__(self, model: BehaviourModel, paths: Sequence[Sequence[Step]]) -> None:
        self.model = model
        self._after: dict[str, Counter[str]] = {}
        for path in paths:
            for step in path:
                key = f"{step.source.id}/{input_key(step.text)}"
                self._after.setdefault(key, Counter())[step.target.id] += 1

    def first_target(self, state: State, found: Input) -> str | None:
        """Where an input of a state led the most often."""
        after = self._after.get(f"{state.id}/{input_key(found.text)}")
        return after.most_common(1)[0][0] if after else None

    def accepted(self, state: State) -> list[Input]:
        """The inputs of a state's own that led on."""
        return [
            one
            for one in state.inputs.values()
            if one.origin in (InputOrigin.CONTEXT, InputOrigin.CHOICE)
            and self.model.effect(state, one) in _ACCEPTED
        ]

    def is_slot(self, state: State) -> bool:
        """Whether a state asks for a value: whatever is said, the talk goes the same way."""
        if state.confused or state.expects in (OutputKind.OTHER, OutputKind.YES_NO):
            return False
        if _is_agreement(state) or state.expects is OutputKind.INSTRUCTION:
            return False
        if state.expects is OutputKind.WH:
            return bool(self.accepted(state))
        if not _asks(state):
            return False
        return not self.is_menu(state)

    def is_menu(self, state: State) -> bool:
        """Whether a state offers ways to go: what is said decides where the conversation goes."""
        if state.confused or state.expects not in _WAYS or _is_agreement(state):
            return False
        led = (self.first_target(state, one) for one in self.accepted(state))
        targets = [target for target in led if target is not None]
        if len(targets) >= 2:
            if _names_a_thing(state) and not any(self._asks_on(one) for one in targets):
                return False  # each value has an answer of its own, and all of them are answers
            most = Counter(targets).most_common(1)[0][1]
            return most < len(targets) / 2 or most == 1
        return not _names_a_thing(state)

    def _asks_on(self, target: str) -> bool:
        """Whether a state goes on asking, for a value or for agreement."""
        state = self.model.states[target]
        return _is_agreement(state) or (bool(gist_of(state.output).specific) and not state.final)

    def is_confirmation(self, state: State) -> bool:
        """Whether a state asks for agreement and nothing else."""
        return not state.confused and _is_agreement(state)

    def is_open(self, state: State) -> bool:
        """Whether anything may be said: nothing is asked, or anything is."""
        return not (self.is_slot(state) or self.is_confirmation(state))


def _asks(state: State) -> bool:
    return bool(gist_of(state.output).specific) or bool(state.choices)


def _is_agreement(state: State) -> bool:
    if state.expects is OutputKind.YES_NO:
        return True
    own = {input_key(one) for one in state.choices}
    return bool(own) and own <= {"yes", "no", "yes please", "no thanks", "no thank you", "ok"}


def _names_a_thing(state: State) -> bool:
    """Whether the question is for one of a kind: "Which size?", not "What shall I do?"."""
    asks = gist_of(state.output).specific
    return bool(asks) and not asks[-1].generic
