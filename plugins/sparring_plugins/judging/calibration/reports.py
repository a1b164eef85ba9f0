"""Measures as people read them, in the same words in the table and on the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from sparring.cli.output import plain
from sparring.model.run import Usage
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.results import (
    Calibration,
    Estimate,
    ExampleResult,
    JudgeResult,
)
from sparring_plugins.output.html_page import render_page

NOTHING = "-"
"""What is shown of a measure that is undefined."""


@dataclass(frozen=True, slots=True)
class Row:
    """A measure: its name, what it means, and how it is shown."""

    name: str
    meaning: str
    cell: Callable[[JudgeResult], str]

    def name_for(self, judges: Sequence[JudgeResult]) -> str:
        """The name, with the class that it is about if all judges share one."""
        if self.name not in ("precision", "recall", "F1"):
            return self.name
        about = {judge.positive for judge in judges if judge.decided}
        positive = about.pop() if len(about) == 1 else None
        return f"{self.name} of {positive!r}" if positive is not None else self.name


def number(value: float | None, digits: int = 3) -> str:
    """A number, or nothing."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def estimate(figure: Estimate, digits: int = 3) -> str:
    """A value and its interval: ``0.930 [0.880-0.960]``."""
    if figure.value is None or figure.low is None or figure.high is None:
        return number(figure.value, digits)
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def share(part: int, whole: int) -> str:
    """A count and its share: ``3 (2.5 %)``."""
    return NOTHING if not whole else f"{part:,} ({part / whole:.1%})" if part else "0"


def level(judge: JudgeResult) -> str:
    """The sigma level; of a judge that was always right, what it is at least."""
    if judge.level.value is None and judge.accuracy.value == 1 and judge.level.low is not None:
        return f"at least {judge.level.low:.2f}"
    return estimate(judge.level, 2)


def money(cost_usd: float | None) -> str:
    """A price in US dollars; an unknown one is not nothing."""
    if cost_usd is None:
        return "unknown"
    return "0" if cost_usd == 0 else f"${cost_usd:.6f}" if cost_usd < 0.01 else f"${cost_usd:.4f}"


def seconds(value: float | None) -> str:
    """A duration."""
    if value is None:
        return NOTHING
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def spend(usage: Usage) -> str:
    """What everything took."""
    parts = [f"{usage.cases:,} answers", seconds(usage.seconds)]
    if usage.model_calls:
        cost = usage.cost_usd
        shown = "price unknown" if cost is None else f"${cost:.4f}"
        parts += [f"{usage.model_calls:,} model calls", f"{usage.tokens:,} tokens", shown]
    return ", ".join(parts)


def answers(result: ExampleResult) -> str:
    """The answers to an example: ``no 8 times, yes 2 times``."""
    counts = dict(result.answers)
    for name in ("undecided", "invalid", "errors"):
        if getattr(result, name):
            counts[name] = getattr(result, name)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{label} {count}x" for label, count in counts.items()) or "nothing"


def most_wrong(judge: JudgeResult) -> list[ExampleResult]:
    """The examples that a judge got wrong, those it got wrong most often first."""
    wrong = [result for result in judge.results if result.wrong]
    return sorted(
        wrong,
        key=lambda example: (-example.wrong / (example.wrong + example.right), -example.wrong),
    )


def worst_error(judge: JudgeResult) -> str | None:
    """The reason of an example to which there was only an error; None if there is none."""
    failed = [result for result in judge.results if result.errors and not result.wrong]
    return failed[0].reason if failed else None


def unusable(judge: JudgeResult) -> list[ExampleResult]:
    """The examples to which there was no usable answer, at least once."""
    kinds = ("errors", "invalid", "undecided")
    return [result for result in judge.results if any(getattr(result, kind) for kind in kinds)]


def box(values: Sequence[float]) -> tuple[float, float, float, float, float] | None:
    """Least, lower quartile, median, upper quartile, most; None of nothing."""
    if not values:
        return None
    quartiles = [measures.percentile(values, share) or 0.0 for share in (0, 0.25, 0.5, 0.75, 1)]
    return (quartiles[0], quartiles[1], quartiles[2], quartiles[3], quartiles[4])


def _box(judge: JudgeResult) -> str:
    quartiles = box(judge.runs)
    return NOTHING if quartiles is None else " ".join(f"{value:.3f}" for value in quartiles)


def _mean(judge: JudgeResult) -> str:
    return number(measures.mean(judge.runs)) if judge.runs else NOTHING


def _count(value: int | None, of: int) -> str:
    return NOTHING if value is None else share(value, of)


def _position(judge: JudgeResult) -> str:
    bias = judge.position
    return NOTHING if bias is None else estimate(bias.changed)


def _noise(judge: JudgeResult) -> str:
    return NOTHING if judge.position is None else number(judge.position.noise)


def _first(judge: JudgeResult) -> str:
    return NOTHING if judge.position is None else number(judge.position.first)


def _tokens(judge: JudgeResult) -> str:
    usage = judge.per_answer
    if not usage.model_calls or not _usable(judge):
        return NOTHING
    return f"{usage.input_tokens:,.0f} in, {usage.output_tokens:,.0f} out"


def _usable(judge: JudgeResult) -> bool:
    return judge.answers > judge.errors


def _price(judge: JudgeResult) -> str:
    is_usable = judge.per_answer.model_calls and _usable(judge)
    return money(judge.per_answer.cost_usd) if is_usable else NOTHING


def _calls(judge: JudgeResult) -> str:
    return number(judge.per_answer.model_calls, 2) if judge.per_answer.model_calls else NOTHING


ROWS: tuple[Row, ...] = (
    Row("answers", "asked for, in the given order of options", lambda j: f"{j.answers:,}"),
    Row(
        "accuracy",
        "how many of the answers that decided are right; 95 % interval of Wilson, in which an "
        "example counts once however often it was asked about",
        lambda j: estimate(j.accuracy),
    ),
    Row(
        "sigma",
        "the standard deviation of one answer, sqrt(p(1-p)) with p the accuracy",
        lambda j: number(j.sigma, 4),
    ),
    Row(
        "sigma level",
        "the normal quantile of p plus 1.5, the six-sigma convention: 3 means right in 93.32 %",
        level,
    ),
    Row(
        "false pass",
        "answers 'true' where 'false' is right",
        lambda j: _count(j.false_pass, j.decided),
    ),
    Row(
        "false fail",
        "answers 'false' where 'true' is right",
        lambda j: _count(j.false_fail, j.decided),
    ),
    Row("mean of runs", "the mean of the accuracy in each run", _mean),
    Row(
        "box of runs",
        "the accuracy in each run: least, lower quartile, median, upper quartile, most",
        _box,
    ),
    Row(
        "precision",
        "how many of those called so are so; 95 % interval of Wilson",
        lambda j: estimate(j.precision),
    ),
    Row(
        "recall",
        "how many of those that are so were called so; 95 % interval of Wilson",
        lambda j: estimate(j.recall),
    ),
    Row(
        "F1",
        "the harmonic mean of precision and recall; 95 % interval by bootstrap over examples",
        lambda j: estimate(j.f1),
    ),
    Row(
        "kappa",
        "Cohen's kappa with what is right: agreement beyond chance; 95 % interval by bootstrap",
        lambda j: estimate(j.kappa),
    ),
    Row(
        "self-agreement",
        "the share of the most frequent answer to one question, on average",
        lambda j: number(j.self_agreement),
    ),
    Row(
        "always alike",
        "the share of questions that were answered alike every time",
        lambda j: number(j.always_alike),
    ),
    Row(
        "changed by order",
        "the share of answers that change when the options are shown in the reverse order",
        _position,
    ),
    Row("changed by chance", "the share that changes in one and the same order", _noise),
    Row("first preferred", "how often the option shown first is chosen; 0.5 is even", _first),
    Row(
        "undecided",
        "answers that said that they cannot decide",
        lambda j: share(j.undecided, j.answers),
    ),
    Row(
        "invalid",
        "answers that could not be understood, also after they were sent back",
        lambda j: share(j.invalid, j.answers),
    ),
    Row("errors", "no answer, because something broke", lambda j: share(j.errors, j.answers)),
    Row("model calls", "for an answer, on average", _calls),
    Row("tokens", "for an answer, on average", _tokens),
    Row("price", "of an answer, on average, in US dollars", _price),
    Row(
        "latency, mean",
        "of an answer: the model's time, else the judge's own",
        lambda j: seconds(j.per_answer.latency_mean_s),
    ),
    Row(
        "latency, 95 %",
        "of the answers were faster than this",
        lambda j: seconds(j.per_answer.latency_p95_s),
    ),
)
"""The measures, in the order in which they are shown."""


# A calibration as one page that needs nothing but a browser.

FILES = Path(__file__).with_name("page")
# Wrong answers are read one by one; the file beside the page has all.
MOST_WRONG = 100
MOST_UNUSABLE = 50


def page(result: Calibration) -> str:
    """The page; everything in it that is not ours is text, never markup."""
    values = {
        "result": result,
        "created": result.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "rows": [row for row in ROWS if _has_values(row, result)],
        "boxes": [box for judge in result.judges if (box := boxed(judge))],
        "most_wrong": MOST_WRONG,
        "most_unusable": MOST_UNUSABLE,
    }
    functions = (answers, bar, estimate, matrix, most_wrong, spend, unusable)
    filters = {function.__name__: function for function in functions}
    return render_page(FILES, "page.html.jinja", values, filters)


def _has_values(row: Row, result: Calibration) -> bool:
    return any(row.cell(judge) != NOTHING for judge in result.judges)


def bar(figure: Estimate) -> dict[str, float] | None:
    """Where a share and its interval lie on a line of 100 units."""
    if figure.value is None or figure.low is None or figure.high is None:
        return None
    low, high = 100 * figure.low, 100 * figure.high
    return {"at": 100 * figure.value, "low": low, "width": max(0.5, high - low)}


def boxed(judge: JudgeResult) -> dict[str, Any] | None:
    """A box plot of the accuracy in each run on a line of 100 units; None without runs."""
    quartiles = box(judge.runs)
    if quartiles is None:
        return None
    least, lower, median, upper, most = (100 * value for value in quartiles)
    return {
        "name": judge.name, "least": least, "lower": lower, "median": median, "upper": upper,
        "most": most, "width": max(0.5, upper - lower), "runs": len(judge.runs),
        "mean": 100 * sum(judge.runs) / len(judge.runs),
        "told": ", ".join(f"{value:.3f}" for value in quartiles),
    }  # fmt: skip


def matrix(judge: JudgeResult) -> dict[str, Any]:
    """The confusion matrix: a row per class that was expected, a column per answer."""
    labels = [class_.label for class_ in judge.classes]
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


# A calibration as a table for the terminal: a row per measure, a column per judge.

# Four judges of 24 columns fit in a terminal of 100 columns.
_ACROSS = 4
_NAME = 24
_WRONG = 3
_AGREEMENTS = 10
_WIDTH = 100

TableRow = tuple[str, Callable[[JudgeResult], str]]


def lines(result: Calibration) -> Iterator[str]:
    """The lines to print; everything in them is plain text."""
    labels = ", ".join(f"{count} {plain(label, 40)}" for label, count in result.labels.items())
    few = labels if len(result.labels) <= 10 else f"{len(result.labels)} different answers"
    yield f"{plain(result.name)}: {result.examples:,} examples ({few})"
    for start in range(0, len(result.judges), _ACROSS):
        yield ""
        yield from _block(result.judges[start : start + _ACROSS])
    if result.agreements:
        yield ""
        yield from _agreements(result)
    for judge in result.judges:
        yield from _wrong(judge)
        error = worst_error(judge)
        if error is not None:
            yield ""
            yield f"error: {plain(judge.name, _NAME)}: {plain(error, 2 * _WIDTH)}"
    yield ""
    yield f"spent: {spend(result.usage)}"


def _block(judges: Sequence[JudgeResult]) -> Iterator[str]:
    rows = [("", [plain(judge.name, _NAME) for judge in judges])]
    for row in ROWS:
        cells = [row.cell(judge) for judge in judges]
        if any(cell != NOTHING for cell in cells):
            rows.append((row.name_for(judges), cells))
    first = max(len(name) for name, _ in rows)
    widths = [max(len(cells[n]) for _, cells in rows) for n in range(len(judges))]
    for name, cells in rows:
        shown = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield f"{name.ljust(first)}  {'   '.join(shown)}".rstrip()


def _agreements(result: Calibration) -> Iterator[str]:
    yield "agreement"
    for agreement in result.agreements[:_AGREEMENTS]:
        what = "Fleiss' kappa" if agreement.kind == "fleiss" else "Cohen's kappa"
        who = (
            agreement.of
            if agreement.kind == "fleiss"
            else " and ".join(plain(r, _NAME) for r in agreement.raters)
        )
        yield f"  {what}, {who}: {estimate(agreement.kappa)} on {agreement.examples:,} examples"

    if len(result.agreements) > _AGREEMENTS:
        yield f"  ... and {len(result.agreements) - _AGREEMENTS} more; the page has them"


def _wrong(judge: JudgeResult) -> Iterator[str]:
    wrong = most_wrong(judge)
    if not wrong:
        return
    yield ""
    yield f"most often wrong: {plain(judge.name, _NAME)}"
    for result in wrong[:_WRONG]:
        said = answers(result)
        expected = plain(result.expected or "", 60)
        yield f"  {plain(result.id, 40)}: expected {expected}, said {plain(said, 80)}"
        yield f"      {plain(result.shown, _WIDTH)}"
        if result.reason:
            yield f"      because: {plain(result.reason, _WIDTH)}"
    if len(wrong) > _WRONG:
        yield f"  ... and {len(wrong) - _WRONG:,} more; the page has them"
