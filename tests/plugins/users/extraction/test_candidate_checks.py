"""The extractor rather finds nothing than a value that is about something else."""

import asyncio
from datetime import date
from typing import Any

import pytest

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Observation, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.extraction.extractor import PatternExtractor

Lines = list[tuple[str, str]]
CLOSING = ("time", "closing time on Saturdays")
BOOKED = ("time", "the time that was booked")
ROOT = ("money", "price of a root canal")


def extract(lines: Lines, kind: str, description: str, name: str = "value") -> Any:
    task = ExtractTask(
        turns=tuple(Turn(act=Say(text=a), observation=Observation(text=b)) for a, b in lines),
        outputs=(OutputSpec(name=name, type=kind, description=description),),
        today=date(2024, 10, 28),
    )
    return asyncio.run(FakeContext().build(PatternExtractor).act(task)).outputs[0].value


@pytest.mark.parametrize(
    ("lines", "spec", "value"),
    [
        (
            [
                ("I want a shirt", "Pick it up within 3 days."),
                ("Can you tell me the closing time on Saturdays?", "Pardon?"),
                ("When do you close on Saturdays?", "Pardon?"),
            ],
            CLOSING,
            None,
        ),
        ([("When do you close on Saturdays?", "Pick it up within 3 days.")], CLOSING, None),
        ([("When do you close on Saturdays?", "At 6 pm.")], CLOSING, "6 pm"),
        ([("Hello", "On Saturdays we close at 18:00.")], CLOSING, "18:00"),
        ([("a cleaning at 17:00", "We are open from 8:00 to 12:00.")], BOOKED, None),
        ([("a cleaning", "I could offer you 9:15. What do you think?")], BOOKED, None),
        ([("a cleaning", "Your appointment has been booked for 9:15.")], BOOKED, "9:15"),
        (
            [("a cleaning", "At 9:15, is that correct?"), ("Yes", "Your appointment is confirmed.")],
            BOOKED,
            "9:15",
        ),
        (
            [("How much is a root canal?", "A cleaning costs 80 euros, a filling costs 120 euros.")],
            ROOT,
            None,
        ),
        ([("How much is a root canal?", "Cleaning: 80 euros\nFilling: 120 euros")], ROOT, None),
        (
            [("How much is a root canal?", "Cleaning: 80 euros\nRoot canal: 320 euros")],
            ROOT,
            "320 euros",
        ),
        ([("How much is a root canal?", "It costs 320 euros.")], ROOT, "320 euros"),
        (
            [
                ("I'd like a cleaning", "It costs 80 euros. Shall I book it?"),
                ("How much is a root canal?", "I do not know."),
            ],
            ROOT,
            None,
        ),
        (
            [("how long?", "That is $17.00 and it is ready in 35 minutes.")],
            ("int", "how long it takes, in minutes"),
            35,
        ),
        (
            [("how many?", "17 pizzas for 4 people in 35 minutes")],
            ("int", "the number of people"),
            4,
        ),
    ],
)  # fmt: skip
def test_only_what_is_on_the_matter_is_found(
    lines: Lines, spec: tuple[str, str], value: Any
) -> None:
    assert extract(lines, *spec) == value
