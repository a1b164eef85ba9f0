"""Reports of the opposite of what was wanted: "Booked: Friday at five" to who wants to cancel.

A reply that asks nothing more was taken for the end of the service, whatever it reported. Only
plain reports count, of a sentence without a condition or a denial, in a reply that names nothing
of what was wanted: "Your order, placed on 3 May, will not be sent" has cancelled it all the same.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.phrase_book import any_of

_OPPOSITES = {"wants_made": ("made", "undone"), "wants_undone": ("undone", "made")}


def opposite_report(wanted: str, statements: Sequence[str]) -> str | None:
    """Return the sentence that reports the opposite of what is wanted; None if none does.

    Args:
        wanted: What the user wants, in words: "cancel my appointment".
        statements: What the app states, without its questions.
    """
    words = folded(wanted)
    kinds = [kind for kind in _OPPOSITES if any(contains(words, word) for word in _lists()[kind])]
    if len(kinds) != 1:
        return None  # who cancels one thing and books another wants both
    own, other = _OPPOSITES[kinds[0]]
    stated = folded("\n".join(statements))
    named = (*_lists()[own], *_lists()[kinds[0]], *_NOUNS[own])
    if any(contains(stated, word) for word in named):
        return None
    return next(
        (text for part in statements for text in sentences(part) if _reports(text, other)), None
    )


# "A call back is booked about your cancellation."
_NOUNS = {
    "undone": ("cancellation", "refund", "stornierung", "kundigung", "cancelacion", "annulation"),
    "made": (),
}


def _reports(sentence: str, deed: str) -> bool:
    """Whether a sentence reports a deed, without a condition or a denial."""
    words = f"{folded(sentence)} "
    if "?" in sentence or any(f" {word} " in f" {words}" for word in _lists()["no_report"]):
        return False
    return _report_of(deed).search(words) is not None


@lru_cache(maxsize=2)
def _report_of(deed: str) -> re.Pattern[str]:
    lists = _lists()
    deeds = any_of(lists[deed])
    # "Ich habe den Tisch gebucht": in German the deed comes last
    return re.compile(
        rf"^(?:done |ok |okay |fertig |listo |fait |fatto )?{deeds}\b"
        rf"|\b{any_of(lists['reporting'])} {deeds}\b"
        rf"|\b(?:habe|haben|hat|wurde) (?:\w+ ){{1,8}}{deeds}\s*$"
    )


@lru_cache(maxsize=1)
def _lists() -> dict[str, tuple[str, ...]]:
    data = bundled_yaml("sparring_plugins.users.agenda.settlement", "opposite_deeds.yaml")
    return {name: tuple(folded(str(word)) for word in words) for name, words in data.items()}
