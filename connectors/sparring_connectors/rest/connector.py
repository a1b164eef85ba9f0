"""The connector `rest`: any chatbot behind HTTP, described in YAML without code."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, ClassVar
from uuid import uuid4, uuid5

from sparring.errors import ConfigurationError
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.rest.config import RestConfig, TlsConfig
from sparring_connectors.rest.request_config import ReadRequestConfig, RequestConfig

if TYPE_CHECKING:
    from sparring_connectors.rest.exchange import Exchange
    from sparring_connectors.rest.plan import Plan
    from sparring_connectors.rest.session import Plans


class RestConnector(AppConnector[RestConfig]):
    """Reaches a chatbot over HTTP as its settings describe.

    Connections are pooled for the whole run; cookies, ids and everything else that an app may
    know a conversation by belong to one session. The reference page is `docs/reference/rest.md`.
    """

    Config = RestConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: RestConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._tls = _tls_context(config.tls, context) if _speaks_tls(config) else None
        self._run = uuid4()  # so that two runs never share sessions on a server that lives on
        self._numbers = count(1)
        self._pool: tuple[asyncio.AbstractEventLoop, Exchange] | None = None
        self._plans: Plans | None = None
        self._told = False

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.rest.session import RestSession

        own_id = str(uuid5(self._run, f"{case.id}/{case.seed}/{next(self._numbers)}"))
        session = RestSession(self.config, self._made_plans(), self._exchange(), case, own_id)
        await session.start()
        try:
            yield session
        finally:
            problem = await session.finish()
            if problem and not self._told:
                self._told = True
                self.context.warn(f"a session could not be closed: {problem}")

    async def probe(self) -> None:
        import httpx2

        from sparring_connectors.rest.exchange import Failed

        own = self.config.probe
        plan = self._planned(own or ReadRequestConfig())
        limit = self.config.timeout.connect_s + self.config.timeout.read_s
        values = {"uuid": str(self._run), "session": str(self._run), "case": "probe", "seed": 0}
        try:
            async with asyncio.timeout(limit):
                await self._exchange().ask(
                    plan.prepare(values), httpx2.Cookies(), any_status=own is None
                )
        except Failed as err:
            raise err.error from None
        except TimeoutError:
            from sparring.errors import AppTimeout

            raise AppTimeout(f"{plan.label}: no complete answer within {limit:g} s") from None

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None and pool[0] is asyncio.get_running_loop():
            await pool[1].aclose()

    def _exchange(self) -> "Exchange":
        """The pool of this event loop; connections cannot move to another one."""
        from sparring_connectors.rest.exchange import Exchange
        from sparring_connectors.rest.secrets import Secrets

        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool[0] is not loop:
            self._pool = (loop, Exchange(self.config, self._tls, Secrets.of(self.config)))
        return self._pool[1]

    def _made_plans(self) -> "Plans":
        from sparring_connectors.rest.plan import Plan
        from sparring_connectors.rest.session import Plans

        if self._plans is None:
            config = self.config
            message = self._shown(Plan.of_message(config))
            self._plans = Plans(
                message=message,
                press=self._variant(config.press) or message,
                open=self._planned(config.open) if config.open else None,
                greeting=self._variant(config.greeting),
                poll=self._planned(config.poll) if config.poll else None,
                close=self._planned(config.close) if config.close else None,
            )
        return self._plans

    def _variant(self, own: RequestConfig | None) -> "Plan | None":
        from sparring_connectors.rest.plan import Plan

        return self._shown(Plan.of_variant(self.config, own)) if own else None

    def _planned(self, own: RequestConfig) -> "Plan":
        from sparring_connectors.rest.plan import Plan

        return self._shown(Plan.of_request(self.config, own))

    def _shown(self, plan: "Plan") -> "Plan":
        from sparring_connectors.rest.secrets import Secrets

        return replace(plan, label=Secrets.of(self.config).hide(plan.label))


def _speaks_tls(config: RestConfig) -> bool:
    urls = [config.url, *(request.url or "" for _, request in config.requests())]
    return any(url.startswith("https:") for url in urls)


def _tls_context(tls: TlsConfig, context: BuildContext) -> ssl.SSLContext:
    """How https is checked; raises ConfigurationError where a file is missing or unfit."""
    try:
        if tls.ca_file:
            made = ssl.create_default_context(cafile=str(context.files(tls.ca_file)[0]))
        else:
            made = _system_trust(tls.verify)
        if tls.cert_file:
            key = str(context.files(tls.key_file)[0]) if tls.key_file else None
            made.load_cert_chain(str(context.files(tls.cert_file)[0]), key)
    except (ssl.SSLError, OSError) as err:
        raise ConfigurationError(f"tls: a certificate cannot be used: {err}") from err
    return made


def _system_trust(verify: bool) -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context(verify=verify)
