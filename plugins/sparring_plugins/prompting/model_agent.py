"""Asks a language model with prompts from files, and the base of all agents that do."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, Field

from sparring.errors import AnswerInvalid, ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatMessage, ChatRequest
from sparring_plugins.prompting.exchange import (
    ROUNDS,
    Answered,
    AnswerT,
    Exchange,
    Question,
    as_model,
)
from sparring_plugins.prompting.prompts import Prompts, answer_text

# Asks a language model with prompts from files, and gives typed answers.


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
        """Ask a question; raises AnswerInvalid if no answer is usable, or ModelError."""
        request = self.request(question)
        exchange = Exchange(
            self.backend,
            as_model(question.answer, request.answer_schema or {}),
            self.prompts,
            question.checkers,
            self.rounds,
            question.accept_last,
            self.backend.repairs,
        )
        answered = await exchange.settle(request)
        reply = ChatMessage(role="assistant", content=answer_text(answered.value))
        messages = (*request.messages, reply)
        return Answered(
            answered.value, answered.reply, answered.rounds, messages, answered.objections
        )

    def request(self, question: Question[Any]) -> ChatRequest:
        """The first request for a question."""
        messages = self.prompts.messages(
            question.prompt, question.values, later=question.later, examples=question.examples
        )
        own = question.temperature is None
        answer: type[BaseModel] = question.answer
        return ChatRequest(
            messages=_continue_with(question.history, messages),
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


def _continue_with(
    history: Sequence[ChatMessage], messages: Sequence[ChatMessage]
) -> tuple[ChatMessage, ...]:
    """A history with the question added; a history that has its own beginning keeps it."""
    if not history:
        return tuple(messages)
    if any(message.role == "system" for message in history):
        return (*history, messages[-1])
    return (*messages[:-1], *history, messages[-1])


TaskT = TypeVar("TaskT", contravariant=True)
ResultT = TypeVar("ResultT", covariant=True)


class ModelAgentConfig(PluginConfig):
    """Settings of every agent that asks a language model.

    `prompts` is a folder of the suite whose templates replace the bundled ones of the same name.
    `llm_role` is the role whose model and settings in `llm` are used, else the agent's own.
    """

    prompts: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, gt=0)
    rounds: int = Field(
        default=ROUNDS, ge=0, le=10, description="how often checkers may send an answer back"
    )
    llm_role: str | None = Field(default=None, min_length=1)


ConfigT = TypeVar("ConfigT", bound=ModelAgentConfig)


class ModelAgent(Agent[TaskT, ResultT, ConfigT]):
    """An agent that asks a language model, by `self.asker`.

    A class says where its templates are (`folder`), and what temperature and length of an answer it
    asks for if neither its settings nor the suite say so. `twin` is the agent of its role that asks
    no model, as suites name it: if `act` is decorated `with_fallback`, that one answers if no
    answer of the model can be used.
    """

    Config: ClassVar[type[PluginConfig]] = ModelAgentConfig
    #: Where its templates are.
    folder: ClassVar[Path]
    temperature: ClassVar[float | None] = None
    max_tokens: ClassVar[int | None] = None
    twin: ClassVar[str | None] = None

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        self.built_twin: Agent[Any, Any, Any] | None = None
        role = config.llm_role or self.role
        backend = context.llm(role)
        if backend is None:
            raise ConfigurationError(
                f"the {self.role} {type(self).__name__} asks a language model, and the suite names "
                "none: add for example `llm: {use: openai, model: gpt-4o-mini}`, or choose one "
                "that needs no model (see `sparring plugins`)"
            )
        temperature = config.temperature
        self.asker = Asker(
            backend,
            Prompts.of(context, self.folder, config.prompts),
            role=role,
            rounds=config.rounds,
            temperature=self.temperature if temperature is None else temperature,
            max_tokens=config.max_tokens or self.max_tokens,
        )

    def mark_fallback(self, answer: Any, err: AnswerInvalid) -> Any:
        """Return the twin's answer; override it where an answer says on what it rests."""
        del err
        return answer
