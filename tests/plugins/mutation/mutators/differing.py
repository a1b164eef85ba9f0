"""Where two pieces of plain data differ: what is replaced, added or gone, each counted once."""

from difflib import SequenceMatcher
from typing import Any


def differences(before: Any, after: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places at which data differ; a key or an item that is gone is one place."""
    if isinstance(before, dict) and isinstance(after, dict):
        changed = [
            found
            for key in before
            if key in after
            for found in differences(before[key], after[key], (*place, key))
        ]
        return changed + [(*place, key) for key in before.keys() ^ after.keys()]
    if isinstance(before, list) and isinstance(after, list):
        return _in_lists(before, after, place)
    return [] if before == after and type(before) is type(after) else [place]


def _in_lists(before: list[Any], after: list[Any], place: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    if len(before) == len(after):
        return [
            found
            for index, (one, other) in enumerate(zip(before, after, strict=True))
            for found in differences(one, other, (*place, index))
        ]
    found: list[tuple[Any, ...]] = []
    matcher = SequenceMatcher(None, [repr(one) for one in before], [repr(one) for one in after])
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag != "equal":
            found += [(*place, first + step) for step in range(max(last - first, end - begin))]
    return found
