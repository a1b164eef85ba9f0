"""Ask the judges of a calibration on workers."""

import pickle
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from sparring.errors import PartError
from sparring.interfaces.plugin import LLMBackend
from sparring_plugins.execution.bundle import bundle_of
from sparring_plugins.execution.cluster_executor import SessionPlan
from sparring_plugins.execution.worker_session import WorkerContext, WorkerSession
from sparring_plugins.execution.workers import Workers, WorkersDied
from sparring_plugins.judging.calibration.file_loading import LoadedCalibration
from sparring_plugins.judging.calibration.judge_calls import Answer, Question, ask_judge, failed
from sparring_plugins.judging.calibration.judges import Item
from sparring_plugins.judging.calibration.workshop import Workshop

Reply = tuple[Answer, bool]
"""An answer, and whether the budget refused a model's part in it."""


@dataclass(frozen=True, slots=True)
class _Call:
    question: Question
    name: str
    item: Item


class CalibrationSession(WorkerSession):
    """Has the judges of a calibration; `settings` hold it as `loaded`, and the `judges` to ask."""

    def build(self) -> None:
        """See `WorkerSession.build`."""
        loaded: LoadedCalibration = self.setup.settings["loaded"]
        loaded = replace(loaded, path=self.folder / loaded.path.name)
        self.timeout_s = loaded.file.timeout
        self.workshop = Workshop(
            loaded, self.run_dir, lambda backend, use, asker: backend, self._context
        )
        self.judges = self.workshop.judges(self.setup.settings["judges"])

    def _context(self, number: int, *arguments: Any, **options: Any) -> WorkerContext:
        context = WorkerContext(*arguments, **options)
        context.topic = self.topic
        context.prefix = f"{number}:"
        return context

    async def close(self) -> None:
        """Close all parts."""
        for context in self.workshop.contexts:
            await context.close()
        await super().close()


def plan_calibration(workshop: Workshop, judges: tuple[str, ...]) -> SessionPlan:
    """Return what workers need to ask the judges; raises ConfigurationError."""
    loaded = workshop.loaded
    inputs: dict[str, str] = {}
    for context in workshop.contexts:
        inputs |= context.inputs
    return SessionPlan(
        bundle=bundle_of(loaded.base_dir, loaded.path, inputs),
        session_class=CalibrationSession,
        settings={"loaded": replace(loaded, examples=()), "judges": judges},
    )


def find_model(workshop: Workshop) -> Callable[[str], LLMBackend[Any] | None]:
    """Return a function that finds the model for a worker's question.

    Its argument is the number of the context and the name of the asker, as in ``0:judge``.
    """

    def find(asker: str) -> LLMBackend[Any] | None:
        number, _, name = asker.partition(":")
        return workshop.contexts[int(number)].llm(name)

    return find


def ask_on(workers: Workers) -> Callable[[Question, str, Item], Awaitable[Reply]]:
    """Return a function that has a worker ask a judge; it raises ExecutorLost if none is left."""

    async def ask(question: Question, name: str, item: Item) -> Reply:
        payload = pickle.dumps(_Call(question, name, item))
        try:
            delivered = await workers.call(ask_in_worker, payload)
        except (WorkersDied, PartError) as err:
            return failed(question, str(err)), False
        reply: Reply = pickle.loads(delivered.answer)
        return reply

    return ask


async def ask_in_worker(
    session: CalibrationSession, payload: bytes
) -> tuple[bytes, dict[str, bytes]]:
    """Ask a judge in a worker; see `worker.Work`."""
    call: _Call = pickle.loads(payload)
    session.begin_case(call.name)
    judge = session.judges[call.question.judge]
    reply = await ask_judge(judge, call.question, call.name, call.item, session.timeout_s)
    return pickle.dumps(reply), {}
