"""The word or number that an app wants to be typed for yes and no."""

import re
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.knowledge import knowledge
from sparring_plugins.users.agenda.phrase_book import any_of, word_lists
from sparring_plugins.users.agenda.question_kinds import AGREED, sending_word


@lru_cache(maxsize=1)
def _compile_typed_word() -> re.Pattern[str]:
    """The word to type in "Type 'confirm' to book"."""
    verbs, purposes = any_of(word_lists().reply_verbs), any_of(knowledge().typed_for)
    return re.compile(
        rf"\b{verbs}(?: with)? [\"'\u201c\u2018*]?(\w+)[\"'\u201d\u2019*]?"
        rf" (?:to|for|if|para|um|pour|per|se) {purposes}",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _compile_quoted_word() -> re.Pattern[str]:
    """The words in quotation marks of 'Say "book it" and I will save you the chair'."""
    verbs = any_of(word_lists().reply_verbs)
    return re.compile(
        rf"\b{verbs}(?: with)? [\"\u201c\u201e«*](\w[\w ]{{0,19}})[\"\u201d\u201c»*]"
        r" (?:and|und|y|et|e) ",
        re.IGNORECASE,
    )


_NUMBERED_YES = re.compile(
    r"[\[(]?\b(\d)\b[\])]?\s?[.:=-]?\s?(?:for |para |pour )?(?:yes|ja|oui|s[ií]|sim)\b",
    re.IGNORECASE,
)


_NUMBERED_NO = re.compile(
    r"[\[(]?\b(\d)\b[\])]?\s?[.:=-]?\s?(?:for |para |pour )?(?:no|nein|non|n[aã]o)\b", re.IGNORECASE
)


def typed_yes(text: str) -> str | None:
    """The word or number that a text wants for a yes: "Type 'confirm' to book", "(1) Yes"."""
    agreed = AGREED.search(text)
    if agreed is not None:
        return agreed[1].strip()
    typed = _compile_typed_word().search(text)
    # "say 'skip' to go on" wants that word for leaving out, not for a yes
    if typed is not None and folded(typed[1]) not in map(folded, knowledge().skips):
        return typed[1]
    quoted = _compile_quoted_word().search(text)
    leaving = (*knowledge().skips, *knowledge().dropping, *knowledge().main_menu)
    if quoted is not None and folded(quoted[1]) not in map(folded, leaving):
        return quoted[1]
    sends = sending_word(text)
    if sends is not None:
        return sends
    numbered = _NUMBERED_YES.search(text)
    return numbered[1] if numbered is not None and _NUMBERED_NO.search(text) else None


def typed_no(text: str) -> str | None:
    """The number that a text wants for a no: "(1) Yes or (2) No"."""
    numbered = _NUMBERED_NO.search(text)
    return numbered[1] if numbered is not None and _NUMBERED_YES.search(text) else None
