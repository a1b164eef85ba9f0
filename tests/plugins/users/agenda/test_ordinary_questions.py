"""Ordinary questions that are easily misread: an "or" that offers nothing, facts nobody knows."""

import pytest

from sparring.model.talk import Observation
from sparring_plugins.users.agenda.answers.rewritten_answers import as_demanded
from sparring_plugins.users.agenda.choosing.suitable_times import on_suitable_days
from sparring_plugins.users.agenda.profile.asked_facts import (
    asks_fact,
    may_answer,
    may_be_fact,
)
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.people import people_of
from sparring_plugins.users.agenda.profile.relative_days import without_later_events
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.words.goal_phrases import form_of

from .talks import replies_to

HELLO = "Good day! What may it be?"


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("And your flat or door number?", ()),
        ("Please give us your member or customer number.", ()),
        ("Name or company name?", ()),
        ("Ihre Vertrags- oder Kundennummer, bitte?", ()),
        ("Where does the crate go? (town, country)", ()),
        ("Do you have any pets or plants?", ()),
        ("¿Tiene alguna herida o fiebre?", ()),
        ("Avez-vous des blessures ou des douleurs ?", ()),
        ("His or her signature is needed. Who is the tenant?", ()),
        ("What is your bank? (e.g. Norbank, Estbank)", ()),
        ("By letter or by phone?", ("By letter", "by phone")),
        ("Is it a folding boat or a hard one?", ("folding boat", "hard one")),
        ("Do you want a single or a double cabin?", ("single", "double cabin")),
        ("Yes or no?", ("Yes", "no")),
    ],
)
def test_an_or_between_names_of_one_datum_offers_no_choice(
    question: str, offered: tuple[str, ...]
) -> None:
    asked = read_app_reply(Observation(text=question)).questions
    found = next((q.options for q in asked if q.options), ())
    assert found == offered


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (
            "Which would you like? The steam bath, a massage, or the salt room.",
            ("steam bath", "massage", "salt room"),
        ),
        ("Pick an hour: a) Monday 9:00 b) Tuesday 12:30 c) Friday 17:00", 3),
        ("Open courses:\nK1 – Mon, 10:00\nK2 – Thu, 18:00\nPlease answer with the code.", 2),
        ("Which plan?\n[S] 3 films\n[L] 9 films", 2),
    ],
)
def test_options_beside_a_question_are_read(text: str, offered: tuple[str, ...] | int) -> None:
    options = read_app_reply(Observation(text=text)).questions[-1].options
    assert len(options) == offered if isinstance(offered, int) else options == offered


@pytest.mark.parametrize(
    ("answer", "demand", "again"),
    [
        ("0442 118 220", "That is no number. Please write it without blanks.", "0442118220"),
        ("£2,450", "Invalid. Digits only, no currency sign.", "2450"),
        ("2 450 €", "Erreur : uniquement des chiffres.", "2450"),
        ("1 October", "I cannot read that. Use digits, e.g. 24/12.", "01/10"),
        ("01 70 18 99 00", "With the country code, please: +33.", "+33 1 70 18 99 00"),
        ("kx 4471", "Please use capital letters.", "KX 4471"),
        ("KX4471", "Wrong format, it looks like AB-1234.", "KX-4471"),
        ("12.50", "Digits only.", "12.50"),
        ("Nora Field", "Please enter it again.", "Nora Field"),
    ],
)
def test_an_answer_is_written_as_it_is_demanded(answer: str, demand: str, again: str) -> None:
    assert as_demanded(answer, demand, "English") == again


def test_what_is_turned_down_for_its_form_is_said_again_in_that_form() -> None:
    said = replies_to(
        ["report a lost bag"],
        ["on the tag stands 0442 118220", "your flight was ZX 1517"],
        [
            HELLO,
            "Which number is on the tag?",
            "❌ That is no tag. It has 10 figures, no spaces please.",
        ],
    )
    assert said[-1] == "0442118220"


def test_the_next_question_gets_no_answer_of_the_last_one() -> None:
    said = replies_to(
        ["report a lost bag"],
        ["on the tag stands 0442 118220", "your mobile is 07700 900 412"],
        [
            HELLO,
            "What is written on the tag?",
            "No problem, thank you. Your mobile number? Without blanks, please.",
        ],
    )
    assert said[-1] == "07700900412"


@pytest.mark.parametrize(
    "question",
    [
        "Thanks. What is your order number? Digits only, no letters.",
        "No problem. Your order number? Without blanks, please.",
        "Noted. Please type your order number, digits only.",
    ],
)
def test_a_form_asked_of_the_next_answer_turns_nothing_down(question: str) -> None:
    said = replies_to(
        ["have a lamp exchanged"],
        ["you bought it on 14 June", "your order is 5520418"],
        [HELLO, "When did you buy it?", question],
    )
    assert said[1:] == ["14 June", "5520418"]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what year is the cooker from", True),
        ("how many miles did the scooter do", True),
        ("what is the serial number of the printer", True),
        ("wann haben sie den drucker gekauft", True),
        ("when have you noticed it", True),
        ("wann haben sie es bemerkt", True),
        ("cuando ha llegado", True),
        ("when shall we come", False),
        ("when did you want to come", False),
        ("wann haben sie zeit", False),
        ("on which day would you like to have it", False),
        ("quand avez vous le temps", False),
        ("how many tickets would you like", False),
        ("which colour do you prefer", False),
    ],
)
def test_questions_for_facts_are_told_from_questions_for_wishes(question: str, fact: bool) -> None:
    assert asks_fact(question) is fact


def test_a_year_is_no_other_number_and_no_other_number_a_year() -> None:
    assert not may_be_fact("how many degrees has the slope", "2018")
    assert may_be_fact("in which year was it built", "2018")
    assert not may_be_fact("in which year was it built", "E24")
    assert not may_answer("how many miles did the scooter do", "the scooter is a Nordan")
    assert may_answer("how many miles did the scooter do", "it did 4,200 miles")


@pytest.mark.parametrize(
    ("question", "context", "answer"),
    [
        ("How many miles did the scooter do?", ["the scooter is a Nordan"], "I don't know."),
        ("What year is the cooker from?", ["the cooker is an E24"], "I don't know."),
        (
            "What is the serial number of the printer?",
            ["the printer has no serial number any more"],
            "The printer has no serial number any more",
        ),
    ],
)
def test_what_the_profile_does_not_hold_is_not_known(
    question: str, context: list[str], answer: str
) -> None:
    said = replies_to(["have it repaired"], context, [HELLO, question])
    assert said[-1] == answer


@pytest.mark.parametrize(
    ("context", "wanted"),
    [
        (["you're free on Tuesdays and Thursdays"], (1, 3)),
        (["Mondays don't suit you"], (1, 2, 3)),
        (["you were there last Monday"], (0, 1, 2, 3)),
        (["you never come at weekends"], (0, 1, 3)),
    ],
)
def test_days_that_suit(context: list[str], wanted: tuple[int, ...]) -> None:
    options = ["Mon, 9:00", "Tue, 18:30", "Saturday, 10:00", "Thu, 17:15"]
    assert on_suitable_days(options, context) == wanted


@pytest.mark.parametrize(
    ("context", "chosen"),
    [
        (["only the afternoons suit you"], "Tuesday, 14:40"),
        (["you are free on Wednesdays from 4 pm"], "Wednesday, 16:15"),
    ],
)
def test_a_time_that_suits_is_chosen_beside_its_day(context: list[str], chosen: str) -> None:
    menu = ("Which time?", "Monday, 9:20", "Tuesday, 14:40", "Wednesday, 10:00", "Wednesday, 16:15")
    said = replies_to(["book a hearing test"], context, [HELLO, menu])
    assert said[-1] == chosen


def test_what_somebody_fears_or_has_not_got_is_left_out() -> None:
    tours = "Which tour? The Vault (pitch dark) or The Garden (in the open)."
    said = replies_to(
        ["book a tour"],
        ["your aunt is scared of the dark"],
        [HELLO, (tours, "The Vault", "The Garden")],
    )
    assert said[-1] == "The Garden"


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("the mother of Ole Brandt from 7A", "Ole Brandt"),
        ("somebody who is the guardian of Mia Sand (5C)", "Mia Sand"),
        ("a man who enrols his daughter Ida Moor in the choir", "Ida Moor"),
    ],
)
def test_a_child_is_named_in_the_role(role: str, name: str) -> None:
    person = people_of([], role, ["get a letter"]).meant("The full name of the child, please?")
    assert person is not None
    assert person.name == name


def test_a_class_is_a_code_and_a_postcode_no_town() -> None:
    assert any(f.text == "8B" and "class" in f.names for f in facts_of(["your son is in class 8B"]))
    assert not any(f.text == "5G" for f in facts_of(["you have a 5G router"]))
    kinds = {f.text: f.kinds for f in facts_of(["it goes from OX4 2JD to M14 5RX"])}
    assert kinds["OX4 2JD"] == kinds["M14 5RX"] == frozenset({"postcode"})
    assert not {"OX4", "M14"} & kinds.keys()


def test_postcodes_of_both_ends_of_a_way() -> None:
    said = replies_to(
        ["have a crate collected"],
        ["your home is at YO1 7HH, your sister lives at PL4 8AA"],
        [
            HELLO,
            "Where do we pick it up? The postcode will do.",
            "And which postcode shall it go to?",
        ],
    )
    assert said[1:] == ["YO1 7HH", "PL4 8AA"]


def test_the_number_of_the_house_alone() -> None:
    said = replies_to(
        ["order a compost bin"],
        ["you live at 8 Ferry Road, YO1 7HH"],
        [HELLO, "What is the postcode?", "And the door number, please?"],
    )
    assert said[-2:] == ["YO1 7HH", "8"]


def test_a_planned_change_is_made_where_only_yes_and_no_are_offered() -> None:
    said = replies_to(
        ["book a lane at 16:40", "when they ask if it is right, change the time to 17:00"],
        ["your name is Rita Sommer"],
        [
            HELLO,
            "What is your name?",
            ("Rita Sommer, a lane at 16:40. Is this right?", "Yes", "No"),
            "What should be corrected?",
        ],
    )
    assert said[2] == "No"
    assert "17:00" in said[3]


def test_another_service_is_no_part_of_a_read_back() -> None:
    said = replies_to(
        ["get a letter for Ole", "report that Ole will miss school on 10 March 2027"],
        [],
        [HELLO, ("A letter for Ole Brandt, sent by post. Is that right?", "Yes", "No")],
    )
    assert said[-1] == "Yes"


def test_a_thing_with_a_fault_is_reported() -> None:
    form = form_of("tell the school about a gate that sticks in the rain", "English", False)
    assert form == ("action", "report a gate that sticks in the rain")


def test_what_happens_later_is_another_event() -> None:
    report = "All set! Your shoes are ready on 13 March."
    assert without_later_events(report, "drop your shoes off on 10 March") == "All set!"
    back = without_later_events(report, "have them ready on 10 March")
    assert back.split("\n") == ["All set!", "Your shoes are ready on 13 March."]
    moved = "Your delivery arrives on 13 March."
    assert without_later_events(moved, "have it delivered on 10 March") == moved


@pytest.mark.parametrize(
    ("goal", "context", "read_back", "right"),
    [
        ("order a ticket", ["you have a Saver 25"], "One ticket with a Saver 50", "Saver 25"),
        ("order a ticket", ["you have a Saver 25"], "One ticket with a Saver 25", ""),
        (
            "order one large calzone and one small bruschetta",
            [],
            "1 x calzone large, 1 x bruschetta large",
            "small bruschetta",
        ),
        (
            "order one large calzone and one small bruschetta",
            [],
            "1 x calzone large, 1 x bruschetta small",
            "",
        ),
        (
            "have a cleaner come",
            ["you live at 18 Mill Street, Leeds"],
            "A cleaner comes to 18 Mill Street in Derby",
            "Leeds",
        ),
        (
            "have a cleaner come",
            ["you live at 18 Mill Street, Leeds"],
            "A cleaner comes to 18 Mill Street in Leeds",
            "",
        ),
        ("have a cleaner come on May 12", [], "A cleaner comes on May 12", ""),
    ],
)
def test_a_read_back_is_compared_with_what_nobody_asked_for(
    goal: str, context: list[str], read_back: str, right: str
) -> None:
    said = replies_to([goal], context, [HELLO, f"Let me repeat: {read_back}. Is that right?"])
    if right:
        assert right in said[-1]
    else:
        assert said[-1].startswith("Yes")


@pytest.mark.parametrize(
    "question",
    ["Did I get everything?", "All good?", "Richtig so?", "Tout est bon ?", "¿Está todo correcto?"],
)
def test_short_questions_for_a_confirmation(question: str) -> None:
    asked = read_app_reply(Observation(text=f"A table for six at 7 pm. {question}")).questions
    assert asked[-1].kind == "confirm"


@pytest.mark.parametrize(
    ("language", "goals", "question", "answer"),
    [
        (
            "English",
            ["get somebody to come because the stove smells", "mention the dog if they ask"],
            "What exactly is wrong?",
            "stove smells",
        ),
        (
            "German",
            ["die Uhr reparieren lassen, das Glas ist gesprungen"],
            "Was genau ist kaputt?",
            "Glas",
        ),
    ],
)
def test_what_is_wrong_is_told_from_the_goal(
    language: str, goals: list[str], question: str, answer: str
) -> None:
    said = replies_to(goals, [], [HELLO, question], language=language)
    assert answer in said[-1]


def test_a_weekday_and_its_date_are_one_day() -> None:
    for text in ("am Freitag, den 7. Mai 2027", "on Friday, the 7th of May 2027"):
        days = [found for kind, found, _ in values_in(text) if kind == "date"]
        assert len(days) == 1
        assert days[0].startswith("Fr")
        assert days[0].endswith("2027")
