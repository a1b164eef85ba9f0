"""The judge that asks a language model."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

from sparring.interfaces.roles import Judgement, JudgeTask
from sparring_plugins.prompting.data_blocks import clipped, conversation
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.quoted_evidence import (
    Quotation,
    object_to_quotations,
    object_to_words,
)

_UNDECIDED = "cannot tell"
# A model that was asked for a sentence may repeat the conversation.
_LONGEST_REASON = 4_000


class Verdict(BaseModel):
    """What the model answers; `answer` is narrowed to the options of the task."""

    model_config = ConfigDict(extra="forbid", title="judgement")

    reason: str = Field(min_length=1, description="why, in one to three sentences")
    quotations: list[Quotation] = Field(description="the words that show it, letter for letter")
    answer: str = Field(description="one of the answers to choose from")
    sure: float | None = Field(
        description="from 0 to 1, how sure it is of its answer; null if unknown"
    )


class ModelJudge(ModelAgent[JudgeTask, Judgement, ModelAgentConfig]):
    """Role ``judge``: asks a language model, which gives its reason before its answer.

    What was said is shown in a data block, turns numbered from 1. The model may say that it cannot
    tell, and then the answer is None. Any other answer has to quote the words that show it; if
    these were not said, or if there is no such turn, the answer is sent back. If no usable answer
    can be had, AnswerInvalid is raised. The turns of a judgement are those of the quotations.
    """

    role: ClassVar[str] = "judge"
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0
    max_tokens: ClassVar[int | None] = 1_000

    async def act(self, task: JudgeTask) -> Judgement:
        if not task.options:
            return Judgement(answer=None, reason="there are no answers to choose from")
        answered = await self.asker.ask(question(task))
        return _judgement(answered.value, task)


def question(task: JudgeTask) -> Question[Verdict]:
    """What a model is asked for a task."""
    undecided = undecided_of(task.options)
    messages = conversation(task.turns)
    return Question(
        prompt="judge",
        answer=_narrow_schema((*dict.fromkeys(task.options), undecided)),
        values={
            "question": task.question,
            "options": list(task.options),
            "criterion": task.criterion,
            "conversation": messages,
            "subject": task.subject,
            "undecided": undecided,
        },
        checkers=[_is_share, _check_quotations(task, messages, undecided)],
        sample=task.sample,
        seed=task.seed,
    )


def undecided_of(options: tuple[str, ...]) -> str:
    """What the model answers where it cannot decide; none of the options."""
    word = _UNDECIDED
    while word in options:
        word = f"({word})"
    return word


@lru_cache(maxsize=256)
def _narrow_schema(options: tuple[str, ...]) -> type[Verdict]:
    about = Verdict.model_fields["answer"].description
    chosen: Any = (Literal[options], Field(description=about))
    return create_model("Narrowed", __base__=Verdict, answer=chosen)


def _is_share(verdict: Verdict) -> str | None:
    """The range stands here, where it has words: few services bind numbers to a schema's range."""
    sure = verdict.sure
    if sure is None or 0 <= sure <= 1:
        return None
    return f"how sure you are is to be from 0 to 1, and not {sure:.6g}"


def _check_quotations(
    task: JudgeTask, messages: list[dict[str, JsonValue]], undecided: str
) -> Callable[[Verdict], str | None]:
    """A checker of the words that are quoted; who cannot tell has nothing to quote."""

    def check(verdict: Verdict) -> str | None:
        if verdict.answer == undecided:
            return None
        if messages:
            return object_to_quotations(verdict.quotations, messages)
        return object_to_words([item.words for item in verdict.quotations], task.subject)

    return check


def _judgement(verdict: Verdict, task: JudgeTask) -> Judgement:
    decided = verdict.answer in task.options
    numbers = {item.turn for item in verdict.quotations if item.turn is not None}
    turns = sorted(turn - 1 for turn in numbers if 1 <= turn <= len(task.turns))
    return Judgement(
        answer=verdict.answer if decided else None,
        score=_share_of_first(verdict, task.options) if decided else None,
        reason=clipped(verdict.reason, _LONGEST_REASON),
        turns=tuple(turns),
    )


def _share_of_first(verdict: Verdict, options: tuple[str, ...]) -> float | None:
    """How likely the first option is, by how sure the model is of its answer.

    Asked how sure they are of the first option, models that answer "no" firmly write 0.9. So they
    are asked about their own answer; the rest is spread evenly over the other options.
    """
    if verdict.sure is None:
        return None
    names = tuple(dict.fromkeys(options))
    if verdict.answer == names[0] or len(names) == 1:
        return verdict.sure
    return round((1 - verdict.sure) / (len(names) - 1), 6)
