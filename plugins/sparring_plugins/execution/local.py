"""The executor `local`: this process plays and judges all cases side by side."""

from collections.abc import Callable, Sequence

from sparring.engine.judge import judge_trace
from sparring.engine.play import RunWork, play
from sparring.errors import ConfigurationError
from sparring.interfaces.executor import Executor
from sparring.interfaces.plugin import PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.machine_load import LoadSampler


def require_no_workers(execution: ExecutionUse) -> None:
    """Raise ConfigurationError if an execution by this process names a number of workers."""
    if execution.workers is not None:
        raise ConfigurationError(
            "execution.workers: the executor 'local' has one process; write 'use: processes'"
        )


class LocalExecutor(Executor[PluginConfig]):
    """Plays cases on the event loop of the run itself."""

    async def start(self, work: RunWork) -> None:
        require_no_workers(work.loaded.suite.execution)
        self._work = work
        self._load = LoadSampler(work.loaded.suite.app.settings)

    async def play(self, case: Case, leave: Callable[[], None]) -> tuple[Trace, Sequence[Verdict]]:
        """See `Executor.play`; judging does not hold the case's place."""
        work = self._work
        suite = work.loaded.suite
        async with self._load.sampled() as began:
            trace = await play(
                work.parts.player,
                work.parts.connector,
                case,
                timeout_s=suite.case_timeout,
                on_turn=work.record_turn,
                problem=lambda message: work.bus.note("connector", message),
                lag=work.lag,
            )
        leave()
        trace = work.bus.for_judges(self._load.annotate(trace, began))
        return trace, await judge_trace(work.parts.judges, trace, suite.judge_timeout, lag=work.lag)
