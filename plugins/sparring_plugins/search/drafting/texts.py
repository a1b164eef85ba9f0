"""Features from prose: enumerations, abilities, limits and prohibitions of prompts."""

import re
from collections import Counter
from collections.abc import Iterator

from sparring_plugins.language.text import sentences
from sparring_plugins.search.drafting.features import (
    LONGEST_PHRASE,
    WISH,
    Draft,
    DraftFeature,
    first_words,
    last_noun,
    phrases_in,
    word_list,
)

# A manual repeats its terms; the first hundred pages have them.
_MOST_CHARACTERS = 200_000
_NUMBER = r"(\d{1,9}(?:\.\d{1,4})?)"
_BULLET = re.compile(r"\s{0,8}(?:[-*•]|\d{1,3}[.)])\s+(\S.*)")
# "cuisines such as Thai, Indian and Greek", "sizes: small, large", "pets (dogs, cats)".
_LISTED = re.compile(
    r"(?P<lead>[^.:;\n]{0,120}?)(?::|\bsuch as\b|\bincluding\b|\blike\b|\()\s*"
    r"(?P<list>[^.:;()\n]{3,400})"
)
_RANGES = (
    re.compile(rf"(?i)\b(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_NUMBER}\s+([a-z]+)"),
    re.compile(rf"(?i)\b{_NUMBER}\s*[-–]\s*{_NUMBER}\s+([a-z]+)"),
)
# "up to 8 guests" bounds the feature `guests`.
_LIMIT = re.compile(
    rf"(?i)\b(?:up to|at most|no more than|maximum of|a limit of)\s+{_NUMBER}\s+([a-z]+)"
)


def draft_text(text: str, draft: Draft) -> None:
    """Add the features of a prompt or document to a draft, and notes on what it forbids."""
    # "cancel a booking or\nchange it" goes on in the next line; a bullet or a heading does not
    text = re.sub(r"(?<=[\w,;])\n(?=[a-z])", " ", text[:_MOST_CHARACTERS])
    draft.about = draft.about or first_words([text])
    for lead, values in (*_bulleted(text), *_enumerated(text)):
        name = last_noun(lead)
        draft.add(DraftFeature(name, Counter(values), about=_quoted(lead)))
    forbidden, allowed = list[str](), list[str]()
    for sentence in sentences(text):
        (forbidden if _forbids(sentence) else allowed).append(sentence)
    abilities = [phrase for sentence in allowed for phrase in _abilities(sentence)]
    if abilities:
        draft.add(DraftFeature(WISH, Counter(abilities), optional=False, about="what is wanted"))
    for name, low, high in _numbers(text):
        words = "for {} " + name
        draft.add(DraftFeature(name, numbers=(low, high, words), about="numbers, and some beyond"))
    draft.notes += [f"forbidden: {' '.join(sentence.split())[:200]}" for sentence in forbidden]


def _forbids(sentence: str) -> bool:
    forbids = "|".join(map(re.escape, word_list("forbids")))
    return re.search(rf"\b(?:{forbids})\b", sentence.lower()) is not None


def _bulleted(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield lists of short items, each with the line before it."""
    lead, items = "", list[str]()
    for line in [*text.splitlines(), "end"]:
        bullet = _BULLET.match(line)
        if bullet is not None:
            items.append(re.split(r"\s*(?::|[-–]\s|\()", bullet[1])[0].strip("*_` ."))
            continue
        short = [item for item in items if 0 < len(item) <= LONGEST_PHRASE / 2]
        if len(short) >= 2 and len(short) == len(items):
            yield lead, short
        if line.strip():
            lead, items = line.strip("#*_ :"), []


def _enumerated(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield enumerations within sentences: ``sizes: small, medium and large``."""
    for sentence in (s for line in text.splitlines() if not _BULLET.match(line)
                     for s in sentences(line)):  # fmt: skip
        for match in _LISTED.finditer(sentence):
            values = phrases_in(match["list"])
            if len(values) >= 3 and all(len(value.split()) <= 3 for value in values):
                yield match["lead"], values


def _abilities(sentence: str) -> list[str]:
    """Return what an app helps people with: ``helps guests book a table or cancel a booking``."""
    helps = "|".join(map(re.escape, word_list("helps")))
    people = "|".join(word_list("people"))
    match = re.search(
        rf"(?i)\b(?:{helps})\b\s+(?:(?:our|the|all|your)\s+)?(?:(?:{people})\s+)?(?:to\s+|with\s+)?"
        r"(?P<list>[a-z][^.:;!?]{3,300})",
        sentence,
    )
    if match is None:
        return []
    values = phrases_in(match["list"])
    return [value for value in values if 2 <= len(value.split()) <= 6]


def _numbers(text: str) -> Iterator[tuple[str, float, float]]:
    """Yield what is counted with the numbers to try: what is allowed, and half as many beyond."""
    for pattern in _RANGES:
        for low, high, noun in pattern.findall(text):
            if float(low) < float(high):
                yield noun.lower(), max(0, float(low) - 1), _beyond(float(high))
    for high, noun in _LIMIT.findall(text):
        if float(high) >= 1:
            yield noun.lower(), 1, _beyond(float(high))


def _beyond(high: float) -> float:
    return float(max(int(high) + 1, round(high * 1.5)))


def _quoted(lead: str) -> str:
    return f"listed after “{lead.strip()[-60:]}”" if lead.strip() else ""
