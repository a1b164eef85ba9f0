"""How many, where an app shows only some counts to choose from: never another one in silence."""

import pytest

from .talks import replies_to

TABLE = "book a table for 6 people on Friday at 19:00"
BOAT = "reserve the boat tour for 2 adults and 7 children"
WATER = "order 12 bottles of water"


@pytest.mark.parametrize(
    ("goal", "context", "question", "right"),
    [
        (TABLE, "", ("How many people?", "1", "2", "3", "4"), "6"),
        (TABLE, "", ("How many people?", "1", "2", "3", "4", "5+"), "5+"),
        (TABLE, "", ("How many people?", "1", "2", "3", "4", "More"), "More"),
        (TABLE, "", ("How many people?", "1-2", "3-4", "5-8"), "5-8"),
        (TABLE, "", ("Party size?", "2", "4", "5"), "6"),
        (TABLE, "", ("Number of guests?", "1", "2", "3", "4", "5 or more"), "5 or more"),
        (BOAT, "", ("How many children (under 15)?", "0", "1", "2", "3"), "7"),
        (BOAT, "", ("How many adults?", "1", "2", "3", "4"), "2"),
        ("reserve the boat tour", "you are two adults and seven children",
         ("How many children?", "0", "1", "2", "3"), "7"),
        ("reserve the boat tour", "you are two adults and no children",
         ("How many children?", "0", "1", "2", "3"), "0"),
        ("rent bikes for 5 days", "you need 8 bikes", ("How many bikes?", "1", "2", "3"), "8"),
        ("rent bikes for 5 days", "", ("For how many days?", "1 day", "2 days", "7 days"), "5"),
        (WATER, "", ("How many bottles?", "1", "2", "6", "Other amount"), "Other amount"),
        (WATER, "", ("How many bottles would you like?", "1", "2", "6"), "12"),
    ],
)  # fmt: skip
def test_a_count_that_is_not_offered_is_said(
    goal: str, context: str, question: tuple[str, ...], right: str
) -> None:
    talk = ["What can I do for you?", "Which name?", question]
    assert replies_to([goal], [context] if context else [], talk)[-1] == right


@pytest.mark.parametrize(
    ("goal", "question", "language"),
    [
        ("einen Tisch für 9 Personen reservieren", "Für wie viele Personen?", "German"),
        ("reservar una mesa para 9 personas", "¿Para cuántas personas?", "Spanish"),
        ("réserver une table pour 9 personnes", "Pour combien de personnes ?", "French"),
    ],
)
def test_so_in_other_languages(goal: str, question: str, language: str) -> None:
    talk = ["...", "Name?", (question, "2", "4", "6")]
    assert replies_to([goal], [], talk, language=language)[-1] == "9"


def test_an_app_that_turns_the_count_down_gets_the_greatest_it_names() -> None:
    buttons = ("1", "2", "3", "4")
    talk = [
        "What can I do for you?",
        "Which name?",
        ("How many people?", *buttons),
        ("Please choose one of the numbers. How many people?", *buttons),
    ]
    assert replies_to([TABLE], ["if that is too many, you take as many as possible"], talk)[
        -2:
    ] == ["6", "4"]


def test_the_limit_of_what_is_asked_for_is_taken() -> None:
    talk = [
        "What can I do for you?",
        "Which name?",
        ("How many children?", "0", "1", "2", "3"),
        "A boat holds 9. With 2 adult(s) we can seat up to 5 children. How many children?",
    ]
    context = ["if that is too many, you take as many as possible"]
    assert replies_to([BOAT], context, talk)[-1] == "5"
