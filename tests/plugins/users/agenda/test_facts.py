"""Facts from plain sentences, the questions that they answer, and the form that apps ask for."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Observation
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.formats import put_as_asked, shape_fit
from sparring_plugins.users.agenda.profile.stances import stance
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.replies.question_kinds import typed_no, typed_yes
from sparring_plugins.users.agenda.state.known_values import best_values, known_values
from sparring_plugins.users.agenda.state.open_form import open_form

BOAT = (
    "your name is Mara Lind and your mobile is 0171 555 0199",
    "your boat is a Flying Gull with the registration NK47 BTR, it has done about 900 miles",
    "you do not need a mooring, you live in 12 Harbour Lane, Wexcombe",
    "you are 52 years old, member number 4410982",
)


def found(question: str, context: tuple[str, ...] = BOAT) -> str:
    """The text of the value of a context that answers a question best; empty for none."""
    task = UserTask(
        goals=(Goal(phrase="rent a berth", template="rent a berth"),), context=context, seed=1
    )
    ranked = best_values(question, known_values(task, (), ()), hint="")
    return ranked[0][1].text if ranked else ""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the registration of the boat?", "NK47 BTR"),
        ("How many miles has it done?", "900"),
        ("On which number can we reach you?", "0171 555 0199"),
        ("Your full name, please.", "Mara Lind"),
        ("What kind of boat is it?", "Flying Gull"),
        ("What is your address?", "12 Harbour Lane, Wexcombe"),
        ("How old are you?", "52"),
        ("Please enter your membership number.", "4410982"),
        ("Which colour do you want?", ""),
        ("How many guests will there be?", ""),
    ],
)
def test_a_question_is_answered_by_the_fact_that_it_names(question: str, value: str) -> None:
    assert found(question) == value


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you need a mooring for it?", False),
        ("Shall we clean the hull?", None),
        ("Has the boat been insured?", True),
        ("Would you like a cover?", False),
    ],
)
def test_yes_and_no_come_from_what_clauses_say(question: str, answer: bool | None) -> None:
    texts = ("you do not need a mooring", "the boat is insured", "from Monday, without a cover")
    assert stance(question, texts) is answer


def test_somebody_else_is_not_the_user() -> None:
    facts = facts_of(("your sister is Ada Bell",))
    assert [(fact.text, fact.own) for fact in facts] == [("Ada Bell", False)]
    assert not facts_of(("you are Spanish",))


@pytest.mark.parametrize(
    ("text", "kind", "hint", "times", "put"),
    [
        ("7 September 1988", "date", "Please use DD/MM/YYYY.", 0, "07/09/1988"),
        ("03/05/2027", "date", "such as 2027-12-31", 0, "2027-05-03"),
        ("03/05/2027", "date", "TT.MM.JJJJ", 0, "03.05.2027"),
        ("03/05/2027", "date", "I need a day, such as 5 April 2027.", 0, "3 May 2027"),
        ("03/05/2027", "date", "Which day?", 0, "03/05/2027"),
        ("03/05/2027", "date", "Sorry?", 1, "3 May 2027"),
        ("tomorrow", "date", "DD/MM/YYYY", 0, "tomorrow"),
        ("0171 555 0199", "phone", "digits only, please", 0, "01715550199"),
        ("0171 555 0199", "phone", "Your number?", 0, "0171 555 0199"),
        ("4 pm", "time", "HH:MM", 0, "16:00"),
        ("16:30", "time", "for example 9 am", 0, "4:30 pm"),
        ("two pieces 2", "number", "a number", 1, "2"),
    ],
)
def test_a_value_is_put_as_the_app_asks_for_it(
    text: str, kind: str, hint: str, times: int, put: str
) -> None:
    assert put_as_asked(text, frozenset({kind}), hint, times, "English") == put


@pytest.mark.parametrize(
    ("code", "hint", "fit"),
    [
        ("NK47 BTR", "It should be like AB12 CDE.", 1.0),
        ("900", "It should be like AB12 CDE.", -1.0),
        ("4410982", "It has 7 digits and begins with 4.", 1.0),
        ("4410982", "Which number?", 0.0),
    ],
)
def test_a_code_fits_the_shape_that_the_app_describes(code: str, hint: str, fit: float) -> None:
    assert shape_fit(code, hint) == fit


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("Type 'agree' to go on.", "agree", None),
        ("Is that right? (1) Yes or (2) No", "1", "2"),
        ("Is that right?", None, None),
    ],
)
def test_the_word_for_a_yes_is_the_apps(text: str, yes: str | None, no: str | None) -> None:
    assert (typed_yes(text), typed_no(text)) == (yes, no)


@pytest.mark.parametrize(
    ("texts", "question", "times"),
    [
        (("Hello!", "What is your name?"), "What is your name?", 0),
        (("Hello!", "On which date?", "Please use DD/MM/YYYY."), "On which date?", 1),
        (
            ("Hello!", "Your street, please.", "It must be like Long Row 7."),
            "Your street, please.",
            1,
        ),
        (("Hello!", "Which size?", "Booked. Anything else?"), None, 0),
        (("Hello!", "On which date? Please write it as YYYY-MM-DD."), "On which date?", 0),
        (("What can I do for you?",), None, 0),
    ],
)
def test_a_complaint_leaves_the_question_open(
    texts: tuple[str, ...], question: str | None, times: int
) -> None:
    form = open_form([read_app_reply(Observation(text=text)) for text in texts])
    assert (form.question.text if form else None) == question
    assert (form.times if form else 0) == times


@pytest.mark.parametrize(
    ("text", "options", "marks"),
    [
        ("Pick-up where? 1 Mill, 2 Quay or 3 Hill?", ("Mill", "Quay", "Hill"), ("1", "2", "3")),
        ("Where?\n1 Mill\n2 Quay", ("Mill", "Quay"), ("1", "2")),
        ("Your date of birth (DD/MM/YYYY)?", (), ()),
        ("Any notes? (optional, say 'skip' to go on)", (), ()),
    ],
)
def test_options_are_numbered_and_patterns_are_none(
    text: str, options: tuple[str, ...], marks: tuple[str, ...]
) -> None:
    question = read_app_reply(Observation(text=text)).questions[-1]
    assert (question.options, question.marks) == (options, marks)


@pytest.mark.parametrize(
    ("sentence", "kind", "value"),
    [
        ("Sie heißen Birgit Conrad", "name", "Birgit Conrad"),
        ("vous êtes Marie Dupont", "name", "Marie Dupont"),
        ("vous vous appelez Luc Morel", "name", "Luc Morel"),
        ("tú eres Ana López", "name", "Ana López"),
        ("votre adresse est le 14 rue des Carmes", "address", "14 rue des Carmes"),
        ("vous habitez au 3 bis place du Marché", "address", "3 bis place du Marché"),
        ("the hamper is for your aunt, Ada Bell", "person", "Ada Bell"),
    ],
)
def test_facts_are_read_with_accents_and_elisions(sentence: str, kind: str, value: str) -> None:
    assert (kind, value) in [(k, fact.text) for fact in facts_of([sentence]) for k in fact.kinds]


def test_two_equal_numbers_of_one_clause_are_two_facts() -> None:
    facts = facts_of(["vous êtes deux adultes et deux enfants de 6 et 9 ans"])
    counted = [fact.names for fact in facts if fact.text == "deux"]
    assert len(counted) == 2
    assert any("child" in names for names in counted)
