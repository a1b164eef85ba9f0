"""What this bot gets wrong, by name, so that each mistake can be repaired on its own.

None of them is an absurdity planted for a demonstration: each is a shortcut that hand-written
dialogue systems really take. The place in the code that takes it asks `WeakSpot.X in weak`.
"""

from enum import StrEnum


class WeakSpot(StrEnum):
    """A mistake, and where it is made."""

    #: A pizza is priced when its size is known; toppings named later cost nothing (`ordering`).
    LATE_TOPPINGS = "late-toppings"
    #: "no" is searched in the text, and found inside "know", "another" and "now" (`understanding`).
    NO_IN_WORDS = "no-in-words"
    #: Numbers in words are known up to ten; "twelve cans" is one can (`understanding`).
    NUMBER_WORDS = "number-words"
    #: Order numbers have three digits, so two customers soon share one (`ordering`).
    SHORT_NUMBERS = "short-numbers"
    #: A cancelled order's number is given again to the customer's next order (`ordering`).
    REUSED_NUMBER = "reused-number"
    #: The price of one can is the line's price divided by the cans, also for 0 cans (`order`).
    ZERO_CANS = "zero-cans"
    #: A question that was not understood is asked again in the very same words (`dialogue`).
    SAME_QUESTION = "same-question"
    #: Changing the pizza starts a new order, and the drinks are gone (`ordering`).
    DRINK_LOST = "drink-lost"
    #: Of several questions in one message only the first is answered (`dialogue`).
    ONE_ANSWER = "one-answer"
    #: A table can be booked for an hour at which the shop is closed (`booking`).
    CLOSED_TABLE = "closed-table"


ALL: frozenset[WeakSpot] = frozenset(WeakSpot)
"""The bot as it is in service."""

NONE: frozenset[WeakSpot] = frozenset()
"""The bot with every one of these mistakes repaired."""
