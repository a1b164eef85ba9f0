"""Parts of maps and lists: `without` and `single`."""

from collections.abc import Sequence
from typing import Any, cast

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.lengths import texts_of


@rule_function
def without(values: Any, names: str | Sequence[str]) -> dict[str, Any]:
    """A map less some of its names, as in ``without(inputs, ['first_name'])``."""
    if not isinstance(values, dict):
        raise TypeError(f"without() needs a map such as inputs, not {type(values).__name__!r}")
    left_out = set(texts_of(names))
    return {
        name: value
        for name, value in cast("dict[str, Any]", values).items()
        if name not in left_out
    }


@rule_function
def single(value: Any) -> Any:
    """The only item of a list of one; any other value is itself.

    Inputs are lists where they depend on no other, and plain values where they do.
    """
    if not isinstance(value, list):
        return value
    items = cast("list[Any]", value)
    return items[0] if len(items) == 1 else items
