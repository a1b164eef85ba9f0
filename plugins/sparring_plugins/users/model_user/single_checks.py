"""Checks whose word counts once: what a model insists on is taken, or dealt with later."""

from collections.abc import Callable
from typing import TypeVar

AnswerT = TypeVar("AnswerT")


def once(check: Callable[[AnswerT], str | None]) -> Callable[[AnswerT], str | None]:
    """The same check for one question, silent after it has sent an answer back.

    It is for what can be told only by signs, where being wrong twice would lose the case.
    """
    sent_back = False

    def checked(answer: AnswerT) -> str | None:
        nonlocal sent_back
        if sent_back:
            return None
        reason = check(answer)
        sent_back = reason is not None
        return reason

    return checked
