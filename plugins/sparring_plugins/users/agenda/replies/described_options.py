"""Options by all that an app says of them: "Kingfisher (sleeps 2) is tiny, Heron has a garden".

A label alone often says too little: what the app has written beside it, in parentheses, after a
colon or in its own clause, is what somebody chooses by.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.distinctive_names import members_of_one
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.words.knowledge import says

# "the cheapest" is none of one price.
_FEWEST = 2
# What an entry of a catalogue says of itself stands in its first lines; then comes the next entry.
_LONGEST = 240
# "to", "2x" and "of" distinguish no entries.
_SHORTEST_NAME = 3


def described(options: Sequence[str], text: str) -> list[str]:
    """Return each option with what a text says of it, up to the next option or the sentence's end.

    Args:
        options: The labels that can be chosen.
        text: The reply that names them.
    """
    places = {place: option for option in options for place in _places_of(option, text)}
    starts = sorted(places)
    texts: dict[str, list[str]] = {option: [option] for option in options}
    for start, end in zip(starts, (*starts[1:], len(text)), strict=False):
        said = text[start : min(end, start + _LONGEST)]
        stop = re.search(r"\n|[.?!](?=\s|$)(?!\s?\d)", said)
        texts[places[start]].append(said[: stop.start()] if stop else said)
    return [" ".join(texts[option]) for option in options]


def _places_of(option: str, text: str) -> list[int]:
    pattern = rf"(?<!\w){re.escape(option.strip())}(?!\w)"
    return [match.start() for match in re.finditer(pattern, text, re.IGNORECASE)]


def described_option(options: Sequence[str], text: str, wanted: Sequence[str]) -> int | None:
    """Return the index of the one option that fits best what a profile says, or None.

    Args:
        options: The labels that can be chosen.
        text: The reply that names and describes them.
        wanted: The goals, the context and the role, those that count most first.
    """
    descriptions = described(options, text)
    extreme = _extreme(descriptions, wanted)
    if extreme is not None:
        return extreme
    sized = _size_wanted(options, wanted[0] if wanted else "")
    if sized is not None:
        return sized
    own = _distinct_names(descriptions)
    for texts in wanted[:1], wanted[1:]:
        clauses = [clause for clause in clauses_of(texts) if not states_condition(clause)]
        scores = [sum(_speaks_for(names, clause) for clause in clauses) for names in own]
        best = max(scores, default=0)
        if best > 0 and scores.count(best) == 1:
            return scores.index(best)
        if min(scores, default=0) < 0 and scores.count(best) == 1:
            return scores.index(best)  # all the others are what it does not want
    return None


def usual_option(options: Sequence[str]) -> int | None:
    """Return the index of the one option that people take who have no wish, or None.

    "Regular" of "Regular or family size (+4.00)?", "nothing" of "Water, cola, or nothing?", which
    goes before "basic" of "None, basic or premium?", and before these "No preference" of "Ada,
    Boris or no preference?" and "Something else" of reasons.
    """
    if not any(map(_is_indifferent, options)):
        others = [at for at, option in enumerate(options) if folded(option) in _words("others")]
        if len(others) == 1:
            return others[0]
    open_ones = [at for at, option in enumerate(options) if _is_indifferent(option)]
    if len(open_ones) == 1:
        return open_ones[0]
    for wanted in (_wants_nothing, _is_usual):
        usual = [at for at, option in enumerate(options) if wanted(option)]
        if usual:
            return usual[0] if len(usual) == 1 else None
    return None


def _wants_nothing(option: str) -> bool:
    """Whether an option does without something: "None", "No vehicle", but not "None of these"."""
    words = folded(option).split()
    begins = bool(words) and words[0] in _words("nothing")
    # "No" alone answers a question for yes or no
    return begins and words not in (["no"], ["sin"]) and not _words("of_these") & set(words)


def _is_usual(option: str) -> bool:
    return bool(_words("usual") & set(folded(option).split()))


def _is_indifferent(option: str) -> bool:
    return any(contains(folded(option), folded(word)) for word in _words("indifferent"))


def _size_wanted(options: Sequence[str], goals: str) -> int | None:
    """The option of the size that the goals name, in whatever words: family for a large one."""
    said = set(folded(goals).split())
    wanted = [rank for rank, row in enumerate(_sizes()) if said & {w for w in row if len(w) > 2}]
    if len(wanted) != 1:
        return None
    sized = [_rank_of_size(option) for option in options]
    return sized.index(wanted[0]) if sized.count(wanted[0]) == 1 and len(set(sized)) > 1 else None


def _rank_of_size(option: str) -> int | None:
    words = folded(option).split()[:_SIZE_WORDS]
    return next((rank for rank, row in enumerate(_sizes()) if row & set(words)), None)


# "large parcel, up to 10 kg": the size begins the option; in "a bag with a large pocket" it is no
# size.
_SIZE_WORDS = 3


def _distinct_names(descriptions: Sequence[str]) -> list[frozenset[str]]:
    """The names of each description that no other one has."""
    long = (
        frozenset(n for n in names_in(text) if len(n) >= _SHORTEST_NAME) for text in descriptions
    )
    return members_of_one(list(long))


def _speaks_for(names: frozenset[str], clause: str) -> int:
    """How many names of an option a clause wants, less than none if it says no to them."""
    said = names_in(clause)
    shared = frozenset(name for name in names if shared_roots(frozenset({name}), said))
    if not shared:
        return 0
    return -len(shared) if denies(clause, shared) else len(shared)


# --- The most or the least of something


def _extreme(descriptions: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The option with the least or most money or size, if the profile wants that; else None."""
    said = " ".join(folded(text) for text in wanted)
    for what, choose, measure in (
        ("least_money", min, _money),
        ("least_size", min, _size),
        ("most_money", max, _money),
        ("most_size", max, _size),
    ):
        if not any(contains(said, word) for word in _words(what)):
            continue
        known = [amount for amount in map(measure, descriptions) if amount is not None]
        if len(known) == len(descriptions) and len(set(known)) >= _FEWEST:
            best = choose(known)
            return known.index(best) if known.count(best) == 1 else None
        cheap = [
            at
            for at, text in enumerate(descriptions)
            if _words("cheap") & set(folded(text).split())
        ]
        if what == "least_money" and len(cheap) == 1:
            return cheap[0]
    return None


def _money(text: str) -> float | None:
    spans = find_money(text)
    digits = re.search(r"\d+(?:[.,]\d{1,2})?", spans[0].text) if spans else None
    return float(digits[0].replace(",", ".")) if digits is not None else None


def _size(text: str) -> float | None:
    """The rank of a size, else the first number that is no price."""
    words = folded(text).split()
    rank = _rank_of_size(" ".join(words[:2]))
    if rank is not None:
        return float(rank)
    for span in find_money(text):
        text = text.replace(span.text, " ")
    digits = re.search(r"(?<![\w.])\d+(?![\w.])", text)
    return float(digits[0]) if digits is not None else None


@lru_cache(maxsize=8)
def _words(what: str) -> frozenset[str]:
    return frozenset(folded(str(word)) for word in _lists()[what])


@lru_cache(maxsize=1)
def _sizes() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(folded(str(word)) for word in row) for row in _lists()["sizes"])


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    return dict(bundled_yaml("sparring_plugins.users.agenda.replies", "described_options.yaml"))


def listed_commands(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the entries of "Commands: BOOK (a room), FEES.", and what is typed for each."""
    for part in reversed(parts):
        head, _, tail = part.partition(": ")
        entries = tuple(entry.strip(" .") for entry in _COMMA.split(tail))
        names = tuple(entry.partition(" (")[0] for entry in entries)
        short = all(0 < len(name.split()) <= _COMMAND_WORDS for name in names)
        if len(names) > 2 and short and says(folded(head), "commands"):
            return entries, names
    return None


_COMMA = re.compile(r",(?![^()]*\))")
_COMMAND_WORDS = 3
