"""What the pizzeria sells, for how much, and when it is open. Prices are in US dollars."""

from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal

SHOP = "Pizzeria Lucia"
CUSTOM = "custom"

#: The price of a Margarita by size.
SIZES = {"small": Decimal(10), "medium": Decimal(15), "big": Decimal(20)}
#: What the other pizzas cost more than a Margarita of the same size.
PIZZAS = {
    "Margarita": Decimal(0),
    "Carbonara": Decimal("2.50"),
    "Marinera": Decimal(2),
    "Hawaiian": Decimal(2),
    "Four cheese": Decimal(2),
    "Vegetarian": Decimal(2),
    CUSTOM: Decimal(2),
}
TOPPINGS = (
    "cheese",
    "mushrooms",
    "pepper",
    "ham",
    "bacon",
    "pepperoni",
    "olives",
    "corn",
    "chicken",
    "onion",
    "tuna",
    "pineapple",
)
#: A custom pizza includes this many toppings; every other topping costs `EXTRA_TOPPING`.
FREE_TOPPINGS = 3
EXTRA_TOPPING = Decimal("0.50")
DRINKS = {
    "Sprite": Decimal("1.50"),
    "Coke": Decimal("1.50"),
    "Orange Fanta": Decimal("1.50"),
    "Water": Decimal("1.00"),
}

OPENS = time(13, 0)
CLOSES = time(23, 30)
HOLIDAY = date(2027, 12, 24)
#: Tables are booked for this year; a date without a year is in it.
BOOKING_YEAR = 2027
PICKUP_MINUTES = 15
DELIVERY_MINUTES = 35
MOST_OF_A_KIND = 50
MOST_AT_A_TABLE = 12


def pizza_price(kind: str, size: str, toppings: Sequence[str]) -> Decimal:
    """The price of one pizza, extra toppings included."""
    free = FREE_TOPPINGS if kind == CUSTOM else 0
    return SIZES[size] + PIZZAS[kind] + EXTRA_TOPPING * max(0, len(toppings) - free)


def page() -> str:
    """The menu with all prices, as plain text."""
    pizzas = [
        f"{kind}: {', '.join(f'{size} {money(base + more)}' for size, base in SIZES.items())}"
        for kind, more in PIZZAS.items()
    ]
    drinks = [f"{name}: {money(price)}" for name, price in DRINKS.items()]
    toppings = f"Toppings: {', '.join(TOPPINGS)}"
    return "\n".join([SHOP, "", *pizzas, "", toppings, "", *drinks, ""])


def money(amount: Decimal) -> str:
    """An amount as customers read it: ``$12.50``."""
    return f"${amount:.2f}"


def clock(moment: time) -> str:
    """A time of day as customers read it: ``1 pm``, ``11:30 pm``."""
    hour = moment.hour % 12 or 12
    minutes = f":{moment.minute:02d}" if moment.minute else ""
    return f"{hour}{minutes} {'am' if moment.hour < 12 else 'pm'}"


def day(moment: date) -> str:
    """A day as customers read it: ``24 December 2027``."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Items as a sentence holds them: ``ham, corn and olives``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
