"""A calibration as a table for the terminal: a row per measure, a column per judge."""

from collections.abc import Callable, Iterator, Sequence

from sparring.cli.terminal import plain
from sparring.model.calibration import Calibration, JudgeResult
from sparring_plugins.judging.calibration import figures

_ACROSS = 4
_NAME = 24
_WRONG = 3
_AGREEMENTS = 10
_WIDTH = 100

Row = tuple[str, Callable[[JudgeResult], str]]


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
        error = figures.worst_error(judge)
        if error is not None:
            yield ""
            yield f"error: {plain(judge.name, _NAME)}: {plain(error, 2 * _WIDTH)}"
    yield ""
    yield f"spent: {figures.spend(result.usage)}"


def _block(judges: Sequence[JudgeResult]) -> Iterator[str]:
    rows = [("", [plain(judge.name, _NAME) for judge in judges])]
    for row in figures.ROWS:
        cells = [row.cell(judge) for judge in judges]
        if any(cell != figures.NOTHING for cell in cells):
            rows.append((row.name_for(judges), cells))
    first = max(len(name) for name, _ in rows)
    widths = [max(len(cells[n]) for _, cells in rows) for n in range(len(judges))]
    for name, cells in rows:
        shown = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield f"{name.ljust(first)}  {'   '.join(shown)}".rstrip()


def _agreements(result: Calibration) -> Iterator[str]:
    yield "agreement"
    for one in result.agreements[:_AGREEMENTS]:
        what = "Fleiss' kappa" if one.kind == "fleiss" else "Cohen's kappa"
        who = one.of if one.kind == "fleiss" else " and ".join(plain(r, _NAME) for r in one.raters)
        yield f"  {what}, {who}: {figures.estimate(one.kappa)} on {one.examples:,} examples"

    if len(result.agreements) > _AGREEMENTS:
        yield f"  ... and {len(result.agreements) - _AGREEMENTS} more; the page has them"


def _wrong(judge: JudgeResult) -> Iterator[str]:
    wrong = figures.most_wrong(judge)
    if not wrong:
        return
    yield ""
    yield f"most often wrong: {plain(judge.name, _NAME)}"
    for one in wrong[:_WRONG]:
        said = figures.answers(one)
        expected = plain(one.expected or "", 60)
        yield f"  {plain(one.id, 40)}: expected {expected}, said {plain(said, 80)}"
        yield f"      {plain(one.shown, _WIDTH)}"
        if one.reason:
            yield f"      because: {plain(one.reason, _WIDTH)}"
    if len(wrong) > _WRONG:
        yield f"  ... and {len(wrong) - _WRONG:,} more; the page has them"
