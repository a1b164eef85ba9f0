"""What kind of answer a question expects."""

from functools import lru_cache

from sparring_plugins.language.contacts import find_emails, find_phones, find_urls
from sparring_plugins.language.dates import date_spans, find_durations, find_times
from sparring_plugins.language.money import find_money
from sparring_plugins.language.numbers import find_number_words, find_numbers
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue

_KINDS = ("duration", "number", "money", "time", "date", "email", "phone", "web")


@lru_cache(maxsize=512)
def expected(question: str) -> str | None:
    """The kind of value that a question asks for; None where any answer will do."""
    words = folded(question)
    return next((kind for kind in _KINDS if has_cue(words, f"expects_{kind}")), None)


@lru_cache(maxsize=1024)
def answers(question: str, told: str) -> bool | None:
    """Whether a text has a value of the expected kind; None where none is expected."""
    kind = expected(question)
    if kind is None:
        return None
    if not told:
        return False
    match kind:
        case "duration":
            found = bool(find_durations(told) or find_times(told) or date_spans(told))
        case "money":
            found = bool(find_money(told)) or (
                "~price" in concepts(told) and bool(find_numbers(told))
            )
        case "time":
            found = bool(find_times(told) or find_durations(told) or find_numbers(told))
        case "date":
            found = bool(date_spans(told))
        case "email":
            found = bool(find_emails(told))
        case "phone":
            found = bool(find_phones(told))
        case "web":
            found = bool(find_urls(told))
        case _:
            found = bool(find_numbers(told) or find_number_words(told))
    return found
