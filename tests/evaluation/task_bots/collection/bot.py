"""The waste collection of a town: menus of numbers, nothing else is understood.

Invented for these tests. `bugs=True` stores the next street number of the address.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from tests.evaluation.task_bots.answer import Answer

MAIN = (
    "Town of Ebbing, waste and recycling. Reply with a number:\n1 Bulky waste collection\n"
    "2 Report a bin that was not emptied\n3 Order a bin\n4 Opening hours of the yard\n5 End"
)
ITEMS = {"1": "furniture", "2": "fridge", "3": "mattress", "4": "garden waste"}
BINS = {"1": ("general", 0), "2": ("paper", 0), "3": ("glass", 5), "4": ("compost", 12)}
SLOTS = {"1": "Mon 12 Apr, morning", "2": "Mon 12 Apr, afternoon", "3": "Thu 15 Apr, morning"}


def listing(options: dict[str, Any], end: str = "0 Main menu") -> str:
    """Return the options as numbered lines."""
    lines = [
        f"{key} {value[0] if isinstance(value, tuple) else value}" for key, value in options.items()
    ]
    return "\n".join([*lines, end])


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    step: str = "main"
    state: dict[str, Any] = field(
        default_factory=lambda: {"collections": [], "reports": [], "bins": []}
    )
    greeting = f"Welcome!\n{MAIN}"

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        text = text.strip()
        if self.step not in ("main", "name", "address", "many") and text == "0":
            self.form, self.step = {}, "main"
            return Answer([MAIN])
        return getattr(self, f"at_{self.step}")(text)

    def at_main(self, text: str) -> Answer:
        self.form = {}
        if text == "1":
            self.step = "item"
            return Answer([f"What shall we collect?\n{listing(ITEMS)}"])
        if text == "2":
            self.step, self.form["kind"] = "bin", "report"
            return Answer([f"Which bin was not emptied?\n{listing(BINS)}"])
        if text == "3":
            self.step, self.form["kind"] = "bin", "bin"
            return Answer([f"Which bin do you need?\n{listing(BINS)}"])
        if text == "4":
            return Answer(["The yard at Mill Lane is open Tue to Sat, 8:30 to 17:00.", MAIN])
        if text == "5":
            return Answer(["Goodbye."], ended=True)
        return Answer(["Please reply with a number from 1 to 5.", MAIN])

    def at_item(self, text: str) -> Answer:
        if text not in ITEMS:
            return Answer([f"Only the numbers of the list work here.\n{listing(ITEMS)}"])
        self.form.update(kind="collection", item=ITEMS[text])
        self.step = "many"
        return Answer(["How many pieces? (1-5)"])

    def at_many(self, text: str) -> Answer:
        if not re.fullmatch("[1-5]", text):
            return Answer(["That must be a number from 1 to 5. How many pieces? (1-5)"])
        self.form["pieces"] = int(text)
        self.step = "slot"
        return Answer([f"When shall we come?\n{listing(SLOTS)}"])

    def at_slot(self, text: str) -> Answer:
        if text not in SLOTS:
            return Answer([f"Please choose one of these.\n{listing(SLOTS)}"])
        self.form["slot"] = SLOTS[text]
        self.step = "address"
        return Answer(["Your street and house number, please."])

    def at_bin(self, text: str) -> Answer:
        if text not in BINS:
            return Answer([f"Only the numbers of the list work here.\n{listing(BINS)}"])
        name, fee = BINS[text]
        self.form.update(bin=name, fee=fee)
        self.step = "address"
        return Answer(["Your street and house number, please."])

    def at_address(self, text: str) -> Answer:
        if not re.search(r"[a-z]{3}.*\d|\d.*[a-z]{3}", text, re.I):
            return Answer(["I need a street with a number, such as Long Row 7."])
        self.form["address"] = text
        self.step = "name"
        return Answer(["And your full name?"])

    def at_name(self, text: str) -> Answer:
        if len(text.split()) < 2:
            return Answer(["First name and last name, please."])
        self.form["name"] = text
        self.step = "confirm"
        return self.read_back()

    def read_back(self) -> Answer:
        """Return the form with the menu that sends it."""
        form = self.form
        what = {
            "collection": f"Collection: {form.get('pieces')} x {form.get('item')}, {form.get('slot')}",
            "report": f"Not emptied: {form.get('bin')} bin",
            "bin": f"New {form.get('bin')} bin, fee {form.get('fee')} EUR",
        }[form["kind"]]
        return Answer(
            [
                f"{what}\nAddress: {form['address']}\nName: {form['name']}",
                "1 Send\n2 Change the address\n3 Change the name\n0 Discard",
            ]
        )

    def at_confirm(self, text: str) -> Answer:
        if text in "23" and text:
            self.step = "address" if text == "2" else "name"
            asked = (
                "Your street and house number, please." if text == "2" else "And your full name?"
            )
            return Answer([asked])
        if text != "1":
            return Answer(["Please reply 1, 2, 3 or 0."])
        form, self.form, self.step = self.form, {}, "main"
        if self.bugs:
            form["address"] = re.sub(r"\d+", lambda match: str(int(match[0]) + 1), form["address"])
        kind = form.pop("kind")
        self.state[{"collection": "collections", "report": "reports", "bin": "bins"}[kind]].append(
            form
        )
        number = {"collection": "C-5520", "report": "R-1187", "bin": "B-0902"}[kind]
        return Answer([f"Sent. Your number is {number}, for {form['address']}.", MAIN])
