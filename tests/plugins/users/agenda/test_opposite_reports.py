"""A report of the opposite of what was wanted meets no goal, and is the app's failure."""

import pytest

from sparring.model.talk import Observation, Say, Turn
from sparring_plugins.users.agenda.settlement.service_reports import (
    opposite_report,
    reports_other_code,
)
from sparring_plugins.users.contradictions.find import contradictions

from .talks import goals_met


@pytest.mark.parametrize(
    ("wanted", "stated"),
    [
        ("cancel my appointment", "Booked: your rabbit at 17:00."),
        ("cancel my order 4411", "Your order 4411 has been placed."),
        ("book a table for two", "Your booking has been cancelled."),
        ("delete my account", "Your account has been created. Welcome!"),
        ("move my visit to Monday", "Your visit has been cancelled. Goodbye!"),
        ("meine Buchung stornieren", "Gebucht: Zimmer 4 für Freitag."),
        ("einen Tisch reservieren", "Ihre Reservierung wurde storniert."),
        ("cancelar mi cita", "Listo. Reservado para el viernes."),
        ("annuler mon rendez-vous", "C'est fait, le rendez-vous est réservé."),
    ],
)
def test_the_opposite_is_noticed(wanted: str, stated: str) -> None:
    assert opposite_report(wanted, [stated]) is not None


@pytest.mark.parametrize(
    ("wanted", "stated"),
    [
        ("cancel my appointment", "Your appointment has been cancelled."),
        ("cancel my order 4411", "Your order 4411, placed on 3 May, will not be sent."),
        ("cancel my order 4411", "All done, we will refund the amount for order 4411."),
        ("cancel my stay", "A call back is booked about your cancellation."),
        ("cancel the Friday class and book the Monday one", "You are booked for Monday."),
        ("move my visit to Monday", "The old visit is cancelled, and Monday at 9 is booked."),
        ("book a table for two", "If it is cancelled a day before, you pay nothing."),
        ("book a table for two", "Your table is booked. It can be cancelled until Friday."),
        ("ask what a parcel costs", "Your parcel has been cancelled."),
        ("return my lamp", "A courier has been booked for Monday."),
    ],
)
def test_what_may_be_what_was_wanted_is_left_alone(wanted: str, stated: str) -> None:
    assert opposite_report(wanted, [stated]) is None


@pytest.mark.parametrize(
    ("goal", "answer", "met"),
    [
        ("cancel your appointment", "Booked: your rabbit at 17:00.", ()),
        ("cancel your appointment", "Your appointment is cancelled.", (0,)),
        ("book a table for two", "Your booking has been cancelled.", ()),
        ("book a table for two", "Your table for two is booked.", (0,)),
    ],
)
def test_a_goal_is_not_met_by_the_opposite(goal: str, answer: str, met: tuple[int, ...]) -> None:
    assert goals_met([goal], (), ["Hello! How can I help?", answer]) == met


def test_the_opposite_is_a_contradiction_of_the_app() -> None:
    def said(text: str, answer: str) -> list[str]:
        turn = Turn(act=Say(text=text), observation=Observation(text=answer))
        return [item.kind for item in contradictions([turn], kinds=("reported",))]

    assert said("I want to cancel my appointment.", "Booked: your rabbit at 17:00.") == ["reported"]
    assert said("I want to cancel my appointment.", "It is booked for Friday. Which name?") == []
    assert said("I want to cancel my appointment.", "Your appointment is cancelled.") == []


@pytest.mark.parametrize(
    ("wanted", "stated", "other"),
    [
        ("move booking KB1041 to Friday", "Booked for Friday. Your number is KB2207.", True),
        ("move booking KB1041 to Friday", "KB1041 is now on Friday.", False),
        ("move booking KB1041 to Friday", "KB1041 is now KB2207, on Friday.", False),
        ("cancel order L-5512", "It is cancelled. Your receipt is R-11.", False),
        ("book a table", "Booked. Your number is KB2207.", False),
    ],
)
def test_another_code_is_of_another_booking(wanted: str, stated: str, other: bool) -> None:
    assert reports_other_code(wanted, [stated]) is other
