"""What of an act's words a control leaves out: half of a sentence presses nothing."""

import re
from collections.abc import Iterable
from itertools import pairwise

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, word_similarity
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.weak.page.naming import Surroundings, proper_words

#: So many common words may name a form that calls itself otherwise: "Save the new entry".
_MOST_COMMON = 2
_MOST_MISSING = 0.4
_SAME = 0.7
_NAME_INSIDE = re.compile(r"(?<!\A)\b[A-Z][A-Za-z]")
_CONDITION = re.compile(
    rf"\b(?:{'|'.join(FREE.conditions)}) (?!(?:asked|prompted|done|ready|finished|needed|necessary"
    r"|you(?:'re| are)|possible|required)\b)",
    re.I,
)


def find_condition(words: str, chosen: Element | None = None) -> str:
    """Return the words on which an act depends: "when" in "Buy the coat when it is under 40".

    What is a part of the control's own name is no condition.
    """
    match = _CONDITION.search(words)
    if match is None:
        return ""
    names = " ".join(split_words(f"{chosen.name} {chosen.label} {chosen.text}")) if chosen else ""
    condition = match[0].strip().lower()
    return "" if condition in names else condition


def leaves_out(
    intent: Intent, chosen: Element, surroundings: Surroundings, headings: Iterable[Element]
) -> bool:
    """Return whether nothing around a control shows most of what it should act upon.

    "Order 4 bowls without a lid" is not done by the button 'Order' alone.
    """
    words = f"{intent.words} {intent.context}"
    named = tuple(dict.fromkeys(proper_words(words)))
    counted = any(word[0].isdigit() for word in named)
    if len(named) <= _MOST_COMMON and not counted and not _NAME_INSIDE.search(words):
        return False
    texts = [chosen.name, chosen.text, chosen.title, *(heading.text for heading in headings)]
    shown = {*surroundings.words(chosen), *split_words(" ".join(texts))}
    missing = [w for w in named if max((word_similarity(w, s) for s in shown), default=0.0) < _SAME]
    too_many = len(missing) > _MOST_MISSING * len(named)
    return too_many or any(word[0].isdigit() for word in missing)


def counts_instead(intent: Intent, chosen: Element, surroundings: Surroundings) -> bool:
    """Return whether the number of a thing is only a count of such things around a control.

    "Look at parcel 14" is not done by the link beside "14 parcels are late".
    """
    named = _NUMBERED.search(intent.words)
    if named is None or intent.quoted:
        return False
    texts = (chosen.name, chosen.text, chosen.title, *surroundings.texts(chosen))
    uses = [
        following
        for words in map(split_words, texts)
        for word, following in pairwise((*words, ""))
        if word == named["number"]
    ]
    return bool(uses) and all(stem(word) == stem(named["thing"].lower()) for word in uses)


_NUMBERED = re.compile(r"\b(?P<thing>[A-Za-z]{3,}) (?:no\.? |number |#)?(?P<number>\d{1,9})$")


def why_left_out(chosen: Element) -> str:
    """Return the reason for a control that is not pressed."""
    return f"{in_words(chosen)} is only part of what is said"
