"""Cases × variants as one HTML page."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sparring_plugins.gating.matrix import Matrix
from sparring_plugins.language.text import one_line
from sparring_plugins.output.html_page import render_page

_MOST = 5_000
"""Rows that the page has; those in which the variants differ come first."""


_TONES = {"pass": "pass", "FAIL": "fail", "flaky": "undecided", "undecided": "undecided"}


def matrix_page(matrix: Matrix, address: Callable[[Path | None], str] = lambda folder: "") -> str:
    """Return the page of a matrix; `address` gives that of the report in a run's folder, if any."""
    addresses = [address(variant.folder) for variant in matrix.variants]
    return render_page(
        Path(__file__).with_name("page"),
        "matrix.html.jinja",
        {
            "headline": matrix.headline,
            "variants": list(zip(matrix.variants, addresses, strict=True)),
            "rows": matrix.rows[:_MOST],
            "hidden": max(0, len(matrix.rows) - _MOST),
        },
        {"line": one_line, "anchored": _anchored, "tone": cell_tone},
    )


def _anchored(address: str, play: str) -> str:
    """The address of a conversation in a report."""
    return f"{address}#case-{quote(play, safe='')}" if address and play else ""


def cell_tone(cell: str) -> str:
    """Return which of ``pass``, ``fail`` and ``undecided`` a cell is; empty if none of them."""
    return _TONES.get(cell.partition(" ")[0], "")
