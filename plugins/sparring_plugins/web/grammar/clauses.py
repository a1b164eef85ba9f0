"""A sentence without what says nothing, and where its clauses part."""

import re

from sparring_plugins.web.grammar.assertions import is_lead
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.grammar.words.verbs import BUTTON_LIKE, VERBS, base
from sparring_plugins.web.grammar.words.vocabulary import words

_BULLET = re.compile(r"\s*(?:[-*•–—]\s+|\(?\d{1,3}[.)]\s+|step\s+\d{1,3}\s*[:.)–-]\s*)", re.I)
_LABEL = re.compile(r"\s*(?:action|step|steps|instruction|task|todo)\s*:\s+", re.I)
_FILLERS = words(
    "please now then next finally first firstly secondly thirdly lastly afterwards afterward"
    "simply just also subsequently quickly kindly okay ok so again once immediately lets"
    "let's let's gently carefully and given but"
)
_PHRASES = tuple(
    tuple(words.split())
    for words in (
        "after that", "in the end", "to start", "go ahead and", "try to", "you should", "you must",
        "you have to", "you need to", "i want to", "i want you to", "i would like to", "you can",
        "i'd like to", "we want to", "make sure to", "be sure to", "remember to", "proceed to",
        "i need to", "can you", "could you", "would you", "the user should", "user should",
        "we need to",
        "the user must", "the tester should", "i will", "you will", "the user can",
        "the user wants to",
        "don't forget to", "continue by", "start by", "begin by", "to begin", "as a user",
        "in order to",
        "your task is to", "the task is to", "please try to", "help me", "help me to",
        "use the mouse to", "find and", "locate and", "look for and", "identify and",
    )
)  # fmt: skip
_SUBJECTS = (("i",), ("we",), ("you",), ("he",), ("she",), ("they",), ("the", "user"), ("user",),
             ("the", "tester"), ("the", "customer"), ("a", "user"), ("the", "visitor"),
             ("the", "admin"), ("tester",))  # fmt: skip


def without_bullet(text: str) -> str:
    """The text without a list's mark or number before it."""
    for pattern in (_BULLET, _LABEL):
        match = pattern.match(text)
        if match and match.end() < len(text):
            text = text[match.end() :]
    return text


def plain_clause(tokens: Tokens) -> Tokens:
    """A clause from its verb on, in the base form: without fillers and subjects."""
    tokens = trimmed(tokens, ".,;:!?-–—…*•")
    for _ in range(6):
        shorter = _without_front(tokens)
        if len(shorter) == len(tokens):
            break
        tokens = trimmed(shorter, ".,;:!?")
    if tokens and tokens[0].kind == "word" and (verb := base(tokens[0].low)) != tokens[0].low:
        first = tokens[0]
        tokens = [Token(first.kind, first.text, first.start, first.end, verb), *tokens[1:]]
    return _without_end(tokens)


def is_forbidding(tokens: Tokens) -> bool:
    """Whether a clause says what not to do."""
    words = [t.low for t in tokens[:3]]
    return words[:2] in (["do", "not"], ["must", "not"]) or words[:1] in (
        ["don't"], ["dont"], ["never"], ["avoid"], ["without"], ["instead"],
    )  # fmt: skip


def _without_front(tokens: Tokens) -> Tokens:
    words = tuple(t.low for t in tokens[:6])
    if len(tokens) < 2:
        return tokens
    for phrase in _PHRASES:
        if words[: len(phrase)] == phrase and _is_verb(tokens, len(phrase)):
            return tokens[len(phrase) :]
    for subject in _SUBJECTS:
        size = len(subject)
        if (
            words[:size] == subject
            and _is_verb(tokens, size)
            and words[size : size + 1] != ("see",)
        ):
            return tokens[size:]
    if tokens[0].low == "when" and not tokens[1].quoted and _has_subject(tokens[1:]):
        return tokens[1:]
    if tokens[0].low in _FILLERS and not (tokens[0].low == "next" and tokens[1].low == "to"):
        return tokens[1:]
    return tokens


def _is_verb(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and not tokens[at].quoted and base(tokens[at].low) in VERBS


_ENDS = (("for", "me"), ("as", "well"), ("if", "needed"), ("if", "necessary"), ("please",),
         ("thanks",), ("thank", "you"), ("right", "now"), ("to", "continue"), ("to", "proceed"),
         ("to", "go", "on"), ("at", "the", "end"), ("one", "time"),
         ("with", "the", "keyboard"), ("on", "the", "keyboard"), ("using", "the", "keyboard"),
         ("with", "the", "mouse"), ("using", "the", "mouse"))  # fmt: skip


def _without_end(tokens: Tokens) -> Tokens:
    words = tuple(t.low if not t.quoted else "" for t in tokens)
    for phrase in _ENDS:
        size = len(phrase)
        if (
            len(words) > size + 1
            and words[-size:] == phrase
            and (phrase[0] != "to" or tokens[-size - 1].quoted)
        ):
            return trimmed(tokens[:-size])
    return tokens


_LINKING = words("please after that lastly now next finally also")


def cuts(tokens: Tokens) -> list[tuple[int, int]]:
    """Where a clause may end and the next begin, as pairs of indices."""
    found: list[tuple[int, int]] = []
    at = 1
    while at < len(tokens):
        end = _joint(tokens, at)
        if end > at:
            if end < len(tokens) and _begins(tokens, at, end):
                found.append((at, end))
            at = end
        else:
            at += 1
    return found[:24]


def _joint(tokens: Tokens, at: int) -> int:
    """The index behind a joint that starts at `at`; `at` where none does."""
    end = at
    while (
        end < len(tokens)
        and not tokens[end].quoted
        and (
            tokens[end].low in ("and", "then", "afterwards")
            or tokens[end].text in (",", ";", ".", "!", "&", "->", "→", "-", "–", "—")
            or (end > at and tokens[end].low in _LINKING)
            or (tokens[end].low == "to" and tokens[end - 1].mark == "," and end > at)
        )
    ):
        end += 1
    return end


def _begins(tokens: Tokens, at: int, end: int) -> bool:
    """Whether a clause begins at `end`, behind the joint that starts at `at`."""
    first = tokens[end]
    hard = any(t.mark in (".", ";", "!") or t.low == "then" for t in tokens[at:end])
    if is_lead(tokens[end:]):
        return True
    if first.quoted:
        return hard
    if hard and first.text[:1].isupper():
        return True
    if base(first.low) not in VERBS and not _has_subject(tokens[end:]):
        return False
    if tokens[at - 1].low == "drag" and first.low == "drop":
        return False
    name_like = first.text[:1].isupper() and first.low in BUTTON_LIKE and not hard
    return not (name_like and tokens[at - 1].text[:1].isupper() and not tokens[at - 1].quoted)


def _has_subject(tokens: Tokens) -> bool:
    plain = plain_clause(tokens[:8])
    return bool(plain) and len(plain) < len(tokens[:8]) and base(plain[0].low) in VERBS
