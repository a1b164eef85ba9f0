"""A calibration as one page that needs nothing but a browser."""

import unicodedata
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.model.calibration import Calibration, Estimate, JudgeResult
from sparring_plugins.judging.calibration import figures

if TYPE_CHECKING:
    from jinja2 import Environment

FILES = Path(__file__).with_name("page")
MOST_WRONG = 100
MOST_UNUSABLE = 50
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")


def page(result: Calibration) -> str:
    """The page; everything in it that is not ours is text, never markup."""
    css = (FILES / "page.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    template = _environment().get_template("page.html.jinja")
    return template.render(
        css=css,
        policy=policy,
        result=result,
        created=result.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        rows=[row for row in figures.ROWS if _is_told(row, result)],
        figures=figures,
        boxes=[one for one in (boxed(judge) for judge in result.judges) if one],
        most_wrong=MOST_WRONG,
        most_unusable=MOST_UNUSABLE,
    )


def _is_told(row: figures.Row, result: Calibration) -> bool:
    return any(row.cell(judge) != figures.NOTHING for judge in result.judges)


def visible(text: object) -> str:
    """A text whose invisible characters, and those that reorder it, are written as escapes."""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(_escaped(one) for one in shown)


def _escaped(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _INVISIBLE:
        return character
    return f"\\u{ord(character):04x}"


def bar(found: Estimate) -> dict[str, float] | None:
    """Where a share and its interval lie on a line of 100 units."""
    if found.value is None or found.low is None or found.high is None:
        return None
    low, high = 100 * found.low, 100 * found.high
    return {"at": 100 * found.value, "low": low, "width": max(0.5, high - low)}


def boxed(judge: JudgeResult) -> dict[str, Any] | None:
    """A box plot of the accuracy in each run on a line of 100 units; None without runs."""
    found = figures.box(judge.runs)
    if found is None:
        return None
    least, lower, median, upper, most = (100 * value for value in found)
    return {
        "name": judge.name, "least": least, "lower": lower, "median": median, "upper": upper,
        "most": most, "width": max(0.5, upper - lower), "runs": len(judge.runs),
        "mean": 100 * sum(judge.runs) / len(judge.runs),
        "told": ", ".join(f"{value:.3f}" for value in found),
    }  # fmt: skip


def matrix(judge: JudgeResult) -> dict[str, Any]:
    """The confusion matrix: a row per class that was expected, a column per answer."""
    labels = [one.label for one in judge.classes]
    rows: list[dict[str, Any]] = []
    for expected in labels:
        counts = judge.confusion.get(expected, {})
        total = sum(counts.values())
        cells = [
            {
                "count": counts.get(said, 0),
                "right": said == expected,
                "tint": _tint(counts.get(said, 0), total),
            }
            for said in labels
        ]
        if total:
            rows.append({"label": expected, "cells": cells, "total": total})
    return {"labels": labels, "rows": rows}


def _tint(count: int, total: int) -> int:
    """How strongly a cell is tinted, from 0 to 4."""
    return 0 if not count else 1 + min(3, int(4 * count / total))


def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {"seen": visible, "bar": bar, "matrix": matrix}
    made.filters.update(filters)  # pyright: ignore[reportUnknownMemberType]
    return made
