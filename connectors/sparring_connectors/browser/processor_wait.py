"""How much of an act's time the processes of this machine waited for a processor.

Sparring's own thread mostly sleeps while a browser works, so that it may have waited little on a
machine on which the page got next to nothing. Linux adds up for all processes how long at least one
of them was kept waiting (``/proc/pressure/cpu``); other systems do not say.
"""

import re
from pathlib import Path
from time import monotonic

_PRESSURE = Path("/proc/pressure/cpu")
# A line of Linux's /proc/pressure/cpu: "some avg10=1.53 avg60=0.87 avg300=0.30 total=157622151".
_SOME = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE)
# Of a shorter time a share says little: one pause of 50 ms would be half of it.
_LEAST_S = 0.5


class ProcessorWait:
    """Measures from its making on; `source` is the kernel's account."""

    def __init__(self, source: Path = _PRESSURE) -> None:
        self._source = source
        self._began, self._waited_s = monotonic(), self._total_s()

    def share(self) -> float | None:
        """Return the share of the time in which some process waited; `None` if nobody knows.

        A moment of less than half a second says nothing.
        """
        elapsed_s, total_s = monotonic() - self._began, self._total_s()
        if total_s is None or self._waited_s is None or elapsed_s < _LEAST_S:
            return None
        return round(min(1.0, (total_s - self._waited_s) / elapsed_s), 2)

    def _total_s(self) -> float | None:
        try:
            match = _SOME.search(self._source.read_text(encoding="ascii"))
        except (OSError, UnicodeError):
            return None
        return int(match[1]) / 1e6 if match else None
