"""One session of the explorer: observe, generate, update the model, plan, send.

The loop is that of Elevate's section 3, with the feedback that its checkers were meant to have.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import JsonValue

from sparring.model.talk import Observation
from sparring_plugins.voice.agents.rules_generator import read_output
from sparring_plugins.voice.behaviour.model import ELSEWHERE, END, MOST_OUTPUTS, START, Input, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.explorers.base_explorer import Talk
from sparring_plugins.voice.explorers.frontier import known_states, offered
from sparring_plugins.voice.explorers.settings import ExplorerConfig
from sparring_plugins.voice.outputs.capabilities import HELPING
from sparring_plugins.voice.outputs.dialogue_acts import gist_of
from sparring_plugins.voice.roles.explorer import (
    Effect,
    FailedInput,
    Generated,
    GenerateTask,
    InputOrigin,
    KnownInput,
    ObserveTask,
    OutputKind,
    Plan,
    PlanTask,
    Sighting,
)

_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED, Effect.ENDED)
_LEARNT = (InputOrigin.HELP, InputOrigin.DOCUMENT, InputOrigin.SAMPLE)
_STUCK = 4
"""Turns in a row that change nothing before a session is left, where nothing else is to be "
"tried."""

TaskT = TypeVar("TaskT", contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class Asked(Protocol[TaskT, AnswerT]):
    """An agent, or what stands for one that is switched off."""

    async def act(self, task: TaskT) -> AnswerT:
        """Answer the task."""
        ...


@dataclass(frozen=True)
class Agents:
    """The three agents that the loop asks."""

    observer: Asked[ObserveTask, Sighting]
    generator: Asked[GenerateTask, Generated]
    planner: Asked[PlanTask, Plan]


class Exploration:
    """One session that is being explored.

    `back` is the last state in which the app understood what it was told.
    """

    def __init__(self, agents: Agents, config: ExplorerConfig, talk: Talk, document: str) -> None:
        self.agents = agents
        self.config = config
        self.talk = talk
        self.model = talk.model
        self.document = document
        self.back: State | None = None
        self._stuck = 0

    async def run(self) -> None:
        """Talk until the app ends the conversation, or the turns are spent."""
        state = await self._open()
        while self.talk.goes_on and not self._is_stuck(state):
            state = await self._turn(state)
        if self.config.farewell and not self.talk.ended and not self.talk.spent():
            by = Input(text=self.config.farewell, origin=InputOrigin.SYSTEM)
            await self._send(state, by, "the session's turns are spent")

    def _is_stuck(self, state: State) -> bool:
        """Whether the app goes round in a state in which nothing is left to try."""
        if self._stuck < _STUCK or "model" in self.config.without:
            return False
        inputs = offered(self.model, state, self.back, ())
        return not any(one.count == 0 or one.distance is not None for one in inputs)

    async def _open(self) -> State:
        """Hear what the app says first; before that anything can be said to it."""
        start = self.model.start
        for text in self.config.openings:
            start.offer(Input(text=text))
        silence = Input(text="")
        heard = await self.talk.listen()
        if self.talk.failed is not None:
            return self.talk.fail(start, silence)
        if heard is None:
            return start
        return await self._arrive(start, silence, heard, "the app speaks first")

    async def _turn(self, state: State) -> State:
        """Choose an input, send it, and see where it leads."""
        inputs = offered(self.model, state, self.back, self._system(state)) or (
            KnownInput(text="hello", origin=InputOrigin.SYSTEM),
        )
        plan = await self.agents.planner.act(
            PlanTask(
                state=state.id,
                output=state.outputs[-1] if state.outputs else "",
                inputs=inputs,
                expects=state.expects,
                recent=tuple(self.talk.recent),
                turns_left=self.config.turns - self.model.turns,
                seed=self.talk.seed + self.talk.taken,
            )
        )
        chosen = next((one for one in inputs if one.text == plan.input), inputs[0])
        known = state.inputs.get(input_key(chosen.text))
        by = known or Input(text=chosen.text, origin=chosen.origin, slot=chosen.slot)
        return await self._send(state, by, plan.reason)

    def _system(self, state: State) -> tuple[str, ...]:
        """The words of the system; a device is asked for the app first, and for nothing else."""
        return () if self._unopened(state) else self.config.system

    def _unopened(self, state: State) -> bool:
        return state.id == START and self.config.medium == "voice" and bool(state.inputs)

    async def _send(self, state: State, by: Input, reason: str) -> State:
        heard = await self.talk.say(by)
        if heard is None:
            return self.talk.fail(state, by)
        return await self._arrive(state, by, heard, reason)

    async def _arrive(self, state: State, by: Input, heard: Observation, reason: str) -> State:
        """Find the state that the app is in, add what can be said there, and count the step."""
        new_words = news = False
        if _told(heard, "tested") is False:
            target = self.model.named(ELSEWHERE)
            target.said(heard.text)
            self.talk.ended = True
        elif heard.ended and not heard.text.strip() and not heard.choices:
            target = self.model.named(END)
        else:
            target = await self._observed(state, by, heard)
            new_words = _in_other_words(target, heard.text)
            news = target.said(heard.text)
        target.final = target.final or heard.ended
        self.talk.arrived(state, by, target, reason, news=news)
        if (not target.generated or new_words) and not (heard.ended or self.talk.ended):
            await self._generate(target, heard, by, again=False)
        await self._reconsider(state, by)
        self._stuck = self._stuck + 1 if target.id == state.id or target.confused else 0
        if not target.confused:
            self.back = target
        return target

    async def _observed(self, state: State, by: Input, heard: Observation) -> State:
        """Ask the observer; a state that it does not know is new."""
        expected = read_output(heard, self.talk.seed)[1]
        sighting = await self.agents.observer.act(
            ObserveTask(
                observation=heard,
                states=known_states(self.model),
                expected=tuple(one.text for one in expected),
                came_from=state.id,
                by=by.text,
                led_to=tuple(by.targets),
                seed=self.talk.seed + self.talk.taken,
            )
        )
        target = self.model.states.get(sighting.state or "")
        if target is None:
            target = self.model.add_state()
            target.generated = _answered_for(heard)
            target.confused = sighting.confused or target.generated
            target.choices = [choice.label for choice in heard.choices]
        _offer_choices(target, heard)
        return target

    async def _generate(self, state: State, heard: Observation, by: Input, *, again: bool) -> None:
        """Ask the generator what can be said in a state; only what is new is added.

        Asked `again`, it is told what was in vain.
        """
        first = not any(one.generated for one in self.model.states.values())
        made = await self.agents.generator.act(
            GenerateTask(
                observation=heard,
                known=tuple(one.text for one in state.inputs.values()),
                failed=self._failed(state) if again else (),
                document=self.document if first else "",
                samples=self.config.samples if first else (),
                everything=input_key(by.text) in HELPING or not by.text,
                language=self.config.language,
                seed=self.talk.seed,
            )
        )
        if not state.generated:
            state.expects, state.generated = made.expects, True
        for one in made.candidates:
            if one.origin in _LEARNT:
                self.model.phrases.setdefault(one.text, one.origin)
            elif made.expects is OutputKind.INSTRUCTION:
                self.model.phrases.setdefault(one.text, InputOrigin.HELP)
            if one.origin not in (InputOrigin.DOCUMENT, InputOrigin.SAMPLE):
                state.offer(Input(text=one.text, origin=one.origin, slot=one.slot))

    def _failed(self, state: State) -> tuple[FailedInput, ...]:
        """The inputs of a state that were tried in vain."""
        effects = ((one, self.model.effect(state, one)) for one in state.inputs.values())
        return tuple(
            FailedInput(text=one.text, effect=effect)
            for one, effect in effects
            if effect in _VAIN and one.origin in _OWN
        )

    async def _reconsider(self, state: State, by: Input) -> None:
        """Ask for other inputs of a state where all its own were in vain (validity checker)."""
        own = [one for one in state.inputs.values() if one.origin in _OWN]
        if (
            not any(one is by for one in own)
            or not state.generated
            or state.repairs >= self.config.repairs
        ):
            return
        if all(self.model.effect(state, one) in _VAIN for one in own):
            state.repairs += 1
            await self._generate(state, Observation(text=state.output), by, again=True)


def _told(heard: Observation, key: str) -> JsonValue:
    """What a connector tells of an answer beside its text, if it does."""
    return heard.payload.get(key) if isinstance(heard.payload, dict) else None


def _answered_for(heard: Observation) -> bool:
    """Whether the platform answered in the place of an app that is still open."""
    return _told(heard, "speaker") == "platform" and not heard.ended


def _in_other_words(state: State, text: str) -> bool:
    """Whether a state says something that may suggest other inputs than what it said before."""
    if not state.outputs or not text.strip() or state.different >= MOST_OUTPUTS:
        return False
    frame = gist_of(text).frame
    return all(gist_of(one).frame != frame for one in state.outputs)


def _offer_choices(state: State, heard: Observation) -> None:
    """What can be pressed now; what is not on offer any more is said instead."""
    labels = {input_key(choice.label) for choice in heard.choices}
    for key, one in state.inputs.items():
        one.pressed = one.pressed and key in labels
    for choice in heard.choices:
        if choice.label.strip() and (choice.value is not None or choice.url is None):
            found = state.offer(Input(text=choice.label, origin=InputOrigin.CHOICE))
            found.pressed, found.value = True, choice.value
