"""Goals that are not met though a form ends, or an answer is turned down."""

from collections.abc import Sequence

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Say, Turn
from sparring_plugins.users.agenda.moves.next_move import Agenda

from .talks import goals_met


def turn(said: str, text: str, *labels: str) -> Turn:
    choices = tuple(Choice(label=name, value=name) for name in labels)
    act = Say(text=said) if said else Listen()
    return Turn(act=act, observation=Observation(text=text, choices=choices))


def task_of(*goals: str, context: Sequence[str] = (), language: str = "English") -> UserTask:
    listed = tuple(Goal(phrase=phrase, template=phrase) for phrase in goals)
    return UserTask(goals=listed, context=tuple(context), language=language, seed=3)


def met(task: UserTask, *turns: Turn) -> tuple[int, ...]:
    now = task.model_copy(update={"turns": turns})
    return Agenda(now, (), patience=3, farewell=True).goals_met


RAISE = (
    turn("", "Hello, Pine Savings here. In a few words, what's it about?"),
    turn("Raise my savings to 90 pounds a month, please.", "You save £40. What shall it be?"),
    turn("I want to switch to the paperless letters.", "Any amount from £10 to £200 is possible."),
    turn("90", "So from May: £90 a month. Do you agree?", "I agree", "No"),
)
BOTH = task_of("raise your savings to 90 pounds a month", "switch to the paperless letters")


def test_what_is_said_within_another_form_is_not_met_by_its_end() -> None:
    end = turn("I agree", "Your savings of £90 a month are set up. What else can I do for you?")
    assert met(BOTH, *RAISE, end) == (0,)


def test_what_is_said_within_another_form_is_met_once_the_app_speaks_of_it() -> None:
    end = turn("I agree", "£90 a month is set up, and you are switched to paperless letters.")
    assert 1 in met(BOTH, *RAISE, end)


@pytest.mark.parametrize(
    ("language", "goal", "ask", "refuse"),
    [
        ("English", "cancel the delivery", "And the surname on it?", "That doesn't match."),
        ("Spanish", "anula la entrega", "¿Y el apellido?", "No coincide con el de la entrega."),
        ("French", "annuler la livraison", "Et le nom ?", "Cela ne correspond pas."),
        ("Italian", "annullare la consegna", "E il cognome?", "Il cognome non corrisponde."),
        ("Portuguese", "cancelar a entrega", "E o apelido?", "O apelido não corresponde."),
    ],
)
def test_a_datum_that_does_not_match_ends_no_form(
    language: str, goal: str, ask: str, refuse: str
) -> None:
    task = task_of(goal, language=language)
    assert met(task, turn("", "?"), turn(goal, ask), turn("Morris", refuse)) == ()


def test_a_statement_is_not_met_by_a_complaint_that_is_repeated() -> None:
    task = task_of("tell them your new address")
    wrong = "Wrong format! Example: 24.12.2030"
    turns = (
        turn("", "On which day do you come?"),
        turn("tomorrow", wrong),
        turn("Tell them my new address.", wrong),
    )
    assert met(task, *turns) == ()


@pytest.mark.parametrize(
    "words", ["Vale, no apunto nada. ¿Algo más?", "Se queda como está. ¿Algo más?"]
)
def test_what_stays_as_it_was_meets_no_goal(words: str) -> None:
    task = task_of("apuntar un coche al taller", language="Spanish")
    turns = (
        turn("", "¿Qué necesitas?"),
        turn("Quiero apuntar un coche al taller.", "Un coche. ¿Lo apunto?", "Apúntalo", "Déjalo"),
        turn("Déjalo", words),
    )
    assert met(task, *turns) == ()


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        (
            "ask on which weekday the lessons are",
            "Your lessons are 62 euros a month from May 2027.",
        ),
        (
            "find out on which day of the week the bin is emptied",
            "Your bin is emptied once a week and costs 9 euros.",
        ),
    ],
)
def test_a_figure_of_another_kind_answers_no_question_that_was_never_asked(
    question: str, stated: str
) -> None:
    talk = ["How can I help?", f"Done. {stated} Anything else?"]
    assert 1 not in goals_met(["book the lessons for 62 euros", question], [], talk)
