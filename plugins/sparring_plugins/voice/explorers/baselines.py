"""The baselines `chatbot`, `vitas` and `random`, to which the explorer is compared.

`chatbot` is a language model alone. `vitas` is Vitas (Li et al., FSE 2022) as far as its published
traces show it: a state is a sentence that was not heard before, and the input with the largest
weight is said. Its weight formula is the intended one, of which its published code lost a factor:
(0.6 IW + 0.4 novelty) / (times / M), where times counts from M = 10. `random` draws from the same
inputs.
"""

from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatRequest
from sparring.model.talk import Observation
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.prompting.exchange import settled
from sparring_plugins.prompting.prompts import Prompts
from sparring_plugins.users.model_user.prompt_data import seed_of
from sparring_plugins.voice.behaviour_model import END, Input, State
from sparring_plugins.voice.explorers.base_explorer import (
    BaseExplorer,
    BaseExplorerConfig,
    ExplorationSession,
    add_choices,
)
from sparring_plugins.voice.outputs.named_inputs import instructed, quoted
from sparring_plugins.voice.outputs.suggested_inputs import read_output
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import InputOrigin, OutputKind

PROMPTS = Path(__file__).with_name("prompts")

# chatbot

NO_ANSWER = "I don't know"
"""What is said if the model says nothing."""

_MAX_REPLY = 2_000


class ChatbotConfig(BaseExplorerConfig):
    """Settings of the baseline `chatbot`."""

    prompts: str | None = None
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=450, gt=0)
    llm_role: str = Field(default="chatbot", min_length=1)


class ChatbotExplorer(BaseExplorer[ChatbotConfig]):
    """A language model gets the app's latest output alone, and what it says is sent as it is.

    Its prompt says that it is a chatbot and nothing else, as the authors of Elevate did in their
    comparison. The behaviour model only keeps count: every different output is a state.
    """

    Config: ClassVar[type[PluginConfig]] = ChatbotConfig

    def __init__(self, config: ChatbotConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        backend = context.llm(config.llm_role)
        if backend is None:
            raise ConfigurationError(
                "the player 'chatbot' asks a language model, and the suite names none: add for "
                "example `llm: {use: openai, model: gpt-4o-mini}`"
            )
        self._backend: LLMBackend[Any] = backend
        self._prompts = Prompts.of(context, PROMPTS, config.prompts)

    async def converse(self, session: ExplorationSession) -> None:
        output = await session.listen()
        state = session.model.start
        if session.failed is not None:
            session.record_failure(state, Input(text=""))
            return
        if output is not None:
            state = _record_output(session, state, Input(text=""), output)
        while session.goes_on:
            reply = await self._reply(output.text if output else "", session)
            by = state.add_input(Input(text=reply))
            output = await session.say(by)
            if output is None:
                session.record_failure(state, by)
                return
            state = _record_output(session, state, by, output)
        if self.config.farewell and not session.ended and not session.is_spent():
            by = state.add_input(Input(text=self.config.farewell, origin=InputOrigin.SYSTEM))
            output = await session.say(by)
            if output is not None:
                _record_output(session, state, by, output)

    async def _reply(self, output: str, session: ExplorationSession) -> str:
        request = ChatRequest(
            messages=self._prompts.messages("chatbot", {"output": output[:6_000]}),
            asker=self.config.llm_role,
            prompt="chatbot",
            temperature=self.config.temperature,
            max_tokens=self.config.max_tokens,
            seed=seed_of(session.seed, session.taken),
        )
        reply = await settled(self._backend, request)
        return " ".join(reply.text.split())[:_MAX_REPLY] or NO_ANSWER


def _record_output(
    session: ExplorationSession, source: State, by: Input, output: Observation
) -> State:
    target = _state_with_output(session, output.text)
    if not output.text.strip() and output.ended:
        target = session.model.fixed_state(END)
    if target is None:
        target = session.model.add_state()
        target.add_output(output.text)
    target.final = target.final or output.ended
    return session.record_step(source, by, target, "")


def _state_with_output(session: ExplorationSession, text: str) -> State | None:
    states = session.model.states.values()
    return next((state for state in states if state.outputs == [text]), None)


# vitas and random

ALPHA, BETA, M = 0.6, 0.4, 10
EPSILON = 0.1
"""How often the sentence to answer is drawn at random."""

WEIGHTS = {
    InputOrigin.CONTEXT: 1.0,
    InputOrigin.CHOICE: 1.0,
    InputOrigin.HELP: 0.9,
    InputOrigin.DOCUMENT: 0.8,
    InputOrigin.SAMPLE: 0.8,
    InputOrigin.SYSTEM: 0.1,
}
"""The initial weight IW of an input, by where it comes from."""

CANNED_ANSWERS = {
    "when": ("Today", "At 2pm"),
    "where": ("China", "In the supermarket"),
    "whose": ("Mine", "Adele's"),
    "who": ("Taylor Swift", "Tagore"),
}
"""Vitas' answers to questions for a piece of information."""

_ANSWERED_FIRST = (
    OutputKind.SELECTION,
    OutputKind.YES_NO,
    OutputKind.INSTRUCTION,
    OutputKind.MIXED,
)
# The words after which Vitas looks whether the session is over.
_STOPS = ("stop", "exit", "cancel", "quit")
# Alexa answers this itself once a skill has ended: an answer of the skill shows that "stop" did not
# stop it.
_PROBE = "what's the time"
_MAX_PHRASES = 24


class VitasConfig(BaseExplorerConfig):
    """Settings of the baselines `vitas` and `random`; `document` is the app's own description."""

    document: str | None = None
    epsilon: float = Field(default=EPSILON, ge=0, le=1)


class _Sentence(NamedTuple):
    """A sentence of an output with what it expects; `state` stands for it in the model."""

    text: str
    kind: OutputKind
    state: State


class VitasExplorer(BaseExplorer[VitasConfig]):
    """Says help first, then to one sentence of each output the input with the largest weight.

    The sentence is the one with the best reward, now and then (ε) a random one; the weight of an
    input falls with its use and with what it brought nothing new. After a word that ends the
    session it asks the time.
    """

    Config: ClassVar[type[PluginConfig]] = VitasConfig

    def __init__(self, config: VitasConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        text = config.document or ""
        phrases = [*quoted(text), *(one for part in sentences(text) for one in instructed(part))]
        self._document = tuple(dict.fromkeys(phrases))[:_MAX_PHRASES]

    async def converse(self, session: ExplorationSession) -> None:
        state = await self._open(session)
        if state is None:
            return
        by: Input | None = state.add_input(Input(text="help", origin=InputOrigin.SYSTEM))
        while session.goes_on:
            by = by or self.choose(session, state)
            output = await session.say(by)
            if output is None:
                session.record_failure(state, by)
                return
            stopping = folded(by.text) in _STOPS and self.config.medium == "voice"
            state = self._arrive(session, state, by, output)
            probe = Input(text=_PROBE, origin=InputOrigin.SYSTEM)
            by = state.add_input(probe) if stopping else None

    async def _open(self, session: ExplorationSession) -> State | None:
        """Return the first state, or `None` if the app failed at once."""
        start, silence = session.model.start, Input(text="")
        output = await session.listen()
        if session.failed is not None:
            session.record_failure(start, silence)
            return None
        sentence = self._sentence(session, output) if output else None
        if sentence:
            return session.record_step(start, silence, sentence.state, "the app speaks first")
        if not session.goes_on or not self.config.openings:
            return start
        number = (session.model.sessions - 1) % len(self.config.openings)
        opening = start.add_input(Input(text=self.config.openings[number]))
        answer = await session.say(opening)
        if answer is None:
            session.record_failure(start, opening)
            return None
        return self._arrive(session, start, opening, answer)

    def choose(self, session: ExplorationSession, state: State) -> Input:
        """Return the input with the largest weight, the first of equal ones."""
        return max(self.candidates(session, state), key=weight)

    def candidates(self, session: ExplorationSession, state: State) -> list[Input]:
        """Return everything that can be said in a state, which keeps count of it."""
        for text, origin in session.model.phrases.items():
            state.add_input(Input(text=text, origin=origin))
        for text in self._document:
            state.add_input(Input(text=text, origin=InputOrigin.DOCUMENT))
        for text in self.config.system:
            state.add_input(Input(text=text, origin=InputOrigin.SYSTEM))
        return list(state.inputs.values()) or [Input(text="hello", origin=InputOrigin.SYSTEM)]

    def _arrive(
        self, session: ExplorationSession, source: State, by: Input, output: Observation
    ) -> State:
        model = session.model
        sentences_heard = {text for state in model.states.values() for text in state.outputs}
        texts = _sentences(output)
        if not texts:
            target = model.fixed_state(END) if output.ended else source
            return session.record_step(source, by, target, "")
        sentence = self._sentence(session, output)
        new_state = bool(sentence and sentence.state.visits == 0)
        source.reward += 1 if new_state else -1
        by.novelty += novelty(new_state, source.output in texts, texts, sentences_heard)
        if folded(by.text) == "help":
            for phrase in (phrase for text in texts for phrase in instructed(text)):
                model.phrases.setdefault(phrase, InputOrigin.HELP)
        target = sentence.state if sentence else source
        target.final = target.final or output.ended
        return session.record_step(source, by, target, f"weight {weight(by):.3f}")

    def _sentence(self, session: ExplorationSession, output: Observation) -> _Sentence | None:
        """Return the sentence of an output that is answered, and add its state to the model."""
        typed: list[_Sentence] = []
        for text in reversed(_sentences(output)):
            kind, _ = read_output(Observation(text=text), session.seed)
            typed.append(_Sentence(text, kind, _state_of(session, text)))
        asking = [one for one in typed if one.kind is not OutputKind.OTHER]
        # A sentence that names what can be said is answered before one that asks for something
        # unknown.
        asking.sort(key=lambda one: one.kind not in _ANSWERED_FIRST)
        if not typed:
            return None
        if not asking:
            chosen = typed[0]
        elif session.draw.random() < self.config.epsilon:
            chosen = asking[session.draw.randrange(len(asking))]
        else:
            chosen = max(asking, key=lambda one: one.state.reward)
        state = session.model.states.setdefault(chosen.state.id, chosen.state)
        if not state.generated:
            state.generated, state.expects = True, chosen.kind
            for text in _answers(chosen, session.seed):
                state.add_input(Input(text=text))
        add_choices(state, output.choices)
        return chosen


class RandomExplorer(VitasExplorer):
    """Says any of the inputs that `vitas` knows, all with the same chance."""

    def choose(self, session: ExplorationSession, state: State) -> Input:
        inputs = self.candidates(session, state)
        return inputs[session.draw.randrange(len(inputs))]


def weight(by: Input) -> float:
    """Return how promising an input is; less with each use."""
    initial = WEIGHTS[by.origin]
    return (ALPHA * initial + BETA * by.novelty) / ((M + by.count) / M)


def novelty(new_state: bool, same: bool, texts: list[str], known: set[str]) -> float:
    """Return what an input's novelty gains or loses by the sentences that it brought.

    `new_state` means that they led to a new state, `same` that the sentence before is one of them.
    """
    # The steps of Vitas' code: the same sentence again loses most, an output of which a third is
    # old a little.
    old = sum(text in known for text in texts)
    if same:
        return -0.3
    if new_state and old < len(texts):
        return 0.1
    if old >= len(texts) / 2:
        return -0.2
    return -0.1 if old >= len(texts) / 3 else 0.0


def _state_of(session: ExplorationSession, text: str) -> State:
    """Return the state of a sentence, which may not be in the model yet."""
    model = session.model
    return _state_with_output(session, text) or State(
        id=f"s{len(model.states)}", outputs=[text], different=1, first_turn=model.turns
    )


def _answers(sentence: _Sentence, seed: int) -> list[str]:
    kind, candidates = read_output(Observation(text=sentence.text), seed)
    if kind is not OutputKind.WH:
        return [one.text for one in candidates]
    words = folded(sentence.text).split()
    canned = next((CANNED_ANSWERS[word] for word in CANNED_ANSWERS if word in words), None)
    return list(canned or [word for word in words if len(word) > 3][:_MAX_PHRASES])


def _sentences(output: Observation) -> list[str]:
    """Return the sentences of an output, or its choices as one if it has no text."""
    texts = list(dict.fromkeys(sentences(plain(output.text))))
    labels = [choice.label for choice in output.choices if input_key(choice.label)]
    return texts or ([" / ".join(labels)] if labels else [])
