"""Parts of which one method misbehaves, made by name: ``connector__send__system_exit``.

A suite names them by import path; the classes are made when they are asked for (`__getattr__`).
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.oracle import Oracle
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.talk import Ended, Trace
from sparring.testing.fakes import (
    FakeBatchStrategy,
    FakeConnector,
    FakeLLM,
    FakeOracle,
    FakePlayer,
    FakeReporter,
    FakeSteadyStrategy,
    FakeStrategy,
)

STEERING = "\x1b[31mred\x07\x00 and more"
"""A text that steers a terminal: it must not get out of a message."""


class Odd(BaseException):
    """Neither an Exception nor anything that Python itself raises."""


class Unprintable(Exception):
    """Its text cannot be read."""

    def __str__(self) -> str:
        raise SystemExit(0)


def _raises(error: Callable[[], BaseException]) -> Callable[..., Any]:
    def act(*_: Any) -> Any:
        raise error()

    return act


def _spins(*_: Any) -> Any:
    while True:
        pass


def _sleeps(*_: Any) -> Any:
    time.sleep(10_000)


def _swallows(*_: Any) -> Any:
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001 - that is what it tests
            pass


async def _waits() -> Any:
    await asyncio.Event().wait()


async def _swallows_cancellation() -> Any:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


async def _awaits_cancelled() -> Any:
    task = asyncio.create_task(asyncio.sleep(10))
    task.cancel()
    await task


async def _cancels_itself() -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


SYNCHRONOUS: dict[str, Callable[..., Any]] = {
    "exception": _raises(lambda: KeyError(STEERING)),
    "base_exception": _raises(lambda: Odd(STEERING)),
    "system_exit": _raises(lambda: SystemExit(0)),
    "keyboard_interrupt": _raises(KeyboardInterrupt),
    "cancelled": _raises(asyncio.CancelledError),
    "generator_exit": _raises(GeneratorExit),
    "stop_iteration": _raises(StopIteration),
    "unprintable": _raises(Unprintable),
    "none": lambda *_: None,
    "wrong_type": lambda *_: object(),
    "spins": _spins,
    "sleeps": _sleeps,
}
"""What any method may do wrong; the last two never return."""

ASYNCHRONOUS: dict[str, Callable[[], Any]] = {
    "waits": _waits,
    "swallows_cancellation": _swallows_cancellation,
    "awaits_cancelled": _awaits_cancelled,
    "cancels_itself": _cancels_itself,
}
"""What only asynchronous methods may do wrong besides."""


class AskingPlayer(FakePlayer):
    """A player that asks a language model before it speaks."""

    async def act(self, task: Any) -> Trace:
        backend = self.context.llm("user")
        assert backend is not None
        await backend.complete(
            ChatRequest(asker="user", messages=(ChatMessage(role="user", content="?"),))
        )
        return await super().act(task)


PARTS: dict[str, tuple[type, tuple[str, ...]]] = {
    "connector": (FakeConnector, (
        "__init__", "open", "enter", "send", "exit", "facts", "apps", "recorded", "close")),
    "player": (FakePlayer, ("__init__", "space", "prepare", "act", "meta", "close")),
    "strategy": (FakeStrategy, (
        "__init__", "start", "ask", "tell", "played", "done", "state", "learning", "expected",
        "open_ended", "close")),
    "batch": (FakeBatchStrategy, ("ask", "tell", "played", "done", "state")),
    "steady": (FakeSteadyStrategy, ("ask", "tell", "played", "done", "state")),
    "oracle": (FakeOracle, ("__init__", "judge", "conclude", "close")),
    "reporter": (FakeReporter, ("__init__", "handle", "written", "close")),
    "llm": (FakeLLM, ("__init__", "complete", "identity", "model", "close")),
}  # fmt: skip
"""Which methods of which part misbehave, one at a time."""

ASYNC_METHODS = frozenset(
    {"enter", "send", "exit", "prepare", "act", "judge", "conclude", "complete", "close"}
)


def combinations() -> list[tuple[str, str, str]]:
    """All of part, method and misbehaviour."""
    return [
        (part, method, fault)
        for part, (_, methods) in PARTS.items()
        for method in methods
        for fault in (*SYNCHRONOUS, *(ASYNCHRONOUS if method in ASYNC_METHODS else ()))
    ]


def __getattr__(name: str) -> Any:
    part, _, rest = name.partition("__")
    method, _, fault = rest.rpartition("__")
    if part not in PARTS or not fault:
        raise AttributeError(name)
    return _made(part, method.strip("_") if method != "__init__" else method, fault)


def _made(part: str, method: str, fault: str) -> type:
    base: Any = PARTS[part][0]
    method = "__init__" if method in ("init", "") else method
    fails = _failing(method, fault)
    if part == "connector" and method in ("enter", "send", "exit", "facts"):
        return type("Misbehaving", (base,), {"open": _opening(method, fails)})
    if method == "done":
        return type("Misbehaving", (base,), {"done": property(fails)})
    return type("Misbehaving", (base,), {method: fails})


def _failing(method: str, fault: str) -> Callable[..., Any]:
    if method not in ASYNC_METHODS:
        return SYNCHRONOUS[fault]
    if fault in ASYNCHRONOUS:

        async def asynchronous(*_: Any) -> Any:
            return await ASYNCHRONOUS[fault]()

        return asynchronous

    async def synchronous(*_: Any) -> Any:
        return SYNCHRONOUS[fault]()

    return synchronous


def _opening(method: str, fails: Callable[..., Any]) -> Callable[..., Any]:
    class Session(AppSession):
        def __init__(self, inner: AppSession) -> None:
            self.inner = inner

        async def send(self, act: Any) -> Any:
            return await (fails() if method == "send" else self.inner.send(act))

        def facts(self) -> Any:
            return fails() if method == "facts" else None

    class Opening:
        def __init__(self, connector: Any, case: Any) -> None:
            self.manager = FakeConnector.open(connector, case)

        async def __aenter__(self) -> Any:
            return await fails() if method == "enter" else Session(await self.manager.__aenter__())

        async def __aexit__(self, *error: Any) -> Any:
            if method == "exit":
                await self.manager.__aexit__(None, None, None)
                return await fails()
            if method != "enter":
                return await self.manager.__aexit__(*error)
            return None

    return lambda self, case: Opening(self, case)


class NeverAsking(FakeStrategy):
    """It is not done, and proposes nothing."""

    done = property(lambda self: False)  # type: ignore[assignment]

    def ask(self, n: int) -> Any:
        return []


class Repeating(FakeStrategy):
    """It proposes its first case again and again."""

    done = property(lambda self: False)  # type: ignore[assignment]

    def ask(self, n: int) -> Any:
        return self._cases[:1]


class DoneByMethod(FakeStrategy):
    """Its `done` is a method."""

    def done(self) -> bool:  # type: ignore[override]
        return False


class NoTrace(FakePlayer):
    """It returns the trace of another case."""

    async def act(self, task: Any) -> Trace:
        trace = await super().act(task)
        other = trace.case.model_copy(update={"id": "another-one"})
        return trace.model_copy(update={"case": other, "ended": Ended.SCRIPT_DONE})


class Background(FakeConnector):
    """It starts a task that raises SystemExit."""

    def open(self, case: Any) -> Any:
        asyncio.get_running_loop().call_soon(_raises(lambda: SystemExit(0)))
        return super().open(case)


class SkippingOracle(Oracle[Any]):
    """No check of it applies to anything."""
