"""Testers on public skills: what each reaches with the same number of turns.

Each tester explores each skill with each seed in a run of its own, through the connector `alexa`
and the strategy `sessions`. What is counted is the same for all, whatever they think of it
themselves: intents that reached the skill, semantic states of what the skill itself said (over all
testers and seeds together), and problems, as kinds in semantic states.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.talk import Listen, Trace
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.voice.coverage import SemanticStates
from sparring_plugins.voice.explorers.base_explorer import SYSTEM_INPUTS
from sparring_plugins.voice.problem_detection import AppFacts, detect_problems
from sparring_plugins.voice.session_view import session_turns

LISTED = Path(__file__).with_name("skills.yaml")
_WORDS = [*SYSTEM_INPUTS.voice, *SYSTEM_INPUTS.standard]
TESTERS: dict[str, dict[str, Any]] = {
    "explorer": {"use": "explorer"},
    "black box": {"use": "explorer", "black_box": True},
    "vitas": {"use": "vitas"},
    "random": {"use": "random"},
    "vitas with the explorer's words": {"use": "vitas", "system_inputs": _WORDS},
    "without observer": {"use": "explorer", "without": "observer"},
    "without generator": {"use": "explorer", "without": "generator"},
    "without planner": {"use": "explorer", "without": "planner"},
    "without model": {"use": "explorer", "without": "model"},
}


@dataclass(frozen=True)
class Skill:
    """A public skill, and where it lies."""

    name: str
    folder: Path
    model: str
    handler: str


@dataclass(frozen=True)
class AppTurn:
    """What one turn showed: `said` is None for listening, `intents` are those the skill got."""

    said: str | None
    output: str
    intents: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reached:
    """What a tester reached in so many turns."""

    intents: frozenset[str]
    states: frozenset[str]
    problems: frozenset[tuple[str, str]]


def skills(folder: Path) -> list[Skill]:
    """The listed skills that lie in a folder, each in a folder of its id."""
    found: list[Skill] = []
    for row in yaml.safe_load(LISTED.read_text("utf-8")):
        place = folder / row["id"]
        if (place / row["handler"]).is_file():
            found.append(Skill(row["id"], place, row["model"], row["handler"]))
    return found


def explored(
    skill: Skill, tester: Mapping[str, Any], *, seed: int, turns: int, python: str | None = None
) -> list[AppTurn]:
    """What a tester heard of a skill, turn by turn, over all of its sessions."""
    where = {"folder": str(skill.folder), "model": skill.model, "handler": skill.handler}
    suite = {
        "name": skill.name,
        "seed": seed,
        "app": {
            "use": "alexa",
            "skill": {**where, **({"python": python} if python else {})},
            "network": "cut",
            "trace": "short",
            "process": "run",
        },
        "agent": {"medium": "voice", "turns": turns, **tester},
        "strategy": "sessions",
        "oracles": [],
        "reporters": [],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.yaml"
        path.write_text(yaml.safe_dump(suite), encoding="utf-8")
        done = conduct(load_suite(path), RunOptions())
        assert done.folder is not None
        found = [one.trace for one in StoredRun(done.folder).judged()]
    found.sort(key=lambda trace: trace.case.repeat)
    return [turn for trace in found for turn in _turns(trace)]


def _turns(trace: Trace) -> Iterator[AppTurn]:
    """The turns of a session; problems are found without the states that the player tells."""
    bare = trace.model_copy(update={"meta": {}})
    said = session_turns(bare)
    wrong: dict[int, list[tuple[str, str]]] = {}
    for one in detect_problems(said, AppFacts()):
        if one.certainty != "possible":
            until = one.turn + (
                one.problem_class == "privacy_violation"
            )  # what it says is at fault itself
            at = next((turn.output for turn in reversed(said[:until]) if turn.output), "")
            wrong.setdefault(one.turn, []).append((f"{one.problem_class}: {one.form}", at))
    for view in said:  # turns without an answer are left out
        number, turn = view.turn, trace.turns[view.turn]
        listens = isinstance(turn.act, Listen)
        data: Any = turn.observation.payload if turn.observation else {}
        yield AppTurn(
            None if listens else view.said,
            view.output,
            tuple(_intents(data)),
            tuple(wrong.get(number, [])),
        )


def _intents(data: Any) -> Iterator[str]:
    exchanges: list[Any] = data.get("exchanges", []) if isinstance(data, dict) else []
    for one in exchanges:
        request: Any = cast("dict[str, Any]", one).get("request", {})
        request = request.get("request", request)
        if request.get("type") == "IntentRequest":
            yield str(request["intent"]["name"])


def reached(
    found: Mapping[tuple[str, int], Sequence[AppTurn]], after: int
) -> dict[tuple[str, int], Reached]:
    """What each tester reached with each seed after this many turns, in states common to all."""
    texts = {turn.output for turns in found.values() for turn in turns if turn.output}
    texts |= {state for t in found.values() for turn in t for _, state in turn.problems if state}
    states = SemanticStates(texts)
    return {name: _reached(turns, after, states) for name, turns in found.items()}


def _reached(turns: Sequence[AppTurn], after: int, states: SemanticStates) -> Reached:
    sent = 0
    intents: set[str] = set()
    outputs: set[str] = set()
    wrong: set[tuple[str, str]] = set()
    for turn in turns:
        if turn.said is not None:
            if sent == after:
                break
            sent += 1
        intents.update(turn.intents)
        outputs |= {states.state(turn.output)} if turn.output else set()
        wrong |= {(kind, states.state(at) if at else "") for kind, at in turn.problems}
    return Reached(frozenset(intents), frozenset(outputs), frozenset(wrong))
