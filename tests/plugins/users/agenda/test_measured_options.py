"""Options that are steps of one measure, chosen by an amount of the profile."""

import pytest

from sparring_plugins.users.agenda.measured_options import measured_option

LIFTS = ("I have never lifted", "I can lift 20 kilos", "I can lift 50 kilos or more")


@pytest.mark.parametrize(
    ("options", "text", "index"),
    [
        (LIFTS, "you easily lift 60 kilos", 2),
        (LIFTS, "you lift 50 kilos", 2),
        (LIFTS, "you lift 30 kilos", 1),
        (LIFTS, "you lift 10 kilos", None),
        (LIFTS, "you run 60 kilometres", None),
        (LIFTS, "you lift 60 kilos and your brother 20 kilos", None),
        (("up to 5 km", "5 to 10 km", "10+ km"), "you walk 7 km a day", 1),
        (("up to 5 km", "5 to 10 km", "10+ km"), "you walk 12 km a day", 2),
        (("bis zu 3 Stunden", "4 bis 6 Stunden"), "du bleibst 5 Stunden", 1),
        (("2 nights", "3 nights"), "you stay 4 nights", None),
        (("Red", "Blue"), "you stay 4 nights", None),
    ],
)
def test_an_amount_chooses_the_step_that_covers_it(
    options: tuple[str, ...], text: str, index: int | None
) -> None:
    assert measured_option(options, (text,)) == index
