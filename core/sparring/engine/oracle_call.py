"""One question to one oracle, asked in this process or in one that can be killed."""

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from sparring import event_loop
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.blocking import BlockingLimit, limited
from sparring.engine.lag import LagMeter, explains
from sparring.errors import AnswerInvalid, BudgetSpent, EnvironmentFailure, ModelError, PartError
from sparring.event_loop import Ended
from sparring.format_error import describe_error, error_text
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.suite.building import Judge

# What an oracle returned or raised: verdicts that are some, or an error with its owner.

MOST_OF_A_CASE = 10_000
"""Verdicts of one oracle on one conversation; a thousand rules have not made a tenth of that."""

MOST_OF_ALL = 100_000
"""Verdicts of one oracle over all conversations; ``rules`` lists 20 failures of each by default."""


_KINDS: dict[str, Any] = {
    "outcome": Outcome,
    "owner": Owner | None,
    "check": str,
    "reason": str,
    "case_ids": tuple,
    "details": dict,
}


class NotAJudgement(Exception):
    """What an oracle returned is no sequence of verdicts on what it was asked about.

    `verdicts` are those of them that can be used all the same.
    """

    def __init__(self, message: str, verdicts: Iterable[Verdict] = ()) -> None:
        super().__init__(message)
        self.verdicts = tuple(verdicts)


async def judgement(
    ask: Callable[[], Any], most: int, case_ids: Collection[str] | None
) -> list[Verdict]:
    """Ask an oracle and return its verdicts, of which there may be `most`.

    `case_ids` are the cases that they may be about; `None` if that is not known. Raises
    NotAJudgement, and whatever the oracle raises.
    """
    answer = ask()
    if not isinstance(answer, Awaitable):
        raise NotAJudgement(f"returned {_describe_type(answer)}, which cannot be awaited")
    returned: object = await cast("Awaitable[object]", answer)
    if not _is_sequence(returned):
        raise NotAJudgement(f"returned {_describe_type(returned)}, not a sequence of verdicts")
    verdicts: list[Verdict] = []
    rest = iter(cast("Iterable[object]", returned))
    for verdict in islice(rest, most):
        if problem := _problem(verdict, case_ids):
            raise NotAJudgement(problem, verdicts)
        verdicts.append(cast("Verdict", verdict))
    if len(verdicts) == most and next(rest, None) is not None:
        raise NotAJudgement(f"returned more than {most:,} verdicts", verdicts)
    return verdicts


def _is_sequence(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | dict)


def _problem(verdict: object, case_ids: Collection[str] | None) -> str:
    """Return what is wrong with a verdict; empty if nothing is.

    `model_construct` makes verdicts without any check, which then break whoever writes them.
    """
    if not isinstance(verdict, Verdict):
        return f"returned {_describe_type(verdict)} among its verdicts"
    if any(not isinstance(getattr(verdict, name, None), kind) for name, kind in _KINDS.items()):
        return "returned a verdict with values of wrong types"
    if case_ids is not None:
        strange = [case_id for case_id in verdict.case_ids if case_id not in case_ids]
        if strange:
            return f"returned a verdict on another case than it was asked about: {strange[0]!r}"
    return ""


def _describe_type(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def failure_of(err: BaseException) -> tuple[Owner, str]:
    """Return who has to act on what an oracle raised, and the reason in words.

    A model that gives no usable judgement is the judge's failure, a model service that gives none
    at all the environment's, and everything else the tool's: an oracle is part of it.
    """
    match err:
        case AnswerInvalid():
            return Owner.JUDGE, error_text(err)
        case ModelError() | EnvironmentFailure():
            return Owner.ENVIRONMENT, error_text(err)
        case PartError() | NotAJudgement():
            return Owner.TOOL, error_text(err)
        case BlockingLimit():
            return Owner.TOOL, error_text(err)
        case asyncio.CancelledError():
            return Owner.TOOL, "it was cancelled, although nobody asked for that"
        case _:
            return Owner.TOOL, describe_error(err)


# `sparring.event_loop.guarded` uses a task of its own, so that others come first even if the
# coroutine never waits. Most oracles never do. Run in the caller's task, a run of one case at a
# time knows a case's verdicts before it begins the next, and stops after the failure that was one
# too many.

T = TypeVar("T")


_refused: list[object] = []
"""Coroutines that could not be closed."""


class Driven(Generic[T]):
    """Awaited, it makes the steps of a coroutine and returns how that ended (`Ended`).

    No step between two awaits may block longer than `soft_limit_s` seconds (BlockingLimit), and
    after `timeout_s` seconds it is cancelled. If it goes on although it was cancelled, it is
    closed when the grace is over. Nothing that it raises passes, also not ``SystemExit`` or a
    ``CancelledError`` that it brought upon itself; only the cancellation of the caller does.
    """

    def __init__(
        self, work: Coroutine[Any, Any, T], what: str, *, timeout_s: float, soft_limit_s: float
    ) -> None:
        self._work = work
        self._what = what
        self._timeout_s = timeout_s
        self._soft_limit_s = soft_limit_s
        self._before = 0
        self._own_cancels = 0
        self._expired = False
        self._forced = False
        self._limit: asyncio.TimerHandle | None = None
        self._grace: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Ended[T]]:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("it needs a task to run in")
        self._before = task.cancelling()
        try:
            ended = yield from self._steps(task)
            if self._is_cancelled(task):
                raise asyncio.CancelledError  # the caller's, whatever the work made of it
            return ended
        finally:
            for timer in (self._limit, self._grace):
                if timer is not None:
                    timer.cancel()
            for _ in range(self._own_cancels):
                task.uncancel()

    def _is_cancelled(self, task: asyncio.Task[Any]) -> bool:
        """Whether somebody else asked for the task's cancellation (a time limit inside, too)."""
        return task.cancelling() > self._before + self._own_cancels

    def _steps(self, task: asyncio.Task[Any]) -> Generator[Any, Any, Ended[T]]:
        make_step: Any = self._work.send
        value: Any = None
        while True:
            cancels = task.cancelling()
            ended, awaited = self._step(make_step, value)
            if (more := task.cancelling() - cancels) > 0:  # by the work itself
                self._own_cancels += more
                if ended is not None:
                    yield from _absorb_cancellation()
            if ended is not None:
                return ended
            self._set_timers(task)
            try:
                value = yield awaited
                make_step = self._work.send
            except GeneratorExit:
                self._close()
                raise
            except BaseException as err:  # noqa: BLE001 - the coroutine's to handle
                value, make_step = err, self._work.throw
                if self._forced:
                    self._close()
                    return Ended(error=err, expired=self._expired)

    def _set_timers(self, task: asyncio.Task[Any]) -> None:
        """Set the time limit at the first await, and the grace if the work was cancelled."""
        loop = asyncio.get_running_loop()
        if self._limit is None:
            self._limit = loop.call_later(self._timeout_s, self._expire, task)
        if self._grace is None and (self._expired or self._is_cancelled(task)):
            self._grace = loop.call_later(event_loop.GRACE_S, self._force, task)

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._expired = True
        self._own_cancels += 1
        task.cancel()

    def _force(self, task: asyncio.Task[Any]) -> None:
        self._grace = None
        if self._expired or self._is_cancelled(task):  # and not a time limit inside that is over
            self._forced = True
            self._own_cancels += 1
            task.cancel()

    def _step(self, make_step: Any, value: Any) -> tuple[Ended[T] | None, Any]:
        """Make one step: how the coroutine ended, if it did, and what it awaits."""
        try:
            with limited(self._soft_limit_s, self._what):
                return None, make_step(value)
        except StopIteration as end:
            return Ended(value=end.value, expired=self._expired), None
        except BlockingLimit as err:
            self._close()
            return Ended(error=err, expired=self._expired), None
        except BaseException as err:  # noqa: BLE001 - see the class
            return Ended(error=err, expired=self._expired), None

    def _close(self) -> None:
        """End the coroutine where it waits; it may refuse that, too."""
        try:
            with limited(self._soft_limit_s, self._what):
                self._work.close()
        except BaseException:  # noqa: BLE001 - it is not asked for anything any more
            # Python closes it again when nobody refers to it, and without an event loop a coroutine
            # like ``while True: try: await ... except BaseException: pass`` would never wait.
            _refused.append(self._work)
            event_loop.left_behind.append(self._what)


def _absorb_cancellation() -> Generator[Any, Any, None]:
    """Take the cancellation that a task has asked of itself and would meet at its next await."""
    try:
        yield
    except asyncio.CancelledError:
        return


SOFT_LIMIT_S = 5.0
"""Seconds that an oracle may block everything else before another process judges by it.

A rule over one conversation takes milliseconds, and the first use of a language detector 2 s.
"""


class Isolation(Protocol):
    """Judges by one oracle in processes of its own; the service ``isolation`` makes it."""

    async def answer(
        self, call: "OracleCall", blocked: BlockingLimit | None
    ) -> list[Verdict] | BudgetSpent:
        """Return the verdicts; `blocked` is how the oracle blocked this process just now, if so."""
        ...


_isolations: dict[int, Isolation] = {}
"""What blocked, by the id of the oracle: an oracle need not have a hash."""


@dataclass(frozen=True, slots=True)
class OracleCall:
    """A question to the oracle of `judge`.

    `ask` asks it in this process, about `subject`: a conversation, or the folder of a stored run
    (`None` if no other process can read what is judged). `case_ids` are the cases that verdicts
    may be about (`None` if unknown), `about` those that an error is about, and `most` how many
    verdicts there may be. `timeout_s` limits the whole judgement, and `soft_limit_s` how long it
    may block everything else.
    """

    judge: Judge
    ask: Callable[[], Any]
    subject: Trace | Path | None
    case_ids: Collection[str] | None
    most: int
    timeout_s: float
    soft_limit_s: float
    lag: LagMeter | None = None
    about: tuple[str, ...] = ()

    async def answer(self) -> list[Verdict] | BudgetSpent:
        """Return the verdicts, among them an error if the oracle failed; nothing is raised."""
        starved_s = self.starved_s()
        isolation = _isolations.get(id(self.judge.oracle))
        blocked: BlockingLimit | None = None
        if isolation is None and self.soft_limit_s > 0:
            ended = await self.ask_here()
            if not isinstance(ended.error, BlockingLimit):
                return self.verdicts(ended, starved_s)
            blocked = ended.error
        return await (isolation or _isolate(self.judge)).answer(self, blocked)

    async def ask_here(self) -> Ended[list[Verdict]]:
        """Ask the oracle in this process."""
        what = f"oracle {self.judge.label!r}"
        asked = judgement(self.ask, self.most, self.case_ids)
        limit = min(self.soft_limit_s, self.timeout_s) or self.timeout_s
        return await Driven(asked, what, timeout_s=self.timeout_s, soft_limit_s=limit)

    def verdicts(
        self, ended: Ended[list[Verdict]], starved_s: float
    ) -> list[Verdict] | BudgetSpent:
        """What became of asking; `starved_s` was the reading of `starved_s()` before it."""
        if isinstance(ended.error, BudgetSpent):
            return ended.error
        if ended.expired:
            return [self.too_late(Owner.JUDGE, "", starved_s)]
        if ended.error is None:
            return ended.value or []
        owner, reason = failure_of(ended.error)
        usable = ended.error.verdicts if isinstance(ended.error, NotAJudgement) else ()
        return [*usable, self.error(owner, reason)]

    def starved_s(self) -> float:
        """For how many seconds the machine gave no processor time so far."""
        return self.lag.starved_s() if self.lag is not None else 0.0

    def too_late(self, owner: Owner, how: str, starved_s: float) -> Verdict:
        """The verdict if there was no judgement in time, which may be the machine's fault."""
        reason = f"no judgement within {self.timeout_s:g} seconds (judge_timeout){how}"
        starved_s = self.starved_s() - starved_s
        if not explains(starved_s, self.timeout_s):
            return self.error(owner, reason)
        reason += f"; the machine gave no processor time for {starved_s:.1f} s"
        return self.error(Owner.ENVIRONMENT, reason, Outcome.INCONCLUSIVE)

    def error(self, owner: Owner, reason: str, outcome: Outcome = Outcome.ERROR) -> Verdict:
        """The verdict of a judgement that failed."""
        label = self.judge.label
        named = reason if owner in _SERVICES or repr(label) in reason else f"{label!r}: {reason}"
        return Verdict(
            oracle=label,
            check="judge",
            outcome=outcome,
            owner=owner,
            case_ids=self.about,
            reason=named,
            gating=self.judge.gating,
        )


_SERVICES = (Owner.JUDGE, Owner.ENVIRONMENT)
"""Owners of errors that say themselves which service or model failed."""


def _isolate(judge: Judge) -> Isolation:
    """Have a judge's oracle judge in processes of its own from now on."""
    key = id(judge.oracle)
    isolation = _isolations.get(key)
    if isolation is None:  # another conversation may have come first
        isolate: Callable[[Judge], Isolation] = drivers.load_value(SERVICES, "isolation")
        isolation = _isolations[key] = isolate(judge)
        weakref.finalize(judge.oracle, _isolations.pop, key, None)
    return isolation
