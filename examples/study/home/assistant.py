"""The assistant of the house: it reads a command, changes the house, and says what it did."""

from collections.abc import Sequence
from typing import Any

from studykit.answers import MOST_CHARACTERS, Answer

from home.house import COLDEST, WARMEST, Change, House, place
from home.reading import STEPS, Understood, understand

_ASKS = {
    "device": "Which device do you mean: lights, heating, blinds, or the fan?",
    "value": "What shall I set it to?",
}
_UNKNOWN = "Sorry, I didn't get that. What shall I do?"


class HomeAssistant:
    """Keeps one house."""

    def __init__(self) -> None:
        self.house = House()

    def answer(self, text: str) -> Answer:
        """Do what an utterance says, and answer."""
        understood = understand(text[:MOST_CHARACTERS], self.house.now)
        asked = understood.intent == "status"
        done = [] if asked else understood.changes
        self.house.make(done)
        return Answer(self._said(understood, done), self._data(understood, done))

    def _said(self, understood: Understood, done: Sequence[Change]) -> str:
        if understood.intent == "status":
            return self._status(understood)
        if done:
            told = ", and ".join(map(_told, done))
            return f"{told[0].upper()}{told[1:]}. Anything else?"
        return _ASKS.get(understood.missing or "", _UNKNOWN)

    def _status(self, understood: Understood) -> str:
        devices = [change.device for change in understood.changes] or ["lights"]
        share = self.house.now[devices[0], "living room"]
        return f"In the living room the {devices[0]} is {_level(devices[0], share)}."

    def _data(self, understood: Understood, done: Sequence[Change]) -> dict[str, Any]:
        """The structured part of an answer: what was done, and what is different now."""
        last = done[-1] if done else None
        return {
            "intent": understood.intent,
            "missing": None if done else understood.missing,
            "understood": _shown(last) if last else None,
            "done": [_shown(one) for one in done],
            "difference": [self.house.difference()],
        }


def _shown(change: Change) -> dict[str, Any]:
    return {
        "device": change.device,
        "where": place(set(change.rooms)),
        "share": change.share,
        "after": change.after,
    }


def _told(change: Change) -> str:
    """A change in words, such as ``the lights in the kitchen are now at 25 percent``."""
    where = place(set(change.rooms))
    at = where if where.startswith(("everywhere", "up", "down")) else f"in the {where}"
    are = "are" if change.device in ("lights", "blinds") else "is"
    level = _level(change.device, change.share)
    if change.after:
        return f"the {change.device} {at} will be {level} in {change.after} minutes"
    return f"the {change.device} {at} {are} now {level}"


def _level(device: str, share: float) -> str:
    if share == 0:
        return "closed" if device == "blinds" else "off"
    match device:
        case "heating":
            return f"set to {COLDEST + share * (WARMEST - COLDEST) / 100:g} degrees"
        case "fan":
            return f"at speed {share * STEPS / 100:g}"
        case "blinds":
            return f"{share:g} percent open"
        case _:
            return f"at {share:g} percent"
