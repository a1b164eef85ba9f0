"""Things that an output names to choose from."""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda import options
from sparring_plugins.voice.outputs.words import has_one

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
_HEADED = re.compile(
    r"^(?:which|what|how)\b[^,:]{3,120}[,:]\s+([^,]{1,60}(?:,\s+[^,]{1,60})*,?\s+or\s+[^,]{1,60})$",
    re.IGNORECASE,
)
_COMMAS = re.compile(r"\s*,\s*(?:or\s+)?|\s+or\s+", re.IGNORECASE)
_CLAUSE = 8
"""The words of a clause that can be said in answer."""

_BETWEEN = re.compile(
    r"\bbetween\s+([^,?\d]{1,40}?)\s+(?:and|or)\s+([^,?\d]{1,40}?)"
    r"(?=,|\s+(?:which|what|who|whom|do|does|would|will|is|are)\b|$)",
    re.IGNORECASE,
)
_WOULD = re.compile(
    r"\b(?:would|will|do|should|shall|can|could)\s+(?:you|i|we)\s+(?:rather\s+)?"
    r"([\w']+(?:\s[\w']+)?)\s+or\s+([\w']+(?:\s[\w']+)?)$",
    re.IGNORECASE,
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
    if len(kept) < 2:
        kept = _put_to_choose(sentence)
    return kept if len(kept) >= 2 else []


def _put_to_choose(sentence: str) -> list[str]:
    """What a question puts to choose by its form: clauses after its head, or two things."""
    text = sentence[:600].strip().rstrip(" ?!.")
    clauses = _HEADED.match(text)
    if clauses:
        items = [one.strip(" ,;\"'") for one in _COMMAS.split(clauses[1])]
        return [one for one in dict.fromkeys(items) if 0 < len(one.split()) <= _CLAUSE]
    pair = _BETWEEN.search(text) or _WOULD.search(text)
    return [bare for one in pair.groups() if (bare := _bare(one))] if pair else []


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
