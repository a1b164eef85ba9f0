"""Measure how much faster two workers play real suites than one process, and what it costs.

`python -m tests.evaluation.scale.speedup` plays the web shop in browsers and the skill Star Porch,
by one process and by two workers, and prints cases per second (between the first and the last tenth
of the cases, so that starting processes does not count) and the processor time of all processes.
"""

import os
import resource
import subprocess
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.example_server import EXAMPLES, serving

_RUN = """
import json, sys
from pathlib import Path
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.events import CaseJudged
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
done = conduct(load_suite(Path(sys.argv[1]), json.loads(sys.argv[2])), RunOptions(runs=Path(sys.argv[3])))
events = StoredRun(done.folder).events()
ends = [e.at.timestamp() for e in events if isinstance(e, CaseJudged)]
first, last = ends[len(ends) // 10], ends[len(ends) * 9 // 10]
print(len(ends), 0.8 * len(ends) / (last - first))
"""


@dataclass(frozen=True)
class Speed:
    """Cases, cases per second, and processor seconds of all processes of a run."""

    cases: int
    cases_per_s: float
    processor_s: float


def play(suite: Path, changes: dict[str, Any], env: dict[str, str]) -> Speed:
    """Play a suite in a process of its own."""
    import json

    with tempfile.TemporaryDirectory() as runs:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", _RUN, str(suite), json.dumps(changes), runs],
            capture_output=True,
            text=True,
            env={**os.environ, **env},
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    cases, rate = done.stdout.split()[-2:]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Speed(int(cases), float(rate), seconds)


def main() -> None:
    """Play both suites in both ways, and print a table."""
    print("| suite | cases | one process | two workers | times | processor time |")  # noqa: T201
    print("| --- | ---: | ---: | ---: | ---: | ---: |")  # noqa: T201
    suites: list[tuple[str, Any, dict[str, Any]]] = [
        ("shop", serving("shop"), {"repeats": 2}),
        ("skills/star-porch", nullcontext(""), {"repeats": 4}),
    ]
    for name, server, more in suites:
        with ExitStack() as stack:
            env = {"SHOP_URL": stack.enter_context(server)}
            base = {"reporters": [], "confirm": False, "concurrency": 4, **more}
            one = play(EXAMPLES / name, base, env)
            execution = {"execution": {"use": "processes", "workers": 2}}
            two = play(EXAMPLES / name, base | execution, env)
        print(  # noqa: T201
            f"| {name} | {one.cases} | {one.cases_per_s:.2f}/s, {one.processor_s:.0f} s "
            f"| {two.cases_per_s:.2f}/s, {two.processor_s:.0f} s "
            f"| {two.cases_per_s / one.cases_per_s:.2f} "
            f"| {two.processor_s / one.processor_s:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
