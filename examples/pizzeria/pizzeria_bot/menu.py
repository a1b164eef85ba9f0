"""What the pizzeria sells, for how much, and when it is open. Prices are in US dollars."""

from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal

from pizzeria_bot import definition
from pizzeria_bot.definition import SHOP

CUSTOM = "custom"

_MENU, _HOURS, _LIMITS = (
    definition.part("menu"),
    definition.part("hours"),
    definition.part("limits"),
)


def _prices(of: str) -> dict[str, Decimal]:
    return {name: Decimal(str(price)) for name, price in _MENU[of].items()}


#: The price of a Margarita by size.
SIZES = _prices("sizes")
#: What the other pizzas cost more than a Margarita of the same size.
PIZZAS = _prices("pizzas")
TOPPINGS: tuple[str, ...] = tuple(_MENU["toppings"])
#: A custom pizza includes this many toppings; every other topping costs `EXTRA_TOPPING`.
FREE_TOPPINGS: int = _MENU["free_toppings"]
EXTRA_TOPPING = Decimal(str(_MENU["extra_topping"]))
DRINKS = _prices("drinks")

OPENS = time.fromisoformat(_HOURS["opens"])
CLOSES = time.fromisoformat(_HOURS["closes"])
HOLIDAY = date.fromisoformat(_HOURS["closed_on"])
#: Tables are booked for this year; a date without a year is in it.
BOOKING_YEAR: int = _HOURS["year"]
PICKUP_MINUTES: int = definition.part("minutes")["pickup"]
DELIVERY_MINUTES: int = definition.part("minutes")["delivery"]
MOST_OF_A_KIND: int = _LIMITS["of_a_kind"]
MOST_AT_A_TABLE: int = _LIMITS["at_a_table"]


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
