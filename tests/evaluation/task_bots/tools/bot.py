"""A hire of garden tools, in German: a state machine that asks one thing after the other in free text.

Invented for these tests. Each number in `bugs` is one of `BUGS`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tests.evaluation.task_bots.answer import Answer

BUGS = {
    1: "the total forgets the trailer",
    2: "the confirmation names the day after the one that was agreed on",
    3: "more days than the limit of 14 are accepted",
    4: "the summary counts another price a day for the chipper than the list names",
}
DEVICES = {"Rüttelplatte": 45, "Häcksler": 60, "Hochdruckreiniger": 28}
TRAILER = 15
TODAY = date(2027, 3, 1)
STEPS = {
    "device": "Welches Gerät möchten Sie mieten?",
    "day": "Ab welchem Tag brauchen Sie es? (TT.MM.JJJJ)",
    "days": "Wie viele Tage möchten Sie es behalten? (1 bis 14)",
    "trailer": f"Brauchen Sie einen Anhänger dazu? Er kostet {TRAILER},00 €.",
    "name": "Auf welchen Namen darf ich das eintragen?",
}
FIELDS = {
    "gerät": "device",
    "tage": "days",
    "dauer": "days",
    "tag": "day",
    "datum": "day",
    "anhänger": "trailer",
    "name": "name",
}


def euro(amount: int) -> str:
    return f"{amount},00 €"


@dataclass
class Bot:
    bugs: Collection[int] = ()
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    state: dict[str, Any] = field(default_factory=lambda: {"hires": []})
    greeting = (
        "Willkommen beim Gerätehof Ahlbeck! Sie können hier Geräte mieten oder nach Preisen und "
        "Öffnungszeiten fragen."
    )

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        text = text.strip()
        if re.search(r"\b(preis\w*|kost\w*|teuer)\b", text, re.I) and self.asked != "name":
            prices = "\n".join(
                f"- {name}: {euro(price)} pro Tag" for name, price in DEVICES.items()
            )
            extra = f"\n{self.question()}" if self.asked else ""
            return Answer(
                [f"Unsere Preise:\n{prices}\n- Anhänger: {euro(TRAILER)} einmalig{extra}"]
            )
        if re.search(r"geöffnet|öffnungszeit|wann.*auf", text, re.I):
            extra = f" {self.question()}" if self.asked else ""
            return Answer([f"Wir haben Montag bis Samstag von 7:30 bis 17:00 geöffnet.{extra}"])
        if self.asked:
            return self.fill(text)
        if re.search(r"miet|leih|brauch|hätte|möchte|buch|reservier", text, re.I):
            self.form = {}
            device = self.device(text)
            if device:
                self.form["device"] = device
            return self.ask()
        if re.search(r"tschüs|wiedersehen|danke|nein", text, re.I):
            return Answer(["Auf Wiedersehen und gutes Gelingen!"], ended=True)
        return Answer(["Das habe ich leider nicht verstanden. Möchten Sie ein Gerät mieten?"])

    @staticmethod
    def device(text: str) -> str | None:
        return next((name for name in DEVICES if name.lower() in text.lower()), None)

    def question(self) -> str:
        return self.summary() if self.asked == "confirm" else STEPS.get(self.asked, "")

    def ask(self) -> Answer:
        self.asked = next((step for step in STEPS if step not in self.form), "confirm")
        listed = f" Wir haben {', '.join(DEVICES)}." if self.asked == "device" else ""
        return Answer([self.question() + listed])

    def total(self) -> int:
        extra = TRAILER if self.form["trailer"] and 1 not in self.bugs else 0
        return self.price() * self.form["days"] + extra

    def price(self) -> int:
        device = self.form["device"]
        return DEVICES[device] + (5 if device == "Häcksler" and 4 in self.bugs else 0)

    def summary(self) -> str:
        form = self.form
        trailer = "mit Anhänger" if form["trailer"] else "ohne Anhänger"
        return (
            f"Ich fasse zusammen: {form['device']} ab {form['day']:%d.%m.%Y} für {form['days']} Tage "
            f"zu {euro(self.price())} pro Tag, {trailer}, auf den Namen {form['name']}. Gesamt: "
            f"{euro(self.total())}. Stimmt das so?"
        )

    def fill(self, text: str) -> Answer:
        if re.fullmatch(r"(abbrechen|stopp|abbruch)\W*", text, re.I):
            self.form, self.asked = {}, ""
            return Answer(
                ["In Ordnung, es wurde nichts reserviert. Kann ich sonst etwas für Sie tun?"]
            )
        if self.asked == "confirm":
            return self.confirm(text)
        if self.asked == "change":
            step = next((FIELDS[word] for word in FIELDS if word in text.lower()), None)
            if step is None:
                return Answer(["Was soll ich ändern: Gerät, Datum, Dauer, Anhänger oder Name?"])
            del self.form[step]
            return self.ask()
        value, complaint = self.read(text)
        if complaint:
            return Answer([f"{complaint} {self.question()}"])
        self.form[self.asked] = value
        return self.ask()

    def read(self, text: str) -> tuple[Any, str]:
        """Return the value of the open step, or a complaint."""
        if self.asked == "device":
            device = self.device(text)
            return device, "" if device else f"Wir haben nur {', '.join(DEVICES)}."
        if self.asked == "day":
            return self.read_day(text)
        if self.asked == "days":
            number = re.search(r"\d+", text)
            if not number or int(number[0]) < 1:
                return None, "Ich brauche eine Zahl."
            if int(number[0]) > 14 and 3 not in self.bugs:
                return None, "Länger als 14 Tage verleihen wir leider nicht."
            return int(number[0]), ""
        if self.asked == "trailer":
            if re.match(r"\W*(ja|gern|bitte|mit)", text, re.I):
                return True, ""
            if re.match(r"\W*(nein|nicht|ohne|kein)", text, re.I):
                return False, ""
            return None, "Bitte antworten Sie mit Ja oder Nein."
        return re.sub(r"(?i)^\W*(ich hei(ß|ss)e|mein name ist|auf|ich bin)\s+", "", text).strip(
            " ."
        ), ""

    @staticmethod
    def read_day(text: str) -> tuple[date | None, str]:
        written = re.search(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text)
        if not written:
            return None, "Bitte schreiben Sie das Datum so: 24.05.2027."
        day = date(int(written[3]), int(written[2]), int(written[1]))
        if day <= TODAY:
            return None, "Dieser Tag ist schon vorbei."
        return day, ""

    def confirm(self, text: str) -> Answer:
        if re.match(r"\W*(nein|nicht|falsch|ändern)", text, re.I):
            self.asked = "change"
            return Answer(["Was soll ich ändern: Gerät, Datum, Dauer, Anhänger oder Name?"])
        if not re.match(r"\W*(ja|stimmt|genau|richtig|passt|korrekt|das stimmt)", text, re.I):
            return Answer([f"Bitte antworten Sie mit Ja oder Nein. {self.summary()}"])
        form, total = self.form, self.total()
        self.state["hires"].append({**form, "day": form["day"].isoformat(), "total": total})
        day = form["day"] + timedelta(days=1 if 2 in self.bugs else 0)
        self.form, self.asked = {}, ""
        return Answer(
            [
                (
                    f"Vielen Dank, {form['name']}! {form['device']} ist ab {day:%d.%m.%Y} für Sie "
                    f"reserviert. Ihre Nummer ist GA-{7000 + form['days'] * 13}. Kann ich sonst noch etwas "
                    "für Sie tun?"
                )
            ]
        )
