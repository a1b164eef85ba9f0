"""The questions that the bot asks, with their buttons."""

from enum import Enum, auto

from pizzeria_bot.menu import DRINKS, PIZZAS, TOPPINGS, listed
from pizzeria_bot.replies import Button, Message


class Question(Enum):
    """What the bot waits for."""

    PIZZA = auto()
    SIZE = auto()
    TOPPINGS = auto()
    DRINK = auto()
    MORE = auto()
    WHAT_ELSE = auto()
    FETCH = auto()
    CONTACT = auto()
    CONFIRM = auto()
    CHANGE = auto()
    INSTEAD = auto()
    ANYTHING_ELSE = auto()
    DAY = auto()
    HOUR = auto()
    PEOPLE = auto()
    PHONE = auto()
    BOOK = auto()


YES_OR_NO = frozenset(
    {
        Question.DRINK,
        Question.MORE,
        Question.CONFIRM,
        Question.CHANGE,
        Question.ANYTHING_ELSE,
        Question.BOOK,
    }
)
"""The questions that a plain yes or no answers."""


def _buttons(*choices: str) -> tuple[Button, ...]:
    return tuple(Button(choice.capitalize(), choice.casefold()) for choice in choices)


_YES_NO = (Button("Yes", "yes"), Button("No", "no"))
_ASKED = {
    Question.PIZZA: Message("Which pizza would you like?", _buttons(*PIZZAS)),
    Question.SIZE: Message("Which size would you like?", _buttons("small", "medium", "big")),
    Question.TOPPINGS: Message(f"Which toppings would you like? We have {listed(TOPPINGS)}."),
    Question.DRINK: Message(
        f"Would you like something to drink with it? We have {listed([*DRINKS])}."
    ),
    Question.MORE: Message("Anything else for this order?"),
    Question.WHAT_ELSE: Message("What else would you like?"),
    Question.FETCH: Message(
        "Will you pick it up, or shall we deliver it?", _buttons("pick up", "deliver")
    ),
    Question.CONTACT: Message("At which phone number or e-mail address can our driver reach you?"),
    Question.CHANGE: Message("What would you like to change?"),
    Question.INSTEAD: Message("What would you like instead?"),
    Question.ANYTHING_ELSE: Message("Is there anything else I can do for you?"),
    Question.DAY: Message("For which day would you like the table?"),
    Question.HOUR: Message("At what time will you come?"),
    Question.PEOPLE: Message("How many people will you be?"),
    Question.PHONE: Message("What is your phone number, in case something comes up?"),
}


def asked(question: Question) -> Message:
    """The question as it is put where it needs no details."""
    return _ASKED[question]


def yes_or_no(text: str) -> Message:
    """A question with the buttons Yes and No."""
    return Message(text, _YES_NO)
