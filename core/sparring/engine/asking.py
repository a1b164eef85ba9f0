"""Asks the strategy for cases, and for others in the place of those that are refused."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.engine.screening import Screened, Screening
from sparring.errors import BudgetSpent
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.events import Refusal

_REFUSED_IN_A_ROW = 2_000
"""Cases that are refused one after the other before there is nothing new to say."""

_ROUNDS = 5
"""Rounds after which what was found is played, where a strategy does not learn."""


@dataclass(slots=True)
class Asked:
    """What came of asking; `cut_off` says that the budget refused a model's answer."""

    cases: list[Case] = field(default_factory=list[Case])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    wordings: dict[str, dict[str, JsonValue]] = field(
        default_factory=dict[str, dict[str, JsonValue]]
    )
    previews: int = 0
    cut_off: bool = False


class Asking:
    """Puts batches together: drafts are read, proposals screened, refused ones replaced."""

    def __init__(self, strategy: SearchStrategy[Any], screening: Screening) -> None:
        self._strategy = strategy
        self._screening = screening
        self._hears = type(strategy).read is not SearchStrategy[Any].read
        self._task: asyncio.Task[None] | None = None
        self._interrupted = False

    def interrupt(self) -> None:
        """Give up putting a batch together."""
        self._interrupted = True
        if self._task is not None:
            self._task.cancel()

    async def asked(self, number: int) -> Asked:
        """Up to so many cases to play, or the whole batch of a strategy that learns per batch."""
        found = Asked()
        before = self._screening.previews
        if self._screening.idle and not self._screening.reads:
            found.cases = list(self._strategy.ask(number))
            return found
        self._task = asyncio.create_task(self._gather(found, number))
        with suppress(asyncio.CancelledError):
            await self._task
        if self._task.cancelled() and not self._interrupted:
            raise asyncio.CancelledError
        self._task = None
        found.previews = self._screening.previews - before
        return found

    async def _gather(self, found: Asked, number: int) -> None:
        rounds = in_a_row = 0
        while in_a_row < _REFUSED_IN_A_ROW:
            try:
                screened = await self._round(found, number)
            except BudgetSpent:
                found.cut_off = True
                return
            if screened is None:
                return
            in_a_row = 0 if screened.cases else in_a_row + len(screened.refused)
            rounds += 1
            if not screened.refused and self._is_enough(found, number):
                return
            if self._strategy.learning() == "never" and found.cases and rounds >= _ROUNDS:
                return

    def _is_enough(self, found: Asked, number: int) -> bool:
        return self._strategy.learning() != "never" or len(found.cases) >= number

    async def _round(self, found: Asked, number: int) -> Screened | None:
        """One proposal, screened; None where there is none."""
        strategy, screening = self._strategy, self._screening
        per_batch = strategy.learning() == "per-batch"
        missing = number if per_batch else number - len(found.cases)
        if missing <= 0:
            return None
        if screening.reads:
            for case, text in await screening.read(strategy.drafts(missing)):
                strategy.read(case, text)
        cases = strategy.ask(missing)
        if not cases:
            return None
        screened = await screening.screened(
            cases, strategy.population(), [case.id for case in found.cases]
        )
        if screening.idle and self._hears:  # else its texts are those that were compared
            told = await screening.read(screened.cases)
            screened.texts = {case.id: text for case, text in told}
        found.texts |= screened.texts
        found.wordings |= screened.wordings
        for case in screened.cases:
            if case.id in screened.texts:
                strategy.read(case, screened.texts[case.id])
        for refusal in screened.refused:
            strategy.refused(refusal.case)
        found.cases += screened.cases
        found.refused += screened.refused
        return screened
