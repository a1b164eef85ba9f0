"""The words that the bot knows, in English and, for the menu, in Spanish.

Every phrase is written as `understanding` sees it: lower case, no accents, words apart.
"""

import re
from enum import StrEnum

from pizzeria_bot.menu import CUSTOM, DRINKS, PIZZAS, SIZES, TOPPINGS


class Kind(StrEnum):
    """What a phrase of the menu stands for."""

    PIZZA = "pizza"
    SIZE = "size"
    TOPPING = "topping"
    DRINK = "drink"


class Topic(StrEnum):
    """What a customer can ask about."""

    HOLIDAYS = "holidays"
    HOURS = "hours"
    TIME = "time"
    DELIVERY = "delivery"
    PRICES = "prices"
    PIZZAS = "pizzas"
    TOPPINGS = "toppings"
    DRINKS = "drinks"
    ADDRESS = "address"
    PAYMENT = "payment"
    VEGAN = "vegan"


_MENU: dict[Kind, dict[str, str]] = {
    Kind.PIZZA: {
        "Margarita": "margarita, margaritas, margherita, margheritas",
        "Carbonara": "carbonara, carbonaras",
        "Marinera": "marinera, marineras, marinara",
        "Hawaiian": "hawaiian, hawaiians, hawaii, hawaiana, hawaianas",
        "Four cheese": "four cheese, four cheeses, 4 cheese, 4 cheeses, quattro formaggi, "
        "cuatro quesos",
        "Vegetarian": "vegetarian, vegetarians, veggie, vegetariana, vegetarianas",
        CUSTOM: "custom, custom made, my own, personalizada, a mi gusto",
    },
    Kind.SIZE: {
        "small": "small, little, pequena, pequeno",
        "medium": "medium, regular, mediana, mediano",
        "big": "big, large, grande, grandes",
    },
    Kind.TOPPING: {
        "cheese": "cheese, extra cheese, mozzarella, queso",
        "mushrooms": "mushrooms, mushroom, champinones, setas",
        "pepper": "pepper, peppers, pimiento, pimientos",
        "ham": "ham, jamon",
        "bacon": "bacon, beicon",
        "pepperoni": "pepperoni",
        "olives": "olives, olive, aceitunas",
        "corn": "corn, sweetcorn, maiz",
        "chicken": "chicken, pollo",
        "onion": "onion, onions, cebolla",
        "tuna": "tuna, atun",
        "pineapple": "pineapple, pina",
    },
    Kind.DRINK: {
        "Sprite": "sprite, sprites",
        "Coke": "coke, cokes, coca cola, coca colas, cocacola, cola, colas",
        "Orange Fanta": "orange fanta, orange fantas, fanta, fantas, fanta orange, "
        "fanta de naranja",
        "Water": "water, waters, agua, aguas",
    },
}

_SOLD = {Kind.PIZZA: PIZZAS, Kind.SIZE: SIZES, Kind.TOPPING: TOPPINGS, Kind.DRINK: DRINKS}

PHRASES: dict[tuple[str, ...], tuple[Kind, str]] = {
    tuple(phrase.split()): (kind, item)
    for kind, items in _MENU.items()
    for item, phrases in items.items()
    if item in _SOLD[kind]
    for phrase in phrases.split(", ")
}
"""Every phrase of what is on the menu, as a tuple of words."""

LONGEST = max(len(phrase) for phrase in PHRASES)

_ENGLISH = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_SPANISH = ["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"]
NUMBERS = {word: n for words in (_ENGLISH, _SPANISH) for n, word in enumerate(words, 1)} | {
    "couple": 2
}
"""The numbers in words."""

ARTICLES = frozenset({"a", "an", "un", "una"})
"""Words that mean one of what follows, and nothing by themselves."""

_TEENS = "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
MORE_NUMBERS = (
    NUMBERS
    | {word: n for n, word in enumerate(_TEENS.split(), 11)}
    | {"dozen": 12, "once": 11, "doce": 12, "zero": 0, "no": 0}
)
"""The numbers in words that somebody would have to add."""

LISTS = frozenset({Topic.PIZZAS, Topic.TOPPINGS, Topic.DRINKS})
"""The topics that are a part of the menu."""

TOPICS = {
    Topic.HOLIDAYS: r"\b(closed|holidays?|festivos?|vacaciones)\b",
    Topic.HOURS: r"\b(open|opens|opening|hours|close|closes|closing|horarios?|abris|abierto)\b",
    Topic.TIME: r"\bhow (long|soon|much time|many minutes)\b|\bwhen (will|is|can)\b.*"
    r"\b(ready|arrive|come|here)\b|\btime does it take\b|\bdelivery times?\b|\bwaiting time\b"
    r"|\bcuanto (tarda|tardara|tardareis|tiempo)\b",
    Topic.DELIVERY: r"\bdo you (also )?deliver\b|\bcan you deliver\b|\bdelivery (cost|fee|charge)\b"
    r"|\bhow (do|can) i get\b|\ba domicilio\b.*\?",
    Topic.PRICES: r"\b(prices?|priced|costs?|how much(?! time)"
    r"|cuanto (es|cuesta|cuestan|vale)|precios?)\b",
    Topic.PIZZAS: r"\b(types?|kinds?|sorts?|what|which|list|tipos?|que)\b[^.?!]*\bpizzas?\b"
    r"|\bmenu\b|\bcarta\b",
    Topic.TOPPINGS: r"\b(what|which|list|kinds?|que)\b[^.?!]*"
    r"\b(toppings?|ingredients?|ingredientes)\b",
    Topic.DRINKS: r"\b(what|which|list|kinds?|que|do you (have|sell|serve))\b[^.?!]*"
    r"\b(drinks?|beverages?|sodas?|bebidas?|to drink)\b",
    Topic.ADDRESS: r"\bwhere are you\b|\bwhere is\b|\byour address\b|\bdonde esta",
    Topic.PAYMENT: r"\b(pay|payment|credit card|cash|pagar|tarjeta)\b",
    Topic.VEGAN: r"\b(vegan|vegana?|gluten|allerg\w+|alerg\w+)\b",
}
"""What shows that a topic is asked about, in the order in which the topics are tried."""


def _words(text: str) -> re.Pattern[str]:
    return re.compile(r"\b(" + text.replace(", ", "|") + r")\b")


WISH = _words(
    "i want(?! to know), i would like(?! to know), i'd like(?! to know), i will have, i'll have, "
    "i need, can i have, can i get, could i have, could i get, give me, i order, to order, please, "
    "quiero, quisiera, me gustaria, ponme"
)
QUESTION = re.compile(
    r"\?|^(what|which|how|when|where|do|does|are|is|who|que|cual\w*|cuant\w+|donde)\b"
    r"|\b(know|wonder|tell me|and how|and what|and when)\b"
)
CHANGE = _words("change, changed my mind, instead, rather, actually, replace, cambiar, cambia")
CANCEL = _words("cancel, cancelled, forget it, never mind, call it off, cancelar, cancela, anular")
ADD = _words("add, extra, also, plus, another, anade, tambien")
LEAVE = _words("bye, goodbye, good bye, see you, adios, hasta luego")
THANKS = _words("thanks, thank you, gracias, cheers")
TABLE = _words("table, book, booking, reservation, reserve, mesa, reserva, reservar")
DELIVER = _words("deliver, delivery, delivered, bring it, send it, to my home, a domicilio, envio")
FETCH = _words("pick up, pick it up, pickup, collect, collect it, take away, takeaway, recoger")
YES = _words(
    "yes, yeah, yep, sure, ok, okay, correct, right, of course, please do, go ahead, confirm, "
    "confirmed, place the order, that's right, si, claro, vale"
)
NO_DRINKS = _words(
    "no drinks?, without drinks?, nothing to drink, no beverages?, sin bebidas?, nada de beber"
)
NO = _words(
    "no, nope, nah, not, none, nothing, don't, neither, that is all, that's all, "
    "that is everything, that will be all, nada, ninguna, eso es todo"
)
