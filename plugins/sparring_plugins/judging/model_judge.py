"""The judge that asks a language model."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from sparring.interfaces.roles import Judgement, JudgeTask
from sparring_plugins.prompting.data_blocks import clipped, conversation
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig

_UNDECIDED = "cannot tell"
_LONGEST_REASON = 4_000


class Verdict(BaseModel):
    """What the model answers; `answer` is narrowed to the options of the task."""

    model_config = ConfigDict(extra="forbid", title="judgement")

    reason: str = Field(min_length=1, description="why, in one to three sentences")
    answer: str = Field(description="one of the answers to choose from")
    score: float | None = Field(
        description="from 0 to 1, how sure it is that the first answer is right; null if unknown"
    )
    turns: list[int] = Field(description="numbers of the turns that show it, from 1")


class ModelJudge(ModelAgent[JudgeTask, Judgement, ModelAgentConfig]):
    """Role ``judge``: asks a language model, which gives its reason before its answer.

    What was said is shown in a data block, turns numbered from 1. The model may say that it cannot
    tell, and then the answer is None. An answer that refers to turns that there are not is sent
    back. Where no usable answer can be had, AnswerInvalid is raised.
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
    return Question(
        prompt="judge",
        answer=_narrow_schema((*dict.fromkeys(task.options), undecided)),
        values={
            "question": task.question,
            "options": list(task.options),
            "criterion": task.criterion,
            "conversation": conversation(task.turns),
            "subject": task.subject,
            "undecided": undecided,
        },
        checkers=[_is_share, *([_turns_exist(len(task.turns))] if task.turns else [])],
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
    score = verdict.score
    if score is None or 0 <= score <= 1:
        return None
    return f"the score is to be from 0 to 1, and not {score:.6g}"


def _turns_exist(count: int) -> Callable[[Verdict], str | None]:
    def check(verdict: Verdict) -> str | None:
        wrong = [str(turn) for turn in verdict.turns if not 1 <= turn <= count]
        if not wrong:
            return None
        return f"there is no turn {', '.join(wrong[:5])}: the turns are 1 to {count}"

    return check


def _judgement(verdict: Verdict, task: JudgeTask) -> Judgement:
    decided = verdict.answer in task.options
    turns = sorted({turn - 1 for turn in verdict.turns}) if task.turns else []
    return Judgement(
        answer=verdict.answer if decided else None,
        score=verdict.score if decided else None,
        reason=clipped(verdict.reason, _LONGEST_REASON),
        turns=tuple(turns),
    )
