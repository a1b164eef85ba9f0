"""The planner that asks a language model (Elevate, section 3.4)."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.question import Question
from sparring_plugins.users.model_user.user import seed_of
from sparring_plugins.voice.agents.model_observer import PROMPTS
from sparring_plugins.voice.agents.rules_planner import best_of
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.roles.explorer import Effect, InputOrigin, KnownInput, Plan, PlanTask

OFTEN = 3
"""An input that was tried so often was tried enough, while others were not (Elevate, 3.4.2)."""

_FEW = 12
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED, Effect.ENDED)


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
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.1

    async def act(self, task: PlanTask) -> Plan:
        inputs = task.inputs[: self.config.most_inputs]
        answered = await self.asker.ask(
            Question(
                prompt="plan",
                answer=NextInput,
                values=_values(task, inputs),
                later=bool(task.recent),
                checkers=(
                    lambda answer: availability(answer, inputs),
                    lambda answer: validity(answer, inputs),
                    lambda answer: frequency(answer, inputs),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.recent)),
            )
        )
        chosen = chosen_of(answered.value, inputs)
        if chosen is None:
            found = best_of(task)
            return Plan(input=found.text, reason="the model named no input of the list")
        return Plan(input=chosen.text, reason=" ".join(answered.value.thought.split())[:300])


def chosen_of(answer: NextInput, inputs: Sequence[KnownInput]) -> KnownInput | None:
    """The input of the list that an answer means: exactly, else but for case and punctuation."""
    exact = next((one for one in inputs if one.text == answer.input), None)
    wanted = input_key(answer.input)
    return exact or next((one for one in inputs if wanted and input_key(one.text) == wanted), None)


def availability(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Whether the input is in the list."""
    if chosen_of(answer, inputs) is not None:
        return None
    listed = _listed([one.text for one in inputs])
    return f"{answer.input[:100]!r} is not in the list of inputs. Choose one of: {listed}."


def validity(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Whether the input may lead on, where any may."""
    chosen = chosen_of(answer, inputs)
    if chosen is None or may_lead_on(chosen):
        return None
    others = [one.text for one in inputs if may_lead_on(one)]
    if not others:
        return None
    return (
        f"{chosen.text!r} is known to lead nowhere ({chosen.effect.value}). These may lead on:"
        f" {_listed(others)}."
    )


def frequency(answer: NextInput, inputs: Sequence[KnownInput]) -> str | None:
    """Whether the input was tried no more often than others that may lead on."""
    chosen = chosen_of(answer, inputs)
    if chosen is None or not may_lead_on(chosen):
        return None
    own = [one for one in inputs if one.origin is not InputOrigin.SYSTEM and may_lead_on(one)]
    system = chosen.origin is InputOrigin.SYSTEM
    limit = OFTEN if system else chosen.count
    less = [one.text for one in own if one.count < limit]
    if not less and (system or chosen.count >= OFTEN):
        words = [one for one in inputs if one.origin is InputOrigin.SYSTEM and may_lead_on(one)]
        less = [one.text for one in words if one.count < chosen.count]
    if not less:
        return None
    return (
        f"{chosen.text!r} was tried {chosen.count} times, and these less often or never:"
        f" {_listed(less)}. Choose one of them, unless you have a good reason not to."
    )


def may_lead_on(one: KnownInput) -> bool:
    """Whether an input was never tried, or led to another state."""
    return one.effect not in _VAIN


def _values(task: PlanTask, inputs: Sequence[KnownInput]) -> dict[str, object]:
    return {
        "state": task.state,
        "output": task.output[:6_000],
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


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(repr(text[:80]) for text in texts[:_FEW])
