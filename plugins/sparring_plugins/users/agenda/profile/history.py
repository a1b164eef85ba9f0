"""Whether somebody has been a customer before, and whether something was lately.

"Have you been here before?" is answered by "you have been coming for years" and by "it is your
first visit", which share no word with it; "In the last six months?" by "last seen nine months ago".
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import clauses_of


def customer_before(question: str, texts: Sequence[str]) -> bool | None:
    """Return yes or no to a question for an earlier visit or a recent one; None if nothing tells.

    Args:
        question: What the app asks.
        texts: The context and the role.
    """
    recent = _was_lately(question, texts)
    if recent is not None:
        return recent
    words = folded(question)
    is_new = _says(words, "newcomers")
    if not is_new and not _says(words, "customers"):
        return None
    clauses = [folded(clause) for clause in clauses_of(texts)]
    never = next((clause for clause in clauses if _says(clause, "never")), None)
    if never is not None:
        # "it is not your first visit", but not "he has never been there"
        return is_new is (_DENIED_FIRST.search(never) is None)
    if any(_says(clause, "before") for clause in clauses):
        return not is_new
    return None


def _was_lately(question: str, texts: Sequence[str]) -> bool | None:
    """Whether what was some time ago lies within the time that a question names."""
    window = _days(_WITHIN.search(_in_digits(question)))
    if window is None:
        return None
    ago = (_days(_AGO.search(_in_digits(text))) for text in texts)
    days = next((number for number in ago if number is not None), None)
    return days <= window if days is not None else None


def _in_digits(text: str) -> str:
    words = folded(text)
    for number in reversed(spelled_numbers(words)):
        words = f"{words[: number.start]}{number.value:g}{words[number.end :]}"
    return words


def _days(match: re.Match[str] | None) -> float | None:
    if match is None:
        return None
    number, unit = float(match[1] or 1), match[2]
    return number * next(days for name, days in _UNITS.items() if unit.startswith(name))


_DENIED_FIRST = re.compile(
    r"\b(?:not|isnt|no|nicht|kein|keine|pas) (?:\w+ )?"
    r"(?:the |a |your |dein |deine |ihr |su |tu |la |votre )?"
    r"(?:first|new|erste?r?s?|neu\w*|primera?|premi[eè]re?|prima)\b"
)
_UNITS = {
    **dict.fromkeys(("day", "tag"), 1.0),
    **dict.fromkeys(("week", "woche"), 7.0),
    **dict.fromkeys(("month", "monat"), 30.4),
    **dict.fromkeys(("year", "jahr"), 365.0),
}
_UNIT = r"(days?|weeks?|months?|years?|tag\w*|woche\w*|monat\w*|jahr\w*)"
_WITHIN = re.compile(rf"\b(?:last|past|previous|letzten|vergangenen) (?:(\d+) )?{_UNIT}\b")
_AGO = re.compile(rf"\b(\d+) {_UNIT} ago\b")


def _says(words: str, what: str) -> bool:
    return any(contains(words, phrase) for phrase in _phrases(what))


@lru_cache(maxsize=8)
def _phrases(what: str) -> tuple[str, ...]:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "history.yaml")
    return tuple(folded(str(phrase)) for phrase in data[what])
