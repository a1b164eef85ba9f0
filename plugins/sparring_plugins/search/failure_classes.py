"""Which failures are of one kind, how many kinds there are, and how many it effectively is."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import exp, log

from pydantic import JsonValue

from sparring.model.verdict import Outcome, Owner, Verdict

Kind = tuple[str, ...]
"""What tells a kind of failure from others: short texts, sorted."""

_MOST = 40
_LONGEST = 120
_SEPARATORS = re.compile(r"\s*[,;+|/\n]\s*")


def failing(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts that make a case a failure of the app: gating ones that fail and it owns."""
    return [
        one
        for one in verdicts
        if one.gating and one.outcome is Outcome.FAIL and one.owner is Owner.APP
    ]


def kind_of(verdicts: Sequence[Verdict]) -> Kind:
    """The kind of a failed case: what its verdicts tell in ``details.kind``, else their checks.

    They tell it as a text, a list of its parts, or a mapping of parts to whether they apply.
    Nothing for a case that did not fail.
    """
    checks = {f"{one.oracle}/{one.check}" for one in failing(verdicts)}
    return told_kind(verdicts) or tuple(sorted(checks)[:_MOST])


def told_kind(verdicts: Sequence[Verdict]) -> Kind:
    """The kind of a failed case as its verdicts tell it; nothing where none of them does."""
    told = [part for one in failing(verdicts) for part in kind_parts(one.details.get("kind"))]
    return tuple(sorted(set(told))[:_MOST])


def classes_of(verdicts: Sequence[Verdict]) -> Kind:
    """The classes of a failure (as the endpoint, retrieval, wrong intent of STELLAR's Table V).

    What its verdicts tell in ``details.class``, else the parts of their kinds.
    """
    found = failing(verdicts)
    told = [part for one in found for part in kind_parts(one.details.get("class"))]
    return tuple(sorted(set(told))[:_MOST]) or kind_of(verdicts)


def targets_of(verdicts: Sequence[Verdict]) -> Kind:
    """The parts of the kind by which a failure is told from others of its class."""
    kind, classes = kind_of(verdicts), set(classes_of(verdicts))
    return tuple(part for part in kind if part not in classes) or kind


def kind_parts(kind: JsonValue) -> list[str]:
    """The parts of a kind as a verdict tells it: a text, a list, or a mapping of what applies.

    A text is split where it lists: at commas, semicolons, plus signs, bars, slashes and new lines.
    """
    if isinstance(kind, str):
        return [part[:_LONGEST] for part in _SEPARATORS.split(kind.strip()) if part]
    if isinstance(kind, dict):
        kind = [name for name, applies in kind.items() if applies]
    if isinstance(kind, list):
        listed = [part for part in kind[:_MOST] if part not in (None, "")]
        return [str(part)[:_LONGEST] for part in listed]
    return [] if kind is None else [str(kind)[:_LONGEST]]


def effective_number(kinds: Iterable[Hashable]) -> float:
    """The exponential of the entropy of kinds: how many equally frequent kinds are as diverse.

    1 for one kind however frequent, 0 for nothing.
    """
    counts = Counter(kinds)
    total = counts.total()
    if not total:
        return 0.0
    return exp(-sum(n / total * log(n / total) for n in counts.values()))
