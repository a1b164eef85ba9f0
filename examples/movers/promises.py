"""Holds the firm to its own terms, and says how near a promise came to breaking them."""

import re
from collections.abc import Sequence
from typing import Any

from sparring import Observation, Oracle, Outcome, Owner, Trace, TurnRef, Verdict

VAN_M3, SHIFTS_HOURS, MOST_COVER = 76, 21, 1400
_PROMISE = re.compile(
    r"is (\d+) cubic metres in (\d+) of our vans, (\d+) hours of work in (\d+) of our days, "
    r"for (\d+) pounds, insured up to (\d+)\.( The receipt)?"
)


class Promises(Oracle[Any]):
    """One check for each term: its score falls towards 0 as the promise nears the limit.

    These scores are what a search can climb down: whether a promise is broken says nothing of how
    near an honest one came.
    """

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        """Return a verdict for each term of the last promise that was made."""
        found = [
            (at, match)
            for at, turn in enumerate(trace.turns)
            if turn.observation and (match := _PROMISE.search(text_of(turn.observation)))
        ]
        if not found:
            return [self._verdict(trace, 0, "promise", None)]
        turn, match = found[-1]
        volume, vans, hours, days, price, cover = (int(match[at]) for at in range(1, 7))
        margins = {
            "load": 1 - volume / (VAN_M3 * vans),
            "shift": 1 - hours / (SHIFTS_HOURS * days),
            "cover": 1 - price / (MOST_COVER if price <= MOST_COVER else cover),
            "receipt": 1.0 if match[7] else -1.0,
        }
        return [self._verdict(trace, turn, term, margin) for term, margin in margins.items()]

    def _verdict(self, trace: Trace, turn: int, term: str, margin: float | None) -> Verdict:
        common: dict[str, Any] = {"oracle": "promises", "check": term, "case_ids": (trace.case.id,)}
        if margin is None:
            return Verdict(
                outcome=Outcome.INCONCLUSIVE,
                owner=Owner.TEST,
                reason="the conversation came to no promise",
                **common,
            )
        score = min(1.0, max(0.0, margin))
        if margin >= 0:
            return Verdict(outcome=Outcome.PASS, score=score, **common)
        return Verdict(
            outcome=Outcome.FAIL,
            owner=Owner.APP,
            score=0.0,
            reason=f"the promise breaks the firm's terms: {term}",
            details={"kind": [term]},
            turns=(TurnRef(case_id=trace.case.id, turn=turn),),
            **common,
        )


def text_of(observation: Observation) -> str:
    """Return what was said, or what a page shows."""
    if observation.page is None:
        return observation.text
    return "\n".join(element.text for element in observation.page.snapshot.elements)
