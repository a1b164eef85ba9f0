"""MiniWoB++ as a benchmark of the grammar and the strict core: no model, no task is known by name.

Each episode follows the benchmark's own protocol: the page is opened, its random numbers are seeded,
the episode is started without its cover, and its instruction is read with the grammar. What the grammar
reads is carried out by Algorithm 1 with plain rules through the connector `browser`. An episode is a
success where the page itself says that it is done with the full raw reward. What the grammar does not
read is left to weak readings, as in a suite without a model, and stays in the denominator.

Run it with ``python -m tests.evaluation.web.miniwob --help``; it needs the folder ``html`` of the
package ``miniwob`` (MIT), which the variable SPARRING_MINIWOB names.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from time import monotonic
from typing import Any, Literal

from sparring.errors import AppError
from sparring.model.case import Case
from sparring.model.talk import GuiAction
from sparring.testing.fakes import FakeContext
from sparring_connectors.browser.connector import BrowserConnector
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.strict_agents import (
    Agents,
    StrictAssertion,
    StrictNavigator,
    StrictReadiness,
)
from sparring_plugins.web.step import Step

VARIABLE = "SPARRING_MINIWOB"
_WITHOUT_THE_FRAME = """() => {
    document.getElementById('query').textContent = '';
    const style = document.createElement('style');
    style.textContent = '#reward-display, #sync-task-cover, #click-canvas {display: none !important}';
    document.head.append(style);
}"""
"""Takes away what the benchmark puts around a task: the instruction, the score, the covers."""
_START = """seed => {
    if (core.cover_div && !WOB_DONE_GLOBAL) core.endEpisode(0);
    Math.seedrandom(seed);
    if (core.setDataMode) core.setDataMode('test');
    core.EPISODE_MAX_TIME = 600000;
    core.startEpisodeReal();
}"""
_UTTERANCE = (
    "() => { const u = core.getUtterance(); return typeof u === 'string' ? u : u.utterance; }"
)
_RESULT = "() => [WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"

Outcome = Literal["success", "failure", "not read", "nothing to do", "error"]


@dataclass(frozen=True)
class Episode:
    """What came of one episode: its steps as they were read, and what they acted upon.

    `why` is the reason of the step that stopped it, where one did.
    """

    task: str
    seed: int
    outcome: Outcome
    utterance: str = ""
    steps: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    why: str = ""
    reward: float = 0.0
    seconds: tuple[float, ...] = ()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser hangs up when it likes."""


def serve(folder: Path) -> ThreadingHTTPServer:
    """Serve the package's folder ``html`` on the loopback; call `shutdown` at the end."""
    server = _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def tasks_of(folder: Path) -> list[str]:
    """All tasks that the package has."""
    return sorted(path.stem for path in (folder / "miniwob").glob("*.html"))


class Benchmark:
    """Plays episodes in one browser."""

    def __init__(self, url: str, *, patience_s: float = 0.5) -> None:
        self.url = url
        self.patience_s = patience_s
        self._folder = tempfile.TemporaryDirectory(prefix="miniwob")
        here = Path(self._folder.name)
        context = self._context = FakeContext(base_dir=here, run_dir=here)
        self._connector = context.build(
            BrowserConnector, url="about:blank", block="outside", screenshots="never"
        )
        self._agents = Agents(
            [context.build(StrictNavigator)],
            [context.build(StrictReadiness)],
            [context.build(StrictAssertion)],
        )

    async def episodes(self, task: str, seeds: Iterable[int]) -> list[Episode]:
        """Play a task with each of some seeds, one after the other."""
        done: list[Episode] = []
        for seed in seeds:
            case = Case.of(task, {}, run_seed=seed)
            async with self._connector.open(case) as session:
                try:
                    done.append(await self._episode(session, task, seed))
                except AppError as err:
                    done.append(Episode(task, seed, "error", why=str(err)))
        return done

    async def _episode(self, session: Any, task: str, seed: int) -> Episode:
        address = f"{self.url}/miniwob/{task}.html"
        await session.send(GuiAction(action="open", value=address))
        page = session.tab.page
        await page.evaluate(_START, seed)
        await page.wait_for_function("() => WOB_TASK_READY !== false")
        utterance = str(await page.evaluate(_UTTERANCE))
        steps = read_steps(utterance)
        texts = tuple(_told(one) for one in steps)
        if not steps:
            return Episode(task, seed, "nothing to do", utterance)
        await page.evaluate(_WITHOUT_THE_FRAME)
        run = Run(session, self._agents, steps, patience_s=self.patience_s)
        _, why = await run.play()
        finished, reward = await page.evaluate(_RESULT)
        outcome: Outcome = "success" if finished and reward == 1 else "failure"
        if outcome == "failure" and any(one.reading is None or one.asserts for one in steps):
            outcome = "not read"
        return Episode(
            task,
            seed,
            outcome,
            utterance,
            texts,
            tuple(one.target for one in run.records),
            why or ("" if finished else "the page does not say that it is done"),
            float(reward or 0),
            tuple(round(r.duration_s, 3) for r in run.records if r.outcome == "done"),
        )

    async def close(self) -> None:
        """End the browser."""
        await self._context.close()
        self._folder.cleanup()


def _told(step: Step) -> str:
    return step.reading.explanation if step.reading else f"? {step.text}"


@asynccontextmanager
async def benchmark(folder: Path, **settings: Any) -> AsyncIterator[Benchmark]:
    """The benchmark with its pages served and a browser to play in."""
    server = serve(folder)
    bench = Benchmark(f"http://127.0.0.1:{server.server_port}", **settings)
    try:
        yield bench
    finally:
        await bench.close()
        server.shutdown()
        server.server_close()


def summary(episodes: Sequence[Episode]) -> Iterator[str]:
    """Tables: each task with its counts, then all together. Nothing leaves the denominator."""
    tasks = sorted({one.task for one in episodes})
    yield f"{'task':34} success read episodes"
    for task in tasks:
        own = [one for one in episodes if one.task == task]
        yield f"{task:34} {_count(own, 'success'):7} {_read(own):4} {len(own):8}"
    won, read, total = _count(episodes, "success"), _read(episodes), len(episodes)
    yield f"all: {won} of {total} episodes ({won / max(1, total):.1%})"
    yield f"of those that the grammar reads: {won} of {read} ({won / max(1, read):.1%})"
    times = [t for one in episodes for t in one.seconds]
    if len(times) > 1:
        yield f"a step: median {median(times):.3f} s, 95th percentile {quantiles(times, n=20)[-1]:.3f} s"


def _count(episodes: Iterable[Episode], outcome: Outcome) -> int:
    return sum(one.outcome == outcome for one in episodes)


def _read(episodes: Iterable[Episode]) -> int:
    return sum(one.outcome in ("success", "failure") for one in episodes)


def pages() -> Path | None:
    """The package's folder ``html``, where the environment names it."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def _keep(episodes: Iterable[Episode], out: Path) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in episodes)


async def _main(folder: Path, tasks: Sequence[str], seeds: Sequence[int], out: Path | None) -> None:
    found: list[Episode] = []
    began = monotonic()
    async with benchmark(folder) as bench:
        for task in tasks:
            episodes = await bench.episodes(task, seeds)
            found += episodes
            if out is not None:
                _keep(episodes, out)
    for line in (*summary(found), f"{monotonic() - began:.0f} s in all"):
        sys.stdout.write(f"{line}\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="MiniWoB++ by plain rules.")
    parser.add_argument("--pages", type=Path, default=pages(), help="the package's folder html")
    parser.add_argument("--tasks", default="", help="names with commas; all if left out")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument(
        "--out", type=Path, help="a file that the episodes are added to, JSON lines"
    )
    given = parser.parse_args()
    if given.pages is None:
        parser.error(f"say where the pages are: --pages or {VARIABLE}")
    tasks = given.tasks.split(",") if given.tasks else tasks_of(given.pages)
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    asyncio.run(_main(given.pages, tasks, seeds, given.out))


if __name__ == "__main__":
    main()
