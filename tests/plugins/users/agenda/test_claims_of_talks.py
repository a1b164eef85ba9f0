"""What the end of a talk claims is what happened in it; and answers are the profile's own.

Each table of the folder `claims` has talks of one kind in several domains and languages.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Choice, Listen, Observation, Press, Say, Turn, act_text
from sparring_plugins.users.agenda.moves.next_move import Agenda

FOLDER = Path(__file__).parent / "claims"
Talk = Mapping[str, Any]


def talks_of(*names: str) -> list[Any]:
    tables = (
        (name, yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))) for name in names
    )
    return [
        pytest.param(talk, id=f"{name}: {talk['name']}") for name, table in tables for talk in table
    ]


def turn(said: str, text: str, labels: Sequence[str] = ()) -> Turn:
    choices = tuple(Choice(label=label, value=label) for label in labels)
    act = Say(text=said) if said else Listen()
    return Turn(act=act, observation=Observation(text=text, choices=choices))


def agenda_of(talk: Talk, goals: Sequence[Goal], inputs: Mapping[str, str]) -> Agenda:
    task = UserTask(
        goals=tuple(goals),
        inputs=dict(inputs),
        domains={name: (value,) for name, value in inputs.items()},
        role=talk.get("role", ""),
        context=tuple(talk.get("context", ())),
        language=talk["language"],
        seed=3,
        turns=tuple(turn(*past) for past in talk["turns"]),
    )
    return Agenda(task, (), patience=3, farewell=True)


@pytest.mark.parametrize(
    "talk", talks_of("answers_told", "details_dealt_with", "cases_foreseen", "other_endings")
)
def test_a_goal_is_met_only_by_what_happened(talk: Talk) -> None:
    goals = [Goal(phrase=phrase, template=phrase) for phrase in talk["goals"]]
    met = set(agenda_of(talk, goals, {}).goals_met)
    assert set(talk["met"]) <= met
    assert not met & set(talk["open"])


@pytest.mark.parametrize("talk", talks_of("own_values"))
def test_a_value_of_the_profile_is_given_where_it_is_asked_for(talk: Talk) -> None:
    values: Mapping[str, str] = talk.get("values", {})
    holes = {name: f"{{{{{name}}}}}" for name in values}
    goal = Goal(
        phrase=talk["goal"].format(**values),
        template=talk["goal"].format(**holes),
        inputs=tuple(values),
    )
    act = agenda_of(talk, [goal], values).decide().act
    assert act is not None
    said = act.label if isinstance(act, Press) else act_text(act)
    assert re.search(talk["says"], said)
    assert not re.search(talk.get("never") or r"(?!)", said)
