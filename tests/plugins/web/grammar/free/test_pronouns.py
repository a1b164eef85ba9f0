"""Whose "its price" is."""

import pytest

from sparring_plugins.web.grammar.free.pronouns import drop_reason, name_pronoun


@pytest.mark.parametrize(
    ("sentence", "earlier", "named"),
    [
        (
            "Check that its price is still 5.20",
            ["Edit the Tin Drum", "Change the stock to 3 and save"],
            "Check that the price of Tin Drum is still 5.20",
        ),
        ("Its author should be Grass", ['Open "Tin Drum"'], 'the author of "Tin Drum" should be Grass'),
        ("Its price in the list is 5", ["Open the Kite"], "the price of Kite in the list is 5"),
        ("It costs 5.20", ["Open the Tin Drum"], "Tin Drum costs 5.20"),
        ('Check that its title is "Sea"', ["Open the Kite"], 'Check that the title of Kite is "Sea"'),
    ],
)  # fmt: skip
def test_a_pronoun_means_the_one_thing_that_was_named(
    sentence: str, earlier: list[str], named: str
) -> None:
    assert name_pronoun(sentence, earlier) == named


@pytest.mark.parametrize(
    "earlier",
    [[], ["Save the form"], ["Compare the Kite with the Sea"], ["Open the Kite", *["Go on"] * 4]],
)
def test_a_pronoun_stays_if_it_is_not_clear_what_it_means(earlier: list[str]) -> None:
    assert name_pronoun("Its price is 5", earlier) == "Its price is 5"


def test_a_value_that_was_checked_is_no_name() -> None:
    earlier = ["Click on heron-boat", 'The remark says "Leaks a little"']
    assert name_pronoun("Its owner is Ida", earlier) == "the owner of heron-boat is Ida"
    earlier = ['"Heron" is listed']
    assert name_pronoun("Its owner is Ida", earlier) == 'the owner of "Heron" is Ida'


@pytest.mark.parametrize(
    ("sentence", "check"),
    [
        ('"Kite" has been lent already, and so make sure it is missing from the shelf',
         'make sure "Kite" is missing from the shelf'),
        ("The heron is ringed, so check that it is in the register",
         "check that The heron is in the register"),
        # both are claims
        ("The heron is ringed, so it is in the register",) * 2,
        ("Check that the heron is ringed, so make sure it is listed",) * 2,
        ("Check that the page says it is so",) * 2,
    ],
)  # fmt: skip
def test_a_reason_is_no_claim_about_the_page(sentence: str, check: str) -> None:
    assert drop_reason(sentence) == check
