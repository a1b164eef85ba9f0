"""The validations of slots that a model may ask for."""

from datetime import UTC, datetime

import pytest

from sparring_connectors.alexa.dialog import is_valid
from sparring_connectors.alexa.interaction_model import (
    Entity,
    InteractionModel,
    Slot,
    SlotType,
    Validation,
)
from sparring_connectors.alexa.slots import SlotReader

TYPES = {"SIZE": SlotType("SIZE", (Entity("small", "S", ("tiny",)), Entity("large", "L")))}
READER = SlotReader(
    InteractionModel("en-US", "x", types=TYPES), datetime(2026, 6, 15, 10, tzinfo=UTC)
)


@pytest.mark.parametrize(
    ("kind", "limits", "good", "bad"),
    [
        ("hasEntityResolutionMatch", {}, ["small", "tiny"], ["huge"]),
        ("isInSet", {"values": ("small",)}, ["small", "Tiny"], ["large", "huge"]),
        ("isInSet", {"values": ("L",)}, ["large"], ["small"]),
        ("isNotInSet", {"values": ("small",)}, ["large", "huge"], ["tiny"]),
        ("isGreaterThan", {"value": "3"}, ["4", "10"], ["3", "2"]),
        ("isGreaterThanOrEqualTo", {"value": "3"}, ["3", "3.5"], ["2"]),
        ("isLessThan", {"value": "10"}, ["9", "-1"], ["10", "11"]),
        ("isLessThanOrEqualTo", {"value": "2026-06-20"}, ["2026-06-20"], ["2026-06-21"]),
        ("isGreaterThan", {"value": "12:00"}, ["13:00"], ["11:59"]),
        (
            "isInDuration",
            {"start": "P0D", "end": "P7D"},
            ["2026-06-15", "2026-06-22"],
            ["2026-06-14"],
        ),
        ("isInDuration", {"start": "2026-07-01"}, ["2026-08-01"], ["2026-06-30"]),
        ("isNotInDuration", {"start": "P0D", "end": "P1D"}, ["2026-06-17"], ["2026-06-16"]),
        ("isGreaterThan", {"value": "three"}, ["2026-W25", "words"], []),  # cannot be compared
        ("somethingNew", {}, ["anything"], []),
    ],
)
def test_values_pass_or_not(kind: str, limits: dict, good: list[str], bad: list[str]) -> None:
    check, slot = Validation(kind, **limits), Slot("s", "SIZE")
    assert [value for value in good if not is_valid(check, value, slot, READER)] == []
    assert [value for value in bad if is_valid(check, value, slot, READER)] == []
