"""Readers of everyday acts: remember a value, act only if something is shown, frames, tabs."""

import re

from sparring_plugins.web.grammar.canonical import describe_target
from sparring_plugins.web.grammar.everyday.matches import Match, reader
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.step import Condition, Displayed, Not, Reading

# "If 'Accept' is shown, click it": the condition says what.
_PRONOUN = re.compile(
    r"^((?:click|press|tap|tick|check|select|choose)(?: on)?) (?:it|that|them)$", re.I
)
_ELSE = re.compile(r"\b(?:otherwise|else|if not)\b", re.IGNORECASE)


_VALUES = frozenset({"value", "text", "number", "price", "amount", "content", "it", "this"})


@reader
def remember(match: Match) -> ClausePlan | None:
    """Read ``Remember the total as T``."""
    targets = read_targets(match.tokens("target"))
    if not targets or not targets[0].text or targets[0].text.casefold() in _VALUES:
        return None
    name = match.text("name") if match.has("name") else ""
    return (tuple(Reading(action="remember", target=t, value=name or None) for t in targets[:1]),)


@reader
def conditional(match: Match) -> ClausePlan | None:
    """Read ``If 'Cookies' is shown, click on 'Accept', otherwise ...``: each act only if so."""
    if _ELSE.search(match.slots["act"]):
        return None
    condition = _condition(match)
    act = match.source("act")
    if isinstance(condition, Displayed):  # "if 'Accept' is shown, click it"
        act = _PRONOUN.sub(lambda found: f"{found[1]} {describe_target(condition.target)}", act)
    acts = match.read_clauses(act)
    others = match.read_clauses(match.source("other")) if match.has("other") else ()
    if condition is None or not acts or others is None:
        return None
    plans = [_only_if(plan, condition) for plan in acts]
    plans += [_only_if(plan, Not(condition=condition)) for plan in others]
    return tuple(step for plan in plans for step in plan) if all(plans) else None


def _condition(match: Match) -> Condition | None:
    clauses = match.read_clauses(f"Assert that {match.source('condition')}")
    if not clauses or len(clauses) != 1 or len(clauses[0]) != 1:
        return None
    reading = clauses[0][0][0]
    return reading.condition if reading.action == "assert" else None


def _only_if(plan: ClausePlan, condition: Condition) -> ClausePlan:
    """Return the acts of a clause under a condition; empty if it holds a check."""
    if any(reading.only_if for step in plan for reading in step):
        return ()
    if any(reading.action == "assert" for step in plan for reading in step):
        return ()
    return tuple(
        tuple(reading.model_copy(update={"only_if": condition}) for reading in step)
        for step in plan
    )


@reader
def switch_frame(match: Match) -> ClausePlan | None:
    """Read ``Switch to the frame 'payment'``."""
    name = None if match.has("main") else match.text("name")
    if match.has("main") and match.slots["main"].lower() in ("frame", "iframe"):
        return None
    return ((Reading(action="switch_frame", value=name),),)


@reader
def new_tab(match: Match) -> ClausePlan | None:
    """Read ``Open a new tab``, ``Open '/help' in a new tab``."""
    opened = (Reading(action="new_tab"),)
    if not match.has("address"):
        return (opened,)
    return (opened, (Reading(action="open", value=match.text("address")),))


@reader
def screenshot(match: Match) -> ClausePlan | None:
    """Read ``Take a screenshot``."""
    del match
    return ((Reading(action="screenshot"),),)


@reader
def answer_prompt(match: Match) -> ClausePlan | None:
    """Read ``Answer 'Wilf'``, ``Confirm the question``, ``Answer no``."""
    value = match.text("value") if match.has("value") else "accept"
    if match.has("no"):
        value = "dismiss"
    return ((Reading(action="answer_dialog", value=value),),)
