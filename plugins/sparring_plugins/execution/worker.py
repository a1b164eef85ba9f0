"""What runs in a worker: the suite's parts, built once, and each case played and judged.

The functions are called by `distributed` on the worker's event loop, so that cases of one worker
are played side by side as those of a run are.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter
from typing import Any

from sparring.engine.judge import judge_trace
from sparring.engine.play import play
from sparring.errors import BudgetSpent
from sparring.interfaces.abilities import Recalling
from sparring.interfaces.agent import Player
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.ledger import CASE, PRICE
from sparring.model.case import Case
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Turn
from sparring.suite.building import SuiteContext, build_judges, default_oracles
from sparring.suite.containment import part_limits
from sparring.suite.environment import Redactor
from sparring.suite.model import LLMUse
from sparring.suite.reading import load_suite
from sparring.time_limits import LagMeter
from sparring_plugins.execution.bundle import write_files
from sparring_plugins.execution.machine_load import LoadSampler
from sparring_plugins.execution.messages import Answer, ModelReply, Setup
from sparring_plugins.execution.shared_turns import LINE, AskTurn, EndTurn, Line

_sessions: "dict[str, Session]" = {}
_waiting: "dict[str, asyncio.Future[bytes]]" = {}
_numbers = iter(range(1, sys.maxsize))


class RemoteModel(LLMBackend[PluginConfig]):
    """A language model of the suite: the run asks it, which pays for it and holds the budget."""

    def __init__(self, use: LLMUse, asker: str, topic: str, context: SuiteContext) -> None:
        super().__init__(PluginConfig(), context)
        self._asker = asker
        self._topic = topic
        self._model: str | None = use.settings.get("model")
        self.repairs, self.fallback = use.repairs, use.fallback

    def identity(self) -> str:
        """See `LLMBackend.identity`; the run knows the service."""
        return ""

    def model(self) -> str | None:
        """See `LLMBackend.model`."""
        return self._model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `LLMBackend.complete`; also raises BudgetSpent."""
        from distributed import get_worker

        worker = get_worker()
        call = f"{worker.address}-{next(_numbers)}"
        case_id = request.case_id or CASE.get()
        question = {
            "call": call,
            "worker": worker.address,
            "asker": self._asker,
            "case": case_id,
            "request": request.model_dump_json(exclude_unset=True),
        }
        answer = await _ask_run(call, partial(worker.log_event, self._topic, question))
        reply = ModelReply.model_validate_json(answer).result()
        price = PRICE.get()
        if price is not None:
            price.add(reply.cost_usd if reply.worth_usd is None else reply.worth_usd)
        return reply


def hand_over(call: str, reply: bytes) -> bool:
    """Give an answer of the run to whoever waits for it here; returns whether anybody does."""
    future = _waiting.get(call)
    if future is None or future.done():
        return False
    future.set_result(reply)
    return True


async def _ask_run(call: str, send: Callable[[], None]) -> bytes:
    """Send a message and return the run's answer to this call."""
    future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    _waiting[call] = future
    try:
        send()
        return await future
    finally:
        _waiting.pop(call, None)


def _line_to_run(topic: str) -> Line:
    """How the connectors of a session get their turns from the run."""
    from distributed import get_worker

    worker = get_worker()

    def tell(message: AskTurn | EndTurn) -> None:
        worker.log_event(topic, {"turn": message.model_dump(mode="json")})

    async def ask(question: AskTurn) -> str:
        return (await _ask_run(question.call, partial(tell, question))).decode()

    return Line(ask, tell, worker.address)


def share_turns(session: str, app: str) -> None:
    """Have every request of a session to an app wait for its turn: the app has refused one."""
    own = _sessions.get(session)
    if own is not None and own.line is not None:
        own.line.refusing.add(app)


class _Context(SuiteContext):
    """Builds parts as the run's context does, but for the language models."""

    topic = ""

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """See `BuildContext.llm`."""
        if self.llm_use is None:
            return None
        return RemoteModel(self.llm_use.for_role(asker), asker, self.topic, self)


class Session:
    """The parts of one session of a run in this worker; raises what building them raises."""

    def __init__(self, setup: Setup) -> None:
        os.environ.update(setup.variables)
        sys.path += [entry for entry in setup.import_path if entry not in sys.path]
        folder = setup.bundle.place()
        self._folder = str(folder)
        if self._folder not in sys.path:
            sys.path.append(self._folder)
        path = folder / setup.bundle.suite
        loaded = load_suite(path, setup.overrides, written=setup.written)
        self.suite = suite = loaded.suite
        self.run_dir = Path(mkdtemp(prefix="sparring-worker-"))
        write_files(setup.files, self.run_dir)
        self._sent = self._list_files()
        self._context = context = _Context(
            folder,
            seed=suite.seed,
            run_dir=self.run_dir,
            llm=suite.llm,
            limits=part_limits(suite.part_timeout),
        )
        context.topic = self._topic = setup.topic
        self.line: Line | None = None
        context.names = setup.names
        context.document = loaded.document
        self._connector = context.part(AppConnector[Any], suite.app)
        self._player = context.part(Player[Any], suite.agent, role="player")
        self._judges = build_judges(suite.oracles, context, loaded.document)
        self._judges += build_judges(default_oracles(suite.oracles, type(self._player)), context)
        self._lag = LagMeter()
        self._load = LoadSampler()
        self._redactor = Redactor()

    async def prepare(self) -> None:
        """Let the player find out what its space depends on."""
        self._lag.start()
        await self._player.prepare()

    async def play(self, case: Case, wording: dict[str, Any] | None) -> Answer:
        """Play and judge a case."""
        CASE.set(case.id)
        self.line = self.line or _line_to_run(self._topic)
        LINE.set(self.line)
        if wording is not None and isinstance(self._player, Recalling):
            self._player.recall(case, wording)
        turns: list[Turn] = []
        ended: list[datetime] = []
        notes: list[tuple[str, str]] = []

        def record(_case: Case, _index: int, turn: Turn) -> None:
            turns.append(turn)
            ended.append(datetime.now(UTC))

        try:
            async with self._load.sampled() as began:
                trace = await play(
                    self._player,
                    self._connector,
                    case,
                    timeout_s=self.suite.case_timeout,
                    on_turn=record,
                    problem=lambda message: notes.append(("connector", message)),
                    lag=self._lag,
                )
            trace = self._redactor.for_judges(self._load.annotate(trace, began))
            verdicts = await judge_trace(
                self._judges, trace, self.suite.judge_timeout, lag=self._lag
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
        return self._redactor.cleaned(answer).packed() if self._redactor.is_needed(data) else data

    def changed_files(self) -> dict[str, bytes]:
        """The files of the run's folder that are new or changed since they were sent."""
        files = self._list_files()
        changed = {name for name, state in files.items() if self._sent.get(name) != state}
        self._sent = files
        return {name: (self.run_dir / name).read_bytes() for name in sorted(changed)}

    def take_files(self, files: dict[str, bytes]) -> None:
        """Put files into the run's folder that other workers have left."""
        write_files(files, self.run_dir)
        self._sent |= {name: self._state(self.run_dir / name) for name in files}

    def _list_files(self) -> dict[str, tuple[int, int]]:
        return {
            path.relative_to(self.run_dir).as_posix(): self._state(path)
            for path in self.run_dir.rglob("*")
            if path.is_file() and path.suffix != ".new"
        }

    @staticmethod
    def _state(path: Path) -> tuple[int, int]:
        status = path.stat()
        return status.st_mtime_ns, status.st_size

    async def close(self) -> None:
        """Close all parts."""
        from shutil import rmtree

        self._lag.close()
        await self._context.close()
        rmtree(self.run_dir, ignore_errors=True)
        if all(session._folder != self._folder for session in _sessions.values()):
            self._forget_modules()

    def _forget_modules(self) -> None:
        """Have the next suite import its own modules: they may have the names of these."""
        sys.path[:] = [entry for entry in sys.path if entry != self._folder]
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(self._folder + os.sep):
                del sys.modules[name]


_setting_up: "dict[str, asyncio.Task[None]]" = {}


async def set_up(setup: Setup) -> None:
    """Build a session's parts in this worker, once; raises SparringError."""
    if setup.session in _sessions:
        return
    if setup.session not in _setting_up:
        _setting_up[setup.session] = asyncio.create_task(_set_up(setup))
    await _setting_up[setup.session]


async def _set_up(setup: Setup) -> None:
    session = Session(setup)
    await session.prepare()
    _sessions[setup.session] = session


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
    if own is None:
        from distributed import get_worker

        return get_worker().address, ()
    played: list[Played] = []
    for case, wording, files in cases:
        began = perf_counter()
        own.take_files(files)
        answer = await own.play(Case.model_validate_json(case), wording)
        packed = own.pack(answer)
        played.append((packed, own.changed_files(), perf_counter() - began))
    return "", played
