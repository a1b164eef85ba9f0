"""One conversation with a device that has the skill under test."""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sparring.engine.lag import LagMeter, timed_out
from sparring.errors import AppError, AppTimeout, AppUnreachable, ConfigurationError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.facts import AppFacts
from sparring.model.talk import Act, Attachment, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.alexa.assistant.device import Device
from sparring_connectors.alexa.assistant.turn import Exchange, TurnRecord
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.protocol.responses import card_text
from sparring_connectors.alexa.slots.words import heard

if TYPE_CHECKING:
    from sparring_connectors.alexa.coverage.reached import Reached
    from sparring_connectors.alexa.hosting.line_record import LineRecord


class AlexaSession(AppSession):
    """A user at a device; the skill is opened before the first words unless they open it."""

    def __init__(
        self, config: AlexaConfig, device: Device, opening: str, reached: "Reached | None" = None
    ) -> None:
        self._config = config
        self._device = device
        self._opening = opening
        self._reached = reached
        #: The lines of the skill's source that ran, where they are kept count of.
        self.lines: LineRecord | None = None
        self._has_begun = config.start == "nothing"
        self._lost: list[Exchange] = []
        #: How long this turn has taken, and for how much of it there was no processor time.
        self._waited: Callable[[], tuple[float, float]] = lambda: (0.0, 0.0)

    async def send(self, act: Act) -> Observation:
        began, meter = monotonic(), LagMeter()
        starved_s = meter.starved_s()
        self._waited = lambda: (monotonic() - began, meter.starved_s() - starved_s)
        try:
            return await self._done(act)
        finally:
            meter.close()

    async def _done(self, act: Act) -> Observation:
        match act:
            case Say(text=text):
                return await self._say(text)
            case Listen():
                return await self._listen()
            case Press() | GuiAction():
                raise ConfigurationError(
                    "the connector alexa takes spoken texts alone, no choices and no GUI actions"
                )

    def facts(self) -> AppFacts | None:
        return self._reached.facts(self.lines) if self._reached else None

    async def finish(self) -> None:
        """The user walks away from an open session."""
        await self._device.leave()

    async def _say(self, text: str) -> Observation:
        first = None
        if not self._has_begun:
            self._has_begun = True
            if not self._opens(text):
                first = self._observed(await self._device.say(self._opening))
        return _together(first, self._observed(await self._device.say(text)))

    def _opens(self, text: str) -> bool:
        """Whether words open a skill by themselves."""
        from sparring_connectors.alexa.assistant.invocation import asked_for

        return asked_for(heard(text), self._device.skills) is not None

    async def _listen(self) -> Observation:
        if self._has_begun:
            return self._observed(await self._device.listen())
        self._has_begun = True
        return self._observed(await self._device.say(self._opening))

    def _observed(self, turn: TurnRecord) -> Observation:
        if self._reached is not None:
            self._reached.note(turn)
        if turn.failure is not None:
            failure = self._blamed(turn.failure)
            if self._config.failures == "raise" or not _is_skills(failure):
                self._lost = turn.exchanges
                raise failure
        payload = self._payload(turn)
        self._lost = []
        return Observation(
            text=turn.text,
            attachments=tuple(_attachment(card) for card in turn.cards),
            payload=payload,
            ended=self._device.open is None,
        )

    def _blamed(self, failure: SparringError) -> SparringError:
        """A failure of the skill, or the machine's if it gave too little processor time.

        The engine sees to that if a failure is raised.
        """
        if self._config.failures == "raise" or not isinstance(failure, AppTimeout):
            return failure
        return timed_out(failure, *self._waited())

    def _ended_by(self, turn: TurnRecord) -> str | None:
        """Who ended a session in this turn: ``skill``, ``user``, ``platform``, or nobody."""
        if self._device.open is not None or not turn.exchanges:
            return None
        return _ENDS.get(turn.reason or "", "skill")

    def _payload(self, turn: TurnRecord) -> JsonValue:
        """What the reference page describes as the payload of a turn."""
        dialogue = self._device.open
        session = dialogue.session if dialogue else None
        full = self._config.trace == "full"
        found: dict[str, JsonValue] = {
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
            "problems": list(turn.problems),
            "exchanges": [item.told(full=full) for item in (*self._lost, *turn.exchanges)],
        }
        if (understood := turn.understood) is not None:
            found["nlu"] = {
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
        return found


def _is_skills(failure: SparringError) -> bool:
    """Whether a failure is the skill's own: a device can say nothing of any other."""
    return isinstance(failure, AppError) and not isinstance(failure, AppUnreachable)


_ENDS = {"USER_INITIATED": "user", "EXCEEDED_MAX_REPROMPTS": "platform", "ERROR": "platform"}


def _attachment(card: object) -> Attachment:
    from sparring_connectors.alexa.shapes import mapping

    said, picture = card_text(mapping(card))
    return Attachment(media_type="application/vnd.amazon.alexa.card", url=picture, description=said)


def _together(first: Observation | None, then: Observation) -> Observation:
    """The skill's opening, which nobody listened to, and the answer to the first words."""
    if first is None:
        return then
    return Observation(
        text="\n".join(text for text in (first.text, then.text) if text),
        attachments=(*first.attachments, *then.attachments),
        payload={"opening": first.payload, **_mapping(then.payload)},
        ended=then.ended,
    )


def _mapping(payload: JsonValue) -> dict[str, JsonValue]:
    return payload if isinstance(payload, dict) else {}
