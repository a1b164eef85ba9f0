"""A session between a user and a skill: requests, responses, attributes, silence, the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from sparring.errors import AppProtocolError
from sparring_connectors.alexa.assistant.timekeeping import DeviceClock
from sparring_connectors.alexa.assistant.turn import Exchange, TurnRecord
from sparring_connectors.alexa.dialog.delegation import Choose
from sparring_connectors.alexa.hosting.host import Failure, Host
from sparring_connectors.alexa.interaction.model import SlotType
from sparring_connectors.alexa.interaction.reading import entities_of
from sparring_connectors.alexa.protocol import requests
from sparring_connectors.alexa.protocol.responses import InvalidResponse, Response, read_response
from sparring_connectors.alexa.shapes import mapping, mappings, named, text
from sparring_connectors.alexa.skill.installed import InstalledSkill
from sparring_connectors.alexa.slots.values import SlotReader

MOST_REQUESTS = 12
"""Requests that one turn may lead to, before a skill counts as going round in circles."""
_ERRORS = {
    "timeout": "ENDPOINT_TIMEOUT",
    "response": "INVALID_RESPONSE",
    "crash": "INVALID_RESPONSE",
    "load": "INVALID_RESPONSE",
}


@dataclass(slots=True)
class Player:
    """The device's audio player, which outlives sessions."""

    activity: str = "IDLE"
    token: str = ""
    skill: InstalledSkill | None = None

    def context(self) -> dict[str, Any]:
        """As requests tell it."""
        found: dict[str, Any] = {"playerActivity": self.activity}
        if self.token:
            found |= {"token": self.token, "offsetInMilliseconds": 0}
        return found


@dataclass(slots=True)
class Surrounding:
    """What a session shares with the others of a device."""

    clock: DeviceClock
    choose: Choose
    player: Player
    has_screen: bool
    timeout_s: float


@dataclass(slots=True)
class SkillSession:
    """One session. `is_open` tells whether it goes on, `listens` whether the microphone is open."""

    skill: InstalledSkill
    host: Host
    caller: requests.Caller
    around: Surrounding
    session_id: str
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    added: dict[str, SlotType] = field(default_factory=dict[str, SlotType])
    reprompt: str = ""
    silences: int = 0
    is_new: bool = True
    is_open: bool = True
    listens: bool = True

    def reader(self) -> SlotReader:
        """A reader of slots for this moment."""
        return self.skill.nlu.reader(self.around.clock.local(), self.added)

    def base(self, kind: str) -> dict[str, Any]:
        """What a request of this session begins with."""
        clock = self.around.clock
        return requests.request_of(kind, clock.new_id(), clock.utc(), self.caller.locale)

    async def asked(self, turn: TurnRecord, request: Mapping[str, Any]) -> Response:
        """Send a request and take the response; raises Failure, and the session is over."""
        turn.requests += 1
        if turn.requests > MOST_REQUESTS:
            why = f"skill {self.skill.name!r}: it answers with directives without end"
            await self.fail(turn, Failure(AppProtocolError(why), "response"))
        exchange = self._exchange(request)
        turn.exchanges.append(exchange)
        self.is_new = False
        try:
            answer = await self.host.ask(exchange.request, self.around.timeout_s)
            exchange.response, exchange.log = answer.raw, answer.log
            exchange.calls = answer.calls
            turn.problems += answer.notes
            response = read_response(answer.raw)
        except Failure as failure:
            exchange.error, exchange.log = str(failure.error), failure.log
            exchange.calls = failure.calls
            await self.fail(turn, failure)
        except InvalidResponse as err:
            exchange.error = str(err)
            shown = f"skill {self.skill.name!r}: invalid response: {err}"
            await self.fail(turn, Failure(AppProtocolError(shown), "response"))
        return self._taken(turn, response)

    def _exchange(self, request: Mapping[str, Any]) -> Exchange:
        state = requests.SessionState(self.session_id, self.is_new, self.attributes)
        player = self.around.player.context()
        return Exchange(self.skill.name, requests.envelope(self.caller, request, state, player))

    def _taken(self, turn: TurnRecord, response: Response) -> Response:
        self.attributes = dict(response.attributes)
        self.reprompt = response.reprompt
        self.silences = 0
        turn.problems += response.problems
        turn.skill_says(response.speech)
        if response.card:
            turn.cards.append(response.card)
        for directive in response.directives:
            self._directed(directive)
        return response

    def _directed(self, directive: Mapping[str, Any]) -> None:
        """Directives that are not about the dialog."""
        player = self.around.player
        match directive.get("type"):
            case "Dialog.UpdateDynamicEntities":
                self._update_entities(directive)
            case "AudioPlayer.Play":
                stream = mapping(mapping(directive.get("audioItem")).get("stream"))
                player.activity, player.skill = "PLAYING", self.skill
                player.token = named(stream.get("token"))
            case "AudioPlayer.Stop" | "AudioPlayer.ClearQueue":
                player.activity = "STOPPED" if player.activity != "IDLE" else "IDLE"
            case _:
                pass

    def _update_entities(self, directive: Mapping[str, Any]) -> None:
        if directive.get("updateBehavior") == "CLEAR":
            self.added = {}
            return
        self.added = {
            name: SlotType(name, tuple(entities_of(item.get("values"))))
            for item in mappings(directive.get("types"))
            if (name := text(item.get("name")))
        }

    def settle(self, response: Response) -> None:
        """Keep the session open or let it end, after a response without a turn of a dialog."""
        self.listens = response.should_end is False
        if response.leaves:
            self.is_open = False
        elif response.should_end is None:
            self.is_open = self.around.has_screen and response.has_screen_content
        else:
            self.is_open = not response.should_end
        if response.has_audio and response.should_end is not False:
            self.is_open = False

    def keep_open(self) -> None:
        """Wait for the user's next words."""
        self.is_open = self.listens = True

    async def end(
        self, turn: TurnRecord, reason: str, error: tuple[str, str] | None = None
    ) -> None:
        """Alexa ends the session: the skill is told, and what it answers is not heard."""
        self.is_open = False
        turn.reason = reason
        request = requests.session_ended(self.base("SessionEndedRequest"), reason, error)
        exchange = self._exchange(request)
        turn.exchanges.append(exchange)
        try:
            answer = await self.host.ask(exchange.request, self.around.timeout_s)
            exchange.response, exchange.log = answer.raw, answer.log
            exchange.calls = answer.calls
        except Failure as failure:
            exchange.error, exchange.log = str(failure.error), failure.log
            turn.problems.append(f"SessionEndedRequest: {failure.error}")

    async def fail(self, turn: TurnRecord, failure: Failure) -> NoReturn:
        """The skill failed: tell it, where it can still be told, give up the session, raise."""
        if failure.kind in ("response", "crash"):
            await self.end(turn, "ERROR", (_ERRORS[failure.kind], str(failure.error)[:500]))
        self.is_open = False
        turn.reason = "ERROR"
        turn.failure = failure.error
        raise failure
