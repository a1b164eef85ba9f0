"""Rows are held against faults: each fault once, optional ones neither found nor missed."""

from typing import Any

import yaml
from tests.evaluation.voice.recall import TRUTH, score

SKILL: dict[str, Any] = {
    "name": "quiz",
    "faults": [
        {"id": "A", "check": "caught_error", "says": "score", "what": "reads a missing score"},
        {"id": "B", "check": "privacy_violation", "says": "name", "what": "asks for the name"},
        {"id": "C", "check": "unexpected_exit", "optional": True, "says": "home", "what": "goes"},
    ],
}
SPOKE = {"spoke": "yes", "why_not": ""}


def row(check: str, reason: str, certainty: str = "sure") -> dict[str, str]:
    return {"check": check, "reason": reason, "certainty": certainty, "confirmed": "confirmed",
            "path": ""}  # fmt: skip


def test_rows_are_counted_by_the_fault_that_they_are_about() -> None:
    rows = [
        row("caught_error", "KeyError: 'score'"),
        row("caught_error", "KeyError: 'score' again"),
        row("unexpected_exit", "go home"),
        row("unstoppable", "it went on"),
        row("privacy_violation", "asks for the name", "possible"),
    ]
    scores = score(SKILL, SPOKE, rows)
    assert (scores.found, scores.primary) == (1, 2)
    assert (scores.true, scores.repeated, scores.rows) == (3, 1, 4)
    assert scores.missed == ["quiz B: asks for the name"]
    assert scores.wrong == ["quiz: unstoppable: it went on | "]


def test_what_cannot_be_installed_is_only_expected_to_be_reported() -> None:
    skill = {"name": "facts", "unstartable": "package.json", "faults": []}
    scores = score(skill, {"spoke": "no", "why_not": ""}, [row("unstartable", "package.json")])
    assert (scores.skills, scores.found, scores.primary, scores.true) == (0, 1, 1, 1)


def test_the_ground_truth_names_each_skill_and_fault_once() -> None:
    skills = yaml.safe_load(TRUTH.read_text("utf-8"))
    assert len(skills) >= 12
    assert len({skill["name"] for skill in skills}) == len(skills)
    assert sum(bool(skill.get("held")) for skill in skills) == 5
    identities = [fault["id"] for skill in skills for fault in skill["faults"]]
    assert len(set(identities)) == len(identities)
