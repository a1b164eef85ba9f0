"""Phrases that an app says can be said: quoted, or after words such as "say" and "ask for"."""

import re
from collections.abc import Iterator

from sparring_plugins.language.text import folded

MOST = 24
"""Phrases of one output that are looked at."""

_QUOTED = re.compile(
    r"\"([^\"\n]{1,120})\"|\u201c([^\u201d\n]{1,120})\u201d|\u00ab([^\u00bb\n]{1,120})\u00bb"
    r"|(?<!\w)['\u2018]([^\n\"]{1,120}?)['\u2019](?!\w)|`([^`\n]{1,120})`"
)
_CUE = re.compile(
    r"\b(?:(?P<about>(?<!to )(?:ask|asking|tell me|talk|inquire|chat|hear|learn)(?: me| us)?"
    r"(?: anything| more)? about)"
    r"|(?P<for>(?:ask|asking)(?: me| us)? for)"
    r"|(?P<to>(?:ask|asking|tell|telling) me to|you (?:can|could|may)(?: also| always| either)?"
    r"(?=\s(?:order|book|check|find|get|play|start|add|make|change|cancel|renew|search|look|see|list|"
    r"track|buy|reserve|convert|listen|learn|set|create|report|return|block|request|schedule|remove|"
    r"delete|update|join|save|send|choose|pick|compare|guess|answer|rate|review|share|call|pay|"
    r"transfer|roll|spin|draw|continue|repeat|skip|record|log|measure|calculate|translate|spell|"
    r"count|begin|take|plan|rent|turn|switch|measure|read|watch|visit|explore|discover)\b))"
    r"|(?P<say>(?:you (?:can|could|may) (?:also |just |simply )?)?(?:say|saying|says|try(?: saying|"
    r" asking)?|type|typing"
    r"|reply(?: with)?|respond with|answer with|use the (?:word|command|phrase)s?|enter|"
    r"ask(?: me)?(?= (?:what|how|when|where|who|why|which|is|are|do|can)\b)"
    r"|asking(?= (?:what|how|when|where|who|why|which)\b))))\b[,:]?\s+",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r",?\s+(?:to (?:hear|get|start|begin|learn|know|find|continue|exit|quit|stop|play|leave|end|"
    r"cancel|see|have|make|"
    r"repeat|skip|listen|return|go|try|add|check|change|book|order|open|close|choose|proceed|"
    r"finish|review|confirm|do|"
    r"receive|discover|move|use|be|end)\b|if you\b|if\b|when(?:ever)? you\b|and i(?:'ll| will)\b|"
    r"so (?:that )?i\b|for more\b|"
    r"for (?:a |the )?(?:list|help|information|details)\b|at any time\b|any ?time\b|followed by\b|"
    r"in order\b|whenever\b|while\b|"
    r"until\b|because\b|instead\b|and then\b|(?:that|which) (?:you|i|we|are|is)\b|now\b|below\b|"
    r"as (?:well|soon)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+(?=\w+\s+\w)", re.IGNORECASE)
"""Between two things that can be done: what follows has a verb and more."""

_LOOSE_END = re.compile(r"(?:[\s,;]+(?:or|and|to|then|also|you can|you could))+$", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:for example|for instance|something like|something such as|things like|phrases like|"
    r"a phrase like|either|like|such as|"
    r"the words?|the phrases?|the commands?|just|simply|please|also|one of|any of|with|"
    r"e\.g\.)[,:]?\s+",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"^(?:an?|any|some|one|your|the|my(?!\s+[\w\s]+\s(?:is|are)\s)|me|us|it|that|this|again|in|with|to)\b",
    re.IGNORECASE,
)
_AGAIN = frozenset(
    ("again", "it", "that", "so", "this", "yes or no", "something", "anything", "something else",
     "me", "or", "and", "to", "of", "for", "if", "more", "please", "you", "them", "another", "one")
)  # fmt: skip
_LONGEST = 8


def quoted(text: str) -> list[str]:
    """The quoted phrases of a text that are short enough to be said."""
    found: list[str] = []
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        found += _cleaned(inner, keep_articles=True)
    return list(dict.fromkeys(found))[:MOST]


def instructed(sentence: str) -> list[str]:
    """The phrases that a sentence says can be said; none where it wants a kind of thing instead.

    "Say your name" and "say a number" want an answer, which is no phrase.
    """
    found: list[str] = []
    cues = list(_CUE.finditer(sentence))
    for number, cue in enumerate(cues):
        end = cues[number + 1].start() if number + 1 < len(cues) else len(sentence)
        tail = sentence[cue.end() : end]
        inside = quoted(tail)
        if inside:
            found += inside
        else:
            found += _spoken(cue, tail)
    return list(dict.fromkeys(found))[:MOST]


def _spoken(cue: re.Match[str], tail: str) -> Iterator[str]:
    tail = _LOOSE_END.sub("", tail.strip(" .!?\"'"))
    tail = _PURPOSE.sub("", tail).strip(" ,;.")
    tail = _LEAD.sub("", tail)
    kind = cue.lastgroup
    if kind == "say" and _WANTS.match(tail):
        return
    for part in _parts(tail):
        for phrase in _cleaned(part, keep_articles=kind == "to"):
            if kind == "about":
                yield f"tell me about {phrase}"
            elif kind == "to":
                yield from (_YOUR.sub("my", one) for one in _AND.split(phrase))
            else:
                yield phrase


def _parts(tail: str) -> list[str]:
    """The phrases of a list: parted by commas and "or"; by "and" where they are short."""
    parts = re.split(r"\s*[,;/]\s*(?:or |and )?|\s+or\s+", tail)
    if len(parts) > 1 or len(tail.split()) <= 5:
        parts = [piece for part in parts for piece in _and_parted(part)]
    return parts[:MOST]


def _and_parted(part: str) -> list[str]:
    pieces = re.split(r"\s+and\s+", part)
    return pieces if all(len(piece.split()) <= 3 for piece in pieces) else [part]


def _cleaned(phrase: str, *, keep_articles: bool) -> list[str]:
    text = " ".join(phrase.split()).strip(" .,;:!\"'\u201c\u201d\u2018\u2019*`()[]")
    text = _LEAD.sub("", text)
    if not keep_articles:
        text = re.sub(r"^(?:an?|the|our|say|saying|or|and|type)\s+", "", text, flags=re.IGNORECASE)
    said = folded(text)
    if not said or said in _AGAIN or len(text.split()) > _LONGEST:
        return []
    return [text]
