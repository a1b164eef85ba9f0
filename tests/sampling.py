"""Which of many parameters a test always runs with; `make thorough` takes them all."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sample(values: Iterable[Any], step: int, name: Callable[[Any], str] = str) -> list[Any]:
    """Return the values as parameters of which all but every `step`-th are thorough."""
    return [
        pytest.param(value, id=name(value), marks=pytest.mark.thorough if number % step else ())
        for number, value in enumerate(values)
    ]
