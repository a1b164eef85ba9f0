"""From a request to an answer that can be used: sent back, asked again, or given up.

An answer that was cut off is asked for once more, shorter; one without the wanted form is sent
back once, with what is wrong in words; one that a checker objects to, up to a number of rounds.
Each of these is a call of its own, so that it stands in the run log. After that the answer is
`AnswerInvalid`, and never a guess.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from sparring.errors import AnswerInvalid
from sparring.interfaces.llm_backend import LLMBackend
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring_plugins.prompting.answers import Unfit, read
from sparring_plugins.prompting.escaping import escaped
from sparring_plugins.prompting.plain_data import clipped
from sparring_plugins.prompting.prompts import Prompts, answer_text
from sparring_plugins.prompting.question import Checker
from sparring_plugins.prompting.template_folders import SHARED

ValueT = TypeVar("ValueT")

ROUNDS = 2
"""How often checkers may send an answer back, unless said otherwise."""

_SHOWN = 4_000
"""Characters of an answer that a model gets to see again."""

_REASON = 300


@dataclass(frozen=True)
class Settled(Generic[ValueT]):
    """A usable answer; `rounds` is how often the question was asked before it came."""

    value: ValueT
    reply: ChatReply
    rounds: int = 0
    objections: tuple[str, ...] = ()


@dataclass
class Exchange(Generic[ValueT]):
    """One question to a model, until there is an answer or none can be had.

    `read` gives the value of a reply, or raises Unfit. All checkers are asked each time, and the
    model hears of all their reasons at once; they must not rely on each other. With `accept_last`
    the last value that could be read is the answer when the rounds are used up.
    """

    backend: LLMBackend[Any]
    read: Callable[[ChatReply], ValueT]
    prompts: Prompts
    checkers: Sequence[Checker[ValueT]] = ()
    rounds: int = ROUNDS
    accept_last: bool = False
    _calls: int = field(default=0, init=False)
    _last: Settled[ValueT] | None = field(default=None, init=False)

    async def settle(self, request: ChatRequest) -> Settled[ValueT]:
        """Ask until there is an answer; raises AnswerInvalid, or ModelError of the backend."""
        again, shortened, repaired, rounds = request, False, False, 0
        while True:
            reply = await self.backend.complete(again)
            self._calls += 1
            if reply.finish_reason in ("refusal", "content_filter"):
                return self._give_up(again, f"it refuses to answer: {_short(reply.text)}")
            if reply.finish_reason == "length":
                if shortened:
                    return self._give_up(again, "its answer was cut off, twice")
                again, shortened = self._shorter(again, reply), True
                continue
            try:
                value = self.read(reply)
            except Unfit as err:
                if repaired:
                    return self._give_up(again, *err.reasons)
                again, repaired = self._sent_back(again, reply, err.reasons), True
                continue
            objections = await self._objections(value)
            self._last = Settled(value, reply, self._calls - 1, objections)
            if not objections:
                return self._last
            if rounds >= self.rounds:
                return self._give_up(again, *objections)
            again, rounds = self._sent_back(again, reply, objections), rounds + 1

    async def _objections(self, value: ValueT) -> tuple[str, ...]:
        reasons: list[str] = []
        for checker in self.checkers:
            reason = checker(value)
            if inspect.isawaitable(reason):
                reason = await reason
            if reason is not None:
                reasons.append(reason)
        return tuple(reasons)

    def _give_up(self, request: ChatRequest, *reasons: str) -> Settled[ValueT]:
        if self.accept_last and self._last is not None:
            return self._last
        raise AnswerInvalid(_invalid(request, self._calls, reasons))

    def _sent_back(
        self, request: ChatRequest, reply: ChatReply, reasons: Sequence[str]
    ) -> ChatRequest:
        values = {"reasons": list(reasons)}
        return self._again(request, reply, self.prompts.messages("repair", values), _SHOWN)

    def _shorter(self, request: ChatRequest, reply: ChatReply) -> ChatRequest:
        more = None if request.max_tokens is None else 2 * request.max_tokens
        wider = request.model_copy(update={"max_tokens": more})
        return self._again(wider, reply, self.prompts.messages("shorter", {}), _SHOWN // 10)

    def _again(
        self, request: ChatRequest, reply: ChatReply, said: Sequence[ChatMessage], shown: int
    ) -> ChatRequest:
        answer = ChatMessage(role="assistant", content=_as_said(reply, shown))
        messages = (*request.messages, answer, *said)
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

    exchange = Exchange(backend, fitting, _shared(), checkers, rounds)
    return (await exchange.settle(request)).value


@lru_cache(maxsize=1)
def _shared() -> Prompts:
    return Prompts(SHARED)


def _as_said(reply: ChatReply, limit: int) -> str:
    text = reply.text
    if not text.strip() and reply.parsed is not None:
        text = answer_text(reply.parsed)
    return escaped(clipped(text, limit)).strip() or "[no text]"


def _short(text: str) -> str:
    return escaped(clipped(" ".join(text[: 4 * _REASON].split()), _REASON)) or "it says nothing"


def _invalid(request: ChatRequest, calls: int, reasons: Sequence[str]) -> str:
    who = f"the {request.asker}'s model" if request.asker else "the model"
    what = f" to the prompt {request.prompt!r}" if request.prompt else ""
    tries = f" in {calls} tries" if calls > 1 else ""
    return f"{who} gave no usable answer{what}{tries}: {_short('; '.join(reasons))}"
