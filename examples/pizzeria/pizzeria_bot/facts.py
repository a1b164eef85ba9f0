"""Answers to questions about the shop and its menu."""

from pizzeria_bot import definition, menu
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
    text = definition.part("answers")[topic.value].format(**_known())
    return Message(text, link=_LINKS.get(topic))


def _prices(heard: Heard, order: Order) -> str:
    if heard.drinks or any(word in heard.text for word in _DRINK_WORDS):
        return definition.part("answers")[Topic.DRINKS.value].format(**_known())
    if heard.pizza and heard.size:
        price = menu.pizza_price(heard.pizza, heard.size, heard.toppings)
        name = "custom pizza" if heard.pizza == CUSTOM else heard.pizza
        return f"A {heard.size} {name} is {money(price)}."
    if not order.empty and "prices" not in heard.text:
        return f"So far that is {money(order.total)}."
    return _pizza_prices()


def _pizza_prices() -> str:
    sizes = [f"{money(price)} {size}" for size, price in menu.SIZES.items()]
    return (
        f"A Margarita is {listed(sizes)}. A Carbonara is "
        f"{money(menu.PIZZAS['Carbonara'])} more in every size, all others are "
        f"{money(menu.PIZZAS['Hawaiian'])} more. A custom pizza includes "
        f"{menu.FREE_TOPPINGS} toppings; each further one is {money(menu.EXTRA_TOPPING)}."
    )


def _drinks() -> str:
    return listed([f"{name} {money(price)}" for name, price in menu.DRINKS.items()])


def _known() -> dict[str, object]:
    """What the bot's answers may tell."""
    return {
        "closed_on": menu.day(menu.HOLIDAY),
        "opens": clock(menu.OPENS),
        "closes": clock(menu.CLOSES),
        "pickup": menu.PICKUP_MINUTES,
        "delivery": menu.DELIVERY_MINUTES,
        "pizzas": listed([name for name in menu.PIZZAS if name != CUSTOM]),
        "toppings": listed(menu.TOPPINGS),
        "drinks": _drinks(),
    }


_LINKS = {Topic.PIZZAS: Link("Our menu", "/menu")}
