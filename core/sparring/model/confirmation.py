"""What playing a failure again brought."""

from typing import Literal

from sparring.model.base import SCHEMA_VERSION, AppText, Value
from sparring.model.talk import Trace
from sparring.model.verdict import Owner

Confirmed = Literal["confirmed", "unsteady", "not confirmed", "not played"]
"""What became of a fault: it shows every time, now and then, never; or it was not played again."""


class Fault(Value):
    """Something wrong that one conversation shows.

    `key` says what it is, so that another conversation can be seen to show the same: that of the
    oracle's own list (`Verdict.details` ``problems``), else its reason without what differs from
    case to case. `turn` (from 0) is where it shows, None if it names no turn; `certainty` is how
    sure the oracle is, in its own words.
    """

    oracle: str
    check: str
    key: AppText
    reason: AppText = ""
    owner: Owner = Owner.APP
    gating: bool = True
    turn: int | None = None
    certainty: AppText = ""


class Confirmation(Value):
    """What playing a fault again from fresh sessions brought.

    `case_ids` are conversations of the run that show it, at most a hundred; `app` is the one of
    several apps that it is of. The shortest conversation was played `tried` times from the start
    and showed the fault `shown` times; `why` says so in a sentence. `trace` is that conversation,
    `turns` (from 0) where it shows, `inputs` how many inputs it takes and `inputs_before` how many
    the shortest one of the run took. `conversations` and `acts` are what all of that cost.
    """

    schema_version: int = SCHEMA_VERSION
    fault: Fault
    outcome: Confirmed
    why: AppText = ""
    app: AppText = ""
    case_ids: tuple[str, ...] = ()
    shown: int = 0
    tried: int = 0
    inputs: int = 0
    inputs_before: int = 0
    turns: tuple[int, ...] = ()
    conversations: int = 0
    acts: int = 0
    trace: Trace | None = None
