"""Find the verb of a condition: its place, its meaning, and whether it is negated."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb from `start` to `end`: what it means, and whether "not" stands with it."""

    start: int
    end: int
    meaning: str
    negated: bool = False


def find_verbs(tokens: Tokens, least: int = 1) -> list[Verb]:
    """Return the verbs that a condition may hinge on, from the left, from index `least` on."""
    candidates: list[Verb] = []
    at = least
    while at < len(tokens) and len(candidates) < 8:
        verb = _read_verb(tokens, at)
        if verb is None:
            at += 1
        else:
            candidates.append(verb)
            at = max(verb.end, at + 1)
    return candidates


def _read_verb(tokens: Tokens, start: int) -> Verb | None:
    at, meaning, helped, negated = _skip_auxiliaries(tokens, start)
    following = tokens[at].low if at < len(tokens) and not tokens[at].quoted else ""
    if meaning is None and (named := _lookup_meaning(following, helped)):
        return Verb(start, at if following in _STANDING_FOR_BE else at + 1, named, negated)
    if meaning is None and helped and negated and at == len(tokens):
        meaning = "again"  # "'b' does not"
    return Verb(start, at, meaning, negated) if meaning else None


def _skip_auxiliaries(tokens: Tokens, at: int) -> tuple[int, str | None, bool, bool]:
    """Skip ``should not be``; return its end, "be" or `None`, whether helped, whether negated."""
    helped = negated = False
    meaning: str | None = None
    while at < len(tokens) and not tokens[at].quoted:
        low = tokens[at].low
        if low in WORDS.be:
            meaning, helped = "be", True
        elif low in WORDS.auxiliaries and not _is_have(tokens, at):
            helped = True
        elif not helped:
            break
        elif low == "not":
            negated = not negated
        elif low not in WORDS.condition_adverbs and not _leads_to_be(tokens, at):
            break
        at += 1
    return at, meaning, helped, negated


#: "is" is left out before them, so they belong to what follows the verb.
_STANDING_FOR_BE = frozenset(
    {">", "<", ">=", "<=", "≥", "≤", "shown", "displayed", "present", "visible", "mentioned"}
)


def _lookup_meaning(low: str, helped: bool) -> str | None:
    return WORDS.condition_verbs.get(low) or (WORDS.helped_verbs.get(low) if helped else None)


def _leads_to_be(tokens: Tokens, at: int) -> bool:
    """Whether it is the "to" of ``needs to be``."""
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    return tokens[at].low == "to" and following in WORDS.be


def _is_have(tokens: Tokens, at: int) -> bool:
    """Whether "has" is the verb itself: no participle, no "not" and no "to be" follows."""
    if tokens[at].low not in ("has", "have", "had"):
        return False
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    return following not in ("been", "not", "to") and following not in _PARTICIPLES


_PARTICIPLES = frozenset(
    {"appeared", "disappeared", "vanished", "become", "gone", "opened", "loaded"}
)


def normalise(tokens: Tokens) -> tuple[Token, ...]:
    """Return tokens with "isn't" as "is not", "no longer" and "never" as "not"."""
    spelled = [part for token in tokens for part in _spelled(token)]
    shorter: list[Token] = []
    at = 0
    while at < len(spelled):
        replacement, size = _shorten(shorter, spelled[at : at + 2])
        shorter += replacement
        at += size
    return tuple(shorter)


def _spelled(token: Token) -> list[Token]:
    """Return a token as it is spelled out; the text of all of them is that of the token.

    "They didn't match" reads the words "didn't match" where it looks for a text.
    """
    first, *rest = _spell_out(token)
    return [
        Token(token.kind, token.text, token.start, token.end, first, token.closed),
        *(Token(token.kind, "", token.end, token.end, low, token.closed) for low in rest),
    ]


def _shorten(before: list[Token], pair: list[Token]) -> tuple[list[Token], int]:
    """Return the replacement of a token and the next one, and how many it replaces."""
    token, following = pair[0], pair[-1].low if len(pair) > 1 else ""
    if token.low == "no" and following in ("longer", "more") and _follows_verb(before):
        return [Token("word", "not", token.start, pair[1].end, "not")], 2
    if token.low == "not" and following == "anymore":
        return [token], 2
    if token.low in ("go", "goes", "went") and following == "away":
        return [Token("word", "disappears", token.start, token.end, "disappears")], 2
    if token.low == "anymore":
        return [], 1
    if token.low == "any" and following in ("longer", "more") and before:
        return ([], 2) if before[-1].low != "not" else ([token], 1)
    return [token], 1


def _spell_out(token: Token) -> Sequence[str]:
    if token.kind != "word":
        return (token.low,)
    if token.low in WORDS.contractions:
        return WORDS.contractions[token.low]
    stem = token.low.removesuffix("n't")
    if stem == token.low:
        stem = token.low.removesuffix("nt") if token.low in _UNMARKED else token.low
    if stem != token.low and stem in WORDS.negatable:
        return (stem, "not")
    return (token.low,)


_UNMARKED = frozenset({"isnt", "arent", "doesnt", "dont", "didnt", "hasnt", "havent", "shouldnt"})


def _follows_verb(before: list[Token]) -> bool:
    """Whether "no more" follows a subject or a verb, and is no quantity."""
    return bool(before) and before[-1].low not in (
        "has", "have", "with", "contains", "are", "shows",
    )  # fmt: skip
