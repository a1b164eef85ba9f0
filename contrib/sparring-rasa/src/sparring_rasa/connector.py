"""The connector `rasa`: an assistant behind Rasa's REST channel."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import ClassVar

from sparring import (
    AppConnector,
    AppProtocolError,
    AppSession,
    BuildContext,
    Capability,
    Case,
    PluginConfig,
)
from sparring_connectors.rest.connector import RestConnector

from sparring_rasa.config import RasaConfig

_HINTS = {
    "channel": "is the channel named in credentials.yml?",
    "version": "was Rasa started with --enable-api?",
    "status": "was Rasa started with --enable-api, and is a model loaded?",
}


class RasaConnector(AppConnector[RasaConfig]):
    """Talks to Rasa over its REST channel (Rasa 2 and 3).

    A conversation is what Rasa knows by its sender. With a `sender` of its own for each, any
    number run side by side; with one for all, they take turns and each begins restarted.
    """

    Config: ClassVar[type[PluginConfig]] = RasaConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: RasaConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._rest = RestConnector(config.as_rest(), context)
        self._turn: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:
        if not self.config.shared:
            async with self._rest.open(case) as session:
                yield session
            return
        async with self._turn_of_this_loop(), self._rest.open(case) as session:
            yield session

    async def probe(self) -> None:
        try:
            await self._rest.probe()
        except AppProtocolError as err:
            raise AppProtocolError(f"{err}; {_HINTS[self.config.probe]}") from None

    async def close(self) -> None:
        await self._rest.close()

    def _turn_of_this_loop(self) -> asyncio.Lock:
        loop = asyncio.get_running_loop()
        if self._turn is None or self._turn[0] is not loop:
            self._turn = (loop, asyncio.Lock())
        return self._turn[1]
