"""Reading steps: from the text of a line to its steps, with all sensible readings of each."""

from collections.abc import Iterator, Sequence

from sparring_plugins.web.grammar.actions import plans
from sparring_plugins.web.grammar.assertions import is_lead, read_assertion, read_wait
from sparring_plugins.web.grammar.canonical import sentence
from sparring_plugins.web.grammar.clauses import cuts, is_forbidding, plain_clause, without_bullet
from sparring_plugins.web.grammar.conditions import read_condition
from sparring_plugins.web.grammar.phrases.forms import Alternatives, Plan
from sparring_plugins.web.grammar.step_problems import problems_of, unknown
from sparring_plugins.web.grammar.words.control_nouns import CONTROLS, ending
from sparring_plugins.web.grammar.words.letter_case import in_letters
from sparring_plugins.web.grammar.words.quotes import quotations
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, tokenise, trimmed, written
from sparring_plugins.web.grammar.words.verbs import VERBS, base
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Reading, Step, Target

MOST_CHARACTERS = 2_000
"""Longer texts are no steps; nothing is tried on them."""
_MOST_TOKENS = 160
_MOST_READINGS = 6


def read_step(text: str, *, number: int, line: int | None = None) -> Step:
    """Read the text of one step; never raises.

    A sentence that makes several steps has no reading here: `read_steps` gives all of them.
    """
    found = read_steps(text, number=number, line=line)
    if len(found) == 1:
        return found[0]
    problem = (
        f"holds {len(found)} steps; write each on a line of its own"
        if found
        else "says nothing to do"
    )
    return Step(number=number, text=text, problems=(problem,), line=line)


def read_steps(text: str, *, number: int = 1, line: int | None = None) -> tuple[Step, ...]:
    """Read a text that may give several steps ("Enter 'x' into the field and press Submit.").

    The steps are numbered from `number`. A text that is not understood is one step without a
    reading; one that asks for nothing ("Select nothing") is none.
    """
    if len(text) > MOST_CHARACTERS:
        shown = (f"is longer than {MOST_CHARACTERS:,} characters",)
        return (Step(number=number, text=text, problems=shown, line=line),)
    body = without_bullet(text)
    for tokens in _tokenised(body):
        if len(tokens) > _MOST_TOKENS:
            break
        clauses = _read(tokens)
        if clauses is not None:
            return _steps(text, body, clauses, number, line)
    return (Step(number=number, text=text, problems=unknown(body), line=line),)


def _steps(
    text: str, body: str, clauses: list[tuple[Tokens, Plan]], number: int, line: int | None
) -> tuple[Step, ...]:
    total = sum(len(plan) for _, plan in clauses)
    found: list[Step] = []
    last: Target | None = None
    for tokens, plan in clauses:
        for alternatives in plan:
            readings = _explained(_meant(alternatives, last))
            last = readings[0].target or last
            shown = text if total == 1 else (
                written(body, tokens) if len(plan) == 1 else readings[0].explanation
            )  # fmt: skip
            problems = problems_of(readings, tokens)
            found.append(
                Step(number=number + len(found), text=shown, readings=readings,
                     problems=problems, line=line)
            )  # fmt: skip
    return tuple(found)


_PRONOUNS = frozenset(
    {"it", "them", "this", "that", "that one", "this one", "that button", "that link"}
)


def _meant(alternatives: Alternatives, last: Target | None) -> Alternatives:
    """Where a step says "it", it means what the step before was about."""
    target = alternatives[0].target
    if last is None or target is None or target.quoted or target.text.casefold() not in _PRONOUNS:
        return alternatives
    return tuple(r.model_copy(update={"target": last}) for r in alternatives)


def _explained(alternatives: Alternatives) -> Alternatives:
    unique = list(dict.fromkeys(alternatives))[:_MOST_READINGS]
    return tuple(r.model_copy(update={"explanation": sentence(r)}) for r in unique)


_CLOSING = words(
    "is are in into on with from to and or of for contains contain has field button link as"
    "at under should does then , . appears"
)


def _tokenised(text: str) -> Iterator[Tokens]:
    """The tokens; where a quote is unclosed, first as it may have been meant."""
    unclosed = next((q for q in quotations(text) if not q.closed), None)
    plain = tokenise(text)
    if unclosed is None:
        yield plain
        return
    places = _cut_places(text, unclosed.start)
    nested = any(mark in text[unclosed.start + 1 :] for mark in "'\"“«`‘")
    lead = is_lead(trimmed(plain))
    before = len([t for t in plain if t.start < unclosed.start])
    if nested or lead or (before <= 2 and len(places) > 0 and _enters(plain)):
        yield from (tokenise(text, cut) for cut in places)
        yield plain
    else:
        yield plain
        yield from (tokenise(text, cut) for cut in places)


def _enters(tokens: Tokens) -> bool:
    return bool(tokens) and base(tokens[0].low) in ("type", "enter", "write", "select", "choose",
        "drag",
                                                    "fill", "put", "input", "pick")  # fmt: skip


def _cut_places(text: str, start: int) -> list[int]:
    """Where an unclosed quotation may have been meant to end: before a word that goes on."""
    found: list[int] = []
    at = text.find(" ", start + 2)
    while at >= 0 and len(found) < 12:
        word = text[at:].split(maxsplit=1)[:1]
        if word and word[0].casefold().strip(",.") in _CLOSING:
            found.append(at)
        at = text.find(" ", at + 1)
    return found


def _read(tokens: Tokens) -> list[tuple[Tokens, Plan]] | None:
    """The clauses of a sentence with their plans: as many clauses as can be read."""
    tokens = trimmed(tokens, ".,;:!?-–—…*•")
    places = [(0, 0), *cuts(tokens), (len(tokens), len(tokens))]
    known: dict[int, list[tuple[Tokens, Plan]] | None] = {len(places) - 1: []}
    for start in range(len(places) - 2, -1, -1):
        known[start] = None
        for end in range(start + 1, min(len(places), start + 6)):
            following = known[end]
            if following is None:
                continue
            part = tokens[places[start][1] : places[end][0]]
            plan = read_clause(part)
            if plan is not None:
                known[start] = [(part, plan), *following]
                break
    return known[0]


def read_clause(tokens: Tokens) -> Plan | None:
    """The steps of one clause; None where it is not understood."""
    tokens = trimmed(tokens, ".,;:!?-–—…*•")
    if not tokens:
        return None
    fronted = _fronted(tokens)
    if fronted is not None:
        return fronted
    clause = plain_clause(tokens)
    if not clause or is_forbidding(clause):
        return None
    clause = in_letters(clause)
    plan = _said(tokens, clause)
    if plan is None:
        plan = _by_doing(clause)
    return _gapped(clause) if plan is None else plan


def _said(tokens: Tokens, clause: Tokens) -> Plan | None:
    if is_lead(clause):
        return read_assertion(clause)
    waiting = read_wait(clause)
    if waiting is not None and not _is_time(clause):
        return waiting
    if clause[0].low in ("check", "see", "test"):
        asserted = read_assertion(clause)
        if asserted is not None:
            return asserted
    arrival = _arrival(tokens)
    if arrival is not None:
        return arrival
    for candidate in _without_purpose(clause):
        for _, plan in plans(candidate):
            return plan
    return waiting or read_assertion(tokens) or read_assertion(clause)


def _is_time(clause: Tokens) -> bool:
    return next((True for _, plan in plans(clause) if plan and plan[0][0].action == "wait"), False)


def _arrival(tokens: Tokens) -> Plan | None:
    """``Given I am on 'https://...'``: open it."""
    if tokens[0].low not in ("given", "starting", "beginning"):
        return None
    conditions = read_condition(tokens[1:])
    for condition in conditions:
        if condition.kind == "page_is" and condition.property == "url":
            return ((Reading(action="open", value=condition.text),),)
    return None


_WHOLE = frozenset({"button", "link", "icon", "tab", "form", "key", "box", "checkbox"})


def _without_purpose(clause: Tokens) -> Iterator[Tokens]:
    """The clause without ``to submit the form`` at its end, where that follows a whole name."""
    loose: list[Tokens] = []
    for at in range(2, len(clause) - 1):
        if clause[at].quoted:
            continue
        doing = not clause[at + 1].quoted and (
            clause[at + 1].low in VERBS
            or clause[at + 1].low in ("be", "make", "get", "show", "view")
        )
        so_that = [t.low for t in clause[at : at + 2]] in (["so", "that"], ["in", "order"])
        whole = clause[at - 1].quoted or clause[at - 1].low in _WHOLE
        if so_that or (clause[at].low == "to" and doing and whole):
            yield clause[:at]
        elif clause[at].low == "to" and doing:
            loose.append(clause[:at])
    yield clause
    yield from loose


_PREPOSITIONS = words(
    "in into on from under within inside for using at next below to with beside near"
)


def _fronted(tokens: Tokens) -> Plan | None:
    """``In the field 'x', type 'y'``; ``When 'x' is displayed, click on 'y'``."""
    first = tokens[0].low
    if first not in _PREPOSITIONS and first not in ("when", "once", "after", "as", "if"):
        return None
    for at in range(2, min(len(tokens) - 1, 40)):
        comma = tokens[at].text == "," and not tokens[at].quoted
        if not comma and not (_ends_name(tokens[:at]) and base(tokens[at].low) in VERBS):
            continue
        front, rest = tokens[:at], tokens[at + 1 :] if comma else tokens[at:]
        plan = _moved(first, front, rest)
        if plan is not None:
            return plan
    return None


def _ends_name(tokens: Tokens) -> bool:
    return tokens[-1].quoted or ending([t.low for t in tokens[1:]], CONTROLS) > 0


def _moved(first: str, front: Tokens, rest: Tokens) -> Plan | None:
    clause = plain_clause(rest)
    if not clause or clause[0].quoted or base(clause[0].low) not in VERBS:
        return None
    if first in ("when", "once", "after", "as"):
        front = front[1:] if first != "as" else front[3:]
        wait = read_wait(
            [Token("word", "wait", 0, 0, "wait"), Token("word", "until", 0, 0, "until"), *front]
        )
        plan = read_clause(rest) if wait else None
        return (*wait, *plan) if wait and plan else None
    if first == "if":
        return None
    if first == "to" and not any(t.quoted for t in front):
        return read_clause(rest)
    return next((plan for _, plan in plans([*clause, *front])), None)


def _by_doing(clause: Tokens) -> Plan | None:
    """``Log in by clicking 'Sign in'``: what is done."""
    for at in range(1, len(clause) - 1):
        doing = clause[at + 1]
        if clause[at].low in ("by", "via") and not doing.quoted and doing.low.endswith("ing"):
            return read_clause(clause[at + 1 :])
    return None


def _gapped(clause: Tokens) -> Plan | None:
    """``Type 'a' in 'x' and 'b' in 'y'``: the verb holds for both parts."""
    if clause[0].low not in VERBS:
        return None
    joints = [
        n
        for n, t in enumerate(clause)
        if n > 1 and not t.quoted and (t.low == "and" or t.text == ",")
    ]
    for at in joints[:12]:
        left = _first_plan(clause[:at])
        rest = trimmed(clause[at + 1 :])
        while rest and rest[0].low in ("and", "then"):
            rest = rest[1:]
        if left is None or not rest or rest[0].low in ("find", "locate"):
            continue
        right = _first_plan([clause[0], *rest]) or _gapped([clause[0], *rest])
        if right is not None:
            return (*left, *right)
    return None


def _first_plan(tokens: Sequence[Token]) -> Plan | None:
    return next((plan for _, plan in plans(tokens)), None)
