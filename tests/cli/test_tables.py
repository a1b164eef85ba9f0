"""``sparring tables``: the three forms of output, and what is said where something is wrong."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

GROUP = "sparring.tables"
MADE = """
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source, TableMaker

def make(data):
    cells = (Cell(value="=a|b"), Cell(value=66.666, source=Source.STORED), Cell(source=Source.MANUAL))
    yield DataTable(name="one", title="First", columns=("what", "score %", "equal"), rows=(cells,),
                    notes=("as \\u001b[31mit is",))
    yield DataTable(name="two", title="Second", columns=("what",))

IT = TableMaker("made of nothing", make)
"""


@pytest.fixture(autouse=True)
def _made(install: Any, tmp_path: Path) -> None:
    install("made-tables", GROUP, "made = made_tables:IT", MADE)
    (tmp_path / "data").mkdir()


def test_text_has_marks_and_a_legend(program: Any) -> None:
    ran = program("tables", "made", "--data", "data")
    assert ran.code == 0
    assert "=a|b   66.67*  (manual)" in ran.out
    assert "nothing of it is in the data" in ran.out
    assert "no mark: computed from the raw data" in ran.out
    assert "\x1b" not in ran.out


def test_a_publication_of_which_nothing_can_be_computed_is_told(program: Any, install: Any) -> None:
    install("no-tables", GROUP, "none = no_tables:IT", MADE.split("    cells")[0]
            + "    return ()\nIT = TableMaker('nothing', make)\n")  # fmt: skip
    ran = program("tables", "none", "--data", "data")
    assert (ran.code, ran.out) == (5, "")
    assert "no table can be computed from data" in ran.err


def test_markdown_escapes_what_would_end_a_cell(program: Any) -> None:
    ran = program("tables", "made", "--data", "data", "--format", "markdown", "--only", "one")
    assert "| =a\\|b | 66.67\\* | (manual) |" in ran.out
    assert "## Second" not in ran.out


def test_csv_has_a_row_per_cell_with_its_source(program: Any, tmp_path: Path) -> None:
    ran = program("tables", "made", "--data", "data", "--format", "csv", "-o", "t.csv")
    assert ran.out == "wrote t.csv\n"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert [(row["column"], row["value"], row["source"]) for row in rows] == [
        ("what", "'=a|b", "raw"),
        ("score %", "66.67", "stored"),
        ("equal", "", "manual"),
    ]


def test_without_a_name_all_are_listed(program: Any) -> None:
    listed = program("tables").out
    assert "made             made of nothing" in listed
    assert "sensei" in listed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mode", "--data", "data"), "no table maker is called 'mode'. Did you mean 'made'?"),
        (("made",), "--data names the folder of the data of: made of nothing"),
        (("made", "--data", "nowhere"), "nowhere: there is no such folder"),
        (
            ("made", "--data", "data", "--only", "tow"),
            "there is no table 'tow'. Did you mean 'two'?",
        ),
        (("sensei", "--data", "data"), "expected chatbots-wild-analysis/output or"),
    ],
)
def test_what_is_wrong_is_said(program: Any, arguments: tuple[str, ...], message: str) -> None:
    ran = program("tables", *arguments)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.thorough
def test_a_broken_maker_is_named_and_harms_no_other(program: Any, install: Any) -> None:
    install("made-wrongly", GROUP, "wrong = made_wrongly:IT", "IT = 1\n")
    assert "BROKEN" in program("tables").out
    assert (
        "is no sparring_plugins.sensei.tables.model.TableMaker"
        in program("tables", "wrong", "--data", "data").err
    )
    assert "sparring.tables" in program("plugins").out
