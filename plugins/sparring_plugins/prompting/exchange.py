"""From a request to an answer that can be used: sent back, asked again, or given up.

An answer that was cut off is asked for once more, shorter; one without the wanted form is sent
back with what is wrong in words, as often as the suite says (``llm.repairs``); one that a checker
objects to, up to a number of rounds.
Each of these is a call of its own, so that it stands in the run log. After that the answer is
`AnswerInvalid`, and never a guess.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from sparring.errors import AnswerInvalid
from sparring.interfaces.plugin import LLMBackend
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring_plugins.prompting import reading
from sparring_plugins.prompting.complaints import complaints
from sparring_plugins.prompting.data_blocks import clipped, escaped
from sparring_plugins.prompting.prompts import SHARED, PromptExample, Prompts, answer_text

# Reading a reply as the answer that was asked for.

ModelT = TypeVar("ModelT", bound=BaseModel)

_MOST = 8


class UnfitAnswer(Exception):
    """A reply is not the answer that was asked for; the reasons are words for the model."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reasons))


def read(reply: ChatReply, schema: Mapping[str, JsonValue]) -> ChatReply:
    """The reply with `parsed` satisfying a JSON Schema; raises UnfitAnswer.

    In a run the engine has read it already; that of a bare backend is read here.
    """
    value = reading.read(reply, schema)
    if value.parsed is None:
        raw = reply.text if reply.text.strip() or reply.parsed is None else reply.parsed
        raise UnfitAnswer(complaints(raw, schema) or "it does not have the wanted form")
    return value


def as_model(
    answer: type[ModelT], schema: Mapping[str, JsonValue]
) -> Callable[[ChatReply], ModelT]:
    """Reads replies as a pydantic model, strictly: a text is no number, and 1 is not true."""

    def value(reply: ChatReply) -> ModelT:
        plain = json.dumps(read(reply, schema).parsed)
        try:
            return answer.model_validate_json(plain, strict=True)
        except ValidationError as err:
            raise UnfitAnswer(*_reasons(err)) from err

    return value


def _reasons(err: ValidationError) -> list[str]:
    errors = err.errors(include_url=False, include_input=False)
    reasons = [
        f"{'.'.join(str(part) for part in item['loc']) or 'the answer'}: {item['msg']}"
        for item in errors[:_MOST]
    ]
    if len(errors) > _MOST:
        reasons.append(f"and {len(errors) - _MOST} more")
    return [clipped(reason, 400) for reason in reasons]


# What is asked with a prompt, and the answer that came of it.

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
    examples: Sequence[PromptExample] = ()
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


ValueT = TypeVar("ValueT")

ROUNDS = 2
"""How often checkers may send an answer back, unless said otherwise."""

_SHOWN = 4_000
"""Characters of an answer that a model gets to see again."""

_REASON = 300


@dataclass(frozen=True)
class ExchangeResult(Generic[ValueT]):
    """A usable answer; `rounds` is how often the question was asked before it came."""

    value: ValueT
    reply: ChatReply
    rounds: int = 0
    objections: tuple[str, ...] = ()


@dataclass
class Exchange(Generic[ValueT]):
    """One question to a model, repeated until an answer is usable or the rounds are used up.

    `read` gives the value of a reply, or raises UnfitAnswer. All checkers are asked each time, and
    the model hears of all their reasons at once; they must not rely on each other. With
    `accept_last`, the last value that could be read is the answer when the rounds are used up.
    """

    backend: LLMBackend[Any]
    read: Callable[[ChatReply], ValueT]
    prompts: Prompts
    checkers: Sequence[Checker[ValueT]] = ()
    rounds: int = ROUNDS
    accept_last: bool = False
    repairs: int = 1
    _calls: int = field(default=0, init=False)
    _last: ExchangeResult[ValueT] | None = field(default=None, init=False)

    async def settle(self, request: ChatRequest) -> ExchangeResult[ValueT]:
        """Ask until there is an answer; raises AnswerInvalid, or ModelError of the backend."""
        again, shortened, repaired, rounds = request, False, 0, 0
        while True:
            reply = await self.backend.complete(again)
            self._calls += 1
            if reply.finish_reason in ("refusal", "content_filter"):
                return self._give_up(again, f"it refuses to answer: {_shorten(reply.text)}")
            if reply.finish_reason == "length":
                if shortened:
                    return self._give_up(again, "its answer was cut off, twice")
                again, shortened = self._ask_shorter(again, reply), True
                continue
            try:
                value = self.read(reply)
            except UnfitAnswer as err:
                if repaired >= self.repairs:
                    return self._give_up(again, *err.reasons)
                again, repaired = self._send_back(again, reply, err.reasons), repaired + 1
                continue
            objections = await self._objections(value)
            self._last = ExchangeResult(value, reply, self._calls - 1, objections)
            if not objections:
                return self._last
            if rounds >= self.rounds:
                return self._give_up(again, *objections)
            again, rounds = self._send_back(again, reply, objections), rounds + 1

    async def _objections(self, value: ValueT) -> tuple[str, ...]:
        reasons: list[str] = []
        for checker in self.checkers:
            reason = checker(value)
            if inspect.isawaitable(reason):
                reason = await reason
            if reason is not None:
                reasons.append(reason)
        return tuple(reasons)

    def _give_up(self, request: ChatRequest, *reasons: str) -> ExchangeResult[ValueT]:
        if self.accept_last and self._last is not None:
            return self._last
        raise AnswerInvalid(_invalid_error(request, self._calls, reasons))

    def _send_back(
        self, request: ChatRequest, reply: ChatReply, reasons: Sequence[str]
    ) -> ChatRequest:
        values = {"reasons": list(reasons)}
        return self._ask_again(request, reply, self.prompts.messages("repair", values), _SHOWN)

    def _ask_shorter(self, request: ChatRequest, reply: ChatReply) -> ChatRequest:
        more = None if request.max_tokens is None else 2 * request.max_tokens
        wider = request.model_copy(update={"max_tokens": more})
        return self._ask_again(wider, reply, self.prompts.messages("shorter", {}), _SHOWN // 10)

    def _ask_again(
        self, request: ChatRequest, reply: ChatReply, objections: Sequence[ChatMessage], shown: int
    ) -> ChatRequest:
        answer = ChatMessage(role="assistant", content=_own_words(reply, shown))
        messages = (*request.messages, answer, *objections)
        return request.model_copy(update={"messages": messages, "round": request.round + 1})


async def settled(
    backend: LLMBackend[Any],
    request: ChatRequest,
    *,
    checkers: Sequence[Checker[ChatReply]] = (),
    rounds: int = ROUNDS,
) -> ChatReply:
    """The reply to a request, with `parsed` satisfying its `answer_schema`.

    What is done with an answer that cannot be used is said at the top of this module; checkers get
    the reply. Raises AnswerInvalid, or ModelError of the backend.
    """

    def fitting(reply: ChatReply) -> ChatReply:
        return reply if request.answer_schema is None else read(reply, request.answer_schema)

    exchange = Exchange(
        backend, fitting, _shared_prompt(), checkers, rounds, repairs=backend.repairs
    )
    return (await exchange.settle(request)).value


@lru_cache(maxsize=1)
def _shared_prompt() -> Prompts:
    return Prompts(SHARED)


def _own_words(reply: ChatReply, limit: int) -> str:
    text = reply.text
    if not text.strip() and reply.parsed is not None:
        text = answer_text(reply.parsed)
    return escaped(clipped(text, limit)).strip() or "[no text]"


def _shorten(text: str) -> str:
    return escaped(clipped(" ".join(text[: 4 * _REASON].split()), _REASON)) or "it says nothing"


def _invalid_error(request: ChatRequest, calls: int, reasons: Sequence[str]) -> str:
    who = f"the {request.asker}'s model" if request.asker else "the model"
    what = f" to the prompt {request.prompt!r}" if request.prompt else ""
    tries = f" in {calls} tries" if calls > 1 else ""
    return f"{who} gave no usable answer{what}{tries}: {_shorten('; '.join(reasons))}"
