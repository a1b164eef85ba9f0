"""One question to one oracle: asked in this process, or in one that can be killed."""

import weakref
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparring.engine.blocking import BlockingLimit
from sparring.engine.driving import Driven
from sparring.engine.judgement import NotAJudgement, failure_of, judgement
from sparring.engine.lag import LagMeter, explains
from sparring.errors import BudgetSpent
from sparring.event_loop import Ended
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.suite.building import Judge

if TYPE_CHECKING:
    from sparring.engine.judge_protocol import Reply
    from sparring.engine.judge_worker import Isolation

SOFT_LIMIT_S = 5.0
"""Seconds that an oracle may block everything else before another process judges by it.

A rule over one conversation takes milliseconds, and the first use of a language detector 2 s.
"""

_isolations: "dict[int, Isolation]" = {}
"""What blocked, by the id of the oracle: an oracle need not have a hash."""


@dataclass(frozen=True, slots=True)
class OracleCall:
    """A question to the oracle of `judge`.

    `ask` asks it in this process, `ask_process` in one of its own if that is possible; `case_ids`
    are the cases that verdicts may be about (`None` if unknown), `about` those that an error is
    about, and `most` how many verdicts there may be. `timeout_s` limits the whole judgement,
    and `soft_limit_s` how long it may block everything else.
    """

    judge: Judge
    ask: Callable[[], Any]
    ask_process: "Callable[[Isolation, float], Awaitable[Reply]] | None"
    case_ids: Collection[str] | None
    most: int
    timeout_s: float
    soft_limit_s: float
    lag: LagMeter | None = None
    about: tuple[str, ...] = ()

    async def answer(self) -> list[Verdict] | BudgetSpent:
        """Return the verdicts, among them an error if the oracle failed; nothing is raised."""
        starved_s = self._starved_s()
        isolation = _isolations.get(id(self.judge.oracle))
        blocked: BlockingLimit | None = None
        if isolation is None and self.soft_limit_s > 0:
            ended = await self._ask_here()
            if not isinstance(ended.error, BlockingLimit):
                return self._verdicts(ended, starved_s)
            blocked = ended.error
        return await self._ask_process(isolation or _isolate(self.judge), blocked)

    async def _ask_here(self) -> Ended[list[Verdict]]:
        what = f"oracle {self.judge.label!r}"
        asked = judgement(self.ask, self.most, self.case_ids)
        limit = min(self.soft_limit_s, self.timeout_s) or self.timeout_s
        return await Driven(asked, what, timeout_s=self.timeout_s, soft_limit_s=limit)

    def _verdicts(
        self, ended: Ended[list[Verdict]], starved_s: float
    ) -> list[Verdict] | BudgetSpent:
        if isinstance(ended.error, BudgetSpent):
            return ended.error
        if ended.expired:
            return [self._too_late(Owner.JUDGE, "", starved_s)]
        if ended.error is None:
            return ended.value or []
        owner, reason = failure_of(ended.error)
        usable = ended.error.verdicts if isinstance(ended.error, NotAJudgement) else ()
        return [*usable, self._error(owner, reason)]

    async def _ask_process(
        self, isolation: "Isolation", blocked: BlockingLimit | None
    ) -> list[Verdict] | BudgetSpent:
        from sparring.engine.judge_worker import NotRebuilt, ProcessEnded

        starved_s = self._starved_s()
        owner = self.judge.oracle.overrun_owner
        try:
            if self.ask_process is None:
                raise NotRebuilt("the conversations are not those of a stored run")
            reply = await self.ask_process(isolation, self.timeout_s)
        except ProcessEnded as err:
            if err.expired:
                return [self._too_late(owner, "; its process was killed", starved_s)]
            return [self._error(owner, str(err))]
        except NotRebuilt as err:
            why = str(err)
        else:
            failed = [] if reply.owner is None else [self._error(reply.owner, reply.reason)]
            return [*reply.verdicts, *failed]
        if blocked is None:
            ended = await self._ask_here()
            if not isinstance(ended.error, BlockingLimit):
                return self._verdicts(ended, starved_s)
            blocked = ended.error
        return [self._error(owner, f"{failure_of(blocked)[1]}; no other process can judge: {why}")]

    def _starved_s(self) -> float:
        return self.lag.starved_s() if self.lag is not None else 0.0

    def _too_late(self, owner: Owner, how: str, starved_s: float) -> Verdict:
        """The verdict if there was no judgement in time, which may be the machine's fault."""
        reason = f"no judgement within {self.timeout_s:g} seconds (judge_timeout){how}"
        starved_s = self._starved_s() - starved_s
        if not explains(starved_s, self.timeout_s):
            return self._error(owner, reason)
        reason += f"; the machine gave no processor time for {starved_s:.1f} s"
        return self._error(Owner.ENVIRONMENT, reason, Outcome.INCONCLUSIVE)

    def _error(self, owner: Owner, reason: str, outcome: Outcome = Outcome.ERROR) -> Verdict:
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


def _isolate(judge: Judge) -> "Isolation":
    """Have a judge's oracle judge in processes of its own from now on."""
    from sparring.engine.judge_worker import Isolation

    key = id(judge.oracle)
    isolation = _isolations.get(key)
    if isolation is None:  # another conversation may have come first
        isolation = _isolations[key] = Isolation.of(judge)
        weakref.finalize(judge.oracle, _isolations.pop, key, None)
    return isolation
