"""What the user answers in forms that nobody here has written, and what it leaves alone."""

import asyncio
from collections.abc import Sequence

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Say, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.state.user_goals import phrasings, user_goals_of
from sparring_plugins.users.agenda.words.goal_phrases import form_of


def goal(phrase: str, **inputs: str) -> Goal:
    template = phrase
    for name, value in inputs.items():
        template = template.replace(value, "{{" + name + "}}")
    return Goal(phrase=phrase, template=template, inputs=tuple(inputs))


def task_of(
    *goals: Goal, context: Sequence[str] = (), language: str = "English", **inputs: str
) -> UserTask:
    return UserTask(
        goals=goals, context=tuple(context), inputs=dict(inputs), language=language, seed=3
    )


def turn(said: str, text: str, *labels: str) -> Turn:
    choices = tuple(Choice(label=label, value=label) for label in labels)
    act = Say(text=said) if said else Listen()
    return Turn(act=act, observation=Observation(text=text, choices=choices))


def answer(task: UserTask, *turns: Turn) -> str:
    user = FakeContext().build(AgendaUser)
    act = asyncio.run(user.act(task.model_copy(update={"turns": turns}))).act
    return "" if act is None else act_text(act)


def met(task: UserTask, *turns: Turn) -> tuple[int, ...]:
    now = task.model_copy(update={"turns": turns})
    return Agenda(now, (), patience=3, farewell=True).goals_met


BOAT = task_of(
    goal("hire a small boat", size="small"),
    context=("your name is Ada Bell", "your tools are worth about 900 pounds"),
    size="small",
)
HIRED = turn("I'd like to hire a small boat, please.", "From which day?")


def test_who_it_is_for_asks_for_the_users_name() -> None:
    assert answer(BOAT, HIRED, turn("tomorrow", "Who is the contract for?")) == "Ada Bell"


def test_what_things_are_worth_asks_for_an_amount() -> None:
    asked = turn("tomorrow", "Roughly how much are your belongings worth, in pounds?")
    assert answer(BOAT, HIRED, asked) == "900 pounds"


@pytest.mark.parametrize(
    "question", ["Wann sind Sie geboren?", "¿Cuándo naciste?", "When were you born?"]
)
def test_a_birthday_is_asked_for_in_other_words(question: str) -> None:
    assert asked_kinds(folded(question)) == {"birth"}


def test_the_day_of_an_appointment_is_no_birthday() -> None:
    visit = task_of(
        goal("einen Termin am 9. März 2027 vereinbaren", day="9. März 2027"),
        context=("du heißt Ute Kern und bist am 17.08.1985 geboren",),
        language="German",
        day="9. März 2027",
    )
    start = turn("Ich möchte gern einen Termin am 9. März 2027 vereinbaren.", "Wie heißen Sie?")
    asked = turn("Ute Kern", "Und wann sind Sie geboren?")
    assert answer(visit, start, asked) == "17.08.1985"


def test_an_invented_birthday_is_put_as_the_app_shows_it() -> None:
    asked = turn("tomorrow", "What is your date of birth? For example 24.03.1980")
    assert len(answer(BOAT, HIRED, asked).split(".")) == 3


def test_a_labelled_number_is_no_address() -> None:
    facts = facts_of(["Name Paula Kern, Telefon 0152 5550 7788", "geboren am 3. Februar 1991"])
    assert {kind for fact in facts for kind in fact.kinds} == {"name", "phone", "date"}


def test_a_german_ordinal_ends_no_sentence() -> None:
    text = "Ihr Termin ist am 3. März 2027. Bitte kommen Sie pünktlich."
    assert sentences(text) == ("Ihr Termin ist am 3. März 2027.", "Bitte kommen Sie pünktlich.")


def test_an_example_of_a_date_offers_none_of_its_parts() -> None:
    reply = read_app_reply(Observation(text="Please type it like 24/03/2027."))
    assert [question.options for question in reply.questions] == [()]


# --- The user's own no


CANCEL = task_of(goal("deinen Termin absagen"), language="German")
FOUND = turn("Ich möchte gern meinen Termin absagen.", "Termin gefunden. Soll ich ihn absagen?")


def test_a_service_that_the_user_came_for_is_agreed_to() -> None:
    assert folded(answer(CANCEL, FOUND)).startswith("ja")


def test_nothing_is_met_by_the_users_own_no() -> None:
    kept = turn("Nein", "Gut, der Termin bleibt bestehen. Kann ich sonst noch etwas tun?")
    assert met(CANCEL, FOUND, kept) == ()


def test_what_is_done_after_a_yes_is_met() -> None:
    done = turn("Ja", "Der Termin ist abgesagt. Kann ich sonst noch etwas tun?")
    assert met(CANCEL, FOUND, done) == (0,)


def test_a_day_that_the_app_repeats_in_figures_is_the_german_one() -> None:
    visit = task_of(
        goal("einen Termin am 9. März 2027 vereinbaren", day="9. März 2027"),
        language="German",
        day="9. März 2027",
    )
    turns = (
        turn("Termin vereinbaren", "An welchem Tag möchten Sie kommen? (TT.MM.JJJJ)"),
        turn("09.03.2027", "Termin am 09.03.2027. Stimmt das so?", "Ja", "Nein"),
        turn("Ja", "Ihr Termin ist eingetragen: Dienstag, 09.03.2027. Sonst noch etwas?"),
    )
    assert met(visit, *turns) == (0,)


# --- Forms that nobody wants


ASKING = task_of(goal("ask until what time you can get to your room"))
MISLED = turn("Can you tell me until what time I can get to my room?", "Which colour? Red or blue?")


def test_a_question_that_opens_a_form_by_mistake_is_asked_again() -> None:
    said = answer(ASKING, MISLED)
    assert "until what time" in said.lower()


def test_a_form_that_nobody_wants_is_left() -> None:
    again = turn("I'd like to know until what time I can get to my room.", "Red or blue?")
    assert answer(ASKING, MISLED, again) == "Cancel"


# --- Wording


@pytest.mark.parametrize(
    ("phrase", "language", "form", "words"),
    [
        (
            "ask until what time you can get to your room",
            "English",
            "whether",
            "until what time I can get to my room",
        ),
        ("deinen Termin absagen", "German", "action", "meinen Termin absagen"),
    ],
)
def test_goals_are_worded_in_the_users_person(
    phrase: str, language: str, form: str, words: str
) -> None:
    assert form_of(phrase, language, False) == (form, words)


@pytest.mark.parametrize(
    ("phrase", "language", "said"),
    [
        (
            "complain that the lift is broken",
            "English",
            "I'd like to complain: the lift is broken.",
        ),
        ("report that a lamp is out", "English", "I'd like to report that a lamp is out."),
        (
            "reclamar que chove dentro",
            "Portuguese",
            "Gostaria de fazer uma reclamação: chove dentro.",
        ),
    ],
)
def test_a_complaint_is_told_as_one(phrase: str, language: str, said: str) -> None:
    task = task_of(goal(phrase), language=language)
    assert phrasings(user_goals_of(task)[0], 1)[0] == said


def test_a_price_grants_no_service() -> None:
    told = turn("I'd like to hire a small boat, please.", "A boat is £9.00 and we have ten.")
    assert met(BOAT, told) == ()


def test_nothing_is_met_by_a_form_that_stored_an_empty_answer() -> None:
    stored = "Small boat, name: Whatever you recommend. Is that right?"
    turns = (HIRED, turn("Whatever you recommend.", stored), turn("Yes", "It is booked. Goodbye!"))
    assert met(BOAT, *turns) == ()
    named = turn("Ada Bell", "Small boat, name: Ada Bell. Is that right?")
    assert met(BOAT, HIRED, named, turn("Yes", "It is booked. Goodbye!")) == (0,)
