"""What an app tells at the end of a matter: outputs that a profile may ask for."""

import re
from collections.abc import Iterable

from pydantic import JsonValue

from sparring_plugins.language.contacts import find_emails, find_phones
from sparring_plugins.language.dates import date_spans, find_durations, find_times
from sparring_plugins.language.identifiers import find_identifiers
from sparring_plugins.language.money import find_money
from sparring_plugins.language.text import folded, plain, sentences

MOST = 4
"""Outputs of one profile."""

_LABEL = re.compile(
    r"\b(?:your|the|an?|its|our)\s+((?:[A-Za-z-]+\s){0,2}(?:number|code|id|reference|price|total|"
    r"fee|cost|amount|"
    r"score|balance|bill|deposit|fine|ticket|password))\b",
    re.IGNORECASE,
)
_ORDER = ("id", "money", "duration", "time", "date", "phone", "email")


def outputs_of(answers: Iterable[str], said: Iterable[str] = ()) -> list[dict[str, JsonValue]]:
    """The outputs in these answers, as a profile declares them; what the user said is none."""
    given = [folded(text) for text in said if len(folded(text)) > 1]
    found: dict[str, dict[str, JsonValue]] = {}
    for answer in answers:
        for sentence in sentences(plain(answer)):
            if sentence.endswith("?"):
                continue
            for name, kind, about in _in(sentence):
                if not any(folded(about) == text for text in given):
                    found.setdefault(name, {"type": kind, "description": _described(sentence)})
    kept = list(found.items())[:MOST]
    return [{name: spec} for name, spec in kept]


def _in(sentence: str) -> list[tuple[str, str, str]]:
    """Names, types and texts of the values in a sentence."""
    found: list[tuple[str, str, str]] = []
    label = _LABEL.search(sentence)
    name = "_".join(folded(label[1]).split()) if label else ""
    kind = name.split("_")[-1]
    for one in find_identifiers(sentence)[:1]:
        labelled = name if name and kind not in _PRICES else "reference"
        found.append((labelled, "str", one.text))
    money = find_money(sentence)
    if len(money) == 1:
        priced = name if kind in _PRICES else "price"
        found.append((priced, "money", money[0].text))
    durations = find_durations(sentence)
    if durations and "minute" in folded(sentence):
        found.append(("minutes", "int", durations[0].text))
    if find_phones(sentence) and not found:
        found.append(("phone", "phone", find_phones(sentence)[0].text))
    if find_emails(sentence):
        found.append(("email", "email", find_emails(sentence)[0].text))
    if not found and len(find_times(sentence)) == 1:
        found.append(("time", "time", find_times(sentence)[0].text))
    if len(date_spans(sentence)) == 1 and not any(kind == "str" for _, kind, _ in found):
        found.append(("date", "date", date_spans(sentence)[0].text))
    return found


_PRICES = frozenset(
    ["price", "total", "fee", "cost", "amount", "balance", "bill", "deposit", "fine"]
)


def _described(sentence: str) -> str:
    """What a value is, in the words of the sentence that names it."""
    words = " ".join(sentence.split())
    short = words if len(words) <= 90 else f"{words[:89].rstrip()}…"
    return f"as in: {short}"
