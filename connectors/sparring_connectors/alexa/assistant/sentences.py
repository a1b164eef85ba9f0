"""What Alexa says and does herself, outside of skills."""

import re
from datetime import datetime

from sparring_connectors.alexa.shapes import listed
from sparring_connectors.alexa.slots.words import Heard

TROUBLE = "There was a problem with the requested skill's response."
NOT_UNDERSTOOD = "Sorry, I'm not sure about that."
UNKNOWN_SKILL = "Sorry, I couldn't find a skill called {name}."
OFFER = "Did you mean {name}?"
OPENING = "Here's {name}."
_EXIT = frozenset({("exit",), ("quit",), ("exit", "skill"), ("quit", "skill"), ("leave", "skill")})
_TIME = re.compile(r"^(?:what is the time|what time is it|tell me the time|do you have the time)"
                   r"(?: now| right now)?$")  # fmt: skip
_DATE = re.compile(r"^(?:what is the date|what day is it|what is today is date)(?: today)?$")
#: What Alexa answers herself to words for which no skill is open.
_SMALL = {
    "pause": "Nothing is playing right now.",
    "resume": "Sorry, there is nothing for me to resume.",
    "continue": "Sorry, there is nothing for me to resume.",
    "restart": "Starting over.",
    "start over": "Starting over.",
    "help": "You can ask me to open a skill by its name.",
    "hello": "Hello.",
    "hi": "Hi.",
    "thank you": "You're welcome.",
    "goodbye": "Goodbye.",
    "bye": "Goodbye.",
}
_SILENT = frozenset({"stop", "cancel", "exit", "quit", "never mind", "no", "shut up"})
_UNDECLARED = {
    "AMAZON.PauseIntent": "Nothing is playing right now.",
    "AMAZON.ResumeIntent": "Sorry, there is nothing for me to resume.",
    "AMAZON.StartOverIntent": "Starting over.",
}
#: Names that Alexa keeps for herself: a skill of that name is not opened by it.
RESERVED = frozenset(
    listed(
        "alarm alarms timer timers reminder reminders weather news music radio calendar "
        "settings time date volume messages shopping list lists"
    )
) | {"shopping list", "to do list", "flash briefing", "my timers", "my alarms"}


def leaves(words: Heard) -> bool:
    """Whether a user leaves a skill by the platform's own word."""
    return words.words in _EXIT


def asks_time(words: Heard) -> bool:
    """Whether a user asks for time or date, which Alexa knows herself."""
    said = " ".join(words.words)
    return bool(_TIME.match(said) or _DATE.match(said))


def own_answer(words: Heard, now: datetime) -> str:
    """What Alexa answers while no skill is open; empty where she stays silent."""
    said = words.said()
    plain = " ".join(words.words)
    if _TIME.match(plain):
        return f"It's {now:%I:%M %p}.".replace("'s 0", "'s ")
    if _DATE.match(plain):
        return f"It's {now:%A, %B} {now.day}."
    if said in _SILENT or not said:
        return ""
    return _SMALL.get(said, NOT_UNDERSTOOD)


def undeclared(intent: str | None) -> str | None:
    """What Alexa says to a standard phrase that the open skill does not declare."""
    return _UNDECLARED.get(intent or "")
