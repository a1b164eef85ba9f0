"""An oracle that misbehaves as its settings say; imported by name, so that a process can build it."""

import asyncio
import inspect
import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from sparring.errors import AnswerInvalid, ModelUnavailable
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict

NO_END_S = 1e6


def passed(*case_ids: str, check: str = "seen") -> Verdict:
    return Verdict(oracle="odd", check=check, outcome=Outcome.PASS, case_ids=case_ids)


def failed(*case_ids: str, **more: Any) -> Verdict:
    return Verdict(
        oracle="odd", check="seen", outcome=Outcome.FAIL, owner=Owner.APP, case_ids=case_ids,
        reason="the app did not answer well", **more,
    )  # fmt: skip


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def spin() -> None:
    while True:
        pass


def spin_in_c() -> None:
    sum(range(10**13))


def sleep() -> None:
    time.sleep(NO_END_S)


def match() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def swallow() -> None:
    while True:
        try:  # noqa: SIM105 - as such code is written
            time.sleep(NO_END_S)
        except BaseException:  # noqa: BLE001
            pass


def swallow_deeply() -> None:
    while True:
        try:
            swallow()
        except BaseException:  # noqa: BLE001
            continue


def swallow_and_return() -> list[Verdict]:
    try:
        spin()
    except BaseException:  # noqa: BLE001
        return []
    return []


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def say_its_process() -> None:
    """What is printed goes to the errors, since replies go to the output."""
    print(os.getpid(), flush=True)  # noqa: T201
    sleep()


def endless() -> Iterator[Verdict]:
    while True:
        yield passed()


def breaking() -> Iterator[Verdict]:
    yield passed()
    raise KeyError("after the first")


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


BLOCKING: dict[str, Callable[[], Any]] = {
    "spins": spin,
    "sleeps": sleep,
    "matches": match,
    "swallows": swallow,
    "swallows_deeply": swallow_deeply,
    "swallows_and_returns": swallow_and_return,
}
"""What never returns by itself, or only because it was interrupted."""

ENDING: dict[str, Callable[[], Any]] = {
    "exits": lambda: os._exit(7),
    "kills_itself": kill_itself,
    "spins_in_c": spin_in_c,
}
"""What only another process survives."""

WRONG: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "dict": lambda: {"outcome": "pass"},
    "text": lambda: "pass",
    "number": lambda: 42,
    "no_verdicts": lambda: [object()],
    "some_no_verdicts": lambda: [passed(), None],
    "constructed": lambda: [Verdict.model_construct(oracle="odd", check=3, outcome="pass")],
    "many": lambda: [passed()] * 1_000_001,
    "endless": endless,
    "breaking": breaking,
    "other_case": lambda: [passed("another-1")],
}
"""What is no judgement."""

RAISING: dict[str, Callable[[], Any]] = {
    "exception": raising(KeyError("a bug")),
    "unreadable": raising(Unreadable()),
    "system_exit": raising(SystemExit(0)),
    "keyboard_interrupt": raising(KeyboardInterrupt()),
    "generator_exit": raising(GeneratorExit()),
    "cancelled": raising(asyncio.CancelledError()),
    "stop_iteration": raising(StopIteration()),
    "base_exception": raising(BaseException("odd")),
    "time_out": raising(TimeoutError("of its own")),
}

MODELS: dict[str, Callable[[], Any]] = {
    "answer_invalid": raising(AnswerInvalid("no JSON")),
    "unavailable": raising(ModelUnavailable("503")),
}


async def wait() -> None:
    await asyncio.Event().wait()


async def cancel_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def swallow_cancellation() -> None:
    while True:
        try:  # noqa: SIM105 - as such code is written
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass


WAITING: dict[str, Callable[[], Any]] = {
    "waits": wait,
    "swallows_cancellation": swallow_cancellation,
}

ALL: dict[str, Callable[[], Any]] = {
    **BLOCKING, **ENDING, **WRONG, **RAISING, **MODELS, **WAITING, "cancels_itself": cancel_itself,
    "says_its_process": say_its_process,
}  # fmt: skip


class OddConfig(PluginConfig):
    """What `judge` and `conclude` do; `only` in the case with this number."""

    judge: str = ""
    conclude: str = ""
    only: int | None = None


class Odd(Oracle[OddConfig]):
    """Misbehaves, and else passes with the number of the process that judged."""

    Config: ClassVar[type[PluginConfig]] = OddConfig

    async def _act(self, name: str) -> Any:
        answer = ALL[name]()
        return await answer if inspect.iscoroutine(answer) else answer

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        if self.config.judge and self.config.only in (None, trace.case.params["n"]):
            return await self._act(self.config.judge)
        verdict = passed(trace.case.id)
        return [verdict.model_copy(update={"details": {"pid": os.getpid()}})]


class OddInTheEnd(Odd):
    """Has conditions over all conversations, too."""

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        if self.config.conclude:
            return await self._act(self.config.conclude)
        return [passed(*(trace.case.id for trace in traces), check="all")]


class TestsFault(OddInTheEnd):
    overrun_owner: ClassVar[Owner] = Owner.TEST


class Asking(Odd):
    """Asks a language model, and blocks after that where it is to misbehave."""

    def __init__(self, config: OddConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.backend = context.llm("judge")

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        assert self.backend is not None
        await self.backend.complete(
            ChatRequest(asker="judge", messages=(ChatMessage(role="user", content="?"),))
        )
        return await super().judge(trace)


class NotTwice(Odd):
    """Cannot be built in another process."""

    first = os.getpid()

    def __init__(self, config: OddConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if str(os.getpid()) != os.environ.get("ODD_ORACLES_PID", str(os.getpid())):
            raise RuntimeError("only once")


class Failing(Odd):
    """Fails, showing the turns that `only` names: all up to this one."""

    local: ClassVar[bool] = True

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        return [failed(trace.case.id)]
