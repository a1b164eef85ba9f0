"""Reads a model's answer: without its reasoning, as the one value that fits the schema."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from pydantic import JsonValue

from sparring.errors import ModelError
from sparring.model.chat import ChatReply
from sparring_plugins.prompting.json_text import NoJson, is_plain, parsed, unfenced, values
from sparring_plugins.prompting.lenient_reading import is_refusal, lenient_values

_LONGEST = 80
"""Characters of a schema's name in a message."""


def fits(value: object, schema: Mapping[str, JsonValue]) -> bool:
    """Whether plain data satisfies a schema (draft 2020-12); ModelError if it is no schema."""
    return is_plain(value) and not schema_errors(value, schema, 1)


def schema_errors(value: object, schema: Mapping[str, JsonValue], most: int) -> list[Any]:
    """Return what jsonschema finds wrong with plain data, `most` errors at most.

    Raises ModelError if the schema itself is wrong.
    """
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    name = json.dumps(schema.get("title", "of the answer"))[:_LONGEST]
    try:
        return list(islice(_validator(json.dumps(schema)).iter_errors(value), most))
    except SchemaError as err:
        raise ModelError(f"the schema {name} is not a JSON Schema: {err.message[:200]}") from err
    except Unresolvable as err:
        raise ModelError(f"the schema {name} refers to what it does not hold: {err}") from err
    except RecursionError as err:
        raise ModelError(f"the schema {name} never ends") from err


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    """A validator that never fetches anything, not even what the schema refers to."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    data = json.loads(schema)
    Draft202012Validator.check_schema(data)
    return Draft202012Validator(data, registry=Registry())


_TAG = re.compile(
    r"<(?P<angle>/?)(?:think|thinking|thought|thoughts|reasoning)\s{0,8}>"
    r"|\[(?P<square>/?)THINK\]|◁(?P<lozenge>/?)think▷",
    re.IGNORECASE,
)
_QUOTES = frozenset("`\"'")


def parted(text: str) -> tuple[str, str]:
    """The reasoning in a text, and the text without it.

    Reasoning stands between tags such as ``<think>`` and ``</think>``. It also begins at the
    start, if the opening tag was part of the prompt, and ends at the end, if the text was
    cut off. A tag that is quoted is none, nor is one in the middle of a line that is never closed.
    """
    thought: list[str] = []
    kept: list[str] = []
    position, opening = 0, None
    for tag in _tags(text):
        if not _closes(tag):
            if opening is None:
                kept.append(text[position : tag.start()])
                position, opening = tag.end(), tag
            continue
        if opening is None:  # it was opened in the prompt
            thought += kept
            kept.clear()
        thought.append(text[position : tag.start()])
        position, opening = tag.end(), None
    if opening is None:
        kept.append(text[position:])
    elif _ends_line("".join(kept)):
        thought.append(text[position:])
    else:
        kept.append(text[opening.start() :])
    if not thought:
        return "", text
    return "\n".join(filter(None, map(str.strip, thought))), "".join(kept).strip()


def after_reasoning(text: str) -> Iterator[str]:
    """The texts that are surely an answer as a whole, if they are one at all, the likeliest first.

    That is all of it; what follows a block of reasoning at the start; and, if the opening tag
    was in the prompt, what follows the last closing tag. The last only if that tag begins or
    ends a line and the text does not itself begin with data: else somebody may have been quoted.
    """
    yield text
    tags = list(_tags(text))
    closing = [tag for tag in tags if _closes(tag)]
    if not closing:
        return
    start = text.lstrip()
    if tags[0] is not closing[0]:
        if not text[: tags[0].start()].strip():
            yield text[closing[0].end() :]
    elif start[:1] not in ("{", "[", "`") and _stands_alone(text, closing[-1]):
        yield text[closing[-1].end() :]


def answering(text: str) -> Iterator[str]:
    """The stretches of a text that may hold the answer: after a leading block of reasoning.

    What lies between closing tags comes as well, since reasoning may hold broken data.
    """
    tags = list(_tags(text))
    start = 0
    if tags and not _closes(tags[0]) and not text[: tags[0].start()].strip():
        closing = next((tag for tag in tags if _closes(tag)), None)
        if closing is None:
            return
        start = closing.end()
    yield text[start:]
    cuts = [tag for tag in tags if _closes(tag) and tag.start() >= start][:16]
    ends = [*(tag.start() for tag in cuts[1:]), len(text)]
    for tag, end in zip(cuts, ends, strict=False):
        yield text[tag.end() : end]


def _tags(text: str) -> Iterator[re.Match[str]]:
    for tag in _TAG.finditer(text):
        around = {text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]}
        if not around <= _QUOTES:
            yield tag


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["angle"] or tag["square"] or tag["lozenge"])


def _ends_line(before: str) -> bool:
    return not before[before.rfind("\n") + 1 :].strip()


def _stands_alone(text: str, tag: re.Match[str]) -> bool:
    rest = text[tag.end() : tag.end() + 100].lstrip(" \t")
    return _ends_line(text[: tag.start()]) or rest[:1] in ("\n", "\r")


def _lenient(reply: ChatReply, schema: Mapping[str, JsonValue]) -> ChatReply:
    """The answer read with leave, if it is the only data in the text; a refusal in words as such.

    Of several objects one may be quoted from the app: then nothing is overlooked.
    """
    reasoning, text = parted(reply.text)
    readings = list(islice(lenient_values(text, schema), 2))
    if len(readings) == 1 and fits(readings[0][0], schema):
        value, notes = readings[0]
        answer = _with(reply, reasoning, text, value)
        return answer.model_copy(update={"lenient": tuple(sorted(notes))})
    if not readings and is_refusal(text):
        reply = reply.model_copy(update={"finish_reason": "refusal"})
    return _with(reply, reasoning, text, None)


_PARTIAL = frozenset({"length", "refusal", "content_filter"})


def read(reply: ChatReply, schema: Mapping[str, JsonValue] | None) -> ChatReply:
    """The answer without its reasoning, with `parsed` set if and only if it fits the schema.

    Taken is what the service itself parsed, if that fits; else the text if it is JSON as a whole;
    else the one value that stands in the text and fits. An answer that was cut off or refused is
    never read; nor one in which two different values fit, as somebody may have been quoted: no
    answer is guessed. Objects that have a key twice are refused, as are NaN and infinite numbers.
    If nothing fits, what can be meant in one way only is taken, and `lenient` says what was
    overlooked; a text without data that declines to answer becomes a refusal.
    Raises ModelError if the schema itself is wrong.
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
    values_in_text = fitting_values(reply.text, schema)
    if len(values_in_text) > 1:  # left as it is, so that nobody who reads it again is misled
        return _with(reply, "", reply.text, None)
    if values_in_text:
        return _with(reply, reasoning, text, values_in_text[0])
    return _lenient(reply, schema)


def fitting_values(text: str, schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The different values that fit, if one stands outside what looks like reasoning."""
    fitting = _different(values(parted(text)[1]), schema)
    if fitting:
        fitting |= _different(chain.from_iterable(map(values, answering(text))), schema)
    return list(fitting.values())


def _different(
    candidates: Iterable[JsonValue], schema: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    return {json.dumps(value, sort_keys=True): value for value in candidates if fits(value, schema)}


def _with(reply: ChatReply, reasoning: str, text: str, value: JsonValue) -> ChatReply:
    update: dict[str, Any] = {"text": text, "parsed": value}
    if reasoning:
        update["reasoning"] = "\n".join(filter(None, (reply.reasoning, reasoning)))
    return reply.model_copy(update=update)
