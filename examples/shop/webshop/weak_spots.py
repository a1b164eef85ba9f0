"""What is wrong with the shop, on purpose: the kind of faults that shops really have."""

from enum import StrEnum


class WeakSpot(StrEnum):
    """A fault that can be repaired by itself."""

    LOST_PHONE = "lost-phone"
    """The account says "Saved", and keeps all but the phone number."""

    PLURALS = "plurals"
    """Search looks for the word as it is written: "teapots" finds no teapot."""

    FREE_SHIPPING = "free-shipping"
    """The cart's total leaves the shipping out, which the order's total has in it."""

    STALE_BADGE = "stale-badge"
    """The number beside "Cart" stays when the last article is removed."""


ALL = frozenset(WeakSpot)
