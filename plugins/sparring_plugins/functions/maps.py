"""Parts of maps: `without`."""

from collections.abc import Sequence
from typing import Any, cast

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.functions.lengths import texts_of


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
