"""The workers of a scheduler, as one session of a command uses them; it has transport and TLS.

A task names the session and what is to be done, and nothing else of the command: what the session
needs is handed to each worker directly, when a task first comes to it, so that workers may come
and go. Language models are asked by the command itself, for all workers: one budget, one pace, one
cache. A worker's question is an event of the scheduler, and the answer a direct call.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, cast
from uuid import uuid4

from sparring.errors import ConfigurationError, ExecutorLost, ModelError, PartError, SparringError
from sparring.format_error import describe_error, error_text
from sparring.interfaces.plugin import LLMBackend
from sparring.llm.ledger import CASE
from sparring.model.chat import ChatRequest
from sparring_plugins.execution import worker, worker_facts
from sparring_plugins.execution.dask_library import forget_task_keys, sent_by_value
from sparring_plugins.execution.dispatch import Delivered, Dispatcher, Parcel
from sparring_plugins.execution.messages import ModelReply, Setup
from sparring_plugins.execution.worker_session import hand_over

describe_here = worker_facts.describe_worker
"""Describes this process, to be compared with the workers."""

FindsModel = Callable[[str], LLMBackend[Any] | None]
"""Returns the language model for whoever asks, held to the budget; `None` if there is none."""

TakesTurn = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]
"""Is called when a worker asks for its turn with an app, or gives it back."""

CLOSING_S = 20.0
LOST = "the scheduler is gone; what was judged is kept"

_READY_IN_TIME = 20
"""How often a task is sent on to a worker that was not ready, before it counts as an error."""

_REMEMBERED = 1_000
"""After this many tasks, their names are forgotten."""


class WorkersDied(Exception):
    """The processes that should do something ended before it was over."""


class Workers:
    """Lets a command call functions in workers, each with the session that `make_setup` describes.

    `client` is connected to a scheduler; `find_model` returns the models for the workers'
    questions. `name` is the executor's, for messages.
    """

    def __init__(
        self,
        client: Any,
        name: str,
        make_setup: Callable[[str, str], Setup],
        find_model: FindsModel,
        take_turn: TakesTurn | None = None,
    ) -> None:
        self.client = client
        self.session = uuid4().hex
        self.slots = 1
        """How many tasks the workers play at once."""
        self._name = name
        self._make_setup = make_setup
        self._find_model = find_model
        self._take_turn = take_turn
        self._tasks = count()
        self._ready: dict[str, asyncio.Task[None]] = {}
        self._models: dict[str, LLMBackend[Any] | None] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._dispatchers: dict[str, Dispatcher] = {}

    @property
    def topic(self) -> str:
        """The name of this session's events."""
        return f"sparring-{self.session}"

    async def open(self) -> None:
        """Compare versions, and listen to the workers' questions.

        Raises ConfigurationError if a worker's Python, Sparring or plugins are others.
        """
        await self._compare_versions()
        self.client.subscribe_topic(self.topic, self._question)

    async def _compare_versions(self) -> None:
        ours = describe_here()
        describe = sent_by_value(worker_facts).describe_worker
        facts: dict[str, Any] = await self.client.run(describe, on_error="return")
        threads: dict[str, int] = await self.client.nthreads()
        self.slots = max(1, sum(threads.values()))
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

    def count_workers(self) -> int:
        """Return how many workers there are now."""
        scheduler: dict[str, Any] = self.client.scheduler_info()
        return int(scheduler.get("n_workers", 0))

    @property
    def side_by_side(self) -> int:
        """How many calls should wait at once, so that no worker has nothing to do."""
        return max([2 * self.slots, *(each.places for each in self._dispatchers.values())])

    async def call(self, function: worker.Work, payload: bytes) -> Delivered:
        """Have a worker call a function of a module; short calls travel together.

        Raises ExecutorLost, WorkersDied, or PartError for what the call itself raised.
        """
        path = worker.import_path_of(function)
        if path not in self._dispatchers:

            async def send(parcels: Sequence[Parcel]) -> Sequence[Delivered]:
                payloads = [parcel.case for parcel in parcels]
                return await self.send(worker.call_each, (path, payloads), path)

            self._dispatchers[path] = Dispatcher(send, (WorkersDied, PartError))
        dispatcher = self._dispatchers[path]
        dispatcher.slots = self.slots
        return await dispatcher.play(Parcel(case_id=path, case=payload))

    async def send(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], name: str
    ) -> Sequence[Delivered]:
        """Have a worker call a function of the module `worker` for this session.

        Raises ExecutorLost, WorkersDied, or PartError for what the call itself raised.
        """
        for attempt in range(_READY_IN_TIME):
            number = next(self._tasks)
            if number % _REMEMBERED == 0:
                forget_task_keys()
            key = f"{self.topic}-{name}-{attempt}-{number}"
            try:
                future = self.client.submit(function, self.session, *arguments, key=key, pure=False)
            except Exception as err:
                self._raise_if_lost(err)
                raise
            address, done = await self._result(future)
            if not address:
                return [Delivered(*each) for each in done]
            await self._set_up(address)
        raise WorkersDied("no worker stayed long enough to play the case")

    async def _result(self, future: Any) -> worker.Result:
        """Return what a task did; raises ExecutorLost, WorkersDied, or PartError for its own."""
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
            raise ExecutorLost(LOST) from err
        except KilledWorker as err:
            times = err.allowed_failures + 1
            why = f"{times} workers died while they played it (out of memory, or killed)"
            raise WorkersDied(why) from err
        except SparringError:
            raise
        except Exception as err:
            if future.status != "error":  # nobody played it: that is no failure of the case
                raise ExecutorLost(LOST) from err
            raise PartError("executor", self._name, "play", describe_error(err)) from err
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
        setup = self._make_setup(self.session, self.topic)
        try:
            answers = await self.client.run(
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
        if isinstance(err, OSError) or self.client.status != "running":
            raise ExecutorLost(LOST) from err

    def _question(self, event: tuple[float, dict[str, Any]]) -> None:
        """A worker asks a language model, or for its turn with an app, or gives one back."""
        question = event[1]
        if "turn" not in question:
            answering = self._answer(question)
        elif self._take_turn is not None:
            answering = self._take_turn(question["turn"])
        else:
            return
        task = asyncio.create_task(answering)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _answer(self, question: dict[str, Any]) -> None:
        CASE.set(question["case"])
        reply = await self._ask(question["asker"], question["request"])
        with suppress(OSError):  # the worker is gone
            await self.client.run(
                hand_over,
                question["call"],
                reply.model_dump_json().encode(),
                workers=[question["worker"]],
                on_error="ignore",
            )

    async def _ask(self, asker: str, text: str) -> ModelReply:
        if asker not in self._models:
            self._models[asker] = self._find_model(asker)
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

    async def close(self) -> None:
        """Close the session's parts in the workers."""
        for task in self._asking:
            task.cancel()
        for dispatcher in self._dispatchers.values():
            await dispatcher.close()
        if self.client.status == "running":
            with suppress(Exception):
                closing = self.client.run(worker.tear_down, self.session, on_error="ignore")
                await asyncio.wait_for(closing, CLOSING_S)


def forwarded_variables(names: Sequence[str]) -> dict[str, str]:
    """The variables that workers get; raises ConfigurationError for one that is not set."""
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise ConfigurationError(
            f"execution.forward_env: the variable {missing[0]} is not set in this environment"
        )
    return {name: os.environ[name] for name in names}
