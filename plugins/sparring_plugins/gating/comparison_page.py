"""A comparison of two runs as one HTML page, with conversations side by side."""

from collections.abc import Sequence
from pathlib import Path

from sparring_plugins.gating.change_table import ORDER, WORSE
from sparring_plugins.gating.comparison import Comparison
from sparring_plugins.gating.comparison_text import (
    UNITS,
    headline,
    measure_text,
    often_words,
    p_text,
    rates_lines,
)
from sparring_plugins.gating.transcripts import SideBySide
from sparring_plugins.language.text import one_line
from sparring_plugins.output.html_page import render_page

_MOST = 500
"""Changes of a kind that the page lists."""


def comparison_page(
    comparison: Comparison, before: str, after: str, conversations: Sequence[SideBySide]
) -> str:
    """Return the page; `before` and `after` name the two runs."""
    counts = comparison.counts
    kinds = [
        (kind, list(comparison.changes.of(kind, most=_MOST)), max(0, counts[kind] - _MOST))
        for kind in ORDER
        if counts[kind]
    ]
    measures = [
        (UNITS[measure.name], measure_text(measure, comparison.confidence))
        for measure in comparison.measures
    ]
    return render_page(
        Path(__file__).with_name("page"),
        "compare.html.jinja",
        {
            "headline": headline(comparison),
            "before": before,
            "after": after,
            "rates": list(rates_lines(comparison)),
            "checks": comparison.checks,
            "measures": measures,
            "kinds": kinds,
            "worse": WORSE,
            "often": often_words,
            "conversations": conversations,
        },
        {"p": p_text, "line": one_line},
    )
