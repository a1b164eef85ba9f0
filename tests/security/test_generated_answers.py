"""Generated hostile answers over every door: no crash, no escape, little memory."""

import csv
import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sparring.store import StoredRun

from .conftest import Done
from .doors import Served, rest_app, run, websocket_app, write_skill
from .generated_answers import MARK
from .test_app_output import STEERING

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="memory is read from /proc")

MOST_MIB = 200


class _Tags(HTMLParser):
    """The tags of a page, and its attributes that do or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.active: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            loads = name in ("src", "srcdoc", "data", "action", "formaction", "background")
            leaves = name == "href" and not (value or "").startswith(("#", "./", "data:,"))
            if loads or leaves or name.startswith("on"):
                self.active.append((name, value))


@contextmanager
def _app(door: str, folder: Path, cases: int, served: Served) -> Iterator[str]:
    if door == "skill":
        write_skill(folder, cases)
        yield ""
    elif door == "websocket":
        with websocket_app(served) as url:
            yield url
    else:
        with rest_app(served) as url:
            yield url


def _check(folder: Path, door: str, cases: int, patience: float) -> int:
    """Run so many conversations, look at all that is left; returns how many answers were heard."""
    served = Served()
    with _app(door, folder, cases, served) as url:
        done, peak = run(folder, door, url, cases, patience)
    program = Done.of(done).check()
    assert program.code in (0, 1, 3), program.err[-2000:]
    (path,) = (folder / "runs").iterdir()
    stored = StoredRun(path)
    # A machine that is busy for seconds may be slow to connect, which is told and tried again.
    problems = [problem.message for problem in stored.problems]
    assert [message for message in problems if "trying again" not in message] == []
    judged = list(stored.judged())
    assert len(judged) == cases
    for case in judged:
        owners = {incident.owner.value for incident in case.trace.incidents}
        assert owners <= {"app", "environment"}, case.trace.incidents
        blamed = {v.owner.value for v in case.verdicts if v.outcome.value == "error" and v.owner}
        assert "tool" not in blamed, [v.reason for v in case.verdicts]
    _check_files(path, program)
    assert peak < MOST_MIB, f"{peak:.0f} MiB"
    return sum(turn.observation is not None for case in judged for turn in case.trace.turns)


def _check_files(path: Path, program: Done) -> None:
    assert not STEERING.search(program.said)
    assert not STEERING.search((path / "junit.xml").read_text("utf-8"))
    ET.parse(path / "junit.xml")
    tags = _Tags()
    page = (path / "report.html").read_text("utf-8")
    tags.feed(page)
    assert tags.tags["script"] == 1
    assert not {"img", "iframe", "object", "embed", "base"} & tags.tags.keys()
    assert tags.active == []
    assert f"<script>document.title='{MARK}'" not in page
    for line in (path / "results.jsonl").read_bytes().splitlines():
        assert line.isascii()
        json.loads(line)
    with (path / "results.csv").open(newline="", encoding="utf-8") as file:
        for cell in (cell for row in csv.reader(file) for cell in row):
            assert not cell.startswith(tuple("=+-@\t\r"))
            assert not STEERING.search(cell)


def test_a_sample_of_hostile_answers_over_rest(tmp_path: Path) -> None:
    assert _check(tmp_path, "rest", 10, 60) > 25


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("door", "cases", "heard"),
    [
        ("rest", 1_450, 4_900),
        ("websocket", 1_450, 4_900),
        ("skill", 180, 800),
        ("page", 40, 80),
    ],
)
def test_hostile_answers_over_every_door(tmp_path: Path, door: str, cases: int, heard: int) -> None:
    """More than 10,000 answers are heard; an answer that is none ends its conversation."""
    assert _check(tmp_path, door, cases, 900) > heard
