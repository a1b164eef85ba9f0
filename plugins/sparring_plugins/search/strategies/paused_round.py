"""A function that asks questions, and stands still in its own thread until each is answered."""

import random
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Generic, TypeVar


class _Stopped(BaseException):
    """Leaves a function whose answers nobody waits for any more."""


Question = TypeVar("Question")


class RoundThread:
    """A thread for one round after the other.

    Hypothesis keeps a generator of random numbers for each thread, and collects garbage when it
    makes one: with a thread for each round that took a fifth of a second a round.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_started = False

    def begin(self, job: Callable[[], None]) -> None:
        """Do a job, after those that were begun before."""
        if not self._is_started:
            self._is_started = True
            # a daemon: a process that ends does not wait for an answer that never comes. It must
            # not refer to this object, whose owner ends it when it is garbage itself.
            Thread(target=_do_jobs, args=(self._jobs,), daemon=True).start()
        self._jobs.put(job)

    def end(self) -> None:
        """End the thread after its jobs. It does not wait: a garbage collector may call this."""
        self._jobs.put(None)


def _do_jobs(jobs: "SimpleQueue[Callable[[], None] | None]") -> None:
    while (job := jobs.get()) is not None:
        job()
        del job  # while it waits for the next, it must not keep the search of the last one alive


class PausedRound(Generic[Question]):
    """Runs `play`, which calls the function that it is given with each question, in a thread.

    The thread and the caller never run at the same time: one of them waits for the other.
    """

    def __init__(
        self, play: Callable[[Callable[[Question], None]], None], thread: RoundThread
    ) -> None:
        self._play = play
        self._thread = thread
        self._is_begun = False
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._resumed: SimpleQueue[bool] = SimpleQueue()
        self._fault: Exception | None = None
        self._began = monotonic()

    @property
    def age(self) -> float:
        """The seconds since the round was made."""
        return monotonic() - self._began

    def next(self) -> Question | None:
        """Go on until the next question; return None when the function has returned.

        Raises what the function raised.
        """
        with _random_numbers_kept():
            if not self._is_begun:
                self._is_begun = True
                self._thread.begin(partial(copy_context().run, self._run))
            else:
                self._resumed.put(True)
            question = self._questions.get()
        if self._fault is not None:
            raise self._fault
        return question

    def stop(self) -> None:
        """End the function where it stands. It does not wait: a garbage collector may call this."""
        self._resumed.put(False)

    def _run(self) -> None:
        try:
            with suppress(_Stopped):
                self._play(self._ask)
        except Exception as err:  # noqa: BLE001 - `next` raises it where it is seen
            self._fault = err
        finally:
            self._questions.put(None)

    def _ask(self, question: Question) -> None:
        self._questions.put(question)
        if not self._resumed.get():
            raise _Stopped


@contextmanager
def _random_numbers_kept() -> Generator[None]:
    """Keep the state of global generators.

    Hypothesis seeds them with 0 while a test runs, and a test that stands still would leave them so
    for the whole process.
    """
    state = random.getstate()
    numpy_random = sys.modules.get("numpy.random")
    numpy_state = numpy_random and numpy_random.get_state()
    try:
        yield
    finally:
        random.setstate(state)
        if numpy_random is not None:
            numpy_random.set_state(numpy_state)
