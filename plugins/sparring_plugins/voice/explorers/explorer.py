"""The player `explorer`: finds out what an unknown app can do, session by session (Elevate)."""

from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from pydantic import Field, field_validator

from sparring.errors import AppUnreachable, ConfigurationError, EnvironmentFailure, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.talk import Observation
from sparring_plugins.language.text import plain
from sparring_plugins.voice.behaviour_model import (
    ELSEWHERE,
    END,
    MAX_OUTPUTS,
    START,
    BehaviourModel,
    Input,
    State,
)
from sparring_plugins.voice.explorers.base_explorer import (
    SYSTEM_INPUTS,
    BaseExplorer,
    BaseExplorerConfig,
    ExplorationSession,
    add_choices,
)
from sparring_plugins.voice.explorers.definition import (
    add_expected,
    asked_state,
    learn_definition,
    locale_of,
    may_leave_state,
    next_opening,
    note_understood,
    note_unlaunched,
    opposite_answer,
    parts_to_repeat,
    payload_value,
    system_words,
)
from sparring_plugins.voice.explorers.frontier import available_inputs, known_states, own_inputs
from sparring_plugins.voice.explorers.series import SeriesPlanner
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of, is_confused
from sparring_plugins.voice.outputs.named_inputs import HELP_REQUESTS, quoted
from sparring_plugins.voice.outputs.suggested_inputs import read_output
from sparring_plugins.voice.outputs.words import input_key, language_of
from sparring_plugins.voice.roles import (
    Candidate,
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

MAX_STUCK_TURNS = 4
"""Turns in a row that change nothing before a session is left, if nothing else is to be tried."""

# An end is in vain here, too: where all that can be said ends the session, other inputs are asked
# for.
_FAILED_EFFECTS = (Effect.SAME, Effect.CONFUSED, Effect.FAILED, Effect.ENDED)
# Yes and no are compared in one session if the question comes after so few inputs.
_MAX_REPEATED = 4
_MAX_REPEATED_SESSIONS = 3
_DEFAULT_LANGUAGE = "English"
# What help, description and definition name can be said anywhere; an answer to a question only
# there.
_LEARNT_ORIGINS = (InputOrigin.HELP, InputOrigin.DOCUMENT, InputOrigin.SAMPLE)

Without = Literal["observer", "generator", "planner", "model"]
TaskT = TypeVar("TaskT", contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class ExplorerConfig(BaseExplorerConfig):
    """Settings of the player `explorer`.

    `observer`, `generator` and `planner` are its agents. `without` switches parts off, to measure
    what they are worth: without the observer every different output is a state, without the
    generator only words of the system and quoted phrases are said, without the planner inputs are
    drawn by lot, and without the model nothing is known of earlier turns. `document` is the app's
    own description, as a text or a file; `samples` are phrases of its definition. If the connector
    knows that definition, its intents are tried, too, unless `black_box` is set. `repairs` is how
    often the generator is asked again for one state whose inputs were in vain. `start_from` is a
    stored behaviour model to go on from.
    """

    observer: Annotated[Use, UseOf("sparring.agents", role="observer")] = Use(use="similarity")
    generator: Annotated[Use, UseOf("sparring.agents", role="generator")] = Use(use="rules")
    planner: Annotated[Use, UseOf("sparring.agents", role="planner")] = Use(use="rules")
    without: tuple[Without, ...] = ()
    document: str | None = None
    samples: tuple[str, ...] = ()
    black_box: bool = False
    repairs: int = Field(default=3, ge=0, le=20)
    start_from: str | None = None

    @property
    def system(self) -> tuple[str, ...]:
        """The inputs of the system; for voice also the words for the platforms' own intents."""
        own = super().system
        if self.system_inputs is not None or self.medium != "voice":
            return own
        return (*own, *SYSTEM_INPUTS.standard)

    @field_validator("without", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value


class AgentLike(Protocol[TaskT, AnswerT]):
    """An agent, or the stand-in for one that is switched off."""

    async def act(self, task: TaskT) -> AnswerT:
        """Answer the task."""
        ...


@dataclass(frozen=True)
class ExplorerAgents:
    """The three agents that the loop asks."""

    observer: AgentLike[ObserveTask, Sighting]
    generator: AgentLike[GenerateTask, Generated]
    planner: AgentLike[PlanTask, Plan]


class ElevateExplorer(BaseExplorer[ExplorerConfig]):
    """Explores an unknown app (Elevate, section 3).

    After each answer the observer finds the state of the app, the generator proposes inputs, and
    the planner chooses one; the behaviour model keeps states, inputs, and their transitions. The
    strategy `sessions` plays session after session, each with the model of the one before, until
    the turns or minutes are spent.
    """

    Config: ClassVar[type[PluginConfig]] = ExplorerConfig

    def __init__(self, config: ExplorerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        off = config.without
        self.agents = ExplorerAgents(
            ExactObserver() if "observer" in off else self._agent(config.observer, "observer"),
            PlainGenerator() if "generator" in off else self._agent(config.generator, "generator"),
            RandomPlanner() if "planner" in off else self._agent(config.planner, "planner"),
        )
        self._document = _document(config.document, context)
        self._first_model = _stored_model(config.start_from, context)

    def _agent(self, use: Use, role: str) -> Any:
        return self.context.part(Agent[Any, Any, Any], use, role=role)

    async def converse(self, session: ExplorationSession) -> None:
        """Play one session."""
        await ElevateLoop(self.agents, self.config, session, self._document).run()

    def fresh_model(self) -> BehaviourModel:
        """Return the model to begin with: that of `start_from`, or an empty one."""
        return self._first_model.deep_copy() if self._first_model is not None else BehaviourModel()

    def kept_model(self, model: BehaviourModel) -> BehaviourModel:
        """Return what the next session gets of a model: all, or its counters alone."""
        if "model" not in self.config.without:
            return model
        return BehaviourModel(  # the counters of the budget are not part of what is switched off
            app=model.app,
            language=model.language,
            sessions=model.sessions,
            turns=model.turns,
            seconds=model.seconds,
            idle_sessions=model.idle_sessions,
        )


class ElevateLoop:
    """One session: observe, generate, update the model, plan, send (Elevate, section 3).

    Checkers get the feedback that the paper means them to have: inputs that were tried in vain go
    back to the generator. `understood` is the last state in which the app understood its input.
    """

    def __init__(
        self,
        agents: ExplorerAgents,
        config: ExplorerConfig,
        session: ExplorationSession,
        document: str,
    ) -> None:
        self.agents = agents
        self.config = config
        self.session = session
        self.model = session.model
        self.document = document
        self.understood: State | None = None
        self._stuck_turns = 0
        self._is_unlaunched = False
        #: Inputs that come next, whatever the planner would choose.
        self._script: list[str] = []
        self._script_reason = ""
        self._series = SeriesPlanner(self.model, config.turns)
        self._may_leave_state = False
        self._language = config.language

    async def run(self) -> None:
        """Talk until the app ends the conversation, or the turns are spent."""
        state = await self._open()
        while self.session.goes_on and not self._is_stuck(state):
            state = await self._take_turn(state)
        if self.session.ended and not self.session.is_spent():
            state = await self._repeat_session(state)
        if self.config.farewell and not self.session.ended and not self.session.is_spent():
            by = Input(text=self.config.farewell, origin=InputOrigin.SYSTEM)
            await self._send(state, by, "the session's turns are spent")

    def _is_stuck(self, state: State) -> bool:
        """Return whether the app goes round in a state in which nothing is left to try."""
        if self._stuck_turns < MAX_STUCK_TURNS or "model" in self.config.without:
            return False
        inputs = available_inputs(self.model, state, self.understood, ())
        return not any(one.count == 0 or one.distance is not None for one in inputs)

    async def _open(self) -> State:
        """Listen to the app's first words, or open it with a request."""
        start = self.model.start
        for text in self.config.openings:
            start.add_input(Input(text=text))
        if not self.config.black_box:
            learn_definition(self.model, self.session.session.facts())
            opening = next_opening(self.model)
            if opening is not None:
                self.session.begin()
                self._is_unlaunched = True
                by = start.add_input(Input(text=opening, origin=InputOrigin.SAMPLE))
                return await self._send(start, by, "a request that opens the app")
        silence = Input(text="")
        output = await self.session.listen()
        if self.session.failed is not None:
            return self.session.record_failure(start, silence)
        if output is None:
            return start
        return await self._arrive(start, silence, output, "the app speaks first")

    async def _take_turn(self, state: State) -> State:
        """Choose an input, send it, and return the state that it leads to."""
        if self._script:
            by = Input(text=self._script.pop(0), origin=InputOrigin.SYSTEM)
            known = state.inputs.get(input_key(by.text))
            return await self._send(state, known or by, self._script_reason)
        # a device is asked for the app first, and for nothing else
        unopened = state.id == START and self.config.medium == "voice" and bool(state.inputs)
        defined = self.model.utterances and self.config.system_inputs is None
        system = () if unopened else system_words(self.model) if defined else self.config.system
        again = parts_to_repeat(self.model) if self._is_unlaunched else frozenset[str]()
        # Nothing was suggested, and there are no words of the system: most apps answer a greeting.
        inputs = available_inputs(self.model, state, self.understood, system, again) or (
            KnownInput(text="hello", origin=InputOrigin.SYSTEM),
        )
        plan = await self.agents.planner.act(
            PlanTask(
                state=state.id,
                output=state.outputs[-1] if state.outputs else "",
                inputs=inputs,
                expects=state.expects,
                recent=tuple(self.session.recent),
                turns_left=self.config.turns - self.model.turns,
                seed=self.session.seed + self.session.taken,
            )
        )
        chosen = next((one for one in inputs if one.text == plan.input), inputs[0])
        known = state.inputs.get(input_key(chosen.text))
        by = known or Input(text=chosen.text, origin=chosen.origin, slot=chosen.slot)
        if self._is_unlaunched:
            note_unlaunched(self.model, chosen.text)
        return await self._send(state, by, plan.reason)

    async def _send(self, state: State, by: Input, reason: str) -> State:
        try:
            output = await self.session.say(by)
        except (AppUnreachable, EnvironmentFailure):
            if state.id != START:
                # The app answered before: it is this input that needs a host which cannot be
                # reached. Not remembered, it would be said in every further session.
                self.session.record_unreachable(state, by)
            raise
        if output is None:
            return self.session.record_failure(state, by)
        return await self._arrive(state, by, output, reason)

    async def _arrive(self, state: State, by: Input, output: Observation, reason: str) -> State:
        """Find the state that the app is in, add its inputs, and record the step."""
        reworded = news = False
        note_understood(self.model, by, output)
        self._note_output(output)
        if payload_value(output, "tested") is False:
            target = self.model.fixed_state(ELSEWHERE)
            target.add_output(output.text)
            self.session.ended = True
        # An end without a word is the same state wherever it comes.
        elif output.ended and not output.text.strip() and not output.choices:
            target = self.model.fixed_state(END)
        else:
            target = await self._observe(state, by, output)
            # a prompt of the dialog model has its answers from there, in whatever words it comes
            asked = asked_state(output, black_box=self.config.black_box)
            reworded = not asked and _is_reworded(target, output.text)
            news = target.add_output(output.text)
        target.final = target.final or output.ended
        if not self.config.black_box:
            self._compare_answers(state, by, target)
            self._plan_series(by, target, output)
            add_expected(target, output)
        self.session.record_step(state, by, target, reason, news=news)
        if (not target.generated or reworded) and not (output.ended or self.session.ended):
            await self._generate(target, output, by, again=False)
        await self._generate_again(state, by)
        useless = target.id == state.id or target.confused
        self._stuck_turns = self._stuck_turns + 1 if useless else 0
        if not target.confused:
            self.understood = target
        return target

    def _note_output(self, output: Observation) -> None:
        """Note the app's language, and whether an answer may depend on earlier sessions."""
        self._may_leave_state = not self.config.black_box and may_leave_state(output)
        if self.config.language == _DEFAULT_LANGUAGE:
            # Alexa leads a dialog without the app, so that not every answer comes with a locale.
            self.model.language = language_of(locale_of(output)) or self.model.language
            self._language = self.model.language or self._language

    async def _repeat_session(self, state: State) -> State:
        """Repeat the inputs in a second session, if the first may have left state for it."""
        said = [str(step["input"]) for step in self.session.steps]
        name = self._name()
        is_short = 0 < len(said) <= _MAX_REPEATED + 1
        is_done = self.model.repeated >= _MAX_REPEATED_SESSIONS or self.session.failed is not None
        if not (name and self._may_leave_state) or is_done or not is_short:
            return state
        self.model.repeated += 1
        state = self.model.start
        for text in said:
            if self.session.is_spent():
                break
            by = Input(text=text or f"open {name}", origin=InputOrigin.SYSTEM)
            known = state.inputs.get(input_key(by.text))
            state = await self._send(state, known or by, "the same in a second session")
        return state

    def _name(self) -> str:
        facts = self.session.session.facts()
        return facts.name if facts is not None else ""

    def _compare_answers(self, state: State, by: Input, target: State) -> None:
        """Plan the other answer for this session, too, if yes and no led to the same state.

        Only a session with both shows that a "no" was taken for a "yes".
        """
        name = self._name()
        said = [str(step["input"]) for step in self.session.steps]
        other = opposite_answer(state, by, target)
        is_done = len(said) > _MAX_REPEATED or state.id in self.model.compared
        if other is None or not name or is_done:
            return
        self.model.compared.append(state.id)
        reopened = [text or f"open {name}" for text in said]
        self._script = [*reopened, other]
        self._script_reason = "yes and no to one question"

    def _plan_series(self, by: Input, target: State, output: Observation) -> None:
        """Say one intent on and on, if the app goes on with it."""
        if self._script and not self._series.is_running:
            return
        inputs = self._series.next_inputs(by, target, output)
        if inputs is not None:
            self._script = list(inputs)
            self._script_reason = "the same intent until the app has no further answer"

    async def _observe(self, state: State, by: Input, output: Observation) -> State:
        """Ask the observer which state the app is in; one that it does not know is new.

        A question that the platform asks for the app is one state wherever it is asked.
        """
        name = asked_state(output, black_box=self.config.black_box)
        if name:
            known = self.model.states.get(name)
            return known or self.model.add_state(name)
        expected = read_output(output, self.session.seed)[1]
        sighting = await self.agents.observer.act(
            ObserveTask(
                observation=output,
                states=known_states(self.model),
                expected=tuple(candidate.text for candidate in expected),
                came_from=state.id,
                by=by.text,
                led_to=tuple(by.targets),
                part="" if self.config.black_box else by.part,
                seed=self.session.seed + self.session.taken,
            )
        )
        target = self.model.states.get(sighting.state or "")
        if target is None:
            target = self.model.add_state()
            target.generated = _is_platforms(output)
            target.confused = sighting.confused or target.generated
            target.choices = [choice.label for choice in output.choices]
        _replace_choices(target, output)
        return target

    async def _generate(self, state: State, output: Observation, by: Input, *, again: bool) -> None:
        """Ask the generator for inputs of a state; only new ones are added.

        If it is asked `again`, its task has the inputs that were in vain.
        """
        # The description is read once: what it names is kept in `phrases`, and offered in every
        # state.
        first = not any(one.generated for one in self.model.states.values())
        generated = await self.agents.generator.act(
            GenerateTask(
                observation=output,
                known=tuple(one.text for one in state.inputs.values()),
                failed=self._failed_inputs(state) if again else (),
                document=self.document if first else "",
                samples=self.config.samples if first else (),
                everything=input_key(by.text) in HELP_REQUESTS or not by.text,
                language=self._language,
                seed=self.session.seed,
            )
        )
        if not state.generated:
            state.expects, state.generated = generated.expects, True
        for one in generated.candidates:
            if one.origin in _LEARNT_ORIGINS:
                self.model.phrases.setdefault(one.text, one.origin)
            # "You can say play a game": what an app says can be said is open later as well.
            elif generated.expects is OutputKind.INSTRUCTION:
                self.model.phrases.setdefault(one.text, InputOrigin.HELP)
            if one.origin not in (InputOrigin.DOCUMENT, InputOrigin.SAMPLE):
                state.add_input(Input(text=one.text, origin=one.origin, slot=one.slot))

    def _failed_inputs(self, state: State) -> tuple[FailedInput, ...]:
        """Return the own inputs of a state that were tried in vain."""
        effects = ((one, self.model.effect(state, one)) for one in own_inputs(state))
        return tuple(
            FailedInput(text=one.text, effect=effect)
            for one, effect in effects
            if effect in _FAILED_EFFECTS
        )

    async def _generate_again(self, state: State, by: Input) -> None:
        """Ask for other inputs of a state if all its own were in vain (validity checker)."""
        own = own_inputs(state)
        if not state.generated or state.repairs >= self.config.repairs:
            return
        if any(one is by for one in own) and len(self._failed_inputs(state)) == len(own):
            state.repairs += 1
            await self._generate(state, Observation(text=state.output), by, again=True)


def _is_platforms(output: Observation) -> bool:
    """Return whether the platform answered in place of an app that is still open.

    A question that it asks for the app, such as for a permission, can be answered like the app's.
    """
    asks = payload_value(output, "asked")
    return payload_value(output, "speaker") == "platform" and not output.ended and not asks


def _is_reworded(state: State, text: str) -> bool:
    """Return whether an output may suggest other inputs than those before it in a state."""
    if not state.outputs or not text.strip() or state.different >= MAX_OUTPUTS:
        return False
    # "Welcome back, Ann" and "Welcome back, Bob" suggest the same; "Hello! Say help or play" in
    # their place does not.
    frame = dialogue_acts_of(text).frame
    return all(dialogue_acts_of(output).frame != frame for output in state.outputs)


def _replace_choices(state: State, output: Observation) -> None:
    """Let a state's choices be pressed that are on offer now; the others are said instead."""
    labels = {input_key(choice.label) for choice in output.choices}
    for key, one in state.inputs.items():
        one.pressed = one.pressed and key in labels
    add_choices(state, output.choices)


def _document(written: str | None, context: BuildContext) -> str:
    """Return the app's description: the text itself, or that of the file which it names."""
    if written is None:
        return ""
    # "Asks five questions about Rome." is the description, `docs/my skill.md` a file that has it.
    if "\n" in written or len(written.split()) > 3:
        return written
    return "\n".join(_texts(context, written))


def _stored_model(path: str | None, context: BuildContext) -> BehaviourModel | None:
    """Return a stored model with its budget counters reset."""
    if path is None:
        return None
    model = BehaviourModel.from_json(_texts(context, path)[0], path)
    model.sessions = model.turns = model.idle_sessions = 0
    model.seconds = 0.0
    return model


def _texts(context: BuildContext, pattern: str) -> list[str]:
    texts: list[str] = []
    for path in context.files(pattern):
        try:
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
        except OSError as err:
            problem = Problem(f"cannot be read: {err.strerror or err}", str(path))
            raise ConfigurationError(problem) from err
    return texts


# Stand-ins for agents that are switched off, to measure what those are worth


class ExactObserver:
    """Takes every different output for a state of its own."""

    async def act(self, task: ObserveTask) -> Sighting:
        """Return the state with exactly this output."""
        text = task.observation.text
        known = next((state.id for state in task.states if text in state.outputs), None)
        return Sighting(state=known, confused=is_confused(text), reason="equal text")


class PlainGenerator:
    """Proposes nothing but choices on offer and quoted phrases."""

    async def act(self, task: GenerateTask) -> Generated:
        """Return candidates that need no understanding."""
        phrases = [Candidate(text=text) for text in quoted(plain(task.observation.text))]
        choices = [
            Candidate(text=choice.label, origin=InputOrigin.CHOICE)
            for choice in task.observation.choices
        ]
        return Generated(expects=OutputKind.OTHER, candidates=(*choices, *phrases))


class RandomPlanner:
    """Draws an input at random."""

    async def act(self, task: PlanTask) -> Plan:
        """Draw with the task's seed."""
        return Plan(input=Random(task.seed).choice(task.inputs).text, reason="by lot")
