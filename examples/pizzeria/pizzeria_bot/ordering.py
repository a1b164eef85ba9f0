"""The order form: takes what a customer mentions, and knows what is left to ask."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import sha256
from zlib import crc32

from pizzeria_bot import questions, vocabulary
from pizzeria_bot.definition import said
from pizzeria_bot.menu import (
    CUSTOM,
    DELIVERY_MINUTES,
    DRINKS,
    MOST_OF_A_KIND,
    PICKUP_MINUTES,
    listed,
    money,
)
from pizzeria_bot.order import Order, Pizza
from pizzeria_bot.questions import Question
from pizzeria_bot.replies import Message
from pizzeria_bot.understanding import Heard
from pizzeria_bot.weak_spots import WeakSpot


@dataclass
class Ordering:
    """One customer's orders: the one that is being taken, and the ones in the kitchen.

    `customer` is what the customer's side calls itself; order numbers are made from it, so
    that they do not depend on who else is ordering at the same time.
    """

    customer: str
    weak: AbstractSet[WeakSpot]
    order: Order = field(default_factory=Order)
    placed: list[Order] = field(default_factory=list[Order])
    placed_ever: int = 0
    drinks_settled: bool = False
    nothing_more: bool = False

    def concerns(self, heard: Heard) -> bool:
        """Whether a message mentions something to order."""
        menu_items = heard.pizza or heard.size or heard.toppings or heard.drinks
        return bool(menu_items or heard.other_drink or "pizza" in heard.text)

    def take(self, heard: Heard, question: Question | None) -> list[str]:
        """Write down what a message mentions; what is said of it, nothing if it said nothing."""
        return [
            *self._take_pizza(heard, question),
            *self._take_drinks(heard),
            *self._take_fetch(heard, question),
            *self._take_contact(heard),
        ]

    def _take_pizza(self, heard: Heard, question: Question | None) -> list[str]:
        named = heard.pizza or heard.size or heard.toppings
        if not named and not ("pizza" in heard.text and not self.order.pizzas):
            return []
        if max(heard.pizza_quantity, 1) > MOST_OF_A_KIND:
            return [f"We cannot bake more than {MOST_OF_A_KIND} pizzas for one order."]
        pizza = self._pizza_meant(heard)
        was_complete = pizza.complete
        if heard.toppings:
            self._add_toppings(pizza, heard)
        if heard.pizza:
            pizza.kind = heard.pizza
        elif heard.toppings and not pizza.kind and question is not Question.PIZZA:
            pizza.kind = CUSTOM
        if heard.size:
            pizza.size = heard.size
        if heard.size or heard.pizza or WeakSpot.LATE_TOPPINGS not in self.weak:
            pizza.settle()
        if not pizza.complete:
            return ["All right."]
        return [f"{'Changed: ' if was_complete else ''}{pizza}, that is {money(pizza.total)}."]

    def _pizza_meant(self, heard: Heard) -> Pizza:
        """The pizza that a message speaks of: the last one, a changed one or another one."""
        pizzas = self.order.pizzas
        if heard.says(vocabulary.CHANGE) and heard.pizza and pizzas:
            if WeakSpot.DRINK_LOST in self.weak:
                before, self.order = self.order, Order(pizzas=[Pizza(size=pizzas[-1].size)])
                self.order.delivered, self.order.contact = before.delivered, before.contact
            else:
                pizzas[-1].toppings = []
        elif not pizzas or (heard.pizza and pizzas[-1].kind):
            pizzas.append(Pizza(quantity=max(heard.pizza_quantity, 1)))
        return self.order.pizzas[-1]

    def _add_toppings(self, pizza: Pizza, heard: Heard) -> None:
        if heard.says(vocabulary.CHANGE):
            pizza.toppings = []
        pizza.toppings += [topping for topping in heard.toppings if topping not in pizza.toppings]

    def _take_drinks(self, heard: Heard) -> list[str]:
        if heard.other_drink:
            return [said("no_such_drink", drink=heard.other_drink, drinks=listed([*DRINKS]))]
        if any(quantity > MOST_OF_A_KIND for _, quantity in heard.drinks):
            return [f"We cannot sell more than {MOST_OF_A_KIND} cans of a kind."]
        if heard.says(vocabulary.NO_DRINKS) and not self.order.empty and not self.drinks_settled:
            self.refuse_drinks()
            return ["Nothing to drink, then."]
        if heard.drinks and heard.says(vocabulary.CHANGE):
            self.order.drinks = []
        for name, quantity in heard.drinks:
            self.order.set_drink(name, quantity, self.weak)
            self.drinks_settled = True
        taken = {name for name, _ in heard.drinks}
        noted = [str(drink) for drink in self.order.drinks if drink.name in taken]
        if taken and not noted:
            return ["All right, none of those."]
        return [f"Noted: {listed(noted)}."] if noted else []

    def _take_fetch(self, heard: Heard, question: Question | None) -> list[str]:
        if question is not Question.FETCH and self.order.empty:
            return []
        if heard.says(vocabulary.FETCH):
            self.order.delivered = False
            return ["You will pick it up, then."]
        if heard.says(vocabulary.DELIVER):
            self.order.delivered = True
            return ["We will deliver it to you."]
        return []

    def _take_contact(self, heard: Heard) -> list[str]:
        contact = heard.phone or heard.email
        if not contact or not self.order.delivered:
            return []
        self.order.contact = contact
        return [f"Our driver will reach you at {contact}."]

    def refuse_more(self) -> None:
        """Nothing else with this order."""
        self.nothing_more = True

    def refuse_drinks(self) -> None:
        """Nothing to drink with this order."""
        self.drinks_settled = True

    def missing(self) -> Question | None:
        """What has to be asked next; None while nothing is ordered."""
        order = self.order
        if order.empty:
            return None
        for pizza in order.pizzas:
            if not pizza.kind:
                return Question.PIZZA
            if not pizza.size:
                return Question.SIZE
            if not pizza.complete:
                return Question.TOPPINGS
        if not self.drinks_settled:
            return Question.DRINK
        if order.delivered is None:
            return Question.FETCH if self.nothing_more else Question.MORE
        if order.delivered and not order.contact:
            return Question.CONTACT
        return Question.CONFIRM

    def put(self, question: Question) -> Message:
        """A question of this form in words."""
        if question is not Question.CONFIRM:
            return questions.asked(question)
        way = "delivered" if self.order.delivered else "to pick up"
        total = money(self.order.total)
        return questions.yes_or_no(question, order=self.order, total=total, way=way)

    def place(self) -> str:
        """Send the order to the kitchen; what is said of it."""
        order = self.order
        self._start_anew()
        order.number = self._new_number()
        self.placed.append(order)
        self.placed_ever += 1
        minutes = DELIVERY_MINUTES if order.delivered else PICKUP_MINUTES
        way = "at your door" if order.delivered else "ready"
        total = money(order.total)
        return said("placed", number=order.number, total=total, way=way, minutes=minutes)

    def _new_number(self) -> str:
        """The next order's number: a checksum, short enough to be called over the counter."""
        before = len(self.placed) if WeakSpot.REUSED_NUMBER in self.weak else self.placed_ever
        source = f"{self.customer}/{before}".encode()
        if WeakSpot.SHORT_NUMBERS in self.weak:
            return f"P{crc32(source) % 1000:03d}"
        return f"P{int.from_bytes(sha256(source).digest()[:6], 'big') % 10**8:08d}"

    def cancel(self) -> str | None:
        """Drop the order that is being taken, else the last one placed; None if there is none."""
        if not self.order.empty:
            self._start_anew()
            return "your order"
        return f"order {self.placed.pop().number}" if self.placed else None

    def _start_anew(self) -> None:
        self.order, self.drinks_settled, self.nothing_more = Order(), False, False

    def reopen(self, heard: Heard) -> list[str]:
        """Take back the part of the order that a message wants to change, to ask for it again."""
        if "drink" in heard.text:
            self.order.drinks, self.drinks_settled = [], False
        elif "size" in heard.text and self.order.pizzas:
            self.order.pizzas[-1].size = None
        elif "pizza" in heard.text and self.order.pizzas:
            self.order.pizzas.pop()
            self.order.pizzas.append(Pizza())
        elif "deliver" in heard.text or "pick" in heard.text:
            self.order.delivered = None
        else:
            return []
        return ["Let us change that."]
