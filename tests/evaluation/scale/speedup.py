"""Measure how much faster two workers play real suites than one process, and what it costs.

`python -m tests.evaluation.scale.speedup [KIND...]` plays an app that computes in Sparring's own process, the
web shop in browsers and a portfolio of skills, by one process and by two workers, and prints a
table. Browsers and skills are processes of their own: one process of Sparring keeps several cores
busy with them, so that workers gain what it leaves of this machine's. Cases per second, processor time of a case and
the cores in use are those between the first and the last fifth of the cases, so that starting
processes does not count; how long the start takes stands beside them.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import Any

import yaml
from tests.servers.example_server import EXAMPLES, serving

from .measure import write_suite
from .model import Load

_RUN = """
import json, os, sys
from pathlib import Path
if sys.argv[4] == "one core":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.events import CaseJudged, CaseStarted
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
done = conduct(load_suite(Path(sys.argv[1]), json.loads(sys.argv[2])), RunOptions(runs=Path(sys.argv[3])))
events = list(StoredRun(done.folder).events())
first = min(e.at.timestamp() for e in events if isinstance(e, CaseStarted))
print(json.dumps([first, sorted(e.at.timestamp() for e in events if isinstance(e, CaseJudged))]))
"""

WANTED = 1.7
"""How many times as fast two workers on two cores should be."""

KINDS = ("computing", "skills", "pages")
COMPUTES = Load("computes 60 ms", cpu_s=0.06, wait_s=0.0, log_bytes=0)
COMPUTED_CASES = 150

_SAMPLED_S = 0.2
_SKILLS = {
    "star-porch": "lambda/index.handler",
    "tea-corner": "lambda/tea.lambda_handler",
    "window-garden": "lambda/lambda_function.lambda_handler",
}


@dataclass(frozen=True)
class Speed:
    """A run: its cases, and what held between the first and the last fifth of them.

    `start_s` is how long the process ran before its first case began, `processor_s` what a case
    needed of all processes together, `cores` how many were busy with this run, and `idle` how many
    with nothing at all: other programs had the rest.
    """

    cases: int
    start_s: float
    cases_per_s: float
    processor_s: float
    cores: float
    idle: float


@dataclass(frozen=True)
class Pair:
    """The same suite, played by one process and by two workers."""

    one: Speed
    two: Speed

    @property
    def faster(self) -> float:
        """How many times as many cases two workers play in a second."""
        return self.two.cases_per_s / self.one.cases_per_s

    @property
    def dearer(self) -> float:
        """How many times as much processor time two workers need for a case."""
        return self.two.processor_s / self.one.processor_s

    @property
    def most(self) -> float:
        """How many times as many cases this machine has cores for, by what one process uses."""
        return (os.cpu_count() or 1) / self.one.cores

    @property
    def ceiling(self) -> float:
        """How many times as fast any number of workers can be here, with no core idle."""
        return self.most / self.dearer

    def verdict(self, wanted: float) -> str:
        """Whether two workers are `wanted` times as fast, and if not, whether they could be."""
        if self.faster >= wanted:
            return f"at least {wanted:g} times"
        cores = f"one process uses {self.one.cores:.2f} of {os.cpu_count()} cores"
        if self.ceiling < wanted:
            return f"{wanted:g} times cannot be: {cores}, which leaves {self.ceiling:.2f} times"
        return f"less than {wanted:g} times, though {cores}, which leaves {self.ceiling:.2f} times"


class _ProcessorTime:
    """Samples the processor seconds that a process and all below it have used so far."""

    def __init__(self, pid: int) -> None:
        psutil: Any = import_module("psutil")  # Dask needs it
        self._process = psutil.Process(pid)
        self._error = psutil.Error
        self._over = Event()
        self._samples = [(time(), 0.0)]
        self._times: Callable[[], Any] = psutil.cpu_times
        self._idle = [(time(), self._times().idle)]
        self._thread = Thread(target=self._sample)

    @contextmanager
    def sampled(self) -> Iterator[None]:
        """Sample meanwhile."""
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(_SAMPLED_S):
            with suppress(self._error):  # the process is over
                used_s = 0.0
                for process in (self._process, *self._process.children(recursive=True)):
                    with suppress(self._error):  # its parent has its time, from now on
                        used_s += sum(process.cpu_times()[:4])
                self._samples.append((time(), max(used_s, self._samples[-1][1])))
                self._idle.append((time(), self._times().idle))

    def between(self, first: float, last: float) -> tuple[float, float]:
        """Return the seconds used between two moments, and those in which a core was idle."""
        used, idle = (
            _at(samples, last) - _at(samples, first) for samples in (self._samples, self._idle)
        )
        return used, idle


def _at(samples: list[tuple[float, float]], moment: float) -> float:
    """The value at a moment, in between two samples by proportion."""
    at = bisect_left(samples, (moment, 0.0))
    if not 0 < at < len(samples):
        return samples[min(at, len(samples) - 1)][1]
    (before, used), (after, more) = samples[at - 1 : at + 1]
    return used + (more - used) * (moment - before) / (after - before)


def play(suite: Path, changes: dict[str, Any], env: dict[str, str], cores: str = "") -> Speed:
    """Play a suite in a process of its own; with ``one core`` it and its children share one."""
    with tempfile.TemporaryDirectory() as runs:
        began = time()
        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(suite), json.dumps(changes), runs, cores],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **env},
        )
        used = _ProcessorTime(process.pid)
        with used.sampled():
            out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(out)
    first_case, ends = json.loads(out.splitlines()[-1])
    first, last = ends[len(ends) // 5], ends[len(ends) * 4 // 5]
    cases = len(ends) * 4 // 5 - len(ends) // 5
    seconds, idle_s = used.between(first, last)
    return Speed(
        cases=len(ends),
        start_s=first_case - began,
        cases_per_s=cases / (last - first),
        processor_s=seconds / cases,
        cores=seconds / (last - first),
        idle=idle_s / (last - first),
    )


def write_portfolio(folder: Path, copies: int = 4) -> Path:
    """Write a suite over several copies of three skills, each explored in its own sessions."""
    with (folder / "skills.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "folder", "handler"])
        for copy in range(copies):
            for name, handler in _SKILLS.items():
                rows.writerow([f"{name} {copy}", str(EXAMPLES / "skills" / name), handler])
    suite = {
        "name": "portfolio",
        "app": {"use": "alexa", "skills": "skills.csv", "locale": "en-US", "network": "cut"},
        "agent": {"use": "explorer", "medium": "voice", "turns": 60, "black_box": True},
        "strategy": "sessions",
        "oracles": ["voice-problems"],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    return folder / "suite.yaml"


@contextmanager
def prepared(kind: str) -> Iterator[tuple[Path, dict[str, Any], dict[str, str]]]:
    """Give the suite of a kind, changes to it, and variables that it reads."""
    changes: dict[str, Any] = {"reporters": [], "confirm": False, "concurrency": 4}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if kind == "pages":
            url = stack.enter_context(serving("shop"))
            yield EXAMPLES / "shop", {**changes, "repeats": 2}, {"SHOP_URL": url}
        elif kind == "skills":
            yield write_portfolio(folder), changes, {}
        else:
            path = write_suite(folder, COMPUTES, COMPUTED_CASES)
            yield path, changes, {"PYTHONPATH": str(folder)}


def compare(kind: str, cores: str = "") -> Pair:
    """Play one of the suites in both ways, one after the other.

    With ``one core``, the one process is held to a core, with the browsers or skills that it
    starts: workers gain what they would where these keep every core of a machine busy.
    """
    with prepared(kind) as (suite, changes, env):
        one = play(suite, changes, env, cores)
        workers = {"execution": {"use": "processes", "workers": 2}}
        two = play(suite, changes | workers, env)
    if one.cases != two.cases:
        raise SystemExit(f"{one.cases} cases were played by one process, {two.cases} by workers")
    return Pair(one, two)


def main() -> None:
    """Play both suites in both ways, and print a table."""
    print("| suite | cases | who | start | cases/s | processor time of a case | cores, idle |")  # noqa: T201
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")  # noqa: T201
    for kind, cores in [
        (kind, cores) for kind in sys.argv[1:] or KINDS for cores in ("", "one core")
    ]:
        if cores and kind == "computing":  # it needs no second one
            continue
        pair = compare(kind, cores)
        for who, speed in (
            (f"one process{cores and ', one core'}", pair.one),
            ("two workers", pair.two),
        ):
            print(  # noqa: T201
                f"| {kind} | {speed.cases} | {who} | {speed.start_s:.1f} s | {speed.cases_per_s:.2f} "
                f"| {speed.processor_s:.2f} s | {speed.cores:.2f}, {speed.idle:.2f} |"
            )
        load = os.getloadavg()[0]
        print(  # noqa: T201
            f"{kind}: {pair.faster:.2f} times as fast at {pair.dearer:.2f} of the processor time; "
            f"{pair.verdict(WANTED)}; load {load:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
