"""With the same number of turns the explorer reaches more of public skills than `vitas`.

SPARRING_VOICE_SKILLS names the folder of the skills, SPARRING_VOICE_PYTHON an interpreter with
their libraries, SPARRING_VOICE_SEEDS how often each is explored (2). The whole table, with all
testers and five seeds, is made by ``python -m tests.evaluation.voice.compare FOLDER``.
"""

import os
from pathlib import Path
from statistics import fmean

import pytest
from tests.evaluation.voice.exploring import TESTERS, Reached, explored, reached, skills

pytestmark = pytest.mark.thorough
VARIABLE = "SPARRING_VOICE_SKILLS"
COMPARED = ("explorer", "vitas")
AT_LEAST = 1.2
FEWER = 2
"""On so many skills at most may the explorer find fewer problems."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[tuple[str, int], Reached]]:
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} is not set")
    python = os.environ.get("SPARRING_VOICE_PYTHON")
    seeds = range(1, int(os.environ.get("SPARRING_VOICE_SEEDS", "2")) + 1)
    measured: dict[str, dict[tuple[str, int], Reached]] = {}
    for skill in skills(Path(folder)):
        heard = {
            (name, seed): explored(skill, TESTERS[name], seed=seed, turns=60, python=python)
            for name in COMPARED
            for seed in seeds
        }
        measured[skill.name] = reached(heard, 60)
    return measured


def mean(found: dict[tuple[str, int], Reached], tester: str, what: str) -> float:
    return fmean(len(getattr(one, what)) for (name, _), one in found.items() if name == tester)


@pytest.mark.parametrize("what", ["intents", "states"])
def test_more_is_reached_on_average(
    what: str, found: dict[str, dict[tuple[str, int], Reached]]
) -> None:
    mine, other = (
        fmean(mean(each, tester, what) for each in found.values()) for tester in COMPARED
    )
    assert mine >= AT_LEAST * other


def test_no_fewer_problems_are_found_but_on_two_skills(
    found: dict[str, dict[tuple[str, int], Reached]],
) -> None:
    fewer = [
        name
        for name, each in found.items()
        if mean(each, "explorer", "problems") < mean(each, "vitas", "problems")
    ]
    assert len(fewer) <= FEWER, fewer
