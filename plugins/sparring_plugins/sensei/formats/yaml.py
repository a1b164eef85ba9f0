"""SENSEI's YAML to plain data and back: fast, and safe against what a hostile file may hold.

The objects are those that PyYAML's safe loader makes, read in about 60 % of its time: the nodes
that libyaml composes are turned into data directly. While they are composed, their depth is
bounded (libyaml itself overflows the stack); while they are turned into data, their number is
(aliases of aliases grow exponentially).
"""

from typing import Any

import yaml

from sparring.documents.reading import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    guard_merges,
    plain_scalar,
)

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
