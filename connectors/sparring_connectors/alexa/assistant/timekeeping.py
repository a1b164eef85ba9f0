"""The time on the device: one that only turns move on, or the real one."""

from datetime import UTC, datetime, timedelta, tzinfo
from uuid import UUID, uuid5

TURN = timedelta(seconds=10)
"""How long a turn takes on a steady clock."""


class DeviceClock:
    """Tells the time of requests, and makes ids that are the same for the same conversation."""

    def __init__(self, begin: datetime, zone: tzinfo, *, real: bool, seed: UUID) -> None:
        self._moment = begin
        self._zone = zone
        self._real = real
        self._seed = seed
        self._number = 0

    def tick(self) -> None:
        """A turn has begun."""
        self._moment += TURN

    def utc(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC) if self._real else self._moment.astimezone(UTC)

    def local(self) -> datetime:
        """Now, where the device is."""
        return self.utc().astimezone(self._zone)

    def new_id(self) -> UUID:
        """An id that was not given yet."""
        self._number += 1
        return uuid5(self._seed, str(self._number))
