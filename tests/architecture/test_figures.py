"""The layout keeps its figures: sizes, circles, complexity, hooks, members of interfaces.

``figures.csv`` has each figure before the rooms by method (0.1), at the last release, and its limit; ``comments.csv``
how many comments the heuristics of each room had before the first was counted, and have now. `python
tests/architecture/test_figures.py` measures anew and writes the page; a limit is changed by hand, with a reason.
"""

import csv
import gc
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIST = HERE / "figures.csv"
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
COMMENTS = HERE / "comments.csv"
HEAD_OF_COMMENTS = (
    "| modules with heuristics in | modules | lines | comments in 100 lines, before | now |\n"
    "| --- | ---: | ---: | ---: | ---: |\n"
)
FEWEST_COMMENTS = 2.4
"""Lines of comments in 100 lines of all modules with heuristics; the aim is 4."""
HEAD = "| figure | 0.1 | 0.2 | limit |\n| --- | ---: | ---: | ---: |\n"


def _figures_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", HERE / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["figures"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def comment_rows() -> list[dict[str, str]]:
    with COMMENTS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows() -> list[dict[str, str]]:
    with LIST.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def figures() -> Any:
    gc.disable()  # millions of syntax nodes, none of them garbage: a third of the time
    try:
        return _figures_module().measure(ROOT)
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def measured(figures: Any) -> dict[str, int]:
    return dict(_figures_module().summary(figures))


def test_each_figure_keeps_its_limit(measured: dict[str, int]) -> None:
    """One test for all: each worker that has a part of it would measure anew."""
    limits = {row["figure"]: int(row["limit"]) for row in rows() if row["limit"]}
    over = {figure: measured[figure] for figure, most in limits.items() if measured[figure] > most}
    assert over == {}


def test_a_module_is_read_in_one_go(measured: dict[str, int]) -> None:
    assert 150 <= measured["median lines of a module"] <= 300


def test_no_file_folder_or_room_is_in_a_circle(figures: Any) -> None:
    assert (figures.file_circles, figures.folder_circles, figures.room_circles) == ([], [], [])


def test_no_function_is_too_complex(figures: Any) -> None:
    assert figures.complex_functions == []


def test_heuristics_are_commented(figures: Any) -> None:
    found = _figures_module().commented(figures)
    lines, comments = (sum(room[column] for room in found) for column in (2, 3))
    assert 100 * comments / lines >= FEWEST_COMMENTS


def test_a_case_and_a_turn_are_read_in_few_files() -> None:
    entered = _figures_module().walks(ROOT)
    assert entered["files of core entered by its last case"] <= 12
    assert entered["files of plugins entered by one turn of it"] <= 20


def test_every_figure_is_listed(measured: dict[str, int]) -> None:
    assert [row["figure"] for row in rows()] == list(measured)


def test_the_page_shows_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert table(rows()) in page
    assert table_of_comments(comment_rows()) in page


def table_of_comments(listed: list[dict[str, str]]) -> str:
    return HEAD_OF_COMMENTS + "".join(
        f"| `{row['room']}` | {row['modules']} | {int(row['lines']):,} | {row['before']} | {row['now']} |\n"
        for row in listed
    )


def table(listed: list[dict[str, str]]) -> str:
    return HEAD + "".join(
        f"| {row['figure']} | {int(row['before']):,} | {int(row['now']):,} | "
        f"{format(int(row['limit']), ',') if row['limit'] else ''} |\n"
        for row in listed
    )


def _record() -> None:
    """Measure anew, and write the list and the page."""
    module = _figures_module()
    measured = module.summary(module.measure(ROOT))
    listed = rows()
    text = PAGE.read_text(encoding="utf-8")
    old = table(listed) if table(listed) in text else "FIGURES\n"
    comments = comment_rows()
    old_comments = table_of_comments(comments)
    before = {row["room"]: row["before"] for row in comments}
    comments = [
        {
            "room": name,
            "modules": str(modules),
            "lines": str(lines),
            "before": before.get(name, ""),
            "now": f"{100 * number / lines:.1f}",
        }
        for name, modules, lines, number in module.commented(module.measure(ROOT))
    ]
    _write(COMMENTS, comments)
    text = text.replace(old_comments, table_of_comments(comments), 1)
    for row in listed:
        row["now"] = str(measured[row["figure"]])
    _write(LIST, listed)
    PAGE.write_text(text.replace(old, table(listed), 1), encoding="utf-8")


def _write(path: Path, listed: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(listed[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)


if __name__ == "__main__":
    _record()
