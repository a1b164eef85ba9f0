"""Edits of a YAML text that leave everything else in it as it is written.

An edit is first made to the plain data. Then the text is spliced at the places that the parser
names, and taken if it reads as exactly that data; if it does not (aliases, several documents,
odd layouts), the data are written anew as a whole.

ruamel.yaml's round trip was tried instead: of 394 YAML files of this repository 36 come back with
other lines changed, of 1,500 others 348, with either of two indentations.
"""

import copy
import json
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import yaml

from sparring_plugins.mutation.model import Delete, Edit, Place, Replace, Swap

# As wide as the formatter's lines, so that a mutated file differs in the mutated line alone.
_WIDTH = 100
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class CannotEdit(ValueError):
    """An edit names a place that is not there."""


def edited(text: str, edits: Sequence[Edit]) -> str:
    """A YAML text with edits made, one after the other; raises CannotEdit."""
    for edit in edits:
        text = _edit(text, edit)
    return text


def _edit(text: str, edit: Edit) -> str:
    try:
        data: Any = copy.deepcopy(_data(text))
        expected = _on_data(data, edit)
    except (LookupError, TypeError, ValueError, AttributeError, yaml.YAMLError) as err:
        raise CannotEdit(f"{edit}: {type(err).__name__}: {err}") from err
    for splice in (_on_text, _on_one_line):
        try:
            spliced = splice(text, edit)
            if spliced is not None and _same(_load(spliced), expected):
                return spliced
        except (LookupError, TypeError, AttributeError, ValueError, yaml.YAMLError):
            pass
    return written(expected)


def _load(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)


@lru_cache(maxsize=8)  # many edits begin from the same few texts
def _data(text: str) -> Any:
    return _load(text)


@lru_cache(maxsize=8)
def _nodes(text: str) -> Any:
    """The nodes of a text; in Python, whose places count characters."""
    return yaml.compose(text, Loader=yaml.SafeLoader)


def written(data: Any) -> str:
    """Plain data as YAML, keys in their order."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=_WIDTH)


def _same(first: Any, second: Any) -> bool:
    """Whether data are equal, the order of keys and the kinds of numbers included."""
    # For Python 1, 1.0 and True are equal, and so are mappings with their keys in another order:
    # neither is the file that was meant.
    return repr(first) == repr(second)


def _on_data(data: Any, edit: Edit) -> Any:
    match edit:
        case Replace(at, value):
            _holder(data, at)[at[-1]] = value
        case Delete(at):
            del _holder(data, at)[at[-1]]
        case Swap(at, other, True):
            _reorder(_holder(data, at), at[-1], other[-1])
        case Swap(at, other, _):
            first, second = _holder(data, at), _holder(data, other)
            first[at[-1]], second[other[-1]] = second[other[-1]], first[at[-1]]
    return data


def _holder(data: Any, at: Place) -> Any:
    for key in at[:-1]:
        data = data[key]
    return data


def _reorder(mapping: dict[Any, Any], first_key: Any, second_key: Any) -> None:
    """Exchange two keys of a mapping, with their values."""
    keys = list(mapping)
    first, second = keys.index(first_key), keys.index(second_key)
    keys[first], keys[second] = keys[second], keys[first]
    items = {key: mapping[key] for key in keys}
    mapping.clear()
    mapping.update(items)


def _on_text(text: str, edit: Edit) -> str:
    root = _nodes(text)
    match edit:
        case Replace(at, value):
            start, end = _value_span(text, root, at)
            return text[:start] + _inline(value, text[start:end]) + text[end:]
        case Delete(at):
            start, end = _entry_span(text, root, at)
            return text[:start] + text[end:]
        case Swap(at, other, True):
            return _exchange(text, _entry_span(text, root, at), _entry_span(text, root, other))
        case Swap(at, other, _):
            return _exchange(text, _value_span(text, root, at), _value_span(text, root, other))


def _on_one_line(text: str, edit: Edit) -> str | None:
    """Two values exchanged that are written in different styles, each put on one line."""
    if not isinstance(edit, Swap) or edit.keys:
        return None
    root, data = _nodes(text), _data(text)
    places = sorted((_value_span(text, root, at), other) for at, other in _crosswise(edit))
    for (start, end), other in reversed(places):
        value = _holder(data, other)[other[-1]]
        text = text[:start] + _flow(value) + text[end:]
    return text


def _crosswise(edit: Swap) -> tuple[tuple[Place, Place], ...]:
    return (edit.at, edit.other), (edit.other, edit.at)


def _flow(value: Any) -> str:
    """A value in braces and brackets, on one line."""
    line = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=sys.maxsize)
    return line.removesuffix("...\n").strip()


def _exchange(text: str, first: tuple[int, int], second: tuple[int, int]) -> str:
    (a, b), (c, d) = sorted((first, second))
    if b > c:
        raise ValueError("the two overlap")
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _value_span(text: str, root: Any, at: Place) -> tuple[int, int]:
    """Where the value at a place begins and ends, white space and comments after it left out."""
    node = _child(root, at)[1]
    return node.start_mark.index, _trim(text, node.start_mark.index, node.end_mark.index)


def _entry_span(text: str, root: Any, at: Place) -> tuple[int, int]:
    """Where the whole lines of a key with its value, or of an item, begin and end.

    Raises ValueError for entries that share their lines with others.
    """
    key, value = _child(root, at)
    first = value.start_mark.index if key is None else key.start_mark.index
    start = text.rfind("\n", 0, first) + 1
    before = text[start:first].strip()
    # `- name: x` shares its line with the dash of an item, `{a: 1, b: 2}` with other entries: only
    # an entry with lines of its own is cut out by lines.
    if before not in ("", "-") or (before == "-") != (key is None):
        return _in_flow(text, root, at)
    last = _trim(text, first, value.end_mark.index)
    end = text.find("\n", last)
    end = len(text) if end < 0 else end + 1
    rest = text[last:end].strip()
    if rest and not rest.startswith("#"):
        raise ValueError("something else follows on the line")
    return start, end


def _in_flow(text: str, root: Any, at: Place) -> tuple[int, int]:
    """The span of an entry between brackets or braces, with the comma beside it."""
    key, value = _child(root, at)
    start = value.start_mark.index if key is None else key.start_mark.index
    end = _trim(text, start, value.end_mark.index)
    after = len(text) - len(text[end:].lstrip())
    # `[a, b, c]` without b is `[a, c]`: the comma behind it goes, too; without c, the one before.
    if text[after : after + 1] == ",":
        rest = text[after + 1 :]
        return start, len(text) - len(rest.lstrip(" "))
    before = text[:start].rstrip()
    if before.endswith(","):
        return len(before) - 1, end
    return start, end


def _child(root: Any, at: Place) -> tuple[Any, Any]:
    """The key node (None for items) and the value node at a place."""
    key, node = None, root
    for step in at:
        if isinstance(node, yaml.SequenceNode):
            key, node = None, cast("list[Any]", node.value)[cast("int", step)]
        elif isinstance(node, yaml.MappingNode):
            key, node = _entry(node, step)
        else:
            raise KeyError(step)
    return key, node


def _entry(node: yaml.MappingNode, step: str | int) -> tuple[Any, Any]:
    for key, value in cast("list[tuple[Any, Any]]", node.value):
        loader: Any = yaml.SafeLoader("")
        if loader.construct_object(key, deep=True) == step:
            return key, value
    raise KeyError(step)


def _trim(text: str, start: int, end: int) -> int:
    """The end of a node without the lines after it that are empty or only a comment."""
    piece = text[start:end]
    while True:
        shorter = piece.rstrip()
        head, newline, last = shorter.rpartition("\n")
        if not (newline and last.lstrip().startswith("#")):
            return start + len(shorter)
        piece = head


def _inline(value: Any, before: str) -> str:
    """A value as it can stand in the place of another, in the style that it had."""
    if isinstance(value, str) and before.startswith("|") and "\n" in before:
        return _block(value, before)
    if isinstance(value, str) and "\n" not in before:
        plain = _scalar(value)
        # A text that stood in quotes keeps them: a reader of the diff sees what is different and no
        # more.
        if before[:1] not in "'\"" and plain is not None:
            return plain
    return json.dumps(value, ensure_ascii=False)


def _block(value: str, before: str) -> str:
    """A text of several lines as a literal block, like the one that it replaces."""
    header, _, rest = before.partition("\n")
    indent = rest[: len(rest) - len(rest.lstrip(" "))]
    lines = value.rstrip("\n").split("\n")
    return "\n".join((header, *(f"{indent}{line}".rstrip() for line in lines)))


def _scalar(value: str) -> str | None:
    """A text without quotes, if that reads as the same text also between brackets."""
    if not value or value != value.strip() or any(c in value for c in ",[]{}#&*!|>'\"%@`\n\\:"):
        return None
    try:
        # `yes`, `12:30` and `null` without quotes are no texts for YAML 1.1.
        return value if yaml.safe_load(f"[{value}]") == [value] else None
    except yaml.YAMLError:
        return None
