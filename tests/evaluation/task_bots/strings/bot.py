"""An instrument hire: a form with optional questions, buttons and a summary of several lines.

Invented for these tests. `bugs=True` leaves the insurance out of the total that it prints, and books
the collection a day later than the day that it has summed up.
"""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tests.evaluation.task_bots.answer import Answer

PRICES = {"violin": 9, "viola": 10, "cello": 16, "double bass": 24}
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
YES, NO = r"\b(yes|yeah|sure|please do|ok|okay|correct|right)\b", r"\b(no|nope|not|none|without)\b"


def read_date(text: str) -> date | None:
    """Read `4 June 2027`, `June 4, 2027`, `2027-06-04` and `04/06/2027` (day first)."""
    iso = re.search(r"\b(\d{4})-(\d\d?)-(\d\d?)\b", text)
    slashed = re.search(r"\b(\d\d?)[/.](\d\d?)[/.](\d{4})\b", text)
    names = "|".join(MONTHS)
    written = re.search(
        rf"\b(\d\d?)(?:st|nd|rd|th)?(?: of)? ({names})[a-z]*,?(?: (\d{{4}}))?", text, re.I
    )
    american = re.search(rf"\b({names})[a-z]* (\d\d?)(?:st|nd|rd|th)?,?(?: (\d{{4}}))?", text, re.I)
    try:
        if iso:
            return date(int(iso[1]), int(iso[2]), int(iso[3]))
        if slashed:
            return date(int(slashed[3]), int(slashed[2]), int(slashed[1]))
        if written:
            return date(
                int(written[3] or 2027), MONTHS.index(written[2].lower()) + 1, int(written[1])
            )
        if american:
            month = MONTHS.index(american[1].lower()) + 1
            return date(int(american[3] or 2027), month, int(american[2]))
    except ValueError:
        return None
    return None


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(
        default_factory=lambda: {"hires": [], "returns": [], "repairs": []}
    )
    greeting = (
        "Welcome to Oldcastle Strings! I arrange hires, returns and repairs of string instruments. "
        "How can I help?"
    )

    FORMS = {
        "hires": ["instrument", "weeks", "day", "name", "insurance", "teacher", "case"],
        "returns": ["contract", "day"],
        "repairs": ["instrument", "damage", "phone", "email"],
    }

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        low = text.lower().strip()
        if self.asked:
            return self.fill(text.strip(), low)
        fact = self.fact(low)
        if fact:
            return Answer([fact, "Anything else?"])
        kind = ""
        if re.search(r"\b(hire|rent|borrow)\b", low):
            kind = "hires"
        elif re.search(r"\b(return|bring\w* back|give back)\b", low):
            kind = "returns"
        elif re.search(r"\b(repair|broken|fix|mend|crack\w*|snapped)\b", low):
            kind = "repairs"
        if kind:
            self.form = {"kind": kind}
            self.take_all(text)
            return self.ask("Gladly.")
        if re.search(r"\b(bye|thanks?|no|nothing|that.?s all)\b", low):
            return Answer(["Thank you for calling on us. Keep playing!"], ended=True)
        return Answer(
            ["I'm afraid I did not catch that. I can arrange a hire, a return or a repair."]
        )

    @staticmethod
    def fact(low: str) -> str:
        if re.search(r"\b(open|opening|hours)\b", low):
            return "The shop is open Tuesday to Saturday, 10:00 to 17:30."
        if re.search(r"\b(how much|price|cost|costs)\b", low):
            item = next((name for name in PRICES if name in low), "")
            if item:
                return f"A {item} costs £{PRICES[item]:.2f} a week."
            return "Prices start at £9.00 a week for a violin."
        return ""

    def take_all(self, text: str) -> None:
        """Take what the first sentence already says."""
        low = text.lower()
        item = next((name for name in PRICES if re.search(rf"\b{name}\b", low)), None)
        if item and "instrument" in self.FORMS[self.form["kind"]]:
            self.form["instrument"] = item
        weeks = re.search(r"\b(\d+) weeks?\b", low)
        if weeks and self.form["kind"] == "hires":
            self.form["weeks"] = int(weeks[1])
        contract = re.search(r"\bOS-\d{3}\b", text, re.I)
        if contract and self.form["kind"] == "returns":
            self.form["contract"] = contract[0].upper()

    def question(self) -> Answer:
        """Return the open question with its buttons."""
        day = "collect it" if self.form["kind"] == "hires" else "bring it back"
        questions = {
            "instrument": Answer(
                ["Which instrument is it?"], [name.capitalize() for name in PRICES]
            ),
            "weeks": Answer(["For how many weeks? (1 to 52)"]),
            "day": Answer(
                [f"On which day would you like to {day}? We are closed on Sundays and Mondays."]
            ),
            "name": Answer(["Under what name shall I put it?"]),
            "insurance": Answer(["Would you like to insure it for £2.00 a week?"], ["Yes", "No"]),
            "teacher": Answer(["Who is your teacher? This one is optional, you can say 'skip'."]),
            "case": Answer(["Do you need a hard case? It is free of charge."], ["Yes", "No"]),
            "contract": Answer(["What is the number of your contract? It starts with OS-."]),
            "damage": Answer(["Please describe in a few words what is wrong with it."]),
            "phone": Answer(["What telephone number can our workshop reach you on?"]),
            "email": Answer(["And an e-mail address for the estimate? (or type skip)"]),
            "confirm": Answer(
                ["Shall I go ahead?"], ["Yes, go ahead", "Change something", "Cancel"]
            ),
            "change": Answer(["What would you like to change?"], self.FORMS[self.form["kind"]]),
        }
        return questions[self.asked]

    def ask(self, lead: str = "") -> Answer:
        wanted = self.FORMS[self.form["kind"]]
        self.asked = next((name for name in wanted if name not in self.form), "confirm")
        messages = [lead] if lead else []
        if self.asked == "confirm":
            messages.append(self.summary())
        question = self.question()
        return Answer([*messages, *question.messages], question.buttons)

    def summary(self) -> str:
        form = self.form
        if form["kind"] == "returns":
            return f"You return the instrument of contract {form['contract']} on {self.say(form['day'])}."
        if form["kind"] == "repairs":
            return f"Repair of a {form['instrument']}: {form['damage']}. We ring you on {form['phone']}."
        hire = PRICES[form["instrument"]] * form["weeks"]
        cover = 2 * form["weeks"] if form["insurance"] else 0
        form["total"] = hire if self.bugs else hire + cover
        lines = [
            "Here is your hire:",
            f"- {form['instrument']} for {form['weeks']} weeks: £{hire:.2f}",
            f"- insurance: £{cover:.2f}",
            f"- to be collected on {self.say(form['day'])} by {form['name']}",
            f"- hard case: {'yes' if form['case'] else 'no'}",
            f"Total: £{form['total']:.2f}",
        ]
        return "\n".join(lines)

    @staticmethod
    def say(day: str) -> str:
        value = date.fromisoformat(day)
        return f"{value:%A}, {value.day} {value:%B %Y}"

    def fill(self, text: str, low: str) -> Answer:
        if self.asked == "confirm":
            return self.confirm(low)
        if self.asked == "change":
            name = next((name for name in self.FORMS[self.form["kind"]] if name in low), "")
            if not name:
                return self.question()
            self.form.pop(name, None)
            return self.ask()
        if re.search(r"\b(cancel|never mind|forget it)\b", low):
            self.asked = ""
            return Answer(["All right, I have dropped it. Anything else?"])
        fact = self.fact(low)
        if fact and "?" in text:
            question = self.question()
            return Answer([fact, *question.messages], question.buttons)
        problem = self.read(self.asked, text, low)
        if problem:
            return Answer([problem], self.question().buttons)
        return self.ask()

    def read(self, name: str, text: str, low: str) -> str:
        """Store the value of a slot; returns the complaint if there is none in the text."""
        value: Any = None
        problem = ""
        if name == "instrument":
            value = next((item for item in PRICES if re.search(rf"\b{item}\b", low)), None)
            problem = "We have violins, violas, cellos and double basses. Which is it?"
        elif name == "weeks":
            match = re.search(r"\b\d+\b", low)
            value = int(match[0]) if match and 1 <= int(match[0]) <= 52 else None
            problem = "Please give me a number of weeks between 1 and 52."
        elif name == "day":
            day = read_date(text)
            problem = "I need a date for that, such as 9 June 2027."
            if day and day.weekday() in (0, 6):
                day, problem = None, "We are closed on that day. Which other day suits you?"
            value = day and day.isoformat()
        elif name in ("insurance", "case"):
            value = False if re.search(NO, low) else True if re.search(YES, low) else None
            problem = "Yes or no, please."
        elif name == "contract":
            match = re.search(r"\bOS-?\d{3}\b", text, re.I)
            value, problem = match and match[0].upper(), "A contract number looks like OS-123."
        elif name == "phone":
            match = re.search(r"\+?\d[\d ]{7,}\d", text)
            value, problem = match and match[0].replace(" ", ""), "That is no telephone number."
        elif name in ("teacher", "email"):
            value = "" if re.search(r"\b(skip|no|none)\b", low) else text
        else:
            value = re.sub(r"^(it'?s|my name is|i am|i'm)\s+", "", text, flags=re.I).strip(" .")
        if value is None:
            return problem
        self.form[name] = value
        return ""

    def confirm(self, low: str) -> Answer:
        if re.search(r"\bchange\b", low):
            self.asked = "change"
            return self.question()
        if re.search(YES, low) or "go ahead" in low:
            form, self.form, self.asked = self.form, {}, ""
            kind = form.pop("kind")
            if self.bugs and kind == "hires":
                form["day"] = (date.fromisoformat(form["day"]) + timedelta(days=1)).isoformat()
            self.state[kind].append(form)
            done = {
                "hires": lambda: f"It is booked. We expect you on {self.say(form['day'])}.",
                "returns": lambda: "Your return is noted.",
                "repairs": lambda: "The workshop knows, they will ring you within two days.",
            }[kind]()
            return Answer([done, "Can I do anything else for you?"])
        if re.search(r"\b(cancel|no)\b", low):
            self.form, self.asked = {}, ""
            return Answer(["Then I leave it. Anything else?"])
        return self.question()
