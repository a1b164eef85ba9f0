"""The generator that asks a language model (Elevate, section 3.2)."""

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.question import Question
from sparring_plugins.users.model_user.single_checks import once
from sparring_plugins.users.model_user.user import seed_of
from sparring_plugins.voice.agents.model_observer import PROMPTS
from sparring_plugins.voice.agents.rules_generator import read_output
from sparring_plugins.voice.behaviour.names import LONGEST, input_key
from sparring_plugins.voice.roles.explorer import (
    Candidate,
    Generated,
    GenerateTask,
    InputOrigin,
    OutputKind,
)

_FEW = 12
_NAMED = (OutputKind.YES_NO, OutputKind.SELECTION, OutputKind.INSTRUCTION)


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
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.1

    async def act(self, task: GenerateTask) -> Generated:
        answered = await self.asker.ask(
            Question(
                prompt="generate",
                answer=PossibleInputs,
                values={
                    "output": task.observation.text[:6_000],
                    "choices": [choice.label for choice in task.observation.choices][:40],
                    "known": list(task.known[: 3 * _FEW]),
                    "failed": [{"input": one.text, "effect": one.effect} for one in task.failed],
                    "document": task.document,
                    "everything": task.everything,
                    "language": " ".join(task.language.split()) or "English",
                },
                later=bool(task.known),
                checkers=(
                    lambda answer: non_emptiness(answer, task),
                    lambda answer: validity(answer, task),
                    once(lambda answer: of_the_type(answer, task)),
                ),
                accept_last=True,
                seed=seed_of(task.seed, len(task.known)),
            )
        )
        answer = answered.value
        texts = {input_key(one): " ".join(one.split())[:LONGEST] for one in reversed(answer.inputs)}
        keys = dict.fromkeys(input_key(one) for one in answer.inputs)
        fresh = [key for key in keys if key and key not in _failed(task)]
        found = [Candidate(text=texts[key]) for key in fresh[: self.config.most]]
        found += [Candidate(text=one, origin=InputOrigin.SAMPLE) for one in task.samples]
        return Generated(
            expects=answer.expects, candidates=tuple(found), reason=answer.reason[:300]
        )


def non_emptiness(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Whether there is anything to say."""
    if any(input_key(one) for one in answer.inputs):
        return None
    return f"There is no input at all. Name at least one. {by_type(task)}"


def validity(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Whether there is anything new to say where inputs were in vain, and none of those again."""
    vain = [one for one in answer.inputs if input_key(one) in _failed(task)]
    if not task.failed or not any(input_key(one) for one in answer.inputs):
        return None
    known = {input_key(one) for one in task.known} | _failed(task)
    new = [one for one in answer.inputs if input_key(one) and input_key(one) not in known]
    if new and not vain:
        return None
    said = ", ".join(repr(one.text[:60]) for one in task.failed[:_FEW])
    return f"These did not lead on when they were said: {said}. Name others. {by_type(task)}"


def of_the_type(answer: PossibleInputs, task: GenerateTask) -> str | None:
    """Whether an output that names what can be said is answered with some of it."""
    kind, found = read_output(task.observation, task.seed, task.language)
    named = {input_key(one.text) for one in found}
    given = {input_key(one) for one in (*answer.inputs, *task.known)}
    if kind not in _NAMED or not given or not named or named & given:
        return None
    return f"None of the inputs is one that the output asks for. {by_type(task)}"


def by_type(task: GenerateTask) -> str:
    """What the type of the output suggests, in words for the model."""
    kind, found = read_output(task.observation, task.seed, task.language)
    vain = _failed(task)
    named = [one.text for one in found if input_key(one.text) not in vain][:_FEW]
    listed = ", ".join(repr(text[:60]) for text in named)
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


def _failed(task: GenerateTask) -> set[str]:
    return {input_key(one.text) for one in task.failed}
