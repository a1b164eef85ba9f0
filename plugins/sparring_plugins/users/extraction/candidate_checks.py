"""Whether a candidate may be a declared output at all, or is about something else."""

import re
from collections.abc import Sequence

from sparring_plugins.language.candidate import Candidate
from sparring_plugins.language.stems import concepts, overlap, stem
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.extraction.exchanges import Exchange
from sparring_plugins.users.extraction.output_form import Sought
from sparring_plugins.users.extraction.ranking import Found, context_of

_GENERAL = frozenset(
    {"~order", "~price", "~time", "~product", "~duration", "~date", "~number", "~service", "final",
     "custom", "user", "chatbot", "assistant", "provid", "given", "sum", "get", "shop", "~type"}
)  # fmt: skip
_SETTLED = ("booked", "confirmed", "reserved", "scheduled", "agreed")
_SETTLING = frozenset({"~appointment", "confirm", "set", "put"})
_UNITS = ("seconds", "minutes", "mins", "hours", "days", "weeks", "months", "years", "people",
          "persons", "guests", "stars", "percent", "points", "kilometers", "miles", "meters",
          "kilos", "grams", "minutos", "horas", "dias", "semanas", "meses", "personas")  # fmt: skip
_UNIT_STEMS = frozenset(stem(word) for word in _UNITS)
_CURRENCY = re.compile(r"(?:[$\u20ac\u00a3]|\b(?:usd|eur|gbp)\b)\s?$", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"\s?(?:[$\u20ac\u00a3]|(?:euros?|dollars?|pounds?|usd|eur|gbp|cents?)\b)", re.IGNORECASE
)
_NEXT_WORD = re.compile(r"(?:\s?(?:-|\u2013|to|or|a|o)\s?\d{1,4})?[\s-]{1,3}([^\W\d_]{2,20})")
_ITEM_STARTS = ("\n", ". ", "! ", "? ", "; ", ", ", " and ", " y ")


def admitted(sought: Sought, found: Sequence[Found], said: Sequence[Exchange]) -> list[Found]:
    """The candidates that are not plainly about something else, in their order.

    Left out are a length of time for a time of day (and the reverse) unless its sentence is on
    the matter; opening hours for another time; what nobody confirmed for a booked or confirmed
    value; items of a price list for a thing that it does not name; and what was said of other
    things, where the user asked for this one.
    """
    asked_for = any(_asks(sought, exchange) for exchange in said)
    done = max((one.index for one in said if has_cue(folded(one.said), "done")), default=-1)
    return [
        one
        for one in found
        if _fits_kind(sought, one)
        and not _opening_hours(sought, one)
        and (not _settled_only(sought) or one.exchange.index <= done or _settles(one))
        and not _listed(sought, one, found)
        and (not asked_for or _on_the_matter(sought, one))
    ]


def without_rivals(sought: Sought, found: Sequence[Found], others: Sequence[Sought]) -> list[Found]:
    """The candidates whose own clause is not about another output of the same conversation.

    It is where it names all that the other output is about, and not all that this one is.
    """
    subject = _subject(sought)
    rivals = [_subject(other) for other in others]
    rivals = [rival for rival in rivals if rival and not rival <= subject]

    def _is_others(one: Found) -> bool:
        near, _ = context_of(one.exchange, one.candidate)
        return not subject <= near and any(rival <= near for rival in rivals)

    return [one for one in found if not subject or not _is_others(one)]


def by_unit(sought: Sought, found: Sequence[Found]) -> list[Found]:
    """Bare numbers for a count: those beside its unit, if there are any; no money for a count."""
    told = folded(f"{sought.spec.name.replace('_', ' ')} {sought.spec.description}").split()
    units = {stem(word) for word in told} & _UNIT_STEMS
    counts = [one for one in found if "~price" in sought.wanted or not _is_money(one)]
    beside = [one for one in counts if _unit_after(one) in units]
    return beside or counts


def _subject(sought: Sought) -> frozenset[str]:
    return sought.specific - _GENERAL


def _asks(sought: Sought, exchange: Exchange) -> bool:
    subject = _subject(sought)
    return (
        overlap(subject, exchange.asked_concepts) >= 0.99
        and overlap(sought.wanted, exchange.asked_concepts) >= 0.6
    )


def _on_the_matter(sought: Sought, one: Found) -> bool:
    near, around = context_of(one.exchange, one.candidate)
    return bool(_subject(sought) & (near | around | one.exchange.asked_concepts))


def _fits_kind(sought: Sought, one: Found) -> bool:
    """Whether a value has the form that is sought, or its sentence says that it is meant."""
    if sought.form not in ("time", "duration") or one.candidate.certainty > 0.2:
        return True
    near, _ = context_of(one.exchange, one.candidate)
    subject = _subject(sought)
    asked = sought.form == "duration" and overlap(subject, one.exchange.asked_concepts) >= 0.5
    return bool(subject & near) or asked or not subject


def _opening_hours(sought: Sought, one: Found) -> bool:
    near, _ = context_of(one.exchange, one.candidate)
    return (
        sought.form == "time"
        and "~open" in near
        and "~open" not in sought.wanted
        and not _settles(one)
    )


def _settled_only(sought: Sought) -> bool:
    told = folded(f"{sought.spec.name.replace('_', ' ')} {sought.spec.description}").split()
    return sought.form in ("time", "date", "money") and any(word in told for word in _SETTLED)


def _settles(one: Found) -> bool:
    """Whether a value's own sentence tells of something settled."""
    near, _ = context_of(one.exchange, one.candidate)
    return bool(near & _SETTLING)


def _listed(sought: Sought, one: Found, found: Sequence[Found]) -> bool:
    """Whether a price is an item of a list that names other things than the one sought."""
    subject = _subject(sought)
    rest = [each for each in found if each.exchange.index == one.exchange.index]
    if sought.form != "money" or not subject or len(rest) < 2:
        return False
    labels = [_label(each.exchange.said, each.candidate) - _GENERAL for each in rest]
    near, _ = context_of(one.exchange, one.candidate)
    named = near & subject or any(label & subject for label in labels)
    return not named and all(label - sought.wanted for label in labels)


def _label(text: str, candidate: Candidate) -> frozenset[str]:
    """The concepts of what stands before a value, from the list's last item on."""
    start = max(text.rfind(mark, 0, candidate.start) + len(mark) * (mark in text[: candidate.start])
                for mark in _ITEM_STARTS)  # fmt: skip
    return concepts(text[max(0, start) : candidate.start][:200])


def _is_money(one: Found) -> bool:
    text, value = one.exchange.said, one.candidate
    before = text[max(0, value.start - 5) : value.start]
    return bool(_CURRENCY.search(before) or _MONEY_AFTER.match(text, value.end))


def _unit_after(one: Found) -> str:
    match = _NEXT_WORD.match(one.exchange.said, one.candidate.end)
    return stem(match[1].lower()) if match else ""
