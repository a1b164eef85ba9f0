"""The observer that asks a language model (Elevate, section 3.1)."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.question import Question
from sparring_plugins.users.model_user.single_checks import once
from sparring_plugins.users.model_user.user import seed_of
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.outputs.dialogue_acts import is_confused
from sparring_plugins.voice.outputs.similarity import likeness
from sparring_plugins.voice.roles.explorer import KnownState, ObserveTask, Sighting

PROMPTS = Path(__file__).with_name("prompts")

_ALIKE = 0.5
_SHOWN = 600
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
    input events: where none of the inputs that the output suggests is known of the state, they are
    two; an answer that keeps to it after all rounds counts as a new state. Transition: where the
    same input led to a state with the same inputs before, a new state is doubted once. A text that
    was heard before is not asked about.
    """

    Config: ClassVar[type[PluginConfig]] = ModelObserverConfig
    role: ClassVar[str] = "observer"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.0

    async def act(self, task: ObserveTask) -> Sighting:
        confused = is_confused(task.observation.text)
        known = _heard_before(task)
        if known is not None:
            return Sighting(state=known, confused=confused, score=1.0, reason="heard before")
        if not task.states:
            return Sighting(state=None, confused=confused, reason="the first output")
        shown = nearest_states(task, self.config.most_states)
        answered = await self.asker.ask(
            Question(
                prompt="observe",
                answer=SeenState,
                values=_values(task, shown),
                later=task.came_from not in (None, "start"),
                checkers=(
                    lambda answer: availability(answer, task),
                    lambda answer: consistency(answer, task),
                    once(lambda answer: transition(answer, task)),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.states)),
            )
        )
        state, reason = answered.value.state, answered.value.reason[:300]
        if availability(answered.value, task) or consistency(answered.value, task):
            state, reason = None, f"its answer could not stand: {answered.objections[0][:200]}"
        return Sighting(state=state, confused=confused, reason=reason)


def nearest_states(task: ObserveTask, most: int) -> list[KnownState]:
    """The states that are shown to the model, in their order: of many the most alike."""
    if len(task.states) <= most:
        return list(task.states)

    def alike(state: KnownState) -> float:
        near = max((likeness(task.observation.text, one) for one in state.outputs), default=0.0)
        return near + (state.id in task.led_to)

    kept = {state.id for state in sorted(task.states, key=alike, reverse=True)[:most]}
    return [state for state in task.states if state.id in kept]


def availability(answer: SeenState, task: ObserveTask) -> str | None:
    """Whether the answer is a state of the list."""
    if answer.state is None or any(state.id == answer.state for state in task.states):
        return None
    return f"{answer.state!r} is no state of the list. Answer with one of its ids, or with null."


def consistency(answer: SeenState, task: ObserveTask) -> str | None:
    """Whether an input that the output suggests is known of the state that it is merged with."""
    state = _state(answer.state, task.states)
    if state is None or state.id in task.led_to:
        return None
    expected, known = _keys(task.expected), _keys((*state.inputs, *state.choices))
    if not expected or not known or expected & known:
        return None
    return (
        f"To this output a user would say {_listed(task.expected)}, but in {state.id}"
        f" {_listed((*state.inputs, *state.choices))}: no input is the same, so that these are two"
        " states. Choose another, or null."
    )


def transition(answer: SeenState, task: ObserveTask) -> str | None:
    """Whether a new state is a known one to which the same input led before."""
    if answer.state is not None:
        return None
    for name in task.led_to:
        state = _state(name, task.states)
        if state is None:
            continue
        same = _keys(task.expected) and _keys(task.expected) == _keys(state.inputs)
        near = max((likeness(task.observation.text, one) for one in state.outputs), default=0.0)
        if same or near >= _ALIKE:
            return (
                f"The same input led from the same state to {name} before, and much speaks for it"
                f" being {name} again. If it is, answer {name}; if you are sure that it is not, "
                f"null."
            )
    return None


def _heard_before(task: ObserveTask) -> str | None:
    text = task.observation.text
    labels = _keys([choice.label for choice in task.observation.choices])
    for state in task.states:
        if text in state.outputs and _keys(state.choices) == labels and (text or labels):
            return state.id
    return None


def _values(task: ObserveTask, shown: Sequence[KnownState]) -> dict[str, object]:
    return {
        "output": task.observation.text[:6_000],
        "choices": [choice.label for choice in task.observation.choices][:40],
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


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(repr(text[:60]) for text in texts[:_FEW])
