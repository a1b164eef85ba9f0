"""Asks a language model with prompts from files, and gives typed answers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from sparring.interfaces.llm_backend import LLMBackend
from sparring.model.chat import ChatMessage, ChatRequest
from sparring_plugins.prompting.answers import as_model
from sparring_plugins.prompting.exchange import ROUNDS, Exchange
from sparring_plugins.prompting.prompts import Prompts, answer_text
from sparring_plugins.prompting.question import Answered, AnswerT, Question


class Asker:
    """Puts questions of one role to a model.

    `rounds` is how often checkers may send one answer back. `temperature` and `max_tokens` are
    for questions that do not say their own; None leaves them to the suite.
    """

    def __init__(
        self,
        backend: LLMBackend[Any],
        prompts: Prompts,
        *,
        role: str,
        rounds: int = ROUNDS,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self.backend = backend
        self.prompts = prompts
        self.role = role
        self.rounds = rounds
        self.temperature = temperature
        self.max_tokens = max_tokens

    async def ask(self, question: Question[AnswerT]) -> Answered[AnswerT]:
        """The answer to a question; raises AnswerInvalid where none can be had, or ModelError."""
        request = self.request(question)
        exchange = Exchange(
            self.backend,
            as_model(question.answer, request.answer_schema or {}),
            self.prompts,
            question.checkers,
            self.rounds,
            question.accept_last,
        )
        found = await exchange.settle(request)
        said = ChatMessage(role="assistant", content=answer_text(found.value))
        messages = (*request.messages, said)
        return Answered(found.value, found.reply, found.rounds, messages, found.objections)

    def request(self, question: Question[Any]) -> ChatRequest:
        """What is sent first for a question."""
        made = self.prompts.messages(
            question.prompt, question.values, later=question.later, examples=question.examples
        )
        own = question.temperature is None
        answer: type[BaseModel] = question.answer
        return ChatRequest(
            messages=_continued(question.history, made),
            asker=self.role,
            case_id=question.case_id,
            prompt=question.prompt,
            sample=question.sample,
            answer_schema=_schema(answer),
            temperature=self.temperature if own else question.temperature,
            seed=question.seed,
            max_tokens=question.max_tokens or self.max_tokens,
        )


@lru_cache(maxsize=256)
def _schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of an answer; each request copies it."""
    return answer.model_json_schema()


def _continued(
    history: Sequence[ChatMessage], made: Sequence[ChatMessage]
) -> tuple[ChatMessage, ...]:
    """A history with the question added; a history that has its own beginning keeps it."""
    if not history:
        return tuple(made)
    if any(message.role == "system" for message in history):
        return (*history, made[-1])
    return (*made[:-1], *history, made[-1])
