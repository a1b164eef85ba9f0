"""What the reporters console, junit and html cost: memory at 20,000 cases, time at 100."""

import subprocess
import sys
from pathlib import Path

import pytest

#: Makes a run of so many cases without holding it, lets each reporter report it, and prints the
#: peak of the process's memory in MiB and the processor time of the reporters in seconds.
PROGRAM = """
import sys, time
from datetime import timedelta
from pathlib import Path
from sparring.model.case import Case
from sparring.model.events import CaseJudged, CasesAsked, RunFinished, RunStarted
from sparring.model.run import Run, Summary
from sparring.store import RunLog
from sparring.testing.conversations import EPOCH, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.console import ConsoleReporter
from sparring_plugins.reporting.html.reporter import HtmlReporter
from sparring_plugins.reporting.junit import JUnitReporter

folder, count = Path(sys.argv[1]), int(sys.argv[2])
run = Run(id="large", name="large", created=EPOCH, seed=1)
log = RunLog.create(folder, run)
started = RunStarted(at=EPOCH, run=run, expected=count, folder=str(folder))
log.append_event(started)
for number in range(count):
    case = Case.of(f"scenario {number % 7}", {"nr": number}, run_seed=1)
    log.append_event(CasesAsked(at=EPOCH, cases=(case,)))
    talk = [("hello", "Welcome!"), ("one pizza", f"Your order number is {number}. " + "la " * 200)]
    trace = trace_of(talk, case=case, latencies=[0.1, 0.2 + number % 50 / 100])
    trace = trace.model_copy(update={"started": EPOCH + timedelta(seconds=number / 10)})
    bad = verdict_of(trace, "fail", check="price", reason=f"the price of order {number} is wrong")
    verdicts = (bad if number % 10 == 3 else verdict_of(trace),)
    log.append_event(CaseJudged(at=EPOCH, trace=trace, verdicts=verdicts))
finished = RunFinished(at=EPOCH, summary=Summary(exit_code=1))
log.append_event(finished)
log.close()

began = time.process_time()
for plugin in (ConsoleReporter, JUnitReporter, HtmlReporter):
    reporter = FakeContext(base_dir=folder).build(plugin)
    reporter.handle(started)
    reporter.handle(finished)
spent = time.process_time() - began
peak = next(l for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l)
print(int(peak.split()[1]) / 1024, spent, file=sys.stderr)
"""


def cost(folder: Path, count: int) -> tuple[float, float]:
    """MiB at the peak and processor seconds for a run of so many cases."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of memory is read from /proc")
    command = [sys.executable, "-c", PROGRAM, str(folder / f"run-{count}"), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, spent = done.stderr.split()
    return float(peak), float(spent)


@pytest.mark.slow
@pytest.mark.parametrize("count", [6_000, pytest.param(20_000, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_memory_does_not_grow_with_what_is_said(tmp_path: Path, count: int) -> None:
    small, _ = cost(tmp_path, 500)
    large, spent = cost(tmp_path, count)
    size = (tmp_path / f"run-{count}" / "log.jsonl").stat().st_size / 2**20
    assert size > count / 667
    assert large - small < count / 667, f"{small:.0f} MiB for 500 cases, {large:.0f} for {count}"
    assert large < 90
    assert spent < count / 333, f"{spent:.0f} s of processor time"


def test_a_hundred_cases_are_reported_in_a_moment(tmp_path: Path) -> None:
    """The whole of such a run may take one second and 60 MiB; the reports get half of it."""
    peak, spent = cost(tmp_path, 100)
    assert peak < 60
    assert spent < 0.6, f"{spent:.2f} s of processor time"
