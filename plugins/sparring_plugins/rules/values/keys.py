"""Keys for look-ups: equal exactly where values are equal in an expression."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from typing import Any


def key_of(value: Any) -> Any:
    """A hashable stand-in for a value; stands-in are equal where the values are."""
    kind = type(value)
    if kind is float and value != value:
        return object()  # not a number: equal to nothing, not even to itself
    if kind in (list, tuple):
        return (kind, *(_inner(item) for item in value))
    if kind is dict:
        return (dict, frozenset((key, _inner(item)) for key, item in value.items()))
    if kind is range:
        return (range, value)
    return frozenset(value) if kind is set else value


def _inner(value: Any) -> Any:
    """Inside of containers, Python takes one and the same object for equal."""
    return ("nan", id(value)) if isinstance(value, float) and value != value else key_of(value)
