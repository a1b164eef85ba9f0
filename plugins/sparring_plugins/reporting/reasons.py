"""Reasons of verdicts where there is little room for them."""

from sparring_plugins.language.visible import one_line

_READ = 4000
_TECHNICAL = " (`"  # how oracles begin the expression and values behind an author's message


def brief_reason(reason: str, limit: int) -> str:
    """The reason on one line of at most `limit` characters.

    What does not fit loses the technical part in parentheses first, so that the message of the
    check's author stays whole; then it is cut between words.
    """
    text = one_line(reason, _READ)
    if len(text) <= limit:
        return text
    message = text.split(_TECHNICAL, 1)[0]
    if message and len(message) <= limit:
        return message
    words = text[: limit - 2].rpartition(" ")[0]
    kept = words if len(words) > limit // 2 else text[: limit - 3]
    return kept.rstrip(" ,;:(`") + "..."
