"""SENSEI's documents: their layout, and YAML to plain data and back.

What a trace has no place for is kept beside it under ``meta["sensei"]``, so that a file can be
written back unchanged: a number stored as a text, an unknown key, a spelling variant.
"""

import json
import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple, TypeGuard, cast

import yaml
from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.documents.reading import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    Key,
    guard_merges,
    plain_scalar,
)
from sparring.model.talk import IncidentKind

METADATA = frozenset(
    {"serial", "language", "context", "ask_about", "conversation", "data_output", "errors"}
)
COST = "total_cost($)"
"""Newer conversations have it among their meta-data: what their models' answers cost."""

TIMES = frozenset({"conversation time", "assistant response time", "response time report"})
TALK = frozenset({"interaction"})

SERIAL_FORMAT = "%Y-%m-%d-%H-%M-%S"

CODES: dict[IncidentKind, int] = {
    IncidentKind.GOAL_NOT_REACHED: 1001,
    IncidentKind.CRASH: 500,
    IncidentKind.TIMEOUT: 504,
    IncidentKind.LOOP: 1000,
}
"""SENSEI's code for each kind of failure that it knows."""

GENERIC_ROWS = {
    "goal_not_completed": 1001,
    "no_response": 500,
    "timeout": 504,
    "exceeded_loop_limit": 1000,
}
"""The rows that SENSEI's checker adds after the rules, in its order, with their codes."""

# "7_order-pizza_2024-11-05-10-22-31": number, profile and time.
_FILE = re.compile(r"(\d+)_(.+)_(\d{4}(?:-\d\d){5})")
# "2024-11-05-10-22-31", the folder of one run.
_SERIAL = re.compile(r"\d{4}(?:-\d\d){5}")


_LONGEST = 1e12
"""Seconds; longer ones were never measured, and their sum fits no number of SENSEI's."""


class FileName(NamedTuple):
    """What the name ``<number>_<test_name>_<serial>.yml`` says; a renamed file has no number."""

    number: int | None
    test_name: str

    @classmethod
    def of(cls, path: str) -> "FileName":
        """Take a path with slashes apart; the test is also the folder above the serial's."""
        *folders, name = path.split("/")
        stem = name.rpartition(".")[0] or name
        match = _FILE.fullmatch(stem)
        if match:
            return cls(int(match[1][-9:]), match[2])
        if len(folders) > 1 and _SERIAL.fullmatch(folders[-1]):
            return cls(None, folders[-2])
        return cls(None, stem)


class ResponseTimes:
    """Average, max and min of response times, cut to microseconds as SENSEI's data frames do."""

    def __init__(self) -> None:
        self._count = self._sum = self._max = 0
        self._min: int | None = None

    def add(self, seconds: Sequence[float]) -> None:
        """Take in response times in seconds."""
        for value in seconds:
            if not abs(value) < _LONGEST:  # nor is not-a-number
                continue
            whole = int(value)
            nanoseconds = whole * 1_000_000_000 + int(round(value - whole, 9) * 1e9)
            self._count += 1
            self._sum += nanoseconds
            self._max = nanoseconds if self._count == 1 else max(self._max, nanoseconds)
            self._min = nanoseconds if self._min is None else min(self._min, nanoseconds)

    def report(self) -> dict[str, float]:
        """The three figures in seconds; not-a-number if nothing was answered."""
        if self._min is None:
            return {"average": math.nan, "max": math.nan, "min": math.nan}
        average = self._sum // self._count
        figures = {"average": average, "max": self._max, "min": self._min}
        return {name: nanoseconds // 1000 / 1e6 for name, nanoseconds in figures.items()}


def response_report(seconds: Sequence[float]) -> dict[str, float]:
    """The report on the response times of one conversation."""
    times = ResponseTimes()
    times.add(seconds)
    return times.report()


# What a trace has no place for, kept beside it so that a file can be written back unchanged.
#
# A trace of a SENSEI file holds under ``meta["sensei"]`` only what differs from what would be
# written for the trace alone: a number stored as a text, an unknown key, a spelling variant. It is
# JSON, with the few other values of YAML as one-key maps: ``{"!date": "2024-10-29"}``.

_PAIRS = "!pairs"
_DATE = "!date"
_DATETIME = "!datetime"
_FLOAT = "!float"
_MARKS = frozenset({_PAIRS, _DATE, _DATETIME, _FLOAT})

_PLAIN = frozenset({str, int, bool, type(None)})


def is_plain(value: Any) -> bool:
    """Whether a value is JSON as it stands, and comes back equal in value and type."""
    kind = cast("type[Any]", type(value))
    if kind in _PLAIN:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is list:
        return all(map(is_plain, value))
    if kind is dict:
        return (
            all(type(key) is str for key in value)
            and _MARKS.isdisjoint(value)
            and all(map(is_plain, value.values()))
        )
    return False


def encode(value: Any) -> JsonValue:
    """A value read from YAML as JSON that `decode` turns back; unchanged if it is plain."""
    if isinstance(value, list):
        return [encode(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        if all(type(key) is str for key in pairs) and _MARKS.isdisjoint(pairs):
            return {key: encode(item) for key, item in pairs.items()}
        return {_PAIRS: [[encode(key), encode(item)] for key, item in pairs.items()]}
    if isinstance(value, datetime):
        return {_DATETIME: value.isoformat()}
    if isinstance(value, date):
        return {_DATE: value.isoformat()}
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: repr(value)}
    return cast("JsonValue", value)


def decode(value: Any) -> Any:
    """The value that `encode` was given; a damaged mark comes back as it stands."""
    if isinstance(value, list):
        return [decode(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value)
    if len(pairs) == 1:
        mark, inner = next(iter(pairs.items()))
        if mark in _MARKS:
            return _unmark(mark, inner, pairs)
    return {key: decode(item) for key, item in pairs.items()}


def plain(value: Any) -> JsonValue:
    """A value as JSON for people and rules: dates as ISO texts, keys as texts."""
    if isinstance(value, list):
        return [plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return cast("JsonValue", value)


def _unmark(mark: str, inner: Any, whole: dict[str, Any]) -> Any:
    try:
        if mark == _PAIRS:
            return {decode(key): decode(item) for key, item in inner}
        if mark == _DATE:
            return date.fromisoformat(inner)
        if mark == _DATETIME:
            return datetime.fromisoformat(inner)
        return float(inner)
    except (TypeError, ValueError):
        return whole


# What reading SENSEI's documents needs throughout: errors, what is kept, texts, lists.

MISSING = object()
"""Stands for a key that a document does not have."""


def is_map(value: Any) -> TypeGuard[dict[Any, Any]]:
    """Whether a value read from YAML has keys and values."""
    return isinstance(value, dict)


class UnexpectedForm(Exception):
    """A document is not what SENSEI writes; `at` is the path inside document `index`."""

    def __init__(self, message: str, index: int = 0, at: Sequence[Key] = ()) -> None:
        super().__init__(message)
        self.index, self.at = index, tuple(at)


class Kept(dict[str, Any]):
    """What has to be kept: replacements by document, and what was absent."""

    def replace(self, document: str, key: Any, raw: Any) -> None:
        self.setdefault(document, {})[key] = raw

    def absent(self, document: str, key: str) -> None:
        self.setdefault("absent", []).append([document, key])


def text_of(value: Any) -> str:
    """What a person reads of a value that should have been a text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def listed(metadata: dict[Any, Any], key: str, expected: str, kept: Kept) -> list[Any]:
    """A list that may be absent or null."""
    raw = metadata.get(key, MISSING)
    if isinstance(raw, list):
        return cast("list[Any]", raw)
    if raw is MISSING:
        kept.absent("metadata", key)
    elif raw is None:
        kept.replace("metadata", key, None)
    else:
        raise UnexpectedForm(f"expected {expected}, found {shown(raw)}", 0, (key,))
    return []


# SENSEI's YAML to plain data and back: fast, and safe against what a hostile file may hold.
#
# The objects are those that PyYAML's safe loader makes, read in about 60 % of its time: the nodes
# that libyaml composes are turned into data directly. While they are composed, their depth is
# bounded (libyaml itself overflows the stack); while they are turned into data, their number is
# (aliases of aliases grow exponentially).

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BaseDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

_STR = "tag:yaml.org,2002:str"
_MAP = "tag:yaml.org,2002:map"
_SEQ = "tag:yaml.org,2002:seq"
_MERGE = "tag:yaml.org,2002:merge"
_Scalar = yaml.ScalarNode


class _Loader(_Base):  # type: ignore[misc]
    """The safe loader, told to count levels where it would look for path resolvers."""

    _level = 0
    merges = False

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        self._level += 1
        if self._level > MAX_DEPTH:
            raise yaml.YAMLError(f"nested deeper than {MAX_DEPTH} levels")

    def ascend_resolver(self) -> None:
        self._level -= 1

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            if implicit[0]:
                for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                    if pattern.match(value):
                        self.merges = self.merges or tag == _MERGE
                        return str(tag)
            return _STR
        return _MAP if kind is yaml.MappingNode else _SEQ


class _Dumper(_BaseDumper):  # type: ignore[misc]
    """The safe dumper, which writes a value used twice two times."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def load_documents(raw: bytes) -> list[Any]:
    """All documents of a file's bytes; raises yaml.YAMLError, ValueError or RecursionError."""
    if len(raw) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES:,} bytes")
    loader = _Loader(raw)
    try:
        builder = _Builder(loader)
        documents: list[Any] = []
        while loader.check_node():
            documents.append(builder.build(loader.get_node()))
        return documents
    finally:
        loader.dispose()


def dump_documents(documents: list[Any]) -> str:
    """The documents as YAML, laid out as SENSEI lays them out."""
    return str(
        yaml.dump_all(
            documents,
            Dumper=_Dumper,
            allow_unicode=True,
            default_flow_style=False,
            sort_keys=False,
        )
    )


class _Builder:
    """Composed nodes to plain data."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.left = MAX_NODES

    def build(self, node: Any) -> Any:
        tag = node.tag
        if tag == _STR and type(node) is _Scalar:
            return node.value
        if tag == _MAP and isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if tag == _SEQ and isinstance(node, yaml.SequenceNode):
            self._spend(len(node.value))
            return [
                item.value if item.tag == _STR and type(item) is _Scalar else self.build(item)
                for item in node.value
            ]
        return self._scalar(node)

    def _mapping(self, node: Any) -> dict[Any, Any]:
        if self.loader.merges:
            guard_merges(node)
            self.loader.flatten_mapping(node)
        self._spend(len(node.value))
        return {
            (key.value if key.tag == _STR and type(key) is _Scalar else self._scalar(key)): (
                item.value if item.tag == _STR and type(item) is _Scalar else self.build(item)
            )
            for key, item in node.value
        }

    def _scalar(self, node: Any) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            raise _at(node, f"expected a plain value, found {node.tag}")
        return plain_scalar(self.loader, node)

    def _spend(self, nodes: int) -> None:
        self.left -= nodes
        if self.left < 0:
            raise yaml.YAMLError("expands to too much data (aliases of aliases?)")


def _at(node: Any, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
