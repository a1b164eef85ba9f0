"""Variants of suites (``vary``): a list of them, and cases × variants, each a run of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparring.errors import SparringError
from sparring_plugins.gating.matrix import Matrix, Row, matrix_of
from sparring_plugins.gating.matrix_page import cell_tone
from sparring_plugins.gating.stored_matrix import (
    MATRIX,
    StoredMatrix,
    played_variants,
    read_matrix,
    run_of,
)
from sparring_plugins.language.text import one_line

_MOST_MATRICES = 200
# A table that a browser still scrolls smoothly.
_MOST_ROWS = 2_000


def _matrices(folder: Path) -> Iterator[tuple[Path, StoredMatrix]]:
    """The matrices below a folder, the newest first; one that cannot be read is left out."""
    files = folder.glob(f"*/{MATRIX}") if folder.is_dir() else ()
    names = sorted((path.parent for path in files if not path.parent.is_symlink()), reverse=True)
    for path in names[:_MOST_MATRICES]:
        try:
            yield path, read_matrix(path)
        except SparringError:
            continue


def matrix_cards(folder: Path) -> list[dict[str, Any]]:
    """Return what the list shows of the variants of each suite, the newest first."""
    cards = [
        {
            "name": path.name,
            "suite": one_line(matrix.name, 120),
            "created": matrix.created.isoformat(),
            "variants": len(matrix.variants),
            "played": sum(run_of(path, each) is not None for each in matrix.variants),
        }
        for path, matrix in _matrices(folder)
    ]
    return sorted(cards, key=lambda card: str(card["created"]), reverse=True)


def matrix_view(folder: Path, name: str) -> dict[str, Any] | None:
    """Return the cases × variants of a matrix by its folder's name; `None` if there is none."""
    stored = next((candidate for candidate in _matrices(folder) if candidate[0].name == name), None)
    if stored is None:
        return None
    path, listed = stored
    matrix = matrix_of(played_variants(path, listed.variants))
    return {
        "suite": one_line(listed.name, 120),
        "headline": matrix.headline,
        "waiting": [
            one_line(each.name, 200) for each in listed.variants if run_of(path, each) is None
        ],
        "variants": [
            {
                "name": one_line(variant.name, 200),
                "run": variant.folder.name if variant.folder else "",
                "rate": variant.rate,
                "spent": variant.spent,
            }
            for variant in matrix.variants
        ],
        "rows": [_row(matrix, row) for row in matrix.rows[:_MOST_ROWS]],
        "more": max(0, len(matrix.rows) - _MOST_ROWS),
    }


def _row(matrix: Matrix, row: Row) -> dict[str, Any]:
    cells = zip(matrix.variants, row.cells, strict=True)
    return {
        "name": one_line(row.name, 160),
        "differs": row.differs,
        "cells": [[cell, cell_tone(cell), variant.play(row.name)] for variant, cell in cells],
    }
