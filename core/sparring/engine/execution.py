"""What an executor works with: one session of a run."""

from dataclasses import dataclass, field
from datetime import datetime

from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.model.case import Case
from sparring.model.events import TurnTaken
from sparring.model.talk import Turn
from sparring.suite.building import Parts, SuiteContext
from sparring.suite.reading import LoadedSuite
from sparring.time_limits import LagMeter


@dataclass(slots=True)
class RunWork:
    """A suite, its parts as this process built them, and where what happens is told.

    Language models are asked through `context`, which holds them to the run's budget. There is a
    `bus` as soon as the run is stored, before anything is played.
    """

    loaded: LoadedSuite
    parts: Parts
    context: SuiteContext
    spending: Spending
    lag: LagMeter
    bus: EventBus = field(init=False)

    def record_turn(self, case: Case, index: int, turn: Turn, at: datetime | None = None) -> None:
        """Count and log a turn that is over; `at` is when, if that was not now."""
        self.spending.turns += 1
        self.bus.emit(TurnTaken(at=at or now(), case_id=case.id, index=index, turn=turn))
