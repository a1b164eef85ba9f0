"""One session of an exploration: observe, generate, update the model, plan, send.

The loop is that of Elevate's section 3, with the feedback that its checkers were meant to have.
"""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol, TypeVar

from sparring.errors import AppError
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.explorer_roles import (
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
from sparring.model.talk import Act, Listen, Observation, Press, Say
from sparring_plugins.agents.explorer.frontier import known_states, offered
from sparring_plugins.agents.explorer.settings import ExplorerConfig
from sparring_plugins.agents.exploring.generator import read_output
from sparring_plugins.agents.patterns.plain_text import plain, sentences
from sparring_plugins.behaviour.model import END, FAILURE, BehaviourModel, Input, State
from sparring_plugins.behaviour.naming import input_key

_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED, Effect.ENDED)
_LEARNT = (InputOrigin.HELP, InputOrigin.DOCUMENT, InputOrigin.SAMPLE)
_HELPING = ("help", "what can you do", "ayuda")
_RECENT = 6


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


@dataclass
class Exploration:
    """One session: the open conversation, the model that it goes on with, where the app is now.

    `back` is the last state in which the app understood what it was told. `steps` has for each turn
    the state reached and why the input was chosen, for the trace.
    """

    agents: Agents
    config: ExplorerConfig
    model: BehaviourModel
    session: AppSession
    document: str
    seed: int
    taken: int = 0
    ended: bool = False
    failed: AppError | None = None
    back: State | None = None
    recent: list[str] = field(default_factory=list[str])
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    began: float = field(default_factory=monotonic)

    async def run(self) -> None:
        """Talk until the app ends the conversation or the session's turns are spent."""
        self.model.sessions += 1
        state = await self._open()
        while not self.ended and self._may_go_on():
            state = await self._turn(state)
        if not self.ended and self.config.farewell and self.model.turns < self.config.turns:
            await self._send(state, Input(text=self.config.farewell, origin=InputOrigin.SYSTEM), "")

    def _may_go_on(self) -> bool:
        return self.taken < self.config.session_turns and not self.spent()

    def spent(self) -> bool:
        """Whether the exploration has no turn or no time left."""
        if self.model.turns >= self.config.turns:
            return True
        minutes = self.config.minutes
        seconds = self.model.seconds + monotonic() - self.began
        return minutes is not None and seconds >= minutes * 60

    async def _open(self) -> State:
        """Hear what the app says first."""
        start = self.model.start
        start.visits += 1
        for text in self.config.openings:
            start.offer(Input(text=text))
        try:
            heard = await self.session.send(Listen())
        except AppError as err:
            return self._failure(start, Input(text=""), err)
        if not (heard.text.strip() or heard.choices or heard.ended):
            return start
        return await self._arrive(start, Input(text=""), heard, "the app speaks first")

    async def _turn(self, state: State) -> State:
        """Choose an input, send it, and see where it leads."""
        inputs = offered(self.model, state, self.back, self.config.system)
        if not inputs:
            inputs = (KnownInput(text=self.config.openings[0] if self.config.openings else "hello",
                                 origin=InputOrigin.SYSTEM),)  # fmt: skip
        plan = await self.agents.planner.act(
            PlanTask(
                state=state.id,
                output=state.outputs[-1] if state.outputs else "",
                inputs=inputs,
                recent=tuple(self.recent[-_RECENT:]),
                turns_left=self.config.turns - self.model.turns,
                seed=self.seed + self.taken,
            )
        )
        chosen = next((one for one in inputs if one.text == plan.input), inputs[0])
        known = state.inputs.get(input_key(chosen.text))
        by = known or Input(text=chosen.text, origin=chosen.origin, slot=chosen.slot)
        return await self._send(state, by, plan.reason)

    async def _send(self, state: State, by: Input, reason: str) -> State:
        self.taken += 1
        self.model.turns += 1
        self.recent.append(by.text)
        act: Act = Press(label=by.text, value=by.value) if by.pressed else Say(text=by.text)
        try:
            heard = await self.session.send(act)
        except AppError as err:
            return self._failure(state, by, err)
        return await self._arrive(state, by, heard, reason)

    async def _arrive(self, state: State, by: Input, heard: Observation, reason: str) -> State:
        """Find the state that the app is in, add what can be said there, and count the step."""
        if heard.ended and not heard.text.strip() and not heard.choices:
            target = self.model.named(END)
        else:
            target = await self._observed(state, by, heard)
        target.final = target.final or heard.ended
        self.ended = heard.ended
        self.model.lead(state, by, target)
        self._note(by, target, reason)
        if not target.generated and not heard.ended:
            await self._generate(target, heard, by)
        await self._reconsider(state, by)
        if not target.confused:
            self.back = target
        return target

    async def _observed(self, state: State, by: Input, heard: Observation) -> State:
        """Ask the observer; a state that it does not know is new."""
        expected = read_output(heard, self.seed)[1]
        sighting = await self.agents.observer.act(
            ObserveTask(
                observation=heard,
                states=known_states(self.model),
                expected=tuple(one.text for one in expected),
                came_from=state.id,
                by=by.text,
                led_to=tuple(by.targets),
                seed=self.seed + self.taken,
            )
        )
        known = self.model.states.get(sighting.state or "")
        target = known if known is not None else self.model.add_state()
        if known is None:
            target.confused = sighting.confused
            target.choices = [choice.label for choice in heard.choices]
        target.said(heard.text)
        self._offer_choices(target, heard)
        self.model.heard([*sentences(plain(heard.text))])
        return target

    def _offer_choices(self, state: State, heard: Observation) -> None:
        """What can be pressed now; what is not on offer any more is said instead."""
        labels = {input_key(choice.label) for choice in heard.choices}
        for key, one in state.inputs.items():
            one.pressed = one.pressed and key in labels
        for choice in heard.choices:
            if choice.label.strip() and (choice.value is not None or choice.url is None):
                found = state.offer(Input(text=choice.label, origin=InputOrigin.CHOICE))
                found.pressed, found.value = True, choice.value

    async def _generate(self, state: State, heard: Observation, by: Input) -> None:
        """Ask the generator what can be said in a state; only what is new is added."""
        first = not self.model.phrases and not state.repairs
        made = await self.agents.generator.act(
            GenerateTask(
                observation=heard,
                known=tuple(one.text for one in state.inputs.values()),
                failed=self._failed(state) if state.generated else (),
                document=self.document if first else "",
                samples=self.config.samples if first else (),
                everything=input_key(by.text) in _HELPING or (state.visits == 1 and not by.text),
                language=self.config.language,
                seed=self.seed,
            )
        )
        state.expects, state.generated = made.expects, True
        for one in made.candidates:
            if one.origin in _LEARNT or made.expects is OutputKind.INSTRUCTION:
                origin = one.origin if one.origin in _LEARNT else InputOrigin.HELP
                self.model.phrases.setdefault(one.text, origin)
            if one.origin in (InputOrigin.DOCUMENT, InputOrigin.SAMPLE):
                continue
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
        if by not in own or not state.outputs or not state.generated:
            return
        if state.repairs >= self.config.repairs:
            return
        if all(self.model.effect(state, one) in _VAIN for one in own):
            state.repairs += 1
            heard = Observation(text=state.outputs[-1])
            await self._generate(state, heard, by)

    def _failure(self, state: State, by: Input, err: AppError) -> State:
        """The app crashed or gave no answer: the session is over."""
        self.failed, self.ended = err, True
        target = self.model.named(FAILURE)
        self.model.lead(state, by, target)
        self._note(by, target, type(err).__name__)
        return target

    def _note(self, by: Input, target: State, reason: str) -> None:
        self.steps.append({"input": by.text, "state": target.id, "reason": reason})
