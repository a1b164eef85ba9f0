"""The connector `websocket`: any chatbot behind a WebSocket, described in YAML without code.

The modules that speak WebSocket are imported when the first session is opened, so that checking
a suite stays cheap.
"""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import ClassVar

from sparring.errors import MissingExtra
from sparring.interfaces.app_connector import AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.described.connector import DescribedConnector
from sparring_connectors.described.tls import tls_context
from sparring_connectors.websocket.config import WebSocketConfig
from sparring_connectors.websocket.plan import WebSocketPlan


class WebSocketConnector(DescribedConnector[WebSocketConfig]):
    """Reaches a chatbot over a WebSocket (RFC 6455) as its settings describe.

    Each session has a connection of its own, over which it alone talks. The reference page is
    `docs/reference/websocket.md`.
    """

    Config = WebSocketConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: WebSocketConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("websockets") is None:
            raise MissingExtra(
                "the connector 'websocket' needs the library websockets: "
                "pip install 'sparring[websocket]'"
            )
        self._tls: ssl.SSLContext | None = (
            tls_context(config.tls, context) if config.speaks_tls() else None
        )
        self._plan = WebSocketPlan.of(config)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.websocket.session import WebSocketSession

        session = WebSocketSession(
            self._plan, self._tls, case, self._new_id(case), self._misses, self.context.note
        )
        try:
            await session.start()
            yield session
        finally:
            self._warn_once(await session.finish())

    async def probe(self) -> None:
        """Connect, wait until the app is ready, and close."""
        from sparring_connectors.websocket.session import WebSocketSession

        case = Case.of("probe", {}, run_seed=0)
        session = WebSocketSession(
            self._plan, self._tls, case, str(self._run), self._misses, self.context.note
        )
        try:
            await session.connect()
        finally:
            await session.finish()
