"""Whether a process of a test has ended."""

import time
from pathlib import Path


def has_ended(pid: int, within_s: float = 120.0) -> bool:
    """Return whether a process ends within a time.

    A process closes its files before the kernel calls it ended, so whoever has just read the end
    of its output has to wait for the rest.

    Args:
        pid: The process.
        within_s: How long to wait for it, in seconds.
    """
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
