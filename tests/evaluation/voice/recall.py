"""Holds problems that Sparring reported of public skills against faults read from their code.

Run it with ``python -m tests.evaluation.voice.recall TABLES ...``, where each folder has the
`apps.csv` and `problems.csv` of the reporter `app-tables`. The faults are in `ground_truth.yaml`. Of
skills that are held apart only totals are printed.
"""

import argparse
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

TRUTH = Path(__file__).with_name("ground_truth.yaml")
SURE_ENOUGH = ("sure", "likely")
"""Rows that are only *possible* are inconclusive, and count neither for nor against."""


@dataclass
class Scores:
    """Counts over skills; `wrong` and `missed` name what a reader should look at."""

    skills: int = 0
    started: int = 0
    primary: int = 0
    found: int = 0
    rows: int = 0
    true: int = 0
    repeated: int = 0
    confirmed: int = 0
    missed: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    repeats: list[str] = field(default_factory=list[str])

    def add(self, other: "Scores") -> None:
        """Add the counts of further skills; their names only if they are not held apart."""
        for name in ("skills", "started", "primary", "found", "rows", "true", "repeated"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.confirmed += other.confirmed

    def line(self, title: str) -> str:
        """The counts as one line."""
        return (
            f"{title}: started {self.started}/{self.skills}, recall {self.found}/{self.primary}, "
            f"precision {self.true}/{self.rows}, duplicates {self.repeated}/{self.rows}, "
            f"confirmed {self.confirmed}/{self.rows}"
        )


def score(skill: dict[str, Any], app: dict[str, str], rows: Sequence[dict[str, str]]) -> Scores:
    """Hold the rows of one skill against its faults."""
    scores = Scores(skills=1, started=int(app["spoke"] == "yes"))
    name, faults = skill["name"], skill["faults"]
    if "unstartable" in skill:
        scores.skills = 0  # what cannot be installed is not expected to start, only to be reported
        faults = [
            {"id": "load", "check": "unstartable", "says": skill["unstartable"], "what": "loads"}
        ]
    primary = [fault for fault in faults if not fault.get("optional")]
    scores.primary = len(primary)
    hits: dict[str, int] = {}
    for row in rows:
        if row["certainty"] not in SURE_ENOUGH:
            continue
        scores.rows += 1
        scores.confirmed += row["confirmed"] == "confirmed"
        said = f"{row['check']}: {row['reason']} | {row['path']}"
        fault = next((one for one in faults if _is_about(row, one)), None)
        if fault is None:
            scores.wrong.append(f"{name}: {said}")
            continue
        scores.true += 1
        hits[fault["id"]] = hits.get(fault["id"], 0) + 1
        if hits[fault["id"]] > 1 and not fault.get("optional"):
            scores.repeated += 1
            scores.repeats.append(f"{name} {fault['id']}: {said}")
    scores.found = sum(fault["id"] in hits for fault in primary)
    missing = [fault for fault in primary if fault["id"] not in hits]
    scores.missed = [f"{name} {fault['id']}: {fault['what']}" for fault in missing]
    return scores


def _is_about(row: dict[str, str], fault: dict[str, Any]) -> bool:
    said = f"{row['reason']} | {row['path']}"
    return row["check"] == fault["check"] and re.search(fault["says"], said) is not None


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def report(folders: Iterable[Path]) -> Iterator[str]:
    """The lines to print: totals, and for skills that are not held apart what to look at."""
    truth = {skill["name"]: skill for skill in yaml.safe_load(TRUTH.read_text("utf-8"))}
    read_ones, held, everything = Scores(), Scores(), Scores()
    lines: list[str] = []
    for folder in folders:
        problems = read(folder / "problems.csv")
        for app in read(folder / "apps.csv"):
            skill = truth[app["app"]]
            scores = score(skill, app, [row for row in problems if row["app"] == app["app"]])
            everything.add(scores)
            if skill.get("held"):
                held.add(scores)
                continue
            read_ones.add(scores)
            lines += [f"missed  {one}" for one in scores.missed]
            lines += [f"wrong   {one}" for one in scores.wrong]
            lines += [f"repeats {one}" for one in scores.repeats]
            if not scores.started:
                lines.append(f"silent  {skill['name']}: {app['why_not']}")
    yield from lines
    yield read_ones.line("read")
    yield held.line("held apart")
    yield everything.line("all")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+", help="folders with apps.csv, problems.csv")
    options = parser.parse_args(arguments)
    for line in report(options.tables):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
