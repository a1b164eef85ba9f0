"""A fixed order for sets, so that equal conversations give equal results in every process."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from typing import Any

_SETS = (set, frozenset)


def _rank(item: Any) -> tuple[str, Any]:
    kind = type(item).__name__
    return (kind, item) if isinstance(item, (str, int, float)) else (kind, text_of(item, True))


def stable(values: Any) -> Any:
    """A set as a sorted list; anything else as it is."""
    kind = type(values)
    return sorted(values, key=_rank) if kind in _SETS else values


def text_of(value: Any, quoted: bool = False) -> str:
    """A value as Python writes it, but sets in a fixed order."""
    if not _holds_set(value):
        return repr(value) if quoted else str(value)
    kind = type(value)
    if kind is dict:
        pairs = (f"{text_of(key, True)}: {text_of(item, True)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    inside = ", ".join(text_of(item, True) for item in stable(value))
    if kind in _SETS:
        return f"{{{inside}}}" if inside else "set()"
    if kind is tuple:
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"[{inside}]"


def _holds_set(value: Any) -> bool:
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in _SETS:
            return True
        if kind is dict:
            stack.extend(item.keys())
            stack.extend(item.values())
        elif kind in (list, tuple):
            stack.extend(item)
    return False
