"""Slot values as Alexa writes them."""

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_connectors.alexa import dates, words
from sparring_connectors.alexa.interaction_model import Entity, InteractionModel, Slot, SlotType
from sparring_connectors.alexa.slots import FilledSlot, SlotReader, slot_to_json
from sparring_connectors.alexa.vocabulary import VOCABULARY
from sparring_connectors.alexa.words import split_words, to_heard

MONDAY = date(2026, 6, 15)
TYPES = {
    "DRINK": SlotType(
        "DRINK", (Entity("espresso", "ESP", ("short black",)), Entity("tea", "T", ("cuppa",)))
    ),
    "AMAZON.Color": SlotType("AMAZON.Color", (Entity("sparring red", "SR"),)),
}
READER = SlotReader(
    InteractionModel("en-US", "x", types=TYPES), datetime(2026, 6, 15, 10, tzinfo=UTC)
)


def read(kind: str, said: str, *, multiple: bool = False) -> tuple[str, ...] | None:
    found = READER.read(Slot("s", kind, multiple=multiple), to_heard(said))
    return found.values if found else None


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("five", "5"), ("twenty five", "25"), ("twenty-five", "25"), ("25", "25"),
        ("one hundred and two", "102"), ("a hundred", "100"), ("two thousand and ten", "2010"),
        ("three million", "3000000"), ("1,500", "1500"), ("minus four", "-4"), ("zero", "0"),
        ("three point one four", "3.14"), ("nineteen eighty", "1980"), ("banana", None),
        ("five bananas", None), ("", None), ("and", None), ("hundred", None), ("point", None),
        ("1.5 point two", None),
    ],
)  # fmt: skip
def test_numbers(said: str, value: str | None) -> None:
    assert words.number_value(split_words(said)) == value


@given(st.integers(0, 10**12 - 1))
def test_every_number_is_read_as_it_is_spoken(number: int) -> None:
    assert words.number_value(split_words(spelled(number))) == str(number)


def spelled(number: int) -> str:
    if number < 20:
        return VOCABULARY.units[number]
    if number < 100:
        tens = {value: word for word, value in words._TENS.items()}
        rest = "" if number % 10 == 0 else f" {VOCABULARY.units[number % 10]}"
        return tens[number - number % 10] + rest
    for scale, name in (
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ):
        if number >= scale:
            rest = "" if number % scale == 0 else f" {spelled(number % scale)}"
            return f"{spelled(number // scale)} {name}{rest}"
    raise AssertionError


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("today", "2026-06-15"), ("tomorrow", "2026-06-16"), ("yesterday", "2026-06-14"),
        ("the day after tomorrow", "2026-06-17"), ("now", "PRESENT_REF"),
        ("friday", "2026-06-19"), ("on friday", "2026-06-19"), ("next friday", "2026-06-26"),
        ("last friday", "2026-06-12"), ("monday", "2026-06-15"), ("this weekend", "2026-W25-WE"),
        ("next week", "2026-W26"), ("this month", "2026-06"), ("next month", "2026-07"),
        ("next year", "2027"), ("summer", "2026-SU"), ("next winter", "2027-WI"),
        ("in five days", "2026-06-20"), ("in two weeks", "2026-06-29"), ("a week ago", "2026-06-08"),
        ("three days from now", "2026-06-18"), ("in three months", "2026-09"),
        ("july fourth", "2026-07-04"), ("july 4th", "2026-07-04"), ("march third", "2027-03-03"),
        ("the fourth of july", "2026-07-04"), ("fourth of july 2027", "2027-07-04"),
        ("july fourth twenty thirty", "2030-07-04"), ("december", "2026-12"), ("may", "2027-05"),
        ("february thirtieth", None), ("february twenty ninth", "2028-02-29"),
        ("2025-06-15", "2025-06-15"), ("6/15/2025", "2025-06-15"), ("2025", "2025"),
        ("twenty twenty five", "2025"), ("nineties", "199X"), ("nineteen sixties", "196X"),
        ("the twenty third", "2026-06-23"), ("the thirty first", "2026-07-31"),
        ("someday", None), ("", None), ("in banana days", None),
    ],
)  # fmt: skip
def test_dates(said: str, value: str | None) -> None:
    assert dates.parse_date(split_words(said), MONDAY) == value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("two pm", "14:00"), ("2 p.m.", "14:00"), ("2pm", "14:00"), ("twelve am", "00:00"),
        ("noon", "12:00"), ("midnight", "00:00"), ("two thirty", "02:30"), ("14:45", "14:45"),
        ("half past two", "02:30"), ("quarter to three pm", "14:45"), ("ten to five", "04:50"),
        ("six o'clock", "06:00"), ("six in the evening", "18:00"), ("nine oh five", "09:05"),
        ("morning", "MO"), ("this evening", "EV"), ("tonight", "NI"), ("now", "10:20"),
        ("twenty five o'clock", None), ("banana", None), ("", None), ("to ten to five", None),
    ],
)  # fmt: skip
def test_times(said: str, value: str | None) -> None:
    assert dates.parse_time(split_words(said), time(10, 20)) == value


PIECES = "to past half quarter ten five oh 1.5 12:30 : pm noon the point minus hundred and a of 0"
KINDS = ("NUMBER", "FOUR_DIGIT_NUMBER", "Ordinal", "PhoneNumber", "AlphaNumeric", "DATE", "TIME")


@given(st.lists(st.sampled_from([*PIECES.split(), *sorted(VOCABULARY.months)[:2], "week", "day"])))
def test_any_row_of_words_is_a_value_or_none(said: list[str]) -> None:
    for kind in (*KINDS, "DURATION"):
        values = read(f"AMAZON.{kind}", " ".join(said))
        assert values is None or all(values)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("five minutes", "PT5M"), ("an hour", "PT1H"), ("half an hour", "PT30M"),
        ("an hour and a half", "PT1H30M"), ("two hours and ten minutes", "PT2H10M"),
        ("one week", "P1W"), ("three days", "P3D"), ("two and a half hours", "PT2H30M"),
        ("ten seconds", "PT10S"), ("a year and two months", "P1Y2M"), ("five", None), ("", None),
    ],
)  # fmt: skip
def test_durations(said: str, value: str | None) -> None:
    assert dates.parse_duration(split_words(said)) == value


@pytest.mark.parametrize(
    ("kind", "said", "values"),
    [
        ("AMAZON.FOUR_DIGIT_NUMBER", "one two three four", ("1234",)),
        ("AMAZON.FOUR_DIGIT_NUMBER", "twelve thirty four", ("1234",)),
        ("AMAZON.FOUR_DIGIT_NUMBER", "seven", None),
        ("AMAZON.Ordinal", "the second", ("2",)),
        ("AMAZON.Ordinal", "twenty first", ("21",)),
        ("AMAZON.Ordinal", "two", None),
        ("AMAZON.PhoneNumber", "two oh two five five five double one two four", ("2025551124",)),
        ("AMAZON.PhoneNumber", "five five five", None),
        ("AMAZON.AlphaNumeric", "a b one 2", ("ab12",)),
        ("AMAZON.SearchQuery", "anything at all", ("anything at all",)),
        ("AMAZON.US_CITY", "new york", ("new york",)),
        ("AMAZON.Color", "sparring red", ("sparring red",)),
        ("DRINK", "short black", ("short black",)),
        ("DRINK", "pizza", ("pizza",)),
        ("DRINK", "a text that is much too long to be the name of a drink", None),
        ("", "typeless", ("typeless",)),
        ("DRINK", "trader joe's", ("trader joe's",)),
        ("DRINK", "I don't care", ("i don't care",)),
    ],
)
def test_other_types(kind: str, said: str, values: tuple[str, ...] | None) -> None:
    assert read(kind, said) == values


def test_several_values_are_told_apart() -> None:
    assert read("DRINK", "tea espresso and short black", multiple=True) == (
        "tea", "espresso", "short black",
    )  # fmt: skip
    assert read("DRINK", "tea and lemon juice", multiple=True) == ("tea", "lemon juice")


def test_resolution_tells_what_a_value_means_by_name_synonym_or_plural() -> None:
    def resolved(value: str) -> list[str]:
        slot = slot_to_json(FilledSlot("d", (value,)), Slot("d", "DRINK"), READER, "app")
        (found,) = slot["resolutions"]["resolutionsPerAuthority"]
        assert found["authority"] == "amzn1.er-authority.echo-sdk.app.DRINK"
        return [item["value"]["id"] for item in found.get("values", ())]

    assert resolved("cuppa") == resolved("teas") == ["T"]
    assert resolved("water") == []


def test_an_empty_slot_has_no_value_and_a_plain_builtin_no_resolution() -> None:
    assert slot_to_json(FilledSlot("d"), Slot("d", "DRINK"), READER, "app") == {
        "name": "d", "confirmationStatus": "NONE",
    }  # fmt: skip
    number = slot_to_json(FilledSlot("n", ("5",)), Slot("n", "AMAZON.NUMBER"), READER, "app")
    assert "resolutions" not in number
    assert number["slotValue"] == {"type": "Simple", "value": "5"}
