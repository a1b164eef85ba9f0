"""A form that was left, or interrupted by a question, does nothing for the user."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Observation, Say, Turn
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply

NOT_DONE = [
    "All right, I have not entered anything. How can I help you?",
    "Okay, nothing has been booked. What else?",
    "I have booked nothing.",
    "Vale, no he reservado nada. ¿En qué puedo ayudarle?",
    "D'accord, je n'ai rien enregistré. Que puis-je faire ?",
    "Gut, ich habe nichts eingetragen. Womit kann ich Ihnen helfen?",
]
DONE = [
    "Nothing to worry about, your table is booked.",
    "Your table is booked. Nothing else is needed.",
    "Ihr Termin ist eingetragen.",
]


@pytest.mark.parametrize("text", NOT_DONE)
def test_nothing_is_done_if_the_app_says_so(text: str) -> None:
    assert not read_app_reply(Observation(text=text)).done


@pytest.mark.parametrize("text", DONE)
def test_nothing_in_another_clause_takes_nothing_back(text: str) -> None:
    assert read_app_reply(Observation(text=text)).done


def goals_met(goals: list[str], *turns: tuple[str, str]) -> tuple[int, ...]:
    talk = tuple(
        Turn(act=Say(text=said), observation=Observation(text=text)) for said, text in turns
    )
    wanted = tuple(Goal(phrase=goal, template=goal) for goal in goals)
    task = UserTask(goals=wanted, context=(), seed=1, turns=talk, language="German")
    return Agenda(task, (), patience=3, farewell=True).goals_met


def test_a_form_that_was_left_meets_no_goal_with_the_next_answer() -> None:
    met = goals_met(
        ["Stühle bestellen", "fragen, wie viele man mindestens nehmen muss"],
        ("Ich möchte Stühle bestellen.", "Wie viele Stück? (mindestens 10)"),
        ("4", "Wir geben Stühle erst ab 10 Stück ab. Wie viele möchten Sie?"),
        ("Abbrechen", "Gut, ich habe nichts eingetragen. Womit kann ich Ihnen helfen?"),
        (
            "Können Sie mir sagen, wie viele man mindestens nehmen muss?",
            "Wir geben Stühle ab 10 Stück ab.\nKann ich sonst noch etwas für Sie tun?",
        ),
    )
    assert met == (1,)


def test_the_answer_to_a_question_within_a_form_ends_no_form() -> None:
    met = goals_met(
        ["einen Rückruf verlangen, weil ein Stuhl fehlt", "fragen, ob die Möbel versichert sind"],
        ("Rückruf", "Gern rufen wir Sie zurück. Worum geht es?"),
        (
            "Können Sie mir sagen, ob die Möbel versichert sind?",
            "Ihre Möbel sind bis 500 Euro versichert.\nZurück zu Ihrem Anliegen: Fahren Sie fort.",
        ),
    )
    assert met == (1,)
