"""The writer that asks a language model (STELLAR, section III)."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.text import folded
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.question import Question
from sparring_plugins.search.roles.writing import Feature, Utterance, WriteTask
from sparring_plugins.search.writers.mentions import said, spoken
from sparring_plugins.users.model_user.user_description import on_one_line

PROMPTS = Path(__file__).with_name("prompts")

_QUOTES = "\"'“”„«»"


class WrittenUtterance(BaseModel):
    """What the user says."""

    model_config = ConfigDict(extra="forbid")

    utterance: str = Field(description="what the user says, and nothing else")


class ModelWriterConfig(ModelAgentConfig):
    """Settings of the writer that asks a model."""

    longest: int = Field(
        default=600, ge=20, le=10_000, description="characters of an utterance at most"
    )


class ModelWriter(ModelAgent[WriteTask, Utterance, ModelWriterConfig]):
    """Role ``writer``: a language model puts the features of a case into an utterance.

    It is told the content to say, the style to say it in, the author's guidelines and examples,
    and real utterances that are like the wanted one. Its answer is sent back where there is no
    utterance or too long a one, where content that is to be named is not in it, and where it
    repeats an example. An answer that stays so is invalid, and the case inconclusive.
    """

    Config: ClassVar[type[PluginConfig]] = ModelWriterConfig
    role: ClassVar[str] = "writer"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.8

    async def act(self, task: WriteTask) -> Utterance:
        answered = await self.asker.ask(
            Question(
                prompt="write",
                answer=WrittenUtterance,
                values=_values(task),
                checkers=(
                    lambda answer: shape(answer, self.config.longest),
                    lambda answer: content(answer, task.features),
                    lambda answer: originality(answer, task),
                ),
                seed=_seed(task),
                sample=task.sample,
            )
        )
        text = cleaned(answered.value.utterance)
        return Utterance(text=text, spoken=spoken(text, task.features))


def cleaned(text: str) -> str:
    """An utterance on one line, without quotation marks around all of it."""
    line = on_one_line(text)
    around = len(line) > 1 and line[0] in _QUOTES and line[-1] in _QUOTES
    return line[1:-1].strip() if around and not set(line[1:-1]) & set(_QUOTES) else line


def shape(answer: WrittenUtterance, longest: int) -> str | None:
    """Whether there is an utterance of a length that people say."""
    text = cleaned(answer.utterance)
    if not any(one.isalnum() for one in text):
        return "There is no utterance. Write what the user says."
    if len(text) > longest:
        return f"The utterance is {len(text)} characters long. Write at most {longest}."
    return None


def content(answer: WrittenUtterance, features: Sequence[Feature]) -> str | None:
    """Whether everything is named that is to be named."""
    text = cleaned(answer.utterance)
    missing = [one for one in features if one.mentions and not said(text, one.mentions)]
    if not missing:
        return None
    told = "; ".join(f"{_name(one)} ({' or '.join(one.mentions[:4])})" for one in missing)
    return f"The utterance does not say everything that the user wants. Say also: {told}."


def originality(answer: WrittenUtterance, task: WriteTask) -> str | None:
    """Whether it is an utterance of its own, and no copy of an example."""
    shown = {folded(one) for one in (*task.examples, *(shot.utterance for shot in task.shots))}
    if folded(cleaned(answer.utterance)) in shown:
        return "The utterance is one of the examples, word for word. Write another one."
    return None


def _values(task: WriteTask) -> dict[str, Any]:
    """What the prompt is made of; texts of the author are on one line each."""
    given = [one for one in task.features if not one.none]
    return {
        "about": on_one_line(task.about),
        "speaker": on_one_line(task.speaker),
        "content": _told(one for one in given if one.group == "content"),
        "left_out": [_name(one) for one in task.features if one.none and one.group == "content"],
        "style": _told(one for one in given if one.group == "style"),
        "noise": _told(one for one in given if one.group == "perturbation"),
        "guidelines": [on_one_line(one) for one in task.guidelines],
        "shots": [
            {
                "features": ", ".join(f"{name} {value}" for name, value in one.features.items()),
                "utterance": on_one_line(one.utterance),
            }
            for one in task.shots
        ],
        "examples": list(task.examples),
        "language": on_one_line(task.language) or "English",
    }


def _told(features: Any) -> list[tuple[str, str]]:
    return [(_name(one), on_one_line((one.words or (one.label,))[0])) for one in features]


def _name(feature: Feature) -> str:
    return on_one_line(feature.name.replace("_", " "))


def _seed(task: WriteTask) -> int:
    """A seed that every service takes."""
    digest = sha256(f"{task.seed}/{task.sample}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
