"""Optional questions: what skips them, fields that are only named, and what is asked if there is any."""

import pytest

from sparring.model.talk import Act, Observation, Say
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.open_form import types_dash

from .talks import next_act


def answer(text: str, *, goal: str = "join the club", context: tuple[str, ...] = ()) -> Act | None:
    """What a user says to a question in the middle of a form."""
    turns = (
        ("I want to join the club.", Observation(text="Your name?")),
        ("Ann Lee", Observation(text=text)),
    )
    return next_act(goal, ("you are Ann Lee", *context), *turns)


FIELD = "Employer or school for the badge? This one is optional: a dash (-) leaves it empty."
VOUCHER = "If somebody gave you a voucher, enter it now; otherwise a dash."


@pytest.mark.parametrize("text", [FIELD, VOUCHER])
def test_what_nobody_knows_is_skipped_as_the_app_says(text: str) -> None:
    assert answer(text) == Say(text="-")


def test_what_the_profile_has_is_given_though_it_is_optional() -> None:
    assert answer(VOUCHER, context=("a friend gave you the voucher FRIENDS10",)) == Say(
        text="FRIENDS10"
    )
    assert answer("Company for the badge? A dash (-) if none.", context=("you work for Ashby",)) == Say(text="Ashby")  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [VOUCHER, "Falls du einen Gutschein hast, gib ihn jetzt ein.", "Si tienes un código, escríbelo."],
)  # fmt: skip
def test_what_is_to_be_typed_if_there_is_any_is_a_question(text: str) -> None:
    (question,) = read_app_reply(Observation(text=text)).questions
    assert question.kind == "open"


@pytest.mark.parametrize(
    "text", ["If it is late, try the other line.", "If you like it, come and see it."]
)
def test_advice_for_some_case_asks_for_nothing(text: str) -> None:
    assert read_app_reply(Observation(text=text)).questions == ()


def test_a_field_that_is_only_named_has_no_options() -> None:
    (question,) = read_app_reply(Observation(text=FIELD)).questions
    assert (question.kind, question.options) == ("open", ())


def test_a_dash_in_a_sentence_skips_nothing() -> None:
    assert not types_dash("We ring you - if you are at home - at noon.")


def test_what_stands_beside_options_is_no_option() -> None:
    text = "We have Adult (£30), Junior (£9, with a card) and Remote (£6). Which would be yours?"
    (question,) = read_app_reply(Observation(text=text)).questions
    assert question.options == ("Adult", "Junior", "Remote")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Either another guide or another tour: which is it?", ("another guide", "another tour")),
        ("It is full. You wait, or you pick another: A – Harp, C – Flute.", ("Harp", "Flute")),
        ("Time?\n1 07-12\n2 12-17\n3 17-21 (+ £2.50)", ("07-12", "12-17", "17-21 (+ £2.50)")),
    ],
)
def test_alternatives_are_read_however_they_are_put(text: str, options: tuple[str, ...]) -> None:
    (question,) = read_app_reply(Observation(text=text)).questions[-1:]
    assert (question.kind, question.options) == ("select", options)


def test_a_span_of_hours_is_chosen_by_the_part_of_the_day() -> None:
    text = "Time?\n1 07-12\n2 12-17\n3 17-21\n9 Back\nReply with a number."
    assert answer(text, goal="have it brought in the evening") == Say(text="3")


def test_an_offer_of_what_a_goal_names_is_taken_up() -> None:
    text = "There is a dinner in the old mill. It costs £30. Would you like a seat?"
    wants = answer(text, goal="join the club with the dinner")
    assert isinstance(wants, Say)
    assert wants.text.lower().startswith("yes")
    declines = answer(text, context=("you want no dinner",))
    assert isinstance(declines, Say)
    assert declines.text.lower().startswith("no")


def test_one_person_is_named_once_though_two_questions_ask() -> None:
    text = "Who takes over? Full name and e-mail address, please."
    goal = "have the place put in the name of Lena Moss"
    said = answer(text, goal=goal, context=("Lena Moss takes over, lena@example.org",))
    assert said == Say(text="Lena Moss, lena@example.org")
