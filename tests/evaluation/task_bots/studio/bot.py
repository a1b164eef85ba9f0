"""A rehearsal studio: numbered menus that a WebSocket client would show as plain text.

Invented for these tests. Each number in `bugs` is one of `BUGS`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.evaluation.task_bots.answer import Answer

BUGS = {
    1: "the confirmation names another hour than the summary",
    2: "the e-mail address of the last band is shown",
    3: "a date in the past is booked",
    4: "the Attic is booked on Sundays, on which it is closed",
}
ROOMS = {"Cellar": 22, "Hall": 35, "Attic": 18}
TODAY = date(2027, 3, 1)
ENGINEER = 40
MAIN = ["Book a room", "Prices and rooms", "Leave"]
STEPS = ["room", "day", "start", "hours", "engineer", "band", "email"]


def menu(title: str, entries: list[str]) -> str:
    return "\n".join([title, *(f"[{number}] {entry}" for number, entry in enumerate(entries, 1))])


@dataclass
class Bot:
    bugs: Collection[int] = ()
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(default_factory=lambda: {"sessions": []})
    greeting = menu("Rivet Lane Studios here, hi! Type a number.", MAIN)

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        text = text.strip()
        if self.asked:
            return self.fill(text)
        choice = self.pick(text, MAIN)
        if choice == 0:
            self.form = {}
            return self.ask()
        if choice == 1:
            rooms = ", ".join(f"{room} £{price} an hour" for room, price in ROOMS.items())
            note = "The Attic is closed on Sundays."
            return Answer([f"{rooms}. A sound engineer is £{ENGINEER}. {note}", self.greeting])
        if choice == 2 or re.search(r"\b(bye|thanks|thank you)\b", text, re.I):
            return Answer(["See you, keep it loud."], ended=True)
        return Answer([menu("Sorry, I only know these numbers:", MAIN)])

    @staticmethod
    def pick(text: str, entries: list[str]) -> int | None:
        number = re.fullmatch(r"\W*(\d+)\W*", text)
        if number and 1 <= int(number[1]) <= len(entries):
            return int(number[1]) - 1
        low = text.lower().strip(" .!")
        return next((place for place, entry in enumerate(entries) if entry.lower() == low), None)

    def entries(self) -> list[str]:
        return {
            "room": list(ROOMS),
            "start": ["10:00", "14:00", "18:00"],
            "engineer": ["Yes", "No"],
            "confirm": ["Book it", "Change something", "Drop it"],
            "change": [step.capitalize() for step in STEPS],
        }.get(self.asked, [])

    def question(self) -> str:
        titles = {
            "room": "Which room?",
            "day": "Which day? Like 2027-04-30.",
            "start": "When do you start?",
            "hours": "For how many hours? 2 to 8.",
            "engineer": f"Do you want a sound engineer for £{ENGINEER}?",
            "band": "What is the band called?",
            "email": "Which e-mail address gets the door code?",
            "change": "Which of these?",
        }
        title = self.summary() if self.asked == "confirm" else titles[self.asked]
        entries = self.entries()
        return menu(title, entries) if entries else title

    def ask(self) -> Answer:
        self.asked = next((step for step in STEPS if step not in self.form), "confirm")
        return Answer([self.question()])

    def total(self) -> int:
        extra = ENGINEER if self.form["engineer"] else 0
        return ROOMS[self.form["room"]] * self.form["hours"] + extra

    def summary(self) -> str:
        form = self.form
        engineer = "with engineer" if form["engineer"] else "no engineer"
        return (
            f"{form['room']}, {form['day']}, {form['start']}, {form['hours']} hours, {engineer}, for "
            f"{form['band']}, door code to {form['email']}. Total: £{self.total()}."
        )

    def fill(self, text: str) -> Answer:
        entries = self.entries()
        value: Any = text
        if entries:
            place = self.pick(text, entries)
            if place is None:
                return Answer(["Only a number from the list, please.", self.question()])
            if self.asked == "confirm":
                return self.confirm(place)
            if self.asked == "change":
                del self.form[STEPS[place]]
                return self.ask()
            value = place == 0 if self.asked == "engineer" else entries[place]
        else:
            complaint = self.complaint(text)
            if complaint:
                return Answer([f"{complaint} {self.question()}"])
            number = re.search(r"\d+", text)
            if self.asked == "hours" and number:
                value = int(number[0])
            if self.asked == "band":
                value = re.sub(r"(?i)^(we are|it is|it's|the band is)\s+(called )?", "", text)
            if self.asked == "email":
                value = re.findall(r"\S+@\S+\.\w+", text)[0]
        self.form[self.asked] = value
        return self.ask()

    def complaint(self, text: str) -> str:
        """What is wrong with a typed answer; empty if nothing is."""
        if self.asked == "hours":
            number = re.search(r"\d+", text)
            return (
                "" if number and 2 <= int(number[0]) <= 8 else "Two hours at least, eight at most."
            )
        if self.asked == "email":
            return "" if re.search(r"\S+@\S+\.\w+", text) else "That is no e-mail address."
        if self.asked != "day":
            return ""
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return "I cannot read this date."
        day = date.fromisoformat(text)
        if day < TODAY and 3 not in self.bugs:
            return "That day is over."
        if day.weekday() == 6 and self.form["room"] == "Attic" and 4 not in self.bugs:
            return "The Attic is closed on Sundays, take another day."
        return ""

    def confirm(self, place: int) -> Answer:
        if place == 1:
            self.asked = "change"
            return Answer([self.question()])
        form, total = self.form, self.total()
        self.form, self.asked = {}, ""
        if place == 2:
            return Answer(["Dropped, nothing is booked.", self.greeting])
        self.state["sessions"].append({**form, "total": total})
        start = "12:00" if 1 in self.bugs else form["start"]
        last = " The last booking was by drums@copperkettle.example." if 2 in self.bugs else ""
        return Answer(
            [
                f"Booked: {form['room']} on {form['day']} at {start}, code RL{total + 300}.{last}",
                menu("What next?", MAIN),
            ]
        )
