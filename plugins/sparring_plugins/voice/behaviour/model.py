"""The behaviour model of an app: a finite automaton with counts (Elevate, section 3.3).

It is ⟨Q, Σ, δ, s0, F⟩: the states Q, the inputs Σ, the transitions δ, the state `START` before
anything was said, and the states F after which the conversation is over. Each input of each state
counts how often it was tried there, and where it led to; an app that answers the same input now so,
now so, has several targets, of which the last counts as δ.
"""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from sparring.errors import ConfigurationError, Problem
from sparring.model.base import AppText
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.roles.explorer import Effect, InputOrigin, OutputKind

START = "start"
END = "end"
FAILURE = "failure"
ELSEWHERE = "elsewhere"
"""The state of another app than the one under test, which is not explored."""

FIXED = (START, END, FAILURE, ELSEWHERE)
VERSION = 1
MOST_OUTPUTS = 12
"""Different outputs of a state that are kept; more are only counted."""


class _Part(BaseModel):
    """A part of the model: it changes as the app is explored."""

    model_config = ConfigDict(extra="forbid")


class Input(_Part):
    """An input of a state.

    `count` is how often it was tried there, `targets` how often it led to which state, `last` where
    it led to last, `news` whether it brought words then that were not heard before. `value` is what
    is sent for a choice that is pressed. `novelty` is what the baseline `vitas` learns of it.
    """

    text: AppText
    origin: InputOrigin = InputOrigin.CONTEXT
    slot: str | None = None
    pressed: bool = False
    value: AppText | None = None
    count: int = 0
    targets: dict[str, int] = {}
    last: str | None = None
    news: bool = False
    novelty: float = 0.0

    @property
    def steady(self) -> bool:
        """Whether it always led to the same state."""
        return len(self.targets) <= 1


class State(_Part):
    """A state: what the app said in it, and what can be said there.

    `visits` is how often it was reached, `different` how many different outputs it had, of which
    the first `MOST_OUTPUTS` are kept. `final` says that the conversation was over there at least
    once, `confused` that the app does not understand what led here. `repairs` counts how often
    inputs were asked for again, `first_turn` is after how many turns it was found, and `reward`
    what the baseline `vitas` learns of it.
    """

    id: str
    outputs: list[AppText] = []
    choices: list[AppText] = []
    expects: OutputKind = OutputKind.OTHER
    inputs: dict[str, Input] = {}
    visits: int = 0
    different: int = 0
    final: bool = False
    confused: bool = False
    generated: bool = False
    repairs: int = 0
    first_turn: int = 0
    reward: int = 0

    @property
    def output(self) -> str:
        """What it said first."""
        return self.outputs[0] if self.outputs else ""

    def said(self, text: str) -> bool:
        """Keep an output; whether it is heard for the first time, as far as that is known."""
        if text in self.outputs:
            return False
        self.different += 1
        if len(self.outputs) < MOST_OUTPUTS:
            self.outputs.append(text)
        return True

    def offer(self, found: Input) -> Input:
        """The input of that text: the one that is there with its counts, else this one, added."""
        key = input_key(found.text)
        known = self.inputs.get(key)
        if known is None:
            self.inputs[key] = found
            return found
        if found.pressed and not known.pressed:
            known.pressed, known.value = True, found.value
        return known


class BehaviourModel(_Part):
    """All that is known of an app, over all sessions so far.

    `turns` counts the inputs that were sent, `seconds` the time that sessions took. `outputs`
    counts every different output, `sentences` every different sentence, in the order first heard.
    """

    version: int = VERSION
    app: str = ""
    states: dict[str, State] = Field(default_factory=lambda: {START: State(id=START)})
    sessions: int = 0
    turns: int = 0
    seconds: float = 0.0
    idle_sessions: int = 0
    phrases: dict[str, InputOrigin] = {}
    sentences: list[AppText] = []

    @property
    def start(self) -> State:
        """The state before anything was said (s0)."""
        return self.states[START]

    def final_states(self) -> list[str]:
        """The states after which the conversation is over (F)."""
        return [state.id for state in self.states.values() if state.final]

    def alphabet(self) -> list[str]:
        """Every input that was tried anywhere (Σ), in the order first tried."""
        tried = (one.text for state in self.states.values() for one in state.inputs.values()
                 if one.count and one.text)  # fmt: skip
        return list(dict.fromkeys(tried))

    def transitions(self) -> Iterator[tuple[str, Input, str, int]]:
        """Every transition that was seen: from, by, to, and how often (δ with its counts)."""
        for state in self.states.values():
            for found in state.inputs.values():
                for target, times in found.targets.items():
                    yield state.id, found, target, times

    def add_state(self, identity: str | None = None) -> State:
        """A new state, numbered unless it has a name of its own."""
        name = identity or f"s{sum(one not in FIXED for one in self.states) + 1}"
        state = self.states[name] = State(id=name, first_turn=self.turns)
        return state

    def named(self, identity: str) -> State:
        """The state of a fixed name, such as `END`, made when it is first needed."""
        found = self.states.get(identity)
        if found is None:
            found = self.add_state(identity)
            found.final = True
        return found

    def lead(self, source: State, by: Input, target: State, *, news: bool = False) -> None:
        """Count that an input led from one state to another; silence is an input, too.

        `news` says that the target said something that was not heard before.
        """
        known = source.inputs.setdefault(input_key(by.text), by)
        known.news = news
        known.count += 1
        known.targets[target.id] = known.targets.get(target.id, 0) + 1
        known.last = target.id
        target.visits += 1

    def effect(self, state: State, found: Input) -> Effect:
        """What an input is known to do in a state."""
        if found.last is None:
            return Effect.UNKNOWN
        target = self.states[found.last]
        if target.id == FAILURE:
            return Effect.FAILED
        if target.id == ELSEWHERE:
            return Effect.ENDED
        if target.id == state.id and not found.news:
            return Effect.SAME
        if target.confused:
            return Effect.CONFUSED
        return Effect.ENDED if target.final else Effect.NEW

    def heard(self, sentences: list[str]) -> None:
        """Keep the sentences that were not heard before."""
        known = set(self.sentences)
        for one in sentences:
            if one not in known:
                known.add(one)
                self.sentences.append(one)

    def copied(self) -> "BehaviourModel":
        """A copy that shares nothing."""
        return self.model_copy(deep=True)

    def dumped(self) -> str:
        """The model as JSON, for a file."""
        return self.model_dump_json(indent=1) + "\n"

    @classmethod
    def loaded(cls, text: str, name: str = "the behaviour model") -> "BehaviourModel":
        """Read what `dumped` wrote; raises ConfigurationError where it is nothing of the kind."""
        try:
            found = cls.model_validate_json(text)
        except ValueError as err:
            first = str(err).splitlines()
            raise ConfigurationError(
                Problem(f"is no behaviour model: {' '.join(first[:3])}", name)
            ) from err
        found.require_whole(name)
        return found

    def require_whole(self, name: str) -> None:
        """Raise ConfigurationError where a version is newer, or a state is missing."""
        if self.version > VERSION:
            message = f"was written by a newer Sparring (version {self.version}, known {VERSION})"
            raise ConfigurationError(Problem(message, name))
        if START not in self.states:
            raise ConfigurationError(Problem(f"has no state {START!r}", name))
        targets = {target for _, _, target, _ in self.transitions()}
        lasts = {one.last for state in self.states.values() for one in state.inputs.values()}
        missing = sorted((targets | lasts) - {None} - set(self.states), key=str)
        if missing:
            raise ConfigurationError(Problem(f"has a transition to {missing[0]!r}, no state", name))
        wrong = [key for key, state in self.states.items() if state.id != key]
        if wrong:
            raise ConfigurationError(Problem(f"calls the state {wrong[0]!r} otherwise", name))
