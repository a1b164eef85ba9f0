"""Reads YAML text as plain data, with the line of every key.

Two dialects. ``strict`` is for files of our own: only ``true`` and ``false`` are booleans, no
sexagesimal and no octal numbers, dates stay texts, and a key written twice is an error, so that
``answer: no`` and ``time: 12:30`` mean what they say. ``yaml11`` is for files of other tools: what
PyYAML's safe loader makes of them, with its dates and its last of two equal keys.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml

from sparring.errors import ConfigurationError, Problem

# What is wrong with a text that is no YAML, and what to write instead.

_VALUE = re.compile(r"""^\s*(?:- +)*(?P<quote>["']?)[\w.-]+(?P=quote)\s*:\s+(?P<first>\S)""")
_OPENERS = {
    "{": "a text that begins with { must be in quotes, or below `key: |`",
    "[": "a text that begins with [ must be in quotes, or below `key: |`",
    '"': "a text that begins with a quote must be in quotes as a whole, or below `key: |`",
    "'": "a text that begins with a quote must be in quotes as a whole, or below `key: |`",
}
_RESERVED = frozenset("@`%&*!|>")


def yaml_problem(err: yaml.YAMLError, file: str, text: str) -> Problem:
    """The problem of a text that the YAML reader refuses: what, where, and a hint."""
    parts = [getattr(err, "context", None), getattr(err, "problem", None)]
    message = ", ".join(str(part) for part in parts if part) or str(err).split("\n", 1)[0]
    place = _place(err, text)
    if place is None:
        return Problem(f"is not valid YAML: {message}", file)
    line, column = place
    hint = _hint(message, text, line)
    return Problem(f"is not valid YAML: {message} (column {column}){hint}", file, line)


def _place(err: yaml.YAMLError, text: str) -> tuple[int, int] | None:
    """Line and column, from 1."""
    mark: Any = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    if mark is not None:
        return mark.line + 1, mark.column + 1
    wrong: Any = getattr(err, "character", None)  # one that YAML files may not have
    at = text.find(chr(wrong)) if isinstance(wrong, int) else -1
    if at < 0:
        return None
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _hint(message: str, text: str, line: int) -> str:
    lines = text.split("\n")
    written = lines[line - 1] if line <= len(lines) else ""
    value = _VALUE.match(written)
    first = value["first"] if value else ""
    if "mapping values are not allowed" in message:
        return "; put a text that has a colon in quotes, or write it below `key: |`"
    broken = "did not find expected" in message or "expected <block end>" in message
    if broken and first in _OPENERS:
        return f"; {_OPENERS[first]}"
    if first in _RESERVED and ("cannot start" in message or "did not find expected" in message):
        return f"; a text that begins with {first} must be in quotes, or below `key: |`"
    return ""


Key = str | int
Dialect = Literal["strict", "yaml11"]

MAX_BYTES = 10_000_000
MAX_DEPTH = 60
MAX_NODES = 500_000
MAX_DIGITS = 1_000
"""Digits of a whole number: Python works out longer ones slowly, and refuses to write them."""

_INT = "tag:yaml.org,2002:int"
_MERGE = "tag:yaml.org,2002:merge"
_COLLECTIONS = frozenset(
    f"tag:yaml.org,2002:{tag}" for tag in ("map", "seq", "set", "omap", "pairs")
)

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Yaml11Loader(_Base):  # type: ignore[misc]
    """PyYAML's safe loader, in C if there is libyaml."""


class _StrictLoader(_Base):  # type: ignore[misc]
    """The safe loader without the surprises of YAML 1.1."""


_StrictLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "float",
        (
            r"^(?:[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
        ),
        "-+0123456789.",
    ),
    ("merge", r"^(?:<<)$", "<"),
):
    _StrictLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first)
    )


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data from a file, and where each key and item of it stands (1-based lines)."""

    data: Any
    file: str
    lines: dict[tuple[Key, ...], int] = field(default_factory=dict[tuple[Key, ...], int])

    def line(self, at: Sequence[Key] = ()) -> int | None:
        """The line of the key or item at a path, else of the nearest one around it."""
        path = tuple(at)
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def problem(self, message: str, at: Sequence[Key] = ()) -> Problem:
        """A problem at a path of this document."""
        return Problem(message, self.file, self.line(at), dotted(at) or None)


def dotted(at: Sequence[Key]) -> str:
    """A path as people write it: ``oracles[1].files``."""
    text = ""
    for key in at:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text


def read_document(path: Path, dialect: Dialect = "strict", *, shown: str | None = None) -> Document:
    """Read the one document of a file; raises ConfigurationError naming file and line."""
    return next(iter(read_all(path, dialect, shown=shown, single=True)))


def read_all(
    path: Path, dialect: Dialect = "strict", *, shown: str | None = None, single: bool = False
) -> list[Document]:
    """Read all documents of a file; raises ConfigurationError naming file and line."""
    name = shown or str(path)
    try:
        with path.open("rb") as file:  # a device has no size, and may have no end
            raw = file.read(MAX_BYTES + 1)
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror or err}", name)) from err
    except ValueError as err:  # a zero byte in the name
        raise ConfigurationError(Problem(f"cannot be read: {err}", repr(name))) from err
    if len(raw) > MAX_BYTES:
        raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", name))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw[: err.start].count(b"\n") + 1
        raise ConfigurationError(Problem("is not UTF-8 text", name, line)) from err
    return parse_all(text, name, dialect, single=single)


def parse(text: str, file: str, dialect: Dialect = "strict") -> Document:
    """Parse the one document of a text; `file` is what messages call it."""
    return parse_all(text, file, dialect, single=True)[0]


def parse_all(
    text: str, file: str, dialect: Dialect = "strict", *, single: bool = False
) -> list[Document]:
    """Parse all documents of a text; an empty text is one document of None."""
    try:
        _guard_depth(text)
        loader: Any = (_StrictLoader if dialect == "strict" else _Yaml11Loader)(text)
        try:
            documents = list(_documents(loader, file, dialect))
        finally:
            loader.dispose()
    except yaml.YAMLError as err:
        raise ConfigurationError(yaml_problem(err, file, text)) from err
    except (ValueError, RecursionError, OverflowError) as err:  # dates such as 2024-13-45
        raise ConfigurationError(Problem(f"is not valid YAML: {err}", file)) from err
    if single and len(documents) > 1:
        line = documents[1].lines.get(())
        raise ConfigurationError(Problem("holds more than one YAML document", file, line))
    return documents or [Document(None, file)]


def _guard_depth(text: str) -> None:
    """Refuse nesting that would overflow the C composer's stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Base):
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
            if depth > MAX_DEPTH:
                mark: Any = event.start_mark
                raise yaml.MarkedYAMLError(
                    problem=f"nested deeper than {MAX_DEPTH} levels", problem_mark=mark
                )
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1


def _documents(loader: Any, file: str, dialect: Dialect) -> Iterator[Document]:
    while loader.check_node():
        node = loader.get_node()
        builder = _Builder(loader, dialect)
        data = builder.build(node, (), frozenset())
        builder.lines[()] = node.start_mark.line + 1
        yield Document(data, file, builder.lines)


class _Builder:
    """Nodes to data, noting lines; counts nodes, so that aliases cannot explode."""

    def __init__(self, loader: Any, dialect: Dialect) -> None:
        self.loader = loader
        self.strict = dialect == "strict"
        self.lines: dict[tuple[Key, ...], int] = {}
        self.nodes = 0

    def build(self, node: yaml.Node, at: tuple[Key, ...], above: frozenset[int]) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES or len(at) > MAX_DEPTH:
            raise _at(node, "expands to too much data (aliases of aliases?)")
        if id(node) in above:
            raise _at(node, "an alias contains itself")
        if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
            raise _at(node, f"the tag {node.tag!r} is not known")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, at, above | {id(node)})
        if isinstance(node, yaml.SequenceNode):
            items: list[Any] = []
            for index, child in enumerate(node.value):
                self.lines[(*at, index)] = child.start_mark.line + 1
                items.append(self.build(child, (*at, index), above | {id(node)}))
            return items
        return self._scalar(node)

    def _mapping(
        self, node: yaml.MappingNode, at: tuple[Key, ...], above: frozenset[int]
    ) -> dict[Any, Any]:
        own = {id(key) for key, _ in node.value}
        written: set[Any] = set()
        guard_merges(node)
        self.loader.flatten_mapping(node)
        data: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _at(key_node, "a key must be a plain text")
            key = self._scalar(key_node)
            if self.strict and not isinstance(key, str):
                key = key_node.value
            name: Key = key if isinstance(key, (str, int)) else str(key)
            if self.strict and id(key_node) in own:
                if key in written:
                    first = self.lines.get((*at, name))
                    raise _at(key_node, f"the key {key!r} is written twice (first on line {first})")
                written.add(key)
            self.lines[(*at, name)] = key_node.start_mark.line + 1
            data[key] = self.build(value_node, (*at, name), above)
        return data

    def _scalar(self, node: yaml.Node) -> Any:
        value = plain_scalar(self.loader, node)
        if self.strict and isinstance(value, date):
            raise _at(node, "dates are written as texts, without a tag")
        return value


def plain_scalar(loader: Any, node: yaml.Node) -> Any:
    """The text, number, truth value, date or null that a scalar stands for.

    Raises yaml.MarkedYAMLError if it stands for none, or for a number of too many digits.
    """
    written = str(node.value)
    if node.tag == _INT and len(written) > MAX_DIGITS:
        raise _at(node, f"a number of more than {MAX_DIGITS:,} characters")
    try:
        value = loader.construct_object(node)
    except (ValueError, OverflowError) as err:
        raise _at(node, str(err)) from err
    except (LookupError, AttributeError, TypeError) as err:  # PyYAML trusts the tag
        kind = node.tag.rpartition(":")[2]
        raise _at(node, f"{_show_text(written)} is no {kind}") from err
    if value is not None and not isinstance(value, (str, int, float, date)):
        raise _at(node, f"expected a text, a number or a date, found {node.tag}")
    return value


def guard_merges(node: yaml.MappingNode) -> None:
    """Refuse merge keys (``<<``) that expand to too much; raises yaml.MarkedYAMLError.

    The loader would expand all of them before anything is counted.
    """
    sizes: dict[int, int] = {}

    def size(inside: yaml.Node) -> int:
        if id(inside) not in sizes:
            sizes[id(inside)] = 0  # what contains itself is expanded once
            sizes[id(inside)] = total = _merged_size(inside, size)
            if total > MAX_NODES:
                raise _at(inside, "expands to too much data (aliases of aliases?)")
        return sizes[id(inside)]

    if any(key.tag == _MERGE for key, _ in node.value):
        size(node)


def _merged_size(node: yaml.Node, size: Callable[[yaml.Node], int]) -> int:
    """The pairs of a mapping with those it merges, or the pairs of a list of mappings."""
    if isinstance(node, yaml.MappingNode):
        merged = sum(size(value) for key, value in node.value if key.tag == _MERGE)
        return len(node.value) + merged
    if isinstance(node, yaml.SequenceNode):
        return sum(size(item) for item in node.value)
    return 1


def _show_text(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _at(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
