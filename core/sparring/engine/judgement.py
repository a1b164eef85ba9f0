"""What an oracle returned or raised: verdicts that are some, or an error with its owner."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from itertools import islice
from typing import Any, cast

from sparring.blame import described, message_of
from sparring.engine.blocking import BlockingLimit
from sparring.errors import AnswerInvalid, EnvironmentFailure, ModelError, PartError
from sparring.model.verdict import Outcome, Owner, Verdict

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
        raise NotAJudgement(f"returned {_named(answer)}, which cannot be awaited")
    returned: object = await cast("Awaitable[object]", answer)
    if not _is_sequence(returned):
        raise NotAJudgement(f"returned {_named(returned)}, not a sequence of verdicts")
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
        return f"returned {_named(verdict)} among its verdicts"
    if any(not isinstance(getattr(verdict, name, None), kind) for name, kind in _KINDS.items()):
        return "returned a verdict with values of wrong types"
    if case_ids is not None:
        strange = [case_id for case_id in verdict.case_ids if case_id not in case_ids]
        if strange:
            return f"returned a verdict on another case than it was asked about: {strange[0]!r}"
    return ""


def _named(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def failure_of(err: BaseException) -> tuple[Owner, str]:
    """Return who has to act on what an oracle raised, and the reason in words.

    A model that gives no usable judgement is the judge's failure, a model service that gives none
    at all the environment's, and everything else the tool's: an oracle is part of it.
    """
    match err:
        case AnswerInvalid():
            return Owner.JUDGE, message_of(err)
        case ModelError() | EnvironmentFailure():
            return Owner.ENVIRONMENT, message_of(err)
        case PartError() | NotAJudgement():
            return Owner.TOOL, message_of(err)
        case BlockingLimit():
            return Owner.TOOL, message_of(err)
        case asyncio.CancelledError():
            return Owner.TOOL, "it was cancelled, although nobody asked for that"
        case _:
            return Owner.TOOL, described(err)
