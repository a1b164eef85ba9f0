"""Failure classes as people read them: how many there are, and how evenly they are hit."""

from collections import Counter

from sparring_plugins.language.quantities import plural
from sparring_plugins.search.failure_classes import Kind, effective_number


def kinds(counts: Counter[Kind]) -> str:
    """``in 762 failed cases, effectively 19.8``: of kinds of failures, how even they are."""
    even = effective_number(counts.elements())
    return f"in {plural(counts.total(), 'failed case')}, effectively {even:.1f}"
