"""Which sentences are read as a whole, and which are left to the grammar."""

import pytest

from sparring_plugins.web.runner.clauses.playing import ACTS
from sparring_plugins.web.runner.clauses.reading import read_clauses, table

_FORMS = [(form.act, example) for form in table().forms if not form.ordinary for example in form.examples]  # fmt: skip


@pytest.mark.parametrize(("act", "example"), _FORMS)
def test_each_example_is_read_by_its_form(act: str, example: str) -> None:
    assert act in [clause.act for clause in read_clauses(example)]


def test_each_form_has_an_act_and_an_example() -> None:
    assert {form.act for form in table().forms} == set(ACTS)
    assert all(form.examples for form in table().forms)


@pytest.mark.parametrize(
    "sentence",
    [
        "Click on 'Save'",
        "Press 'Save' and press 'Close'",
        "Paste it into the text box",  # nothing was copied
        "Reply to them with the text 'Hello'",  # nobody was found
        "Delete it",
        "Find the message from 'Ida' and print it twice in colour",
        "Copy the text in the text area, paste it into the text box and check that it is red",
        "Drag 'Tea' to 'Coffee'",
        "Select 'Tea' from the list",
        "Open the invoice R-204",
        "Click on 'unclosed",
        "x" * 1000,
        "",
    ],
)
def test_what_is_not_wholly_known_is_not_read(sentence: str) -> None:
    assert read_clauses(sentence) == ()


def test_what_stands_in_quotes_is_kept_to_the_letter() -> None:
    found, reply = read_clauses(
        "Find the mail from 'Ida, Jon and Co.' and reply with \"And then?\""
    )
    assert found.text("name") == "Ida, Jon and Co."
    assert (reply.act, reply.text("text")) == ("reply", "And then?")


def test_a_sentence_without_quotes_keeps_its_names() -> None:
    found, pressed, sent = read_clauses(
        "Find Ida Holm in the address book, click on their phone number and press Submit."
    )
    assert [found.text("name"), pressed.text("label"), sent.text("label")] == [
        "Ida Holm",
        "phone number",
        "Submit",
    ]
