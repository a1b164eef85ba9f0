"""What broke a conversation off, for all oracles that judge by what was said."""

from sparring.engine.broken_off import breaking_incidents
from sparring.model.talk import Incident, Trace
from sparring.model.verdict import Owner


def broken_off(trace: Trace) -> Incident | None:
    """Return what broke a conversation off that was not the app's doing, or None.

    The rest of the talk is unknown then: a price that was not said yet may have been said later. A
    loop or a goal that was not reached is what a conversation came to, and breaks none off.
    """
    foreign = (one for one in breaking_incidents(trace) if one.owner is not Owner.APP)
    return next(foreign, None)
