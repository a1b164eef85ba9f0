"""A language model as one role gets it in a run."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from sparring.errors import ModelError
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.ledger import (
    CASE,
    PRICE,
    Ledger,
    Prices,
    ReadsAnswers,
    RecordedAnswers,
    ResponseCache,
    key_of,
    portable_seed,
)
from sparring.llm.service import Service
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.events import ModelCalled
from sparring.suite.environment import Redactor
from sparring.suite.model import LLMUse

APP = "app"
"""The role of an app under test that is a model itself: its answers are never taken from memory."""


class Caller(LLMBackend[PluginConfig]):
    """Asks a service in the name of one role.

    A question gets the role's settings. Its answer comes from a recording of an earlier run, from
    the response cache, or else from the service, if the budget allows; its price is looked up, and
    whatever came of it is logged.
    """

    def __init__(
        self,
        backend: LLMBackend[Any],
        service: Service,
        use: LLMUse,
        role: str,
        ledger: Ledger,
        prices: Prices,
        read: ReadsAnswers,
        *,
        cache: ResponseCache | None = None,
        recordings: Sequence[RecordedAnswers] = (),
    ) -> None:
        super().__init__(backend.config, backend.context)
        self._backend = backend
        self._service = service
        self._redactor = Redactor()
        self._identity = self._redactor.text(backend.identity())
        self._use = use
        self._role = role
        self._ledger = ledger
        self._prices = prices
        self._read = read
        self.repairs, self.fallback = use.repairs, use.fallback
        self._cache = None if role == APP else cache
        self._recordings = () if role == APP else recordings

    def identity(self) -> str:
        """See `LLMBackend.identity`."""
        return self._identity

    def model(self) -> str | None:
        """See `LLMBackend.model`."""
        return self._backend.model()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `LLMBackend.complete`; also raises BudgetSpent."""
        request = self._complete_request(request)
        remembered = self._recall_reply(request)
        if remembered is not None:
            return remembered
        self._ledger.require(request.case_id)
        try:
            reply, attempts = await self._service.ask(self._service.with_reasoning(request))
        except ModelError as err:
            attempts = getattr(err, "attempts", 1)
            source = self._backend.source
            self._log(request, error=str(err), source=source, attempts=attempts)
            raise
        reply = self._read(reply, request.answer_schema)
        self._service.learn_reasoning(reply)
        cost = self._cost(reply)
        worth = reply.worth_usd if self._backend.source == "recording" else cost
        reply = reply.model_copy(update={"cost_usd": cost, "worth_usd": worth})
        _count(reply)
        self._log(request, reply=reply, source=self._backend.source, attempts=attempts)
        if self._cache is not None:
            clean = self._redactor.cleaned(request), self._redactor.cleaned(reply)
            self._cache.put(key_of(request, self._identity), *clean)
        return reply

    def _cost(self, reply: ChatReply) -> float | None:
        if self._backend.source == "recording":
            return 0.0  # it was paid for when it was recorded
        return self._prices.cost(reply, self._backend.model(), free=self._backend.free)

    def _complete_request(self, request: ChatRequest) -> ChatRequest:
        """The question with what the suite says for the role, and the case it is asked for."""
        use = self._use
        settings: dict[str, Any] = {
            name: getattr(use, name)
            for name in ("temperature", "seed", "max_tokens")
            if getattr(use, name) is not None
        }
        if "timeout_s" not in request.model_fields_set or request.timeout_s > use.timeout:
            settings["timeout_s"] = use.timeout
        if not request.asker:
            settings["asker"] = self._role
        if request.case_id is None:
            settings["case_id"] = CASE.get()
        seed = settings.get("seed", request.seed)
        settings["seed"] = None if seed is None else portable_seed(seed)
        return request.model_copy(update=settings)

    def _recall_reply(self, request: ChatRequest) -> ChatReply | None:
        for recording in self._recordings:
            recorded = recording.find(request, self._identity or None)
            if isinstance(recorded, ChatReply):
                return self._reuse_reply(request, recorded, "recording")
        if self._cache is not None:
            kept = self._cache.get(key_of(request, self._identity))
            if kept is not None:
                return self._reuse_reply(request, self._read(kept, request.answer_schema), "cache")
        return None

    def _reuse_reply(
        self, request: ChatRequest, reply: ChatReply, source: Literal["cache", "recording"]
    ) -> ChatReply:
        _count(reply)
        reply = reply.model_copy(update={"cost_usd": 0.0})
        self._log(request, reply=reply, source=source, attempts=0)
        return reply

    def _log(
        self,
        request: ChatRequest,
        *,
        reply: ChatReply | None = None,
        error: str | None = None,
        source: Literal["service", "cache", "recording"] = "service",
        attempts: int = 1,
    ) -> None:
        self._ledger.called(
            ModelCalled(
                at=datetime.now(UTC),
                request=request,
                reply=reply,
                error=error,
                source=source,
                service=self._identity,
                attempts=attempts,
            )
        )


def _count(reply: ChatReply) -> None:
    price = PRICE.get()
    if price is not None:
        price.add(reply.cost_usd if reply.worth_usd is None else reply.worth_usd)
