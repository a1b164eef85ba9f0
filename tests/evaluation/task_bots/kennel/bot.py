"""A boarding kennel: a form with buttons, optional questions, a summary and a confirmation.

Invented for these tests. `bugs=True` forgets the bath in the total.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.evaluation.task_bots.answer import Answer

BREEDS = {"small": 18, "medium": 22, "large": 27}
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
YES = re.compile(r"^\W*(yes|yep|yeah|sure|please do|correct|ok)\b", re.I)
NO = re.compile(r"^\W*(no|nope|none|not|nothing|skip|i do not|i don't)\b", re.I)


def read_day(text: str) -> date | None:
    """Return the day that a text names, in words or in day/month/year."""
    digits = re.search(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b", text)
    if digits:
        return date(int(digits[3]), int(digits[2]), int(digits[1]))
    words = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]+),?(?: (\d{4}))?", text, re.I)
    words_us = re.search(r"\b([a-z]{3,}) (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?", text, re.I)
    for match, day, month in ((words, 1, 2), (words_us, 2, 1)):
        if match and match[month].lower() in MONTHS:
            number = MONTHS.index(match[month].lower()) + 1
            return date(int(match[3] or 2027), number, int(match[day]))
    return None


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(
        default_factory=lambda: {"stays": [], "visits": [], "cancelled": []}
    )
    greeting = (
        "Woof! This is Thistle Kennels. I can arrange a stay for your dog, a visit to look "
        "around, or cancel a stay. What can I do for you?"
    )

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        if self.asked:
            return self.fill(text)
        low = text.lower()
        if "cancel" in low:
            self.form = {"kind": "cancel"}
            code = re.search(r"\bTK-?(\d{3})\b", text, re.I)
            if code:
                self.form["code"] = f"TK-{code[1]}"
        elif re.search(r"\b(visit|look around|see the)\b", low):
            self.form = {"kind": "visit"}
        elif re.search(r"\b(stay|board|book|look after|leave|place)\b", low):
            self.form = {"kind": "stay"}
        elif "vaccin" in low:
            return Answer(["Every dog needs a rabies vaccination that is less than 12 months old."])
        elif re.search(r"\b(price|cost|much)\b", low):
            return Answer(["A night costs £18 for small, £22 for medium and £27 for large dogs."])
        elif re.search(r"\b(bye|thanks|thank you|that'?s all|no)\b", low):
            return Answer(["Give your dog a pat from us. Goodbye!"], ended=True)
        else:
            return Answer(["Sorry, that is not something I can fetch. A stay, a visit, a cancel?"])
        return self.ask()

    def ask(self, lead: str = "") -> Answer:
        """Ask for the first thing that is missing, or read the form back."""
        forms: dict[str, dict[str, tuple[str, list[str]]]] = {
            "stay": {
                "dog": ("What is your dog called?", []),
                "size": ("Is your dog small, medium or large?", ["Small", "Medium", "Large"]),
                "arrive": ("On which day will you bring your dog?", []),
                "leave": ("And when will you fetch it again?", []),
                "vaccinated": (
                    "Has it been vaccinated against rabies in the last 12 months?",
                    ["Yes", "No"],
                ),
                "bath": ("Would you like us to give it a bath for £12?", ["Yes", "No"]),
                "diet": (
                    (
                        "Is there anything that we should know about its food? (optional, say "
                        "'skip' to go on)"
                    ),
                    [],
                ),
                "owner": ("What name may I put the stay under?", []),
                "phone": ("On which number can we reach you?", []),
            },
            "visit": {
                "owner": ("Who is coming? Please give me your name.", []),
                "arrive": ("Which day would suit you?", []),
            },
            "cancel": {"code": ("Which stay is it? The code begins with TK.", [])},
        }
        questions = forms[self.form["kind"]]
        self.asked = next((name for name in questions if name not in self.form), "confirm")
        if self.asked == "confirm":
            return Answer([line for line in (lead, self.summary()) if line], ["Yes", "No"])
        question, buttons = questions[self.asked]
        return Answer([f"{lead} {question}".strip()], buttons)

    def summary(self) -> str:
        """Return the form in words, with the question whether it is right."""
        form = self.form
        if form["kind"] == "cancel":
            return f"You want to cancel the stay {form['code']}. Shall I go ahead?"
        if form["kind"] == "visit":
            return f"A visit of {form['owner']} on {form['arrive']:%d/%m/%Y}. Is this ok?"
        nights = (form["leave"] - form["arrive"]).days
        form["total"] = nights * BREEDS[form["size"]] + 12 * (form["bath"] and not self.bugs)
        bath = "with a bath" if form["bath"] else "without a bath"
        return (
            f"So {form['dog']} ({form['size']}) stays from {form['arrive']:%d/%m/%Y} to "
            f"{form['leave']:%d/%m/%Y}, {nights} nights, {bath}, for £{form['total']}. "
            f"Name: {form['owner']}, phone: {form['phone']}. Is all of that right?"
        )

    def fill(self, text: str) -> Answer:
        """Take the answer to the open question."""
        low = text.lower()
        if re.search(r"\b(price|cost|how much)\b", low):
            return self.ask("A night costs £18, £22 or £27, by the size of the dog.")
        if "vaccin" in low and self.asked != "vaccinated":
            return self.ask("Every dog needs a rabies vaccination.")
        if self.asked == "confirm":
            return self.confirm(text)
        value: Any = None
        if self.asked in ("arrive", "leave"):
            value = read_day(text)
            if value is None:
                return self.ask("I need a day, such as 5 April 2027.")
            if self.asked == "leave" and value <= self.form["arrive"]:
                return self.ask("That is not after the first day.")
        elif self.asked in ("vaccinated", "bath"):
            value = True if YES.search(text) else False if NO.search(text) else None
            if value is None:
                return self.ask("A yes or a no will do.")
            if self.asked == "vaccinated" and not value:
                self.asked, self.form = "", {}
                return Answer(["I'm afraid we may not take dogs without that vaccination."])
        elif self.asked == "size":
            value = next((size for size in BREEDS if size in low), None)
        elif self.asked == "diet":
            value = "" if NO.search(text) else text
        elif self.asked == "phone":
            digits = re.sub(r"\D", "", text)
            value = digits if 9 <= len(digits) <= 13 else None
        elif self.asked == "code":
            code = re.search(r"\bTK-?(\d{3})\b", text, re.I)
            value = f"TK-{code[1]}" if code else None
        else:
            value = re.sub(
                r"(?i)^\W*(it'?s|it is|she is|he is|my name is|called|i am|i'm)\s+", "", text
            )
            value = value.strip(" .!")
        if value is None:
            return self.ask("Sorry, I did not get that.")
        self.form[self.asked] = value
        return self.ask("Thank you." if self.asked in ("dog", "owner") else "")

    def confirm(self, text: str) -> Answer:
        """Store the form, or ask what is wrong with it."""
        fields = {"name": "owner", "phone": "phone", "dog": "dog", "size": "size", "bath": "bath"}
        fields |= {"arriv": "arrive", "first": "arrive", "fetch": "leave", "last": "leave"}
        if YES.search(text):
            form, self.form, self.asked = self.form, {}, ""
            kind = form.pop("kind")
            stored = {
                key: f"{value:%Y-%m-%d}" if isinstance(value, date) else value
                for key, value in form.items()
            }
            if kind == "cancel":
                self.state["cancelled"].append({"code": form["code"]})
                return Answer([f"Done, {form['code']} is cancelled. There is no charge."])
            if kind == "visit":
                self.state["visits"].append(stored)
                return Answer(["Lovely, see you then! Ring the bell at the green gate."])
            stored["code"] = "TK-731"
            self.state["stays"].append(stored)
            return Answer(["All arranged! Your code is TK-731. Anything else?"])
        for word, name in fields.items():
            if word in text.lower() and name in self.form:
                del self.form[name]
                return self.ask("Let us put that right.")
        if NO.search(text):
            return Answer(["What is wrong: the dog's name, the size, the days, the bath or you?"])
        return Answer(["Please say yes or no: is all of that right?"], ["Yes", "No"])
