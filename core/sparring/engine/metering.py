"""Logs and counts every call of a language model, and holds it to the budget."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus
from sparring.errors import BudgetSpent
from sparring.interfaces.plugin import LLMBackend
from sparring.model.events import ModelCalled
from sparring.store import StoredRun
from sparring.suite.model import LLMUse

if TYPE_CHECKING:
    from sparring.llm.ledger import Prices, RecordedAnswers, ResponseCache
    from sparring.llm.service import Service


class Meter:
    """Stands between the parts of a run and the language models that they ask.

    Models are built before there is a log: `bus` is set as soon as there is one. `recording` is
    that of an earlier run, whose answers are taken before any service is asked.
    """

    def __init__(self, spending: Spending, *, recording: "RecordedAnswers | None" = None) -> None:
        self.spending = spending
        self.bus: EventBus | None = None
        self._early: list[ModelCalled] = []
        self.notes: list[str] = []
        self._recordings = [recording] if recording is not None else []
        self._services: dict[int, Service] = {}
        self._caches: dict[bool | str, ResponseCache] = {}

    def wrap(self, backend: LLMBackend[Any], use: LLMUse, asker: str) -> LLMBackend[Any]:
        """The backend as one asker gets it; raises ConfigurationError for an unknown price."""
        from sparring.llm.caller import Caller  # most runs ask no model
        from sparring.llm.service import Service

        make: Callable[..., Prices] = drivers.load_value(SERVICES, "prices")
        prices = make(use.prices, listed=backend.listed)
        if self.spending.budget.cost is not None and not (backend.free or backend.tells_cost):
            prices.require(backend.model())
        if id(backend) not in self._services:
            self._services[id(backend)] = Service(backend, use)
        return Caller(
            backend,
            self._services[id(backend)],
            use,
            asker,
            self,
            prices,
            drivers.load_value(SERVICES, "answers"),
            cache=self._cache(use, backend),
            recordings=self._recordings,
        )

    def resume(self, stored: StoredRun) -> None:
        """Take from its log what a run paid for in cases that were not judged."""
        make: Callable[..., RecordedAnswers] = drivers.load_value(SERVICES, "unfinished")
        self._recordings.append(make(stored))

    def _cache(self, use: LLMUse, backend: LLMBackend[Any]) -> "ResponseCache | None":
        if not use.cache:
            return None
        if use.cache not in self._caches:
            path = None if use.cache is True else backend.context.base_dir / Path(use.cache)
            make: Callable[..., ResponseCache] = drivers.load_value(SERVICES, "cache")
            self._caches[use.cache] = make(path, self.notes.append)
        return self._caches[use.cache]

    def require(self, case_id: str | None) -> None:
        """Allow one more call; raises BudgetSpent, and remembers whose call that was."""
        why = self.spending.no_more_calls()
        if why is not None:
            self.spending.refused.add(case_id)
            raise BudgetSpent(why)

    def called(self, event: ModelCalled) -> None:
        """Count and log a call."""
        self.spending.model_called(event)
        if self.bus is not None:
            self.bus.emit(event)
        else:
            self._early.append(event)

    def open(self, bus: EventBus) -> None:
        """Log calls from now on, those that were made before there was a log first."""
        self.bus = bus
        for event in self._early:
            bus.emit(event)
        self._early.clear()

    def close(self) -> None:
        """Close the response caches."""
        for cache in self._caches.values():
            cache.close()
        self._caches.clear()
