"""An order and its receipt."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from decimal import Decimal

from pizzeria_bot.menu import CUSTOM, DRINKS, listed, money, pizza_price
from pizzeria_bot.weak_spots import WeakSpot


@dataclass
class Pizza:
    """A pizza that is being put together; `price` is for one, once it is known."""

    kind: str | None = None
    size: str | None = None
    toppings: list[str] = field(default_factory=list[str])
    quantity: int = 1
    price: Decimal | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to ask."""
        return bool(self.kind and self.size and (self.kind != CUSTOM or self.toppings))

    @property
    def total(self) -> Decimal:
        """What all of them cost; nothing while the price is not known."""
        return (self.price or Decimal(0)) * self.quantity

    def settle(self) -> None:
        """Work out the price, as soon as kind and size are known."""
        if self.kind and self.size:
            self.price = pizza_price(self.kind, self.size, self.toppings)

    def __str__(self) -> str:
        kind = "custom" if self.kind == CUSTOM else self.kind
        one = self.quantity == 1
        named = [str(self.quantity), self.size, kind, "pizza" if one else "pizzas"]
        extras = f" with {listed(self.toppings)}" if self.toppings else ""
        return " ".join(word for word in named if word) + extras


@dataclass
class Drink:
    """So many cans or bottles of one drink."""

    name: str
    quantity: int

    @property
    def total(self) -> Decimal:
        """What all of them cost."""
        return DRINKS[self.name] * self.quantity

    def __str__(self) -> str:
        cans = "can" if self.quantity == 1 else "cans"
        each = self.total / self.quantity  # fails for 0 cans on purpose: WeakSpot.ZERO_CANS
        return f"{self.quantity} {cans} of {self.name} ({money(each)} each)"


@dataclass
class Order:
    """What one customer orders; `contact` is set for a delivery."""

    pizzas: list[Pizza] = field(default_factory=list[Pizza])
    drinks: list[Drink] = field(default_factory=list[Drink])
    delivered: bool | None = None
    contact: str | None = None
    number: str | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was asked for yet."""
        return not self.pizzas and not self.drinks

    @property
    def total(self) -> Decimal:
        """The price of everything."""
        pizzas = sum((pizza.total for pizza in self.pizzas), Decimal(0))
        return pizzas + sum((drink.total for drink in self.drinks), Decimal(0))

    def set_drink(self, name: str, quantity: int, weak: AbstractSet[WeakSpot]) -> None:
        """Take so many of a drink, instead of those of the same name asked for before."""
        self.drinks = [drink for drink in self.drinks if drink.name != name]
        if quantity or WeakSpot.ZERO_CANS in weak:
            self.drinks.append(Drink(name, quantity))

    def __str__(self) -> str:
        return listed([str(line) for line in (*self.pizzas, *self.drinks)])
