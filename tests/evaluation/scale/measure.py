"""Measure what the model predicts: cases per second and the coordinator's processor time.

`python -m tests.evaluation.scale.measure` plays cases that compute and wait for given times, with
one, two and four workers, and prints a table for the page `docs/explanation/scale-on-paper.md`. The
machine must have nothing else to do.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from tests.benchmarks import parts as benchmark_parts

from .model import MEASURED_COSTS, Load, Site, predict

_APP = """
import asyncio, time

async def answer(text):
    until = time.process_time() + {cpu_s} / 3
    while time.process_time() < until:
        pass
    await asyncio.sleep({wait_s} / 3)
    return "fine"
"""

_RUN = """
import json, resource, sys
from datetime import datetime
from pathlib import Path
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.events import CaseJudged
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
done = conduct(load_suite(Path(sys.argv[1]), json.loads(sys.argv[2])), RunOptions())
used = resource.getrusage(resource.RUSAGE_SELF)
ends = [e.at.timestamp() for e in StoredRun(done.folder).events() if isinstance(e, CaseJudged)]
first, last = ends[len(ends) // 10], ends[len(ends) * 9 // 10]
size = (done.folder / "log.jsonl").stat().st_size
print(0.8 * len(ends) / (last - first), used.ru_utime + used.ru_stime, size / len(ends))
"""

PLACES = 4
"""Cases that a worker plays side by side."""


@dataclass(frozen=True)
class Measured:
    """Cases per second, processor seconds of the coordinator, and bytes of log per case."""

    cases_per_s: float
    coordinator_s: float
    log_bytes: float


def write_suite(folder: Path, load: Load, cases: int) -> Path:
    """Write a suite whose app, in Sparring's own process, computes and waits as a load says."""
    (folder / "slow.py").write_text(_APP.format(cpu_s=load.cpu_s, wait_s=load.wait_s), "utf-8")
    (folder / "parts.py").write_text(Path(benchmark_parts.__file__).read_text("utf-8"), "utf-8")
    suite = {
        "name": "load",
        "app": {"use": "python", "target": "slow:answer"},
        "agent": "parts:Talker",  # says three things
        "strategy": {"use": "parts:Many", "cases": cases},
        "oracles": ["parts:Content"],
        "reporters": [],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    return folder / "suite.yaml"


def measure(load: Load, workers: int, cases: int) -> Measured:
    """Play cases of a load with some workers of this machine."""
    with tempfile.TemporaryDirectory() as name:
        path = write_suite(Path(name), load, cases)
        own = {
            "concurrency": workers * PLACES,
            "execution": {"use": "processes", "workers": workers},
        }
        done = subprocess.run(
            [sys.executable, "-c", _RUN, str(path), json.dumps(own)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": name},
            check=False,
        )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    rate, seconds, size = map(float, done.stdout.split()[-3:])
    return Measured(rate, seconds, size)


def coordinator_cost(load: Load, workers: int, few: int, many: int) -> float:
    """Processor seconds of the coordinator per case, without what starting a run takes."""
    before, after = (measure(load, workers, cases) for cases in (few, many))
    return (after.coordinator_s - before.coordinator_s) / (many - few)


def main() -> None:
    """Print the costs of the coordinator, and each run beside its prediction."""
    cores = os.cpu_count()
    short = Load("short", cpu_s=0.0012, wait_s=0.0, log_bytes=0)
    long = Load("long", cpu_s=0.0012, wait_s=0.2, log_bytes=0)
    together_s = coordinator_cost(short, 1, 200, 3_200)
    alone_s = coordinator_cost(long, 2, 50, 450)
    task_s = (alone_s - together_s) / (1 - 1 / short.together)
    print(f"a task {1000 * task_s:.2f} ms, a case {1000 * (alone_s - task_s):.2f} ms")  # noqa: T201
    print("| case | workers | measured cases/s | predicted | error |")  # noqa: T201
    print("| --- | ---: | ---: | ---: | ---: |")  # noqa: T201
    loads = [
        (Load("waits 0.2 s", 0.0012, 0.2, 0), 300),
        (Load("computes 20 ms, waits 30 ms", 0.02, 0.03, 0), 400),
        (Load("computes 60 ms", 0.06, 0.0, 0), 200),
    ]
    busiest, cases = loads[-1]
    own_s = 1 / measure(busiest, 1, cases).cases_per_s - busiest.cpu_s
    print(f"a worker's own work for a case: {1000 * own_s:.1f} ms")  # noqa: T201
    for load, cases in loads:
        known = replace(load, cpu_s=load.cpu_s + own_s)
        for workers in (1, 2, 4):
            seen = measure(load, workers, cases * workers)
            site = Site(workers, PLACES, cores)
            told = predict(MEASURED_COSTS, known, site, cases * workers)
            error = told.cases_per_s / seen.cases_per_s - 1
            print(  # noqa: T201
                f"| {load.name} | {workers} | {seen.cases_per_s:.1f} | {told.cases_per_s:.1f} "
                f"| {error:+.0%} |"
            )


if __name__ == "__main__":
    main()
