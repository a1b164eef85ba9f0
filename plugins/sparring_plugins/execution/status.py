"""What the workers of the run of this process do, for whoever shows how far it is.

Reporters hear events alone, and workers that come, go or wait are none: they change nothing in what
is stored. So that a console can show them, the executor keeps its `ExecutionStatus` here while it
plays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sparring.suite.reading import LoadedSuite
from sparring_plugins.language.quantities import plural

if TYPE_CHECKING:
    from sparring_plugins.execution.workers import Workers


@dataclass
class ExecutionStatus:
    """How many workers there are, what cases wait for, and where the dashboard is.

    `count_waiting` returns how many cases wait, by what they wait for. `dashboard` is an address,
    or empty.
    """

    count_workers: Callable[[], int]
    count_waiting: Callable[[], Mapping[str, int]] = field(default=dict[str, int])
    dashboard: str = ""

    def text(self) -> str:
        """One short text, such as ``4 workers, 3 cases wait for api.example.com``."""
        parts = [plural(self.count_workers(), "worker")]
        waiting = sorted(self.count_waiting().items(), key=lambda item: (-item[1], item[0]))
        for what, count in waiting:
            if count:
                parts.append(
                    f"{plural(count, 'case')} {'waits' if count == 1 else 'wait'} for {what}"
                )
        return ", ".join(parts)


_statuses: list[ExecutionStatus] = []


def show(status: ExecutionStatus) -> None:
    """Let what plays now be seen; the last one counts if several runs go on."""
    _statuses.append(status)


def hide(status: ExecutionStatus) -> None:
    """Take it back when it has ended."""
    if status in _statuses:
        _statuses.remove(status)


def current() -> ExecutionStatus | None:
    """Return what plays now; `None` if this process plays all cases itself."""
    return _statuses[-1] if _statuses else None


_playing: "list[tuple[LoadedSuite, Workers]]" = []


def note_playing(loaded: LoadedSuite, workers: "Workers") -> None:
    """Keep the workers that play a suite: faults are confirmed by them after the last case."""
    _playing.append((loaded, workers))


def forget_playing(workers: "Workers") -> None:
    """Forget workers that are closed."""
    _playing[:] = [entry for entry in _playing if entry[1] is not workers]


def playing_workers() -> "Workers | None":
    """Return the workers of the run of this process; `None` if it plays all cases itself."""
    return _playing[-1][1] if _playing else None


def find_playing(loaded: LoadedSuite) -> "Workers | None":
    """Return the workers that play a suite now; `None` if this process plays it itself."""
    return next((workers for suite, workers in _playing if suite is loaded), None)
