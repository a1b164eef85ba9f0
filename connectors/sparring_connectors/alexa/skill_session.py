"""A session between a user and a skill: clock, requests, responses, attributes, its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Literal, NoReturn
from uuid import UUID, uuid5

from pydantic import JsonValue

from sparring.errors import AppProtocolError, SparringError
from sparring_connectors.alexa import buttons, requests
from sparring_connectors.alexa.buttons import Button, InputHandler, Lights
from sparring_connectors.alexa.connections import ConnectionTask
from sparring_connectors.alexa.consents import UserConsent
from sparring_connectors.alexa.dialog import Choose
from sparring_connectors.alexa.hosting.host import CaughtError, HandlerFailure, Host
from sparring_connectors.alexa.interaction_model import SlotType, read_entities
from sparring_connectors.alexa.nlu import NluResult
from sparring_connectors.alexa.responses import InvalidResponse, Response, read_response
from sparring_connectors.alexa.shapes import mapping, mappings, named, text
from sparring_connectors.alexa.skills import InstalledSkill
from sparring_connectors.alexa.slots import SlotReader
from sparring_connectors.alexa.touch import RENDER, Touchable, touchables_of

# What happened in one turn: who said what, and everything that was sent.

Speaker = Literal["skill", "platform"]


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text that was heard; `prompt` says that Alexa asks it for the skill, by its model."""

    by: Speaker
    text: str
    prompt: bool = False


@dataclass(slots=True)
class SkillExchange:
    """A request to a skill, with its response or error."""

    skill: str
    request: Mapping[str, Any]
    response: Any = None
    error: str | None = None
    log: str = ""
    calls: tuple[str, ...] = ()
    caught: tuple[CaughtError, ...] = ()
    is_new: bool = False

    def to_json(self, *, full: bool) -> dict[str, JsonValue]:
        """Return the exchange for the trace; `full` keeps the whole request envelope."""
        request: Any = self.request if full else self.request.get("request")
        record: dict[str, JsonValue] = {"skill": self.skill, "request": request}
        record["response"] = self.response
        if self.error is not None:
            record["error"] = self.error
        if self.log:
            record["log"] = self.log[-2_000:]
        if self.calls:
            record["calls"] = list(self.calls)
        if self.caught:
            record["caught"] = [
                {"error": one.text, "network": one.is_network} for one in self.caught
            ]
        if self.is_new:
            record["opens"] = True
        return record


@dataclass(slots=True)
class DeviceTurn:
    """Collects what happens in a turn; `failure` is how a skill failed in it.

    `opened` is the skill that was opened last in it, `asked` the kind of task for which Alexa
    herself asks the user something.
    """

    spoken: list[SpokenText] = field(default_factory=list[SpokenText])
    exchanges: list[SkillExchange] = field(default_factory=list[SkillExchange])
    cards: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    problems: list[str] = field(default_factory=list[str])
    understood: NluResult | None = None
    slots: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    reason: str | None = None
    failure: SparringError | None = None
    requests: int = 0
    opened: InstalledSkill | None = None
    asked: str | None = None

    def skill_says(self, text: str, *, prompt: bool = False) -> None:
        """A skill speaks, or Alexa for it."""
        if text:
            self.spoken.append(SpokenText("skill", text, prompt))

    def platform_says(self, text: str) -> None:
        """Alexa speaks for herself."""
        if text:
            self.spoken.append(SpokenText("platform", text))

    @property
    def text(self) -> str:
        """Everything that was heard, a line for each who spoke."""
        return "\n".join(item.text for item in self.spoken)

    @property
    def speaker(self) -> str:
        """Who spoke last: ``skill``, ``platform`` or ``nobody``."""
        return self.spoken[-1].by if self.spoken else "nobody"


# The time on the device: one that only turns move on, or the real one.

TURN = timedelta(seconds=10)
"""How long a turn takes on a steady clock."""


class DeviceClock:
    """Gives the time of requests, and makes ids that are the same for the same conversation."""

    def __init__(self, begin: datetime, zone: tzinfo, *, real: bool, seed: UUID) -> None:
        self._moment = begin
        self._zone = zone
        self._real = real
        self._seed = seed
        self._number = 0

    def tick(self) -> None:
        """A turn has begun."""
        self._moment += TURN

    def utc(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC) if self._real else self._moment.astimezone(UTC)

    def local(self) -> datetime:
        """Now, in the device's time zone."""
        return self.utc().astimezone(self._zone)

    def new_id(self) -> UUID:
        """An id that was not given yet."""
        self._number += 1
        return uuid5(self._seed, str(self._number))


MOST_REQUESTS = 12
"""Requests that one turn may lead to, before a skill counts as going round in circles."""
_ERRORS = {
    "timeout": "ENDPOINT_TIMEOUT",
    "response": "INVALID_RESPONSE",
    "crash": "INVALID_RESPONSE",
    "load": "INVALID_RESPONSE",
}


@dataclass(slots=True)
class AudioPlayer:
    """The device's audio player, which outlives sessions."""

    activity: str = "IDLE"
    token: str = ""
    skill: InstalledSkill | None = None

    def context(self) -> dict[str, Any]:
        """The state as requests contain it."""
        state: dict[str, Any] = {"playerActivity": self.activity}
        if self.token:
            state |= {"token": self.token, "offsetInMilliseconds": 0}
        return state


@dataclass(slots=True)
class SharedState:
    """What a session shares with the others of a device."""

    clock: DeviceClock
    choose: Choose
    player: AudioPlayer
    has_screen: bool
    timeout_s: float
    buttons: tuple[Button, ...] = ()
    lights: Lights = field(default_factory=Lights)


@dataclass(slots=True)
class SkillSession:
    """One session. `is_open` tells whether it goes on, `listens` whether the microphone is open.

    While there is a `task`, Alexa asks the user herself; `task_asked` counts how often. `screen` is
    what can be touched, and with an `input_handler` the skill waits for buttons.
    """

    skill: InstalledSkill
    host: Host
    caller: requests.SkillCaller
    shared: SharedState
    session_id: str
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    added: dict[str, SlotType] = field(default_factory=dict[str, SlotType])
    reprompt: str = ""
    silences: int = 0
    is_new: bool = True
    is_open: bool = True
    listens: bool = True
    task: ConnectionTask | None = None
    task_asked: int = 0
    screen: tuple[Touchable, ...] = ()
    input_handler: InputHandler | None = None

    @property
    def buttons(self) -> tuple[Button, ...]:
        """The buttons that the skill waits for now."""
        return self.shared.buttons if self.input_handler is not None else ()

    @property
    def consent(self) -> UserConsent:
        """What the user has given so far."""
        assert self.caller.consent is not None
        return self.caller.consent

    def reader(self) -> SlotReader:
        """A reader of slots for this moment."""
        return self.skill.nlu.reader(self.shared.clock.local(), self.added)

    def base(self, kind: str) -> dict[str, Any]:
        """What a request of this session begins with."""
        clock = self.shared.clock
        return requests.request_base(kind, clock.new_id(), clock.utc(), self.caller.locale)

    async def send_request(self, turn: DeviceTurn, request: Mapping[str, Any]) -> Response:
        """Send a request and take the response; raises HandlerFailure, and the session is over."""
        turn.requests += 1
        if turn.requests > MOST_REQUESTS:
            why = f"skill {self.skill.name!r}: it answers with directives without end"
            await self.fail(turn, HandlerFailure(AppProtocolError(why), "response"))
        exchange = self._exchange(request)
        turn.exchanges.append(exchange)
        self.is_new = False
        try:
            answer = await self.host.ask(exchange.request, self.shared.timeout_s)
            exchange.response, exchange.log = answer.raw, answer.log
            exchange.calls, exchange.caught = answer.calls, answer.caught
            turn.problems += answer.notes
            response = read_response(answer.raw)
        except HandlerFailure as failure:
            exchange.error, exchange.log = str(failure.error), failure.log
            exchange.calls = failure.calls
            await self.fail(turn, failure)
        except InvalidResponse as err:
            exchange.error = str(err)
            shown = f"skill {self.skill.name!r}: invalid response: {err}"
            await self.fail(turn, HandlerFailure(AppProtocolError(shown), "response"))
        return self._apply_response(turn, response)

    def _exchange(self, request: Mapping[str, Any]) -> SkillExchange:
        state = requests.SessionState(self.session_id, self.is_new, self.attributes)
        player = self.shared.player.context()
        return SkillExchange(
            self.skill.name,
            requests.envelope(self.caller, request, state, player),
            is_new=self.is_new,
        )

    def _apply_response(self, turn: DeviceTurn, response: Response) -> Response:
        self.attributes = dict(response.attributes)
        self.reprompt = response.reprompt
        self.silences = 0
        turn.problems += response.problems
        turn.skill_says(response.speech)
        if response.card:
            turn.cards.append(response.card)
            self.consent.receive_card(response.card)
        request_id = text(mapping(turn.exchanges[-1].request.get("request")).get("requestId"))
        for directive in response.directives:
            self._apply_directive(directive, request_id)
        return response

    def _apply_directive(self, directive: Mapping[str, Any], request_id: str) -> None:
        """Directives that are not about the dialog."""
        player = self.shared.player
        match directive.get("type"):
            case "Dialog.UpdateDynamicEntities":
                self._update_entities(directive)
            case "AudioPlayer.Play":
                stream = mapping(mapping(directive.get("audioItem")).get("stream"))
                player.activity, player.skill = "PLAYING", self.skill
                player.token = named(stream.get("token"))
            case "AudioPlayer.Stop" | "AudioPlayer.ClearQueue":
                player.activity = "STOPPED" if player.activity != "IDLE" else "IDLE"
            case kind if kind == RENDER and self.shared.has_screen:
                self.screen = touchables_of(directive)
            case buttons.START if self.shared.buttons:
                self.input_handler = InputHandler(directive, request_id)
            case buttons.STOP:
                self.input_handler = None
            case buttons.SET_LIGHT:
                gadgets = [one.gadget for one in self.shared.buttons]
                self.shared.lights.set(directive, gadgets)
            case _:
                pass

    def _update_entities(self, directive: Mapping[str, Any]) -> None:
        if directive.get("updateBehavior") == "CLEAR":
            self.added = {}
            return
        self.added = {
            name: SlotType(name, tuple(read_entities(item.get("values"))))
            for item in mappings(directive.get("types"))
            if (name := text(item.get("name")))
        }

    def apply_end_flag(self, response: Response) -> None:
        """Keep the session open or let it end, after a response without a turn of a dialog."""
        self.listens = response.should_end is False
        if response.leaves:
            self.is_open = False
        elif response.should_end is None:
            shows = self.shared.has_screen and response.has_screen_content
            self.is_open = shows or self.input_handler is not None
        else:
            self.is_open = not response.should_end
        if response.has_audio and response.should_end is not False:
            self.is_open = False

    def keep_open(self) -> None:
        """Wait for the user's next words."""
        self.is_open = self.listens = True

    async def end(
        self, turn: DeviceTurn, reason: str, error: tuple[str, str] | None = None
    ) -> None:
        """End the session with a SessionEndedRequest; the skill's answer is not spoken."""
        self.is_open = False
        turn.reason = reason
        request = requests.session_ended_request(self.base("SessionEndedRequest"), reason, error)
        exchange = self._exchange(request)
        turn.exchanges.append(exchange)
        try:
            answer = await self.host.ask(exchange.request, self.shared.timeout_s)
            exchange.response, exchange.log = answer.raw, answer.log
            exchange.calls = answer.calls
        except HandlerFailure as failure:
            exchange.error, exchange.log = str(failure.error), failure.log
            turn.problems.append(f"SessionEndedRequest: {failure.error}")

    async def fail(self, turn: DeviceTurn, failure: HandlerFailure) -> NoReturn:
        """Tell the skill that it failed, if it can still be told, end the session, and raise."""
        if failure.kind in ("response", "crash"):
            await self.end(turn, "ERROR", (_ERRORS[failure.kind], str(failure.error)[:500]))
        self.is_open = False
        turn.reason = "ERROR"
        turn.failure = failure.error
        raise failure
