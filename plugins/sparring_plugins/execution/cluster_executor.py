"""The base of executors that play on workers of Dask; it has the scheduler, transport and TLS.

A task plays one case, whole. It names the session and the case, and nothing else of the run: what
the session needs is handed to each worker directly, when a task first comes to it, so that workers
may come and go. Language models are asked by the run itself, for all workers: one budget, one pace,
one cache. A worker's question is an event of the scheduler, and the answer a direct call.
"""

import asyncio
import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from itertools import count
from time import monotonic
from typing import Any, cast
from uuid import uuid4

from sparring.engine.bus import now
from sparring.engine.execution import RunWork
from sparring.engine.judge import not_played
from sparring.errors import (
    BudgetSpent,
    ConfigurationError,
    ExecutorLost,
    ModelError,
    PartError,
    SparringError,
)
from sparring.format_error import describe_error, error_text
from sparring.interfaces.abilities import PlaysSequences, Previewing
from sparring.interfaces.executor import Executor
from sparring.interfaces.plugin import ConfigT, LLMBackend
from sparring.interfaces.search_strategy import Learning
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.chat import ChatRequest
from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Owner, Verdict
from sparring_plugins.execution import status, worker, worker_facts
from sparring_plugins.execution.bundle import bundle_of, write_files
from sparring_plugins.execution.cases import AppLimits, Sequences
from sparring_plugins.execution.dask_library import sent_by_value
from sparring_plugins.execution.dispatch import Delivered, Dispatcher, Parcel
from sparring_plugins.execution.messages import Answer, ModelReply, Setup
from sparring_plugins.execution.shared_turns import AppTurns, AskTurn, EndTurn
from sparring_plugins.execution.status import ExecutionStatus

describe_here = worker_facts.describe_worker
"""What this process says of itself, to be compared with the workers."""

_LOG = frozenset({"run.json", "log.jsonl"})
_CLOSING_S = 20.0
_WORKERS_LOOKED_AT_S = 5.0
"""How often it is asked at most which workers are gone, whose turns with an app others wait for."""

_LOST = "the scheduler is gone; what was judged is kept"
_READY_IN_TIME = 20
"""How often a case is sent on to a worker that was not ready, before it counts as an error."""


class ClusterExecutor(Executor[ConfigT]):
    """Sends cases to workers, and answers their questions to language models."""

    def __init__(self, config: ConfigT, context: Any) -> None:
        super().__init__(config, context)
        self._session = uuid4().hex
        self._client: Any = None
        self._dispatcher = Dispatcher(self._send_task, (_WorkersDied, PartError))
        self._tasks = count()
        self._status: ExecutionStatus | None = None
        self._look_at_workers_at = 0.0
        self._turns = AppTurns(self._announce_refusal, self._give_turn)
        self._ready: dict[str, asyncio.Task[None]] = {}
        self._models: dict[str, LLMBackend[Any] | None] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._refused = ""

    @abstractmethod
    async def connect(self, work: RunWork) -> Any:
        """Return the client of a scheduler with at least one worker.

        Raises ConfigurationError if there is none.
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
        self._client = await self.connect(work)
        await self._compare_versions()
        self._bundle = bundle_of(work.loaded.base_dir, work.loaded.path, dict(work.context.inputs))
        self._variables = _forwarded(suite.execution.forward_env)
        self._client.subscribe_topic(self._topic, self._question)
        link = str(self._client.dashboard_link or "") if self.has_dashboard() else ""
        self._status = ExecutionStatus(self._count_workers, self._count_waiting, link)
        status.show(self._status)

    def _count_workers(self) -> int:
        known: dict[str, Any] = self._client.scheduler_info() if self._client else {}
        return int(known.get("n_workers", 0))

    def _count_waiting(self) -> dict[str, int]:
        waiting = Counter(self._limits.count_waiting())
        waiting.update(self._turns.count_waiting())
        return {**waiting, "a worker": self._dispatcher.count_waiting()}

    @property
    def _topic(self) -> str:
        return f"sparring-{self._session}"

    async def _compare_versions(self) -> None:
        """Raise ConfigurationError if a worker's Python, Sparring or plugins are others."""
        ours = describe_here()
        describe = sent_by_value(worker_facts).describe_worker
        facts: dict[str, Any] = await self._client.run(describe, on_error="return")
        threads: dict[str, int] = await self._client.nthreads()
        self._dispatcher.slots = max(1, sum(threads.values()))
        problems: list[str] = []
        for address, theirs in sorted(facts.items()):
            if not isinstance(theirs, dict):
                problems.append(f"the worker {address} cannot be asked: {theirs}")
                continue
            theirs = cast("dict[str, Any]", theirs)
            differences = worker_facts.find_differences(ours, theirs)
            if differences:
                where = f"the worker {address} on {theirs['host']}"
                problems.append(f"{where} differs from this process: {'; '.join(differences)}")
        if problems:
            advice = "install the same versions on both sides, and start the workers again"
            raise ConfigurationError(*(f"{problem}; {advice}" for problem in problems[:20]))

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
            except _WorkersDied as err:
                return self._not_played(case, IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT, str(err))
            except PartError as err:
                return self._not_played(case, IncidentKind.PLAYER_ERROR, Owner.TOOL, str(err))
            if work.context.run_dir is not None:
                write_files(delivered.files, work.context.run_dir)
        return self._recorded(case, Answer.model_validate_json(delivered.answer))

    def _recorded(self, case: Case, answer: Answer) -> tuple[Trace, Sequence[Verdict]]:
        """Log what happened in a case, as if it had happened here."""
        if answer.spent or answer.trace is None:
            self._work.spending.refused.add(case.id)
            raise BudgetSpent(answer.spent)
        turns = answer.trace.turns if answer.turns is None else answer.turns
        for index, (turn, ended) in enumerate(zip(turns, answer.ended, strict=False)):
            self._work.record_turn(case, index, turn, ended)
        for source, message in answer.notes:
            self._work.bus.note(source, message)
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
        """Have a worker play cases; raises ExecutorLost, _WorkersDied, or PartError for its own."""
        cases = [(each.case, each.wording, each.files) for each in parcels]
        for attempt in range(_READY_IN_TIME):
            key = f"sparring-{self._session}-{parcels[0].case_id}-{attempt}-{next(self._tasks)}"
            try:
                future = self._client.submit(
                    worker.play_cases, self._session, cases, key=key, pure=False
                )
            except Exception as err:
                self._raise_if_lost(err)
                raise
            address, played = await self._result(future)
            if not address:
                return [Delivered(*each) for each in played]
            await self._set_up(address)
        raise _WorkersDied("no worker stayed long enough to play the case")

    async def _result(self, future: Any) -> worker.Result:
        """Return what a task did; raises ExecutorLost, _WorkersDied, or PartError for its own."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            result: worker.Result = await future
        except (FutureCancelledError, asyncio.CancelledError) as err:
            task = asyncio.current_task()
            if isinstance(err, asyncio.CancelledError) and task is not None and task.cancelling():
                with suppress(Exception):
                    await future.cancel()
                raise
            raise ExecutorLost(_LOST) from err
        except KilledWorker as err:
            times = err.allowed_failures + 1
            why = f"{times} workers died while they played it (out of memory, or killed)"
            raise _WorkersDied(why) from err
        except SparringError:
            raise
        except Exception as err:
            if future.status != "error":  # nobody played it: that is no failure of the case
                raise ExecutorLost(_LOST) from err
            raise PartError("executor", type(self).__name__, "play", describe_error(err)) from err
        finally:
            future.release()
        return result

    async def _set_up(self, address: str) -> None:
        """Hand a worker what it needs; cases that come to it meanwhile wait for the same."""
        if address not in self._ready:
            self._ready[address] = asyncio.create_task(self._hand_over(address))
        try:
            await asyncio.shield(self._ready[address])
        finally:
            self._ready.pop(address, None)

    async def _hand_over(self, address: str) -> None:
        work = self._work
        path = work.loaded.path
        setup = Setup(
            session=self._session,
            topic=self._topic,
            bundle=self._bundle,
            overrides=dict(work.loaded.overrides),
            written=None if path.is_file() else dict(work.loaded.written),
            names=work.context.names,
            files=self._run_files(""),
            variables=self._variables,
            import_path=self.import_path(),
        )
        try:
            answers = await self._client.run(
                worker.set_up, setup, workers=[address], on_error="return"
            )
        except Exception as err:
            self._raise_if_lost(err)
            raise
        for answer in answers.values():
            if isinstance(answer, SparringError):
                raise PartError("worker", address, "start", error_text(answer))
            if isinstance(answer, OSError):
                return  # it is gone; the case goes to another one
            if isinstance(answer, BaseException):
                raise PartError("worker", address, "start", describe_error(answer))

    def _raise_if_lost(self, err: Exception) -> None:
        """Raise ExecutorLost if a call failed because the scheduler cannot be reached.

        A scheduler that is killed between two answers is noticed by whatever is sent to it next,
        not only by the cases that wait for it.
        """
        if isinstance(err, OSError) or self._client is None or self._client.status != "running":
            raise ExecutorLost(_LOST) from err

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

    def _question(self, event: tuple[float, dict[str, Any]]) -> None:
        """A worker asks a language model, or for its turn with an app, or gives one back."""
        turn = event[1].get("turn")
        task = asyncio.create_task(self._answer(event[1]) if turn is None else self._turn(turn))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _answer(self, question: dict[str, Any]) -> None:
        CASE.set(question["case"])
        reply = await self._ask(question["asker"], question["request"])
        with suppress(OSError):  # the worker is gone
            await self._client.run(
                worker.hand_over,
                question["call"],
                reply.model_dump_json().encode(),
                workers=[question["worker"]],
                on_error="ignore",
            )

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
        await self._client.run(worker.share_turns, self._session, app, on_error="ignore")

    async def _give_turn(self, question: AskTurn, problem: str) -> bool:
        try:
            given: dict[str, bool] = await self._client.run(
                *(worker.hand_over, question.call, problem.encode()),
                workers=[question.worker],
                on_error="ignore",
            )
        except Exception:  # noqa: BLE001 - the worker is gone, or the scheduler
            return False
        return given.get(question.worker, False)

    async def _ask(self, asker: str, text: str) -> ModelReply:
        if asker not in self._models:
            self._models[asker] = self._work.context.llm(asker)
        model = self._models[asker]
        try:
            request = ChatRequest.model_validate_json(text)
            if model is None:
                return ModelReply(message="the suite names no language model")
            return ModelReply(reply=await model.complete(request))
        except ModelError as err:
            return ModelReply.of_error(err)
        except Exception as err:  # noqa: BLE001 - the worker must not wait for ever
            return ModelReply(message=describe_error(err))

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
        for task in self._asking:
            task.cancel()
        await self._dispatcher.close()
        if client.status == "running":
            with suppress(Exception):
                closing = client.run(worker.tear_down, self._session, on_error="ignore")
                await asyncio.wait_for(closing, _CLOSING_S)
        with suppress(Exception):
            await asyncio.wait_for(client.close(), _CLOSING_S)
        await self.disconnect()

    async def disconnect(self) -> None:
        """End what `connect` has started."""


class _WorkersDied(Exception):
    """The processes that should play a case ended before it was over."""


_OF_PLAYERS = frozenset({".json", ".yaml", ".yml", ".txt", ".csv"})
"""Endings of files that players read again; reports, pictures and logs stay where they are."""


def _forwarded(names: Sequence[str]) -> dict[str, str]:
    """The variables that workers get; raises ConfigurationError for one that is not set."""
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise ConfigurationError(
            f"execution.forward_env: the variable {missing[0]} is not set in this environment"
        )
    return {name: os.environ[name] for name in names}
