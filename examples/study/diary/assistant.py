"""The diary's assistant: it reads what is to be done, does it, and says what it did."""

from dataclasses import replace
from typing import Any

from studykit.answers import MOST_CHARACTERS, Answer

from diary.appointments import Appointment, Diary
from diary.clock import spoken_day
from diary.reading import Order, read, with_person

Outcome = dict[str, Any]
"""What was done, as JSON has it; empty where nothing was."""

_NOTHING: Outcome = {"status": "nothing"}
_PLACES = {"office": "at the office", "cafe": "in the cafe", "station": "at the station",
           "video": "by video"}  # fmt: skip
_REPEATS = {"daily": "every day", "weekly": "every week"}


class DiaryAssistant:
    """Keeps one diary."""

    def __init__(self) -> None:
        self.diary = Diary()

    def answer(self, text: str) -> Answer:
        """Do what an utterance says, and answer."""
        order = read(text[:MOST_CHARACTERS])
        gone = self._cancelled(order)
        said, outcome = self._done(order)
        if gone is not None and outcome:
            said = f"I have cancelled {_what(gone)}. {said}"
            outcome["cancelled"] = _what(gone)
        data = {
            "intent": order.action or "unknown",
            "understood": order.shown(),
            "done": [outcome] if outcome else [],
            "outcome": [outcome or _NOTHING],
        }
        return Answer(said, data)

    def _cancelled(self, order: Order) -> Appointment | None:
        """The appointment that is taken out before something else is done."""
        found = self.diary.like(*order.cancelled) if order.cancelled else []
        if len(found) != 1:
            return None
        self.diary.cancel(found[0])
        return found[0]

    def _done(self, order: Order) -> tuple[str, Outcome]:
        match order.action:
            case "make" | "ask":
                return self._new(order)
            case "list":
                return self._list(order)
            case "move" | "cancel" | "find":
                return self._with_one(order)
            case _:
                return "Sorry, I didn't get that. What shall I do in your diary?", {}

    def _new(self, order: Order) -> tuple[str, Outcome]:
        """Put an appointment in, or look whether there is room for it."""
        if order.kind is None:
            return "What shall I call the appointment?", {}
        if order.day is None:
            return "On which day shall it be?", {}
        if order.at is None:
            return "At what time shall it be?", {}
        made = Appointment(
            order.kind, order.person, order.day, order.at, order.minutes, order.place,
            order.reminder, order.repeat,
        )  # fmt: skip
        if order.action == "ask":
            free = all(one.at != made.at for one in self.diary.on(made.day))
            told = "You are free" if free else "You are not free"
            return f"{told} for {_told(made)}. Anything else?", _outcome("asked", made)
        self.diary.make(made)
        return f"I have made an appointment: {_told(made)}. Anything else?", _outcome("made", made)

    def _list(self, order: Order) -> tuple[str, Outcome]:
        if order.day is None:
            return "For which day would you like to know?", {}
        found = self.diary.on(order.day)
        day = spoken_day(order.day)
        shown: Outcome = {"status": "listed", "date": order.day.isoformat()}
        if not found:
            return f"You have nothing in your diary on {day}. Shall I put something in?", shown
        told = ", ".join(f"{_what(one)} at {one.at:%H:%M}" for one in found)
        return f"You have in your diary on {day}: {told}. Anything else?", shown

    def _with_one(self, order: Order) -> tuple[str, Outcome]:
        """Do something with an appointment that is in the diary."""
        found = self.diary.like(order.kind, order.person)
        if len(found) != 1:
            return "Which appointment do you mean?", {}
        one = found[0]
        if order.action == "find":
            return f"You have {_told(one)}. Anything else?", _outcome("found", one)
        self.diary.cancel(one)
        if order.action == "cancel":
            return f"I have cancelled {_what(one)}. Anything else?", _outcome("cancelled", one)
        moved = _moved(one, order)
        self.diary.make(moved)
        return f"I have moved {_told(moved)}. Anything else?", _outcome("moved", moved)


def _moved(one: Appointment, order: Order) -> Appointment:
    """An appointment with all that an order says of it."""
    return replace(
        one,
        day=order.day or one.day,
        at=order.at or one.at,
        minutes=order.minutes or one.minutes,
        place=order.place or one.place,
        reminder=order.reminder or one.reminder,
        repeat=order.repeat or one.repeat,
    )


def _outcome(status: str, one: Appointment) -> Outcome:
    return {"status": status, **one.shown()}


def _what(one: Appointment) -> str:
    return with_person(one.kind, one.person)


def _told(one: Appointment) -> str:
    """An appointment in words."""
    words = [_what(one), f"on {spoken_day(one.day)}", f"at {one.at:%H:%M}"]
    words += [f"for {one.minutes} minutes"] if one.minutes else []
    words += [_PLACES[one.place]] if one.place else []
    words += [_REPEATS[one.repeat]] if one.repeat else []
    words += [f"with a reminder {one.reminder} minutes before"] if one.reminder else []
    return " ".join(words)
