"""One conversation with a device that has the skill under test, from setting up to the end."""

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, tzinfo
from time import monotonic
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from sparring.errors import AppError, AppTimeout, AppUnreachable, ConfigurationError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import (
    Act,
    AppFacts,
    Attachment,
    Choice,
    GuiAction,
    Listen,
    Observation,
    Press,
    Say,
)
from sparring.time_limits import LagMeter, timed_out
from sparring_connectors.alexa.buttons import INTERFACES, Button
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.coverage import SkillCoverage
from sparring_connectors.alexa.device import Device
from sparring_connectors.alexa.dialog import QuestionKind
from sparring_connectors.alexa.hosting.host import AttributeStore, HandlerFailure, Host, LineRecord
from sparring_connectors.alexa.hosting.hosts import HostPool, ServedHost
from sparring_connectors.alexa.open_skill import CONNECTION
from sparring_connectors.alexa.requests import API_ENDPOINT, HEADLESS, SCREEN, SkillCaller
from sparring_connectors.alexa.responses import card_text
from sparring_connectors.alexa.skill_session import (
    AudioPlayer,
    DeviceClock,
    DeviceTurn,
    SharedState,
    SkillExchange,
)
from sparring_connectors.alexa.skills import InstalledSkill, SkillSet
from sparring_connectors.alexa.words import to_heard


class AlexaSession(AppSession):
    """A user at a device; the skill is opened before the first words unless they open it."""

    def __init__(
        self,
        config: AlexaConfig,
        device: Device,
        opening: str,
        coverage: SkillCoverage | None = None,
    ) -> None:
        self._config = config
        self._device = device
        self._opening = opening
        self._coverage = coverage
        #: The lines of the skill's source that ran, if they are counted.
        self.lines: LineRecord | None = None
        self._has_begun = config.start == "nothing"
        #: Read before the first turn, which is timed.
        self._facts = device.skills[-1].source
        self._unreported: list[SkillExchange] = []
        #: How long this turn has taken, and for how much of it there was no processor time.
        self._turn_times: Callable[[], tuple[float, float]] = lambda: (0.0, 0.0)

    async def send(self, act: Act) -> Observation:
        """Say, press or wait, and return the answer; raises what the suite lets a failure raise."""
        began, meter = monotonic(), LagMeter()
        starved_s = meter.starved_s()
        self._turn_times = lambda: (monotonic() - began, meter.starved_s() - starved_s)
        try:
            return await self._handle(act)
        finally:
            meter.close()

    async def _handle(self, act: Act) -> Observation:
        match act:
            case Say(text=text):
                return await self._say(text)
            case Listen():
                return await self._listen()
            case Press(label=label, value=value):
                return self._observe(await self._device.touch(label, value))
            case GuiAction():
                raise ConfigurationError(
                    "the connector alexa takes spoken texts and touches, no GUI actions"
                )

    def facts(self) -> AppFacts | None:
        return self._coverage.facts(self.lines) if self._coverage else None

    async def finish(self) -> None:
        """The user walks away from an open session."""
        await self._device.leave()

    async def _say(self, text: str) -> Observation:
        first = None
        if not self._has_begun:
            self._has_begun = True
            if not self._opens(text):
                first = self._observe(await self._device.say(self._opening))
        return _join_observations(first, self._observe(await self._device.say(text)))

    def _opens(self, text: str) -> bool:
        """Whether words open a skill by themselves."""
        from sparring_connectors.alexa.invocation import find_invocation

        return find_invocation(to_heard(text), self._device.skills) is not None

    async def _listen(self) -> Observation:
        if self._has_begun:
            return self._observe(await self._device.listen())
        self._has_begun = True
        return self._observe(await self._device.say(self._opening))

    def _observe(self, turn: DeviceTurn) -> Observation:
        if self._coverage is not None:
            self._coverage.record_turn(turn)
        if turn.failure is not None:
            failure = self._attribute_timeout(turn.failure)
            if self._config.failures == "raise" or not _is_skill_failure(failure):
                self._unreported = turn.exchanges
                raise failure
        payload = self._payload(turn)
        self._unreported = []
        return Observation(
            text=turn.text,
            attachments=tuple(_attachment(card) for card in turn.cards),
            choices=self._choices(),
            payload=payload,
            ended=self._device.open is None,
        )

    def _choices(self) -> tuple[Choice, ...]:
        """What can be touched on the screen, and the buttons that the skill waits for."""
        session = self._device.open.session if self._device.open else None
        if session is None:
            return ()
        shown = [Choice(label=one.label, value=one.value) for one in session.screen]
        waiting = [Choice(label=one.label, value=one.gadget) for one in session.buttons]
        return tuple(one for one in (*shown, *waiting) if one.label.strip())

    def _attribute_timeout(self, failure: SparringError) -> SparringError:
        """A failure of the skill, or the machine's if it gave too little processor time.

        The engine sees to that if a failure is raised.
        """
        if self._config.failures == "raise" or not isinstance(failure, AppTimeout):
            return failure
        return timed_out(failure, *self._turn_times())

    def _ended_by(self, turn: DeviceTurn) -> str | None:
        """Who ended a session in this turn: ``skill``, ``user``, ``platform``, or nobody."""
        if self._device.open is not None or not turn.exchanges:
            return None
        return _ENDS.get(turn.reason or "", "skill")

    def _expected(self) -> dict[str, JsonValue]:
        """Return answers to the open question of a dialog, if the model knows some.

        Of these, `unusual` are the ones at which a handler may fail. `elicits` names what the
        question is for.
        """
        dialogue = self._device.open
        dialog = dialogue.dialog if dialogue else None
        if dialogue is None or dialog is None or dialog.open_question is None:
            return {}
        question = dialog.open_question
        slot = question.slot if question.kind is QuestionKind.SLOT else ""
        skill, intent = dialogue.session.skill, dialog.intent.name
        return {
            "expects": list[JsonValue](skill.answers(intent, slot)),
            "unusual": list[JsonValue](skill.unusual_answers(intent, slot)),
            "elicits": ".".join(filter(None, (intent, question.slot, _CONFIRMS[question.kind]))),
        }

    def _definition(self, turn: DeviceTurn) -> dict[str, JsonValue]:
        """Return what the skill's model and source have for this turn, if they have anything."""
        intents = self._device.skills[-1].model.intents
        name = turn.understood.intent if turn.understood else ""
        source = self._facts.of_turn(intents.get(name or ""), turn.slots)
        values: dict[str, JsonValue] = {
            **self._expected(),
            "source": {key: list[JsonValue](names) for key, names in source.items()},
        }
        return {key: value for key, value in values.items() if value}

    def _payload(self, turn: DeviceTurn) -> JsonValue:
        """What the reference page describes as the payload of a turn."""
        dialogue = self._device.open
        session = dialogue.session if dialogue else None
        full = self._config.trace == "full"
        payload: dict[str, JsonValue] = {
            "speaker": turn.speaker,
            "spoken": [
                {"by": item.by, "text": item.text, "prompt": item.prompt} for item in turn.spoken
            ],
            "session": "open" if session else "none",
            "skill": session.skill.name if session else None,
            "opened": turn.opened.name if turn.opened else None,
            "tested": None if turn.opened is None else turn.opened is self._device.skills[-1],
            "listens": session.listens if session else False,
            "reprompt": session.reprompt if session else "",
            "ended_by": self._ended_by(turn),
            "reason": turn.reason,
            "failure": str(turn.failure) if turn.failure else None,
            "asked": turn.asked,
            "runtime": self._device.skills[-1].runtime,
            "problems": list(turn.problems),
            "exchanges": [item.to_json(full=full) for item in (*self._unreported, *turn.exchanges)],
            **self._definition(turn),
        }
        if (understood := turn.understood) is not None:
            payload["nlu"] = {
                "intent": understood.intent,
                "score": understood.score,
                "how": understood.how,
                "sample": understood.sample,
                "slots": dict(turn.slots),
                "considered": [
                    {"intent": item.intent, "score": item.score, "sample": item.sample}
                    for item in understood.considered
                ],
            }
        return payload


def _is_skill_failure(failure: SparringError) -> bool:
    """Whether a failure is the skill's own: a device can say nothing of any other."""
    return isinstance(failure, AppError) and not isinstance(failure, AppUnreachable)


_CONFIRMS = {
    QuestionKind.SLOT: "",
    QuestionKind.CONFIRM_SLOT: "confirmation",
    QuestionKind.CONFIRM_INTENT: "confirmation",
}
_ENDS = {
    "USER_INITIATED": "user",
    "EXCEEDED_MAX_REPROMPTS": "platform",
    "ERROR": "platform",
    CONNECTION: "platform",
}


def _attachment(card: object) -> Attachment:
    from sparring_connectors.alexa.shapes import mapping

    text, picture = card_text(mapping(card))
    return Attachment(media_type="application/vnd.amazon.alexa.card", url=picture, description=text)


def _join_observations(first: Observation | None, then: Observation) -> Observation:
    """Join the skill's opening, which was not listened to, with the answer to the first words."""
    if first is None:
        return then
    return Observation(
        text="\n".join(text for text in (first.text, then.text) if text),
        attachments=(*first.attachments, *then.attachments),
        choices=then.choices,
        payload={"opening": first.payload, **_as_mapping(then.payload)},
        ended=then.ended,
    )


def _as_mapping(payload: JsonValue) -> dict[str, JsonValue]:
    return payload if isinstance(payload, dict) else {}


# Beginning and ending conversations: a device, a user, hosts for the skills.

# Skills greet by the hour and close shops at night: each case begins at the same time of day.
_MORNING = 10


class Conversation:
    """What one conversation has of its own: ids, chance, stores, processes."""

    def __init__(self, config: AlexaConfig, hosts: HostPool, case: Case) -> None:
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
    async def start(
        cls, config: AlexaConfig, skills: SkillSet, hosts: HostPool, case: Case
    ) -> AsyncGenerator[AlexaSession]:
        """A conversation for a case; leaving the context ends its processes."""
        visit = cls(config, hosts, case)
        async with visit._stack:
            visit._stack.callback(hosts.consents.forget, visit._api_token())
            device = visit._device(skills)
            if config.user.kind == "returning":
                await visit._warm_up(device, skills.skill)
            coverage = SkillCoverage(skills.skill, parts=config.coverage != "none")
            session = AlexaSession(
                config, device, _insert_name(config.opening, skills.skill), coverage
            )
            visit.session, visit.tested = session, skills.skill
            yield session
            await session.finish()

    def _device(self, skills: SkillSet) -> Device:
        config = self._config
        chance = random.Random(self._case.seed)
        has_screen = config.device.profile == "screen"
        zone = _time_zone(config.device.timezone)
        clock = DeviceClock(
            _start_time(config, zone), zone, real=config.clock == "real", seed=self._id
        )
        return Device(
            skills=skills.skills,
            host_of=self._host,
            caller_of=self._caller,
            shared=SharedState(
                clock,
                chance.choice,
                AudioPlayer(),
                has_screen,
                config.timeout_s,
                self._buttons(),
            ),
            time_is_platforms=config.time_in_session == "platform",
        )

    async def _warm_up(self, device: Device, skill: InstalledSkill) -> None:
        """The conversation of the last time, which leaves its traces in what the skill stores."""
        for words in self._config.user.warm_up:
            await device.say(_insert_name(words, skill))
        await device.leave()

    async def _host(self, skill: InstalledSkill) -> Host:
        key = id(skill)
        if key not in self._running:
            kept = {self._user_id(): dict(self._config.user.attributes)}
            store = AttributeStore(kept if self._config.user.attributes else {})
            if self._hosts.shares:
                self._running[key] = self._hosts.shared_host(skill, store)
            else:
                host = self._hosts.make_host(skill, store, self._case.seed)
                self._stack.push_async_callback(host.aclose)
                self._running[key] = host
            if self.session is not None and skill is self.tested:
                self.session.lines = self._running[key].lines
        return self._running[key]

    def _buttons(self) -> tuple[Button, ...]:
        numbers = range(1, self._config.device.buttons + 1)
        return tuple(
            Button(f"amzn1.ask.gadget.{_derive_token(self._id, f'button {number}')}", number)
            for number in numbers
        )

    def _user_id(self) -> str:
        return self._config.user.id or f"amzn1.ask.account.{_derive_token(self._id, 'user')}"

    def _api_token(self) -> str:
        return _derive_token(self._id, "api")

    def _caller(self, skill: InstalledSkill) -> SkillCaller:
        config = self._config
        has_screen = config.device.profile == "screen"
        own = SCREEN if has_screen else HEADLESS
        if config.device.buttons:
            own = {**own, **INTERFACES}
        interfaces = config.device.interfaces
        return SkillCaller(
            application_id=skill.application_id,
            user_id=self._user_id(),
            device_id=config.device.id or f"amzn1.ask.device.{_derive_token(self._id, 'device')}",
            locale=skill.model.locale,
            interfaces=interfaces if interfaces is not None else own,
            has_screen=has_screen,
            access_token=config.user.access_token,
            api_token=self._api_token(),
            api_endpoint=API_ENDPOINT,
            person_id=config.user.person_id,
            consent=self._hosts.consents.of(self._api_token()),
            declared=skill.manifest.permissions,
        )


async def probe(config: AlexaConfig, skills: SkillSet, hosts: HostPool) -> None:
    """Load the handler of the skill under test, or reach its endpoint; raises AppError."""
    from sparring_connectors.alexa.hosting.endpoint import EndpointHost

    host = hosts.make_host(skills.skill, AttributeStore(), 0)
    try:
        if isinstance(host, ServedHost):
            await host.start()
        elif isinstance(host, EndpointHost):
            await host.reach(config.timeout_s)
    except HandlerFailure as failure:
        raise failure.error from failure
    finally:
        await host.aclose()


def _insert_name(said: str | None, skill: InstalledSkill) -> str:
    return (said or "open {name}").replace("{name}", skill.name)


def _derive_token(seed: UUID, what: str) -> str:
    return uuid5(seed, what).hex.upper()


def _time_zone(name: str) -> tzinfo:
    """A time zone that was checked before."""
    return UTC if name == "UTC" else ZoneInfo(name)


def _start_time(config: AlexaConfig, zone: tzinfo) -> datetime:
    """When a conversation begins: as set, or this morning, so that a day's runs are equal."""
    if config.now is not None:
        return config.now if config.now.tzinfo else config.now.replace(tzinfo=zone)
    return datetime.now(zone).replace(hour=_MORNING, minute=0, second=0, microsecond=0)
