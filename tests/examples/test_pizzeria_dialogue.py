"""What the bot answers, turn by turn."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pizzeria_bot.dialogue import Conversation
from pizzeria_bot.replies import FALLBACK, Reply
from pizzeria_bot.weak_spots import ALL, NONE, WeakSpot

ORDER = ("a small margarita pizza", "2 cans of Sprite", "that is all", "pick up", "yes")


def talk(*said: str, weak: AbstractSet[WeakSpot] = NONE, customer: str = "me") -> list[Reply]:
    conversation = Conversation(customer, weak)
    return [conversation.answer(text) for text in said]


def last(*said: str, weak: AbstractSet[WeakSpot] = NONE) -> str:
    return talk(*said, weak=weak)[-1].text


def order_number(text: str) -> str:
    found = re.search(r"order number is (\w+)", text)
    assert found, text
    return found[1]


def buttons(reply: Reply) -> list[str]:
    return [button.value for message in reply.messages for button in message.buttons]


@pytest.mark.parametrize("weak", [ALL, NONE], ids=["as it is", "repaired"])
def test_an_order_runs_to_its_number(weak: AbstractSet[WeakSpot]) -> None:
    replies = talk(*ORDER, "no, that's all", weak=weak)
    assert "$10.00" in replies[0].text
    assert "2 cans of Sprite" in replies[1].text
    assert "Anything else" in replies[1].text
    assert "$13.00 in all, to pick up" in replies[3].text
    assert "total is $13.00" in replies[4].text
    assert "15 minutes" in replies[4].text
    assert [reply.ended for reply in replies] == [False, False, False, False, False, True]


@pytest.mark.parametrize(
    ("kind", "size", "price"),
    [
        ("margarita", "small", "$10.00"),
        ("margarita", "medium", "$15.00"),
        ("margarita", "big", "$20.00"),
        ("carbonara", "large", "$22.50"),
        ("four cheese", "small", "$12.00"),
        ("custom pizza with ham, corn and olives", "medium", "$17.00"),
        ("custom pizza with ham, corn, olives, tuna and bacon", "medium", "$18.00"),
        ("margarita with mushrooms", "small", "$10.50"),
    ],
)
def test_pizzas_have_their_price(kind: str, size: str, price: str) -> None:
    assert f"that is {price}" in last(f"a {size} {kind}")


def test_what_is_missing_is_asked_with_buttons() -> None:
    replies = talk("I would like to order a pizza", "margarita", "big", "nothing", "no", "pick up")
    assert buttons(replies[0])[:2] == ["margarita", "carbonara"]
    assert buttons(replies[1]) == ["small", "medium", "big"]
    assert buttons(replies[4]) == ["pick up", "deliver"]
    assert buttons(replies[5]) == ["yes", "no"]


def test_every_button_is_understood() -> None:
    for button in buttons(talk("a pizza please")[0]):
        assert "Which pizza" not in last("a pizza please", button)
    for button in buttons(talk("a margarita")[0]):
        assert f"1 {button} Margarita" in last("a margarita", button)


def test_a_delivery_needs_a_contact() -> None:
    said = ("a small margarita", "no", "please deliver it")
    assert "phone number or e-mail" in last(*said)
    assert "phone number or e-mail" in last(*said, "to my house")
    assert "jon@example.com" in last(*said, "jon@example.com")
    assert "at your door in around 35 minutes" in last(*said, "612 345 678", "yes")


def test_more_can_be_ordered_until_that_is_all() -> None:
    said = ("a small margarita", "a coke", "yes", "a big hawaiian")
    replies = talk(*said, "that's all", "pick up")
    assert "What else would you like?" in replies[2].text
    assert "Anything else for this order?" in replies[3].text
    assert "$33.50 in all" in replies[5].text


def test_several_pizzas_are_added_up() -> None:
    assert "$50.00 in all" in last("2 big margaritas", "a small margarita", "no drinks", "pick up")


def test_a_refused_summary_can_be_changed() -> None:
    said = ("a small margarita", "no", "pick up", "no")
    assert "What would you like to change?" in last(*said)
    assert "$20.00 in all" in last(*said, "make it a big one")
    assert "Which size" in last(*said, "the size")
    assert "something to drink" in last(*said, "the drinks")
    assert "$10.00 in all" in last(*said, "nothing")


def test_an_order_can_be_cancelled_before_and_after_it_is_placed() -> None:
    assert "cancelled your order" in last("a small margarita", "cancel that")
    assert re.search(r"cancelled order P\d+", last(*ORDER, "cancel my order"))
    assert "nothing to cancel" in last("cancel my order")


def test_questions_are_answered_within_an_order() -> None:
    text = last("a small margarita", "how much time does it take?")
    assert "15 minutes" in text
    assert "something to drink" in text


def test_a_price_question_is_answered_and_nothing_is_ordered() -> None:
    replies = talk("How much is a big carbonara?", "how much will it cost")
    assert "$22.50" in replies[0].text
    assert "A Margarita is" in replies[1].text


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What are the opening hours?", "1 pm to 11:30 pm"),
        ("On which day are you closed?", "24 December 2027"),
        ("What types of pizza do you serve?", "Margarita, Carbonara, Marinera, Hawaiian"),
        ("What are the prices of the beverages?", "Water $1.00"),
        ("How much time does it take to get an order?", "15 minutes"),
        ("Where are you?", "Fountain Square"),
        ("hello", "Hello!"),
        ("tell me a joke", "cheesy"),
        ("2 cans of pepsi", "We do not have pepsi"),
        ("900 cans of coke", "cannot sell more than 50"),
        ("900 margaritas", "cannot bake more than 50"),
    ],
)
def test_questions_and_small_talk_are_answered(text: str, answer: str) -> None:
    assert answer in last(text)


def test_the_menu_is_a_link() -> None:
    reply = talk("which pizzas do you have?")[0]
    assert [message.link.url for message in reply.messages if message.link] == ["/menu"]


def test_what_is_not_understood_gets_the_fallback() -> None:
    assert last("quantum chromodynamics") == FALLBACK


def test_spanish_words_for_the_menu_are_known() -> None:
    said = ("quiero una pizza mediana cuatro quesos", "dos latas de agua", "recoger", "sí")
    assert "total is $19.00" in last(*said)


def test_a_table_is_booked() -> None:
    said = ("a table for 4 people on 5 December 2027 at 19:30", "612 345 678")
    assert "4 people on 5 December 2027 at 7:30 pm under 612345678" in last(*said)
    assert "booked" in last(*said, "yes")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a table on 24 December 2027", "closed on 24 December"),
        ("a table on 2026-12-05", "2027 only"),
        ("a table for 40 people", "1 to 12 people"),
        ("a table for 0 people", "1 to 12 people"),
    ],
)
def test_impossible_bookings_are_refused(text: str, answer: str) -> None:
    assert answer in last(text)


def test_the_rest_of_a_booking_is_asked_one_by_one() -> None:
    replies = talk("book a table", "2027-12-06", "8 pm", "four", "612 345 678", "no", "at 9 pm")
    asked = [reply.messages[-1].text for reply in replies]
    assert "day" in asked[0]
    assert "time" in asked[1]
    assert "people" in asked[2]
    assert "phone" in asked[3]
    assert "8 pm" in asked[4]
    assert "change" in asked[5]
    assert "9 pm" in asked[6]


# --- the weak spots: each shows with it alone, and is gone without it


def test_weak_spot_late_toppings() -> None:
    said = ("a big custom pizza", "ham, corn, olives, tuna and bacon")
    assert "that is $23.00" in last(*said)
    assert "that is $22.00" in last(*said, weak={WeakSpot.LATE_TOPPINGS})
    at_once = "a big custom pizza with ham, corn, olives, tuna and bacon"
    assert "that is $23.00" in last(at_once, weak={WeakSpot.LATE_TOPPINGS})


def test_weak_spot_no_in_words() -> None:
    said = ("a small margarita", "no", "pick up", "I would like to know how long it takes")
    assert "Shall I place" in last(*said)
    assert "What would you like to change?" in last(*said, weak={WeakSpot.NO_IN_WORDS})


def test_weak_spot_number_words() -> None:
    said = ("a small margarita", "twelve cans of coke")
    assert "12 cans" in last(*said)
    assert "1 can of" in last(*said, weak={WeakSpot.NUMBER_WORDS})


def test_weak_spot_short_numbers() -> None:
    def numbers(weak: Iterable[WeakSpot]) -> list[str]:
        orders = (talk(*ORDER, weak={*weak}, customer=f"customer {n}") for n in range(100))
        return [order_number(replies[-1].text) for replies in orders]

    assert len(set(numbers([]))) == 100
    assert len(set(numbers([WeakSpot.SHORT_NUMBERS]))) < 100


def test_weak_spot_reused_number() -> None:
    def two_orders(weak: AbstractSet[WeakSpot]) -> set[str]:
        replies = talk(*ORDER, "cancel my order", *ORDER, weak=weak)
        return {order_number(replies[4].text), order_number(replies[10].text)}

    assert len(two_orders(NONE)) == 2
    assert len(two_orders({WeakSpot.REUSED_NUMBER})) == 1


def test_weak_spot_zero_cans() -> None:
    said = ("a small margarita", "0 cans of water")
    assert "none of those" in last(*said)
    with pytest.raises(ArithmeticError):
        last(*said, weak={WeakSpot.ZERO_CANS})


def test_weak_spot_same_question() -> None:
    said = ("a margarita", "hmm", "hmm", "hmm")
    careful = [reply.text for reply in talk(*said)]
    assert len(set(careful)) == 4
    careless = [reply.text for reply in talk(*said, weak={WeakSpot.SAME_QUESTION})]
    assert len(set(careless)) == 2


def test_weak_spot_drink_lost() -> None:
    said = ("a small margarita", "2 cokes", "pick up", "change the pizza to hawaiian")
    assert "$15.00 in all" in last(*said)
    assert "$12.00 in all" in last(*said, weak={WeakSpot.DRINK_LOST})


def test_weak_spot_one_answer() -> None:
    said = "Which day are you closed, and can I pay by card?"
    assert "card" in last(said)
    assert "card" not in last(said, weak={WeakSpot.ONE_ANSWER})


def test_weak_spot_closed_table() -> None:
    said = "a table for 2 people on 2027-12-06 at 12:00"
    assert "We are closed at 12 pm" in last(said)
    assert "At 12 pm" in last(said, weak={WeakSpot.CLOSED_TABLE})


PHRASES = (
    "a small margarita", "a custom pizza", "big", "ham and corn", "2 cokes", "0 cans of water",
    "yes", "no", "pick up", "deliver", "612 345 678", "cancel", "change it to hawaiian",
    "how much is it?", "book a table", "2027-12-06", "8 pm", "for 4 people", "bye", "", "?",
)  # fmt: skip


@given(st.lists(st.sampled_from(PHRASES) | st.text(max_size=80), max_size=15))
def test_the_repaired_bot_never_crashes_and_is_deterministic(said: list[str]) -> None:
    assert talk(*said) == talk(*said)


@given(st.lists(st.sampled_from(PHRASES), max_size=15))
def test_the_bot_as_it_is_crashes_only_over_zero_cans(said: list[str]) -> None:
    for reply in talk(*said, weak=ALL - {WeakSpot.ZERO_CANS}):
        assert reply.text.strip()
