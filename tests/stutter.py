"""Run a command as on a machine that is much too busy, without making it busy.

`python tests/stutter.py .venv/bin/pytest -n0 tests/web` starts the command and stops its processes, each by
itself, for random moments, as a scheduler does that has thirty others to serve: a test that asserts before
another process or the browser is ready fails here as it fails there. Exits as the command does; Linux only.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

LOOK_S = 0.01
"""Seconds between two decisions."""

NEW_S = 0.2
"""Seconds between two looks for new processes."""


def descendants(root: int) -> set[int]:
    """Return a process and all that it started, and those that these started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError):
                # The name of a program stands in brackets and may have blanks in it.
                parents[int(folder.name)] = int(
                    (folder / "stat").read_text().rpartition(")")[2].split()[1]
                )
    found, size = {root}, 0
    while len(found) > size:
        size = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def stutter(process: "subprocess.Popen[bytes]", share: float, longest_s: float, seed: int) -> None:
    """Stop and continue the processes of a command until it ends.

    Args:
        process: The command.
        share: The share of its time for which a process is stopped, on average.
        longest_s: The longest stop, in seconds.
        seed: Where chance comes from.
    """
    noise = random.Random(seed)
    # A stop takes longest_s / 2 on average; so often it has to begin for the share to come out.
    begins = min(1.0, LOOK_S / (longest_s / 2) * share / (1 - share))
    stopped: dict[int, float] = {}
    known: set[int] = set()
    next_look = 0.0
    try:
        while process.poll() is None:
            now = time.monotonic()
            if now >= next_look:
                known, next_look = descendants(process.pid), now + NEW_S
            for pid in sorted(known):
                if pid not in stopped and noise.random() < begins:
                    send(pid, signal.SIGSTOP)
                    stopped[pid] = now + noise.uniform(LOOK_S, longest_s)
                elif stopped.get(pid, now + 1) <= now:
                    send(pid, signal.SIGCONT)
                    del stopped[pid]
            time.sleep(LOOK_S)
    finally:
        for pid in stopped:
            send(pid, signal.SIGCONT)


def main() -> int:
    """Run the command of the command line; returns its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--share", type=float, default=0.6, help="of the time stopped, 0 to 0.95")
    parser.add_argument("--longest", type=float, default=0.7, help="longest stop in seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    process = subprocess.Popen(options.command, start_new_session=True)
    # Ended by `timeout`, nothing that it has stopped may stay so for ever.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        stutter(process, min(0.95, options.share), options.longest, options.seed)
    except KeyboardInterrupt:
        for pid in descendants(process.pid):
            send(pid, signal.SIGCONT)
            send(pid, signal.SIGINT)
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
