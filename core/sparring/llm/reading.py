"""From what a model wrote to what it answered."""

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from pydantic import JsonValue

from sparring.llm.fitting import complaints_on, fits
from sparring.llm.json_text import NoJson, parsed, unfenced, values
from sparring.llm.reasoning import after_reasoning, answering, parted
from sparring.model.chat import ChatReply

_PARTIAL = frozenset({"length", "refusal", "content_filter"})


def read(reply: ChatReply, schema: Mapping[str, JsonValue] | None) -> ChatReply:
    """The answer without its reasoning, with `parsed` set if and only if it fits the schema.

    Taken is what the service itself parsed, if that fits; else the text if it is JSON as a whole;
    else the one value that stands in the text and fits. An answer that was cut off or refused is
    never read; nor one in which two different values fit, as somebody may have been quoted: no
    answer is guessed. Objects that have a key twice are refused, as are NaN and infinite numbers.
    Raises ModelError where the schema itself is wrong.
    """
    reasoning, text = parted(reply.text)
    if schema is None or reply.finish_reason in _PARTIAL:
        return _with(reply, reasoning, text, None)
    if reply.parsed is not None and fits(reply.parsed, schema):
        return _with(reply, reasoning, text, reply.parsed)
    for candidate in after_reasoning(reply.text):
        try:
            value = parsed(unfenced(candidate))
        except NoJson:
            continue
        if fits(value, schema):
            thought = reply.text.removesuffix(candidate)
            return _with(reply, parted(thought)[0] or thought.strip(), candidate.strip(), value)
    found = _fitting(reply.text, schema)
    if len(found) > 1:  # left as it is, so that nobody who reads it again is misled
        return _with(reply, "", reply.text, None)
    return _with(reply, reasoning, text, found[0] if found else None)


def complaints(value_or_text: JsonValue, schema: Mapping[str, JsonValue]) -> str:
    """What is wrong with an answer, in a few words for whoever gave it; empty if nothing is.

    A text is what the model wrote; anything else is data. Hardly anything of it is quoted.
    """
    if not isinstance(value_or_text, str):
        return complaints_on(value_or_text, schema)
    if len(_fitting(value_or_text, schema)) > 1:
        return "it holds several different answers; give one only"
    text = parted(value_or_text)[1]
    try:
        return complaints_on(parsed(unfenced(text)), schema)
    except NoJson as err:
        reason = f"it is not JSON: {err}"
    found = list(values(text))
    if any(fits(value, schema) for value in found):
        return ""
    return complaints_on(found[-1], schema) if found else reason


def _fitting(text: str, schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The different values that fit, if one stands outside what looks like reasoning."""
    fitting = _different(values(parted(text)[1]), schema)
    if fitting:
        fitting |= _different(chain.from_iterable(map(values, answering(text))), schema)
    return list(fitting.values())


def _different(found: Iterable[JsonValue], schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {json.dumps(value, sort_keys=True): value for value in found if fits(value, schema)}


def _with(reply: ChatReply, reasoning: str, text: str, value: JsonValue) -> ChatReply:
    update: dict[str, Any] = {"text": text, "parsed": value}
    if reasoning:
        update["reasoning"] = "\n".join(filter(None, (reply.reasoning, reasoning)))
    return reply.model_copy(update=update)
