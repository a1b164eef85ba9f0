"""Everyday wordings and the plainer ones that they are read as."""

from typing import Literal

import pytest

from sparring_plugins.web.grammar.free.rewordings import reword, rewordings
from sparring_plugins.web.grammar.free.sentences import Clause, mask, restore_quotes


def put(sentence: str, kind: Literal["checks", "acts"]) -> str:
    text, quotes = mask(sentence)
    clause = reword(Clause(text, "check", quotes), kind)
    return restore_quotes(clause.text, clause.quotes).replace('"', "'")


EXAMPLES = [
    (kind, *rewording.example.split(" > "))
    for kind in ("checks", "acts")
    for rewording in rewordings(kind)
]


@pytest.mark.parametrize(("kind", "sentence", "plainer"), EXAMPLES)
def test_each_rewording_does_what_its_example_says(
    kind: Literal["checks", "acts"], sentence: str, plainer: str
) -> None:
    assert put(sentence, kind) == plainer


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        # what is not in quotes may be the heading of a folded part: it can be read, its text not
        ("checks", "The rules can be read as well"),
        ("checks", "Guests do not get to see the rota"),
        ("checks", "Oak has lost its first place"),
        # what stands in brackets behind a login is a secret, and a value elsewhere
        ("acts", "Log in as ada (Oar)"),
        ("acts", "Select the boat (Heron)"),
        ("acts", "put it on the shelf"),
        ("acts", "close the dialog with Escape"),
        ("acts", "close the dialog with the cross"),
        ("acts", "Log in as mia"),
    ],
)
def test_what_may_mean_something_else_stays(kind: Literal["checks", "acts"], sentence: str) -> None:
    assert put(sentence, kind) == sentence
