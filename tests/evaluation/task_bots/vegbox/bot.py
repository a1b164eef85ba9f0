"""A vegetable box: intents in free text, with an assistant that explains at length.

Invented for these tests. `bugs=True` leaves the second extra out of the order that it repeats and
stores, and names another weekday for the delivery at the end than the one that was chosen.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from tests.evaluation.task_bots.answer import Answer

SIZES = {"small": 15.5, "medium": 21.0, "large": 27.5}
EXTRAS = {"eggs": 3.2, "honey": 6.4, "bread": 4.1, "apple juice": 2.9}
DAYS = ["tuesday", "thursday", "friday"]
HELP = (
    "A little about us: twelve farms around Tarn Valley fill the boxes. A box comes in three sizes, "
    "small for one or two, medium for a family and large for people who cook a lot. You can stop "
    "whenever you like. We deliver on Tuesday, Thursday and Friday before noon. You can start a box, "
    "pause it for a while, move it to another address, or tell me that something went wrong."
)
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


@dataclass
class Bot:
    bugs: bool = False
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(
        default_factory=lambda: {"boxes": [], "pauses": [], "moves": [], "complaints": []}
    )
    greeting = "Hi, this is Fern from Tarn Valley Boxes. What would you like to do today?"

    NEEDS = {
        "boxes": ["size", "extras", "day", "address", "email"],
        "pauses": ["customer", "weeks"],
        "moves": ["customer", "address"],
        "complaints": ["customer", "problem", "refund"],
    }

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        low = text.lower().strip()
        if re.search(r"\b(help|how does (it|this) work|tell me about|what can you do)\b", low):
            return Answer([HELP, *self.reminder()])
        if re.search(r"\b(organic|certified)\b", low):
            return Answer(
                ["Everything is certified organic, except for the honey.", *self.reminder()]
            )
        if re.search(r"\b(deposit)\b", low):
            return Answer(
                ["The crate has a deposit of 8.00 EUR, you get it back.", *self.reminder()]
            )
        if self.asked:
            return self.fill(text.strip(), low)
        kind = self.intent(low)
        if not kind:
            if re.search(r"\b(bye|thanks?|thank you|no|nothing)\b", low):
                return Answer(["Have a tasty week!"], ended=True)
            return Answer(["Hm, I am not sure what you mean. Ask me for help if you are lost."])
        self.form = {"kind": kind}
        self.take(text, low)
        return self.ask()

    @staticmethod
    def intent(low: str) -> str:
        patterns = {
            "pauses": r"\b(pause|holiday|skip|suspend)\b",
            "moves": r"\b(move|moved|moving|new address|another address|different address)\b",
            "complaints": r"\b(wrong|rotten|complain|complaint|missing|mouldy|broken|bad)\b",
            "boxes": r"\b(box|order|subscribe|start|vegetables|sign up)\b",
        }
        return next((kind for kind, words in patterns.items() if re.search(words, low)), "")

    def take(self, text: str, low: str) -> None:
        """Take what the sentence says beside the intent."""
        needs = self.NEEDS[self.form["kind"]]
        size = next((size for size in SIZES if re.search(rf"\b{size}\b", low)), None)
        if size and "size" in needs:
            self.form["size"] = size
        extras = [name for name in EXTRAS if name in low]
        if extras and "extras" in needs:
            self.form["extras"] = extras
        day = next((day for day in DAYS if day in low), None)
        if day and "day" in needs:
            self.form["day"] = day
        customer = re.search(r"\bTV\s?-?(\d{4})\b", text, re.I)
        if customer and "customer" in needs:
            self.form["customer"] = f"TV{customer[1]}"
        weeks = re.search(r"\b(\d+|one|two|three|four|five|six) weeks?\b", low)
        if weeks and "weeks" in needs:
            self.form["weeks"] = NUMBERS.get(weeks[1]) or int(weeks[1])

    def question(self) -> str:
        return {
            "size": "Which size shall it be: small, medium or large?",
            "extras": "Would you like extras with it? There are eggs, honey, bread and apple juice; "
            "name all that you want, or say none.",
            "day": "We come on Tuesdays, Thursdays and Fridays. What suits you best?",
            "address": "What is the new address?"
            if self.form["kind"] == "moves"
            else "Where do we bring it? Street, number and town please.",
            "email": "Which e-mail address can I send the bill to?",
            "customer": "May I have your customer number? It is on each bill and begins with TV.",
            "weeks": "For how many weeks, up to six?",
            "problem": "Oh no! What exactly happened?",
            "refund": "Would you rather have your money back or a free box?",
            "confirm": "Is that right?",
        }[self.asked]

    def reminder(self) -> list[str]:
        return [f"But back to my question. {self.question()}"] if self.asked else []

    def ask(self, lead: str = "") -> Answer:
        needs = self.NEEDS[self.form["kind"]]
        self.asked = next((name for name in needs if name not in self.form), "confirm")
        if self.asked == "confirm":
            lead = f"{lead} {self.summary()}".strip()
        return Answer([f"{lead} {self.question()}".strip()])

    def summary(self) -> str:
        form = self.form
        if form["kind"] == "boxes":
            if self.bugs:
                form["extras"] = form["extras"][:1]
            form["price"] = SIZES[form["size"]] + sum(EXTRAS[name] for name in form["extras"])
            extras = " and ".join(form["extras"]) or "no extras"
            return (
                f"So that is a {form['size']} box with {extras}, every {form['day'].title()}, "
                f"to {form['address']}, for {form['price']:.2f} EUR a week."
            )
        if form["kind"] == "pauses":
            return f"I pause the box of {form['customer']} for {form['weeks']} weeks."
        if form["kind"] == "moves":
            return f"From now on the box of {form['customer']} goes to {form['address']}."
        return f"I write down for {form['customer']}: {form['problem']}, and you want {form['refund']}."

    def fill(self, text: str, low: str) -> Answer:
        if self.asked == "confirm":
            return self.confirm(text, low)
        name, value = self.asked, None
        problem = "Sorry, I need that to go on."
        if name == "extras" and re.search(r"\b(none|no|nothing|without)\b", low):
            value = []
        elif name in ("size", "extras", "day", "customer", "weeks"):
            self.form.pop(name, None)
            self.take(text, low)
            value = self.form.get(name)
            bare = re.search(r"\b([1-6])\b", low) or re.search(rf"\b({'|'.join(NUMBERS)})\b", low)
            if name == "weeks" and value is None and bare:
                value = NUMBERS.get(bare[1]) or int(bare[1])
        elif name == "email":
            match = re.search(r"[\w.+-]+@[\w-]+\.[\w.]*\w", text)
            value, problem = match and match[0], "There must be an @ in it, I think."
        elif name == "refund":
            value = (
                "a free box"
                if "box" in low
                else "your money back"
                if re.search("money|refund", low)
                else None
            )
        else:
            value = text.rstrip(".")
        if name == "address" and not re.search(r"\d", text):
            value, problem = None, "I miss the house number. Could you give me the whole address?"
        if value is None:
            return Answer([f"{problem} {self.question()}"])
        self.form[name] = value
        return self.ask()

    def confirm(self, text: str, low: str) -> Answer:
        before = dict(self.form)
        if (
            not re.search(r"\b(yes|yep|right|correct|perfect|fine|sure|exactly)\b", low)
            or "not" in low
        ):
            self.take(text, low)
            if self.form != before:
                return self.ask("Changed.")
            if re.search(r"\b(no|not|wrong|cancel|stop)\b", low):
                self.form, self.asked = {}, ""
                return Answer(["Then I leave everything as it is. What else can I do?"])
            return Answer([f"I take a yes or a no. {self.question()}"])
        form, self.form, self.asked = self.form, {}, ""
        kind = form.pop("kind")
        self.state[kind].append(form)
        if kind == "boxes":
            day = form["day"]
            if self.bugs:
                day = DAYS[(DAYS.index(day) + 1) % len(DAYS)]
            return Answer(
                [f"Wonderful! Your first box comes next {day.title()}. Is there more I can do?"]
            )
        done = {
            "pauses": "Done, enjoy the break.",
            "moves": "I have changed the address.",
            "complaints": "I am sorry for the trouble. It is settled.",
        }[kind]
        return Answer([f"{done} Is there more I can do?"])
