"""Language models under a meter: every call is logged, counted, and held to the budget."""

from collections.abc import Callable
from typing import Any

from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.errors import BudgetSpent, ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.events import ModelCalled


class MeteredBackend(LLMBackend[PluginConfig]):
    """Passes requests on to the suite's backend in the name of one asker."""

    def __init__(
        self,
        inner: LLMBackend[Any],
        asker: str,
        bus: Callable[[], EventBus | None],
        spending: Spending,
    ) -> None:
        super().__init__(inner.config, inner.context)
        self._inner = inner
        self._asker = asker
        self._bus = bus
        self._spending = spending

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `LLMBackend.complete`; raises BudgetSpent once tokens or cost are used up."""
        limits = self._spending.budget
        cost = self._spending.cost_usd or 0.0
        if (limits.tokens is not None and self._spending.tokens >= limits.tokens) or (
            limits.cost is not None and cost >= limits.cost
        ):
            raise BudgetSpent(self._spending.spent() or "the budget is spent")
        if not request.asker:
            request = request.model_copy(update={"asker": self._asker})
        try:
            reply = await self._inner.complete(request)
        except ModelError as err:
            self._emit(ModelCalled(at=now(), request=request, error=str(err)))
            raise
        self._spending.model_called(reply.input_tokens + reply.output_tokens, reply.cost_usd)
        self._emit(ModelCalled(at=now(), request=request, reply=reply))
        return reply

    def _emit(self, event: ModelCalled) -> None:
        bus = self._bus()
        if bus is not None:
            bus.emit(event)
