"""Options that are steps of one measure: "up to 5 km", "5 to 10 km", "10 km or more"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.users.agenda.knowledge import says

_AMOUNT = re.compile(
    r"(?<![\w.,:/-])(\d+(?:[.,]\d+)?)(\+)?"
    r"(?:\s?(?:-|\u2013|to|and|bis|a|à|y|und|et)\s?(\d+(?:[.,]\d+)?))?\s?([^\W\d_]+)"
)
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class _Step:
    """What one option covers of a measure: from `low` to `high`, both included, in its unit."""

    low: float
    high: float
    unit: str


def measured_option(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the index of the only option that covers the amount some text names; else None.

    "you easily lift 60 kilos" is "50 kilos or more", and not "20 kilos": an option with a single
    amount reaches up to the next one. Texts that name several amounts of the unit decide nothing.
    """
    steps = {index: step for index, option in enumerate(options) if (step := _read_step(option))}
    amount = _named_amount(texts, _common_unit(list(steps.values())))
    if amount is None:
        return None
    lows = sorted(step.low for step in steps.values())
    fitting = [i for i, step in steps.items() if step.low <= amount <= _reach(step, lows)]
    return fitting[-1] if len(fitting) == 1 else None


def _common_unit(steps: Sequence[_Step]) -> str:
    """The unit of several steps, of which one at least is a range; empty if they have none."""
    units = {step.unit for step in steps}
    has_range = any(step.low != step.high for step in steps)
    return units.pop() if len(steps) >= _FEWEST and len(units) == 1 and has_range else ""


def _named_amount(texts: Sequence[str], unit: str) -> float | None:
    amounts = {low for text in texts for low, _, _, name in _amounts(text) if name == unit}
    return amounts.pop() if len(amounts) == 1 else None


def _reach(step: _Step, lows: Sequence[float]) -> float:
    """How far an option reaches: a single amount up to just below the next one."""
    if step.low != step.high:
        return step.high
    above = [low for low in lows if low > step.low]
    return above[0] - 1e-9 if above else step.low


def _read_step(option: str) -> _Step | None:
    amounts = _amounts(option)
    if len(amounts) != 1:
        return None
    low, high, is_open, unit = amounts[0]
    words = folded(option)
    if low != high:
        return _Step(low, high, unit)
    if is_open or says(words, "or_more"):
        return _Step(low, inf, unit)
    if says(words, "up_to"):
        return _Step(0.0, low, unit)
    return _Step(low, low, unit)


def _amounts(text: str) -> list[tuple[float, float, bool, str]]:
    """The amounts of a text: from, to, whether open above ("50+ kg"), and the unit's stem."""
    amounts: list[tuple[float, float, bool, str]] = []
    for match in _AMOUNT.finditer(text):
        low = _number(match[1])
        high = _number(match[3]) if match[3] else low
        amounts.append((low, high, match[2] is not None, stem(folded(match[4]))))
    return amounts


def _number(text: str) -> float:
    return float(text.replace(",", "."))
