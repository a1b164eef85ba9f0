"""Failure classes: which failures are alike by what oracles report, and how diverse they are.

A failure class is a sorted set of short texts from ``details.kind`` of the verdicts, such as
``("category", "retrieval")``. A category is coarser: the entries of ``details.class``, as
*endpoint*, *retrieval* or *wrong intent* of STELLAR's Table V.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import exp, log

from pydantic import JsonValue

from sparring.model.verdict import Outcome, Owner, Verdict

FailureClass = tuple[str, ...]
"""What distinguishes failures: short texts, sorted."""

# An app may report anything in `details.kind`: no more parts, and no longer ones, are kept.
_MOST = 40
# An oracle may put the answer itself into its class, which then stands in tables.
_LONGEST = 120
# "wrong intent, retrieval" has two parts; the blanks inside a part stay.
_SEPARATORS = re.compile(r"(?:(?<!\s)\s*)?[,;+|/\n]\s*")


def app_failures(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts that make a case a failure: gating ones that fail, owned by the app."""
    return [
        verdict
        for verdict in verdicts
        if verdict.gating and verdict.outcome is Outcome.FAIL and verdict.owner is Owner.APP
    ]


def failure_class_of(verdicts: Sequence[Verdict]) -> FailureClass:
    """Return the failure class of a case: ``details.kind`` of its verdicts, else their checks.

    ``details.kind`` is a text, a list of parts, or a mapping of parts to whether they apply.
    Returns an empty class for a case that did not fail.
    """
    checks = {f"{verdict.oracle}/{verdict.check}" for verdict in app_failures(verdicts)}
    return reported_class(verdicts) or tuple(sorted(checks)[:_MOST])


def reported_class(verdicts: Sequence[Verdict]) -> FailureClass:
    """Return the failure class that verdicts report in ``details.kind``; empty if none does."""
    parts = [
        part
        for verdict in app_failures(verdicts)
        for part in class_parts(verdict.details.get("kind"))
    ]
    return tuple(sorted(set(parts))[:_MOST])


def categories_of(verdicts: Sequence[Verdict]) -> FailureClass:
    """Return the categories of a failure (endpoint, retrieval … of STELLAR's Table V).

    These are the entries of ``details.class`` of its verdicts, else the parts of its failure class.
    """
    parts = [
        part
        for verdict in app_failures(verdicts)
        for part in class_parts(verdict.details.get("class"))
    ]
    return tuple(sorted(set(parts))[:_MOST]) or failure_class_of(verdicts)


def distinctive_parts(verdicts: Sequence[Verdict]) -> FailureClass:
    """Return the parts of the failure class that distinguish a failure within its category."""
    parts, categories = failure_class_of(verdicts), set(categories_of(verdicts))
    return tuple(part for part in parts if part not in categories) or parts


def class_parts(reported: JsonValue) -> list[str]:
    """Return the parts of a failure class as a verdict reports it.

    It is a text, a list, or a mapping of parts to whether they apply. A text is split at commas,
    semicolons, plus signs, bars, slashes and new lines.
    """
    if isinstance(reported, str):
        return [part[:_LONGEST] for part in _SEPARATORS.split(reported.strip()) if part]
    if isinstance(reported, dict):
        reported = [name for name, applies in reported.items() if applies]
    if isinstance(reported, list):
        parts = [part for part in reported[:_MOST] if part not in (None, "")]
        return [str(part)[:_LONGEST] for part in parts]
    return [] if reported is None else [str(reported)[:_LONGEST]]


def effective_number(classes: Iterable[Hashable]) -> float:
    """Return the exponential of the entropy of failure classes.

    That is how many equally frequent classes are as diverse: 1 for one class however frequent, 0
    for none.
    """
    counts = Counter(classes)
    total = counts.total()
    if not total:
        return 0.0
    return exp(-sum(count / total * log(count / total) for count in counts.values()))
