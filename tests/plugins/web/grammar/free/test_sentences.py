"""Free sentences are classified as a whole, and split into what they want, before any rule."""

import pytest

from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.sentences import (
    is_check,
    may_act,
    must_check,
    split_sentence,
)
from sparring_plugins.web.grammar.free.statements import Statement, read_statements
from sparring_plugins.web.grammar.free.words import stem, word_similarity
from sparring_plugins.web.grammar.steps import read_steps


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("Check that the author is set to 'Ada'", ["check"]),
        ("Check the box 'News'", ["act"]),
        ("Every row should have a price", ["check"]),
        ("Search results are listed", ["check"]),
        ("Search for lamps", ["act"]),
        ("The lamp comes first", ["check"]),
        ("Press Save and check that the note is gone", ["act", "check"]),
        ("Add the lamp to the cart and go to the checkout", ["act", "act"]),
        ("Click Save and Continue", ["act"]),
        ("First, click on 'A'. Then click on 'B'.", ["act", "act"]),
        ("Verify and confirm that 'A' is displayed", ["check"]),
    ],
)
def test_a_whole_sentence_acts_or_checks(sentence: str, kinds: list[str]) -> None:
    assert [clause.kind for clause in split_sentence(sentence)] == kinds


@pytest.mark.parametrize(
    ("sentence", "checks"),
    [
        ("Check that the colour is set to 'red'", True),
        ("And that the number is 4", True),
        ("The user should click on 'Save'", False),
        ("Make sure to click on 'Save'", False),
    ],
)
def test_a_check_never_acts(sentence: str, checks: bool) -> None:
    assert must_check(sentence) is checks


@pytest.mark.parametrize(
    ("sentence", "intents"),
    [
        ("Log in as ada with the password 'x y'", ["user::ada", "password::x y", "enter_login:log in:"]),
        ("Sign in with ada / countess", ["user::ada", "password::countess", "enter_login:log in:"]),
        ("Enter 4 as the quantity", ["fill:quantity:4"]),
        ("Set the size to XL and the colour to red", ["fill:size:XL", "fill:colour:red"]),
        ("Fill in the title 'A', 5 stars and the note 'B'", ["fill:title:A", "fill:stars:5", "fill:note:B"]),
        ("Search for green lamps", ["search::green lamps"]),
        ("Search for 'green' using the box at the top of the page", ["search::green"]),
        ("Sort by Weight with a click on its heading", ["sort:Weight:"]),
        ("Remove 'Oak' with the bin icon in its row", ["click:Oak:"]),
        ("Choose 'sell as' with the state used", ["click:sell as:", "select:state:used"]),
        ("Choose the file a/b.txt and describe it as 'X'", ["upload::a/b.txt", "fill:description:X"]),
        ("Go to the next page", ["next:next page:"]),
        ("Press Enter", ["press::Enter"]),
        ("Attach the file a/b.txt", ["upload::a/b.txt"]),
        ("Sort the list by price, highest first", ["sort:price, highest first:"]),
        ("Click Delete and confirm that you are sure", ["click:Delete:", "submit::"]),
        ("Fill in only the colour 'pink'", ["fill:colour:pink"]),
        ("Go to the second page", ["page::2"]),
        ("Go to page 12 of the list", ["page::12"]),
        ("Turn to page three", ["page::3"]),
        ("Enter Ida Falk as the name and Oslo as the city", ["fill:name:Ida Falk", "fill:city:Oslo"]),
        ("Enter Salt and Pepper as the name", ["fill:name:Salt and Pepper"]),
        ("Create a shelf without a name, only with the city Oslo",
         ["form:shelf:name\ncity", "leave:name:", "fill:city:Oslo", "finish:shelf:"]),
    ],
)  # fmt: skip
def test_what_a_clause_wants(sentence: str, intents: list[str]) -> None:
    clauses = split_sentence(sentence)
    said = [i for clause in clauses for i in read_intents(clause)]
    assert [f"{i.verb}:{i.words}:{i.value}" for i in said] == intents


def test_a_value_that_is_only_described_is_marked() -> None:
    (intent,) = read_intents(split_sentence("Type the name below into the field 'Name'")[0])
    assert intent.described


def test_an_act_and_a_check_in_one_sentence_are_two_steps() -> None:
    steps = read_steps("Unroll the carpet and check that it somehow looks red")
    assert [step.number for step in steps] == [1, 2]
    assert [step.text.split()[0] for step in steps] == ["Unroll", "check"]


def test_pronouns_are_no_values() -> None:
    steps = read_steps("Copy the text and paste it into the textbox")
    assert not any(r.value == "it" for step in steps for r in step.readings)


def test_words_are_compared_by_stem_synonym_and_number() -> None:
    assert stem("categories") == stem("category")
    assert word_similarity("delete", "remove") > 0.7
    assert word_similarity("four", "4") > 0.9
    assert word_similarity("delete", "save") == 0
    assert read_number("£1,250.00") == 1250
    assert read_number("twelve") == 12
    assert read_number("lamp") is None


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("The third row is X", 3),
        ("X comes last", -1),
        ("The lamp is on top", 1),
        ("X comes first and Y last", 0),
        ("The last page is shown", 0),
    ],
)
def test_the_place_that_a_statement_speaks_of(text: str, position: int) -> None:
    assert Statement(text, ()).position == position


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("Check in the footer that the shop opens at 9", ["check"]),
        ("There's still a red lamp", ["check"]),
        ("Reload - the total is still 5", ["act", "check"]),
        ("Search for oak; only Oak Plank is listed", ["act", "check"]),
        ("Hover over the info icon, a tooltip says 'Help'", ["act", "check"]),
        ("Enter Ida as the name, Oslo as the city", ["act"]),
        ("Click Save, Cancel and Close", ["act"]),
        ("Log in; the code is 4711", ["act"]),
        ("I expect the total to be 5", ["check"]),
    ],
)
def test_what_is_stated_behind_an_act_is_checked(sentence: str, kinds: list[str]) -> None:
    assert [clause.kind for clause in split_sentence(sentence)] == kinds


@pytest.mark.parametrize(
    ("sentence", "intents"),
    [
        ("When the user enters 'Ida' as first name and submits the form",
         ["fill:first name:Ida", "submit:the form:"]),
        ("User ida signs in with her password x1", ["user::ida", "password::x1", "enter_login:log in:"]),
        ("Given I am logged in to the club rowers with the code oar",
         ["user::rowers", "password::oar", "enter_login:log in:"]),
        ("Log in; the private code is 4711", ["password::4711", "enter_login:log in:"]),
        ("Enter the right code, which is 'oar'", ["fill:right code:oar"]),
        ("Enter Ida as the name and leave the rest alone", ["fill:name:Ida"]),
    ],
)  # fmt: skip
def test_who_acts_is_told_to_do_so(sentence: str, intents: list[str]) -> None:
    read = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    assert [f"{i.verb}:{i.words}:{i.value}" for i in read] == intents


@pytest.mark.parametrize(
    ("sentence", "statements"),
    [
        ("Oak and Elm are listed, Ash is not", ["Oak and Elm are listed", "Ash is not listed"]),
        ("Oak must not show up as it was sold", ["Oak does not show up"]),
        ("The text has to be without pictures", ["The text does not contain pictures"]),
        ("I expect two hits", ["there are two hits"]),
        ("Five boats are shown, with Oak on top", ["Five boats are shown", "Oak comes first"]),
        ("The page shows 'Oak', made by Ida, price 5",
         ["The page shows ⟦0⟧", "the made by is Ida", "the price is 5"]),
        ("'A' is on top, followed by 'B'", ["⟦0⟧ is on top, followed by ⟦1⟧"]),
        ("It must be refused: 'No seats'", ["a message says that ⟦0⟧"]),
        ("Check that the total went down to 210 EUR", ["the total is now 210 EUR"]),
        ("Check that the heading has changed to 'Oak'", ["the heading is now ⟦0⟧"]),
        ("Check that all 12 boats are listed", ["12 boats are listed"]),
        ("Check that the result is the boat 'Oak'", ["⟦0⟧ is listed"]),
    ],
)  # fmt: skip
def test_a_check_is_read_as_what_it_states(sentence: str, statements: list[str]) -> None:
    (clause,) = split_sentence(sentence)
    assert [statement.text for statement in read_statements(clause)] == statements


def test_a_name_in_front_is_no_verb() -> None:
    statement = Statement("Read isn't ticked", ())
    assert (statement.subject, statement.verb) == ("Read", "isn't")


@pytest.mark.parametrize(
    ("sentence", "checks"),
    [
        ("Say 'none' for the reason", False),
        ("Mention 'Bob' in the note", False),
        ("The page says 'Saved'", True),
        ("It should say 'Saved'", True),
    ],
)
def test_an_order_to_say_something_checks_nothing(sentence: str, checks: bool) -> None:
    assert is_check(sentence) is checks


def test_an_only_in_front_may_ask_for_an_act() -> None:
    assert may_act("Only show what is free")
    assert not may_act("Only Heron is shown")
