"""What fails: a condition on fitness values, which may be undecided."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.condition import Condition
from sparring.interfaces.plugin import BuildContext

NAME = re.compile(r"[A-Za-z_]\w{0,60}")
_MOST_UNDECIDED = 6


@dataclass(frozen=True, slots=True)
class Formula:
    """A compiled condition, true of values that are a failure."""

    text: str
    condition: Condition

    @classmethod
    def of(cls, text: str, names: tuple[str, ...], context: BuildContext) -> "Formula":
        """Compile a formula over fitness values; raises ConfigurationError."""
        condition = context.condition(text, names)
        if not condition.names:
            raise ConfigurationError(f"`fails` speaks of no fitness value: {', '.join(names)}")
        return cls(text, condition)

    def fails(self, values: Mapping[str, float | None]) -> bool | None:
        """Whether values are a failure; None where that depends on values that are undecided.

        Raises ValueError where the formula has no value for them.
        """
        answers = {self.condition.holds(one) for one in _worlds(values, self.condition.names)}
        return answers.pop() if len(answers) == 1 else None


def _worlds(
    values: Mapping[str, float | None], names: tuple[str, ...]
) -> Iterator[dict[str, JsonValue]]:
    """The values, with the least and the greatest in the place of those that are undecided."""
    known: dict[str, JsonValue] = dict(values)
    open_ = [name for name in names if values[name] is None][:_MOST_UNDECIDED]
    for ends in product((0.0, 1.0), repeat=len(open_)):
        yield {**known, **dict(zip(open_, ends, strict=True))}
