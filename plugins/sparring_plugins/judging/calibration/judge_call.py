"""One call of one judge, and what language models were asked in its course."""

from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sparring.errors import BudgetSpent, ModelError
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest


@dataclass(slots=True)
class JudgeCall:
    """One call of a judge: which of its samples it is, and what it took.

    `case_id` is what the log calls it: the example, the judge, and which repeat it is, so that no
    two share one. `sample` counts from 0: the first asks just what a run asks. `cost_usd` is None
    as soon as one price is unknown. `failed` is why a model could not be asked, if so.
    """

    case_id: str
    sample: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    latency_s: float = 0.0
    model: str = ""
    failed: str = ""
    spent: bool = False

    def seed(self, first: int) -> int:
        """The seed of this attempt, given that of the first."""
        if self.sample == 0:
            return first
        text = f"{first}/{self.case_id}/{self.sample}"
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big") // 2

    def add(self, reply: ChatReply) -> None:
        """Count a model's answer."""
        self.calls += 1
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        self.latency_s += reply.latency_s
        self.model = reply.model or self.model
        is_known = self.cost_usd is not None and reply.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (reply.cost_usd or 0.0) if is_known else None


CURRENT: ContextVar[JudgeCall | None] = ContextVar("judge_call", default=None)
"""The judge call that the running task is part of."""


class Witness(LLMBackend[PluginConfig]):
    """Stands between a judge and its language model, and tells repeats apart.

    From the second call on, a question that has no sample of its own gets that of the call,
    and another seed, so that neither a cache nor a seed makes one answer of several.
    """

    def __init__(self, inner: LLMBackend[Any]) -> None:
        super().__init__(inner.config, inner.context)
        self._inner = inner
        self.free = inner.free

    def identity(self) -> str:
        """See `LLMBackend.identity`."""
        return self._inner.identity()

    def model(self) -> str | None:
        """See `LLMBackend.model`."""
        return self._inner.model()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `LLMBackend.complete`."""
        judge_call = CURRENT.get()
        if judge_call is None:
            return await self._inner.complete(request)
        try:
            reply = await self._inner.complete(_told_apart(request, judge_call))
        except BudgetSpent:
            judge_call.spent = True
            raise
        except ModelError as err:
            judge_call.failed = str(err)
            judge_call.calls += 1
            raise
        judge_call.add(reply)
        return reply


def _told_apart(request: ChatRequest, judge_call: JudgeCall) -> ChatRequest:
    changed: dict[str, Any] = {"case_id": judge_call.case_id}
    if judge_call.sample and not request.sample:
        changed["sample"] = judge_call.sample
        if request.seed is not None:
            changed["seed"] = judge_call.seed(request.seed)
    return request.model_copy(update=changed)
