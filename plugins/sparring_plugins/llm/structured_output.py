"""Answers of a schema: the modes of asking for one, from strict JSON schemas to mere words.

Also the fallback from one mode to the next, and the strict form of a schema.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from enum import StrEnum
from typing import Any, cast

from pydantic import JsonValue

from sparring.model.chat import ChatMessage, ChatReply
from sparring_plugins.llm.refusals import ServiceRefusal
from sparring_plugins.prompting.json_text import values


class OutputMode(StrEnum):
    """A way to ask for an answer of a schema, as services with OpenAI's protocol know it."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool"
    JSON_OBJECT_SCHEMA = "json_object with schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"

    @property
    def needs_words(self) -> bool:
        """Whether the prompt must state the schema, too."""
        return self not in (OutputMode.JSON_SCHEMA, OutputMode.TOOL)


class StructuredOutputFallback:
    """Remembers the output modes that one service takes, and keeps the best that works.

    A mode that the service refuses is given up only after a lower one was answered. If the
    refusal may have been chance (a server error, an answer without any JSON), it takes two.
    """

    _DOUBTS = 2
    _UNDECIDED = 3

    def __init__(self, modes: Sequence[OutputMode]) -> None:
        self._modes = tuple(modes)
        self._proven: set[OutputMode] = set()
        self._given_up: set[OutputMode] = set()
        self._rejected: dict[str, set[OutputMode]] = {}
        self._doubts = Counter[OutputMode]()
        self._undecided = Counter[OutputMode]()

    async def ask(
        self, schema: str, once: Callable[[OutputMode], Awaitable[ChatReply]]
    ) -> ChatReply:
        """Return the answer in the best mode that the service takes; remember what it refuses.

        Raises ServiceRefusal if a refusal has another reason than the mode, or if the service
        refuses the last mode, too.
        """
        refused: list[OutputMode] = []
        doubted: list[OutputMode] = []
        *better, last = self.modes(schema)
        for mode in better:
            try:
                reply = await once(mode)
                break
            except ServiceRefusal as refusal:
                if not self._concerns(mode, refusal):
                    raise
                if refusal.is_of_this_schema:
                    self.reject(mode, schema)
                else:
                    (doubted if refusal.status == 500 else refused).append(mode)
        else:
            mode, reply = last, await once(last)
        if refused or doubted or not self.is_proven(mode):
            self.record_answer(mode, _has_json(reply), refused, doubted)
        return reply

    def _concerns(self, mode: OutputMode, refusal: ServiceRefusal) -> bool:
        """Whether it is the mode that was refused, so that the next one may be tried."""
        unsure = not self.is_proven(mode)
        return refusal.may_concern_mode and (unsure or refusal.is_of_this_schema)

    def modes(self, schema: str) -> tuple[OutputMode, ...]:
        """The modes to try for a schema (as text), in this order."""
        without = self._given_up | self._rejected.get(schema, set())
        return tuple(mode for mode in self._modes if mode not in without) or self._modes[-1:]

    def is_proven(self, mode: OutputMode) -> bool:
        """Whether the mode was answered before."""
        return mode in self._proven

    def is_settled(self, schema: str) -> bool:
        """Whether there is nothing left to find out."""
        modes = self.modes(schema)
        return len(modes) == 1 or self.is_proven(modes[0])

    def record_answer(
        self,
        mode: OutputMode,
        has_json: bool | None,
        refused: Iterable[OutputMode],
        doubted: Iterable[OutputMode],
    ) -> None:
        """Record that a mode was answered after better ones were refused, some perhaps by chance.

        `has_json` is `None` if the answer was cut off or declined, which says nothing until it
        happens again and again.
        """
        self._given_up.update(refused)
        for better in doubted:
            self._doubt(better)
        if has_json is None:
            self._undecided[mode] += 1
        if has_json or self._undecided[mode] >= self._UNDECIDED:
            self._proven.add(mode)
        elif has_json is False and mode not in self._proven:
            self._doubt(mode)

    def _doubt(self, mode: OutputMode) -> None:
        self._doubts[mode] += 1
        if self._doubts[mode] >= self._DOUBTS:
            self._given_up.add(mode)

    def reject(self, mode: OutputMode, schema: str) -> None:
        """Record that the mode does not take this schema; it may take others."""
        self._rejected.setdefault(schema, set()).add(mode)


def _has_json(reply: ChatReply) -> bool | None:
    """Whether an answer holds any JSON; `None` if it was cut off or declined."""
    if any(True for _ in values(reply.text)):
        return True
    return False if reply.finish_reason == "stop" else None


# The schema of an answer, in the words of the prompt: for models that take it no other way.

_ASK = (
    "Answer with one JSON value that satisfies the JSON Schema below. Write the value alone: "
    "no explanation, no code fence, and not the schema itself.\n{schema}"
)


def with_schema(
    messages: Sequence[ChatMessage], schema: Mapping[str, JsonValue]
) -> tuple[ChatMessage, ...]:
    """The messages, with the schema of the answer at the end of the last that is not the model's.

    Small models obey it best there, and every service accepts it: some take one system
    message, some want user and assistant to alternate. The messages given are left alone.
    """
    words = _ASK.format(schema=json.dumps(schema, ensure_ascii=False))
    for index in range(len(messages) - 1, -1, -1):
        last = messages[index]
        if last.role != "assistant":
            text = f"{last.content}\n\n{words}" if last.content else words
            extended = ChatMessage(role=last.role, content=text)
            return (*messages[:index], extended, *messages[index + 1 :])
    return (*messages, ChatMessage(role="user", content=words))


# JSON Schemas in the form that OpenAI's strict structured outputs take.

# Words of a schema that only describe, or narrow down what the reader checks anyway: OpenAI's
# strict mode refuses a whole schema because of one of them.
_DROPPED = frozenset(
    {
        *("title", "default", "examples", "$schema", "$id", "$comment", "discriminator"),
        *("deprecated", "readOnly", "writeOnly", "contentMediaType", "contentEncoding"),
        *("uniqueItems", "minProperties", "maxProperties"),
    }
)
_LENGTHS = frozenset({"minLength", "maxLength"})
# These decide what is valid: left out, an answer could satisfy the strict form and not the schema.
_REFUSED = frozenset(
    {
        *("not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        *("patternProperties", "propertyNames", "unevaluatedProperties"),
        *("prefixItems", "contains", "$dynamicRef", "$anchor"),
    }
)
# The formats that strict mode takes; a text of any other is still a text, and is checked by the
# reader.
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
# A schema may refer to itself: each reference is one level more.
_DEEPEST = 32
_MOST_PARTS = 5_000


class _NotStrict(Exception):
    """The schema says something that the strict form cannot."""


def strict_form(
    schema: Mapping[str, JsonValue], *, lengths: bool = True
) -> dict[str, JsonValue] | None:
    """The schema with every object closed and every property required, or None.

    What satisfies the strict form satisfies the schema, but for keywords that only narrow a value
    down and that the service does not take (`lengths` of texts are kept by default); the
    reader of the answer checks those. `None` if the schema says what the strict form cannot,
    such as objects with any keys, or if its root is no object.
    """
    try:
        strict = _StrictRewriter(schema, lengths).rewrite(dict(schema), 0)
    except (_NotStrict, TypeError):  # TypeError: keywords of the wrong type
        return None
    return strict if strict.get("type") == "object" else None


class _StrictRewriter:
    """Rewrites one schema; `root` is where its references point into."""

    def __init__(self, root: Mapping[str, JsonValue], lengths: bool) -> None:
        self._root = root
        self._dropped = _DROPPED if lengths else _DROPPED | _LENGTHS
        self._parts = 0

    def rewrite(self, schema: Any, depth: int) -> dict[str, Any]:
        """Return the strict form of a schema; raises _NotStrict if it has none."""
        self._parts += 1
        if not isinstance(schema, dict) or depth > _DEEPEST or self._parts > _MOST_PARTS:
            raise _NotStrict
        loose = cast("dict[str, Any]", schema)
        if _REFUSED & loose.keys():
            raise _NotStrict
        merged = self._merge_schemas(loose, depth)
        strict = {key: value for key, value in merged.items() if key not in self._dropped}
        if strict.get("format", "date") not in _FORMATS:
            del strict["format"]
        if "oneOf" in strict:
            strict["anyOf"] = strict.pop("oneOf")
        strict |= self._rewritten_parts(strict, depth)
        if _is(strict, "array") and "items" not in strict:
            raise _NotStrict  # an array of anything
        is_object = "properties" in strict or _is(strict, "object")
        return self._close_object(strict, depth) if is_object else strict

    def _rewritten_parts(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """The keywords that hold schemas themselves, each in its strict form."""
        parts: dict[str, Any] = {
            key: self._each(schema[key], depth) for key in ("$defs", "definitions") if key in schema
        }
        if "anyOf" in schema:
            parts["anyOf"] = [self.rewrite(option, depth + 1) for option in schema["anyOf"]]
        if "items" in schema:
            parts["items"] = self.rewrite(schema["items"], depth + 1)
        return parts

    def _each(self, named: Any, depth: int) -> dict[str, Any]:
        if not isinstance(named, dict):
            raise _NotStrict
        inner = cast("dict[str, Any]", named)
        return {name: self.rewrite(item, depth + 1) for name, item in inner.items()}

    def _close_object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """An object with these properties, all of them, and no others."""
        properties = self._each(schema.get("properties", {}), depth)
        open_ = schema.get("additionalProperties", not properties)
        if open_ is not False and (open_ is not True or not properties):
            raise _NotStrict
        if not set(schema.get("required", ())) <= properties.keys():
            raise _NotStrict
        named = {"properties": properties, "required": list(properties)}
        return {"type": "object", **schema, **named, "additionalProperties": False}

    def _merge_schemas(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Without a reference that has other keywords beside it, and without `allOf` of one."""
        if "allOf" in schema:
            if len(schema["allOf"]) != 1 or not isinstance(schema["allOf"][0], dict):
                raise _NotStrict
            rest = {key: value for key, value in schema.items() if key != "allOf"}
            return self._merge_schemas({**schema["allOf"][0], **rest}, depth + 1)
        beside = schema.keys() - self._dropped - {"$ref", "$defs", "definitions"}
        if "$ref" not in schema:
            return schema
        if not beside and not schema.keys() & {"$defs", "definitions"}:
            return {"$ref": schema["$ref"]}
        target = self._target(schema["$ref"])
        if depth > _DEEPEST:
            raise _NotStrict
        if beside == {"description"} and schema["$ref"] in _references(target):
            return {"$ref": schema["$ref"]}  # a tree: written out it would never end
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return self._merge_schemas({**target, **rest}, depth + 1)

    def _target(self, reference: Any) -> dict[str, Any]:
        target: Any = self._root
        for step in str(reference).removeprefix("#/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or name not in target:
                raise _NotStrict
            target = cast("dict[str, Any]", target)[name]
        if not isinstance(target, dict):
            raise _NotStrict
        return deepcopy(cast("dict[str, Any]", target))


def _references(schema: Any) -> set[str]:
    """All that a schema refers to."""
    if isinstance(schema, list):
        return {name for item in cast("list[Any]", schema) for name in _references(item)}
    if not isinstance(schema, dict):
        return set()
    members = cast("dict[str, Any]", schema)
    own = {str(members["$ref"])} if "$ref" in members else set[str]()
    return own.union(*(_references(item) for item in members.values()))


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    declared = schema.get("type")
    return kind == declared or (isinstance(declared, list) and kind in declared)
