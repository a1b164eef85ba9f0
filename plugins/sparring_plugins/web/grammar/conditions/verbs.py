"""The verb of a condition: where it stands, what it is, whether it is negated."""

from dataclasses import dataclass
from typing import Final

from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.vocabulary import words

BE: Final = words(
    "is are was were be been being am become becomes became remain remains remained stay"
    "stays stayed gets get got seems seem looks"
)
AUXILIARIES: Final = words(
    "should must shall will would can could may might does do did has have had needs ought"
)
_SURE = {
    "contains": "contain", "contain": "contain", "includes": "contain", "include": "contain",
    "containing": "contain", "has": "have", "have": "have", "had": "have", "having": "have",
    "equals": "equal", "equal": "equal", "matches": "equal", "exists": "exist", "exist": "exist",
    "appears": "exist", "appear": "exist", "appeared": "exist", "occurs": "exist", "occur": "exist",
    "disappears": "vanish", "disappear": "vanish", "vanishes": "vanish", "vanish": "vanish",
    "disappeared": "vanish", "exceeds": "exceed", "exceed": "exceed", "shows": "show",
    "displays": "show", "reads": "hold", "says": "hold", "holds": "hold", "states": "hold",
    "lists": "show", "mentions": "show", "offers": "show", "features": "show", "lacks": "lack",
    "starts": "start", "begins": "start", "ends": "end", "costs": "cost", "carries": "hold",
    "presents": "show", "=": "equal", "==": "equal", "≠": "differ", "!=": "differ", ">": "be",
    "<": "be", ">=": "be", "<=": "be", "≥": "be", "≤": "be", "differs": "differ", "opens": "exist",
    "loads": "exist", "shown": "be", "displayed": "be", "present": "be", "visible": "be",
    "mentioned": "be", "provides": "show", "closes": "vanish", "comprises": "contain",
    "bears": "hold",
    "changes": "be", "changed": "be",
}  # fmt: skip
#: Verbs that are nouns too: only behind an auxiliary.
_BARE = {
    "show": "show", "display": "show", "read": "hold", "say": "hold", "hold": "hold",
    "list": "show",
    "state": "hold", "mention": "show", "offer": "show", "start": "start", "begin": "start",
    "end": "end", "cost": "cost", "match": "equal", "lack": "lack", "feature": "show",
    "close": "vanish", "present": "show", "differ": "differ", "open": "exist", "load": "exist",
    "provide": "show",
}  # fmt: skip
_ADVERBS = words(
    "also still now currently correctly already actually really successfully always clearly"
    "again then indeed properly immediately finally eventually just automatically both all"
    "each"
)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb from `start` to `end`: what it means, and whether "not" stands with it."""

    start: int
    end: int
    meaning: str
    negated: bool = False


def verbs(tokens: Tokens, least: int = 1) -> list[Verb]:
    """The verbs that a condition may hinge on, from the left, the first from `least` on."""
    found: list[Verb] = []
    at = least
    while at < len(tokens) and len(found) < 8:
        verb = _verb(tokens, at)
        if verb is None:
            at += 1
        else:
            found.append(verb)
            at = max(verb.end, at + 1)
    return found


def _verb(tokens: Tokens, start: int) -> Verb | None:
    at, negated, helped = start, False, False
    meaning: str | None = None
    while at < len(tokens) and not tokens[at].quoted:
        low = tokens[at].low
        if low == "not" and (helped or meaning):
            negated = not negated
        elif low in BE:
            meaning, helped = "be", True
        elif low in AUXILIARIES and not _is_have(tokens, at):
            helped = True
        elif low == "to" and helped and at + 1 < len(tokens) and tokens[at + 1].low in BE:
            pass
        elif meaning is None and (low in _SURE or (helped and low in _BARE)):
            meaning = _SURE.get(low) or _BARE[low]
            return Verb(start, _end(tokens, at, low), meaning, negated)
        elif low not in _ADVERBS or not (helped or meaning):
            break
        at += 1
    if meaning is None and helped and negated and at == len(tokens):
        meaning = "again"  # "'b' does not"
    return Verb(start, at, meaning, negated) if meaning else None


def _end(tokens: Tokens, at: int, low: str) -> int:
    if low in (">", "<", ">=", "<=", "≥", "≤", "shown", "displayed", "present", "visible",
               "mentioned"):  # fmt: skip
        return at
    return at + 1


def _is_have(tokens: Tokens, at: int) -> bool:
    """Whether "has" is the verb itself: no participle, no "not" and no "to be" follows."""
    if tokens[at].low not in ("has", "have", "had"):
        return False
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    return following not in ("been", "not", "to") and following not in _PARTICIPLES


_PARTICIPLES = words("appeared disappeared vanished become gone opened loaded")
