"""A value found in a text."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value, the text it was read from, and where that stands in the plain text.

    `certainty` in (0, 1] says how sure the form alone makes it to be a value of its type.
    """

    value: JsonValue
    text: str
    start: int
    end: int
    certainty: float = 1.0


Finder = Callable[[str], list[Candidate]]
"""Finds all values of one type in a plain text, in order."""

MAX_CANDIDATES = 60
"""Values of one type that are looked at per answer."""
