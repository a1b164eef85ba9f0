"""A coach line: free text, one slot after the other, strict formats, typed confirmations.

Invented for these tests. `bugs=True` sells every ticket from the first town that was named.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.evaluation.task_bots.answer import Answer

TOWNS = ("Aldby", "Brenn", "Corvale", "Dunmere", "Estwick")
HELP = "I sell tickets, change the day of a ticket and answer questions about luggage and bikes."


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(default_factory=lambda: {"tickets": [], "changes": []})
    greeting = f"Hello from Larkline Coaches. {HELP}"

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        low = text.lower()
        if low.strip(" ?!") == "help":
            return Answer([f"{HELP} {self.question()}".strip()])
        fact = self.fact(low)
        if self.asked and not fact:
            return self.fill(text)
        if fact:
            return Answer([f"{fact} {self.question()}".strip()])
        if re.search(r"\b(change|move|another day)\b", low):
            self.form = {"kind": "change"}
            self.take_number(text)
        elif re.search(r"\b(tickets?|travel|go to|coach|trip|ride)\b", low):
            self.form = {"kind": "ticket"}
            self.take_towns(text)
        elif re.search(r"\b(bye|thank|thanks|nothing|no)\b", low):
            return Answer(["Safe travels!"], ended=True)
        else:
            return Answer([f"I don't understand. {HELP}"])
        return self.ask()

    @staticmethod
    def fact(low: str) -> str:
        """Return the answer to a question about luggage or bikes, if the text is one."""
        if re.search(r"luggage|suitcase", low):
            return "One suitcase and one small bag are free, each further piece costs EUR 6.00."
        if re.search(r"\b(bikes?|bicycles?)\b", low):
            return "A bicycle travels for EUR 9.50 if there is room in the trailer."
        return ""

    def take_number(self, text: str) -> None:
        number = re.search(r"\b[A-Z]{2}\d{4}\b", text)
        if number:
            self.form["number"] = number[0]

    def take_towns(self, text: str) -> None:
        for key, word in (("origin", "from"), ("goal", "to")):
            match = re.search(rf"\b{word} ({'|'.join(TOWNS)})\b", text, re.I)
            if match:
                self.form[key] = match[1].title()

    def question(self) -> str:
        """Return the open question, also after a digression."""
        return {
            "": "",
            "origin": f"From which town do you travel? We stop in {', '.join(TOWNS)}.",
            "goal": "And where to?",
            "day": "On which date? Please write it as YYYY-MM-DD, for example 2027-05-30.",
            "people": "How many passengers?",
            "mail": "To which e-mail address shall I send it? (Required.)",
            "phone": "Your mobile number, digits only, without the country code:",
            "number": "What is the number of your ticket? It looks like QX1234.",
            "confirm": "Type 'agree' to go on, 'stop' to give up, or tell me what to change, "
            "for example 'date 2027-05-30'.",
        }[self.asked]

    def ask(self, lead: str = "") -> Answer:
        wanted = (
            ["number", "day"]
            if self.form["kind"] == "change"
            else ["origin", "goal", "day", "people", "mail", "phone"]
        )
        self.asked = next((name for name in wanted if name not in self.form), "confirm")
        if self.asked == "confirm":
            return Answer([f"{lead} {self.summary()}".strip(), self.question()])
        return Answer([f"{lead} {self.question()}".strip()])

    def summary(self) -> str:
        form = self.form
        if form["kind"] == "change":
            return f"Ticket {form['number']} will be valid on {form['day']}."
        form["price"] = 14.5 * form["people"]
        return (
            f"{form['people']} passenger(s), {form['origin']} - {form['goal']}, {form['day']}, "
            f"EUR {form['price']:.2f}, sent to {form['mail']}."
        )

    def fill(self, text: str) -> Answer:
        """Take the answer to the open question, or say what is wrong with it."""
        if self.asked == "confirm":
            return self.confirm(text)
        problem = self.read(self.asked, text)
        if problem:
            return Answer([problem])
        return self.ask("Noted." if self.asked in ("day", "people") else "")

    def read(self, name: str, text: str) -> str:
        """Store the value of a slot; returns the complaint if there is none in the text."""
        value: Any = None
        problem = ""
        if name in ("origin", "goal"):
            value = next((town for town in TOWNS if town.lower() in text.lower()), None)
            problem = f"I do not know that place. We stop in {', '.join(TOWNS)}."
            if name == "goal" and value == self.form.get("origin"):
                value, problem = None, "You are there already. Where to?"
        elif name == "day":
            match = re.fullmatch(r"\s*(\d{4})-(\d\d)-(\d\d)\s*\.?", text)
            problem = "Invalid date. Use the format YYYY-MM-DD (e.g. 2027-05-30)."
            if match:
                value = str(date(int(match[1]), int(match[2]), int(match[3])))
        elif name == "people":
            match = re.search(r"\b([1-9])\b", text)
            value, problem = int(match[1]) if match else None, "A number from 1 to 9, please."
        elif name == "mail":
            match = re.search(r"\b[\w.+-]+@[\w-]+\.[\w.]+\b", text)
            value, problem = match and match[0].rstrip("."), "That is no e-mail address."
        elif name == "phone":
            match = re.fullmatch(r"\s*(\d{9,11})\s*", text)
            value, problem = match and match[1], "Only digits, please: 9 to 11 of them."
        elif name == "number":
            self.take_number(text)
            value, problem = self.form.get("number"), "A ticket number looks like QX1234."
        if value is None:
            return problem
        self.form[name] = value
        return ""

    def confirm(self, text: str) -> Answer:
        low = text.lower()
        if re.search(r"\bagree\b", low):
            form, self.form, self.asked = self.form, {}, ""
            if self.bugs and "goal" in form:
                form["goal"] = form["origin"]
            kind = form.pop("kind")
            self.state["tickets" if kind == "ticket" else "changes"].append(form)
            if kind == "change":
                return Answer([f"Your ticket {form['number']} is now valid on {form['day']}."])
            return Answer(
                [f"Thank you! Ticket QX2208 is on its way to {form['mail']}.", "What else?"]
            )
        if re.search(r"\bstop\b", low):
            self.form, self.asked = {}, ""
            return Answer(["All right, nothing was sold."])
        changes = {"date": "day", "day": "day", "from": "origin", "to": "goal", "mail": "mail"}
        changes |= {"phone": "phone", "passenger": "people"}
        for word, name in changes.items():
            match = re.search(rf"\b{word}\w* (?:to |is )?(.+)", text, re.I)
            if match and name in self.form and not self.read(name, match[1]):
                return self.ask("Changed.")
        return Answer([f"Sorry? {self.question()}"])
