"""Sentences that assert, and sentences that wait for something."""

from sparring_plugins.web.grammar.conditions import read_condition
from sparring_plugins.web.grammar.conditions.constructors import Conditions, negated
from sparring_plugins.web.grammar.conditions.normal_form import normal
from sparring_plugins.web.grammar.conditions.things import read_things
from sparring_plugins.web.grammar.conditions.verbs import verbs
from sparring_plugins.web.grammar.phrases.forms import Alternatives, Plan, one
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.numbers import cardinal, seconds
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, tokenise, trimmed
from sparring_plugins.web.roles.step import Displayed, Reading, Step

_LEADS = tuple(
    tuple(words.split())
    for words in (
        "assert", "verify", "ensure", "confirm", "validate", "check", "make sure", "make certain",
        "be sure", "expect", "test", "observe", "see", "see to it", "double check", "double-check",
        "i expect", "we expect", "check to see", "verify and confirm", "assure", "prove", "examine",
        "expected", "expected result", "expectation", "make an assertion", "assertion", "guarantee",
        "notice", "note", "determine", "establish",
    )
)  # fmt: skip
_LINKS = frozenset({"that", "if", "whether", ":", "to", "see", "how", "for", "-"})
_BARE_LEADS = frozenset({"expected", "notice", "note", "determine", "see", "observe", "test"})
_PRESENCE = {"presence": True, "existence": True, "visibility": True, "display": True,
             "absence": False, "appearance": True, "disappearance": False}  # fmt: skip
_SEEN_BY = frozenset({"i", "we", "user", "you", "they", "customer", "page", "there"})


def read_assertion(tokens: Tokens) -> Plan | None:
    """The assertion that tokens make; None where they make none."""
    tokens = trimmed(tokens)
    size, linked = _lead(tokens)
    if size:
        return _asserted(tokens[size:], linked, tokens[0].low)
    if not tokens or not _states_something(tokens):
        return None
    return _plan(read_condition(tokens))


def is_lead(tokens: Tokens) -> bool:
    """Whether tokens begin like an assertion and cannot be an action."""
    size, linked = _lead(tokens)
    return size > 0 and (linked or tokens[0].low not in ("check", "see", "test", "note", "be"))


def is_assertion(step: Step) -> bool:
    """Whether a step asserts; one that is not understood, by how it begins."""
    if step.readings:
        return step.asserts
    return is_lead(trimmed(tokenise(step.text[:200])))


def _lead(tokens: Tokens) -> tuple[int, bool]:
    words = tuple(t.low for t in tokens[:4])
    found = max((len(lead) for lead in _LEADS if words[: len(lead)] == lead), default=0)
    if not found:
        return 0, False
    at = found
    while at < len(tokens) and not tokens[at].quoted and tokens[at].low in _LINKS:
        if tokens[at].low in ("if", "whether") and at > found:
            return 0, False  # "assert that if ..." depends on something
        if tokens[at].low == "for" and at == found:
            return (found + 1, True) if tokens[0].low in ("check", "test", "verify") else (0, False)
        at += 1
    return at, at > found


def _asserted(tokens: Tokens, linked: bool, lead: str) -> Plan | None:
    tokens = trimmed(tokens)
    if not tokens:
        return None
    presence = _presence(tokens)
    if presence:
        return _plan(presence)
    conditions = read_condition(_finite(tokens))
    if not conditions and (linked or lead not in ("check", "see", "test", "note", "determine")):
        conditions = _merely_named(tokens)
    return _plan(conditions)


def _presence(tokens: Tokens) -> Conditions:
    """``the presence of 'x'``."""
    at = 1 if tokens[0].low == "the" else 0
    if len(tokens) < at + 3 or tokens[at].low not in _PRESENCE or tokens[at + 1].low != "of":
        return ()
    things = read_things(tokens[at + 2 :])
    return things if _PRESENCE[tokens[at].low] else negated(things)


def _finite(tokens: Tokens) -> Tokens:
    """``expect 'x' to be displayed`` as ``'x' should be displayed``."""
    changed = list(normal(tokens))
    for at, token in enumerate(changed):
        if token.low == "to" and not token.quoted and at and at + 1 < len(changed):
            following = changed[at + 1 :]
            should = Token(token.kind, token.text, token.start, token.end, "should")
            opposite = changed[at - 1].low == "not"
            if verbs([should, *following], 0)[:1] and verbs([should, *following], 0)[0].start == 0:
                moved = [should, changed[at - 1]] if opposite else [should]
                return [*changed[: at - 1 if opposite else at], *moved, *following]
    return changed


def _merely_named(tokens: Tokens) -> Conditions:
    """``Assert 'x'``: that it is displayed."""
    if (
        not any(t.quoted for t in tokens)
        and tokens[0].low not in ("no", "a", "an", "there")
        and cardinal(tokens[0]) is None
    ):
        return ()
    if verbs(tokens):
        return ()
    return read_things(tokens)


def _states_something(tokens: Tokens) -> bool:
    """Whether a sentence without "assert" is a statement: it begins with what it is about."""
    first = tokens[1] if tokens[0].low == "the" and len(tokens) > 1 else tokens[0]
    if first.quoted or tokens[0].quoted or first.low in _SEEN_BY or tokens[0].low in ("the", "no",
            "a", "an", "it", "both", "either", "neither", "all", "that", "this", "at"):  # fmt: skip
        seeing = any(t.low in ("see", "sees", "find", "finds") for t in tokens if not t.quoted)
        return seeing or bool(verbs(normal(tokens)))
    return any(t.low in ("should", "must") for t in tokens[1:] if not t.quoted) or (
        tokens[0].low in ("url", "title") and len(tokens) > 1
    )


def _plan(conditions: Conditions) -> Plan | None:
    if not conditions:
        return None
    return (tuple(Reading(action="assert", condition=c) for c in conditions),)


_SETTLED = (
    ("page", "load"), ("loaded",), ("loading",), ("page", "ready"), ("idle",), ("finished",),
    ("page", "settle"), ("load",), ("settles",),
)  # fmt: skip


def read_wait(tokens: Tokens) -> Plan | None:
    """The wait that tokens ask for: ``until 'x' is displayed``, ``for the page to load``."""
    tokens = trimmed(tokens)
    words = [t.low for t in tokens]
    if not words or words[0] not in ("wait", "pause", "hold", "stay", "stand"):
        return None
    rest, limit = _limit(tokens[1:])
    while rest and rest[0].low in ("on", "by", "patiently"):
        rest = rest[1:]
    if not rest:
        return (one("wait", value=limit),)
    if rest[0].low in ("until", "till", "that", "while"):
        return _until(rest[1:], limit, opposite=rest[0].low == "while")
    if rest[0].low != "for" or len(rest) < 2:
        return None
    return _until(rest[1:], limit)


def _limit(tokens: Tokens) -> tuple[Tokens, str | None]:
    """``(up to) 10 seconds`` before "for" or "until"."""
    for at, token in enumerate(tokens[:8]):
        if token.low in ("for", "until", "till") and at:
            words = [t.low for t in tokens[:at]]
            for lead in (["up", "to"], ["at", "most"], ["a", "maximum", "of"], ["max"], []):
                if words[: len(lead)] == lead:
                    found = seconds(tuple(words[len(lead) :]))
                    if found:
                        return tokens[at:], found
    return tokens, None


def _until(tokens: Tokens, limit: str | None, *, opposite: bool = False) -> Plan | None:
    tokens = trimmed(tokens)
    words = [t.low for t in tokens if t.low not in ("the", "has", "is", "to", "be", "a", "have",
        "fully",
             "completely", "new", "been", "next", "stops", "current", "are")]  # fmt: skip
    if not any(t.quoted for t in tokens) and _settles(words):
        return (one("wait", value=limit),)
    conditions = read_condition(_finite(tokens))
    if not conditions and any(t.quoted for t in tokens) and not verbs(tokens):
        conditions = tuple(Displayed(target=t) for t in read_targets(tokens))
    if not conditions:
        conditions = read_things(tokens) if not verbs(tokens) else ()
    if opposite:
        conditions = negated(conditions)
    return (tuple(_waiting(c, limit) for c in conditions),) if conditions else None


def _waiting(condition: object, limit: str | None) -> Reading:
    return Reading.model_validate({"action": "wait", "condition": condition, "value": limit})


def _settles(words: list[str]) -> bool:
    return words in (
        ["page", "load"], ["page", "loaded"], ["page", "loads"], ["page", "ready"], ["loading"],
        ["page", "loading"], ["page", "idle"], ["page", "settle"], ["page", "settled"], ["page"],
        ["everything", "loaded"], ["network", "idle"], ["page", "load", "finished"], ["load"],
        ["page", "finish", "loading"], ["page", "finished", "loading"], ["page", "settles"],
        ["page", "load", "completely"], ["website", "load"], ["app", "load"], ["site", "load"],
        ["page", "finishes", "loading"], ["page", "done", "loading"], ["page", "reload"],
        ["animation"], ["page", "quiet"], ["application", "load"], ["results", "load"],
        ["content", "load"], ["page", "refresh"], ["page", "appear"],
    )  # fmt: skip


__all__ = ["Alternatives", "is_lead", "read_assertion", "read_wait"]
