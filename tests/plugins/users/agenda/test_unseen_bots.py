"""What the bots of nobody's corpus ask for: formats, codes, towns, menus of services."""

import pytest

from sparring.interfaces.roles import OutputSpec
from sparring.model.talk import Observation
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.choosing.choices import distinct_option
from sparring_plugins.users.agenda.choosing.stated_answers import sending_option
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.open_form import open_form
from sparring_plugins.users.agenda.state.user_goals import output_goals, reports_figure
from sparring_plugins.users.agenda.words.goal_phrases import form_of


def texts_of(sentence: str, kind: str) -> list[str]:
    """The values of one kind that a sentence of a context states."""
    return [fact.text for fact in facts_of((sentence,)) if kind in fact.kinds]


@pytest.mark.parametrize(
    ("text", "kind", "hint", "expected"),
    [
        ("14 February 1968", "date", "Your date of birth as DDMMYYYY, please.", "14021968"),
        ("14 February 1968", "date", "Write it as YYYYMMDD.", "19680214"),
        ("0049 761 5588", "phone", "In international format, like +49 30 1234567.", "+49 761 5588"),
        ("0761 5588", "phone", "like +49 30 1234567.", "+49 761 5588"),
        ("0761 5588", "phone", "Your phone number, please.", "0761 5588"),
    ],
)
def test_a_value_is_put_as_the_app_asks_for_it(
    text: str, kind: str, hint: str, expected: str
) -> None:
    assert put_as_asked(text, frozenset({kind}), hint, 0, "English") == expected


@pytest.mark.parametrize(
    ("sentence", "kind", "expected"),
    [
        ("you live at Lindenweg 5 in 50667 Köln", "postcode", ["50667"]),
        ("you live at Lindenweg 5 in 50667 Köln", "city", ["Köln"]),
        ("you live in LE2 4PT", "postcode", ["LE2 4PT"]),
        ("your IBAN is DE02 1203 0000 0000 2020 51", "iban", ["DE02 1203 0000 0000 2020 51"]),
        ("you would have flown to Norway", "city", ["Norway"]),
        ("it is for your niece Eve, who is 6 and shy", "age", ["6"]),
        ("Nora Blake, born 02/03/1971", "name", ["Nora Blake"]),
    ],
)
def test_facts_keep_codes_towns_and_names_apart(
    sentence: str, kind: str, expected: list[str]
) -> None:
    assert texts_of(sentence, kind) == expected


def test_codes_are_no_streets() -> None:
    assert texts_of("your postcode is LE2 4PT", "address") == []
    assert texts_of("your IBAN is DE02 1203 0000 0000 2020 51", "address") == []


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Enter your date of birth as DDMMYYYY (8 digits, no spaces).", {"birth"}),
        ("To which account? Please enter the IBAN.", {"iban"}),
        ("In which country was that?", {"country"}),
        ("Would you like us to call you when it is ready?", set()),
        ("Who is it from?", {"name"}),
    ],
)
def test_a_question_asks_for_kinds_of_data(question: str, kinds: set[str]) -> None:
    assert asked_kinds(folded(question)) == kinds


def test_the_number_of_a_thing_is_a_code() -> None:
    assert "code" in asked_kinds("whats the number of your claim")
    assert "how_many" not in asked_kinds("whats the number of your claim")
    assert "code" not in asked_kinds("what is the number of your guests")


def test_a_menu_of_services_sends_nothing() -> None:
    assert sending_option(["Book an appointment", "Cancel an appointment"]) is None
    assert sending_option(["Book it", "Cancel"]) == 0


def test_a_goal_finds_the_service_that_declines_by_its_first_word() -> None:
    options = ["Book an appointment", "Cancel an appointment"]
    assert distinct_option(options, "cancel my appointment") == 1


@pytest.mark.parametrize(
    "text",
    [
        "Type an amount or all.",
        "Type the age, or 'cancel'.",
        "Please reply with a number from 1 to 3, or type BACK.",
        "Enter your mobile, or 0 for no reminder.",
        "Last one: your e-mail address, for the confirmation?",
    ],
)
def test_what_is_to_be_typed_is_no_option(text: str) -> None:
    assert read_app_reply(Observation(text=text)).options == ()


def test_the_main_menu_or_the_end_asks_what_else() -> None:
    text = "Booked. Please come 10 minutes early.\nReply 1 for the main menu or 2 to end the chat."
    reply = read_app_reply(Observation(text=text))
    assert reply.done
    assert reply.asks_what_else
    assert reply.questions[-1].marks == ("1", "2")


def test_how_to_answer_leaves_the_question_open() -> None:
    texts = [
        "Hello! How can I help?",
        "Which number can we reach you at?",
        "Please enter your number in the international format, like +49 30 1234567.",
    ]
    form = open_form([read_app_reply(Observation(text=text)) for text in texts])
    assert form is not None
    assert form.question.text == texts[1]
    assert form.times == 1


def test_an_invalid_value_leaves_the_form_open() -> None:
    texts = ["Hello!", "Which IBAN may we use?", "This IBAN isn't valid."]
    assert open_form([read_app_reply(Observation(text=text)) for text in texts]) is not None


def test_thanks_that_end_a_conversation_are_no_misunderstanding() -> None:
    assert not read_app_reply(Observation(text="You're welcome. Goodbye!")).fallback


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("the afternoon would be best", "the afternoon would be best"),
        (
            "get your money back for the trip you had to cancel because you are ill",
            "my money back for the trip I had to cancel because I am ill",
        ),
    ],
)
def test_clauses_are_in_the_users_own_person(goal: str, words: str) -> None:
    assert form_of(goal, "English", has_values=True)[1] == words


@pytest.mark.parametrize(
    ("wanted", "stated", "told"),
    [
        ("how many loans you have left", "You have 3 loans left this month.", True),
        ("how many hours the repair takes", "The repair costs $35.", False),
        ("how many rooms the flat has", "The flat has a garden.", False),
        ("how long it takes", "Noted: 1 can of water.", False),
    ],
)
def test_a_figure_tells_what_it_counts(wanted: str, stated: str, told: bool) -> None:
    spec = OutputSpec(name="count", type="int", description=wanted)
    (goal,) = output_goals((spec,), "English")
    assert reports_figure(goal, stated) is told
