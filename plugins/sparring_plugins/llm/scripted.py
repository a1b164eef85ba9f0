"""A model that answers from a script: for tests, tutorials and rehearsals."""

import asyncio
import json
from collections import Counter
from hashlib import sha256
from time import monotonic
from typing import ClassVar

from pydantic import Field

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.visible import one_line
from sparring_plugins.llm.script import Answer, filled, read_script
from sparring_plugins.llm.script_matching import groups_where_it_fits, nearest_entry, unmet


class ScriptedConfig(PluginConfig):
    """Settings of the backend `scripted`."""

    script: str = Field(min_length=1, description="the file that says what is answered")


class ScriptedBackend(LLMBackend[ScriptedConfig]):
    """Answers from a file: the first entry that fits a question answers it.

    How often an entry was used is counted for each case and asker alone, so that the answers do
    not depend on which cases are played side by side. A token is a word. A question that nothing
    fits is a ModelError that names the nearest entry.
    """

    Config: ClassVar[type[PluginConfig]] = ScriptedConfig

    def __init__(self, config: ScriptedConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        path = context.files(config.script)[0]
        self._script, self._document = read_script(path, config.script)
        self._given: Counter[tuple[str | None, str, int]] = Counter()
        self._digest = sha256(self._script.model_dump_json().encode()).hexdigest()[:16]
        self.free = self._script.prices is None

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        answer, values = self._chosen(request)
        delay = self._script.delay if answer.delay is None else answer.delay
        try:
            async with asyncio.timeout(request.timeout_s):
                await asyncio.sleep(delay)
        except TimeoutError as err:
            raise ModelUnavailable(f"no answer within {request.timeout_s:g} s") from err
        return self._reply(request, answer, values, monotonic() - began)

    def _chosen(self, request: ChatRequest) -> tuple[Answer, dict[str, str]]:
        """The answer to a question and what fills its placeholders; raises ModelError."""
        known = _known(request)
        for number, entry in enumerate(self._script.answers):
            found = groups_where_it_fits(entry.when, request)
            if found is None:
                continue
            place = (request.case_id, request.asker, number)
            answer = entry.answer(self._given[place])
            if answer is not None:
                self._given[place] += 1
                return answer, {**known, **found}
        if self._script.otherwise is not None:
            return self._script.otherwise, known
        raise ModelError(self._miss(request))

    def _miss(self, request: ChatRequest) -> str:
        """What to say of a question that nothing fits."""
        who = f" of {request.asker!r}" if request.asker else ""
        last = request.messages[-1].content if request.messages else ""
        told = f"{self._document.file} has no answer to this question{who}: {one_line(last, 160)!r}"
        number = nearest_entry(self._script.answers, request)
        if number is None:
            return told
        entry = self._script.answers[number]
        line = self._document.line(("answers", number))
        called = f" ({entry.name})" if entry.name else ""
        case = f" in case {request.case_id}" if request.case_id else ""
        missing = list(unmet(entry.when, request, {}))
        why = f"wants {missing[0]}" if missing else f"has no answers left{case}"
        return f"{told}. The nearest entry, in line {line}{called}, {why}"

    def _reply(
        self, request: ChatRequest, answer: Answer, values: dict[str, str], latency_s: float
    ) -> ChatReply:
        if answer.error is not None:
            raise _error(answer, values)
        try:
            text = _text(answer, values)
        except ValueError as err:
            raise ModelError(f"{self._document.file}: {err}") from err
        read = sum(len(message.content.split()) for message in request.messages)
        written = len(text.split()) + len(answer.reasoning.split())
        prices = self._script.prices
        cost = (read * prices.input + written * prices.output) / 1e6 if prices else 0.0
        return ChatReply(
            text=text,
            reasoning=filled(answer.reasoning, values),
            model=self._script.model,
            input_tokens=read,
            output_tokens=written,
            cost_usd=cost,
            latency_s=latency_s,
            finish_reason=answer.finish_reason,
        )

    def identity(self) -> str:
        return f"scripted {self._script.model} {self._digest}"

    def model(self) -> str | None:
        return self._script.model


def _known(request: ChatRequest) -> dict[str, str]:
    """What templates may name without a pattern."""
    return {
        "asker": request.asker,
        "prompt": request.prompt,
        "case": request.case_id or "",
        "sample": str(request.sample),
        "round": str(request.round),
    }


def _text(answer: Answer, values: dict[str, str]) -> str:
    """What is said; raises ValueError where a placeholder's text is no JSON."""
    if answer.say is not None:
        return str(filled(answer.say, values))
    return json.dumps(filled(answer.data, values), ensure_ascii=False)


def _error(answer: Answer, values: dict[str, str]) -> ModelError:
    message = filled(answer.message or f"the script says: {answer.error}", values)
    if answer.error == "busy":
        return ModelBusy(message, answer.retry_after)
    if answer.error == "unavailable":
        return ModelUnavailable(message, answer.retry_after)
    return ModelError(message)
