"""A datum that a profile tells in one of its common wordings answers the common questions for it.

Each table of the folder `particulars` has data with wordings of profiles and of apps in one
language; every wording of the one meets every wording of the other, beside other particulars.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Listen, Observation, Say, Turn
from sparring_plugins.users.agenda.moves.next_move import Agenda

FOLDER = Path(__file__).parent / "particulars"
LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def table_of(language: str) -> Mapping[str, Any]:
    return yaml.safe_load((FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))


def combinations(table: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the datum, how it is told, whether as a goal, and how it is asked for."""
    for name, datum in table["data"].items():
        for kind in ("told", "wanted"):
            for told in datum.get(kind, ()):
                for asked in datum["asked"]:
                    yield name, kind, told, asked


def answer(language: str, around: Mapping[str, Any], kind: str, told: str, asked: str) -> str:
    """What the user says to a question after its first wish and a yes."""
    goals = [around["goal"]] if kind == "told" else [told]
    context = list(around["context"])
    if kind == "told":
        context.insert(2, told)
    turns: list[Turn] = []
    said: str | None = None
    for reply in (around["greeting"], around["first"], around["before"] + asked):
        act = Listen() if said is None else Say(text=said)
        turns.append(Turn(act=act, observation=Observation(text=reply)))
        task = UserTask(
            goals=tuple(Goal(phrase=goal, template=goal) for goal in goals),
            context=tuple(context),
            role=around["role"],
            seed=1,
            turns=tuple(turns),
            language=language.capitalize(),
        )
        act = Agenda(task, (), patience=3, farewell=True).decide().act
        said = act.text if isinstance(act, Say) else ""
    return said or ""


def fits(said: str, datum: Mapping[str, Any]) -> bool:
    """Whether what was said is one of the answers, has it within, or begins with it."""
    text = said.strip().lower().rstrip(".!")
    answers = [str(each).lower() for each in datum["answers"]]
    match datum.get("compared"):
        case "within":
            return any(each in text for each in answers)
        case "start":
            return any(re.match(rf"{re.escape(each)}\b", text) for each in answers)
        case _:
            return text in answers


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_answers_every_question_for_its_datum(language: str) -> None:
    table = table_of(language)
    said = {
        (name, told, asked): answer(language, table["around"], kind, told, asked)
        for name, kind, told, asked in combinations(table)
    }
    misses = {key: text for key, text in said.items() if not fits(text, table["data"][key[0]])}
    known = {tuple(each) for each in table["open"]}
    assert {key: text for key, text in misses.items() if key not in known} == {}
    assert known - misses.keys() == set(), "answered by now: take them off the table"
