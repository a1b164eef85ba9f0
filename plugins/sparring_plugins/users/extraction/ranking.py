"""Which of several candidates a declared output means."""

from collections.abc import Iterable
from dataclasses import dataclass

from sparring_plugins.language.candidate import Candidate
from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.extraction.exchanges import Exchange
from sparring_plugins.users.extraction.expected_answers import expected
from sparring_plugins.users.extraction.output_form import Sought


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate in an exchange, with how well it fits."""

    candidate: Candidate
    exchange: Exchange
    score: float


def ranked(
    sought: Sought,
    pairs: Iterable[tuple[Exchange, Candidate]],
    *,
    rivals: bool,
    last: int,
) -> list[Found]:
    """Candidates by fit, best first; of equal ones the later.

    `rivals` says that other outputs have the same form: then a candidate must stand in a
    context that has a word of its own description. `last` is the index of the last turn.
    """
    found: list[Found] = []
    for exchange, candidate in pairs:
        near, around = context_of(exchange, candidate)
        asked = exchange.asked_concepts
        if rivals and sought.specific and not sought.specific & (near | around | asked):
            continue
        score = (
            candidate.certainty
            + 1.4 * overlap(sought.wanted, near)
            + 0.4 * overlap(sought.wanted, around)
            + 0.9 * max(overlap(sought.specific, asked), overlap(sought.wanted, asked))
            + (0.5 if expected(exchange.asked) == sought.form else 0.0)
            + (1.0 if sought.final else 0.5) * exchange.index / max(1, last)
            - (0.5 if _echoed(exchange, candidate) else 0.0)
            + (0.3 if has_cue(folded(exchange.said), "done") else 0.0)
        )
        found.append(Found(candidate, exchange, score))
    return sorted(found, key=lambda one: (-one.score, -one.exchange.index, one.candidate.start))


def context_of(exchange: Exchange, candidate: Candidate) -> tuple[frozenset[str], frozenset[str]]:
    """The concepts of the candidate's own clause and of its line."""
    text = exchange.said
    begin = max(text.rfind(mark, 0, candidate.start) for mark in ("\n", ". ", "! ", "? ", "; "))
    ends = [text.find(mark, candidate.end) for mark in ("\n", ". ", "! ", "? ", "; ")]
    end = min((place for place in ends if place >= 0), default=len(text))
    line_start = text.rfind("\n", 0, candidate.start)
    line_end = text.find("\n", candidate.end)
    line = text[line_start + 1 : line_end if line_end >= 0 else len(text)]
    return concepts(text[begin + 1 : end][:600]), concepts(line[:2_000])


def _echoed(exchange: Exchange, candidate: Candidate) -> bool:
    """Whether the app only said back what the user had just said."""
    return candidate.text.lower() in exchange.asked.lower()
