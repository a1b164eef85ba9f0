"""Whether a chatbot agrees with itself: sums, dates, what was confirmed, questions put again."""

from typing import cast, get_args

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.conversations import text_cost
from sparring_plugins.users.contradictions.find import contradictions
from sparring_plugins.users.contradictions.messages import ContradictionKind

_WORK = 24
"""How often an answer is read for all kinds, in the unit of `text_cost`."""


def _cost(trace: Trace, *_: object, **__: object) -> int:
    return _WORK * text_cost(trace)


@rule_function(conversation=True, cost=_cost)
def inconsistencies(trace: Trace, kinds: list[str] | None = None) -> list[str]:
    """Places where the chatbot contradicts itself or the user, each with two quotations.

    The `kinds` are ``sum`` (amounts that do not add up), ``weekday`` (a date with its year on
    another weekday), ``agreed`` (a confirmation with another day or hour than the user said yes
    to), ``refused_extra`` (a read-back that denies what the user has taken), ``left_out`` (it has
    not all of several things that were chosen), ``asked_again`` (the same question after a valid
    answer), ``dead_end`` (an option that leads nowhere), ``price`` (another price a unit than in
    the list), ``product`` (a total that is not price times number), ``quantity`` (another number
    than was given), ``reported`` (a report of what was done has another number, hour or day than
    was asked for), ``limit`` (a number that the question does not allow is accepted), ``change``
    (a change is ignored), ``closed`` (a day without anything is booked), ``waiver`` (a fee that is
    free from a sum on is charged), ``breakdown`` (an internal error is reported), ``stuck`` (the
    same reply to two wishes), ``list`` (numbers or options that are missing or come twice),
    ``currency`` (a total in another currency), ``hours`` (two opening hours in the same words),
    ``subject`` (an answer about another item than the question), ``cancelled`` (a cancellation
    after a yes), ``name`` (another name than the user's), ``no_such_day`` (a day that no calendar
    has is accepted) and ``language`` (one reply in another language); all of them if left out.
    """
    choices = get_args(ContradictionKind)
    unknown = [kind for kind in kinds or () if kind not in choices]
    if unknown:
        raise ValueError(f"no kind {unknown[0]!r}; the kinds are {', '.join(choices)}")
    chosen = None if kinds is None else cast(list[ContradictionKind], kinds)
    return [str(item) for item in contradictions(trace.turns, kinds=chosen)]
