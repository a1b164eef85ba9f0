"""Cases × variants as one HTML page."""

from pathlib import Path

from sparring_plugins.gating.matrix import Matrix
from sparring_plugins.language.text import one_line
from sparring_plugins.output.html_page import render_page

_MOST = 5_000
"""Rows that the page has; those in which the variants differ come first."""


def matrix_page(matrix: Matrix) -> str:
    """Return the page of a matrix."""
    return render_page(
        Path(__file__).with_name("page"),
        "matrix.html.jinja",
        {
            "headline": matrix.headline,
            "variants": matrix.variants,
            "rows": matrix.rows[:_MOST],
            "hidden": max(0, len(matrix.rows) - _MOST),
        },
        {"line": one_line},
    )
