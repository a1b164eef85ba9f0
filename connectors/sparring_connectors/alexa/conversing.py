"""Beginning and ending conversations: a device, a user, hosts for the skills."""

import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, tzinfo
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

from sparring.model.case import Case
from sparring_connectors.alexa.assistant.device import Device
from sparring_connectors.alexa.assistant.skill_session import Player, Surrounding
from sparring_connectors.alexa.assistant.timekeeping import DeviceClock
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.coverage.reached import Reached
from sparring_connectors.alexa.hosting.host import Failure, Host, Store
from sparring_connectors.alexa.hosting.hosts import Hosts, ServedHost
from sparring_connectors.alexa.protocol.requests import API_ENDPOINT, HEADLESS, SCREEN, Caller
from sparring_connectors.alexa.session import AlexaSession
from sparring_connectors.alexa.skill.installed import InstalledSkill
from sparring_connectors.alexa.skill.many import Enabled

_MORNING = 10


class Visit:
    """What one conversation has of its own: ids, chance, stores, processes."""

    def __init__(self, config: AlexaConfig, hosts: Hosts, case: Case) -> None:
        self._config = config
        self._hosts = hosts
        self._case = case
        self._id = uuid5(NAMESPACE_URL, f"sparring:{case.id}/{case.seed}")
        self._stack = AsyncExitStack()
        self._running: dict[int, Host] = {}
        self.session: AlexaSession | None = None
        self.tested: InstalledSkill | None = None

    @classmethod
    @asynccontextmanager
    async def entered(
        cls, config: AlexaConfig, skills: Enabled, hosts: Hosts, case: Case
    ) -> AsyncGenerator[AlexaSession]:
        """A conversation for a case; leaving the context ends its processes."""
        visit = cls(config, hosts, case)
        async with visit._stack:
            device = visit._device(skills)
            if config.user.kind == "returning":
                await visit._warm_up(device, skills.skill)
            reached = Reached(skills.skill, parts=config.coverage != "none")
            session = AlexaSession(config, device, _named(config.opening, skills.skill), reached)
            visit.session, visit.tested = session, skills.skill
            yield session
            await session.finish()

    def _device(self, skills: Enabled) -> Device:
        config = self._config
        chance = random.Random(self._case.seed)
        has_screen = config.device.profile == "screen"
        zone = _zone(config.device.timezone)
        clock = DeviceClock(_begin(config, zone), zone, real=config.clock == "real", seed=self._id)
        return Device(
            skills=skills.skills,
            host_of=self._host,
            caller_of=self._caller,
            around=Surrounding(clock, chance.choice, Player(), has_screen, config.timeout_s),
            time_is_platforms=config.time_in_session == "platform",
        )

    async def _warm_up(self, device: Device, skill: InstalledSkill) -> None:
        """The conversation of the last time, which leaves its traces in what the skill stores."""
        for said in self._config.user.warm_up:
            await device.say(_named(said, skill))
        await device.leave()

    async def _host(self, skill: InstalledSkill) -> Host:
        key = id(skill)
        if key not in self._running:
            kept = {self._user_id(): dict(self._config.user.attributes)}
            store = Store(kept if self._config.user.attributes else {})
            if self._hosts.shares:
                self._running[key] = self._hosts.shared(skill, store)
            else:
                host = self._hosts.own(skill, store, self._case.seed)
                self._stack.push_async_callback(host.aclose)
                self._running[key] = host
            if self.session is not None and skill is self.tested:
                self.session.lines = self._running[key].lines
        return self._running[key]

    def _user_id(self) -> str:
        return self._config.user.id or f"amzn1.ask.account.{_token(self._id, 'user')}"

    def _caller(self, skill: InstalledSkill) -> Caller:
        config = self._config
        has_screen = config.device.profile == "screen"
        interfaces = config.device.interfaces
        return Caller(
            application_id=skill.application_id,
            user_id=self._user_id(),
            device_id=config.device.id or f"amzn1.ask.device.{_token(self._id, 'device')}",
            locale=skill.model.locale,
            interfaces=interfaces if interfaces is not None else SCREEN if has_screen else HEADLESS,
            has_screen=has_screen,
            access_token=config.user.access_token,
            api_token=_token(self._id, "api"),
            api_endpoint=API_ENDPOINT,
            person_id=config.user.person_id,
        )


async def probe(config: AlexaConfig, skills: Enabled, hosts: Hosts) -> None:
    """Load the handler of the skill under test, or reach its endpoint; raises AppError."""
    from sparring_connectors.alexa.hosting.endpoint import EndpointHost

    host = hosts.own(skills.skill, Store(), 0)
    try:
        if isinstance(host, ServedHost):
            await host.start()
        elif isinstance(host, EndpointHost):
            await host.reach(config.timeout_s)
    except Failure as failure:
        raise failure.error from failure
    finally:
        await host.aclose()


def _named(said: str | None, skill: InstalledSkill) -> str:
    return (said or "open {name}").replace("{name}", skill.name)


def _token(seed: UUID, what: str) -> str:
    return uuid5(seed, what).hex.upper()


def _zone(name: str) -> tzinfo:
    """A time zone that was checked before."""
    return UTC if name == "UTC" else ZoneInfo(name)


def _begin(config: AlexaConfig, zone: tzinfo) -> datetime:
    """When a conversation begins: as set, or this morning, so that a day's runs are equal."""
    if config.now is not None:
        return config.now if config.now.tzinfo else config.now.replace(tzinfo=zone)
    return datetime.now(zone).replace(hour=_MORNING, minute=0, second=0, microsecond=0)
