"""Hosts for the skills of conversations: a process each, one for all, or an endpoint."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from sparring.errors import EnvironmentFailure
from sparring.interfaces.plugin import BuildContext
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.hosting.host import Answer, Failure, Host, Store
from sparring_connectors.alexa.hosting.launching import Surroundings, launch_of
from sparring_connectors.alexa.hosting.line_record import LineRecord
from sparring_connectors.alexa.hosting.process import ProcessHost
from sparring_connectors.alexa.hosting.services import ServiceStandIn
from sparring_connectors.alexa.protocol.requests import API_ENDPOINT
from sparring_connectors.alexa.skill.installed import InstalledSkill

_SERVICE = urlsplit(API_ENDPOINT).hostname or ""


class ServedHost(Host):
    """A process with the service API beside it; both begin with the first request."""

    def __init__(
        self, config: AlexaConfig, skill: InstalledSkill, store: Store, seed: int | None
    ) -> None:
        self._config = config
        self._skill = skill
        self._store = store
        self._seed = seed
        self._services = ServiceStandIn(config.services, config.device.timezone)
        self._host: ProcessHost | None = None
        self._starting = asyncio.Lock()
        self.lines = LineRecord() if config.coverage == "lines" else None

    async def start(self) -> ProcessHost:
        """Load the handler; raises Failure where that does not work."""
        async with self._starting:
            if self._host is None:
                self._host = self._made(await self._service_port())
        await self._host.start()
        return self._host

    async def _service_port(self) -> int:
        try:
            return await self._services.start()
        except OSError as err:
            why = f"no port for the stand-in for Alexa's service API: {err.strerror or err}"
            raise Failure(EnvironmentFailure(why), "load") from err

    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> Answer:
        host = await self.start()
        return await host.ask(request, timeout_s)

    async def aclose(self) -> None:
        host, self._host = self._host, None
        try:
            if host is not None:
                await host.aclose()
        finally:
            await self._services.aclose()

    def _made(self, port: int) -> ProcessHost:
        config, skill = self._config, self._skill
        assert skill.handler is not None
        around = Surroundings(
            seed=self._seed,
            now=config.now.timestamp() if config.now else None,
            cut=config.network == "cut",
            service_host=_SERVICE,
            service_port=port,
            environment=skill.config.environment,
            start_timeout_s=config.start_timeout_s,
            timeout_s=config.timeout_s,
            python=skill.config.python,
            node=skill.config.node,
            coverage=self.lines is not None,
        )
        label = f"skill {skill.name!r}"
        launch = launch_of(skill.handler, skill.folder, around, label)
        if self.lines is not None:
            self.lines.folder = str(launch.folder)
        return ProcessHost(launch, self._store, self.lines)


class Hosts:
    """Makes the hosts of a run, and keeps those that conversations share."""

    def __init__(self, config: AlexaConfig, context: BuildContext) -> None:
        self._config = config
        self._context = context
        self._shared: dict[str, Host] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def shares(self) -> bool:
        """Whether conversations share a handler's process."""
        return self._config.process == "run"

    def own(self, skill: InstalledSkill, store: Store, seed: int) -> Host:
        """A host for one conversation."""
        if skill.handler is None:
            return self._endpoint(skill)
        return ServedHost(self._config, skill, store, seed if self._config.seeded else None)

    def shared(self, skill: InstalledSkill, store: Store) -> Host:
        """The host that all conversations have for a skill."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._shared = loop, {}
        key = f"{skill.application_id} {skill.folder}"
        if key not in self._shared:
            self._shared[key] = self.own(skill, store, self._context.seed)
        return self._shared[key]

    async def aclose(self) -> None:
        """Give back what conversations shared."""
        shared, self._shared = self._shared, {}
        if self._loop is asyncio.get_running_loop():
            for host in shared.values():
                await host.aclose()

    def _endpoint(self, skill: InstalledSkill) -> Host:
        from sparring_connectors.alexa.hosting.endpoint import EndpointHost
        from sparring_connectors.described.tls import tls_context

        url = skill.config.endpoint or ""
        tls: ssl.SSLContext | None = None
        if url.startswith("https://"):
            tls = tls_context(skill.config.tls, self._context)
        return EndpointHost(url, skill.config.headers, tls)
