"""The connector `rest`: any chatbot behind HTTP, described in YAML without code.

The modules that speak HTTP are imported when the first session is opened, so that checking a
suite stays cheap.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, ClassVar
from urllib.request import getproxies

from sparring.errors import AppTimeout
from sparring.interfaces.app_connector import AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.described.connector import DescribedConnector
from sparring_connectors.described.tls import tls_context
from sparring_connectors.rest.config import RestConfig

if TYPE_CHECKING:
    from collections.abc import Generator

    from sparring_connectors.rest.exchange import RestClient, RestClientPool
    from sparring_connectors.rest.plan import RequestPlans


class RestConnector(DescribedConnector[RestConfig]):
    """Reaches a chatbot over HTTP as its settings describe.

    Connections outlive sessions, and one session at a time has each; cookies, ids and everything
    else that an app may know a conversation by belong to one session alone. The reference page
    is `docs/reference/rest.md`.
    """

    Config = RestConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: RestConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._tls = tls_context(config.tls, context) if config.speaks_tls() else None
        self._plans: RequestPlans | None = None
        self._pool: tuple[asyncio.AbstractEventLoop, RestClientPool] | None = None
        if config.sign or (config.proxies and getproxies()):
            self._check_client()

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.rest.session import RestSession

        with self._borrow_client() as exchange:
            plans = self._request_plans()
            session = RestSession(
                self.config,
                plans,
                exchange,
                case,
                self._new_id(case),
                self._misses,
                self.context.note,
            )
            await session.start()
            try:
                yield session
            finally:
                self._warn_once(await session.finish())

    async def probe(self) -> None:
        from sparring_connectors.rest.exchange import RequestFailed

        plan = self._request_plans().probe
        values = {"uuid": str(self._run), "session": str(self._run), "case": "probe", "seed": 0}
        limit = self.config.timeout.connect_s + self.config.timeout.read_s
        try:
            with self._borrow_client() as exchange:
                async with asyncio.timeout(limit):
                    await exchange.ask(plan.prepare(values), any_status=self.config.probe is None)
        except RequestFailed as err:
            raise err.error from None
        except TimeoutError:
            raise AppTimeout(f"{plan.label}: no complete answer within {limit:g} s") from None

    async def close(self) -> None:
        await super().close()
        pool, self._pool = self._pool, None
        if pool is not None and pool[0] is asyncio.get_running_loop():
            await pool[1].aclose()

    @contextmanager
    def _borrow_client(self) -> "Generator[RestClient]":
        """A connection that no other session has, of this event loop."""
        from sparring_connectors.rest.exchange import RestClientPool

        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool[0] is not loop:
            self._pool = (loop, RestClientPool(self.config, self._tls))
        exchanges = self._pool[1]
        exchange = exchanges.borrow()
        try:
            yield exchange
        finally:
            exchanges.give_back(exchange)

    def _check_client(self) -> None:
        """Raise ConfigurationError before the run if a proxy, or a key to sign with, is unfit."""
        from sparring_connectors.rest.exchange import RestClientPool

        RestClientPool(self.config, self._tls).borrow()

    def _request_plans(self) -> "RequestPlans":
        from sparring_connectors.described.secrets import AppSecrets
        from sparring_connectors.rest.plan import RequestPlans

        if self._plans is None:
            self._plans = RequestPlans.of(
                self.config,
                AppSecrets.of([self.config, *(request for _, request in self.config.requests())]),
            )
        return self._plans
