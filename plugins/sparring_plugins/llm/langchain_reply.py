"""From LangChain's messages to ours, whichever provider they are of."""

import json
from typing import TYPE_CHECKING, Any, cast

from sparring.model.chat import ChatReply

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_STOP = frozenset({
    "stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "tool_calls",
    "tool_use", "function_call", "finish_reason_stop",
})  # fmt: skip
_LENGTH = frozenset({
    "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    "finish_reason_max_tokens",
})  # fmt: skip
_REFUSAL = frozenset({
    "refusal", "content_filter", "content_filtered", "safety", "recitation", "blocklist",
    "prohibited_content", "spii", "guardrail_intervened", "error_toxic",
})  # fmt: skip


def reply_of(message: "AIMessage", model: str) -> ChatReply:
    """A reply of an answer: text apart from reasoning, tokens, and why it ended."""
    about: dict[str, Any] = dict(message.response_metadata)
    text, reasoning = _parts(message)
    called = _called_with(message)
    refused: Any = message.additional_kwargs.get("refusal")
    finish = _finish(about)
    if isinstance(refused, str) and refused:
        text, finish = text or refused, "refusal"
    usage = _mapping(message.usage_metadata)
    named: Any = about.get("model_name") or about.get("model")
    return ChatReply(
        text=text if text.strip() or called is None else called,
        reasoning=reasoning,
        model=named if isinstance(named, str) else model,
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cached_tokens=_count(_mapping(usage.get("input_token_details")).get("cache_read")),
        finish_reason=finish,
    )


def cut_reply(err: Exception, model: str) -> ChatReply | None:
    """The reply in the exceptions by which OpenAI's SDK tells of a cut or filtered answer."""
    kind = type(err).__name__
    if kind == "ContentFilterFinishReasonError":
        return ChatReply(text="", model=model, finish_reason="refusal")
    if kind != "LengthFinishReasonError":
        return None
    completion: Any = getattr(err, "completion", None)
    usage: Any = getattr(completion, "usage", None)
    choices: Any = getattr(completion, "choices", None) or [None]
    content: Any = getattr(getattr(choices[0], "message", None), "content", None)
    return ChatReply(
        text=content if isinstance(content, str) else "",
        model=str(getattr(completion, "model", None) or model),
        input_tokens=_count(getattr(usage, "prompt_tokens", None)),
        output_tokens=_count(getattr(usage, "completion_tokens", None)),
        finish_reason="length",
    )


def _parts(message: "AIMessage") -> tuple[str, str]:
    """The text and the reasoning."""
    blocks: list[Any]
    try:
        blocks = list(message.content_blocks)
    except Exception:  # noqa: BLE001 - its translators trust what providers send
        blocks = [{"type": "text", "text": message.text}]
    texts: list[str] = []
    thoughts: list[str] = []
    for block in map(_mapping, blocks):
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str):
            texts.append(text)
        elif kind == "reasoning" and isinstance(block.get("reasoning"), str):
            thoughts.append(block["reasoning"])
    if not thoughts:
        said: Any = message.additional_kwargs.get("reasoning_content")
        thoughts = [said] if isinstance(said, str) else []
    return "".join(texts), "\n".join(filter(None, thoughts))


def _called_with(message: "AIMessage") -> str | None:
    """What a tool is called with, as JSON; also where it is none."""
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    wrong: Any = message.invalid_tool_calls
    args = wrong[0].get("args") if wrong else None
    return args if isinstance(args, str) else None


def _finish(about: dict[str, Any]) -> str:
    said = next((about[name] for name in _REASONS if about.get(name)), "stop")
    word = str(getattr(said, "name", said))
    plain = word.lower()
    for reasons, ours in ((_STOP, "stop"), (_LENGTH, "length"), (_REFUSAL, "refusal")):
        if plain in reasons:
            return ours
    return word


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _count(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
