"""What kind of thing an input or an output is, guessed from its name, type and values.

Guesses are made from words in English and Spanish, the languages of most published profiles.
"""

import re
from collections.abc import Sequence

from pydantic import JsonValue

from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.rules.proposals.draft import words_of

_MANY = re.compile(r"random\(\s*(?:rand|[2-9]|\d{2,})\s*\)")
_SCALES: tuple[tuple[str, ...], ...] = (
    (
        *("tiny", "xs", "extra small", "small", "s", "little", "medium", "m", "regular", "normal"),
        *("big", "large", "l", "huge", "extra large", "xl", "family", "xxl"),
    ),
    ("pequeña", "pequeño", "mediana", "mediano", "grande", "familiar"),
    ("low", "medium", "high", "very high"),
    ("basic", "standard", "premium", "deluxe"),
    ("economy", "business", "first"),
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_IDS = _set(
    "id identifier number code reference ref confirmation ticket localizador código número "
    "referencia"
)
_MONEY = _set("price cost total amount fee fare precio coste importe tarifa")
_QUANTITIES = _set(
    "amount number quantity count cans bottles pieces people persons guests nights days tickets "
    "units items cantidad número personas noches"
)
_PERSONAL = _set(
    "name surname phone telephone email mail address gender age nationality username nombre "
    "apellido teléfono correo dirección"
)
_WHEN = _set("date day time hour month fecha hora día")
NUMBERS = ("money", "int", "float")


def is_list(variable: Variable) -> bool:
    """Whether a case picks several values of a variable."""
    return bool(_MANY.fullmatch((variable.selector or "").strip()))


def is_number(variable: Variable) -> bool:
    """Whether all values are numbers, of which there are several."""
    values = variable.domain
    return len(set(map(str, values))) > 1 and all(
        isinstance(one, (int, float)) and not isinstance(one, bool) for one in values
    )


def order_of(variable: Variable) -> list[str]:
    """The values from least to most, where they are steps of a known scale; else nothing."""
    texts = [one for one in variable.domain if isinstance(one, str)]
    if len(texts) != len(variable.domain) or len(texts) < 2:
        return []
    for scale in _SCALES:
        if all(text.casefold().strip() in scale for text in texts):
            return sorted(dict.fromkeys(texts), key=lambda one: scale.index(one.casefold().strip()))
    return []


def is_quantity(variable: Variable) -> bool:
    """Whether an input says how many of something are wanted."""
    return is_number(variable) and bool(words_of(variable.name) & _QUANTITIES)


def is_personal(variable: Variable) -> bool:
    """Whether an input says who the user is."""
    return bool(words_of(variable.name) & _PERSONAL)


def is_when(variable: Variable) -> bool:
    """Whether an input says when something is to happen."""
    return bool(words_of(variable.name) & _WHEN)


def is_price(output: OutputSpec) -> bool:
    """Whether an output is what something costs."""
    return output.type == "money" or (
        output.type in NUMBERS and bool(words_of(output.name) & _MONEY)
    )


def is_id(output: OutputSpec) -> bool:
    """Whether an output tells one order or booking from all others."""
    words = words_of(output.name)
    if output.type not in ("str", "int") or not words & _IDS:
        return False
    return bool(words & {"id", "code", "reference", "ref", "ticket", "confirmation"}) or bool(
        words_of(output.description) & {"order", "booking", "reservation", "id", "pedido"}
    )


def echoes(output: OutputSpec, variables: Sequence[Variable]) -> Variable | None:
    """The input that an output confirms, as `confirmed_service` does `service`; None for none."""
    words = words_of(output.name)
    confirming = words & {"confirmed", "chosen", "selected", "booked", "final"}
    if not confirming or output.type != "str":
        return None
    rest = words - confirming
    found = [one for one in variables if rest and rest == words_of(one.name)]
    return found[0] if found and not is_list(found[0]) and _is_short(found[0].domain) else None


def _is_short(values: Sequence[JsonValue]) -> bool:
    return all(isinstance(one, str) and len(one.split()) <= 3 for one in values)
