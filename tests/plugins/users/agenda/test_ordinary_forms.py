"""What forms of everyday apps ask for, beside whose particulars they are."""

import pytest

from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.stances import stance
from sparring_plugins.users.agenda.words.goal_phrases import form_of

from .talks import goals_met, replies_to

BEGIN = "Good day! What may it be?"


@pytest.mark.parametrize(
    ("question", "said", "wanted"),
    [
        ("Can the child dive without fins?", "Nina can dive without fins", True),
        ("Can the child dive without fins?", "Nina cannot dive without fins", False),
        ("Was the parcel damaged?", "the parcel was in one piece", False),
        ("Was the parcel damaged?", "the parcel was not damaged", False),
        ("Was the parcel damaged?", "the parcel was damaged", True),
        ("Was the box intact?", "the box was torn", False),
        ("War der Karton beschädigt?", "der Karton war in Ordnung", False),
        ("Is the room furnished?", "the room is unfurnished", False),
    ],
)
def test_opposites_and_what_both_lack(question: str, said: str, wanted: bool) -> None:
    assert stance(question, (said,)) is wanted


@pytest.mark.parametrize(
    ("sentence", "text", "kind"),
    [
        ("du wohnst in 50667 Köln im 3. Stock", "50667", "postcode"),
        ("the parcel goes to 75001 Paris by post", "75001", "postcode"),
        ("you live in Derby DE1 2AB on the first floor", "Derby", "city"),
        ("your boat is insured with Harbour Mutual", "Harbour Mutual", "text"),
        ("dein Rad ist bei der Nordkasse versichert", "Nordkasse", "text"),
    ],
)
def test_places_and_partners_are_facts(sentence: str, text: str, kind: str) -> None:
    assert any(fact.text == text and kind in fact.kinds for fact in facts_of([sentence]))


def test_an_age_that_one_is_above_counts_nobody() -> None:
    goals = ["get two tickets", "make sure that you get the rebate for persons over 60"]
    said = replies_to(goals, [], [BEGIN, "How many people will come?"])
    assert said[-1] in ("2", "two")


@pytest.mark.parametrize(
    ("context", "question", "wanted"),
    [
        (["you live in Mill Court, flat 8"], "Which flat in Mill Court?", "8"),
        (["you are Vera Stone"], "The surname on the order, please?", "Stone"),
        (["du wohnst in 50667 Köln"], "Wie lautet die Postleitzahl der Lieferanschrift?", "50667"),
    ],
)
def test_what_a_question_says_itself_is_no_answer(
    context: list[str], question: str, wanted: str
) -> None:
    language = "German" if question.startswith("Wie") else "English"
    said = replies_to(["report that the tap drips"], context, [BEGIN, question], language=language)
    assert said[-1] == wanted


def test_a_problem_is_described_by_the_goal_though_it_was_said() -> None:
    question = "Please describe the problem, so that the plumber brings the right things."
    context = ["you are out all day, so the plumber may use the key of the neighbour"]
    said = replies_to(["report that the tap drips"], context, [BEGIN, question])
    assert said[-1] == "The tap drips"


def test_what_somebody_is_to_be_told_goes_into_a_remark() -> None:
    goals = ["have Rex groomed", "tell the groomer that he limps since Monday"]
    context = ["your dog is Rex; he has been groomed here for years"]
    question = "Is there anything our groomer ought to know?"
    assert "limps" in replies_to(goals, context, ["The groomer's here.", question])[-1]


@pytest.mark.parametrize(
    ("goal", "language", "form"),
    [
        ("have it begin straight away", "English", "action"),
        ("have breakfast included", "English", "action"),
        ("have you got a sauna", "English", "question"),
        ("all taps in your flat, number 5, are leaking", "English", "statement"),
        ("que te manden el recibo", "Spanish", "statement"),
        ("que es un bono", "Spanish", "question"),
        ("recogerlo el martes", "Spanish", "action"),
        ("dass dich jemand anruft", "German", "statement"),
    ],
)
def test_forms_of_goals(goal: str, language: str, form: str) -> None:
    assert form_of(goal, language, has_values=False)[0] == form


def test_a_service_that_moves_something_begins_nothing() -> None:
    asked = "Do you want to book a visit, change one, order parts or hear prices?"
    menu = (asked, "Book a visit", "Change a visit", "Order parts", "Prices")
    goal = "have the visit V-12 moved to 5 May, 14:00"
    assert replies_to([goal], [], [menu]) != ["Book a visit"]


def test_straight_away_is_now() -> None:
    question = ("Does it begin now or in June?", "Now", "In June")
    goals = ["change to the large tariff", "have it start straight away"]
    assert replies_to(goals, [], [BEGIN, question])[-1] == "Now"


def test_a_way_that_the_app_names_is_taken_after_a_complaint() -> None:
    goals = ["book the boat for a party of 25 people"]
    full = 'We take 8 at most. For a larger party type "party". How many is it?'
    said = replies_to(goals, [], [BEGIN, "How many will come?", full])
    assert said[1:] == ["25", "party"]


def test_a_goal_follows_the_answer_to_its_question() -> None:
    goals = ["does the soup contain nuts?", "if it contains no nuts, order it"]
    begin = "Welcome to the kitchen."
    assert replies_to(goals, [], [begin, "The soup contains no nuts. Anything else?"])[-1] != ""
    without = goals_met(goals, [], [begin, "The soup contains nuts and milk. Anything else?"])
    assert 1 in without


@pytest.mark.parametrize(
    ("answer", "met"),
    [
        ("No. Anything else?", (0,)),
        ("Yes. Anything else?", (0, 1)),
        ("The soup contains no nuts. Anything else?", (0,)),
    ],
)
def test_a_case_comes_with_the_answer(answer: str, met: tuple[int, ...]) -> None:
    goals = ["does the soup contain nuts?", "if it contains no nuts, order it"]
    assert goals_met(goals, [], ["Welcome to the kitchen.", answer]) == met


def test_a_case_that_no_answer_decides_is_not_pursued() -> None:
    goals = ["does the yoga course have free places?", "if the yoga course has no places, wait"]
    said = replies_to(goals, [], ["The gym.", "The yoga course is on Monday. Anything else?"])
    assert "wait" not in said[-1]


def test_an_offer_that_the_profile_declines_in_its_case_is_declined() -> None:
    context = ["if the boat must be checked before, you do not pay for a check"]
    offer = "The boat must be checked before. Shall we make a check (£20)?"
    said = replies_to(["have your licence renewed"], context, [BEGIN, (offer, "Yes", "No")])
    assert said[-1] == "No"


def test_an_offer_in_a_case_of_the_profile_is_taken() -> None:
    context = ["if the boat must be checked before, you pay for a check"]
    offer = "The boat must be checked before. Shall we make a check (£20)?"
    said = replies_to(["have your licence renewed"], context, [BEGIN, (offer, "Yes", "No")])
    assert said[-1] == "Yes"


def test_a_refund_that_was_chosen_is_no_service_of_its_own() -> None:
    goals = ["complain that the lamp is cracked", "get your money back"]
    messages: list[str | tuple[str, ...]] = [
        BEGIN,
        "What has happened?",
        ("Shall we send the money back, or a new lamp?", "Refund", "New lamp"),
        "Done. Your number is C-88. Anything else?",
    ]
    assert goals_met(goals, [], messages) == (0, 1)


def test_what_is_to_be_done_to_a_thing_is_met_by_the_word_that_it_was() -> None:
    messages = [BEGIN, "Your card is blocked. A new one is on its way. Is there anything else?"]
    assert goals_met(["have the card blocked"], [], messages) == (0,)


def test_a_name_in_an_email_address_was_not_said() -> None:
    context = ["your name is Ute Berg", "your e-mail is ute.berg@example.org"]
    read_back = "I have noted: Oak Table, contact by e-mail. Shall I send it?"
    messages: list[str | tuple[str, ...]] = [
        BEGIN,
        "Your e-mail address?",
        (read_back, "Yes", "No"),
    ]
    assert replies_to(["report that the table is scratched"], context, messages)[-1] == "Yes"


def test_a_question_is_known_by_its_own_words() -> None:
    goals = ["find out when you may collect it", "ask what it costs to collect it on a Sunday"]
    messages = ["Hello.", "On Monday, 3 May. Anything else?", "£4 a day. Anything else?"]
    assert goals_met(goals, [], messages) == (0, 1)


def test_the_verb_of_a_goal_finds_its_entry() -> None:
    menu = ("What shall it be?", "Prams", "Order a pram", "Return something", "Our hours")
    goal = "return your pram because a wheel is loose"
    assert replies_to([goal], [], [menu]) != ["Order a pram"]
