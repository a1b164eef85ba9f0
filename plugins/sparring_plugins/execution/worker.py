"""What runs in a worker: the parts of a session, built once, and each case played and judged.

The functions are called by `distributed` on the worker's event loop, so that cases of one worker
are played side by side as those of a run are.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from time import perf_counter
from typing import Any

from sparring.engine.judge import judge_trace
from sparring.engine.play import play
from sparring.errors import BudgetSpent
from sparring.interfaces.abilities import Recalling
from sparring.interfaces.agent import Player
from sparring.interfaces.app_connector import AppConnector
from sparring.model.case import Case
from sparring.model.talk import Turn
from sparring.suite.building import build_judges, default_oracles
from sparring.suite.containment import part_limits
from sparring.suite.reading import load_suite
from sparring.time_limits import LagMeter
from sparring_plugins.execution.machine_load import LoadSampler
from sparring_plugins.execution.messages import Answer, Setup
from sparring_plugins.execution.worker_session import WorkerContext, WorkerSession

_sessions: "dict[str, WorkerSession]" = {}


def share_turns(session: str, app: str) -> None:
    """Have every request of a session to an app wait for its turn: the app has refused one."""
    own = _sessions.get(session)
    if own is not None and own.line is not None:
        own.line.refusing.add(app)


class PlayingSession(WorkerSession):
    """Has the suite's app, player and oracles, and plays its cases."""

    def build(self) -> None:
        """See `WorkerSession.build`."""
        setup, folder = self.setup, self.folder
        path = folder / setup.bundle.suite
        # Only the command stores the run: a worker does not open an address of runs.
        overrides = {**setup.overrides, "runs": "runs"}
        loaded = load_suite(path, overrides, written=setup.written)
        self.suite = suite = loaded.suite
        self.context = context = WorkerContext(
            folder,
            seed=suite.seed,
            run_dir=self.run_dir,
            llm=suite.llm,
            limits=part_limits(suite.part_timeout),
        )
        context.topic = setup.topic
        context.names = setup.names
        context.document = loaded.document
        self.connector = context.part(AppConnector[Any], suite.app)
        self.player = context.part(Player[Any], suite.agent, role="player")
        self.judges = build_judges(suite.oracles, context, loaded.document)
        self.judges += build_judges(default_oracles(suite.oracles, type(self.player)), context)
        self._apart: WorkerContext | None = None
        self._lag = LagMeter()
        self._load = LoadSampler(suite.app.settings)

    async def prepare(self) -> None:
        """Let the player find out what its space depends on."""
        self._lag.start()
        await self.player.prepare()

    async def play(self, case: Case, wording: dict[str, Any] | None) -> Answer:
        """Play and judge a case."""
        self.begin_case(case.id)
        if wording is not None and isinstance(self.player, Recalling):
            self.player.recall(case, wording)
        turns: list[Turn] = []
        ended: list[datetime] = []
        notes: list[tuple[str, str]] = []

        def record(_case: Case, _index: int, turn: Turn) -> None:
            turns.append(turn)
            ended.append(datetime.now(UTC))

        try:
            async with self._load.sampled() as began:
                trace = await play(
                    self.player,
                    self.connector,
                    case,
                    timeout_s=self.suite.case_timeout,
                    on_turn=record,
                    problem=lambda message: notes.append(("connector", message)),
                    lag=self._lag,
                )
            trace = self.redactor.for_judges(self._load.annotate(trace, began))
            verdicts = await judge_trace(
                self.judges, trace, self.suite.judge_timeout, lag=self._lag
            )
        except BudgetSpent as err:
            return Answer(spent=str(err) or "the budget is spent")
        own = None if tuple(turns) == trace.turns else tuple(turns)
        return Answer(
            trace=trace,
            verdicts=tuple(verdicts),
            turns=own,
            ended=tuple(ended),
            notes=tuple(notes),
        )

    def pack(self, answer: Answer) -> bytes:
        """Return an answer as JSON, without the secrets that only this machine knows."""
        data = answer.packed()
        return self.redactor.cleaned(answer).packed() if self.redactor.is_needed(data) else data

    def context_apart(self) -> WorkerContext:
        """Return a context for parts that keep nothing in the run's folder."""
        if self._apart is None:
            suite = self.suite
            self._apart = WorkerContext(
                self.folder, seed=suite.seed, llm=suite.llm, limits=part_limits(suite.part_timeout)
            )
            self._apart.topic = self.topic
            self._apart.names = self.setup.names
        return self._apart

    async def close(self) -> None:
        """Close all parts."""
        self._lag.close()
        await self.context.close()
        if self._apart is not None:
            await self._apart.close()
        await super().close()


_setting_up: "dict[str, asyncio.Task[None]]" = {}


async def set_up(setup: Setup) -> None:
    """Build a session's parts in this worker, once; raises SparringError."""
    if setup.session in _sessions:
        return
    if setup.session not in _setting_up:
        _setting_up[setup.session] = asyncio.create_task(_set_up(setup))
    await _setting_up[setup.session]


async def _set_up(setup: Setup) -> None:
    session: WorkerSession = _find_object(setup.session_class)(setup)
    await session.prepare()
    _sessions[setup.session] = session


def import_path_of(thing: Any) -> str:
    """Return ``module:name`` of a class or function of a module, for `_find_object`."""
    return f"{thing.__module__}:{thing.__qualname__}"


def _find_object(path: str) -> Any:
    """Import what ``module:name`` names; the paths are those of the run's own code."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


async def tear_down(session: str) -> None:
    """Close a session's parts in this worker."""
    _setting_up.pop(session, None)
    closing = _sessions.pop(session, None)
    if closing is not None:
        await closing.close()


Played = tuple[bytes, dict[str, bytes], float]
"""A case's answer, files for the run's folder, and how many seconds it took."""

Result = tuple[str, Sequence[Played]]
"""Whether this worker was ready, or else its address, and what became of each case."""


async def play_cases(
    session: str, cases: Sequence[tuple[bytes, dict[str, Any] | None, dict[str, bytes]]]
) -> Result:
    """Play cases of a session one after the other, if this worker is ready for it.

    Each case comes with the words that a model has found for it, and files for the run's folder.
    """
    own = _sessions.get(session)
    if not isinstance(own, PlayingSession):
        return _address(), ()
    played: list[Played] = []
    for case, wording, files in cases:
        began = perf_counter()
        own.take_files(files)
        answer = await own.play(Case.model_validate_json(case), wording)
        packed = own.pack(answer)
        played.append((packed, own.changed_files(), perf_counter() - began))
    return "", played


Work = Callable[[Any, bytes], Awaitable[tuple[bytes, dict[str, bytes]]]]
"""A function that workers call: from a session and a payload to an answer, and files."""


async def call_each(session: str, function: str, payloads: Sequence[bytes]) -> Result:
    """Call a `Work`, given by its import path, with each payload, if the session is set up."""
    own = _sessions.get(session)
    if own is None:
        return _address(), ()
    work: Work = _find_object(function)
    done: list[Played] = []
    for payload in payloads:
        began = perf_counter()
        answer, files = await work(own, payload)
        done.append((answer, files, perf_counter() - began))
    return "", done


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)
