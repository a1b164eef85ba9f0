"""One conversation with a model: the history is kept here and sent each time."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sparring.errors import ConfigurationError
from sparring.llm.rate_headers import read_quota
from sparring.model.case import Case
from sparring.model.talk import Observation
from sparring_connectors.chat_completions.config import ChatCompletionsConfig
from sparring_connectors.chat_completions.messages import Completion, ToolCall, read_completion
from sparring_connectors.described.conversation import DescribedSession
from sparring_connectors.described.reply import TextPathMisses
from sparring_connectors.rest.exchange import RestClient, SettingsRefused
from sparring_connectors.rest.plan import RequestPlan
from sparring_connectors.rest.session import refusal_s, send_with_retries

CONNECTING_ATTEMPTS = 3
"""How often it is tried to connect: ten attempts for each case are for a busy service, not for an
address at which nobody listens."""

NO_RESULT = "null"
"""What a tool without an entry in `tool_results` returns: the API wants an answer to each call."""


class ChatCompletionsSession(DescribedSession):
    """A conversation whose messages are all sent with each request."""

    connector = "chat-completions"

    def __init__(
        self,
        config: ChatCompletionsConfig,
        plan: RequestPlan,
        client: RestClient,
        case: Case,
        own_id: str,
        notify: Callable[[str], None],
    ) -> None:
        turn_s = config.timeout.turn_s
        super().__init__(case, own_id, turn_s, TextPathMisses(), notify, makes_ids=False)
        self._config = config
        self._plan = plan
        self._client = client
        self._turns: list[list[dict[str, Any]]] = []
        self._worked = False
        if config.greeting is not None:
            self._waiting = Observation(text=config.greeting)
            self._turns.append([{"role": "assistant", "content": config.greeting}])

    async def _listen(self) -> Observation:
        return Observation()

    async def _press(self, label: str, value: str) -> Observation:
        return await self._say(value)

    async def _say(self, text: str) -> Observation:
        self._begin_turn(text, text)
        # A turn that fails must leave no question without an answer in the history.
        turn: list[dict[str, Any]] = [{"role": "user", "content": text}]
        calls: list[dict[str, Any]] = []
        async with self._within(f"{self._plan.label}: no complete answer"):
            completion = await self._ask(turn)
            for _ in range(self._config.max_tool_rounds):
                if not completion.tool_calls or not self._config.tool_results:
                    break
                calls += self._run_tools(completion, turn)
                completion = await self._ask(turn)
        calls += self._run_tools(completion, turn)
        if not completion.tool_calls:
            turn.append({"role": "assistant", "content": completion.text})
        self._turns.append(turn)
        return Observation(text=completion.text, payload=_payload(completion, calls))

    def _run_tools(self, completion: Completion, turn: list[dict[str, Any]]) -> list[Any]:
        """Add the calls of an answer with their results to the turn; return them as payload."""
        if not completion.tool_calls:
            return []
        for number, call in enumerate(completion.tool_calls):
            call.id = call.id or f"call_{len(self._turns)}_{len(turn)}_{number}"
        parts = [call.as_message_part() for call in completion.tool_calls]
        turn.append({"role": "assistant", "content": completion.text or None, "tool_calls": parts})
        turn += [
            {"role": "tool", "tool_call_id": call.id, "content": self._tool_result(call)}
            for call in completion.tool_calls
        ]
        return [call.as_payload() for call in completion.tool_calls]

    def _tool_result(self, call: ToolCall) -> str:
        result = self._config.tool_results.get(call.name)
        if result is None:
            return NO_RESULT
        return result if isinstance(result, str) else json.dumps(result)

    async def _ask(self, turn: list[dict[str, Any]]) -> Completion:
        prepared = replace(self._plan.prepare(self._values), content=self._content(turn))
        try:
            reply = await send_with_retries(
                lambda: self._client.pacing.ask(
                    lambda: self._client.ask(prepared, clock=self._clock),
                    refusal_s,
                    lambda reply: read_quota(reply.headers),
                    patience_s=self._config.retry.max_wait_s,
                ),
                self._config.retry,
                self._plan.method,
                self._notify,
                self._clock.stop,
                unsent_attempts=CONNECTING_ATTEMPTS,
            )
        except SettingsRefused as err:
            if self._worked:
                raise
            raise ConfigurationError(str(err)) from None
        self._worked = True
        self._clock.mark()
        return read_completion(reply)

    def _content(self, turn: list[dict[str, Any]]) -> bytes:
        config = self._config
        system = [] if config.system is None else [{"role": "system", "content": config.system}]
        kept = self._turns
        if config.history_turns is not None:
            kept = kept[max(0, len(kept) + 1 - config.history_turns) :]
        body: dict[str, Any] = {
            **config.parameters,
            "model": config.model,
            "messages": [*system, *(message for each in kept for message in each), *turn],
        }
        if config.tools:
            body["tools"] = list(config.tools)
        if config.stream:
            body["stream"] = True
            body.setdefault("stream_options", {"include_usage": True})
        return json.dumps(body).encode("ascii")


def _payload(completion: Completion, calls: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What a rule may look at beside the text: tool calls of the turn, why it ended, tokens."""
    payload: dict[str, Any] = {
        "tool_calls": calls,
        "finish_reason": completion.finish_reason,
        "reasoning": completion.reasoning,
        "usage": completion.usage,
        "model": completion.model,
    }
    return {key: value for key, value in payload.items() if value} or None
