"""A fixed order for sets, so that equal conversations give equal results in every process."""

from typing import Any


def _rank(item: Any) -> tuple[str, Any]:
    kind = type(item).__name__
    return (kind, item) if isinstance(item, (str, int, float)) else (kind, text_of(item, True))


def stable(values: Any) -> Any:
    """A set as a sorted list; anything else as it is."""
    return sorted(values, key=_rank) if isinstance(values, (set, frozenset)) else values


def text_of(value: Any, quoted: bool = False) -> str:
    """A value as Python writes it, but sets in a fixed order."""
    if not _holds_set(value):
        return repr(value) if quoted else str(value)
    if isinstance(value, (set, frozenset)):
        return (
            "{" + ", ".join(text_of(item, True) for item in stable(value)) + "}"
            if value
            else "set()"
        )
    if isinstance(value, dict):
        pairs = (f"{text_of(key, True)}: {text_of(item, True)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    inside = ", ".join(text_of(item, True) for item in value)
    if isinstance(value, tuple):
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"[{inside}]"


def _holds_set(value: Any) -> bool:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (set, frozenset)):
            return True
        if isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
    return False
