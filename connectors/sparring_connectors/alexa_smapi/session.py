"""One conversation at a time through Amazon's simulation API."""

import asyncio
from collections.abc import Mapping
from time import monotonic
from typing import Any

from pydantic import JsonValue

from sparring.errors import (
    AppCrash,
    AppUnreachable,
    ConfigurationError,
    EnvironmentFailure,
    SparringError,
)
from sparring.interfaces.app_connector import AppSession
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.alexa.responses import InvalidResponse, read_response
from sparring_connectors.alexa.shapes import mapping, mappings, text
from sparring_connectors.alexa_smapi.config import SmapiConfig
from sparring_connectors.alexa_smapi.service import ServiceError, SimulationService

# One conversation at a time: an Alexa account has one session.


class UserTurns:
    """Gives the account to a conversation, from its first words until it is closed."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._owner: object | None = None
        self._task: asyncio.Task[object] | None = None

    async def take(self, owner: object) -> None:
        """Wait for the account.

        Raises ConfigurationError if the task that asks has it in another conversation, and
        would wait for itself.
        """
        if self._owner is owner:
            return
        task = asyncio.current_task()
        if self._owner is not None and self._task is task:
            raise ConfigurationError(
                "an Alexa account has one conversation at a time: close the other one first"
            )
        await self._lock.acquire()
        self._owner, self._task = owner, task

    def give_back(self, owner: object) -> None:
        """Let the next conversation have the account."""
        if self._owner is owner:
            self._owner = self._task = None
            self._lock.release()


_BUSY = (409, 429)
#: How Amazon says that words were not for the skill: the platform had them.
_NOT_RESOLVED = "did not resolve to any intent"
#: How Amazon says that its own API failed: automatic delegation ends so now and then.
_UNCLEAR = "An unexpected error occurred"


class SmapiSession(AppSession):
    """A conversation; it has the developer's Alexa account for itself from its first words on."""

    def __init__(self, config: SmapiConfig, service: SimulationService, turns: UserTurns) -> None:
        self._config = config
        self._service = service
        self._turns = turns
        self._has_begun = False
        self._is_fresh = True
        self._over = False

    async def send(self, act: Act) -> Observation:
        self.latency_s = 0.0
        match act:
            case Say(text=said):
                return await self._say(said)
            case Listen():
                return await self._listen()
            case Press() | GuiAction():
                raise ConfigurationError(
                    "the connector alexa-smapi takes spoken texts alone, no choices and no pages"
                )

    async def finish(self) -> None:
        """Leave an open session, so that the next conversation does not fall into it."""
        if self._has_begun and not self._over and not self._is_fresh:
            try:
                await self._simulate("exit")
            except SparringError:
                self._over = True

    async def _listen(self) -> Observation:
        """Return the greeting; the API knows no silence, so later there is nothing."""
        if self._has_begun or self._config.start == "nothing":
            return Observation(ended=self._over)
        self._has_begun = True
        return await self._simulate(self._config.opening.replace("{name}", self._config.name))

    async def _say(self, said: str) -> Observation:
        first = None
        if not said.strip():
            return Observation(ended=self._over)
        if not self._has_begun:
            first = await self._listen() if self._config.start == "launch" else None
            self._has_begun = True
        then = await self._simulate(said)
        if first is None:
            return then
        text_heard = "\n".join(part for part in (first.text, then.text) if part)
        return then.model_copy(update={"text": text_heard})

    async def _simulate(self, said: str) -> Observation:
        """Simulate what the user says; only a simulation that runs takes the skill's time."""
        await self._turns.take(self)
        try:
            async with asyncio.timeout(self._config.timeout_s + self._config.busy_s):
                simulation = await self._start(said)
            self._is_fresh = False
            began = monotonic()
            async with asyncio.timeout(self._config.timeout_s):
                result = await self._wait_for_result(simulation)
        except TimeoutError:
            # Alexa gives a skill 8 seconds and then fails the simulation: one that goes on for
            # longer waits for Amazon's service.
            limit = self._config.timeout_s
            raise AppUnreachable(f"SMAPI: the simulation was not over within {limit:g} s") from None
        except ServiceError as err:
            raise _refusal_error(err) from err
        self.latency_s = (self.latency_s or 0.0) + monotonic() - began
        return self._observe(result)

    async def _start(self, said: str) -> str:
        """Start a simulation; while the user has another one, ask again."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._config.busy_s
        while True:
            try:
                return await asyncio.to_thread(self._service.start, said, fresh=self._is_fresh)
            except ServiceError as err:
                if err.status not in _BUSY or loop.time() + self._config.poll_s > until:
                    raise
            await asyncio.sleep(self._config.poll_s)

    async def _wait_for_result(self, simulation: str) -> Mapping[str, Any]:
        while True:
            answer = await asyncio.to_thread(self._service.result, simulation)
            if answer.get("status") != "IN_PROGRESS":
                return answer
            await asyncio.sleep(self._config.poll_s)

    def _observe(self, simulation: Mapping[str, Any]) -> Observation:
        result = mapping(simulation.get("result"))
        if simulation.get("status") == "FAILED":
            return self._handle_failure(text(mapping(result.get("error")).get("message")))
        if simulation.get("status") != "SUCCESSFUL":
            raise AppUnreachable(f"SMAPI: the status is {simulation.get('status')!r}")
        alexa = mapping(result.get("alexaExecutionInfo"))
        skill = mapping(result.get("skillExecutionInfo"))
        exchanges = [_to_exchange(item) for item in mappings(skill.get("invocations"))]
        captions = [
            text(mapping(item.get("content")).get("caption"))
            for item in mappings(alexa.get("alexaResponses"))
        ]
        self._over = _is_session_over(exchanges)
        payload: dict[str, JsonValue] = {
            "speaker": "skill" if exchanges else "platform",
            "session": "none" if self._over else "open",
            "exchanges": list[JsonValue](exchanges),
            "nlu": {"considered": list(mappings(alexa.get("consideredIntents")))},
        }
        text_heard = "\n".join(caption for caption in captions if caption)
        return Observation(text=text_heard, payload=payload, ended=self._over)

    def _handle_failure(self, message: str) -> Observation:
        """A simulation that failed: words that were not for the skill, or a fault."""
        if _NOT_RESOLVED in message:
            self._over = self._is_fresh = True
            payload: dict[str, JsonValue] = {
                "speaker": "platform", "session": "none", "exchanges": [], "unresolved": message,
            }  # fmt: skip
            return Observation(payload=payload, ended=True)
        self._over = True
        if _UNCLEAR in message:
            raise AppUnreachable(f"SMAPI: the simulation failed: {message}")
        raise AppCrash(f"SMAPI: the simulation failed: {message or 'without a reason'}")


def _to_exchange(invocation: Mapping[str, Any]) -> dict[str, JsonValue]:
    return {
        "request": mapping(mapping(invocation.get("invocationRequest")).get("body")),
        "response": mapping(mapping(invocation.get("invocationResponse")).get("body")),
        "metrics": mapping(invocation.get("metrics")),
    }


def _is_session_over(exchanges: list[dict[str, JsonValue]]) -> bool:
    """Whether the skill's last response, or Alexa by not asking it, closed the session."""
    if not exchanges:
        return True
    request = mapping(mapping(exchanges[-1]["request"]).get("request"))
    if request.get("type") == "SessionEndedRequest":
        return True
    try:
        response = read_response(exchanges[-1]["response"])
    except InvalidResponse:
        return True
    return response.dialog is None and response.should_end is not False


def _refusal_error(err: ServiceError) -> SparringError:
    """A refusal of the service: of what was asked, or of everything; never the skill's."""
    message = f"SMAPI ({err.status or 'no answer'}): {err}"
    if err.status == 404 and "simulation" in str(err).lower():
        return EnvironmentFailure(f"{message} (results are kept for ten minutes)")
    if err.status == 400:
        return ConfigurationError(message)
    return AppUnreachable(message)
