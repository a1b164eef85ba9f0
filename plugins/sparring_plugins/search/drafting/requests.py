"""Features from real requests: what is wanted, and the slots that vary from request to request."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sparring_plugins.language.number_words import number_words
from sparring_plugins.search.drafting.features import (
    WISH,
    Draft,
    DraftFeature,
    last_noun,
    word_set,
)

# "o'clock" and "well-done" are one word, marks are words of their own: "no, the small one".
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.,;:!?]")
# After "in" or "with" comes a value of a few words: "in the old town".
_LONGEST_SLOT = 3
# "could you find me" begins a request; what follows is its content.
_LONGEST_WISH = 4
_LEAST_VALUES = 3
"""Different values of a slot, below which it is no feature: "for sure" alone is none."""


def draft_requests(requests: Sequence[str], draft: Draft) -> None:
    """Add the features of requests to a draft: the wish, and a slot for each preposition."""
    wishes: list[str] = []
    slots: dict[str, list[str]] = {}
    for request in requests:
        words = [word.lower() for word in _WORD.findall(request)]
        wish, end = _wish(words)
        if wish:
            wishes.append(wish)
        for preposition, phrase in _slots(words[end:]):
            slots.setdefault(preposition, []).append(phrase)
    least = 2 if len(requests) >= 20 else 1
    common = {wish: n for wish, n in Counter(wishes).items() if n >= least}
    if common:
        draft.add(DraftFeature(WISH, Counter(common), optional=False, about="what is wanted"))
    for preposition, phrases in slots.items():
        _add_slot(draft, preposition, phrases, least, max(0, len(requests) - len(phrases)))


def _wish(words: Sequence[str]) -> tuple[str, int]:
    """Return what a request wants, up to its first slot, and where that ends."""
    openers, prepositions = word_set("openers"), word_set("prepositions")
    start = next((at for at, w in enumerate(words) if w not in openers and w.isalpha()), None)
    if start is None:
        return "", 0
    end = start
    while end < len(words) and end - start < _LONGEST_WISH:
        if words[end] in prepositions or not words[end][0].isalnum():
            break
        end += 1
    return " ".join(words[start:end]), end


def _slots(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each preposition with the phrase that follows it."""
    prepositions = word_set("prepositions")
    for at, word in enumerate(words):
        if word not in prepositions:
            continue
        phrase: list[str] = []
        for following in words[at + 1 : at + 1 + _LONGEST_SLOT]:
            ends = following in prepositions or not following[0].isalnum()
            if ends or (phrase and following in ("and", "or", "please", "i", "we", "but")):
                break
            phrase.append(following)
        if phrase:
            yield word, " ".join(phrase)


def _add_slot(
    draft: Draft, preposition: str, phrases: Sequence[str], least: int, absent: int
) -> None:
    numbers = [(_number(phrase), phrase.partition(" ")[2]) for phrase in phrases]
    nouns = Counter(noun for number, noun in numbers if number is not None)
    noun, count = nouns.most_common(1)[0] if nouns else ("", 0)
    found = [number for number, own in numbers if number is not None and own == noun]
    if count * 2 >= len(phrases) and len(set(found)) >= _LEAST_VALUES:
        words = " ".join(["", preposition, "{}", noun]).strip()
        span = (min(found), max(found), words)
        name = last_noun(noun) if noun else preposition
        draft.add(DraftFeature(name, numbers=span, about=f"numbers after {preposition!r}"))
        return
    common = {p: n for p, n in Counter(phrases).items() if n >= least}
    if len(common) >= _LEAST_VALUES:
        values = Counter({f"{preposition} {phrase}": n for phrase, n in common.items()})
        about = f"what follows {preposition!r}"
        draft.add(DraftFeature(f"{preposition}_what", values, about=about, absent=absent))


def _number(phrase: str) -> float | None:
    """Return the number that a phrase begins with: ``four people``, ``2 nights``."""
    first = phrase.partition(" ")[0]
    if re.fullmatch(r"\d{1,9}", first):
        return float(first)
    return number_words(first) if first.isalpha() else None
