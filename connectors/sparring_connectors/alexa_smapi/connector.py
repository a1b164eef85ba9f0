"""The connector `alexa-smapi`: skills in their own cloud, through Amazon's simulation API."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from sparring.errors import AppUnreachable, MissingExtra
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.alexa_smapi.config import SmapiConfig

if TYPE_CHECKING:
    from sparring_connectors.alexa_smapi.service import SimulationService
    from sparring_connectors.alexa_smapi.session import UserTurns


class SmapiConnector(AppConnector[SmapiConfig]):
    """Talks to a skill through the developer's account; conversations wait for each other.

    The reference page is `docs/reference/alexa.md`.
    """

    Config = SmapiConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT})

    def __init__(self, config: SmapiConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("ask_smapi_sdk") is None:
            raise MissingExtra(
                "the connector 'alexa-smapi' needs the library ask-smapi-sdk: "
                "pip install 'sparring[alexa]'"
            )
        self._service: SimulationService | None = None
        self._turns: tuple[asyncio.AbstractEventLoop, UserTurns] | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.alexa_smapi.session import SmapiSession

        turns = self._make_turns()
        session = SmapiSession(self.config, self._make_service(), turns)
        try:
            yield session
            await session.finish()
        finally:
            turns.give_back(session)

    async def probe(self) -> None:
        """Log in, and see whether the skill can be asked."""
        from sparring_connectors.alexa_smapi.service import ServiceError

        try:
            async with asyncio.timeout(self.config.timeout_s):
                await asyncio.to_thread(self._make_service().reach)
        except ServiceError as err:
            raise AppUnreachable(f"SMAPI ({err.status or 'no answer'}): {err}") from err
        except TimeoutError:
            raise AppUnreachable("SMAPI: no answer in time") from None

    async def close(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            service.close()

    def _make_service(self) -> "SimulationService":
        from sparring_connectors.alexa_smapi.service import SimulationService

        if self._service is None:
            self._service = SimulationService(self.config)
        return self._service

    def _make_turns(self) -> "UserTurns":
        from sparring_connectors.alexa_smapi.session import UserTurns

        loop = asyncio.get_running_loop()
        if self._turns is None or self._turns[0] is not loop:
            self._turns = (loop, UserTurns())
        return self._turns[1]
