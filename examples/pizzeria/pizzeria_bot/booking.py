"""The booking form: a table for a day, an hour and a number of people."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, time

from pizzeria_bot import menu, questions
from pizzeria_bot.definition import BOOKING, said
from pizzeria_bot.questions import Question
from pizzeria_bot.replies import Message
from pizzeria_bot.understanding import Heard
from pizzeria_bot.weak_spots import WeakSpot


@dataclass
class Booking:
    """A table that is being booked."""

    weak: AbstractSet[WeakSpot]
    day: date | None = None
    hour: time | None = None
    people: int | None = None
    phone: str | None = None

    def take(self, heard: Heard, question: Question | None) -> list[str]:
        """Write down what a message mentions; what is said of it, nothing if it said nothing."""
        people = heard.people
        if people is None and question is Question.PEOPLE:
            people = heard.number
        told = [
            *self._take_day(heard.day),
            *self._take_hour(heard.hour),
            *self._take_people(people),
        ]
        if heard.phone:
            self.phone = heard.phone
            told.append(f"Your phone number is {heard.phone}.")
        return told

    def _take_day(self, day: date | None) -> list[str]:
        if day is None:
            return []
        if day == menu.HOLIDAY:
            return [said("closed_day", day=menu.day(day))]
        if day.year != menu.BOOKING_YEAR:
            return [f"We take bookings for {menu.BOOKING_YEAR} only."]
        self.day = day
        return [f"On {menu.day(day)}."]

    def _take_hour(self, hour: time | None) -> list[str]:
        if hour is None:
            return []
        closed = not menu.OPENS <= hour <= menu.CLOSES
        if closed and WeakSpot.CLOSED_TABLE not in self.weak:
            opens, closes = menu.clock(menu.OPENS), menu.clock(menu.CLOSES)
            return [said("closed_then", hour=menu.clock(hour), opens=opens, closes=closes)]
        self.hour = hour
        return [f"At {menu.clock(hour)}."]

    def _take_people(self, people: int | None) -> list[str]:
        if people is None:
            return []
        if not 0 < people <= menu.MOST_AT_A_TABLE:
            return [f"We have tables for 1 to {menu.MOST_AT_A_TABLE} people."]
        self.people = people
        return [f"For {people} people." if people > 1 else "For one person."]

    def missing(self) -> Question:
        """What has to be asked next."""
        for name in BOOKING:
            if getattr(self, name) is None:
                return Question[name.upper()]
        return Question.BOOK

    def put(self, question: Question) -> Message:
        """A question of this form in words."""
        if question is not Question.BOOK:
            return questions.asked(question)
        return questions.yes_or_no(question, table=self._said(), phone=self.phone)

    def place(self) -> str:
        """Book the table; what is said of it."""
        return said("booked", table=self._said())

    def _said(self) -> str:
        if self.day is None or self.hour is None or self.people is None:
            raise ValueError("a booking is placed before it is complete")
        people = "person" if self.people == 1 else "people"
        when = f"{menu.day(self.day)} at {menu.clock(self.hour)}"
        return f"A table for {self.people} {people} on {when}"
