"""Write translations into a file of test cases, and leave everything else as it is written.

A sentence ``- Print the label`` becomes a map with ``step``, ``means``, ``translated`` and
``review``; comments, quotes and layout of all other lines stay. The text is spliced at the places
that the YAML parser names and taken only if it reads as exactly the data that are meant.
ruamel.yaml changes other lines in every fourth file (see `mutation.yaml_edits`), and a review
should show only what was translated.
"""

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from sparring.documents.checking import at_path
from sparring.documents.reading import Key, dotted, parse
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.web.suites.whole_file import write_whole

_OURS = ("means", "translated", "review")
# A sentence stays in one line, so that a difference in a review is that line alone.
_NO_WRAP = 1_000_000
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")


class CannotWrite(ValueError):
    """A translation has no place in the file: the sentence is an alias, or of a merged map."""


@dataclass(frozen=True)
class SentenceEdit:
    """What is to stand beside the sentence at a path: ``("tests", 0, "steps", 3)``."""

    at: tuple[Key, ...]
    means: tuple[str, ...] = ()
    by: str = ""
    of: str = ""
    review: str = ""

    @property
    def keys(self) -> dict[str, Any]:
        """Return the keys that the sentence gets."""
        keys: dict[str, Any] = {}
        if self.means:
            keys["means"] = list(self.means)
            keys["translated"] = {"by": self.by, "of": self.of}
        if self.review:
            keys["review"] = self.review
        return keys


def edited(text: str, edit: SentenceEdit) -> str:
    """Return the text of a file with a translation in it; raises CannotWrite."""
    data = parse(text, "the file").data
    meant = _apply_edit(data, edit)
    if meant == data:
        return text
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    steps = _node(root, edit.at[:-1])
    if isinstance(steps, yaml.ScalarNode):
        return edited(_as_list(text, steps, _key_column(root, edit.at[:-1])), edit)
    changed = _splice(text, root, edit)
    try:
        is_right = parse(changed, "the file").data == meant
    except ConfigurationError:
        is_right = False
    if not is_right:
        raise CannotWrite(f"{dotted(edit.at)} is written in a way that cannot be changed alone")
    return changed


def _apply_edit(data: Any, edit: SentenceEdit) -> Any:
    """Return the data of the file with the translation, which the new text must read as."""
    meant = copy.deepcopy(data)
    try:
        steps: Any = at_path(meant, edit.at[:-1])
        if isinstance(steps, str):
            lines = [line.strip() for line in steps.splitlines()]
            steps = [line for line in lines if line and not line.startswith("#")]
            at_path(meant, edit.at[:-2])[edit.at[-2]] = steps
        entry: Any = steps[edit.at[-1]]
    except (LookupError, TypeError) as err:
        raise CannotWrite(f"{dotted(edit.at)} is not in the file") from err
    keys = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {"step": entry}
    own = {key: value for key, value in keys.items() if key not in _OURS}
    steps[edit.at[-1]] = {**own, **edit.keys} if edit.keys or len(own) > 1 else entry
    if not edit.keys:
        steps[edit.at[-1]] = own if isinstance(entry, dict) else entry
    return meant


def _node(root: Any, at: Sequence[Key]) -> Any:
    """Return the node at a path; raises CannotWrite if an alias or a merge key leads there."""
    node = root
    for key in at:
        if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            child: Any = cast("list[Any]", node.value)[key]
        else:
            child = next((v for k, v in node.value if k.value == str(key)), None)
        if child is None or not (
            node.start_mark.index <= child.start_mark.index
            and child.end_mark.index <= node.end_mark.index
        ):
            raise CannotWrite(f"{dotted(at)} is an alias: write the sentence out to translate it")
        node = child
    return node


def _key_column(root: Any, at: Sequence[Key]) -> int:
    mapping = _node(root, at[:-1])
    return int(next(k.start_mark.column for k, _ in mapping.value if k.value == str(at[-1])))


def _as_list(text: str, node: Any, column: int) -> str:
    """Return the text with the steps of one text (``steps: |``) as a list with an item per line."""
    start, end = node.start_mark.index, node.end_mark.index
    raw = text[start:end]
    indent = " " * (column + 2)
    if node.style in ("|", ">"):
        header, _, body = raw.partition("\n")
        comment = _BLOCK_HEADER.sub("", header, count=1).rstrip()
        lines = body.rstrip().split("\n")
        tail = body[len(body.rstrip()) :]
    else:
        comment, lines, tail = "", str(node.value).splitlines(), ""
    items: list[str] = []
    for line in (line.strip() for line in lines):
        is_step = line and not line.startswith("#")
        items.append(f"{indent}- {_scalar(line)}" if is_step else f"{indent}{line}".rstrip())
    before = text[:start].rstrip(" ")
    return before + comment + "\n" + "\n".join(items) + (tail or "") + text[end:]


def _scalar(value: str) -> str:
    """Return a text as a YAML scalar on one line, without quotes if it needs none."""
    dumped = yaml.safe_dump([value], width=_NO_WRAP, allow_unicode=True)
    line = dumped.removeprefix("- ").rstrip("\n")
    return line if "\n" not in line else json.dumps(value, ensure_ascii=False)


def _flow(value: Any) -> str:
    """Return plain data on one line; texts in quotes as JSON has them."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{k}: {_flow(v)}" for k, v in items) + "}"
    return json.dumps(value, ensure_ascii=False)


def _splice(text: str, root: Any, edit: SentenceEdit) -> str:
    node, holder = _node(root, edit.at), _node(root, edit.at[:-1])
    start, end = node.start_mark.index, _trimmed_end(text, node)
    if holder.flow_style:
        return text[:start] + _in_braces(text, node, edit) + text[end:]
    if isinstance(node, yaml.ScalarNode):
        is_one_line = "\n" not in text[start:end] and node.style not in ("|", ">")
        value = text[start:end] if is_one_line else _scalar(node.value)
        return _block(text, start, end, [("step", value)], edit, node.start_mark.column)
    if node.flow_style and "\n" in text[start:end]:
        return text[:start] + _in_braces(text, node, edit) + text[end:]
    if node.flow_style:
        return _block(text, start, end, _own_pairs(text, node), edit, node.start_mark.column)
    return _in_block_map(text, node, edit)


def _own_pairs(text: str, node: Any) -> list[tuple[str, str]]:
    """Return the keys of a map that are not ours, with their values as they are written."""
    return [
        (key.value, text[value.start_mark.index : value.end_mark.index].strip())
        for key, value in node.value
        if key.value not in _OURS
    ]


def _in_braces(text: str, node: Any, edit: SentenceEdit) -> str:
    if isinstance(node, yaml.ScalarNode):
        pairs = [("step", json.dumps(node.value, ensure_ascii=False))]
    else:
        pairs = _own_pairs(text, node)
    pairs += [(key, _flow(value)) for key, value in edit.keys.items()]
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"


def _block(
    text: str,
    start: int,
    end: int,
    pairs: Sequence[tuple[str, str]],
    edit: SentenceEdit,
    column: int,
) -> str:
    """Return the text with the item at `start` as a map in lines; a comment stays on the first."""
    (key, value), *others = pairs
    indent = " " * column
    rest = [f"{indent}{k}: {v}" for k, v in others] + _lines(edit, column)
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    after = "".join(f"\n{line}" for line in rest)
    return text[:start] + f"{key}: {value}" + text[end:line_end] + after + text[line_end:]


def _lines(edit: SentenceEdit, column: int) -> list[str]:
    indent, lines = " " * column, list[str]()
    for key, value in edit.keys.items():
        if key == "means":
            lines += [f"{indent}means:", *(f"{indent}  - {_scalar(item)}" for item in value)]
        elif key == "translated":
            lines.append(f"{indent}translated: {{by: {_flow(value['by'])}, of: {_flow(edit.of)}}}")
        else:
            lines.append(f"{indent}{key}: {_scalar(value)}")
    return lines


def _in_block_map(text: str, node: Any, edit: SentenceEdit) -> str:
    """Return the text with our keys of a map in lines replaced; they follow the sentence."""
    column = node.start_mark.column
    if node.value[0][0].value in _OURS:
        raise CannotWrite(f"{dotted(edit.at)} has '{node.value[0][0].value}' before 'step'")
    sentence = next(value for key, value in node.value if key.value == "step")
    changes: list[tuple[int, int | None]] = []
    changes.append((_line_end(text, _trimmed_end(text, sentence)), None))
    for key, value in node.value:
        if key.value in _OURS:
            first = text.rfind("\n", 0, key.start_mark.index)
            changes.append((first, _line_end(text, _trimmed_end(text, value))))
    added = "".join(f"\n{line}" for line in _lines(edit, column))
    changes.sort(key=lambda change: (change[0], change[1] or 0), reverse=True)
    for first, last in changes:
        inserted, rest = (added, first) if last is None else ("", last)
        text = text[:first] + inserted + text[rest:]
    return text


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _trimmed_end(text: str, node: Any) -> int:
    """Return the end of a node without the empty lines and comments after it."""
    start = int(node.start_mark.index)
    piece = text[start : node.end_mark.index]
    while True:
        shorter = piece.rstrip()
        head, newline, last = shorter.rpartition("\n")
        if not (newline and last.lstrip().startswith("#")):
            return start + len(shorter)
        piece = head


def write_translations(path: Path, edits: Sequence[SentenceEdit]) -> list[str]:
    """Write translations into a file at once, or not at all; returns what has no place in it.

    The file is read again before, so that what a person changes meanwhile is kept. Raises
    ConfigurationError if it cannot be read or written.
    """
    problems: list[str] = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            before = text = file.read()
        newline = "\r\n" if "\r\n" in text else "\n"
        text = text.replace("\r\n", "\n")
        for edit in edits:
            try:
                text = edited(text, edit)
            except CannotWrite as err:
                problems.append(str(err))
        text = text.replace("\n", newline)
        if text != before:
            write_whole(path, text)
    except OSError as err:
        raise ConfigurationError(
            Problem(f"cannot be written: {err.strerror or err}", str(path))
        ) from err
    return problems
