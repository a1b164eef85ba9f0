"""The connector `rest`: any chatbot behind HTTP, described in YAML without code.

The modules that speak HTTP are imported when the first session is opened, so that checking a
suite stays cheap.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, ClassVar
from urllib.request import getproxies
from uuid import uuid4, uuid5

from sparring.errors import AppTimeout
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.described.matching import Matching
from sparring_connectors.described.tls import tls_context
from sparring_connectors.rest.config import RestConfig

if TYPE_CHECKING:
    from collections.abc import Generator

    from sparring_connectors.rest.exchange import Exchange, Exchanges
    from sparring_connectors.rest.plan import Plans


class RestConnector(AppConnector[RestConfig]):
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
        self._run = uuid4()  # so that two runs never share sessions on a server that lives on
        self._numbers = count(1)
        self._plans: Plans | None = None
        self._pool: tuple[asyncio.AbstractEventLoop, Exchanges] | None = None
        self._told = False
        self._matching = Matching()
        if config.proxies and getproxies():
            self._check_proxies()

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.rest.session import RestSession

        own_id = str(uuid5(self._run, f"{case.id}/{case.seed}/{next(self._numbers)}"))
        with self._borrowed() as exchange:
            plans = self._made_plans()
            session = RestSession(
                self.config, plans, exchange, case, own_id, self._matching, self.context.note
            )
            await session.start()
            try:
                yield session
            finally:
                self._tell(await session.finish())

    async def probe(self) -> None:
        from sparring_connectors.rest.exchange import Failed

        plan = self._made_plans().probe
        values = {"uuid": str(self._run), "session": str(self._run), "case": "probe", "seed": 0}
        limit = self.config.timeout.connect_s + self.config.timeout.read_s
        try:
            with self._borrowed() as exchange:
                async with asyncio.timeout(limit):
                    await exchange.ask(plan.prepare(values), any_status=self.config.probe is None)
        except Failed as err:
            raise err.error from None
        except TimeoutError:
            raise AppTimeout(f"{plan.label}: no complete answer within {limit:g} s") from None

    async def close(self) -> None:
        for problem in self._matching.problems():
            self.context.warn(problem)
        self._matching = Matching()
        pool, self._pool = self._pool, None
        if pool is not None and pool[0] is asyncio.get_running_loop():
            await pool[1].aclose()

    @contextmanager
    def _borrowed(self) -> "Generator[Exchange]":
        """A connection that no other session has, of this event loop."""
        from sparring_connectors.rest.exchange import Exchanges

        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool[0] is not loop:
            self._pool = (loop, Exchanges(self.config, self._tls))
        exchanges = self._pool[1]
        exchange = exchanges.borrow()
        try:
            yield exchange
        finally:
            exchanges.give_back(exchange)

    def _check_proxies(self) -> None:
        """Raises ConfigurationError before the run where a proxy cannot be used."""
        from sparring_connectors.rest.exchange import Exchanges

        Exchanges(self.config, self._tls).borrow()

    def _made_plans(self) -> "Plans":
        from sparring_connectors.described.secrets import Secrets
        from sparring_connectors.rest.plan import Plans

        if self._plans is None:
            self._plans = Plans.of(
                self.config,
                Secrets.of([self.config, *(request for _, request in self.config.requests())]),
            )
        return self._plans

    def _tell(self, problem: str | None) -> None:
        """Tell of the first session that could not be closed; the others fail alike."""
        if problem and not self._told:
            self._told = True
            self.context.warn(f"a session could not be closed: {problem}")
