"""The explorer's agents that ask a language model (Elevate, sections 3.1, 3.2 and 3.4).

Each has checkers, which return an objection that sends the model's answer back, or `None`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.users.model_user.prompt_data import once, seed_of
from sparring_plugins.voice.outputs.dialogue_acts import is_confused
from sparring_plugins.voice.outputs.similarity import output_similarity
from sparring_plugins.voice.outputs.suggested_inputs import read_output
from sparring_plugins.voice.outputs.words import MAX_INPUT, input_key
from sparring_plugins.voice.roles import (
    Candidate,
    Effect,
    Generated,
    GenerateTask,
    InputOrigin,
    KnownInput,
    KnownState,
    ObserveTask,
    OutputKind,
    Plan,
    PlanTask,
    Sighting,
)
from sparring_plugins.voice.rules_agents import best_of

PROMPTS = Path(__file__).with_name("prompts")

# A model that takes two states for one is believed only if they share half of their words.
_MIN_SIMILARITY = 0.5
_SHOWN = 600
# Alexa takes 8,000 characters at most for an answer: hardly any is cut here.
_LONGEST_OUTPUT = 6_000
_MOST_CHOICES = 40
# A list of two hundred airports would be most of the prompt.
_FEW = 12


class SeenState(BaseModel):
    """Which state the app is in."""

    model_config = ConfigDict(extra="forbid")

    state: str | None = Field(description="the id of a state in the list, or null for a new one")
    reason: str = Field(description="why, in a few words")


class ModelObserverConfig(ModelAgentConfig):
    """Settings of the observer that asks a model; `most_states` bounds the list in the prompt."""

    most_states: int = Field(default=40, ge=1, le=1_000)


class ModelObserver(ModelAgent[ObserveTask, Sighting, ModelObserverConfig]):
    """Role ``observer``: a language model compares the output with the known states.

    Three checkers send its answer back. Availability: the state must be in the list. Consistency of
    input events: if none of the inputs that the output suggests is known of the state, they are
    two; an answer that keeps to it after all rounds counts as a new state. Transition: if the same
    input led to a state with the same inputs before, a new state is doubted once. A text that
    occurred before is not asked about.
    """

    Config: ClassVar[type[PluginConfig]] = ModelObserverConfig
    role: ClassVar[str] = "observer"
    twin: ClassVar[str | None] = "similarity"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.0

    @with_fallback
    async def act(self, task: ObserveTask) -> Sighting:
        confused = is_confused(task.observation.text)
        state_id = _state_with_output(task)
        if state_id is not None:
            return Sighting(state=state_id, confused=confused, score=1.0, reason="heard before")
        if not task.states:
            return Sighting(state=None, confused=confused, reason="the first output")
        shown = nearest_states(task, self.config.most_states)
        answered = await self.asker.ask(
            Question(
                prompt="observe",
                answer=SeenState,
                values=_observe_values(task, shown),
                later=task.came_from not in (None, "start"),
                checkers=(
                    lambda answer: check_state_is_listed(answer, task),
                    lambda answer: check_inputs_agree(answer, task),
                    once(lambda answer: check_no_known_transition(answer, task)),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.states)),
            )
        )
        state, reason = answered.value.state, answered.value.reason[:300]
        if check_state_is_listed(answered.value, task) or check_inputs_agree(answered.value, task):
            state, reason = None, f"its answer could not stand: {answered.objections[0][:200]}"
        return Sighting(state=state, confused=confused, reason=reason)


def nearest_states(task: ObserveTask, most: int) -> list[KnownState]:
    """Return the states that are shown to the model, in their order: of many the most similar."""
    if len(task.states) <= most:
        return list(task.states)

    def rank(state: KnownState) -> float:
        # A state to which this input led before is always shown: one of the checkers asks for it.
        return _similarity(task, state) + (state.id in task.led_to)

    ids = {state.id for state in sorted(task.states, key=rank, reverse=True)[:most]}
    return [state for state in task.states if state.id in ids]


def check_state_is_listed(answer: SeenState, task: ObserveTask) -> str | None:
    """Object to a state that is not in the list (availability)."""
    if answer.state is None or any(state.id == answer.state for state in task.states):
        return None
    return f"{answer.state!r} is no state of the list. Answer with one of its ids, or with null."


def check_inputs_agree(answer: SeenState, task: ObserveTask) -> str | None:
    """Object to a state of which no input is known that the output suggests (consistency)."""
    state = _state(answer.state, task.states)
    # The input led here before: other suggestions are the same state in other words.
    if state is None or state.id in task.led_to:
        return None
    expected, offered = _keys(task.expected), _keys((*state.inputs, *state.choices))
    if not expected or not offered or expected & offered:
        return None
    theirs = _quoted_list((*state.inputs, *state.choices))
    return (
        f"To this output a user would say {_quoted_list(task.expected)}, but in {state.id}"
        f" {theirs}: no input is the same, so that these are two states. Choose another, or null."
    )


def check_no_known_transition(answer: SeenState, task: ObserveTask) -> str | None:
    """Object to a new state that may be a known one to which the same input led (transition)."""
    if answer.state is not None:
        return None
    for name in task.led_to:
        state = _state(name, task.states)
        if state is None:
            continue
        same = _keys(task.expected) and _keys(task.expected) == _keys(state.inputs)
        if same or _similarity(task, state) >= _MIN_SIMILARITY:
            return (
                f"The same input led from the same state to {name} before, and much speaks for it"
                f" being {name} again. If it is, answer {name}; if you are sure that it is not, "
                "null."
            )
    return None


def _similarity(task: ObserveTask, state: KnownState) -> float:
    text = task.observation.text
    return max((output_similarity(text, output) for output in state.outputs), default=0.0)


def _state_with_output(task: ObserveTask) -> str | None:
    text = task.observation.text
    labels = _keys([choice.label for choice in task.observation.choices])
    for state in task.states:
        # Without text and choices an answer is equal to every other silent one, and shows no state.
        if text in state.outputs and _keys(state.choices) == labels and (text or labels):
            return state.id
    return None


def _observe_values(task: ObserveTask, shown: Sequence[KnownState]) -> dict[str, object]:
    return {
        "output": task.observation.text[:_LONGEST_OUTPUT],
        "choices": [choice.label for choice in task.observation.choices][:_MOST_CHOICES],
        "expected": list(task.expected[:_FEW]),
        "came_from": task.came_from or "",
        "by": task.by,
        "led_to": list(task.led_to),
        "states": [
            {
                "id": state.id,
                "outputs": [one[:_SHOWN] for one in state.outputs[:2]],
                "choices": list(state.choices[:_FEW]),
                "inputs": list(state.inputs[:_FEW]),
            }
            for state in shown
        ],
        "left_out": len(task.states) - len(shown),
    }


def _state(name: str | None, states: Sequence[KnownState]) -> KnownState | None:
    return next((state for state in states if state.id == name), None)


def _keys(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(map(input_key, texts)) - {""}


def _quoted_list(texts: Sequence[str], most: int = 60) -> str:
    return ", ".join(repr(text[:most]) for text in texts[:_FEW])


# The generator

_NAMING_KINDS = (OutputKind.YES_NO, OutputKind.SELECTION, OutputKind.INSTRUCTION)


class PossibleInputs(BaseModel):
    """What can be said to an output."""

    model_config = ConfigDict(extra="forbid")

    expects: OutputKind = Field(description="what the output expects of the user")
    inputs: list[str] = Field(description="what a user could say, the most promising first")
    reason: str = Field(description="why, in a few words")


class ModelGeneratorConfig(ModelAgentConfig):
    """Settings of the generator that asks a model; it takes `most` inputs of a state."""

    most: int = Field(default=24, ge=1, le=200)


class ModelGenerator(ModelAgent[GenerateTask, Generated, ModelGeneratorConfig]):
    """Role ``generator``: a language model lists what could be said to an output.

    Three checkers send its answer back, with what the type of the output suggests. Non-emptiness:
    there must be an input. Validity: there must be one that was not tried in vain, and none of
    those that were. Type: an output that names what can be said is answered with some of it, which
    is doubted once.
    """

    Config: ClassVar[type[PluginConfig]] = ModelGeneratorConfig
    role: ClassVar[str] = "generator"
    twin: ClassVar[str | None] = "rules"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.1

    @with_fallback
    async def act(self, task: GenerateTask) -> Generated:
        answered = await self.asker.ask(
            Question(
                prompt="generate",
                answer=PossibleInputs,
                values={
                    "output": task.observation.text[:_LONGEST_OUTPUT],
                    "choices": [choice.label for choice in task.observation.choices][
                        :_MOST_CHOICES
                    ],
                    "known": list(task.known[: 3 * _FEW]),
                    "failed": [{"input": one.text, "effect": one.effect} for one in task.failed],
                    "document": task.document,
                    "everything": task.everything,
                    "language": " ".join(task.language.split()) or "English",
                },
                later=bool(task.known),
                checkers=(
                    lambda answer: check_not_empty(answer, task),
                    lambda answer: check_inputs_are_new(answer, task),
                    once(lambda answer: check_type_is_answered(answer, task)),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.known)),
            )
        )
        answer = answered.value
        texts: dict[str, str] = {}
        for text in answer.inputs:
            texts.setdefault(input_key(text), " ".join(text.split())[:MAX_INPUT])
        fresh = [text for key, text in texts.items() if key and key not in _failed_keys(task)]
        candidates = [Candidate(text=text) for text in fresh[: self.config.most]]
        candidates += [Candidate(text=text, origin=InputOrigin.SAMPLE) for text in task.samples]
        return Generated(
            expects=answer.expects, candidates=tuple(candidates), reason=answer.reason[:300]
        )


def check_not_empty(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Object to an answer without inputs (non-emptiness)."""
    if any(input_key(one) for one in answer.inputs):
        return None
    return f"There is no input at all. Name at least one. {type_hint(task)}"


def check_inputs_are_new(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Object to inputs that were in vain, and to an answer without new ones (validity)."""
    keys = {input_key(text) for text in answer.inputs}
    failed = _failed_keys(task)
    if not failed or not keys - {""}:
        return None
    new = keys - failed - {input_key(text) for text in task.known} - {""}
    # Something new beside nothing that failed: words that are known and untried may stay.
    if new and not keys & failed:
        return None
    failures = ", ".join(repr(one.text[:60]) for one in task.failed[:_FEW])
    return f"These did not lead on when they were said: {failures}. Name others. {type_hint(task)}"


def check_type_is_answered(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Object if an output names what can be said and the answer has none of it (type)."""
    kind, candidates = read_output(task.observation, task.seed, task.language)
    named = {input_key(candidate.text) for candidate in candidates}
    answered = {input_key(text) for text in (*answer.inputs, *task.known)}
    if kind not in _NAMING_KINDS or not answered or not named or named & answered:
        return None
    return f"None of the inputs is one that the output asks for. {type_hint(task)}"


def type_hint(task: GenerateTask) -> str:
    """Return what the type of the output suggests, in words for the model."""
    kind, candidates = read_output(task.observation, task.seed, task.language)
    failed = _failed_keys(task)
    listed = _quoted_list([one.text for one in candidates if input_key(one.text) not in failed])
    match kind:
        case OutputKind.YES_NO:
            return "It is a question for agreement: 'yes' and 'no' answer it."
        case OutputKind.SELECTION:
            return f"It names things to choose from: {listed or 'each of them is an input'}."
        case OutputKind.INSTRUCTION:
            return f"It says what can be said: {listed or 'its phrases after words such as say'}."
        case OutputKind.WH:
            return f"It wants a piece of information, such as {listed or 'a value of that kind'}."
        case OutputKind.MIXED:
            return f"It wants several things at once, such as {listed}."
        case _:
            return "It wants nothing in particular: say what leads on from what it tells."


def _failed_keys(task: GenerateTask) -> set[str]:
    return {input_key(one.text) for one in task.failed}


# The planner

OFTEN = 3
"""An input was tried often enough after so many times, while others were not (Elevate, 3.4.2)."""

_USELESS_EFFECTS = (Effect.SAME, Effect.CONFUSED, Effect.FAILED, Effect.ENDED)


class NextInput(BaseModel):
    """The chosen input."""

    model_config = ConfigDict(extra="forbid")

    thought: str = Field(description="the steps, briefly")
    input: str = Field(description="the chosen input, exactly as in the list")


class ModelPlannerConfig(ModelAgentConfig):
    """Settings of the planner that asks a model; `most_inputs` bounds the list in the prompt."""

    most_inputs: int = Field(default=60, ge=2, le=500)


class ModelPlanner(ModelAgent[PlanTask, Plan, ModelPlannerConfig]):
    """Role ``planner``: a language model chooses, knowing the model around the current state.

    Three checkers send its answer back. Availability: the input must be in the list. Validity: it
    must not be known to lead nowhere while others might lead on. Frequency: of the inputs that may
    lead on it must not be one that was tried more often than others, nor a word of the system while
    others were tried less than three times. An input that is in the list is taken after all rounds;
    one that is not is replaced by the choice of the planner `rules`.
    """

    Config: ClassVar[type[PluginConfig]] = ModelPlannerConfig
    role: ClassVar[str] = "planner"
    twin: ClassVar[str | None] = "rules"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.1

    @with_fallback
    async def act(self, task: PlanTask) -> Plan:
        inputs = task.inputs[: self.config.most_inputs]
        answered = await self.asker.ask(
            Question(
                prompt="plan",
                answer=NextInput,
                values=_plan_values(task, inputs),
                later=bool(task.recent),
                checkers=(
                    lambda answer: check_input_is_listed(answer, inputs),
                    lambda answer: check_may_lead_on(answer, inputs),
                    lambda answer: check_not_tried_more_often(answer, inputs),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.recent)),
            )
        )
        chosen = chosen_input(answered.value, inputs)
        if chosen is None:
            return Plan(input=best_of(task).text, reason="the model named no input of the list")
        return Plan(input=chosen.text, reason=" ".join(answered.value.thought.split())[:300])


def chosen_input(answer: NextInput, inputs: Sequence[KnownInput]) -> KnownInput | None:
    """Return the input of the list that an answer means: the same but for case and punctuation."""
    exact = next((one for one in inputs if one.text == answer.input), None)
    key = input_key(answer.input)
    return exact or next((one for one in inputs if key and input_key(one.text) == key), None)


def check_input_is_listed(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Object to an input that is not in the list (availability)."""
    if chosen_input(answer, inputs) is not None:
        return None
    listed = _quoted_list([one.text for one in inputs], 80)
    return f"{answer.input[:100]!r} is not in the list of inputs. Choose one of: {listed}."


def check_may_lead_on(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Object to an input that is known to lead nowhere, if another may lead on (validity)."""
    chosen = chosen_input(answer, inputs)
    if chosen is None or may_lead_on(chosen):
        return None
    others = [one.text for one in inputs if may_lead_on(one)]
    if not others:
        return None
    return (
        f"{chosen.text!r} is known to lead nowhere ({chosen.effect.value}). These may lead on:"
        f" {_quoted_list(others, 80)}."
    )


def check_not_tried_more_often(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Object to an input that was tried more often than others that may lead on (frequency)."""
    chosen = chosen_input(answer, inputs)
    if chosen is None or not may_lead_on(chosen):
        return None
    less = _less_tried(chosen, [one for one in inputs if may_lead_on(one)])
    if not less:
        return None
    return (
        f"{chosen.text!r} was tried {chosen.count} times, and these less often or never:"
        f" {_quoted_list(less, 80)}. Choose one of them, unless you have a good reason not to."
    )


def _less_tried(chosen: KnownInput, promising: Sequence[KnownInput]) -> list[str]:
    """Return what should be tried before the chosen input: own inputs, then words of the system."""
    system = [one for one in promising if one.origin is InputOrigin.SYSTEM]
    own = [one for one in promising if one.origin is not InputOrigin.SYSTEM]
    is_system = chosen.origin is InputOrigin.SYSTEM
    limit = OFTEN if is_system else chosen.count
    less = [one.text for one in own if one.count < limit]
    if not less and (is_system or chosen.count >= OFTEN):
        less = [one.text for one in system if one.count < chosen.count]
    return less


def may_lead_on(one: KnownInput) -> bool:
    """Return whether an input was never tried, or led to another state."""
    return one.effect not in _USELESS_EFFECTS


def _plan_values(task: PlanTask, inputs: Sequence[KnownInput]) -> dict[str, object]:
    return {
        "state": task.state,
        "output": task.output[:_LONGEST_OUTPUT],
        "inputs": [
            {
                "text": one.text,
                "kind": one.origin.value,
                "times": one.count,
                **({"leads_to": one.target, "effect": one.effect.value} if one.count else {}),
            }
            for one in inputs
        ],
        "recent": list(task.recent),
        "turns_left": task.turns_left,
    }
