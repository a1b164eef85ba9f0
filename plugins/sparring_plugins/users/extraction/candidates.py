"""Candidates for a declared output: their ranking, and which are about something else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.candidates import ValueCandidate
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue, overlap, stem
from sparring_plugins.users.extraction.exchanges import Exchange, expected_kind
from sparring_plugins.users.extraction.output_form import OutputForm, word_lists

_SETTLED = ("booked", "confirmed", "reserved", "scheduled", "agreed")
_SETTLING = frozenset({"~appointment", "confirm", "set", "put"})
_CURRENCY = re.compile(r"(?:[$\u20ac\u00a3]|\b(?:usd|eur|gbp)\b)\s?$", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"\s?(?:[$\u20ac\u00a3]|(?:euros?|dollars?|pounds?|usd|eur|gbp|cents?)\b)", re.IGNORECASE
)
_NEXT_WORD = re.compile(r"(?:\s?(?:-|\u2013|to|or|a|o)\s?\d{1,4})?[\s-]{1,3}([^\W\d_]{2,20})")
_CLAUSE_ENDS = ("\n", ". ", "! ", "? ", "; ")
_ITEM_STARTS = (*_CLAUSE_ENDS, ", ", " and ", " y ")


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate in an exchange, with how well it fits.

    `near` are the concepts of its own clause, `around` those of its line.
    """

    candidate: ValueCandidate
    exchange: Exchange
    score: float
    near: frozenset[str]
    around: frozenset[str]

    @property
    def settles(self) -> bool:
        """Whether its own clause tells of something settled."""
        return bool(self.near & _SETTLING)

    @property
    def is_money(self) -> bool:
        """Whether a currency stands before or after it."""
        text = self.exchange.said
        before = text[max(0, self.candidate.start - 5) : self.candidate.start]
        return bool(_CURRENCY.search(before) or _MONEY_AFTER.match(text, self.candidate.end))

    @property
    def unit(self) -> str:
        """The stem of the word after it, also after "2 to 3"; empty if there is none."""
        match = _NEXT_WORD.match(self.exchange.said, self.candidate.end)
        return stem(match[1].lower()) if match else ""

    @property
    def label(self) -> frozenset[str]:
        """The concepts of what stands before it, from the list's last item on."""
        text, start = self.exchange.said, self.candidate.start
        ends = [
            place + len(mark) for mark in _ITEM_STARTS if (place := text.rfind(mark, 0, start)) >= 0
        ]
        return concepts(text[max(ends, default=0) : start][:200])


def ranked(
    output: OutputForm,
    pairs: Iterable[tuple[Exchange, ValueCandidate]],
    *,
    rivals: bool,
    last: int,
) -> list[RankedCandidate]:
    """Candidates by fit, best first; of equal ones the later.

    `rivals` says that other outputs have the same form: then a candidate must stand in a
    context that has a word of its own description. `last` is the index of the last turn.
    """
    candidates: list[RankedCandidate] = []
    for exchange, candidate in pairs:
        near, around = _context(exchange, candidate)
        asked = exchange.asked_concepts
        if rivals and output.specific and not output.specific & (near | around | asked):
            continue
        # What the app only says back ("small" after "a small pizza") counts less.
        echoed = candidate.text.lower() in exchange.asked.lower()
        score = (
            candidate.certainty
            + 1.4 * overlap(output.wanted, near)
            + 0.4 * overlap(output.wanted, around)
            + 0.9 * max(overlap(output.specific, asked), overlap(output.wanted, asked))
            + (0.5 if expected_kind(exchange.asked) == output.form else 0.0)
            + (1.0 if output.final else 0.5) * exchange.index / max(1, last)
            - (0.5 if echoed else 0.0)
            + (0.3 if has_cue(folded(exchange.said), "done") else 0.0)
        )
        candidates.append(RankedCandidate(candidate, exchange, score, near, around))
    return sorted(candidates, key=lambda c: (-c.score, -c.exchange.index, c.candidate.start))


def _context(
    exchange: Exchange, candidate: ValueCandidate
) -> tuple[frozenset[str], frozenset[str]]:
    """The concepts of the candidate's own clause and of its line."""
    text = exchange.said
    begin = max(text.rfind(mark, 0, candidate.start) for mark in _CLAUSE_ENDS)
    ends = [text.find(mark, candidate.end) for mark in _CLAUSE_ENDS]
    end = min((place for place in ends if place >= 0), default=len(text))
    line_start = text.rfind("\n", 0, candidate.start)
    line_end = text.find("\n", candidate.end)
    line = text[line_start + 1 : line_end if line_end >= 0 else len(text)]
    return concepts(text[begin + 1 : end][:600]), concepts(line[:2_000])


def admitted(
    output: OutputForm, candidates: Sequence[RankedCandidate], said: Sequence[Exchange]
) -> list[RankedCandidate]:
    """The candidates that are not plainly about something else, in their order.

    Left out are a length of time for a time of day (and the reverse) unless its sentence is on
    the subject; opening hours for another time; what nobody confirmed for a booked or confirmed
    value; items of a price list for a thing that it does not name; and what was said of other
    things, if the user asked for this one.
    """
    asked_for = any(_asks_for(output, exchange) for exchange in said)
    done = (exchange.index for exchange in said if has_cue(folded(exchange.said), "done"))
    last_done = max(done, default=-1)
    return [
        candidate
        for candidate in candidates
        if _fits_form(output, candidate)
        and not _is_opening_hour(output, candidate)
        and _is_settled(output, candidate, last_done)
        and not _is_of_price_list(output, candidate, candidates)
        and (not asked_for or _is_on_subject(output, candidate))
    ]


def without_rivals(
    output: OutputForm, candidates: Sequence[RankedCandidate], others: Sequence[OutputForm]
) -> list[RankedCandidate]:
    """The candidates whose own clause is not about another output of the same conversation.

    It is if it names all that the other output is about, and not all that this one is.
    """
    subject = _subject(output)
    rivals = [_subject(other) for other in others]
    rivals = [rival for rival in rivals if rival and not rival <= subject]
    return [
        candidate
        for candidate in candidates
        if subject <= candidate.near or not any(rival <= candidate.near for rival in rivals)
    ]


def by_unit(output: OutputForm, candidates: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Bare numbers for a count: those beside its unit, if there are any; no money for a count."""
    units = {stem(word) for word in output.words} & _unit_stems()
    counts = [
        candidate for candidate in candidates if "~price" in output.wanted or not candidate.is_money
    ]
    return [candidate for candidate in counts if candidate.unit in units] or counts


@lru_cache(maxsize=1)
def _unit_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in word_lists().units)


def _subject(output: OutputForm) -> frozenset[str]:
    """What an output is about, besides what most outputs are."""
    return output.specific - word_lists().general_concepts


def _asks_for(output: OutputForm, exchange: Exchange) -> bool:
    """Whether the user asked for an output."""
    asked = exchange.asked_concepts
    return overlap(_subject(output), asked) >= 0.99 and overlap(output.wanted, asked) >= 0.6


def _is_on_subject(output: OutputForm, candidate: RankedCandidate) -> bool:
    context = candidate.near | candidate.around | candidate.exchange.asked_concepts
    return bool(_subject(output) & context)


def _fits_form(output: OutputForm, candidate: RankedCandidate) -> bool:
    """Whether a value has the form that is looked for, or its clause says that it is meant."""
    if output.form not in ("time", "duration") or candidate.candidate.certainty > 0.2:
        return True
    subject = _subject(output)
    asked = overlap(subject, candidate.exchange.asked_concepts) >= 0.5
    return not subject or bool(subject & candidate.near) or (output.form == "duration" and asked)


def _is_opening_hour(output: OutputForm, candidate: RankedCandidate) -> bool:
    is_other_time = output.form == "time" and "~open" not in output.wanted
    return is_other_time and "~open" in candidate.near and not candidate.settles


def _is_settled(output: OutputForm, candidate: RankedCandidate, last_done: int) -> bool:
    """Whether a value was confirmed, if the output is "the booked time" or the like."""
    if output.form not in ("time", "date", "money") or not output.words & set(_SETTLED):
        return True
    return candidate.exchange.index <= last_done or candidate.settles


def _is_of_price_list(
    output: OutputForm, candidate: RankedCandidate, candidates: Sequence[RankedCandidate]
) -> bool:
    """Whether a price is an item of a list that names other things than the one looked for."""
    subject = _subject(output)
    items = [other for other in candidates if other.exchange.index == candidate.exchange.index]
    if output.form != "money" or not subject or len(items) < 2:
        return False
    labels = [item.label - word_lists().general_concepts for item in items]
    named = candidate.near & subject or any(label & subject for label in labels)
    return not named and all(label - output.wanted for label in labels)
