"""From a chat completion's JSON to a ChatReply, whatever stands in it."""

from collections.abc import Mapping
from typing import Any, cast

from sparring.errors import ModelError, ModelUnavailable
from sparring.model.chat import ChatReply
from sparring_plugins.llm.openai_refusal import Explainer, Refusal

_FINISHES = {
    "tool_calls": "stop",
    "function_call": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
}


def reply_of(payload: object, model: str, explain: Explainer) -> ChatReply:
    """What the model answered.

    Raises Refusal where an error came as if it were an answer, ModelUnavailable for an answer
    that has nothing in it, and ModelError for anything that is no chat completion.
    """
    if not isinstance(payload, dict):
        raise explain.misfit("the answer is no chat completion: check base_url")
    answer = cast("dict[str, Any]", payload)
    choice = _choice(answer, explain)
    message = _mapping(choice.get("message"))
    if message is None:
        raise explain.misfit("the answer's choice has no message")
    finish = choice.get("finish_reason")
    finish = _FINISHES.get(finish, finish) if isinstance(finish, str) and finish else "stop"
    text, refused = _text(message), message.get("refusal")
    if isinstance(refused, str) and refused:
        text, finish = text or refused, "refusal"
    if text is None and finish not in ("length", "refusal"):
        raise _empty(choice, explain)
    usage = _mapping(answer.get("usage")) or {}
    details = _mapping(usage.get("prompt_tokens_details")) or {}
    named = answer.get("model")
    return ChatReply(
        text=text or "",
        reasoning=_reasoning(message),
        model=named if isinstance(named, str) and named else model,
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(
            details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")),  # DeepSeek's
        ),
        finish_reason=finish,
    )


def _choice(answer: Mapping[str, Any], explain: Explainer) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not choices and answer.get("error"):
        raise Refusal.with_status_200(answer["error"])
    if choices is None and "choices" not in answer:
        raise explain.misfit("the answer is no chat completion: check base_url")
    if not choices:
        raise explain.unavailable("the answer has no choices")
    first = _mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) else None
    if first is None:
        raise explain.misfit("the answer's choices are none")
    if first.get("error") and first.get("finish_reason") == "error":
        raise Refusal.with_status_200(first["error"])
    return first


def _empty(choice: Mapping[str, Any], explain: Explainer) -> ModelError | ModelUnavailable:
    if (_mapping(choice["message"]) or {}).get("content") is None:
        return explain.unavailable("the answer has no content")
    return explain.misfit("the answer's content is no text")


def _text(message: Mapping[str, Any]) -> str | None:
    """The text, also as a list of parts, or else what a tool is called with."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [_mapping(part) or {} for part in cast("list[Any]", content)]
        texts = [part.get("text") for part in parts if part.get("type") in ("text", "output_text")]
        content = "".join(text for text in texts if isinstance(text, str)) or None
    called = _called_with(message)
    if called is not None and not (isinstance(content, str) and content.strip()):
        return called
    return content if isinstance(content, str) else None


def _called_with(message: Mapping[str, Any]) -> str | None:
    calls = message.get("tool_calls")
    first = _mapping(cast("list[Any]", calls)[0]) if isinstance(calls, list) and calls else None
    function = _mapping((first or {}).get("function")) or {}
    arguments = function.get("arguments")
    return arguments if isinstance(arguments, str) else None


def _reasoning(message: Mapping[str, Any]) -> str:
    found = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in found if isinstance(text, str) and text), "")


def _mapping(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _count(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
