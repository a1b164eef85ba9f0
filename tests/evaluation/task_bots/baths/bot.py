"""A public bath: menus of numbers inside menus, one thing asked after the other.

Invented for these tests. `bugs=True` forgets the shoe size of a locker bundle, so that it asks for
it for ever, and leads the menu entry about lost things into a dead end.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from tests.evaluation.task_bots.answer import Answer

MAIN = [
    "Book a swimming course",
    "Hire a locker bundle",
    "Report a lost thing",
    "Opening times and prices",
]
COURSES = {
    "Water babies": ("Monday 10:00", "Thursday 15:00"),
    "Beginners": ("Tuesday 18:00", "Saturday 09:00"),
    "Front crawl": ("Wednesday 19:30", "Friday 07:00"),
}
LEVELS = ["I cannot swim", "I can swim 25 metres", "I can swim 200 metres or more"]
BUNDLES = {"Small locker": 12, "Large locker": 18, "Large locker with towels": 31}
THINGS = ["Clothes", "Bag", "Glasses", "Something else"]


def menu(title: str, entries: list[str], back: bool = True) -> str:
    """Return a title with numbered entries."""
    lines = [title, *(f"{number}. {entry}" for number, entry in enumerate(entries, 1))]
    return "\n".join([*lines, "0. Back to the main menu"] if back else lines)


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(
        default_factory=lambda: {"courses": [], "lockers": [], "lost": []}
    )
    greeting = menu("Marlow Baths. Reply with a number.", MAIN, back=False)

    STEPS = {
        "courses": ["course", "time", "level", "name", "age"],
        "lockers": ["bundle", "months", "shoes", "name", "phone"],
        "lost": ["thing", "look", "day", "phone"],
    }

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        text = text.strip()
        if re.fullmatch(r"0|menu|back", text, re.I) and self.asked not in ("", "age"):
            self.form, self.asked = {}, ""
            return Answer([self.greeting])
        if self.asked:
            return self.fill(text)
        choice = self.pick(text, MAIN)
        if choice is None:
            if re.search(r"\b(bye|thanks?|thank you|no)\b", text, re.I):
                return Answer(["Goodbye from Marlow Baths."], ended=True)
            return Answer(["Please reply with a number from the menu.", self.greeting])
        if choice == 3:
            return Answer(
                [
                    (
                        "We open every day from 06:30 to 21:00, Sundays from 08:00. A swim is £5.20, "
                        "children under 14 pay £2.80, ten swims cost £44.00."
                    ),
                    menu("What else?", MAIN, back=False),
                ]
            )
        if choice == 2 and self.bugs:
            return Answer(["This service is coming soon."])
        self.form = {"kind": list(self.STEPS)[choice]}
        return self.ask()

    @staticmethod
    def pick(text: str, entries: list[str]) -> int | None:
        """Return which entry a number or its exact words choose."""
        number = re.fullmatch(r"\s*(?:option |number )?(\d+)[.)]?\s*", text, re.I)
        if number and 1 <= int(number[1]) <= len(entries):
            return int(number[1]) - 1
        low = text.lower().strip(" .")
        return next((place for place, entry in enumerate(entries) if entry.lower() == low), None)

    def entries(self) -> list[str]:
        """Return the entries of the open question, if it is a menu."""
        return {
            "course": list(COURSES),
            "time": list(COURSES.get(self.form.get("course", ""), ())),
            "level": LEVELS,
            "bundle": [f"{name}, £{price} a month" for name, price in BUNDLES.items()],
            "months": ["One month", "Three months", "Six months"],
            "thing": THINGS,
            "confirm": ["Confirm", "Start again", "Give up"],
        }.get(self.asked, [])

    def question(self) -> str:
        titles = {
            "course": "Which course?",
            "time": "When would you like to come?",
            "level": "How well do you swim?",
            "name": "Please type the name of the swimmer."
            if self.form.get("kind") == "courses"
            else "Please type your full name.",
            "age": "And how old is the swimmer, in years?",
            "bundle": "Which locker?",
            "months": "For how long?",
            "shoes": "A pair of bath slippers is included. Which shoe size (EU, 30 to 48)?",
            "phone": "Please type a mobile number. We only use it if something comes up.",
            "thing": "What have you lost?",
            "look": "What does it look like? One line is enough.",
            "day": "On what date did you lose it? (DD.MM.YYYY)",
            "confirm": self.summary(),
        }
        entries = self.entries()
        return menu(titles[self.asked], entries) if entries else titles[self.asked]

    def ask(self) -> Answer:
        wanted = self.STEPS[self.form["kind"]]
        self.asked = "confirm"
        for name in wanted:
            if name not in self.form:
                self.asked = name
                break
        return Answer([self.question()])

    def summary(self) -> str:
        form = self.form
        if "name" not in form and form.get("kind") != "lost":
            return ""
        if form["kind"] == "courses":
            return f"{form['course']} on {form['time']} for {form['name']} ({form.get('age')})."
        if form["kind"] == "lockers":
            form["price"] = BUNDLES[form["bundle"]] * form["months"]
            return (
                f"{form['bundle']} for {form['months']} month(s), slippers size {form.get('shoes')}, "
                f"in the name of {form['name']}. You pay £{form['price']}."
            )
        return f"Lost on {form.get('day')}: {form.get('thing')} - {form.get('look')}."

    def fill(self, text: str) -> Answer:
        entries = self.entries()
        value: Any = text
        if entries:
            place = self.pick(text, entries)
            if place is None:
                return Answer(["That is not in the list.", self.question()])
            if self.asked == "confirm":
                return self.confirm(place)
            value = {
                "bundle": lambda at: list(BUNDLES)[at],
                "months": lambda at: (1, 3, 6)[at],
                "level": lambda at: at,
            }.get(self.asked, lambda at: entries[at])(place)
        elif self.asked in ("age", "shoes"):
            low, high = (3, 99) if self.asked == "age" else (30, 48)
            number = re.search(r"\d+", text)
            if not number or not low <= int(number[0]) <= high:
                return Answer([f"A number from {low} to {high}, please."])
            value = int(number[0])
        elif self.asked == "phone":
            digits = re.sub(r"[ /()-]", "", text)
            if not re.fullmatch(r"\+?\d{9,14}", digits):
                return Answer(["This does not look like a mobile number. Only the number, please."])
            value = digits
        elif self.asked == "day" and not re.fullmatch(r"\d\d\.\d\d\.\d{4}", text):
            return Answer(["I only understand dates such as 24.05.2027."])
        if self.bugs and self.asked == "shoes":
            return Answer([self.question()])
        self.form[self.asked] = value
        return self.ask()

    def confirm(self, place: int) -> Answer:
        form, self.form, self.asked = self.form, {}, ""
        kind = form.pop("kind")
        if place == 1:
            self.form = {"kind": kind}
            return self.ask()
        if place == 2:
            return Answer(["Nothing was stored.", self.greeting])
        self.state[kind].append(form)
        done = {
            "courses": "You have a place. Please be there ten minutes early.",
            "lockers": "The locker is yours. The key waits at the till.",
            "lost": "Thank you, we will look for it and send you a message.",
        }[kind]
        return Answer([done, menu("What else can we do?", MAIN, back=False)])
