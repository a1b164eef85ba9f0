"""What the bot makes of a customer's words."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pizzeria_bot.menu import CUSTOM
from pizzeria_bot.understanding import Heard, understand
from pizzeria_bot.vocabulary import Topic
from pizzeria_bot.weak_spots import ALL, NONE, WeakSpot


def heard(text: str) -> Heard:
    return understand(text, NONE)


@pytest.mark.parametrize(
    ("text", "pizza", "size"),
    [
        ("a small margarita pizza", "Margarita", "small"),
        ("A LARGE Four Cheese, please", "Four cheese", "big"),
        ("a medium four cheeses pizza", "Four cheese", "medium"),
        ("quiero una pizza de cuatro quesos pequeña", "Four cheese", "small"),
        ("one big hawaiian", "Hawaiian", "big"),
        ("a vegetarian pizza", "Vegetarian", None),
        ("a medium custom pizza with ham", CUSTOM, "medium"),
        ("just a pizza", None, None),
    ],
)
def test_pizza_and_size_are_found(text: str, pizza: str | None, size: str | None) -> None:
    assert (heard(text).pizza, heard(text).size) == (pizza, size)


@pytest.mark.parametrize(
    ("text", "drinks"),
    [
        ("3 cans of Sprite", {"Sprite": 3}),
        ("1 cans of Coca-Cola", {"Coke": 1}),
        ("two cokes and a bottle of water", {"Coke": 2, "Water": 1}),
        ("2 cans of Orange Fanta", {"Orange Fanta": 2}),
        ("a couple of cokes", {"Coke": 2}),
        ("the following drink: coke", {"Coke": 1}),
        ("0 cans of water", {"Water": 0}),
        ("dos latas de agua", {"Water": 2}),
        ("a pizza for 4 people who all like sprite", {"Sprite": 1}),
        ("nothing", {}),
    ],
)
def test_drinks_are_counted(text: str, drinks: dict[str, int]) -> None:
    assert dict(heard(text).drinks) == drinks


def test_toppings_are_found_once_and_in_order() -> None:
    found = heard("with ham, corn, mushrooms, ham and extra cheese").toppings
    assert found == ("ham", "corn", "mushrooms", "cheese")


def test_four_cheese_is_a_pizza_and_no_topping() -> None:
    assert heard("a four cheese pizza").toppings == ()


@pytest.mark.parametrize(
    ("text", "drink"),
    [("2 cans of pepsi", "pepsi"), ("a bottle of beer", "beer"), ("2 cans of coke", None)],
)
def test_drinks_that_are_not_sold_are_noticed(text: str, drink: str | None) -> None:
    assert heard(text).other_drink == drink


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2027-12-06 please", date(2027, 12, 6)),
        ("5 December 2027", date(2027, 12, 5)),
        ("the 5th of December", date(2027, 12, 5)),
        ("December 5, 2027", date(2027, 12, 5)),
        ("el 5 de diciembre", date(2027, 12, 5)),
        ("on 31 November", None),
        ("2027-13-01", None),
        ("tomorrow", None),
    ],
)
def test_days_are_found(text: str, day: date | None) -> None:
    assert heard(text).day == day


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("at 19:30", time(19, 30)),
        ("at 7 pm", time(19, 0)),
        ("at 12 am", time(0, 0)),
        ("at 12:15 pm", time(12, 15)),
        ("for 4 people on 2027-12-06 at 14:30", time(14, 30)),
        ("at 25:00", None),
        ("at 8", None),
    ],
)
def test_hours_are_found(text: str, hour: time | None) -> None:
    assert heard(text).hour == hour


@pytest.mark.parametrize(
    ("text", "email", "phone"),
    [
        ("write to jon.doe@example.com.", "jon.doe@example.com", None),
        ("call me at +34 612 345 678", None, "+34612345678"),
        ("(612) 345-6789", None, "6123456789"),
        ("2027-12-06 at 14:30", None, None),
        ("I have 12 guests", None, None),
    ],
)
def test_contacts_are_found(text: str, email: str | None, phone: str | None) -> None:
    assert (heard(text).email, heard(text).phone) == (email, phone)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What are the opening hours?", Topic.HOURS),
        ("On which day are you closed?", Topic.HOLIDAYS),
        ("What types of pizza do you serve?", Topic.PIZZAS),
        ("What are the prices of the pizzas? How much do they cost?", Topic.PRICES),
        ("What are the prices of the beverages?", Topic.PRICES),
        ("How do I get the order? Do you deliver orders?", Topic.DELIVERY),
        ("How much time does it take to get an order?", Topic.TIME),
        ("how long is going to take the pizza to arrive", Topic.TIME),
        ("how much will it cost", Topic.PRICES),
        ("what toppings do you have?", Topic.TOPPINGS),
        ("¿Cuánto cuesta?", Topic.PRICES),
    ],
)
def test_topics_are_recognised(text: str, topic: Topic) -> None:
    assert heard(text).topics[0] is topic
    assert heard(text).asks


@pytest.mark.parametrize(
    ("text", "only_asks"),
    [
        ("How much is a big margarita?", True),
        ("I would like a big margarita, how much is it?", False),
        ("a big margarita, and how long does it take?", False),
        ("I would like to know how much a pizza costs", True),
        ("a big margarita", False),
    ],
)
def test_asking_for_a_price_is_not_ordering(text: str, only_asks: bool) -> None:
    assert heard(text).only_asks is only_asks


@pytest.mark.parametrize(
    ("text", "careful", "careless"),
    [
        ("yes", True, True),
        ("No, thanks", False, False),
        ("nothing else", False, False),
        ("yes, another time", True, False),
        ("ok, now", True, False),
        ("sí", True, True),
        ("margarita", None, None),
    ],
)
def test_no_inside_a_word_is_a_weak_spot(
    text: str, careful: bool | None, careless: bool | None
) -> None:
    assert understand(text, NONE).decision is careful
    assert understand(text, {WeakSpot.NO_IN_WORDS}).decision is careless


def test_number_words_above_ten_are_a_weak_spot() -> None:
    assert understand("twelve cokes", NONE).drinks == (("Coke", 12),)
    assert understand("twelve cokes", {WeakSpot.NUMBER_WORDS}).drinks == (("Coke", 1),)
    assert understand("ten cokes", {WeakSpot.NUMBER_WORDS}).drinks == (("Coke", 10),)


@given(st.text(max_size=300))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    assert understand(text, ALL) == understand(text, ALL)
