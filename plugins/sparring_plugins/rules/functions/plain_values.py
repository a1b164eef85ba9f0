"""Functions of plain values: lengths, outputs, maps, numbers, times; and what all others share."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sparring.errors import AnswerInvalid
from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Listen, Trace
from sparring_plugins.language.quantities import first_number


@dataclass(frozen=True, slots=True)
class ExplainedByTexts(Explained):
    """A value of a function that was given texts, and not the conversation that they are from.

    `texts` are those that show it: a verdict refers to the turns in which they were said.
    """

    texts: tuple[str, ...] = ()


class CannotSay(AnswerInvalid):
    """A function that judges without a model cannot decide: the verdict is inconclusive."""


def counted(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def short(text: str, longest: int = 80) -> str:
    """A text of others in a reason: quoted, on one line, clipped."""
    line = " ".join(text[: longest * 20].split())
    return repr(line if len(line) <= longest else line[: longest - 3] + "...")


# How long texts and conversations are: `length` and `conversation_length`.

KINDS = ("min", "max", "average")
SPEAKERS = ("both", "user", "assistant", "chatbot")


def texts_of(item: Any) -> list[str]:
    """A text or a list of texts as a list; raises TypeError for anything else."""
    values: Any = [item] if isinstance(item, str) else item
    texts = list(cast("list[Any]", values)) if isinstance(values, (list, tuple)) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"expected a text or a list of texts, not {type(item).__name__!r}")
    return [str(text) for text in texts]


def texts_cost(item: object, *_: object, **__: object) -> int:
    """The work of searching a text or several for patterns."""
    listed = cast("list[object]", item) if isinstance(item, (list, tuple)) else [item]
    return 4 + sum(4 + (len(text) >> 1) for text in listed if isinstance(text, str))


@rule_function
def length(item: str | Sequence[str], kind: str = "min") -> float | None:
    """The shortest, longest or average length in characters of a text or of several.

    `kind` is ``min``, ``max`` or ``average``. `None` if there are no texts.
    """
    sizes = [len(text) for text in texts_of(item)]
    if kind.lower() not in KINDS:
        raise ValueError(f"length() knows {', '.join(KINDS)}, not {kind!r}")
    if not sizes:
        return None
    match kind.lower():
        case "min":
            return min(sizes)
        case "max":
            return max(sizes)
        case _:
            return sum(sizes) / len(sizes)


def turns_cost(trace: Trace, *_: object) -> int:
    """The work of counting a conversation's messages."""
    return 2 + len(trace.turns) // 4


@rule_function(conversation=True, cost=turns_cost)
def conversation_length(trace: Trace, who: str = "both") -> int:
    """How many messages both sides, the user or the assistant said.

    `who` is ``both``, ``user`` or ``assistant`` (also spelled ``chatbot``).
    """
    speaker = who.lower()
    if speaker not in SPEAKERS:
        raise ValueError(f"conversation_length() knows {', '.join(SPEAKERS)}, not {who!r}")
    spoken = sum(not isinstance(turn.act, Listen) for turn in trace.turns)
    answered = sum(turn.observation is not None for turn in trace.turns)
    return {"both": spoken + answered, "user": spoken}.get(speaker, answered)


# Which declared outputs have no value: `missing_slots` and `data_collected`.


def is_missing(value: object) -> bool:
    """Whether an output has no value: None, or the text ``None`` that old files hold."""
    return value is None or value == "None"


def _cost(trace: Trace) -> int:
    return 1 + len(trace.outputs) // 4


@rule_function(conversation=True, cost=_cost)
def missing_slots(trace: Trace) -> list[str]:
    """The names of the outputs that have no value, in the order declared."""
    return [output.name for output in trace.outputs if is_missing(output.value)]


@rule_function(conversation=True, cost=_cost)
def data_collected(trace: Trace) -> bool:
    """Whether every declared output has a value."""
    return not any(is_missing(output.value) for output in trace.outputs)


# Parts of maps and lists: `without` and `single`.


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

    Inputs are lists if they depend on no other, and plain values if they do.
    """
    if not isinstance(value, list):
        return value
    items = cast("list[Any]", value)
    return items[0] if len(items) == 1 else items


# Numbers and currencies in texts: `extract_float` and `currency`.

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
NAMES = {"dollar": "USD", "euro": "EUR", "pound": "GBP", "yen": "JPY", "rupee": "INR"}

# "5 Euros" and "eur 5" name the same currency: the case of letters does not count.
_CURRENCY = re.compile(
    r"(?P<symbol>[$€£¥₹])"
    r"|\b(?P<code>USD|EUR|GBP|JPY|INR)\b"
    r"|\b(?P<name>dollar|euro|pound|yen|rupee)s?\b",
    re.IGNORECASE,
)


def reading_cost(text: object) -> int:
    """The work of reading a text once."""
    return 2 + (len(text) >> 3 if isinstance(text, str) else 0)


@rule_function(cost=reading_cost)
def extract_float(text: str | float) -> float | None:
    """The first number in a text; `None` if there is none; a number is itself.

    ``"-5"`` is -5.0, ``"$1,000.50"`` 1000.5, ``"1.234,50 €"`` 1234.5 and ``"1,5"`` 1.5: a comma
    before exactly three digits separates thousands, any other comma between digits is a
    decimal mark. Raises TypeError for None and for what is neither text nor number.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return float(text)
    _need_text("extract_float", text)
    return first_number(str(text))


@rule_function(cost=reading_cost)
def currency(text: str) -> str | None:
    """The ISO code of the first currency named in a text; `None` if there is none.

    A currency is named by its symbol, its code or its English name: US dollar, euro, pound,
    yen, Indian rupee. Raises TypeError for what is not text.
    """
    _need_text("currency", text)
    match = _CURRENCY.search(text)
    if match is None:
        return None
    if match["symbol"]:
        return SYMBOLS[match["symbol"]]
    return match["code"].upper() if match["code"] else NAMES[match["name"].lower()]


def _need_text(function: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{function}() needs a text, not {type(value).__name__!r}")


# Times of day in texts: `minutes_of`.

_NAMED = {"noon": 720, "midday": 720, "midnight": 0, "mediodía": 720, "medianoche": 0}
# "13:00", "1 pm" and "13h" are 780 minutes. Behind a colon or a point stands no hour.
_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>2[0-4]|[01]?\d)(?!\d)"
    r"(?:\s?[:.h]\s?(?P<minute>[0-5]\d)(?!\d)|\s?h(?:rs?|ours?)?\b)?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?",
    re.IGNORECASE,
)


@rule_function(cost=reading_cost)
def minutes_of(text: str) -> int | None:
    """The first time of day in a text, in minutes after midnight; `None` if there is none.

    ``"13:00"`` is 780, as are ``"1 pm"`` and ``"13h"``; a number alone is an hour. Raises
    TypeError for what is not text.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"minutes_of() needs a text, not {type(text).__name__!r}")
    named = [(at, value) for name, value in _NAMED.items() if (at := text.lower().find(name)) >= 0]
    match = _TIME.search(text)
    if named and (match is None or min(named)[0] < match.start()):
        return min(named)[1]
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    # "24:00" is midnight.
    return (hour % 24) * 60 + minute
