"""Texts with what is known put in: facts, fields, slots, and amounts worked out from tables."""

from collections.abc import Mapping
from typing import Any

from botkit.definition import PLACEHOLDER, Amount, Bot
from botkit.values import show

_DEEPEST = 8


class Known:
    """What the bot knows at one point of a conversation."""

    def __init__(self, bot: Bot, given: Mapping[str, Any]) -> None:
        self._bot = bot
        self._given = given

    def filled(self, text: str) -> str | None:
        """A text with its placeholders replaced; None where one of them is not known."""
        found = {name: self._named(name) for name in PLACEHOLDER.findall(text)}
        if any(value is None for value in found.values()):
            return None
        return PLACEHOLDER.sub(lambda match: found[match[1]] or "", text)

    def _named(self, name: str) -> str | None:
        if name in self._given:
            return show(self._given[name])
        if name in self._bot.amounts:
            amount = self._bot.amounts[name]
            number = self._amount(amount, 0)
            return None if number is None else _written(number, amount.money)
        return self._bot.facts.get(name)

    def _amount(self, amount: Amount, depth: int) -> float | None:
        terms = [self._term(term, depth) for term in amount.terms]
        if depth > _DEEPEST or any(term is None for term in terms):
            return None
        total = sum(term for term in terms if term is not None)
        if amount.times is None:
            return total
        times = self._given.get(amount.times)
        return total * times if isinstance(times, int) else None

    def _term(self, term: str | float | tuple[str, str], depth: int) -> float | None:
        if isinstance(term, float):
            return term
        if isinstance(term, tuple):
            return self._bot.tables[term[0]].get(str(self._given.get(term[1])))
        other = self._bot.amounts.get(term)
        return self._amount(other, depth + 1) if other and depth < _DEEPEST else None


def _written(number: float, money: str) -> str:
    whole = number == int(number)
    if money:
        return f"{money}{number:.0f}" if whole else f"{money}{number:.2f}"
    return f"{number:.0f}" if whole else f"{number:g}"
