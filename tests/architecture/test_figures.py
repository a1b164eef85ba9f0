"""The layout keeps its figures: sizes, circles, complexity, hooks, members of interfaces.

``figures.csv`` has each figure before the rooms by method (0.1), at the last release, and its limit. `python
tests/architecture/test_figures.py` measures anew and writes the page; a limit is changed by hand, with a reason.
"""

import csv
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
HEAD = "| figure | 0.1 | 0.2 | limit |\n| --- | ---: | ---: | ---: |\n"


def _figures_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", HERE / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["figures"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> list[dict[str, str]]:
    with LIST.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def figures() -> Any:
    return _figures_module().measure(ROOT)


@pytest.fixture(scope="module")
def measured(figures: Any) -> dict[str, int]:
    return dict(_figures_module().summary(figures))


@pytest.mark.parametrize(
    "row", [row for row in rows() if row["limit"]], ids=lambda row: row["figure"]
)
def test_a_figure_keeps_its_limit(row: dict[str, str], measured: dict[str, int]) -> None:
    assert measured[row["figure"]] <= int(row["limit"])


def test_a_module_is_read_in_one_go(measured: dict[str, int]) -> None:
    assert 150 <= measured["median lines of a module"] <= 300


def test_no_file_folder_or_room_is_in_a_circle(figures: Any) -> None:
    assert (figures.file_circles, figures.folder_circles, figures.room_circles) == ([], [], [])


def test_no_function_is_too_complex(figures: Any) -> None:
    assert figures.complex_functions == []


@pytest.mark.thorough
def test_a_case_and_a_turn_are_read_in_few_files() -> None:
    entered = _figures_module().walks()
    assert entered["files of core entered by its last case"] <= 12
    assert entered["files of plugins entered by one turn of it"] <= 20


def test_every_figure_is_listed(measured: dict[str, int]) -> None:
    assert [row["figure"] for row in rows()] == list(measured)


def test_the_page_shows_the_table() -> None:
    assert table(rows()) in PAGE.read_text(encoding="utf-8")


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
    for row in listed:
        row["now"] = str(measured[row["figure"]])
    with LIST.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(listed[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)
    PAGE.write_text(text.replace(old, table(listed), 1), encoding="utf-8")


if __name__ == "__main__":
    _record()
