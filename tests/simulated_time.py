"""An event loop whose clock jumps to the next timer, so that no test of waiting waits or measures."""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")
Test = Callable[..., Coroutine[Any, Any, None]]


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: the time until the next timer passes at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("everybody waits, and nobody for a timer")
        self.now += timeout
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is the simulation's.

    Only for code that reads `loop.time()` and waits for no other thread or process. A module whose
    tests all run on it has this fixture::

        @pytest.fixture
        def anyio_backend() -> tuple[str, dict[str, object]]:
            return "asyncio", {"loop_factory": SimulatedLoop}
    """

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def simulate(main: Coroutine[Any, Any, ResultT]) -> tuple[ResultT, float]:
    """What a coroutine returns, and the simulated seconds that it took."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        began = runner.get_loop().time()
        return runner.run(main), runner.get_loop().time() - began


def simulated(test: Test) -> Callable[..., None]:
    """Run an asynchronous test on a loop of its own, on which times are exact.

    AnyIO lets tests share the loop that a fixture of a wider scope keeps open, such as a browser,
    whatever their own `anyio_backend` says: a test that compares times must not depend on that.
    """

    @functools.wraps(test)
    def run(*args: Any, **fixtures: Any) -> None:
        simulate(test(*args, **fixtures))

    return run
