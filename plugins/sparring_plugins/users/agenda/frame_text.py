"""Words put into the holes of frames."""

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import vocabulary

LONGEST = 2_000
"""Characters of what the user says at most."""

_DOUBLED = (
    ("??", "?"), ("?.", "?"), ("..", "."), ("!.", "!"), ("¿¿", "¿"), (".,", ","), ("?,", "?"),
    (". ?", "?"),
)  # fmt: skip


def filled(frame: str, words: str) -> str:
    """A frame with a want's words in its hole; a capital where they begin a sentence."""
    words = words[:LONGEST]
    begun = words[:1].upper() + words[1:]
    lower = words if _keeps_case(words) else words[:1].lower() + words[1:]
    text = frame.replace("{X}", begun).replace("{x}", lower)
    for doubled, single in _DOUBLED:
        text = text.replace(doubled, single)
    return text


def sentence(words: str) -> str:
    """Words as a sentence of their own."""
    return (words[:1].upper() + words[1:])[:LONGEST]


def _keeps_case(words: str) -> bool:
    """Whether the first letter is capital by right: a name, an abbreviation, or "I"."""
    first = words.split(" ", 1)[0]
    common = vocabulary().stop
    return first in ("I", "I'd", "I'm") or (first[:1].isupper() and folded(first) not in common)
