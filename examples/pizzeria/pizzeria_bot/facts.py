"""Answers to questions about the shop and its menu."""

from collections.abc import Callable

from pizzeria_bot import menu
from pizzeria_bot.menu import CUSTOM, clock, listed, money
from pizzeria_bot.order import Order
from pizzeria_bot.replies import Link, Message
from pizzeria_bot.understanding import Heard
from pizzeria_bot.vocabulary import Topic

_DRINK_WORDS = ("drink", "beverage", "soda", "bebida")


def answer(topic: Topic, heard: Heard, order: Order) -> Message:
    """What the bot says about a topic; prices are those of what was mentioned."""
    if topic is Topic.PRICES:
        return Message(_prices(heard, order))
    return _ANSWERS[topic]()


def _prices(heard: Heard, order: Order) -> str:
    if heard.drinks or any(word in heard.text for word in _DRINK_WORDS):
        return _drink_prices()
    if heard.pizza and heard.size:
        price = menu.pizza_price(heard.pizza, heard.size, heard.toppings)
        name = "custom pizza" if heard.pizza == CUSTOM else heard.pizza
        return f"A {heard.size} {name} is {money(price)}."
    if not order.empty and "prices" not in heard.text:
        return f"So far that is {money(order.total)}."
    return _pizza_prices()


def _pizza_prices() -> str:
    small, medium, big = (money(menu.SIZES[size]) for size in ("small", "medium", "big"))
    return (
        f"A Margarita is {small} small, {medium} medium and {big} big. A Carbonara is "
        f"{money(menu.PIZZAS['Carbonara'])} more in every size, all others are "
        f"{money(menu.PIZZAS['Hawaiian'])} more. A custom pizza includes "
        f"{menu.FREE_TOPPINGS} toppings; each further one is {money(menu.EXTRA_TOPPING)}."
    )


def _drink_prices() -> str:
    prices = [f"{name} {money(price)}" for name, price in menu.DRINKS.items()]
    return f"Our drinks: {listed(prices)} a can."


def _pizzas() -> Message:
    names = [name for name in menu.PIZZAS if name != CUSTOM]
    text = f"We serve {listed(names)}, and custom pizzas with the toppings you choose."
    return Message(text, link=Link("Our menu", "/menu"))


_ANSWERS: dict[Topic, Callable[[], Message]] = {
    Topic.HOLIDAYS: lambda: Message(
        f"We are open on every day but one: the shop is closed on {menu.day(menu.HOLIDAY)}."
    ),
    Topic.HOURS: lambda: Message(
        f"We are open every day from {clock(menu.OPENS)} to {clock(menu.CLOSES)}."
    ),
    Topic.TIME: lambda: Message(
        f"An order is ready in around {menu.PICKUP_MINUTES} minutes; with delivery it is at your "
        f"door in around {menu.DELIVERY_MINUTES} minutes."
    ),
    Topic.DELIVERY: lambda: Message(
        "You can pick your order up at the shop, or we deliver it to you free of charge."
    ),
    Topic.PIZZAS: _pizzas,
    Topic.TOPPINGS: lambda: Message(f"Our toppings are {listed(menu.TOPPINGS)}."),
    Topic.DRINKS: lambda: Message(_drink_prices()),
    Topic.ADDRESS: lambda: Message("You find us at 12 Fountain Square."),
    Topic.PAYMENT: lambda: Message("You can pay in cash or by card when you get your order."),
    Topic.VEGAN: lambda: Message("The Marinera has no cheese and is vegan; all dough has gluten."),
}
