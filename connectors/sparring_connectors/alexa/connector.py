"""The connector `alexa`: skills on a local simulator of Alexa, without an Amazon account."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.hosting.stubs import Stub, read_stubs
from sparring_connectors.alexa.skills import BrokenSession, BrokenSkill, TestedSkills

if TYPE_CHECKING:
    from sparring_connectors.alexa.hosting.hosts import HostPool


class AlexaConnector(AppConnector[AlexaConfig]):
    """Talks to a skill as a person at a device does.

    Sessions share nothing but, if the settings say so, the handler's process. The reference
    page is `docs/reference/alexa.md`.
    """

    Config = AlexaConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    def __init__(self, config: AlexaConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.tested = TestedSkills(config, context.base_dir)
        for skill in self.tested.installed:
            context.files([str(path.absolute()) for path in skill.files])
            for note in skill.model.notes:
                context.warn(f"{skill.name}: {note}")
        for broken in self.tested.broken:
            context.warn(f"skill {broken.listed.name!r} cannot be tested: {broken.why}")
        self._stubs: list[Stub] = []
        if config.answers is not None and config.network != "record":
            for path in context.files(config.answers):
                self._stubs += read_stubs(path)
        self._hosts: HostPool | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.alexa.session import Conversation

        tested = self.tested.of(case)
        if isinstance(tested, BrokenSkill):
            yield BrokenSession(tested)
            return
        async with Conversation.start(self.config, tested, self._host_pool(), case) as session:
            yield session

    def apps(self) -> tuple[str, ...]:
        return self.tested.names

    async def probe(self) -> None:
        """Load the handler, or reach the endpoint, without a request."""
        from sparring_connectors.alexa.session import probe

        for enabled in self.tested.all():
            await probe(self.config, enabled, self._host_pool())

    async def close(self) -> None:
        hosts, self._hosts = self._hosts, None
        if hosts is not None:
            await hosts.aclose()

    def _host_pool(self) -> "HostPool":
        from sparring_connectors.alexa.hosting.hosts import HostPool

        if self._hosts is None:
            self._hosts = HostPool(self.config, self.context, self._stubs)
        return self._hosts
