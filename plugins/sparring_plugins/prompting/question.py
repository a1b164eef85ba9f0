"""What is asked with a prompt, and the answer that came of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from sparring.model.chat import ChatMessage, ChatReply
from sparring_plugins.prompting.prompts import Example

AnswerT = TypeVar("AnswerT", bound=BaseModel)
CheckedT = TypeVar("CheckedT")

Checker = Callable[[CheckedT], str | Awaitable[str | None] | None]
"""Looks at an answer: a reason to send it back, in words for the model, or None."""


@dataclass(frozen=True)
class Question(Generic[AnswerT]):
    """A prompt with its values, and the model that its answer must satisfy.

    `answer` is the pydantic class of the answer: its JSON Schema is sent, with titles and
    descriptions. `history` are the messages of the conversation so far (`Answered.messages` of the
    question before); then only the question is added, which with `later` is the shorter prompt.
    `examples` are answers to other values of the same prompt, shown first.

    Each of `checkers` may send the answer back. When the rounds are used up, the answer is
    AnswerInvalid, or with `accept_last` the last one that had the wanted form, with the objections
    to it in `Answered.objections`.

    `sample` tells independent answers to one question apart (it is never sent). `seed`,
    `temperature` and `max_tokens` left at None are those of the asker, else of the suite.
    """

    prompt: str
    answer: type[AnswerT]
    values: Mapping[str, Any]
    later: bool = False
    history: Sequence[ChatMessage] = ()
    examples: Sequence[Example] = ()
    checkers: Sequence[Checker[AnswerT]] = ()
    accept_last: bool = False
    case_id: str | None = None
    sample: int = 0
    seed: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class Answered(Generic[AnswerT]):
    """An answer: its value, the reply that held it, how often it was sent back before.

    `messages` is the conversation with this question and the answer, as the `history` of a next
    question; answers that were sent back are not in it. `objections` are the checkers' to an
    answer that was accepted as the last one.
    """

    value: AnswerT
    reply: ChatReply
    rounds: int = 0
    messages: tuple[ChatMessage, ...] = ()
    objections: tuple[str, ...] = ()
