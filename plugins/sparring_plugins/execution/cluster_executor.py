"""The base of executors that play on workers of Dask: a task plays one case, whole."""

import asyncio
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from sparring.engine.bus import now
from sparring.engine.judge import not_played
from sparring.engine.play import RunWork
from sparring.errors import BudgetSpent, PartError, SparringError
from sparring.interfaces.abilities import PlaysSequences, Previewing
from sparring.interfaces.executor import Executor
from sparring.interfaces.plugin import ConfigT
from sparring.interfaces.search_strategy import Learning
from sparring.model.case import Case
from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Owner, Verdict
from sparring.suite.model import ExecutionUse
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution import status, worker
from sparring_plugins.execution.bundle import Bundle, bundle_of, write_files
from sparring_plugins.execution.cases import AppLimits, Sequences
from sparring_plugins.execution.dispatch import Delivered, Dispatcher, Parcel
from sparring_plugins.execution.messages import Answer, Setup
from sparring_plugins.execution.shared_turns import AppTurns, AskTurn, EndTurn
from sparring_plugins.execution.status import ExecutionStatus
from sparring_plugins.execution.worker_session import WorkerSession, hand_over
from sparring_plugins.execution.workers import (
    CLOSING_S,
    FindsModel,
    TakesTurn,
    Workers,
    WorkersDied,
    forwarded_variables,
)

_LOG = frozenset({"run.json", "log.jsonl"})
_WORKERS_LOOKED_AT_S = 5.0
"""How often the scheduler is asked which workers are left: turns of the others are given back."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """What workers need to build the parts of a session.

    `settings` are for the `session_class`. `written` is the suite as written, if it has no file
    any more. `files` is called whenever a worker joins.
    """

    bundle: Bundle
    session_class: type[WorkerSession] = worker.PlayingSession
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    written: Mapping[str, Any] | None = None
    names: frozenset[str] = frozenset()
    files: Callable[[], dict[str, bytes]] = dict

    @classmethod
    def of_suite(cls, loaded: LoadedSuite, inputs: Mapping[str, str]) -> "SessionPlan":
        """The plan for playing a suite; raises ConfigurationError if it cannot be sent."""
        return cls(
            bundle=bundle_of(loaded.base_dir, loaded.path, dict(inputs)),
            overrides=dict(loaded.overrides),
            written=None if loaded.path.is_file() else dict(loaded.written),
        )


class ClusterExecutor(Executor[ConfigT]):
    """Sends cases to workers, and answers their questions to language models."""

    def __init__(self, config: ConfigT, context: Any) -> None:
        super().__init__(config, context)
        self._client: Any = None
        self._opened: list[Workers] = []
        self._dispatcher = Dispatcher(self._send_task, (WorkersDied, PartError))
        self._status: ExecutionStatus | None = None
        self._look_at_workers_at = 0.0
        self._turns = AppTurns(self._announce_refusal, self._give_turn)

    @abstractmethod
    async def connect(self, workers: int | None, concurrency: int) -> Any:
        """Return the client of a scheduler with at least one worker.

        `workers` and `concurrency` are those of the suite: the number of processes, and of cases
        at once. Raises ConfigurationError if there is no worker.
        """

    def places(self, concurrency: int, learns: Learning) -> int:
        """See `Executor.places`: as many as fill the tasks of all workers, twice."""
        return concurrency if learns == "per-case" else max(concurrency, self._dispatcher.places)

    async def start(self, work: RunWork) -> None:
        """See `Executor.start`."""
        self._work = work
        suite = work.loaded.suite
        self._limits = AppLimits(suite.execution.limits, suite.app.settings)
        self._sequences = Sequences()
        self._plan = SessionPlan.of_suite(work.loaded, work.context.inputs)
        self._workers = await self.open_session(
            suite.execution,
            suite.concurrency,
            self._plan_now,
            work.context.llm,
            self._turn,
        )
        self._dispatcher.slots = self._workers.slots
        link = str(self._client.dashboard_link or "") if self.has_dashboard() else ""
        self._status = ExecutionStatus(self._workers.count_workers, self._count_waiting, link)
        status.show(self._status)
        status.note_playing(work.loaded, self._workers)

    def _plan_now(self) -> SessionPlan:
        """Return the plan with the files that the player has left so far."""
        return replace(
            self._plan,
            names=self._work.context.names,
            files=lambda: self._run_files(""),
        )

    async def open_session(
        self,
        execution: ExecutionUse,
        concurrency: int,
        make_plan: Callable[[], SessionPlan],
        find_model: FindsModel,
        take_turn: TakesTurn | None = None,
    ) -> Workers:
        """Connect to the workers, and return them with a new session.

        Raises ConfigurationError if there are none, or they differ from this process.
        """
        variables = forwarded_variables(execution.forward_env)

        def make_setup(session: str, topic: str) -> Setup:
            plan = make_plan()
            return Setup(
                session=session,
                topic=topic,
                bundle=plan.bundle,
                session_class=worker.import_path_of(plan.session_class),
                settings=dict(plan.settings),
                overrides=dict(plan.overrides),
                written=None if plan.written is None else dict(plan.written),
                names=plan.names,
                files=plan.files(),
                variables=variables,
                import_path=self.import_path(),
            )

        if self._client is None:
            self._client = await self.connect(execution.workers, concurrency)
        workers = Workers(self._client, type(self).__name__, make_setup, find_model, take_turn)
        await workers.open()
        self._opened.append(workers)
        return workers

    def _count_waiting(self) -> dict[str, int]:
        waiting = Counter(self._limits.count_waiting())
        waiting.update(self._turns.count_waiting())
        return {**waiting, "a worker": self._dispatcher.count_waiting()}

    async def play(self, case: Case, leave: Callable[[], None]) -> tuple[Trace, Sequence[Verdict]]:
        """See `Executor.play`."""
        work = self._work
        player = work.parts.player
        async with AsyncExitStack() as stack:
            files, alone = dict[str, bytes](), False
            if isinstance(player, PlaysSequences) and (sequence := player.sequence(case)):
                await stack.enter_async_context(self._sequences.turn(sequence.name))
                files, alone = self._run_files(sequence.folder), True
            await stack.enter_async_context(self._limits.turn(case))
            try:
                parcel = Parcel(
                    case_id=case.id,
                    case=case.model_dump_json().encode(),
                    wording=await self._wording(case),
                    files=files,
                    alone=alone,
                )
                delivered = await self._dispatcher.play(parcel)
            except WorkersDied as err:
                return self._not_played(case, IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT, str(err))
            except PartError as err:
                return self._not_played(case, IncidentKind.PLAYER_ERROR, Owner.TOOL, str(err))
            if work.context.run_dir is not None:
                write_files(delivered.files, work.context.run_dir)
        return self._recorded(case, Answer.model_validate_json(delivered.answer))

    def _recorded(self, case: Case, answer: Answer) -> tuple[Trace, Sequence[Verdict]]:
        """Log what happened in a case, as if it had happened here."""
        work = self._work
        if answer.spent or answer.trace is None:
            work.spending.refused.add(case.id)
            raise BudgetSpent(answer.spent)
        turns = answer.trace.turns if answer.turns is None else answer.turns
        for index, (turn, ended) in enumerate(zip(turns, answer.ended, strict=False)):
            work.record_turn(case, index, turn, ended)
        for source, message in answer.notes:
            work.bus.note(source, message)
        return answer.trace, answer.verdicts

    async def _wording(self, case: Case) -> dict[str, Any] | None:
        """The words that a model has found for a case already, or finds now."""
        player = self._work.parts.player
        if self._work.context.llm_use is None or not isinstance(player, Previewing):
            return None
        try:
            return (await player.preview(case)).wording or None
        except BudgetSpent:
            raise
        except SparringError:
            return None  # the worker meets the same error, as part of the conversation

    async def _send_task(self, parcels: Sequence[Parcel]) -> Sequence[Delivered]:
        """Have a worker play cases; raises ExecutorLost, WorkersDied, or PartError for its own."""
        cases = [(each.case, each.wording, each.files) for each in parcels]
        return await self._workers.send(worker.play_cases, (cases,), parcels[0].case_id)

    def has_dashboard(self) -> bool:
        """Whether the scheduler shows what it does on a page."""
        return True

    def import_path(self) -> tuple[str, ...]:
        """Folders that workers look for modules in besides their own."""
        return ()

    def _run_files(self, folder: str) -> dict[str, bytes]:
        """The files of the run's folder that players left, or those in one of its folders."""
        home = self._work.context.run_dir
        if home is None or not (home / folder).is_dir():
            return {}
        paths = (home / folder).glob("**/*" if folder else "*")
        return {
            path.relative_to(home).as_posix(): path.read_bytes()
            for path in paths
            if path.is_file() and path.name not in _LOG and path.suffix in _OF_PLAYERS
        }

    async def _turn(self, message: dict[str, Any]) -> None:
        if message["kind"] == "end":
            await self._turns.end(EndTurn.model_validate(message))
            return
        if monotonic() >= self._look_at_workers_at:
            self._look_at_workers_at = monotonic() + _WORKERS_LOOKED_AT_S
            with suppress(Exception):  # the scheduler is gone: the cases notice it themselves
                await self._turns.forget_workers(await self._client.nthreads())
        await self._turns.ask(AskTurn.model_validate(message))

    async def _announce_refusal(self, app: str) -> None:
        await self._client.run(worker.share_turns, self._workers.session, app, on_error="ignore")

    async def _give_turn(self, question: AskTurn, problem: str) -> bool:
        try:
            given: dict[str, bool] = await self._client.run(
                *(hand_over, question.call, problem.encode()),
                workers=[question.worker],
                on_error="ignore",
            )
        except Exception:  # noqa: BLE001 - the worker is gone, or the scheduler
            return False
        return given.get(question.worker, False)

    def _not_played(
        self, case: Case, kind: IncidentKind, owner: Owner, message: str
    ) -> tuple[Trace, Sequence[Verdict]]:
        """The trace and verdicts of a case that no worker could play."""
        incident = Incident(kind=kind, owner=owner, message=message)
        trace = Trace(case=case, started=now(), ended=Ended.INCIDENT, incidents=(incident,))
        return trace, not_played(trace, ())

    async def close(self) -> None:
        """Close the parts in the workers, and the connection."""
        client, self._client = self._client, None
        if self._status is not None:
            status.hide(self._status)
        if client is None:
            return
        await self._dispatcher.close()
        for workers in self._opened:
            status.forget_playing(workers)
            await workers.close()
        with suppress(Exception):
            await asyncio.wait_for(client.close(), CLOSING_S)
        await self.disconnect()

    async def disconnect(self) -> None:
        """End what `connect` has started."""


_OF_PLAYERS = frozenset({".json", ".yaml", ".yml", ".txt", ".csv"})
"""Endings of files that players read again; reports, pictures and logs stay where they are."""
