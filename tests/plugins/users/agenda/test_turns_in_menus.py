"""Single turns: ends of a way, menus of deeds, entries for questions, options that do without.

The table is in `turns_in_menus.yaml`: 18 of its first 33 turns were answered rightly when it was written.
"""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Listen, Observation, Say, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser

ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("turns_in_menus.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("row", ROWS, ids=[row["about"] for row in ROWS])
def test_a_turn_is_answered_as_a_sensible_person_would(row: dict[str, Any]) -> None:
    task = UserTask(
        goals=tuple(Goal(phrase=goal, template=goal) for goal in row["goals"]),
        language=row.get("language", "English"),
        role=row["role"],
        context=tuple(row.get("context", ())),
        turns=tuple(
            Turn(act=Say(text=said) if said else Listen(), observation=Observation(text=answer))
            for said, answer in row["turns"]
        ),
        seed=7,
    )
    move = asyncio.run(FakeContext().build(AgendaUser).act(task))
    text = act_text(move.act) if move.act is not None else ""
    assert any(re.search(pattern, text, re.IGNORECASE) for pattern in row["accept"]), text
    assert not any(re.search(pattern, text, re.IGNORECASE) for pattern in row.get("reject", ())), (
        text
    )
