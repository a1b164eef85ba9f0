"""Asks one service politely: as many calls at once as it likes, again where that may help."""

import asyncio
from typing import Any

from sparring.interfaces.llm_backend import LLMBackend
from sparring.model.chat import ChatReply, ChatRequest
from sparring.suite.model import LLMUse


class Service:
    """A backend with manners."""

    def __init__(self, backend: LLMBackend[Any], use: LLMUse) -> None:
        self._backend = backend
        self._slots = asyncio.Semaphore(use.concurrency)

    async def ask(self, request: ChatRequest) -> tuple[ChatReply, int]:
        """The answer and how many attempts it took."""
        async with self._slots:
            return await self._backend.complete(request), 1
