"""Compare strategies on apps with known causes: `python -m tests.evaluation.causes.compare --help`.

A line of JSON is added to a file for each run as it ends, and runs that are there are not repeated,
so that a comparison can be made in parts. Random requests by which causes are told to be named
rightly are kept beside it.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.run import Stop
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.search.failure_classes import effective_number, failure_class_of
from sparring_plugins.search.shrinking.run_causes import CauseOfRun, causes_of_run
from sparring_plugins.search.shrinking.words import user_text
from sparring_plugins.search.similarity import Words
from sparring_plugins.search.strategies.surrogate.facts import words_of

from .desk import Desk, desk, write_suite

PRECISE, COVERED = 0.9, 0.5
"""A line names a cause if so many random requests with it have the cause; the lines of a cause
together name it if so many random requests with the cause have one of them."""

REFERENCE = 4_000
LEFT_OUT = ("app", "strategy", "seed", "cases", "played", "missed", "unseen")
DUPLICATES: dict[str, Any] = {"by": "words", "against": "archive"}
STRATEGIES: dict[str, Any] = {
    "random": "random",
    "nsga2": {"use": "nsga2", "duplicates": DUPLICATES},
    "surrogate": {"use": "surrogate", "duplicates": DUPLICATES},
}


@dataclass(frozen=True)
class Request:
    """One played request."""

    params: Mapping[str, str]
    text: str
    case: str
    parts: tuple[str, ...]


def play(name: str, strategy: Any, seed: int, cases: int, folder: Path) -> Path:
    """Play a run; return its folder. Raises RuntimeError if the run is interrupted.

    `timeout` ends a run of the command in order: half a run would count as a bad strategy.
    """
    suite = write_suite(name, folder / name)
    changes = {
        "strategy": strategy,
        "seed": seed,
        "budget": {"cases": cases},
        "concurrency": 20,
        "reporters": [],
    }
    summary = conduct(load_suite(suite, changes), RunOptions(runs=folder / "runs")).summary
    if summary.stopped is Stop.INTERRUPTED:
        raise RuntimeError(f"{name}, seed {seed}, was interrupted before {cases} requests")
    return max((folder / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)


def requests_of(run: Path) -> list[Request]:
    """Return the requests of a run, in the order of their judgement."""
    return [
        Request(
            {key: str(value) for key, value in judged.trace.case.params.items()},
            user_text(judged.trace),
            judged.trace.case.id,
            tuple(sorted(failure_class_of(judged.verdicts))),
        )
        for judged in StoredRun(run).judged()
    ]


def reference_of(name: str, folder: Path) -> list[Request]:
    """Return many random requests to an app; they are kept in a folder for later comparisons."""
    kept = folder / f"{name}-{REFERENCE}.reference.json"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as runs:
            requests = requests_of(play(name, "random", 0, REFERENCE, Path(runs)))
        kept.write_text(json.dumps([[item.params, item.text, item.case] for item in requests]))
    rows: list[tuple[dict[str, str], str, str]] = json.loads(kept.read_text())
    return [Request(params, text, case, ()) for params, text, case in rows]


def named(own: Desk, causes: Iterable[CauseOfRun], reference: Sequence[Request]) -> list[str]:
    """Return the known causes that lines of `sparring causes` name rightly."""
    words = [{word.removeprefix('"') for word in words_of(item.text)} for item in reference]
    lines: list[set[int]] = []
    for cause in causes:
        values = {key: value for key, value in cause.values.items() if key != "scenario"}
        lines.append(
            {
                at
                for at, item in enumerate(reference)
                if all(item.params.get(key) == value for key, value in values.items())
                and set(cause.words) <= words[at]
            }
        )
    found: list[str] = []
    for root in own.roots:
        held = {at for at, item in enumerate(reference) if root.holds(item.params, item.text)}
        precise = [line for line in lines if line and len(line & held) >= PRECISE * len(line)]
        if held and len(held & set[int]().union(*precise)) >= COVERED * len(held):
            found.append(root.name)
    return found


def measure(own: Desk, run: Path, reference: Sequence[Request]) -> dict[str, Any]:
    """Return the figures of a run."""
    played = requests_of(run)
    failed = [item for item in played if item.parts]
    causes = causes_of_run("run", StoredRun(run).judged()).causes
    first: dict[str, int] = {}
    top: Counter[str] = Counter()
    for at, item in enumerate(played):
        fired = own.fired(item.params, item.text, item.case) if item.parts else []
        top.update(root.name for root in fired)
        for root in fired:
            first.setdefault(root.name, at)
    index, distinct = Words().index(), 0
    for at, item in enumerate(failed):
        near = index.nearest(item.text)
        if near is None or near[1] < 0.8:
            distinct += 1
            index.add(str(at), item.text)
    right = named(own, causes, reference)
    pairs = {pair for item in failed for pair in combinations(sorted(item.params.items()), 2)}
    return {
        "named": len(right),
        "lines": len(causes),
        "shown": len(first),
        "area": round(sum(1 - at / len(played) for at in first.values()), 2),
        "pairs": len(pairs),
        "cells": len({cell for item in failed for cell in item.params.items()}),
        "kinds": len({item.parts for item in failed}),
        "effective": round(effective_number(item.parts for item in failed), 1),
        "failures": len(failed),
        "distinct": distinct,
        "top": round(max(top.values(), default=0) / max(1, len(failed)), 2),
        "played": len(played),
        "missed": sorted({root.name for root in own.roots} - set(right)),
        "unseen": sorted({root.name for root in own.roots} - set(first)),
    }


def a12(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how likely a value of the first is larger than one of the second (Vargha, Delaney)."""
    pairs = [(a > b) + 0.5 * (a == b) for a in first for b in second]
    return sum(pairs) / len(pairs)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return means of all runs, and how likely `surrogate` is ahead of the others."""
    columns = [name for name in rows[0] if name not in LEFT_OUT] if rows else []
    lines = ["app strategy cases runs " + " ".join(columns)]
    for app, cases in sorted({(row["app"], row["cases"]) for row in rows}):
        own = [row for row in rows if (row["app"], row["cases"]) == (app, cases)]
        by = {name: [row for row in own if row["strategy"] == name] for name in STRATEGIES}
        for name, runs in by.items():
            if runs:
                means = [f"{fmean(row[column] for row in runs):.4g}" for column in columns]
                lines.append(" ".join([app, name, str(cases), str(len(runs)), *means]))
        for other in ("random", "nsga2"):
            if by[other] and by["surrogate"]:
                ahead = [
                    f"{a12([r[c] for r in by['surrogate']], [r[c] for r in by[other]]):.2f}"
                    for c in columns
                ]
                lines.append(" ".join([app, f"A12/{other}", str(cases), "-", *ahead]))
    return "\n".join(lines)


def main() -> None:
    """Play what is missing in a file of results, and print the table of all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--apps", default="printing,library,garden")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--seeds", default="1,2,3,4")
    parser.add_argument("--cases", type=int, default=300)
    options = parser.parse_args()
    done = _read(options.results)
    for app in options.apps.split(",") if options.apps else ():
        reference: list[Request] = []
        for seed in map(int, options.seeds.split(",")):
            for strategy in options.strategies.split(","):
                key = {"app": app, "strategy": strategy, "seed": seed, "cases": options.cases}
                if any(key.items() <= row.items() for row in done):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    reference = reference or reference_of(app, options.results.parent)
                    spec = STRATEGIES[strategy]
                    run = play(app, spec, seed, options.cases, Path(folder))
                    row = {**key, **measure(desk(app), run, reference)}
                with options.results.open("a") as out:
                    out.write(json.dumps(row) + "\n")
    sys.stdout.write(table(_read(options.results)) + "\n")


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    main()
