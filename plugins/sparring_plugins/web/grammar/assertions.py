"""Read sentences that assert, and sentences that wait for something."""

from sparring_plugins.web.grammar.conditions import read_condition
from sparring_plugins.web.grammar.conditions.quantities import Conditions, negate
from sparring_plugins.web.grammar.conditions.subjects import read_things
from sparring_plugins.web.grammar.conditions.verbs import find_verbs, normalise
from sparring_plugins.web.grammar.free.sentences import confirms, is_check
from sparring_plugins.web.grammar.phrases.numbers import read_cardinal, read_seconds
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan, readings
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, has_quotes, tokenise, trim
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.step import Displayed, Reading, Step

_LINKS = frozenset({"that", "if", "whether", ":", "to", "see", "how", "for", "-"})
_ALSO_ACTS = frozenset({"check", "see", "test", "note", "be", "confirm"})
_PRESENCE = {"presence": True, "existence": True, "visibility": True, "display": True,
             "absence": False, "appearance": True, "disappearance": False}  # fmt: skip
_SEEN_BY = frozenset({"i", "we", "user", "you", "they", "customer", "page", "there"})


def read_assertion(tokens: Tokens) -> ClausePlan | None:
    """Return the assertion that tokens make, or `None`."""
    tokens = trim(tokens)
    size, linked = _measure_lead(tokens)
    if size:
        return _read_asserted(tokens[size:], linked, tokens[0].low)
    if not tokens or not _states_something(tokens):
        return None
    return _plan_assertion(read_condition(tokens))


def is_lead(tokens: Tokens) -> bool:
    """Return whether tokens begin like an assertion and cannot be an action.

    "Confirm that it is gone" checks, "Confirm it" presses a button.
    """
    size, linked = _measure_lead(tokens)
    return size > 0 and (linked or tokens[0].low not in _ALSO_ACTS)


def is_assertion(step: Step) -> bool:
    """Return whether a step asserts; one that is not understood is judged by how it begins."""
    if step.readings:
        return step.asserts
    if confirms(step.text[:200]):
        return False
    return is_lead(trim(tokenise(step.text[:200]))) or is_check(step.text[:500])


def _measure_lead(tokens: Tokens) -> tuple[int, bool]:
    words = tuple(t.low for t in tokens[:4])
    leads = WORDS.assertion_leads.get(words[0], ()) if words else ()
    size = max((len(lead) for lead in leads if words[: len(lead)] == lead), default=0)
    if not size:
        return 0, False
    at = size
    while at < len(tokens) and not tokens[at].quoted and tokens[at].low in _LINKS:
        if tokens[at].low in ("if", "whether") and at > size:
            return 0, False  # "assert that if ..." depends on something
        if tokens[at].low == "for" and at == size:
            return (size + 1, True) if tokens[0].low in ("check", "test", "verify") else (0, False)
        at += 1
    return at, at > size


def _read_asserted(tokens: Tokens, linked: bool, lead: str) -> ClausePlan | None:
    tokens = trim(tokens)
    if not tokens:
        return None
    presence = _read_presence(tokens)
    if presence:
        return _plan_assertion(presence)
    conditions = read_condition(_make_finite(tokens))
    if not conditions and (linked or lead not in ("check", "see", "test", "note", "determine")):
        conditions = _read_named(tokens)
    return _plan_assertion(conditions)


def _read_presence(tokens: Tokens) -> Conditions:
    """``the presence of 'x'``."""
    at = 1 if tokens[0].low == "the" else 0
    if len(tokens) < at + 3 or tokens[at].low not in _PRESENCE or tokens[at + 1].low != "of":
        return ()
    things = read_things(tokens[at + 2 :])
    return things if _PRESENCE[tokens[at].low] else negate(things)


def _make_finite(tokens: Tokens) -> Tokens:
    """``expect 'x' to be displayed`` as ``'x' should be displayed``."""
    changed = list(normalise(tokens))
    for at, token in enumerate(changed):
        if token.low == "to" and not token.quoted and at and at + 1 < len(changed):
            following = changed[at + 1 :]
            should = Token(token.kind, token.text, token.start, token.end, "should")
            opposite = changed[at - 1].low == "not"
            if (
                find_verbs([should, *following], 0)[:1]
                and find_verbs([should, *following], 0)[0].start == 0
            ):
                moved = [should, changed[at - 1]] if opposite else [should]
                return [*changed[: at - 1 if opposite else at], *moved, *following]
    return changed


def _read_named(tokens: Tokens) -> Conditions:
    """``Assert 'x'``: that it is displayed."""
    if (
        not has_quotes(tokens)
        and tokens[0].low not in ("no", "a", "an", "there")
        and read_cardinal(tokens[0]) is None
    ):
        return ()
    if find_verbs(tokens):
        return ()
    return read_things(tokens)


def _states_something(tokens: Tokens) -> bool:
    """Whether a sentence without "assert" is a statement: it begins with what it is about."""
    first = tokens[1] if tokens[0].low == "the" and len(tokens) > 1 else tokens[0]
    if first.quoted or tokens[0].quoted or first.low in _SEEN_BY or tokens[0].low in ("the", "no",
            "a", "an", "it", "both", "either", "neither", "all", "that", "this", "at"):  # fmt: skip
        seeing = any(t.low in ("see", "sees", "find", "finds") for t in tokens if not t.quoted)
        return seeing or bool(find_verbs(normalise(tokens)))
    return any(t.low in ("should", "must") for t in tokens[1:] if not t.quoted) or (
        tokens[0].low in ("url", "title") and len(tokens) > 1
    )


def _plan_assertion(conditions: Conditions) -> ClausePlan | None:
    if not conditions:
        return None
    return (tuple(Reading(action="assert", condition=c) for c in conditions),)


def read_wait(tokens: Tokens) -> ClausePlan | None:
    """The wait that tokens ask for: ``until 'x' is displayed``, ``for the page to load``."""
    tokens = trim(tokens)
    words = [t.low for t in tokens]
    if not words or words[0] not in ("wait", "pause", "hold", "stay", "stand"):
        return None
    rest, limit = _split_limit(tokens[1:])
    while rest and rest[0].low in ("on", "by", "patiently"):
        rest = rest[1:]
    if not rest:
        return (readings("wait", value=limit),)
    if rest[0].low in ("until", "till", "that", "while"):
        return _wait_until(rest[1:], limit, opposite=rest[0].low == "while")
    if rest[0].low != "for" or len(rest) < 2:
        return None
    return _wait_until(rest[1:], limit)


def _split_limit(tokens: Tokens) -> tuple[Tokens, str | None]:
    """``(up to) 10 seconds`` before "for" or "until"."""
    for at, token in enumerate(tokens[:8]):
        if token.low in ("for", "until", "till") and at:
            words = [t.low for t in tokens[:at]]
            for lead in (["up", "to"], ["at", "most"], ["a", "maximum", "of"], ["max"], []):
                if words[: len(lead)] == lead:
                    limit = read_seconds(tuple(words[len(lead) :]))
                    if limit:
                        return tokens[at:], limit
    return tokens, None


def _wait_until(tokens: Tokens, limit: str | None, *, opposite: bool = False) -> ClausePlan | None:
    tokens = trim(tokens)
    words = tuple(t.low for t in tokens if t.low not in WORDS.loading_fillers)
    if not has_quotes(tokens) and words in WORDS.loading:
        return (readings("wait", value=limit),)
    conditions = read_condition(_make_finite(tokens))
    if not conditions and has_quotes(tokens) and not find_verbs(tokens):
        conditions = tuple(Displayed(target=t) for t in read_targets(tokens))
    if not conditions:
        conditions = read_things(tokens) if not find_verbs(tokens) else ()
    if opposite:
        conditions = negate(conditions)
    return (tuple(_wait_for(c, limit) for c in conditions),) if conditions else None


def _wait_for(condition: object, limit: str | None) -> Reading:
    return Reading.model_validate({"action": "wait", "condition": condition, "value": limit})
