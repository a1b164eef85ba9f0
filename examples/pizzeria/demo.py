"""Starts the pizzeria, lets simulated customers talk to it, and says what they found.

Run it with the Python of an environment that has Sparring: ``python demo.py``. It succeeds when
the conversations were played and judged, whatever they found: this app is here to be found out.
"""

import argparse
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from sparring import Outcome, StoredRun, Verdict, find_run

HERE = Path(__file__).resolve().parent
FEWEST = 50
"""So many conversations the demo is meant to play at least."""
_START_S = 30.0
_STOP_S = 5.0
_LISTED = 12
_LONGEST = 110


class DemoFailed(Exception):
    """The demo itself did not work."""


def main(argv: list[str] | None = None) -> int:
    """Play the demo; 0 where it did what it should, else 1, and 130 when interrupted."""
    options = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with pizzeria(options.repaired) as url:
            _say(f"The pizzeria is open at {url}. Simulated customers are coming in ...\n")
            run = play(url, options.suite, options.runs, options.sparring)
        report = conclude(run)
    except DemoFailed as err:
        print(f"The demo failed: {err}", file=sys.stderr)  # noqa: T201 - a command's output
        return 1
    except KeyboardInterrupt:
        return 130
    seen = at_a_desktop(os.environ, sys.platform, terminal=sys.stdout.isatty())
    if seen and not options.no_open:
        webbrowser.open(report.as_uri())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Simulated customers visit the pizzeria.")
    parser.add_argument("--no-open", action="store_true", help="do not open the report")
    parser.add_argument("--suite", type=Path, default=HERE / "suite.yaml")
    parser.add_argument("--runs", type=Path, default=HERE / "runs", help="where runs are stored")
    parser.add_argument(
        "--repaired", action="append", default=[], help="passed on to server.py, as 'all'"
    )
    parser.add_argument(
        "sparring", nargs="*", metavar="-- OPTION", help="further options of 'sparring run'"
    )
    return parser


@contextmanager
def pizzeria(repaired: list[str]) -> Generator[str]:
    """The server as a process on a free port; stopped however the block is left."""
    options = [f"--repaired={name}" for name in repaired]
    process = subprocess.Popen(
        [sys.executable, str(HERE / "server.py"), "--port=0", "--stop-with-stdin", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # tracebacks of the bot's own crashes
        text=True,
    )
    try:
        url = _address(process)
        _wait_until_healthy(url, process)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    """The address that the server prints on its first line."""
    lines: queue.Queue[str] = queue.Queue()
    stdout = process.stdout
    if stdout is None:
        raise DemoFailed("the server's output cannot be read")
    threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
    try:
        words = lines.get(timeout=_START_S).split()
    except queue.Empty:
        raise DemoFailed(f"the server said nothing for {_START_S:.0f} seconds") from None
    if not words:
        raise DemoFailed("the server did not start; try 'python server.py'")
    return words[-1]


def _wait_until_healthy(url: str, process: subprocess.Popen[str]) -> None:
    """Ask for /health until the answer is good."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < until:
        try:
            with opener.open(f"{url}/health", timeout=_START_S):
                return
        except OSError:
            time.sleep(0.05)
    raise DemoFailed("the server does not answer")


def play(url: str, suite: Path, runs: Path, options: list[str]) -> StoredRun:
    """Run the suite against the server, as ``sparring run`` does."""
    before = {path.name for path in runs.iterdir()} if runs.is_dir() else set[str]()
    command = ["run", str(suite), "--runs", str(runs), *options]
    code = subprocess.run(
        [sys.executable, "-m", "sparring", *command],
        env={**os.environ, "PIZZERIA_URL": url},
        check=False,
    ).returncode
    if code == 130:
        raise KeyboardInterrupt
    if code not in (0, 1):  # 1 says that something was found, which is the point
        raise DemoFailed(f"'sparring run' ended with exit code {code}")
    run = find_run("last", runs)
    if run.folder.name in before:
        raise DemoFailed("'sparring run' stored nothing")
    return run


def conclude(run: StoredRun) -> Path:
    """Say what was found in a few lines; the path of the report."""
    failures: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], str] = {}
    number = clean = 0
    for judged in run.judged():
        number += 1
        clean += not _failed(judged.verdicts)
        _count(judged.verdicts, failures, shown)
    _count(run.concluded, failures, shown)
    report = next(iter(sorted(run.folder.rglob("*.html"))), None)
    if number < FEWEST:
        raise DemoFailed(f"only {number} conversations were played, not {FEWEST}")
    if report is None:
        raise DemoFailed("no HTML report was written")
    _say(f"\n{number} conversations, {clean} of them without a failure of their own.")
    if failures:
        _say("What the simulated customers found, and how often:")
    for key, count in failures.most_common(_LISTED):
        _say(f"  {count:4} x {key[1]}: {shown[key]}")
    if len(failures) > _LISTED:
        _say(f"  and {len(failures) - _LISTED} other kinds")
    _say(f"The report: {report}")
    return report


def _failed(verdicts: tuple[Verdict, ...]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]


def _count(
    verdicts: tuple[Verdict, ...],
    failures: Counter[tuple[str, str]],
    shown: dict[tuple[str, str], str],
) -> None:
    for verdict in _failed(verdicts):
        key = (verdict.oracle, verdict.check)
        failures[key] += verdict.count
        reason, _, _ = verdict.reason.partition(" (`")  # the rule's own words
        plain = "".join(c if c.isprintable() else " " for c in reason)
        shown.setdefault(key, plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]} ...")


def at_a_desktop(environment: Mapping[str, str], platform: str, *, terminal: bool) -> bool:
    """Whether somebody sits before a terminal of a desktop, where a browser can be opened."""
    if not terminal or "CI" in environment or "SSH_CONNECTION" in environment:
        return False
    if platform.startswith("linux"):
        return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return True


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
