"""Compares testers on public skills and prints tables.

Run it with ``python -m tests.evaluation.voice.compare FOLDER``, where the folder holds the skills
of ``skills.yaml`` as `fetch` brings them. What was heard is kept beside (``--keep FILE``), so that a
broken measurement goes on where it stopped.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any

from tests.evaluation.voice.exploring import TESTERS, AppTurn, Reached, explored, reached, skills

Measured = dict[str, dict[tuple[str, int], list[AppTurn]]]
AFTER = (20, 60)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    kept = _Kept(options.keep)
    wanted = [one for one in skills(options.folder) if not options.only or one.name in options.only]
    for number, skill in enumerate(wanted):
        for seed in range(1, options.seeds + 1):
            for tester in options.testers:
                if not kept.has(skill.name, tester, seed):
                    began = monotonic()
                    found = explored(
                        skill,
                        TESTERS[tester],
                        seed=seed,
                        turns=options.turns,
                        python=options.python,
                    )
                    kept.add(skill.name, tester, seed, found, monotonic() - began)
        sys.stderr.write(f"{number + 1}/{len(wanted)} {skill.name}\n")
    names = {skill.name for skill in wanted}
    measured = {name: found for name, found in kept.measured(options).items() if name in names}
    for after in AFTER:
        if after <= options.turns:
            sys.stdout.write(f"{table(measured, options.testers, after)}\n")


def table(measured: Measured, testers: Sequence[str], after: int) -> str:
    """The means over seeds of each skill, and over all skills, as a table in Markdown."""
    head = f"| after {after} turns | " + " | ".join(testers) + " |"
    lines = [head, "| --- |" + " --- |" * len(testers)]
    sums: dict[str, list[tuple[float, ...]]] = {name: [] for name in testers}
    for skill, found in sorted(measured.items()):
        all_reached = reached(found, after)
        cells: list[str] = []
        for tester in testers:
            mean = _mean(each for (name, _), each in all_reached.items() if name == tester)
            sums[tester].append(mean)
            cells.append(" · ".join(f"{value:.1f}" for value in mean))
        lines.append(f"| {skill} | " + " | ".join(cells) + " |")
    means = {
        name: [fmean(column) for column in zip(*rows, strict=True)] for name, rows in sums.items()
    }
    lines.append(
        "| **mean** | "
        + " | ".join(" · ".join(f"{value:.2f}" for value in means[name]) for name in testers)
        + " |"
    )
    if "explorer" in testers:
        lines += ["", *_against(sums, testers)]
    return "\n".join(lines) + "\n"


def _against(sums: dict[str, list[tuple[float, ...]]], testers: Sequence[str]) -> Iterable[str]:
    """How much more the explorer reached than each other tester, and where it found fewer problems."""
    mine = sums["explorer"]
    for other in testers:
        if other == "explorer":
            continue
        pairs = list(zip(mine, sums[other], strict=True))
        more = [
            f"{100 * (fmean(a[n] for a, _ in pairs) / (fmean(b[n] for _, b in pairs) or 1) - 1):+.0f} % {what}"
            for n, what in enumerate(("intents", "states", "problems"))
        ]
        each = [f"{100 * fmean(a[n] / (b[n] or 1) - 1 for a, b in pairs):+.0f} %" for n in range(2)]
        fewer = sum(a[2] < b[2] - 1e-9 for a, b in pairs)
        yield (
            f"against {other}: {', '.join(more)} (mean over skills of the ratios: {', '.join(each)}); "
            f"fewer problems on {fewer} skills"
        )


def _mean(found: Iterable[Reached]) -> tuple[float, float, float]:
    each = [(len(one.intents), len(one.states), len(one.problems)) for one in found]
    if not each:
        return (0.0, 0.0, 0.0)
    return (
        fmean(a for a, _, _ in each),
        fmean(b for _, b, _ in each),
        fmean(c for _, _, c in each),
    )


class _Kept:
    """What was measured before, in a file with a line for each exploration."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[tuple[str, str, int], dict[str, Any]] = {}
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                row = json.loads(line)
                self.rows[row["skill"], row["tester"], row["seed"]] = row

    def has(self, skill: str, tester: str, seed: int) -> bool:
        return (skill, tester, seed) in self.rows

    def add(self, skill: str, tester: str, seed: int, found: list[AppTurn], seconds: float) -> None:
        row = {"skill": skill, "tester": tester, "seed": seed, "seconds": round(seconds, 2),
               "turns": [asdict(one) for one in found]}  # fmt: skip
        self.rows[skill, tester, seed] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def measured(self, options: argparse.Namespace) -> Measured:
        found: Measured = {}
        for (skill, tester, seed), row in self.rows.items():
            if tester in options.testers and seed <= options.seeds:
                turns = [
                    AppTurn(
                        one["said"],
                        one["output"],
                        tuple(one["intents"]),
                        tuple((kind, at) for kind, at in one["problems"]),
                    )
                    for one in row["turns"]
                ]
                found.setdefault(skill, {})[tester, seed] = turns
        return found


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="these skills alone")
    parser.add_argument(
        "--testers", nargs="*", default=["explorer", "vitas", "random"], choices=TESTERS
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--python", help="an interpreter with the skills' own libraries")
    parser.add_argument("--keep", type=Path, default=Path("voice-measured.jsonl"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
