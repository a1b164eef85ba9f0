"""What a worker builds for one session of a command, and how it asks the command for things."""

import asyncio
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.ledger import CASE, PRICE
from sparring.model.chat import ChatReply, ChatRequest
from sparring.suite.building import SuiteContext
from sparring.suite.environment import Redactor
from sparring.suite.model import LLMUse
from sparring_plugins.execution.bundle import write_files
from sparring_plugins.execution.messages import ModelReply, Setup
from sparring_plugins.execution.shared_turns import LINE, AskTurn, EndTurn, Line

_waiting: "dict[str, asyncio.Future[bytes]]" = {}
_numbers = iter(range(1, sys.maxsize))
_open_folders: list[str] = []
"""The folders of the sessions that are open in this process, each as often as it is used."""


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


def _state(status: os.stat_result) -> tuple[int, int]:
    """What changes if a file does."""
    return status.st_mtime_ns, status.st_size


def list_files(home: Path) -> dict[str, tuple[int, int]]:
    """Return what changes if a file does, for all files below a folder by their relative paths.

    It is called for every case, and pictures of cases may be many.
    """
    files: dict[str, tuple[int, int]] = {}
    folders = [("", str(home))]
    while folders:
        prefix, folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append((f"{name}/", entry.path))
                elif entry.is_file() and not name.endswith(".new"):
                    files[name] = _state(entry.stat())
    return files


class WorkerContext(SuiteContext):
    """Builds parts as the run's context does, but for the language models.

    `topic` is where questions to models go; `prefix` tells contexts of one session apart.
    """

    topic = ""
    prefix = ""

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """See `BuildContext.llm`."""
        if self.llm_use is None:
            return None
        use = self.llm_use.for_role(asker)
        model = RemoteModel(use, f"{self.prefix}{asker}", self.topic, self)
        return self._wrap(model, use, asker) if self._wrap else model


class WorkerSession(ABC):
    """The parts of one session of a command in this worker; raises what building them raises.

    `folder` is the suite's folder here, `run_dir` an own one for files that the session leaves.
    """

    def __init__(self, setup: Setup) -> None:
        os.environ.update(setup.variables)
        sys.path += [entry for entry in setup.import_path if entry not in sys.path]
        self.setup = setup
        self.topic = setup.topic
        self.line: Line | None = None
        self.folder = setup.bundle.place()
        _open_folders.append(str(self.folder))
        if str(self.folder) not in sys.path:
            sys.path.append(str(self.folder))
        self.run_dir = Path(mkdtemp(prefix="sparring-worker-"))
        write_files(setup.files, self.run_dir)
        self._sent = list_files(self.run_dir)
        self.redactor = Redactor()
        try:
            self.build()
        except BaseException:
            self._forget_folder()
            raise

    @abstractmethod
    def build(self) -> None:
        """Build the parts; raises SparringError."""

    async def prepare(self) -> None:
        """Do what must be done before anything is asked of the parts."""
        return

    def begin_case(self, case_id: str | None) -> None:
        """Let what is asked from now on be about a case, and take turns with its app."""
        CASE.set(case_id)
        self.line = self.line or _line_to_run(self.topic)
        LINE.set(self.line)

    def changed_files(self) -> dict[str, bytes]:
        """The files of the run's folder that are new or changed since they were sent."""
        files = list_files(self.run_dir)
        changed = {name for name, state in files.items() if self._sent.get(name) != state}
        self._sent = files
        return {name: (self.run_dir / name).read_bytes() for name in sorted(changed)}

    def take_files(self, files: dict[str, bytes]) -> None:
        """Put files into the run's folder that other workers have left."""
        write_files(files, self.run_dir)
        self._sent |= {name: _state((self.run_dir / name).stat()) for name in files}

    async def close(self) -> None:
        """Close all parts."""
        from shutil import rmtree

        rmtree(self.run_dir, ignore_errors=True)
        self._forget_folder()

    def _forget_folder(self) -> None:
        """Have the next suite import its own modules: they may have the names of these."""
        own = str(self.folder)
        _open_folders.remove(own)
        if own in _open_folders:
            return
        sys.path[:] = [entry for entry in sys.path if entry != own]
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(own + os.sep):
                del sys.modules[name]
