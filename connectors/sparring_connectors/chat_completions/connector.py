"""The connector `chat-completions`: a model behind an OpenAI-compatible endpoint is the app.

The modules that speak HTTP are imported when the first session is opened, so that checking a
suite stays cheap.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from sparring.errors import AppError, AppProtocolError
from sparring.interfaces.app_connector import AppSession, Capability
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Say
from sparring_connectors.chat_completions.config import ChatCompletionsConfig
from sparring_connectors.described.connector import DescribedConnector
from sparring_connectors.described.tls import tls_context

if TYPE_CHECKING:
    from sparring_connectors.rest.exchange import RestClientPool
    from sparring_connectors.rest.plan import RequestPlan


class ChatCompletionsConnector(DescribedConnector[ChatCompletionsConfig]):
    """Talks to a model with a system prompt, and keeps the history of each conversation.

    Requests are paced over all sessions, and sent again when the service refuses them for its rate
    (429) or is busy (503). The reference page is `docs/reference/chat-completions.md`.
    """

    Config: ClassVar[type[PluginConfig]] = ChatCompletionsConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    def __init__(self, config: ChatCompletionsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._rest = config.to_rest()
        self._tls = tls_context(config.tls, context) if self._rest.speaks_tls() else None
        self._plan: RequestPlan | None = None
        self._pool: tuple[asyncio.AbstractEventLoop, RestClientPool] | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.chat_completions.session import ChatCompletionsSession

        pool = self._client_pool()
        client = pool.borrow()
        try:
            yield ChatCompletionsSession(
                self.config,
                self._request_plan(),
                client,
                case,
                self._new_id(case),
                self.context.note,
            )
        finally:
            pool.give_back(client)

    async def probe(self) -> None:
        """Ask for one short answer; raises AppError, or ConfigurationError for wrong settings."""
        async with self.open(Case.of("probe", {}, run_seed=0)) as session:
            try:
                await session.send(Say(text="Hello"))
            except AppProtocolError as err:
                raise AppError(str(err)) from None

    async def close(self) -> None:
        await super().close()
        pool, self._pool = self._pool, None
        if pool is not None and pool[0] is asyncio.get_running_loop():
            await pool[1].aclose()

    def _client_pool(self) -> "RestClientPool":
        from sparring_connectors.rest.exchange import RestClientPool

        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool[0] is not loop:
            self._pool = (loop, RestClientPool(self._rest, self._tls))
        return self._pool[1]

    def _request_plan(self) -> "RequestPlan":
        from sparring_connectors.rest.plan import RequestPlan

        if self._plan is None:
            self._plan = RequestPlan.of_message(self._rest)
        return self._plan
