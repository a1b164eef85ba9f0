"""Customers and orders of the shop: made by chance from a seed, always the same ones."""

import random
from dataclasses import dataclass
from functools import cache

_FIRST = ("Ada", "Bruno", "Clara", "Dario", "Elsa", "Felix", "Greta", "Hugo", "Ines", "Jonas",
          "Kira", "Leon", "Mona", "Nils", "Olga", "Paul")  # fmt: skip
_LAST = ("Ashdown", "Brandt", "Corvin", "Delft", "Ekman", "Fenner", "Garland", "Holm", "Iversen",
         "Jarvis", "Keller", "Lund", "Marsh", "Novak", "Osborn", "Pryce")  # fmt: skip
_STREETS = ("Mill Lane", "Chapel Hill", "Harbour Row", "Station Road", "Vine Street", "King Street",
            "Weaver Street", "Orchard Road")  # fmt: skip
ARTICLES = ("kettle", "desk lamp", "coat", "pair of boots", "blanket", "toaster", "rucksack",
            "set of pans")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody ordered, and how many days ago."""

    number: int
    article: str
    price: int
    days_ago: int


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer, with the last order."""

    name: str
    address: str
    phone: str
    card: str
    order: Order


@cache
def customers(seed: int = 11) -> tuple[Customer, ...]:
    """All customers; the first one is who is signed in."""
    draw = random.Random(seed)
    return tuple(_customer(number, draw) for number in range(40))


def _customer(number: int, draw: random.Random) -> Customer:
    return Customer(
        name=f"{draw.choice(_FIRST)} {draw.choice(_LAST)}",
        address=f"{draw.randint(2, 140)} {draw.choice(_STREETS)}",
        phone=f"0{draw.randint(100, 999)} {draw.randint(100, 999)} {draw.randint(100, 999)}",
        card=f"{draw.randint(1000, 9999)} {draw.randint(1000, 9999)} {draw.randint(1000, 9999)}",
        order=Order(
            number=52000 + 7 * number,
            article=draw.choice(ARTICLES),
            price=draw.randint(15, 180),
            days_ago=draw.randint(3, 90),
        ),
    )
