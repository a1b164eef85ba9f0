"""The house: what every device does now, and what it will do in some minutes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

UPSTAIRS = ("bedroom", "bathroom", "study")
DOWNSTAIRS = ("kitchen", "living room", "hall")
ROOMS = (*DOWNSTAIRS, *UPSTAIRS)
START = {"lights": 35.0, "heating": 62.5, "blinds": 60.0, "fan": 40.0}
COLDEST, WARMEST = 15, 23


@dataclass(frozen=True, slots=True)
class Change:
    """What is to change: devices of a kind in rooms, in so many minutes.

    `share` is how far they are on, or open, in percent of what they can.
    """

    device: str
    rooms: tuple[str, ...]
    share: float
    after: int = 0


class House:
    """All devices: by kind and room, how far they are on in percent."""

    def __init__(self) -> None:
        self.now = {(device, room): share for device, share in START.items() for room in ROOMS}
        self.planned: dict[tuple[str, str], tuple[float, int]] = {}

    def make(self, changes: Iterable[Change]) -> None:
        """Change devices now, or plan to."""
        for change in changes:
            for room in change.rooms:
                if change.after:
                    self.planned[change.device, room] = (change.share, change.after)
                else:
                    self.now[change.device, room] = change.share

    def difference(self) -> dict[str, Any]:
        """What is different from the start, or will be: which devices, where, how far, and when.

        None where devices differ in it.
        """
        moved = {at: (share, 0) for at, share in self.now.items() if share != START[at[0]]}
        found = [*moved.items(), *self.planned.items()]
        if not found:
            return {"device": "nothing", "where": None, "share": None, "after": None}
        return {
            "device": " and ".join(sorted({device for (device, _), _ in found})),
            "where": place({room for (_, room), _ in found}),
            "share": _same([share for _, (share, _) in found]),
            "after": _same([after for _, (_, after) in found]),
        }


def place(rooms: set[str]) -> str:
    """Rooms as people name them."""
    missing = [room for room in ROOMS if room not in rooms]
    if not missing:
        return "everywhere"
    if len(missing) == 1:
        return f"everywhere but the {missing[0]}"
    for name, floor in (("upstairs", UPSTAIRS), ("downstairs", DOWNSTAIRS)):
        if rooms == set(floor):
            return name
    return " and ".join(room for room in ROOMS if room in rooms)


def _same(values: list[float] | list[int]) -> float | None:
    return values[0] if len(set(values)) == 1 else None
