"""How often values are met in real use: weights, written in the notation of `Variable.selector`."""

import re
from collections.abc import Sequence

from sparring.model.space import Variable

# "weights(3, 1, 0.5)", as a profile or a space may write it.
_NOTATION = re.compile(r"weights\(([0-9.eE+, -]*)\)")


def weights_selector(weights: Sequence[float]) -> str | None:
    """Return weights as a selector, as in ``weights(3, 1)``; None if all values weigh the same."""
    if len(set(weights)) <= 1:
        return None
    return f"weights({', '.join(f'{weight:g}' for weight in weights)})"


def weights_of(variable: Variable) -> tuple[float, ...] | None:
    """Return the weight of each value of a variable; None if they are not weighted.

    A selector of another strategy's notation has no weights, nor have ones that do not fit the
    values, for example because repeated values were removed.
    """
    match = _NOTATION.fullmatch(variable.selector or "")
    weights = tuple(float(text) for text in match[1].split(",")) if match else ()
    fits = len(weights) == len(variable.domain) and min(weights, default=0) >= 0
    return weights if fits and sum(weights) > 0 else None
