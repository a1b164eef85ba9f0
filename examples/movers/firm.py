"""What a removals firm promises for a move, with four faults for searches to find.

Three of them lie where several wishes are large, or small, together: a search that sees how near a
plan comes to a limit gets there, chance seldom does. The fourth is easy to come upon.
"""

VAN_M3 = 76
"""Cubic metres that one van takes."""

SHIFTS_HOURS = 21
"""Hours that the two shifts of a day may work."""

COVERS = (500, 1000, 1400)
"""Pounds up to which a move can be insured."""

WISHES = ("rooms", "wardrobes", "floor", "boxes", "km", "weeks", "helpers")
"""What a customer says as a number; `weeks` are how early the move is booked."""


def promise(wishes: dict[str, int], day: str) -> str:
    """Return the sentence that the chatbot and the skill say."""
    rooms, wardrobes, floor, boxes, km, weeks, helpers = (wishes.get(name, 0) for name in WISHES)
    volume = 5 * rooms + 4 * wardrobes + boxes // 5
    driving = km // 60
    hours = max(1, 1 + (rooms * (2 + floor) + 2 * wardrobes) // 6 + driving - helpers)
    price = max(60, 250 + 10 * volume + km - 60 * helpers - 25 * weeks)
    vans = 2 if volume > VAN_M3 + 4 else 1  # fault: the second van comes too late
    days = 2 if hours - driving > SHIFTS_HOURS else 1  # fault: as if drivers needed no rest
    cover = min((cover for cover in COVERS if cover >= price), default=COVERS[-1])  # fault
    receipt = "" if day == "sunday" and helpers == 0 else " The receipt comes by post."  # fault
    return (
        f"That is {volume} cubic metres in {vans} of our vans, {hours} hours of work in {days} of "
        f"our days, for {price} pounds, insured up to {cover}.{receipt}"
    )
