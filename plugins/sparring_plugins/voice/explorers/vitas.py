"""The baselines `vitas` and `random`: weighted inputs to exact sentences, and inputs by lot.

Vitas (Li et al., FSE 2022) as far as its published traces show it: a state is a sentence that was
not heard before, and the input with the largest weight is said. Its weight formula is the
intended one, of which its published code lost a factor: (0.6 IW + 0.4 novelty) / (times / M), where
times counts from M = 10.
"""

from typing import ClassVar, NamedTuple

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Observation
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.voice.agents.rules_generator import read_output
from sparring_plugins.voice.behaviour.model import END, Input, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.explorers.base_explorer import Talk, Tester
from sparring_plugins.voice.explorers.settings import TesterConfig
from sparring_plugins.voice.outputs.quoted_phrases import instructed, quoted
from sparring_plugins.voice.roles.explorer import InputOrigin, OutputKind

ALPHA, BETA, M = 0.6, 0.4, 10
EPSILON = 0.1
"""How often the sentence to answer is drawn by lot."""

WEIGHTS = {
    InputOrigin.CONTEXT: 1.0,
    InputOrigin.CHOICE: 1.0,
    InputOrigin.HELP: 0.9,
    InputOrigin.DOCUMENT: 0.8,
    InputOrigin.SAMPLE: 0.8,
    InputOrigin.SYSTEM: 0.1,
}
"""The initial weight IW of an input, by where it comes from."""

CANNED = {
    "when": ("Today", "At 2pm"),
    "where": ("China", "In the supermarket"),
    "whose": ("Mine", "Adele's"),
    "who": ("Taylor Swift", "Tagore"),
}
"""Vitas' answers to questions for a piece of information."""

_FIRST = (OutputKind.SELECTION, OutputKind.YES_NO, OutputKind.INSTRUCTION, OutputKind.MIXED)
_STOPS = ("stop", "exit", "cancel", "quit")
_PROBE = "what's the time"
_MOST = 24


class VitasConfig(TesterConfig):
    """Settings of the baselines `vitas` and `random`; `document` is the app's own description."""

    document: str | None = None
    epsilon: float = Field(default=EPSILON, ge=0, le=1)


class _Sentence(NamedTuple):
    """A sentence of an output with what it expects; `state` stands for it in the model."""

    text: str
    kind: OutputKind
    state: State


class VitasTester(Tester[VitasConfig]):
    """Says help first, then to one sentence of each output the input with the largest weight.

    The sentence is the one with the best reward, now and then (ε) one by lot; the weight of an
    input falls with its use and with what it brought nothing new. After a word that ends the
    session it asks the time.
    """

    Config: ClassVar[type[PluginConfig]] = VitasConfig

    def __init__(self, config: VitasConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        text = config.document or ""
        found = [*quoted(text), *(one for part in sentences(text) for one in instructed(part))]
        self._document = tuple(dict.fromkeys(found))[:_MOST]

    async def converse(self, talk: Talk) -> None:
        heard = await talk.listen()
        if talk.failed is not None:
            talk.fail(talk.model.start, Input(text=""))
            return
        at = self._sentence(talk, heard) if heard else None
        state = at.state if at else talk.model.start
        if at:
            talk.arrived(talk.model.start, Input(text=""), state, "the app speaks first")
        elif talk.goes_on and self.config.openings:
            opening = state.offer(Input(text=self._opening(talk)))
            answer = await talk.say(opening)
            if answer is None:
                talk.fail(state, opening)
                return
            state = self._arrive(talk, state, opening, answer)
        first = Input(text="help", origin=InputOrigin.SYSTEM)
        by: Input | None = state.offer(first)
        while talk.goes_on:
            by = by or self.choose(talk, state)
            source, said = state, by
            answer = await talk.say(said)
            if answer is None:
                talk.fail(source, said)
                return
            state = self._arrive(talk, source, said, answer)
            by = None
            if folded(said.text) in _STOPS and self.config.medium == "voice":
                by = state.offer(Input(text=_PROBE, origin=InputOrigin.SYSTEM))

    def _opening(self, talk: Talk) -> str:
        """What is said to an app that does not speak first: one of the openings after another."""
        return self.config.openings[(talk.model.sessions - 1) % len(self.config.openings)]

    def choose(self, talk: Talk, state: State) -> Input:
        """The input with the largest weight, the first of equal ones."""
        return max(self.candidates(talk, state), key=weight)

    def candidates(self, talk: Talk, state: State) -> list[Input]:
        """Everything that can be said in a state, which keeps count of it."""
        for text, origin in talk.model.phrases.items():
            state.offer(Input(text=text, origin=origin))
        for text in self._document:
            state.offer(Input(text=text, origin=InputOrigin.DOCUMENT))
        for text in self.config.system:
            state.offer(Input(text=text, origin=InputOrigin.SYSTEM))
        return list(state.inputs.values()) or [Input(text="hello", origin=InputOrigin.SYSTEM)]

    def _arrive(self, talk: Talk, source: State, by: Input, heard: Observation) -> State:
        known = {output for state in talk.model.states.values() for output in state.outputs}
        said = _sentences(heard)
        if not said:
            return talk.arrived(source, by, talk.model.named(END) if heard.ended else source, "")
        fresh = source.output not in said and any(one not in known for one in said)
        at = self._sentence(talk, heard)
        new_state = bool(at and at.state.visits == 0)
        source.reward += 1 if new_state else -1
        by.novelty += novelty(new_state and fresh, source.output in said, said, known)
        if folded(by.text) == "help":
            for one in said:
                for phrase in instructed(one):
                    talk.model.phrases.setdefault(phrase, InputOrigin.HELP)
        target = at.state if at else source
        target.final = target.final or heard.ended
        return talk.arrived(source, by, target, f"weight {weight(by):.3f}")

    def _sentence(self, talk: Talk, heard: Observation) -> _Sentence | None:
        """The sentence of an output that is answered, and its state."""
        typed: list[_Sentence] = []
        for text in _sentences(heard)[::-1]:
            kind, _ = read_output(Observation(text=text), talk.seed)
            typed.append(_Sentence(text, kind, _state_of(talk, text)))
        asking = [one for one in typed if one.kind is not OutputKind.OTHER]
        asking.sort(key=lambda one: one.kind not in _FIRST)
        if not typed:
            return None
        if not asking:
            chosen = typed[0]
        elif talk.draw.random() < self.config.epsilon:
            chosen = asking[talk.draw.randrange(len(asking))]
        else:
            chosen = max(asking, key=lambda one: one.state.reward)
        self._fill(talk, chosen, heard)
        return chosen

    def _fill(self, talk: Talk, chosen: _Sentence, heard: Observation) -> None:
        """Add the chosen sentence to the model, with the inputs that it suggests."""
        state = talk.model.states.setdefault(chosen.state.id, chosen.state)
        if not state.generated:
            state.generated, state.expects = True, chosen.kind
            for text in _answers(chosen, talk.seed):
                state.offer(Input(text=text))
        for choice in heard.choices:
            if choice.label.strip() and (choice.value is not None or choice.url is None):
                found = state.offer(Input(text=choice.label, origin=InputOrigin.CHOICE))
                found.pressed, found.value = True, choice.value


class RandomTester(VitasTester):
    """Says any of the inputs that `vitas` knows, all with the same chance."""

    def choose(self, talk: Talk, state: State) -> Input:
        found = self.candidates(talk, state)
        return found[talk.draw.randrange(len(found))]


def weight(found: Input) -> float:
    """How promising an input is; less with each use."""
    initial = WEIGHTS[found.origin]
    return (ALPHA * initial + BETA * found.novelty) / ((M + found.count) / M)


def novelty(new: bool, same: bool, said: list[str], known: set[str]) -> float:
    """What an input's novelty gains or loses by the output that it brought."""
    if new:
        return 0.1
    if same:
        return -0.3
    old = sum(one in known for one in said)
    if old >= len(said) / 2:
        return -0.2
    return -0.1 if old >= len(said) / 3 else 0.0


def _state_of(talk: Talk, text: str) -> State:
    found = next((one for one in talk.model.states.values() if one.outputs == [text]), None)
    if found is not None:
        return found
    number = len(talk.model.states)
    return State(id=f"s{number}", outputs=[text], different=1, first_turn=talk.model.turns)


def _answers(chosen: _Sentence, seed: int) -> list[str]:
    kind, found = read_output(Observation(text=chosen.text), seed)
    if kind is not OutputKind.WH:
        return [one.text for one in found]
    words = folded(chosen.text).split()
    canned = next((CANNED[word] for word in CANNED if word in words), None)
    return list(canned) if canned else [one for one in words if len(one) > 3][:_MOST]


def _sentences(heard: Observation) -> list[str]:
    found = list(dict.fromkeys(sentences(plain(heard.text))))
    labels = [choice.label for choice in heard.choices if input_key(choice.label)]
    return found or ([" / ".join(labels)] if labels else [])
