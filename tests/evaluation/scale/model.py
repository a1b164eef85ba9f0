"""A discrete-event model of a run with workers: coordinator, workers, and the app.

`python -m tests.evaluation.scale.model` prints the tables of the page
`docs/explanation/scale-on-paper.md`. A case is sent by the coordinator, alone or with others in one
task, waits for a place in a worker, is played there (processor time of the worker, and waiting for
the app), and is taken up by the coordinator, which writes the log. Every process does one thing at
a time; processes of one machine share its cores. What a case costs was measured with one worker
(`measure.py`); what two and four workers do is predicted, and compared.
"""

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sparring_plugins.execution.dispatch import CASES_AT_MOST, TASK_S


@dataclass(frozen=True)
class Costs:
    """What the coordinator needs: processor seconds for a task and for each case of it."""

    task_s: float
    case_s: float
    latency_s: float = 0.001
    """Of a message between coordinator and worker."""


@dataclass(frozen=True)
class Load:
    """A suite: what a case takes in a worker, and how long it waits for the app.

    `log_bytes` is what a case adds to the log. `app_limit` is how many requests the app serves at
    once: others wait there.
    """

    name: str
    cpu_s: float
    wait_s: float
    log_bytes: int
    app_limit: int | None = None

    @property
    def together(self) -> int:
        """How many cases the dispatcher sends in one task."""
        return min(CASES_AT_MOST, max(1, int(TASK_S / max(self.cpu_s + self.wait_s, 1e-6))))


@dataclass(frozen=True)
class Site:
    """Where a run plays: workers with places for cases, and the cores that they share.

    `cores` is `None` if every process has a core of its own, as on a cluster.
    """

    workers: int
    places: int
    cores: int | None = None


@dataclass(frozen=True)
class Predicted:
    """What came out: cases per second, how busy who was (0 to 1), and bytes of log per second."""

    cases_per_s: float
    coordinator: float
    workers: float
    log_bytes_per_s: float


class Clock:
    """Calls what is due, in order of time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something in so many seconds."""
        heapq.heappush(self._due, (self.now + seconds, next(self._numbers), call))

    def run(self, until: Callable[[], bool]) -> None:
        """Go on until a condition holds, or nothing is due."""
        while self._due and not until():
            self.now, _, call = heapq.heappop(self._due)
            call()


class Cores:
    """So many processes of a machine compute at once; the others wait in line."""

    def __init__(self, clock: Clock, number: int | None) -> None:
        self._clock = clock
        self._free = number
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()

    def use(self, seconds: float, then: Callable[[], None]) -> None:
        """Compute for some seconds when a core is free."""
        if self._free == 0:
            self._waiting.append((seconds, then))
            return
        if self._free is not None:
            self._free -= 1

        def done() -> None:
            if self._free is not None:
                self._free += 1
            then()
            if self._waiting and self._free != 0:
                self.use(*self._waiting.popleft())

        self._clock.after(seconds, done)


class Process:
    """Does one piece of work after the other."""

    def __init__(self, cores: Cores) -> None:
        self._cores = cores
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._is_busy = False
        self.busy_s = 0.0

    def do(self, seconds: float, then: Callable[[], None]) -> None:
        """Do a piece of work, and then what follows from it."""
        self._waiting.append((seconds, then))
        self._next()

    def _next(self) -> None:
        if self._is_busy or not self._waiting:
            return
        self._is_busy = True
        seconds, then = self._waiting.popleft()
        self.busy_s += seconds

        def done() -> None:
            self._is_busy = False
            then()
            self._next()

        self._cores.use(seconds, done)


class App:
    """Answers after a while; with a limit, so many requests at once."""

    def __init__(self, clock: Clock, load: Load) -> None:
        self._clock, self._load = clock, load
        self._under_way = 0
        self._waiting: deque[Callable[[], None]] = deque()

    def ask(self, then: Callable[[], None]) -> None:
        """Send a request; `then` is called with its answer."""
        if self._load.app_limit is not None and self._under_way >= self._load.app_limit:
            self._waiting.append(then)
            return
        self._under_way += 1

        def answer() -> None:
            self._under_way -= 1
            if self._waiting:
                self.ask(self._waiting.popleft())
            then()

        self._clock.after(self._load.wait_s, answer)


@dataclass
class _Worker:
    process: Process
    free: int
    waiting: deque[int] = field(default_factory=deque[int])


class Run:
    """A run of `cases` cases on a site."""

    def __init__(self, costs: Costs, load: Load, site: Site, cases: int) -> None:
        self._costs, self._load, self._left = costs, load, cases
        self._cases = cases
        self._clock = Clock()
        cores = Cores(self._clock, site.cores)
        self._coordinator = Process(cores)
        self._app = App(self._clock, load)
        self._workers = [_Worker(Process(cores), site.places) for _ in range(site.workers)]
        self._turn = 0
        self._judged = 0

    def predict(self) -> Predicted:
        """Play it; the first and last tenth, in which workers fill and empty, do not count."""
        for _ in range(2):  # two tasks for each place, as the dispatcher keeps
            for worker in self._workers:
                for _ in range(worker.free):
                    self._send(worker)
        marks: list[tuple[float, float, float]] = []
        for share in (0.1, 0.9):
            self._clock.run(lambda share=share: self._judged >= share * self._cases)
            busy_s = sum(worker.process.busy_s for worker in self._workers)
            marks.append((self._clock.now, self._coordinator.busy_s, busy_s))
        seconds, coordinator_s, workers_s = (
            after - before for before, after in zip(*marks, strict=True)
        )
        rate = 0.8 * self._cases / seconds
        return Predicted(
            cases_per_s=rate,
            coordinator=coordinator_s / seconds,
            workers=workers_s / seconds / len(self._workers),
            log_bytes_per_s=rate * self._load.log_bytes,
        )

    def _send(self, worker: _Worker) -> None:
        number = min(self._load.together, self._left)
        if number:
            self._left -= number
            arrive = lambda: self._clock.after(  # noqa: E731
                self._costs.latency_s, lambda: self._arrived(worker, number)
            )
            self._coordinator.do(self._costs.task_s / 2, arrive)

    def _arrived(self, worker: _Worker, number: int) -> None:
        worker.waiting.append(number)
        self._begin(worker)

    def _begin(self, worker: _Worker) -> None:
        while worker.free and worker.waiting:
            worker.free -= 1
            self._play(worker, total := worker.waiting.popleft(), total)

    def _play(self, worker: _Worker, left: int, total: int) -> None:
        if left == 0:
            worker.free += 1
            self._begin(worker)
            self._clock.after(self._costs.latency_s, lambda: self._returned(worker, total))
            return
        half_s = self._load.cpu_s / 2
        go_on = lambda: self._play(worker, left - 1, total)  # noqa: E731
        hear = lambda: worker.process.do(half_s, go_on)  # noqa: E731
        worker.process.do(half_s, lambda: self._app.ask(hear))

    def _returned(self, worker: _Worker, number: int) -> None:
        def judged() -> None:
            self._judged += number
            self._send(worker)

        self._coordinator.do(self._costs.task_s / 2 + number * self._costs.case_s, judged)


def predict(costs: Costs, load: Load, site: Site, cases: int | None = None) -> Predicted:
    """Predict a run; by default one that is long enough for a steady state."""
    enough = max(2_000, 20 * site.workers * site.places * load.together)
    return Run(costs, load, site, cases or enough).predict()


def predict_shards(costs: Costs, load: Load, site: Site, shards: int) -> Predicted:
    """Predict as many runs side by side, each with its part of the workers."""
    part = predict(costs, load, replace(site, workers=site.workers // shards))
    return replace(
        part,
        cases_per_s=part.cases_per_s * shards,
        log_bytes_per_s=part.log_bytes_per_s * shards,
    )


def saturation(costs: Costs, load: Load) -> float:
    """Cases per second that one coordinator takes at most."""
    return 1 / (costs.task_s / load.together + costs.case_s)


MEASURED_COSTS = Costs(task_s=0.0042, case_s=0.0019)
"""Of one coordinator, from `measure.py`; see the page."""

LOADS: Sequence[Load] = (
    Load("language model, 2 s an answer", cpu_s=0.006, wait_s=6.0, log_bytes=4_000),
    Load("browser suite", cpu_s=2.3, wait_s=3.0, log_bytes=170_000),
    Load("Alexa skills in processes", cpu_s=0.18, wait_s=0.1, log_bytes=40_000),
    Load("echo", cpu_s=0.0012, wait_s=0.0, log_bytes=1_900),
)
"""What a case of each takes: three answers for a conversation with a language model.

Browsers and skills as `speedup.py` measured them, with the processor time of all processes.
"""


def table() -> str:
    """The table of predictions for a thousand workers, in Markdown."""
    lines = [
        "| suite | workers x places | cases/s | coordinator busy | workers busy | log |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for load in LOADS:
        for workers, places in ((10, 10), (100, 10), (1_000, 10)):
            done = predict(MEASURED_COSTS, load, Site(workers, places), 20 * workers * places)
            lines.append(
                f"| {load.name} | {workers:,} x {places} | {done.cases_per_s:,.0f} "
                f"| {done.coordinator:.0%} | {done.workers:.0%} "
                f"| {done.log_bytes_per_s / 1e6:.1f} MB/s |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())  # noqa: T201
    for each in LOADS:
        print(f"{each.name}: {saturation(MEASURED_COSTS, each):,.0f} cases/s at most")  # noqa: T201
