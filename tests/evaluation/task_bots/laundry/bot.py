"""A dry cleaner that collects at home, in French: every choice is a button of the payload.

Invented for these tests. Each number in `bugs` is one of `BUGS`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from tests.evaluation.task_bots.answer import Answer

BUGS = {
    1: "a slot that is changed after the summary stays as it was",
    2: "the summary has one piece less than was asked for",
    3: "a valid address is asked for a second time and a third time",
    4: "an express order of coats breaks the bot, which forgets everything",
}
PIECES = {"Chemises": 3, "Costumes": 14, "Manteaux": 18}
DAYS = ["Lundi", "Mercredi", "Vendredi"]
SLOTS = ["Matin (8h-12h)", "Après-midi (14h-18h)"]
EXPRESS = 6
START = ["Demander un ramassage", "Voir les tarifs", "Quitter"]
STEPS = {
    "piece": "Que souhaitez-vous faire nettoyer ?",
    "count": "Combien de pièces avez-vous ? (de 1 à 20)",
    "day": "Quel jour pouvons-nous passer ?",
    "slot": "À quel moment de la journée ?",
    "express": f"Souhaitez-vous le service express en 24 heures (+ {EXPRESS},00 €) ?",
    "address": "Quelle est l'adresse du ramassage ?",
}
CHANGES = {"Les pièces": "count", "Le jour": "day", "Le créneau": "slot", "L'adresse": "address"}
CONFIRM = ["Valider", "Modifier", "Annuler"]


@dataclass
class Bot:
    bugs: Collection[int] = ()
    form: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: str = ""
    asks: int = 0
    kept: str | None = None
    state: dict[str, Any] = field(default_factory=lambda: {"collections": []})
    greeting = "Bonjour, ici le Pressing des Tilleuls. Que puis-je faire pour vous ?"
    buttons = START

    def answer(self, text: str) -> Answer:
        """Answer one message of the user."""
        text = text.strip()
        if self.asked:
            return self.fill(text)
        choice = self.pick(text, START)
        if choice is None and re.search(r"ramass|nettoy|pressing|chercher", text, re.I):
            choice = START[0]
        if choice is None and re.search(r"tarif|prix|co[uû]t|combien", text, re.I):
            choice = START[1]
        if choice == START[0]:
            self.form = {}
            return self.ask()
        if choice == START[1]:
            prices = "\n".join(
                f"- {name} : {price},00 € la pièce" for name, price in PIECES.items()
            )
            return Answer([f"Voici nos tarifs :\n{prices}"], START)
        if choice == START[2] or re.search(r"au revoir|merci|non", text, re.I):
            return Answer(["Merci et à bientôt !"], ended=True)
        return Answer(["Je n'ai pas compris. Choisissez un bouton, s'il vous plaît."], START)

    @staticmethod
    def pick(text: str, entries: list[str]) -> str | None:
        low = text.lower().strip(" .!")
        exact = [entry for entry in entries if entry.lower() == low]
        named = [entry for entry in entries if re.split(r" \(", entry.lower())[0] in low]
        return exact[0] if exact else named[0] if len(named) == 1 else None

    def entries(self) -> list[str]:
        return {
            "piece": list(PIECES),
            "day": DAYS,
            "slot": SLOTS,
            "express": ["Oui", "Non"],
            "confirm": CONFIRM,
            "change": list(CHANGES),
        }.get(self.asked, [])

    def ask(self) -> Answer:
        self.asked = next((step for step in STEPS if step not in self.form), "confirm")
        text = self.summary() if self.asked == "confirm" else STEPS[self.asked]
        return Answer([text], self.entries())

    def total(self) -> int:
        form = self.form
        return PIECES[form["piece"]] * self.count() + (EXPRESS if form["express"] else 0)

    def count(self) -> int:
        return self.form["count"] - (1 if 2 in self.bugs and self.form["count"] > 1 else 0)

    def summary(self) -> str:
        form = self.form
        express = "service express" if form["express"] else "service normal"
        return (
            f"Récapitulatif : {self.count()} {form['piece'].lower()}, {form['day'].lower()}, "
            f"{form['slot'].lower()}, {express}, au {form['address']}.\n"
            f"Montant total : {self.total()},00 €.\nVoulez-vous valider la demande ?"
        )

    def fill(self, text: str) -> Answer:
        entries = self.entries()
        value: Any = text
        if entries:
            value = self.pick(text, entries)
            if value is None:
                return Answer(["Choisissez une des propositions, s'il vous plaît."], entries)
        if self.asked == "confirm":
            return self.confirm(value)
        if self.asked == "change":
            step = CHANGES[value]
            self.kept = self.form["slot"] if step == "slot" and 1 in self.bugs else None
            del self.form[step]
            return self.ask()
        if self.asked == "count":
            number = re.search(r"\d+", text)
            if not number or not 1 <= int(number[0]) <= 20:
                return Answer(["Donnez-moi un nombre entre 1 et 20, s'il vous plaît."])
            value = int(number[0])
        elif self.asked == "address" and not re.search(r"\d", text):
            return Answer(["Il me faut le numéro et la rue. " + STEPS["address"]])
        elif self.asked == "address" and 3 in self.bugs and self.asks < 2:
            self.asks += 1
            return Answer([STEPS["address"]])
        elif self.asked == "express":
            value = value == "Oui"
            if value and self.form["piece"] == "Manteaux" and 4 in self.bugs:
                self.form, self.asked = {}, ""
                return Answer(["Une erreur interne est survenue (code 500)."])
        elif self.asked == "slot" and self.kept:
            value = self.kept
        self.form[self.asked] = value
        return self.ask()

    def confirm(self, choice: str) -> Answer:
        if choice == "Modifier":
            self.asked = "change"
            return Answer(["Que voulez-vous modifier ?"], self.entries())
        form, total, count = self.form, self.total(), self.count()
        self.form, self.asked = {}, ""
        if choice == "Annuler":
            return Answer(["La demande est annulée. Autre chose ?"], START)
        self.state["collections"].append({**form, "count": count, "total": total})
        return Answer(
            [
                (
                    f"C'est noté : nous passons {form['day'].lower()}. Référence "
                    f"PT{4100 + total}. Autre chose ?"
                )
            ],
            START,
        )
