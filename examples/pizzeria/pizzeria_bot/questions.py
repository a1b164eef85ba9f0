"""The questions that the bot asks, with their buttons."""

from enum import Enum, auto

from pizzeria_bot import definition
from pizzeria_bot.menu import DRINKS, PIZZAS, SIZES, TOPPINGS, listed
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
_TEXTS = definition.part("questions")
_LISTS = {"toppings": listed(TOPPINGS), "drinks": listed([*DRINKS])}
_BUTTONS = {
    Question.PIZZA: _buttons(*PIZZAS),
    Question.SIZE: _buttons(*SIZES),
    Question.FETCH: _buttons("pick up", "deliver"),
}


def asked(question: Question) -> Message:
    """The question as it is put where it needs no details."""
    text = _TEXTS[question.name.lower()].format(**_LISTS)
    return Message(text, _BUTTONS.get(question, ()))


def yes_or_no(question: Question, **known: object) -> Message:
    """A question with what is known in it, and with the buttons Yes and No."""
    return Message(_TEXTS[question.name.lower()].format(**known), _YES_NO)
