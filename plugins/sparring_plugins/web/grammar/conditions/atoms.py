"""A condition without "and" and "or"."""

from sparring_plugins.web.grammar.conditions.constructors import Conditions, negated
from sparring_plugins.web.grammar.conditions.contents import read_predicate
from sparring_plugins.web.grammar.conditions.things import read_sentences, read_things
from sparring_plugins.web.grammar.conditions.verbs import Verb, verbs
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed

FALSE = (
    ("it", "is", "false", "that"), ("it", "is", "not", "true", "that"),
    ("it", "is", "not", "the", "case", "that"), ("it", "is", "wrong", "that"),
    ("it", "is", "untrue", "that"), ("not", "that"), ("not", ":"), ("it", "is", "not", "so",
    "that"),
)  # fmt: skip
_TRUE = (
    ("it", "is", "true", "that"), ("it", "is", "the", "case", "that"), ("that",),
    ("whether",), ("it", "is", "correct", "that"), ("the", "fact", "that"), (":",),
)  # fmt: skip
_SEEING = (
    ("can", "see"), ("see",), ("sees",), ("should", "see"), ("is", "able", "to", "see"), ("find",),
    ("finds",), ("can", "find"), ("should", "find"), ("will", "see"), ("must", "see"),
    ("should", "be", "able", "to", "see"), ("do", "see"), ("get",), ("should", "get"), ("gets",),
)  # fmt: skip
_NOT_SEEING = (
    ("can", "not", "see"), ("do", "not", "see"), ("does", "not", "see"), ("should", "not", "see"),
    ("can", "not", "find"), ("should", "not", "find"), ("will", "not", "see"), ("must", "not",
    "see"),
    ("should", "not", "get"),
)  # fmt: skip
_PEOPLE = frozenset({"i", "we", "you", "user", "they", "customer", "one"})


def starts(tokens: Tokens, phrase: tuple[str, ...]) -> bool:
    """Whether tokens begin with a phrase."""
    return tuple(t.low for t in tokens[: len(phrase)]) == phrase


def read_atom(tokens: Tokens) -> Conditions:
    """The ways to read a simple condition; empty where it is none."""
    tokens = trimmed(tokens)
    phrase: tuple[str, ...]
    for phrase in FALSE:
        if starts(tokens, phrase):
            return negated(read_atom(tokens[len(phrase) :]))
    for phrase in _TRUE:
        if starts(tokens, phrase) and len(tokens) > len(phrase):
            return read_atom(tokens[len(phrase) :])
    if not tokens:
        return ()
    return _existing(tokens) or _seen(tokens) or read_sentences(tokens) or _with_verb(tokens)


def _existing(tokens: Tokens) -> Conditions:
    """``there is a link 'x'``, ``there should not be any 'x'``."""
    if tokens[0].low != "there":
        return ()
    found = verbs(tokens)
    if not found or found[0].start != 1 or found[0].meaning not in ("be", "exist"):
        return ()
    things = read_things(tokens[found[0].end :])
    return negated(things) if found[0].negated else things


def _seen(tokens: Tokens) -> Conditions:
    """``I see 'x'``, ``the user should not see 'x'``."""
    at = 1 if tokens[0].low == "the" else 0
    if at < len(tokens) and tokens[at].low in _PEOPLE:
        at += 1
    elif at or tokens[0].low not in ("see", "find"):
        return ()
    for phrases, opposite in ((_NOT_SEEING, True), (_SEEING, False)):
        for phrase in phrases:
            if starts(tokens[at:], phrase):
                things = read_things(_seen_things(tokens[at + len(phrase) :]))
                return negated(things) if opposite else things
    return ()


def seeing_size(tokens: Tokens) -> int:
    """How many tokens say ``I should see``; 0 where none do."""
    at = 1 if tokens and tokens[0].low == "the" else 0
    if at >= len(tokens) or tokens[at].low not in _PEOPLE:
        return 0
    for phrase in (*_NOT_SEEING, *_SEEING):
        if starts(tokens[at + 1 :], phrase):
            return at + 1 + len(phrase)
    return 0


def _seen_things(tokens: Tokens) -> Tokens:
    """What is seen, without "displayed" at the end."""
    if len(tokens) > 1 and tokens[-1].low in ("displayed", "shown", "visible", "present", "there"):
        return tokens[:-1]
    return tokens


def _with_verb(tokens: Tokens) -> Conditions:
    if tokens[0].low in ("no", "none", "neither") and len(tokens) > 2:
        rest = tokens[2:] if starts(tokens[1:], ("of",)) else tokens[1:]
        return negated(_with_verb(rest))
    for verb in verbs(tokens):
        conditions = _at(tokens, verb)
        if conditions:
            return conditions
    return ()


def _at(tokens: Tokens, verb: Verb) -> Conditions:
    subject, rest = tokens[: verb.start], tokens[verb.end :]
    if rest and any(t.low in ("can", "could", "may") for t in tokens[verb.start : verb.end]):
        rest = [_possible(rest[0]), *rest[1:]]
    found = read_predicate(subject, verb.meaning, rest)
    return negated(found) if verb.negated else found


_POSSIBLE = {"clicked": "clickable", "edited": "editable", "changed": "editable",
    "pressed": "clickable",
             "modified": "editable", "used": "clickable", "selected": "clickable"}  # fmt: skip


def _possible(token: Token) -> Token:
    """``can be clicked`` as ``is clickable``."""
    low = _POSSIBLE.get(token.low, token.low)
    return Token(token.kind, token.text, token.start, token.end, low, token.closed)
