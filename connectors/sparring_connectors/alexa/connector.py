"""The connector `alexa`: skills on a local simulator of Alexa, without an Amazon account."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.hosting.stubs import Stub, read_stubs
from sparring_connectors.alexa.skills import BrokenSession, BrokenSkill, SkillSettings, TestedSkills

if TYPE_CHECKING:
    from sparring_connectors.alexa.hosting.hosts import HostPool
    from sparring_connectors.alexa.hosting.process import IdleProcesses


class AlexaConnector(AppConnector[AlexaConfig]):
    """Talks to a skill as a person at a device does.

    Sessions share nothing but, if the settings say so, the handler's process. The reference
    page is `docs/reference/alexa.md`.
    """

    Config = AlexaConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    def __init__(self, config: AlexaConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.tested = TestedSkills(config, context.base_dir)
        for skill in self.tested.installed:
            context.files([str(path.absolute()) for path in skill.files])
            for note in skill.model.notes:
                context.warn(f"{skill.name}: {note}")
        for broken in self.tested.broken:
            context.warn(f"skill {broken.listed.name!r} cannot be tested: {broken.why}")
        #: The answers of stubbed hosts by the path in the settings, and hosts by the settings.
        self._stubs: dict[str, list[Stub]] = {}
        for own in {config.answers, *(one.settings.answers for one in self.tested.all())} - {None}:
            if config.network != "record":
                paths = context.files(str(own))
                self._stubs[str(own)] = [stub for path in paths for stub in read_stubs(path)]
        self._hosts: dict[SkillSettings, HostPool] = {}
        self._idle: IdleProcesses | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.alexa.session import Conversation

        tested = self.tested.of(case)
        if isinstance(tested, BrokenSkill):
            yield BrokenSession(tested)
            return
        config = tested.settings.apply(self.config)
        hosts = self._host_pool(tested.settings)
        async with Conversation.start(config, tested, hosts, case) as session:
            yield session

    def apps(self) -> tuple[str, ...]:
        return self.tested.names

    async def probe(self) -> None:
        """Load the handler, or reach the endpoint, without a request."""
        from sparring_connectors.alexa.session import probe

        for enabled in self.tested.all():
            await probe(self.config, enabled, self._host_pool(enabled.settings))

    async def close(self) -> None:
        pools, self._hosts = self._hosts, {}
        for hosts in pools.values():
            await hosts.aclose()
        if self._idle is not None:
            await self._idle.aclose()

    def _host_pool(self, settings: SkillSettings) -> "HostPool":
        """Return the hosts of skills that have the same settings."""
        from sparring_connectors.alexa.hosting.hosts import HostPool
        from sparring_connectors.alexa.hosting.process import IdleProcesses

        if self._idle is None:
            self._idle = IdleProcesses()
        if settings not in self._hosts:
            config = settings.apply(self.config)
            stubs = self._stubs.get(config.answers or "", [])
            self._hosts[settings] = HostPool(config, self.context, stubs, self._idle)
        return self._hosts[settings]
