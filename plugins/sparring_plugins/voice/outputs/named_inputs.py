"""Inputs that an output names: phrases to say, things to choose from, services to ask for."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from pydantic import BaseModel, ConfigDict, field_validator

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.replies.named_options import inline_options, list_items
from sparring_plugins.voice.outputs.words import has_phrase

MAX_PHRASES = 24
"""Phrases read from one output."""

MAX_CHOICES = 20
"""Choices or services read from one output."""

HELP_REQUESTS = ("help", "what can you do", "ayuda")
"""Inputs that an app answers with everything that it can do."""

# What one is told to say is short: "tell me a fact about space".
_MAX_PHRASE_WORDS = 8
# "the fish of the day" is a choice; half a sentence between commas is none.
_MAX_CHOICE_WORDS = 6
_MAX_CLAUSE_WORDS = 8


class InputCues(BaseModel):
    """The content of ``input_cues.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command_verbs: tuple[str, ...]
    purpose_verbs: tuple[str, ...]
    purposes: tuple[str, ...]
    phrase_leads: tuple[str, ...]
    not_phrases: frozenset[str]
    clause_words: tuple[str, ...]
    capabilities: tuple[str, ...]
    perspective: tuple[tuple[str, str], ...]

    @field_validator("command_verbs", "purpose_verbs", "not_phrases", "clause_words", mode="before")
    @classmethod
    def _join_lines(cls, value: list[list[str]]) -> list[str]:
        return list(chain.from_iterable(value))


@lru_cache(maxsize=1)
def input_cues() -> InputCues:
    """Return the lists of ``input_cues.yaml``, read once."""
    raw = bundled_yaml("sparring_plugins.voice.outputs", "input_cues.yaml")
    return InputCues.model_validate(raw)


def _any_of(expressions: Iterable[str]) -> str:
    return f"(?:{'|'.join(expressions)})"


# Phrases to say

_QUOTED = re.compile(
    r"\"([^\"\n]{1,120})\"|\u201c([^\u201d\n]{1,120})\u201d|\u00ab([^\u00bb\n]{1,120})\u00bb"
    r"|(?<!\w)['\u2018]([^\n\"]{1,120}?)['\u2019](?!\w)|`([^`\n]{1,120})`"
)
_ABOUT = (
    r"(?P<about>(?<!to )(?:ask|asking|tell me|talk|inquire|chat|hear|learn)(?: me| us)?"
    r"(?: anything| more)? about)"
)
_FOR = r"(?P<for>(?:ask|asking)(?: me| us)? for)"
_COMMAND = _any_of(input_cues().command_verbs)
_TO = (
    r"(?P<to>(?:ask|asking|tell|telling) me to"
    rf"|you (?:can|could|may)(?: also| always| either)?(?=\s{_COMMAND}\b))"
)
_SAY = (
    r"(?P<say>(?:you (?:can|could|may) (?:also |just |simply )?)?"
    r"(?:say|saying|says|try(?: saying| asking)?|type|typing|reply(?: with)?|respond with"
    r"|answer with|use the (?:word|command|phrase)s?|enter"
    r"|ask(?: me)?(?= (?:what|how|when|where|who|why|which|is|are|do|can)\b)"
    r"|asking(?= (?:what|how|when|where|who|why|which)\b)))"
)
_CUE = re.compile(rf"\b(?:{_ABOUT}|{_FOR}|{_TO}|{_SAY})\b[,:]?\s+", re.IGNORECASE)
_PURPOSE = re.compile(
    rf"(?:,|(?<!\s))\s+"
    rf"(?:to {_any_of(input_cues().purpose_verbs)}|{'|'.join(input_cues().purposes)})\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)
# "say start over and say help" are two commands.
_BEFORE_NEXT_COMMAND = re.compile(r"(?<!\s)\s+and\s+(?=\w+\s+\w)", re.IGNORECASE)
_LOOSE_END = re.compile(
    r"(?<![\s,;])(?:[\s,;]+(?:or|and|to|then|also|you can|you could)){1,8}$", re.IGNORECASE
)
_PHRASE_LEAD = re.compile(rf"^{_any_of(input_cues().phrase_leads)}[,:]?\s+", re.IGNORECASE)
_KIND_OF_THING = re.compile(
    r"^(?:an?|any|some|one|your|the|my(?!\s[\w\s]+\s(?:is|are)\s)|me|us|it|that|this|again|in|with|to)\b",
    re.IGNORECASE,
)


def quoted(text: str) -> list[str]:
    """Return the quoted phrases of a text that are short enough to be said."""
    phrases: list[str] = []
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        phrases += _clean_phrase(inner, keep_articles=True)
    return list(dict.fromkeys(phrases))[:MAX_PHRASES]


def instructed(sentence: str) -> list[str]:
    """Return the phrases that a sentence tells the user to say.

    "Say your name" and "say a number" want a kind of answer, which is no phrase.
    """
    phrases: list[str] = []
    cues = list(_CUE.finditer(sentence))
    ends = [*(cue.start() for cue in cues[1:]), len(sentence)]
    for cue, end in zip(cues, ends, strict=False):
        tail = sentence[cue.end() : end]
        phrases += quoted(tail) or _unquoted(cue.lastgroup or "", tail)
    return list(dict.fromkeys(phrases))[:MAX_PHRASES]


def _unquoted(cue: str, tail: str) -> Iterator[str]:
    """Yield the phrases that follow a cue: ``about``, ``for``, ``to`` or ``say``."""
    tail = _LOOSE_END.sub("", tail.strip(" .!?\"'"))
    tail = _PURPOSE.sub("", tail).strip(" ,;.")
    tail = _PHRASE_LEAD.sub("", tail)
    if cue == "say" and _KIND_OF_THING.match(tail):
        return
    for part in _list_parts(tail):
        for phrase in _clean_phrase(part, keep_articles=cue == "to"):
            if cue == "about":
                yield f"tell me about {phrase}"
            elif cue == "to":
                commands = _BEFORE_NEXT_COMMAND.split(phrase)
                yield from (_YOUR.sub("my", command) for command in commands)
            else:
                yield phrase


def _list_parts(tail: str) -> list[str]:
    """Split a list at commas and "or", and at "and" if what it joins is short."""
    parts = re.split(r"(?:(?<!\s)\s*)?[,;/]\s*(?:or |and )?|(?<!\s)\s+or\s+", tail)
    if len(parts) > 1 or len(tail.split()) <= 5:
        parts = [piece for part in parts for piece in _split_short_pair(part)]
    return parts[:MAX_PHRASES]


def _split_short_pair(part: str) -> list[str]:
    pieces = re.split(r"(?<!\s)\s+and\s+", part)
    return pieces if all(len(piece.split()) <= 3 for piece in pieces) else [part]


def _clean_phrase(phrase: str, *, keep_articles: bool) -> list[str]:
    """Return a phrase without marks and lead, or nothing if it cannot be said."""
    text = " ".join(phrase.split()).strip(" .,;:!\"'\u201c\u201d\u2018\u2019*`()[]")
    text = _PHRASE_LEAD.sub("", text)
    if not keep_articles:
        text = re.sub(r"^(?:an?|the|our|say|saying|or|and|type)\s+", "", text, flags=re.IGNORECASE)
    bare = folded(text)
    if not bare or bare in input_cues().not_phrases or len(text.split()) > _MAX_PHRASE_WORDS:
        return []
    return [text]


# Things to choose from

# "A. Paris, B. Rome", "1) tea 2) coffee", "option 2, the bus".
_LETTERED = re.compile(
    r"(?:^|[\s,;])(?:\(?([A-Ha-h]|\d{1,2})[.):]|option (\d|[A-Ha-h])[,:]?)\s+([^.,;:?\n]{1,60})"
)
_CLAUSE = re.compile(rf"^(?:{_any_of(input_cues().clause_words)}\b.*|to\s+\w+.*)$", re.IGNORECASE)
# "Which size: small, medium or large".
_AFTER_QUESTION = re.compile(
    r"^(?:which|what|how)\b[^,:]{3,120}[,:]\s++([^,]{1,60}(?:,\s++[^,]{1,60})*,?\s++or\s++[^,]{1,60})$",
    re.IGNORECASE,
)
_COMMA_OR = re.compile(r"(?:(?<!\s)\s*)?,\s*(?:or\s+)?|(?<!\s)\s+or\s+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\bbetween\s++([^,?\d]{1,40}?)\s++(?:and|or)\s++([^,?\d]{1,40}?)"
    r"(?=,|\s+(?:which|what|who|whom|do|does|would|will|is|are)\b|$)",
    re.IGNORECASE,
)
# "Would you like to stay or leave".
_TWO_VERBS = re.compile(
    r"\b(?:would|will|do|should|shall|can|could)\s+(?:you|i|we)\s+(?:rather\s+)?"
    r"([\w']+(?:\s[\w']+)?)\s+or\s+([\w']+(?:\s[\w']+)?)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:an?|the|your|our|some|either|both|to|with|for|in|by|be)\s+", re.IGNORECASE
)
# "Classic - with cheese and tomato $9" is chosen by "Classic".
_AFTER_HEAD = re.compile(r"\s[-\u2013\u2014:(]\s?|:\s|\s?\(|\s\$")
_NOT_CHOICES = ("and so on", "etc", "more", "something else", "not")


def choices_in(sentence: str, *, asking: bool) -> list[str]:
    """Return the alternatives that a sentence names, if it names two or more."""
    items = _lettered_items(sentence) or inline_options(sentence, asking=asking)
    choices = list(dict.fromkeys(_choices(items[:MAX_CHOICES])))
    if len(choices) < 2:
        choices = _choices_by_form(sentence)
    return choices if len(choices) >= 2 else []


def listed_in(text: str) -> list[str]:
    """Return the items of a bulleted or numbered list, without added descriptions and prices."""
    heads = [_AFTER_HEAD.split(item)[0].strip(" .*") for item in list_items(text.split("\n"))]
    return [head for head in heads if 0 < len(head.split()) <= _MAX_CHOICE_WORDS][:MAX_CHOICES]


def _choices_by_form(sentence: str) -> list[str]:
    """Return the clauses after the head of a question, or the two things that it puts to choose."""
    text = sentence[:600].strip().rstrip(" ?!.")
    clauses = _AFTER_QUESTION.match(text)
    if clauses:
        items = [item.strip(" ,;\"'") for item in _COMMA_OR.split(clauses[1])]
        return [item for item in dict.fromkeys(items) if 0 < len(item.split()) <= _MAX_CLAUSE_WORDS]
    pair = _BETWEEN.search(text) or _TWO_VERBS.search(text)
    return list(_choices(pair.groups())) if pair else []


def _lettered_items(sentence: str) -> list[str]:
    items = _LETTERED.findall(sentence)
    return [text.strip() for _, _, text in items] if len(items) >= 2 else []


def _choices(items: Iterable[str]) -> Iterator[str]:
    """Yield the items that can be chosen, without articles."""
    for item in items:
        text = item.strip(" .,;:!?\"'")
        bare = folded(text)
        if not bare or len(text.split()) > _MAX_CHOICE_WORDS or _CLAUSE.match(text):
            continue
        if has_phrase(bare, _NOT_CHOICES) and len(bare.split()) < 3:
            continue
        while (shorter := _ARTICLE.sub("", text)) != text:
            text = shorter
        if folded(text):
            yield text


# Services and topics

_CAPABILITY = re.compile("|".join(input_cues().capabilities), re.IGNORECASE)
_SERVICE_SEPARATOR = re.compile(r"(?:(?<!\s)\s*)?[,;]\s*(?:and |or )?|(?<!\s)\s+(?:and|or)\s+")
_SERVICE_LEAD = re.compile(r"^(?:with|for|to|in|about|on|also|you)\s+", re.IGNORECASE)


def capabilities(sentence: str) -> list[str]:
    """Return the services and topics that a statement names, as the user says them."""
    match = _CAPABILITY.search(sentence.strip(" .!?"))
    if match is None:
        return []
    tail = next(group for group in match.groups() if group is not None)
    services: list[str] = []
    for part in _SERVICE_SEPARATOR.split(tail)[:MAX_CHOICES]:
        text = _SERVICE_LEAD.sub("", part.strip(" .,;:!?"))
        if 0 < len(text.split()) <= _MAX_PHRASE_WORDS and len(folded(text)) > 2:
            services.append(_as_user(text))
    return list(dict.fromkeys(services))


def _as_user(text: str) -> str:
    """Turn what an app says from its own perspective into the user's: "your order", "my order"."""
    words = f" {text} "
    for theirs, mine in input_cues().perspective:
        words = words.replace(f" {theirs} ", f" {mine} ")
    return words.strip()
