"""SENSEI's own readings of the functions that Sparring corrects, for ``compat: sensei``.

They give what SENSEI gives, letter for letter, faults included; docs/reference/rules.md has
the table of differences.
"""

import re
from typing import Any

from sparring.interfaces.rule_function import RuleFunction, rule_function
from sparring.model.talk import Listen, Trace
from sparring_plugins.language.similarity import MEASURES, exact
from sparring_plugins.rules.functions.conversations import answers, group_repeats, repeats_cost
from sparring_plugins.rules.functions.plain_values import SYMBOLS, reading_cost, turns_cost

# What SENSEI's minimum begins from, and so the least of nothing.
_EMPTY = 100_000_000
_COMMA = re.compile(r"(?<=\d),(?=\d)")
# The sign stands only before the first form: "-5" is 5, "-5.0" is -5.
_FLOAT = re.compile(r"[-+]?\d*\.\d+|\d+")
_SYMBOL = re.compile(r"[$€£¥₹]")
_CODE = re.compile(r"\b(?:USD|EUR|GBP|JPY|INR)\b")
# Found in any case, and looked up in lower case alone: "Euros" is a KeyError.
_NAME = re.compile(r"\b(?:dollars|euros|pounds|yen|rupees)\b", re.IGNORECASE)
_NAMES = {"dollars": "USD", "euros": "EUR", "pounds": "GBP", "yen": "JPY", "rupees": "INR"}


@rule_function(cost=reading_cost)
def extract_float(text: str) -> float | None:
    """Commas between digits vanish; an integer's sign is lost."""
    match = _FLOAT.search(_COMMA.sub("", text))
    return float(match.group()) if match else None


@rule_function(cost=reading_cost)
def currency(text: str) -> str | None:
    """Any symbol wins over any code, that over any name; names must be lower case (KeyError)."""
    if match := _SYMBOL.search(text):
        return SYMBOLS[match.group()]
    if match := _CODE.search(text):
        return match.group()
    match = _NAME.search(text)
    return _NAMES[match.group()] if match else None


@rule_function
def length(item: Any, kind: str = "min") -> float:
    """The least of nothing is 100,000,000; the average divides the running sum each time."""
    items: Any = [item] if isinstance(item, str) else item
    if not isinstance(items, list):
        raise ValueError("length() needs a text or a list")
    how = kind.lower()
    if how not in ("min", "max", "average"):
        raise ValueError("length() needs min, max or average")
    sizes: list[int] = [len(value) for value in items]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if how == "min":
        return min([_EMPTY, *sizes])
    if how == "max":
        return max([0, *sizes])
    average = 0.0
    for number, size in enumerate(sizes, 1):
        # (0 + 2) / 1 = 2, (2 + 4) / 2 = 3, (3 + 6) / 3 = 3: of 2, 4 and 6 it should be 4.
        average = (average + size) / number
    return average


@rule_function(conversation=True, cost=turns_cost)
def conversation_length(trace: Trace, who: str = "both") -> int:
    """``chatbot`` always counts 0, because SENSEI's files call it ``Assistant``."""
    speaker = who.lower()
    if speaker not in ("user", "chatbot", "assistant", "both"):
        raise ValueError("conversation_length() needs user, assistant or both")
    spoken = sum(not isinstance(turn.act, Listen) for turn in trace.turns)
    answered = sum(turn.observation is not None for turn in trace.turns)
    return {"both": spoken + answered, "user": spoken, "assistant": answered}.get(speaker, 0)


@rule_function(conversation=True, cost=repeats_cost)
def repeated_answers(
    trace: Trace, method: str = "exact", threshold: float = 0.4
) -> dict[str, list[str]]:
    """Unknown methods compare exactly; texts without words raise."""
    measure = MEASURES.get(method.lower(), lambda: exact)()
    return group_repeats([text for _, _, text in answers(trace)], measure, threshold)


FUNCTIONS: dict[str, RuleFunction] = {
    "extract_float": extract_float,
    "currency": currency,
    "length": length,
    "conversation_length": conversation_length,
    "repeated_answers": repeated_answers,
}
