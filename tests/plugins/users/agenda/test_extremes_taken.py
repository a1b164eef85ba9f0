"""What an app allows at most or at least, taken by somebody who says so beside its wish."""

import pytest

from .talks import replies_to

BEGIN = "Good morning! How can I help you?"
CASES = (
    (
        "order five trays, or as many as they sell", "", "How many trays?",
        "Two trays is the most I can sell in one go. How many do you want?", ("Two", "2", "two"),
    ),
    (
        "order five trays", "five trays are what you want, otherwise as many as there are",
        "How many trays?", "We sell two trays at most. How many do you want?", ("two", "2"),
    ),
    (
        "rent a van on 4 May or the earliest day that is possible", "", "Which day?",
        "We need a week's notice, so the earliest day is Thursday 9 May.", ("Thursday 9 May",),
    ),
    (
        "book a tasting on 4 May", "4 May is best; otherwise as soon as possible",
        "Which day?", "The earliest day I have is 11 May.", ("11 May",),
    ),
    (
        "lower the monthly rate to 20 euros",
        "if your amount is not possible, you take the lowest one that is allowed",
        "Which monthly rate would you like?",
        "A rate of 20 euros is not possible. You can choose an amount between 35 and 80 euros.",
        ("35", "35 euros"),
    ),
    (
        "raise the monthly rate to 200 euros",
        "if your amount is not possible, you take the highest one that is allowed",
        "Which monthly rate would you like?",
        "A rate of 200 euros is not possible. You can choose an amount between 35 and 80 euros.",
        ("80 euros", "80"),
    ),
    (
        "claim 140 pounds for the lamp",
        "if that is too much, you take the most that they pay",
        "How much do you claim, in pounds?",
        "For a lamp we pay £100 at most. Which amount do you claim?",
        ("£100", "100", "100 pounds"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(("goal", "context", "question", "refusal", "taken"), CASES)
def test_the_nearest_that_is_allowed_is_taken(
    goal: str, context: str, question: str, refusal: str, taken: tuple[str, ...]
) -> None:
    said = replies_to([goal], [context] if context else [], [BEGIN, question, refusal])
    assert said[-1] in taken


def test_a_second_choice_is_not_made_before_the_first_is_refused() -> None:
    context = ["if the evening is taken, the morning will do"]
    menu = ("At what time?\n1 Morning (9:00 to 11:30)\n2 Evening (17:30 to 20:00)", "1", "2", "0")
    talk: list[str | tuple[str, ...]] = [BEGIN, "Which number has the parcel?", menu]
    goal = "have the parcel KT22814 delivered on 4 May in the evening"
    assert replies_to([goal], context, talk)[-1] == "2"
