"""The perturbation that asks a language model."""

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.question import Question
from sparring_plugins.search.perturbations.places import WORD, protected_spans
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask
from sparring_plugins.search.writers.model import PROMPTS
from sparring_plugins.users.model_user.user_description import on_one_line

LONGEST = 4_000
"""Characters of a text that a model is asked to copy; a longer one stays as it is."""

_ALIKE = 30


class SpoiltText(BaseModel):
    """A text with mistakes."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="the whole text, with mistakes of the given kind in it")


class ModelPerturbationConfig(ModelAgentConfig):
    """Settings of the perturbation that asks a model."""

    kind: str = Field(
        default="what somebody writes who types in a hurry: misspelt and missing words",
        min_length=1,
        description="the mistakes, in words",
    )
    spare: bool = Field(
        default=True, description="whether words that carry content stay as they are"
    )


class ModelPerturbation(ModelAgent[PerturbTask, Perturbed, ModelPerturbationConfig]):
    """Role ``perturbation``: a language model makes mistakes of a kind that is told in words.

    Its answer is sent back where a protected word is missing, or where hardly anything of the text
    is left. What is meant may be lost.
    """

    Config: ClassVar[type[PluginConfig]] = ModelPerturbationConfig
    role: ClassVar[str] = "perturbation"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.7
    keeps_meaning: ClassVar[bool] = False

    @property
    def keeps_protected(self) -> bool:
        """Whether protected words stay, as the settings have it."""
        return self.config.spare

    async def act(self, task: PerturbTask) -> Perturbed:
        if not task.text.strip() or len(task.text) > LONGEST:
            return Perturbed(text=task.text)
        protected = task.protected if self.config.spare else ()
        kept = [one for one in dict.fromkeys(protected) if protected_spans(task.text, [one])]
        answered = await self.asker.ask(
            Question(
                prompt="perturb",
                answer=SpoiltText,
                values={
                    "text": task.text,
                    "protected": kept,
                    "kind": on_one_line(self.config.kind),
                    "language": on_one_line(task.language) or "English",
                },
                checkers=(lambda answer: complaint(answer.text, task.text, kept),),
                seed=task.seed & 0x7FFFFFFF,
            )
        )
        return measured(task.text, on_one_line(answered.value.text))


def complaint(text: str, before: str, protected: list[str]) -> str | None:
    """Why an answer is sent back; None for a good one."""
    missing = [
        one
        for one in protected
        if len(protected_spans(text, [one])) < len(protected_spans(before, [one]))
    ]
    if missing:
        return f"These words must stay exactly as they are: {', '.join(map(repr, missing))}."
    other = fuzz.ratio(before.casefold(), text[: 2 * LONGEST].casefold()) < _ALIKE
    return "That is another text. Copy the text, with mistakes in it." if other else None


def measured(before: str, after: str) -> Perturbed:
    """What was changed, word by word."""
    old = [match[0] for match in WORD.finditer(before)]
    new = [match[0] for match in WORD.finditer(after)]
    what = [
        (
            old[one.src_pos] if one.tag != "insert" else "",
            new[one.dest_pos] if one.tag != "delete" else "",
        )
        for one in Levenshtein.editops(old, new)
    ]
    return Perturbed(text=after, changes=len(what), places=len(old), what=tuple(what))
