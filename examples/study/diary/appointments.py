"""The appointments of a diary: some are there from the start, always the same ones."""

import random
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache
from typing import Any

TODAY = date(2027, 4, 14)
"""A Wednesday: the diary has no clock."""

KINDS = ("lunch", "meeting", "call", "interview", "coffee", "rehearsal")
PEOPLE = ("Anna", "Boris", "Carla", "Dilip", "Elena", "Frank")
_TIMES = (time(8, 30), time(10), time(11, 30), time(13), time(15), time(17, 15))


@dataclass(frozen=True, slots=True)
class Appointment:
    """What is on; None where nothing was said of it. `minutes` is how long it takes."""

    kind: str
    person: str | None
    day: date
    at: time
    minutes: int | None = None
    place: str | None = None
    reminder: int | None = None
    repeat: str | None = None

    def shown(self) -> dict[str, Any]:
        """The appointment as JSON has it."""
        return {
            "kind": self.kind,
            "person": self.person,
            "date": self.day.isoformat(),
            "time": self.at.strftime("%H:%M"),
            "minutes": self.minutes,
            "place": self.place,
            "reminder": self.reminder,
            "repeat": self.repeat,
        }


class Diary:
    """All appointments."""

    def __init__(self) -> None:
        self._all = list(_first_ones())

    def make(self, one: Appointment) -> None:
        """Put an appointment in."""
        self._all.append(one)

    def cancel(self, one: Appointment) -> None:
        """Take an appointment out."""
        self._all.remove(one)

    def like(self, kind: str | None, person: str | None) -> list[Appointment]:
        """The appointments of a kind with a person; None where that does not matter."""
        return [
            one for one in self._all if kind in (None, one.kind) and person in (None, one.person)
        ]

    def on(self, day: date) -> list[Appointment]:
        """The appointments of a day, in order."""
        return sorted((one for one in self._all if one.day == day), key=lambda one: one.at)


@cache
def _first_ones(seed: int = 5) -> tuple[Appointment, ...]:
    """One of each kind with each person, on days to come."""
    draw = random.Random(seed)
    return tuple(
        Appointment(
            kind, person, TODAY + timedelta(days=draw.randint(0, 20)), draw.choice(_TIMES), 60
        )
        for kind in KINDS
        for person in PEOPLE
    )
