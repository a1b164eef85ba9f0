"""Something new, or what somebody has already."""

import pytest

from sparring_plugins.users.agenda.new_or_existing import new_one


@pytest.mark.parametrize(
    ("options", "words", "index"),
    [
        (("My visits", "New visit", "Prices"), "book a visit on Monday", 1),
        (("Meine Buchung", "Neue Buchung"), "eine Buchung für Montag", 1),
        (("Mi reserva", "Nueva reserva"), "reservar una mesa, una reserva para dos", 1),
        (("Existing order", "New order"), "I'd like to order a sofa", 1),
        (("My visits", "New visit"), "cancel my visit on Monday", None),
        (("My visits", "Visits"), "book a visit", None),
        (("New arrivals", "My visits"), "book a visit", None),
    ],
)
def test_new_one(options: tuple[str, ...], words: str, index: int | None) -> None:
    assert new_one(options, words) == index
