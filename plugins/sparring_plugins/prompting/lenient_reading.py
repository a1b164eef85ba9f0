"""Reads answers that are not quite of the wanted form, if there is only one way to mean them.

Small models wrap an answer, quote a number, leave a comma behind or write Python for JSON. Nothing
here guesses: each change keeps every value that the model gave, and what comes out must satisfy the
schema as it stands. What was overlooked is returned in words, for the log.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.prompting.json_text import DEEPEST, NoJson, is_plain, parsed, spans

_MOST_TEXT = 100_000
"""Characters of an answer that is not JSON; Python's own parser is slower than JSON's."""
_DEEPEST = 24
"""Levels of a value that are looked into: answers of ours have about five."""
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+(?:"|\\?\Z))|,(?=\s*+[}\]])', re.DOTALL)
_PYTHON_LITERAL = re.compile(
    r"""(?:[\s{}\[\],:]++|"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+'|-?[\d.]++|True|False|None)*+"""
)
"""Maps, lists and values: of anything else, such as a chain of signs, Python's parser may crash."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")

Schema = Mapping[str, Any]
Notes = set[str]


class _RefusalWords(BaseModel):
    """How models begin a refusal; a text of more than `longest` characters is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    openings: tuple[str, ...]
    longest: int


@lru_cache(maxsize=1)
def _refusal_words() -> _RefusalWords:
    data = bundled_yaml("sparring_plugins.prompting", "refusals.yaml")
    words = _RefusalWords.model_validate(data)
    return words.model_copy(update={"openings": tuple(map(folded, words.openings))})


def is_refusal(text: str) -> bool:
    """Whether a text without any JSON declines to answer, as in "I'm sorry, but I can't help"."""
    words = _refusal_words()
    if not text.strip() or len(text) > words.longest:
        return False
    start = folded(text.replace("\u2019", "'").strip())
    return any(start.startswith(opening) for opening in words.openings)


def lenient_values(text: str, schema: Schema) -> Iterator[tuple[JsonValue, frozenset[str]]]:
    """Yield the values in a text in the form of the schema if possible, and what was overlooked.

    They need not fit yet: whoever asks holds them against the schema.
    """
    for value, notes in _loose_values(text):
        if is_plain(value):
            reader = _SchemaReader(schema)
            yield reader.read(value, schema, 0), frozenset(notes | reader.notes)


def _loose_values(text: str) -> Iterator[tuple[JsonValue, Notes]]:
    """The objects and arrays in a text, also if they are JSON only but for commas or literals."""
    for span in spans(text):
        try:
            yield parsed(span), set()
            continue
        except NoJson:
            pass
        without = _TRAILING_COMMA.sub(lambda match: match[1] or "", span)
        try:
            yield parsed(without), {"trailing commas"}
            continue
        except NoJson:
            pass
        if len(span) <= _MOST_TEXT:
            yield from _python_value(span)


def _python_value(span: str) -> Iterator[tuple[JsonValue, Notes]]:
    """What `span` is as a Python literal: single quotes, True, None."""
    if not _PYTHON_LITERAL.fullmatch(span):
        return
    try:
        tree = ast.parse(span, mode="eval")
        value: Any = ast.literal_eval(tree)
        # a set, bytes, a complex number or a key that is no text are no JSON
        if _has_single_keys(tree) and _has_text_keys(value, 0):
            yield json.loads(json.dumps(value, allow_nan=False)), {"Python literals"}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return


def _has_single_keys(tree: ast.AST) -> bool:
    """Whether no object has a key twice: which of the two values was meant?"""
    objects = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    keys = ([ast.dump(key) for key in node.keys if key is not None] for node in objects)
    return all(len(names) == len(set(names)) for names in keys)


def _has_text_keys(value: object, depth: int) -> bool:
    if depth > DEEPEST:
        return False
    if isinstance(value, dict):
        members = cast("dict[Any, Any]", value)
        return all(
            isinstance(key, str) and _has_text_keys(members[key], depth + 1) for key in members
        )
    if isinstance(value, list):
        return all(_has_text_keys(item, depth + 1) for item in cast("list[Any]", value))
    return True


class _SchemaReader:
    """Changes one value towards a schema; `notes` says what it changed."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self.notes: Notes = set()

    def read(self, value: Any, schema: Schema, depth: int) -> Any:
        """Return the value in the form of the schema, as far as there is one way to do it."""
        schema = self._target(schema)
        if depth > _DEEPEST:
            return value
        if branches := schema.get("anyOf"):
            return self._of_branches(value, branches, depth)
        if "enum" in schema or "const" in schema:
            return self._option(value, schema.get("enum", [schema.get("const")]))
        kinds = schema.get("type")
        kind = "object" if kinds is None and "properties" in schema else kinds
        match kind:
            case "object":
                return self._object(value, schema, depth)
            case "array":
                return self._array(value, schema, depth)
            case "boolean" | "integer" | "number" | "string":
                return self._scalar(value, kind)
            case _:
                return value

    def _of_branches(self, value: Any, branches: list[Schema], depth: int) -> Any:
        """The value by the branch that its type chooses; a null is null if that may be."""
        targets = [self._target(branch) for branch in branches]
        if any(_is_of_type(value, target) for target in targets):
            chosen = next(target for target in targets if _is_of_type(value, target))
            return self.read(value, chosen, depth + 1)
        others = [target for target in targets if target.get("type") != "null"]
        return self.read(value, others[0], depth + 1) if len(others) == 1 else value

    def _target(self, schema: Schema) -> Schema:
        """A schema with its reference into the root resolved; other references stay."""
        for _ in range(_DEEPEST):
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            target: Any = self._root
            for step in reference[2:].split("/"):
                members: Any = cast("dict[str, Any]", target) if isinstance(target, dict) else {}
                target = members.get(step)
            if not isinstance(target, dict):
                break
            schema = cast("Schema", target)
        return schema

    def _object(self, value: Any, schema: Schema, depth: int) -> Any:
        if isinstance(value, list) and len(items := cast("list[Any]", value)) == 1:
            self.notes.add("a list of one")
            value = items[0]
        if not isinstance(value, dict):
            return cast("Any", value)
        properties: Mapping[str, Schema] = schema.get("properties", {})
        members = self._unwrap(cast("dict[str, Any]", value), properties)
        members = self._rename_members(members, properties)
        if schema.get("additionalProperties") is False and properties:
            # "confidence" beside an answer: nobody asked for it, and nothing rests on it
            extra = members.keys() - properties.keys()
            if extra and len(extra) < len(members):
                self.notes.add("keys that were not asked for")
                members = {key: item for key, item in members.items() if key in properties}
        for name in schema.get("required", ()):
            if name not in members and self._may_be_null(properties.get(name, {})):
                self.notes.add("a missing null")
                members[name] = None
        return {
            key: self.read(item, properties[key], depth + 1) if key in properties else item
            for key, item in members.items()
        }

    def _unwrap(self, members: dict[str, Any], properties: Mapping[str, Schema]) -> dict[str, Any]:
        """The inside of ``{"answer": {...}}``, of an echoed schema or of a call of a tool."""
        if not properties or self._keys_in(members, properties):
            return members
        single = (
            item[0] if len(item) == 1 else item
            for item in (
                cast("list[Any]", member) if isinstance(member, list) else [member]
                for member in members.values()
            )
        )
        candidates = [cast("dict[str, Any]", item) for item in single if isinstance(item, dict)]
        answers = [item for item in candidates if self._keys_in(item, properties)]
        if len(answers) != 1:
            return members
        self.notes.add("an object around it")
        return answers[0]

    @staticmethod
    def _keys_in(members: Mapping[str, Any], properties: Mapping[str, Schema]) -> bool:
        plain = {_plain_key(name) for name in properties}
        return any(_plain_key(key) in plain for key in members)

    def _rename_members(
        self, members: dict[str, Any], properties: Mapping[str, Schema]
    ) -> dict[str, Any]:
        """The members under the names of the schema: ``goalsMet`` is ``goals_met``."""
        missing = {_plain_key(name): name for name in properties if name not in members}
        renamed: dict[str, Any] = {}
        for key, item in members.items():
            name = missing.get(_plain_key(key)) if key not in properties else None
            if name is not None and name not in renamed:
                self.notes.add("keys in another spelling")
            renamed[key if name is None else name] = item
        return renamed

    def _may_be_null(self, schema: Schema) -> bool:
        schema = self._target(schema)
        kinds = schema.get("type")
        if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
            return True
        return any(self._may_be_null(branch) for branch in schema.get("anyOf", ()))

    def _array(self, value: Any, schema: Schema, depth: int) -> Any:
        items: Schema = schema.get("items", {})
        if isinstance(value, dict) and _is_of_type(value, self._target(items)):
            self.notes.add("one item for a list of one")
            value = [value]
        if not isinstance(value, list):
            return cast("Any", value)
        return [self.read(item, items, depth + 1) for item in cast("list[Any]", value)]

    def _option(self, value: Any, options: list[Any]) -> Any:
        """The option that is meant but for its case: ``"Yes"`` for yes, ``true`` for "true"."""
        if value in options:
            return value
        if isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            return value
        texts = [option for option in options if isinstance(option, str)]
        matches = [option for option in texts if option.casefold() == value.strip().casefold()]
        if len(matches) != 1:
            return value
        self.notes.add("an option in another spelling")
        return matches[0]

    def _scalar(self, value: Any, kind: str) -> Any:
        read: Any = value
        if kind == "boolean" and isinstance(value, str):
            read = {"true": True, "false": False}.get(value.strip().lower(), value)
        elif kind in ("integer", "number") and isinstance(value, str):
            read = _number(value.strip(), kind)
        elif kind == "integer" and isinstance(value, float) and value.is_integer():
            read = int(value)
        elif kind == "string" and isinstance(value, int) and not isinstance(value, bool):
            read = str(value)
        if read is not value and type(read) is not type(value):
            self.notes.add("a value of another type")
        return read


def _number(text: str, kind: str) -> Any:
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text) if "." in text else int(text)
    if kind == "integer" and isinstance(number, float):
        return int(number) if number.is_integer() else text
    return number


def _is_of_type(value: Any, schema: Schema) -> bool:
    kinds: Any = schema.get("type", "object" if "properties" in schema else None)
    own = _TYPES.get(type(cast("object", value)), ())
    types = cast("list[Any]", kinds) if isinstance(kinds, list) else [kinds]
    return any(kind in own for kind in types)


_TYPES: dict[type, tuple[str, ...]] = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    type(None): ("null",),
}


def _plain_key(key: str) -> str:
    return re.sub(r"[\s_-]+", "", key).casefold()
