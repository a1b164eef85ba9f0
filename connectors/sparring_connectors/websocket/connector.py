"""The connector `websocket`: any chatbot behind a WebSocket, described in YAML without code.

The modules that speak WebSocket are imported when the first session is opened, so that checking
a suite stays cheap.
"""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from sparring.errors import MissingExtra
from sparring.interfaces.app_connector import AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.described.connector import DescribedConnector
from sparring_connectors.described.tls import tls_context
from sparring_connectors.websocket.config import WebSocketConfig
from sparring_connectors.websocket.plan import WebSocketPlan

if TYPE_CHECKING:
    from sparring_connectors.websocket.audio_session import Voice
    from sparring_connectors.websocket.session import WebSocketSession


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
        self._voice: Voice | None = None
        if config.audio is not None:
            from sparring_connectors.websocket import audio_session

            self._voice = audio_session.Voice(config.audio, context)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        session = self._session(case, self._new_id(case))
        try:
            await session.start()
            yield session
        finally:
            self._warn_once(await session.finish())

    def _session(self, case: Case, own_id: str) -> "WebSocketSession":
        from sparring_connectors.websocket.session import WebSocketSession

        common = (self._plan, self._tls, case, own_id, self._misses, self.context.note)
        if self._voice is None:
            return WebSocketSession(*common)
        from sparring_connectors.websocket.audio_session import AudioSession

        return AudioSession(self._voice, *common)

    async def probe(self) -> None:
        """Connect, wait until the app is ready, and close."""
        session = self._session(Case.of("probe", {}, run_seed=0), str(self._run))
        try:
            await session.connect()
        finally:
            await session.finish()
