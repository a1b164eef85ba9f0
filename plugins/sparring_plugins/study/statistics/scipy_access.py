"""The door to scipy, which is optional and takes more than a second to import."""

# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from collections.abc import Sequence
from importlib.util import find_spec
from math import isfinite
from typing import Any

from sparring.errors import MissingExtra


def scipy_stats() -> Any:
    """The module ``scipy.stats``; raises MissingExtra."""
    if find_spec("scipy") is None:
        raise MissingExtra("statistics need scipy: pip install 'sparring[statistics]'")
    from scipy import stats

    return stats


def numbers(values: Sequence[float], least: int = 1) -> list[float]:
    """Values as plain floats; raises ValueError for too few, and for what is no finite number."""
    found = [float(value) for value in values]
    if len(found) < least:
        raise ValueError(f"at least {least} values are needed, found {len(found)}")
    if not all(map(isfinite, found)):
        raise ValueError("all values must be finite numbers")
    return found
