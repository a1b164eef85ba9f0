"""Values of each type found in texts."""

import time
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from sparring_plugins.language.candidates import (
    date_spans,
    day_first,
    find_durations,
    find_emails,
    find_identifiers,
    find_phones,
    find_times,
    find_urls,
    parse_date,
)
from sparring_plugins.language.number_words import number_words
from sparring_plugins.language.numbers import (
    amount,
    find_money,
    find_number_words,
    find_numbers,
    number,
)
from sparring_plugins.language.text import folded, plain, sentences

TODAY = date(2024, 10, 28)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I have 2 pizzas for 15 dollars", ["15 dollars"]),
        ("It costs $10.50.", ["$10.50"]),
        ("Water is 1$, coke 1.50$.", ["1$", "1.50$"]),
        ("That is 12,50 € in all", ["12,50 €"]),
        ("1.500,00 EUR or USD 1,234.50", ["1.500,00 EUR", "USD 1,234.50"]),
        ("between 50$ and 100$", ["50$ and 100$"]),
        ("from $50 to $100, or 20 - 30 euros", ["$50 to $100", "30 euros"]),
        ("a pizza for 10$ and a coke for 2$", ["10$", "2$"]),
        ("10$ and 2$", ["10$", "2$"]),
        ("That makes twelve dollars", ["12 dollars"]),
        ("veinte euros", ["20 euros"]),
        ("The total is 15.50", ["15.50"]),
        ("It costs 11 and takes 20 minutes", ["11"]),
        ("It takes 20 minutes", []),
        ("3 pizzas at 12:30 on 5/6", []),
        ("£5, ¥500, ₹20 and 3 pounds", ["£5", "¥500", "₹20", "3 pounds"]),
        ("50 cents more", ["50 cents"]),
        ("$ $ $", []),
    ],
)
def test_money_is_a_number_beside_a_currency(text: str, found: list[str]) -> None:
    assert [one.value for one in find_money(text)] == found


def test_the_ends_of_a_range_are_amounts_of_their_own() -> None:
    assert [one.value for one in find_money("$50 to $100", ranges=False)] == ["$50", "$100"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("$1,234.50", 1234.5), ("1.500,00 EUR", 1500), ("12,50 €", 12.5), ("x", None)],
)
def test_an_amount_has_a_number(text: str, value: float | None) -> None:
    assert amount(text) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see you at 13:30", ["13:30"]),
        ("from 1pm to 11:30 p.m.", ["1pm", "11:30 p.m."]),
        ("at 12 pm.", ["12 pm"]),
        ("10:00:00", ["10:00:00"]),
        ("at noon", ["noon"]),
        ("7 o'clock", ["7 o'clock"]),
        ("ratio 3:2, 25:99, 1.5", []),
    ],
)
def test_times_of_day(text: str, found: list[str]) -> None:
    assert [one.value for one in find_times(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ready in 25 minutes", ["25 minutes"]),
        ("20 min", ["20 min"]),
        ("takes 20-30 minutes", ["20-30 minutes"]),
        ("in half an hour", ["half an hour"]),
        ("dura 2 horas", ["2 horas"]),
        ("within 3 business days", ["3 business days"]),
        ("two weeks", ["two weeks"]),
        ("5 pizzas", []),
    ],
)
def test_durations(text: str, found: list[str]) -> None:
    assert [one.value for one in find_durations(text)] == found


@pytest.mark.parametrize(
    ("text", "first", "day"),
    [
        ("29/10/2024", True, date(2024, 10, 29)),
        ("06/11/2024", True, date(2024, 11, 6)),
        ("06/11/2024", False, date(2024, 6, 11)),
        ("2024-11-06", True, date(2024, 11, 6)),
        ("November 6th, 2024", False, date(2024, 11, 6)),
        ("6 de noviembre de 2024", True, date(2024, 11, 6)),
        ("tomorrow", True, date(2024, 10, 29)),
        ("mañana", True, date(2024, 10, 29)),
        ("today", True, TODAY),
        ("next Monday", True, date(2024, 11, 4)),
        ("3 March", True, date(2025, 3, 3)),
    ],
)
def test_dates_count_from_today_and_lie_ahead(text: str, first: bool, day: date) -> None:
    spans = date_spans(f"It is on {text}, then.")
    assert [parse_date(span.text, TODAY, "English", first) for span in spans] == [day]


def test_what_is_no_date_has_no_span() -> None:
    assert date_spans("version 1.2.3, 24/7, call 555-0142, you may come, 10 min") == []
    assert parse_date("33/33/2024", TODAY, "English", True) is None


def test_the_order_of_day_and_month_is_learnt_from_the_conversation() -> None:
    assert day_first(["on 29/10/2024", "on 06/11/2024"], "English")
    assert not day_first(["on 10/29/2024"], "Spanish")
    assert not day_first(["on 06/11/2024"], "English")
    assert day_first([], "Spanish")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to info@shop.com.", ["info@shop.com"]),
        ("a.b+c@sub.domain.co.uk and x@y.org", ["a.b+c@sub.domain.co.uk", "x@y.org"]),
        ("@handle, a@b, me at home", []),
    ],
)
def test_emails(text: str, found: list[str]) -> None:
    assert [one.value for one in find_emails(text)] == found


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Llámanos al 914974029.", "Spanish", ["914974029"]),
        ("(+34) 623 02 57 67", "English", ["(+34) 623 02 57 67"]),
        ("call 202-555-0142 now", "English", ["202-555-0142"]),
        ("phone: 555-0142-7", "English", ["555-0142-7"]),
        # reserved for examples, so no valid number, but dialled like one
        ("We are there from 9 to 1: 01632 960 118.", "English", ["01632 960 118"]),
        ("or +44 1632 960118", "English", ["+44 1632 960118"]),
        ("from 01-02-2026 10 o'clock", "English", []),
        ("order 0012345678, IBAN DE02 0123 4567 8901 23", "English", []),
        ("on 29/10/2024 at 10:00, order 12345678, $1,234,567", "English", []),
    ],
)
def test_phones(text: str, language: str, found: list[str]) -> None:
    assert [one.value for one in find_phones(text, language)] == found


def test_web_addresses_end_before_punctuation() -> None:
    text = "See https://shop.example/a?b=1. Or (www.shop.example)!"
    assert [one.value for one in find_urls(text)] == [
        "https://shop.example/a?b=1",
        "www.shop.example",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("order id: #A-123", ["A-123"]),
        ("your order number is 4711", ["4711"]),
        ("Your order ID is 63db42.", ["63db42"]),
        ("Reference: BK-7781", ["BK-7781"]),
        ("Tu número de pedido es P549.", ["P549"]),
        ("confirmation code XKCD", ["XKCD"]),
        ("the number of pizzas is unknown", []),
        ("your number is ready in 15 minutes", []),
        ("no, it costs 12.50", []),
    ],
)
def test_identifiers_stand_after_their_label(text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(one.value for one in find_identifiers(text))) == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234", 1234), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("12,5", 12.5), ("-5", -5),
        ("1.5", 1.5), ("1,234,567", 1234567), ("abc", None), ("", None), ("1.2.3.4", 1234),
    ],
)  # fmt: skip
def test_numbers_in_either_notation(text: str, value: float | None) -> None:
    assert number(text) == value


def test_numbers_glued_to_something_are_none() -> None:
    assert [one.value for one in find_numbers("A12 12:30 4x5 3rd v2 =20,670 7")] == [20670, 7]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two hundred and five", 205), ("twenty-five", 25), ("nine thousand, eight hundred", 9800),
        ("twenty. Five", 5), ("seats seventeen", 17), ("two point five", 2.5), ("the second", None),
        ("cincuenta y dos", 52), ("dieciséis", 16), ("ciento veintidos", 122),
        ("einundzwanzig", 21), ("funfzig", 50), ("quatre-vingt-dix-sept", 97),
        ("trentasette", 37), ("cento e dez", 110), ("pizza", None), ("", None), ("five pizzas", None),
    ],
)  # fmt: skip
def test_number_words(text: str, value: int | None) -> None:
    assert number_words(text) == value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("I want twenty-five apples and one hundred and two pears", [25, 102]),
        ("one of them, once", []), ("61500 miles", []), ("Ein Zimmer mit zwei Betten, bitte", [2]),
        ("un café et trois croissants, s'il vous plaît", [3]), ("the first of three", [3]),
    ],
)  # fmt: skip
def test_number_words_in_a_text(text: str, values: list[int]) -> None:
    assert [number.value for number in find_number_words(text)] == values


def test_amounts_in_words() -> None:
    amounts = ["that is one hundred and five dollars", "das macht fünfundzwanzig Euro"]
    assert [find_money(text)[0].value for text in amounts] == ["105 dollars", "25 Euro"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>Hi <b>you</b></p><br>there", "Hi you\nthere"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("&#" + "9" * 6000 + ";", "&#" + "9" * 6000 + ";"),
        ("**bold** [link](https://x.example)", "bold link (https://x.example)"),
        ("\x1b[31mred\x1b[0m\u200b \x00x", "red x"),
        ("3 < 5 and 7 > 2", "3 < 5 and 7 > 2"),
    ],
)
def test_plain_text(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("At 5 p.m. we close. Bye.", 2),
        ("It is 10.50. Right?", 2),
        ('The answer to "How much?" is 5.', 1),
        ("line\nline\n\nline", 3),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(sentences(text)) == count


HOSTILE = [
    "a", "1", "1.", "1,", "(+1 ", "a@", "<a ", "one ", "$", "$1", "a-", "12:", "1/1/", "[x](", "&#1",
    "<", "yes no ", "? ", "- a\n", "a, ", "\x1b[", "id ", "#", "\u0301", "\ud83d\ude00", "www.", "and ",
    "am ", "jan ", "1 minute ", "...",
]  # fmt: skip
FINDERS: list[Callable[[str], Any]] = [
    find_money, find_times, find_durations, date_spans, find_emails, find_phones, find_urls,
    find_identifiers, find_numbers, find_number_words, sentences, folded,
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_texts_take_no_time(piece: str) -> None:
    for scale in (20_000, 300_000):
        text = (piece * scale)[:scale]
        began = time.process_time()
        seen = plain(text)
        for find in FINDERS:
            find(seen)
        assert time.process_time() - began < 1.5
