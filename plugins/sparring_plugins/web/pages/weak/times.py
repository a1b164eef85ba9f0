"""Times of day as people write them: "8:30", "08:30", "half past eight" and "8.30 am" are one."""

import re
from collections.abc import Iterator

_CLOCK = re.compile(
    r"(?<![\w:.,/-])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?::00)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?(?![\w:/-]|[.,]\d)",
    re.I,
)


def find_times(text: str) -> Iterator[tuple[int, str]]:
    """Yield the times of a text as minutes since midnight, with how they are written there.

    A number alone is none: it takes minutes, or "am" and "pm".
    """
    for match in _CLOCK.finditer(text):
        if match["minute"] is None and match["half"] is None:
            continue
        hour = int(match["hour"])
        if match["half"] is not None:
            hour = hour % 12 + 12 * (match["half"].lower() == "p")
        yield hour * 60 + int(match["minute"] or 0), match[0]


def write_times_as(sentence: str, shown: str) -> str:
    """Return a sentence whose times are written as in the text `shown`, if it has them."""
    written = dict(find_times(shown))
    for minutes, text in list(find_times(sentence)):
        pattern = rf"(?<![\w:]){re.escape(text)}(?![\w:])"
        if written.get(minutes, text) != text and not re.search(pattern, shown):
            sentence = re.sub(pattern, written[minutes], sentence)
    return sentence
