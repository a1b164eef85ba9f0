"""What an app allows at most or at least, taken by somebody who says so beside its wish."""

import pytest

from .talks import replies_to

BEGIN = "Good morning! How can I help you?"
CASES = (
    (
        "order five trays, or as many as allowed", "", "How many trays would you like?",
        "Two trays is the most I can sell in one go. How many shall it be?", ("Two", "2", "two"),
    ),
    (
        "order five trays", "five trays would be ideal, otherwise as many as you can get",
        "How many trays?", "We sell two trays at most. How many would you like?", ("two", "2"),
    ),
    (
        "rent a van on 4 May or the earliest possible day after it", "", "Which day?",
        "We need a week's notice, so the earliest day is Thursday 9 May.", ("Thursday 9 May",),
    ),
    (
        "book a tasting on 4 May", "4 May would be perfect; otherwise as early as they can",
        "Which day would you like?", "The earliest day I have is 11 May.", ("11 May",),
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
        "if you cannot claim that much you claim the most that is allowed",
        "What is the value of the goods in pounds?",
        "Parcels are covered up to £100. Please key the amount you claim, at most 100.",
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
    context = ["if there is no evening delivery, take the morning of the same day"]
    menu = ("At what time?\n1 Morning (08:00 to 12:00)\n2 Evening (18:00 to 21:00)", "1", "2", "0")
    talk: list[str | tuple[str, ...]] = [BEGIN, "Which number has the parcel?", menu]
    goal = "have the parcel KT22814 delivered on 4 May in the evening"
    assert replies_to([goal], context, talk)[-1] == "2"
