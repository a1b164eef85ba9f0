"""Things that an output names to choose from."""

import re

from sparring_plugins.agents.agenda import options
from sparring_plugins.agents.exploring.wording import has_one
from sparring_plugins.agents.patterns.plain_text import folded

MOST = 20
"""Things of one output that are looked at."""

_LONGEST = 6
_LETTERED = re.compile(
    r"(?:^|[\s,;])(?:\(?([A-Ha-h]|\d{1,2})[.):]|option (\d|[A-Ha-h])[,:]?)\s+([^.,;:?\n]{1,60})"
)
_LEADING = re.compile(
    r"^(?:(?:what|which|where|when|how|who|do|does|would|will|can|could|shall|should|are|is|"
    r"please)\b.*|to\s+\w+.*|"
    r"(?:say|ask|saying|asking|type|if|because|that|so|then|let|i|we|you|it|there|here)\b.*)$",
    re.IGNORECASE,
)
_OR_LAST = re.compile(
    r"\b(?:between|from|of|is it|was it|be|are you|want|like|prefer|choose|pick|select|"
    r"need)\s+(.+)$",
    re.I,
)
_ARTICLES = re.compile(
    r"^(?:an?|the|your|our|some|either|both|to|with|for|in|by|be)\s+", re.IGNORECASE
)


def choices_in(sentence: str, *, asking: bool) -> list[str]:
    """The alternatives that a sentence names, where it names two or more."""
    found = _lettered(sentence)
    if not found:
        found = list(options.inline(sentence, asking=asking))
    kept = [bare for one in found[:MOST] if (bare := _bare(one))]
    kept = list(dict.fromkeys(kept))
    return kept if len(kept) >= 2 else []


def listed_in(text: str) -> list[str]:
    """The items of a bulleted or numbered list, without what a dash or a price adds to them."""
    items = options.listed(text.split("\n"))
    return [head for one in items if (head := _headed(one))][:MOST]


def _headed(item: str) -> str:
    head = re.split(r"\s[-\u2013\u2014:(]\s?|:\s|\s?\(|\s\$", item)[0].strip(" .*")
    return head if 0 < len(head.split()) <= _LONGEST else ""


def _lettered(sentence: str) -> list[str]:
    found = _LETTERED.findall(sentence)
    return [text.strip() for _, _, text in found] if len(found) >= 2 else []


def _bare(item: str) -> str:
    text = item.strip(" .,;:!?\"'")
    said = folded(text)
    if not said or len(text.split()) > _LONGEST or _LEADING.match(text):
        return ""
    if (
        has_one(said, ("and so on", "etc", "more", "something else", "not"))
        and len(said.split()) < 3
    ):
        return ""
    previous = None
    while previous != text:
        previous, text = text, _ARTICLES.sub("", text)
    return text if folded(text) else ""
