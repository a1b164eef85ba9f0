"""Whole dialogues with bots of several domains, as their users would hold them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Trace

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]
Field = tuple[str, str, Callable[[str], bool]]

SORRY = "Sorry, I did not understand."


class FormBot:
    """Asks one thing after the other, refuses what is not valid, and confirms at the end."""

    def __init__(
        self, trigger: str, fields: list[Field], summary: str, done: str, sorry: str = SORRY
    ) -> None:
        self.trigger, self.fields, self.summary, self.done = trigger, fields, summary, done
        self.sorry = sorry
        self.values: dict[str, str] = {}
        self.place = -1
        self.finished = False

    def __call__(self, text: str) -> str:
        low = text.lower()
        if self.finished or (self.place < 0 and self.trigger not in low):
            return self.sorry
        if 0 <= self.place < len(self.fields):
            name, question, valid = self.fields[self.place]
            if not valid(low):
                return f"That is not valid. {question}"
            self.values[name] = text
        elif self.place == len(self.fields):
            self.finished = low.startswith(("yes", "sí"))
            if self.finished:
                return self.done
            self.place = -1
        self.place += 1
        if self.place < len(self.fields):
            return self.fields[self.place][1]
        return self.summary.format(**self.values)


def has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def anything(text: str) -> bool:
    return True


def choose(name: str, *values: Any) -> dict[str, Any]:
    kind = "int" if isinstance(values[0], int) else "string"
    return {name: {"function": "random()", "type": kind, "data": list(values)}}


def test_a_dentists_form(profile_of: WriteProfile, converse: Converse, tools: Any) -> None:
    bot = FormBot(
        "appointment",
        [
            ("what", "Which treatment? We offer cleaning, whitening and check-ups.", anything),
            ("day", "On which day would you like to come?", anything),
            ("hour", "What time suits you?", has_digit),
            ("name", "May I have your full name?", lambda text: len(text.split()) == 2),
            ("mail", "And your e-mail address?", lambda text: "@" in text),
            (
                "insured",
                "Do you have a dental insurance?",
                lambda text: text.startswith(("yes", "no")),
            ),
        ],
        "- Treatment: {what}\n- Day: {day}\n- Time: {hour}\n- Name: {name}\nIs this correct?",
        "Your appointment is confirmed. Your booking code is DN-3381.",
    )
    goals = [
        "an appointment for a {{treatment}} on {{day}} at {{time}}",
        choose("treatment", "whitening", "cleaning"),
        choose("day", "Thursday", "Monday"),
        choose("time", "16:30", "9:00"),
    ]
    profile = profile_of(goals, {"code": ("str", "booking code")}, fallback=SORRY)
    params = {"treatment": "whitening", "day": "Thursday", "time": "16:30"}
    trace = converse(bot, profile, params)
    assert bot.finished
    assert {key: bot.values[key] for key in ("what", "day", "hour")} == {
        "what": "whitening", "day": "Thursday", "hour": "16:30",
    }  # fmt: skip
    assert tools.outputs(trace) == {"code": "DN-3381"}


def test_a_flight_from_here_to_there(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    bot = FormBot(
        "flight",
        [
            ("origin", "Where are you flying from?", anything),
            ("target", "Where do you want to travel to?", anything),
            ("day", "When do you want to depart?", has_digit),
            ("count", "How many passengers?", has_digit),
            ("cabin", "Which class: economy, business or first?", lambda text: "economy" in text or "business" in text or "first" in text),
        ],
        "{count} from {origin} to {target} on {day}. It is 240 EUR. Would you like to book this flight?",
        "Done! Your ticket number is 7721-990.",
    )  # fmt: skip
    goals = [
        "a flight from {{origin}} to {{destination}} on {{departure_date}} for {{passengers}} people",
        choose("origin", "Madrid", "Rome"),
        choose("destination", "Paris", "Oslo"),
        choose("departure_date", "12 May 2025"),
        choose("passengers", 2, 3),
    ]
    outputs = {"fare": ("money", "price of the flight"), "ticket": ("str", "the ticket number")}
    params = {
        "origin": "Madrid",
        "destination": "Oslo",
        "departure_date": "12 May 2025",
        "passengers": 2,
    }
    trace = converse(bot, profile_of(goals, outputs, fallback=SORRY), params)
    assert bot.values["origin"] == "Madrid"
    assert bot.values["target"] == "Oslo"
    assert bot.values["count"] == "2"
    assert tools.outputs(trace) == {"fare": "240 EUR", "ticket": "7721-990"}


def test_an_appointment_in_spanish(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    sorry = "Disculpa, no te he entendido."
    bot = FormBot(
        "cita",
        [
            ("who", "¿Con qué especialista quieres la cita?", anything),
            ("day", "¿Qué día te viene bien?", anything),
            ("hour", "¿A qué hora?", has_digit),
            ("name", "¿A nombre de quién pongo la cita?", anything),
            ("phone", "Indica un teléfono de contacto, por favor.", has_digit),
        ],
        "Cita con {who} el {day} a las {hour} a nombre de {name}. ¿Es correcto?",
        "Tu cita ha sido confirmada. Número de cita: C-552.",
        sorry,
    )
    goals = [
        "pedir una cita con el {{especialista}} el {{dia}} a las {{hora}}",
        choose("especialista", "dermatólogo", "oculista"),
        choose("dia", "lunes", "martes"),
        choose("hora", "10:00", "17:30"),
    ]
    profile = profile_of(
        goals, {"numero": ("string", "número de la cita")}, language="Spanish", fallback=sorry
    )
    params = {"especialista": "dermatólogo", "dia": "lunes", "hora": "17:30"}
    trace = converse(bot, profile, params)
    assert (bot.values["who"], bot.values["day"], bot.values["hour"]) == (
        "dermatólogo", "lunes", "17:30",
    )  # fmt: skip
    assert tools.outputs(trace) == {"numero": "C-552"}
    assert tools.said(trace)[0].startswith(("Quiero", "Me gustaría"))


@pytest.mark.parametrize("card", ["debit", "credit"])
def test_a_menu_of_numbers(
    card: str, profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    menu = (
        "Please reply with the number of the option you want:\n"
        "1. Account balance\n2. Report a lost card\n3. Opening hours\n4. Speak to an agent"
    )
    state = {"at": "menu"}

    def bot(text: str) -> str:
        low = text.strip().lower()
        if state["at"] == "menu" and low == "2":
            state["at"] = "card"
            return "Is it a debit or a credit card?"
        if state["at"] == "card" and ("debit" in low or "credit" in low):
            state.update(at="digits", card=low)
            return "Please enter the last four digits of your card number."
        if state["at"] == "digits" and sum(char.isdigit() for char in low) >= 4:
            state["at"] = "sure"
            return f"Shall I block the {state['card']} card ending in {low[-4:]}? (yes/no)"
        if state["at"] == "sure" and low.startswith("yes"):
            state["at"] = "done"
            return "Your card has been blocked. Your case number is 88123. Anything else?"
        return f"{SORRY} {menu}"

    goals = ["report a lost {{card}} card", choose("card", "debit", "credit")]
    profile = profile_of(goals, {"case": ("str", "case number")}, fallback=SORRY)
    trace = converse(bot, profile, {"card": card})
    assert state["card"] == card
    assert tools.outputs(trace) == {"case": "88123"}


def test_several_particulars_in_one_question(
    profile_of: WriteProfile, converse: Converse, tools: Any
) -> None:
    heard: list[str] = []
    answers = iter(
        [
            "Gladly! What is your arrival date, and how many guests will be staying?",
            "Single, double or suite?",
            "Can I have your name and a phone number for the reservation?",
            "Please type YES to confirm your reservation.",
            "Your reservation is confirmed! Reference HX99213. Anything else?",
            "See you soon!",
        ]
    )

    def bot(text: str) -> str:
        heard.append(text)
        return next(answers)

    goals = [
        "reserve a {{room}} room from {{arrival}} for {{guests}} guests",
        choose("room", "double", "single"),
        choose("arrival", "3 June 2025"),
        choose("guests", 2),
    ]
    profile = profile_of(
        goals, {"ref": ("str", "reservation reference")}, context=["Your name is Ana Ruiz"]
    )
    trace = converse(bot, profile, {"room": "double", "arrival": "3 June 2025", "guests": 2})
    assert "3 June 2025" in heard[1]
    assert "2" in heard[1]
    assert heard[2] == "double"
    assert heard[3].startswith("Ana Ruiz, 202-555-01")
    assert heard[4].startswith("Yes")
    assert tools.outputs(trace) == {"ref": "HX99213"}


def test_a_goal_that_only_the_fallback_answered_is_not_met(
    profile_of: WriteProfile, converse: Converse
) -> None:
    sorry = "Sorry, I only know about hiring kayaks."
    goals = ["a {{kind}} boat for two hours", choose("kind", "fast")]
    trace = converse(lambda _: sorry, profile_of(goals, {}, fallback=sorry), {"kind": ["fast"]})
    assert trace.meta["goals_unmet"] == ["a fast boat for two hours"]
