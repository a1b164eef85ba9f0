"""Intents of an explored app: what begins them, which slots they fill, and how they end.

They are read from explored conversations as steps through the states of the behaviour model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from sparring.model.talk import Observation, Trace
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.voice.behaviour_model import START, BehaviourModel, Input, State
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import Effect, OutputKind
from sparring_plugins.voice.rules_agents import OWN_ORIGINS

_ACCEPTED = (Effect.NEW, Effect.ENDED)
_MENU_KINDS = (OutputKind.SELECTION, OutputKind.MIXED, OutputKind.INSTRUCTION)
_AGREEMENT = {"yes", "no", "yes please", "no thanks", "no thank you", "ok"}

# Steps


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: what was said in a state, the state that it led to, and the answer."""

    source: State
    text: str
    target: State
    answer: str


def paths_of(traces: Iterable[Trace], model: BehaviourModel) -> list[list[Step]]:
    """Return the steps of each trace, up to a turn of which the model knows nothing."""
    return [list(_path(trace, model)) for trace in traces]


def _path(trace: Trace, model: BehaviourModel) -> Iterator[Step]:
    recorded = trace.meta.get("steps")
    steps: list[JsonValue] = recorded if isinstance(recorded, list) else []
    # a turn in which nobody said anything may have no step; such turns come first
    turns = trace.turns[max(len(trace.turns) - len(steps), 0) :]
    source = model.start
    for step, turn in zip(steps, turns, strict=False):
        target = model.states.get(str(step.get("state"))) if isinstance(step, dict) else None
        if target is None or turn.observation is None or not isinstance(step, dict):
            return
        yield Step(source, str(step.get("input")), target, turn.observation.text)
        source = target


# The roles of states


class StateReader:
    """Tells the role of each state: a slot, a menu, a confirmation, or none of these."""

    def __init__(self, model: BehaviourModel, paths: Sequence[Sequence[Step]]) -> None:
        self.model = model
        self._targets: dict[tuple[str, str], Counter[str]] = {}
        for path in paths:
            for step in path:
                key = (step.source.id, input_key(step.text))
                self._targets.setdefault(key, Counter())[step.target.id] += 1

    def accepted(self, state: State) -> list[Input]:
        """Return the own inputs of a state that led on."""
        return [
            one
            for one in state.inputs.values()
            if one.origin in OWN_ORIGINS and self.model.effect(state, one) in _ACCEPTED
        ]

    def is_slot(self, state: State) -> bool:
        """Return whether a state asks for a value: the talk goes the same way with any."""
        if state.confused or _asks_for_agreement(state) or _asks_what_else(state):
            return False
        if state.expects in (OutputKind.OTHER, OutputKind.YES_NO, OutputKind.INSTRUCTION):
            return False
        if state.expects is OutputKind.WH:
            return bool(self.accepted(state))
        return (_is_specific(state) or bool(state.choices)) and not self.is_menu(state)

    def is_menu(self, state: State) -> bool:
        """Return whether a state offers ways to go: the input decides where the talk goes."""
        if state.confused or state.expects not in _MENU_KINDS or _asks_for_agreement(state):
            return False
        targets = list(self._usual_targets(state))
        if len(targets) < 2:
            return not _is_specific(state)
        if _is_specific(state) and not any(self._goes_on_asking(target) for target in targets):
            return False  # each value has an answer of its own, and all of them are answers
        most = Counter(targets).most_common(1)[0][1]
        return most < len(targets) / 2 or most == 1

    def is_confirmation(self, state: State) -> bool:
        """Return whether a state asks for agreement and nothing else."""
        return not state.confused and _asks_for_agreement(state)

    def _usual_targets(self, state: State) -> Iterator[str]:
        """Yield where each accepted input of a state led the most often."""
        for one in self.accepted(state):
            counts = self._targets.get((state.id, input_key(one.text)))
            if counts:
                yield counts.most_common(1)[0][0]

    def _goes_on_asking(self, target: str) -> bool:
        """Return whether a state asks for a value or for agreement."""
        state = self.model.states[target]
        return _asks_for_agreement(state) or (_is_specific(state) and not state.final)


def _asks_for_agreement(state: State) -> bool:
    keys = {input_key(choice) for choice in state.choices}
    return state.expects is OutputKind.YES_NO or (bool(keys) and keys <= _AGREEMENT)


def _asks_what_else(state: State) -> bool:
    """Return whether a state asks whether anything else is wanted: its answers are no values."""
    return read_app_reply(Observation(text=state.output)).asks_what_else


def _is_specific(state: State) -> bool:
    """Return whether a state asks for one of a kind: "Which size?", not "What shall I do?"."""
    return bool(dialogue_acts_of(state.output).specific_requests)


# Intents


@dataclass
class Intent:
    """Something that an app does for its users.

    `entry` is what begins it (empty if the app begins by itself), after `way`, the menus on the
    way. `slots` are the states that ask for a value, in order, `answers` the app's answers when it
    was done, `said` what the user said in it. An intent without slots is a question that is
    answered at once.
    """

    entry: str
    way: tuple[str, ...] = ()
    slots: list[State] = field(default_factory=list[State])
    answers: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    done: bool = False


def intents_of(paths: Sequence[Sequence[Step]], reader: StateReader) -> list[Intent]:
    """Return the intents of all conversations: those with equal slots or answers are one."""
    intents: dict[str, Intent] = {}
    for path in paths:
        for intent in _IntentCutter(reader).intents(path):
            known = intents.setdefault(_key(intent), intent)
            if known is not intent:
                _merge(known, intent)
    return _without_parts(list(intents.values()))


class _IntentCutter:
    """Cuts a conversation where something new begins, and where something is done."""

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._intent: Intent | None = None
        self._way: list[str] = []

    def intents(self, path: Sequence[Step]) -> Iterator[Intent]:
        """Yield the intents of a conversation, a done one as it was when it was done."""
        for step in path:
            if self._intent is not None and self._belongs(step.source):
                self._intent.said.append(step.text)
            else:
                if self._intent is not None:
                    yield self._intent
                self._begin(step)
            yield from self._arrive(step)
        if self._intent is not None:
            yield self._intent

    def _belongs(self, state: State) -> bool:
        """Return whether what is said in a state continues an intent."""
        return self._reader.is_slot(state) or _asks_for_agreement(state) or state.confused

    def _begin(self, step: Step) -> None:
        if not self._reader.is_menu(step.source):
            self._way = []
        self._intent = Intent(entry=step.text, way=tuple(self._way))

    def _arrive(self, step: Step) -> Iterator[Intent]:
        intent, reader = self._intent, self._reader
        assert intent is not None
        if step.target.confused:
            self._intent = intent if intent.slots else None
        elif reader.is_menu(step.target):
            if intent.slots or _informs(step):
                yield self._finish(intent, step)
            else:
                self._way = [*self._way, step.text] if step.source.id != START else []
                self._intent = None
        elif reader.is_slot(step.target):
            if step.target not in intent.slots:
                intent.slots.append(step.target)
        elif not reader.is_confirmation(step.target):
            yield self._finish(intent, step)

    def _finish(self, intent: Intent, step: Step) -> Intent:
        intent.answers.append(step.answer)
        self._intent, self._way = None, []
        return replace(intent, done=True)


def _informs(step: Step) -> bool:
    """Return whether an answer that ends with a menu states something before it."""
    return bool(step.source.id != START and dialogue_acts_of(step.answer).statements)


def _key(intent: Intent) -> str:
    if intent.slots:
        return f"slots {intent.slots[0].id}"
    return f"entry {input_key(intent.entry)}"


def _merge(known: Intent, other: Intent) -> None:
    """Add what another conversation shows of the same intent."""
    if (other.done, len(other.slots)) > (known.done, len(known.slots)):
        known.slots, known.said, known.done = other.slots, other.said, other.done
        known.entry, known.way = other.entry, other.way
    if other.done:
        known.answers = list(dict.fromkeys([*known.answers, *other.answers]))


def _without_parts(intents: Sequence[Intent]) -> list[Intent]:
    """Return the intents that are no part of another, as a correction is."""
    parts = [{state.id for state in intent.slots} for intent in intents]
    return [
        intent
        for intent, part in zip(intents, parts, strict=True)
        if not part or not any(part < other for other in parts)
    ]
